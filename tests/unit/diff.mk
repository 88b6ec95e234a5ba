# unit tests of diff and pprof: see tests/unit/base.mk for the pattern
UNIT_DIFF = tests/unit/test_compare tests/unit/test_diff tests/unit/test_pprof
check_PROGRAMS += $(UNIT_DIFF)
TESTS += $(UNIT_DIFF)
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c
tests_unit_test_compare_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_diff_SOURCES = tests/unit/test_diff.c $(VIEW_FIXTURE)
tests_unit_test_diff_LDADD = $(VIEW_LIBS)
tests_unit_test_pprof_SOURCES = tests/unit/test_pprof.c
tests_unit_test_pprof_LDADD = $(VIEW_LIBS)
tests/unit/test_pprof.$(OBJEXT): src/view/pprof.pb-c.h

dist_check_SCRIPTS += tests/replay/test_diff.sh
TESTS += tests/replay/test_diff.sh
