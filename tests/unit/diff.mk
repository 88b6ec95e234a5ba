# unit tests of diff and pprof: see tests/unit/base.mk for the pattern
UNIT_DIFF = tests/unit/test_compare
check_PROGRAMS += $(UNIT_DIFF)
TESTS += $(UNIT_DIFF)
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c
tests_unit_test_compare_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
