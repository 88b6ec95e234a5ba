# unit tests of src/resolve: see tests/unit/base.mk for the pattern
