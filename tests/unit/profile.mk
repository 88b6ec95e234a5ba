# unit tests of src/profile: see tests/unit/base.mk for the pattern
