# unit tests of src/view: see tests/unit/base.mk for the pattern
