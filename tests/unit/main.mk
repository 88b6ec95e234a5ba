# unit tests of src/main: see tests/unit/base.mk for the pattern
