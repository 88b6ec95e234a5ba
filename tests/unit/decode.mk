# unit tests of src/decode: see tests/unit/base.mk for the pattern
