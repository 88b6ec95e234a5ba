# unit tests of src/sample: see tests/unit/base.mk for the pattern
