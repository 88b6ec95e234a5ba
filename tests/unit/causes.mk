# unit tests of causes of misses (--sim): see tests/unit/base.mk for the pattern
UNIT_CAUSES = \
	tests/unit/test_causes \
	tests/unit/test_causes_page \
	tests/unit/test_causes_threads
check_PROGRAMS += $(UNIT_CAUSES)
TESTS += $(UNIT_CAUSES)
tests_unit_test_causes_SOURCES = tests/unit/test_causes.c
tests_unit_test_causes_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_causes_page_SOURCES = tests/unit/test_causes_page.c $(PAGE_FIXTURE)
tests_unit_test_causes_page_LDADD = $(VIEW_LIBS)
tests_unit_test_causes_threads_SOURCES = tests/unit/test_causes_threads.c
tests_unit_test_causes_threads_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
