# unit tests of the use of lines and of reuse distances (--sim): see tests/unit/base.mk
UNIT_USE = \
	tests/unit/test_distances \
	tests/unit/test_use \
	tests/unit/test_use_page
check_PROGRAMS += $(UNIT_USE)
TESTS += $(UNIT_USE)
USE_LIBS = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_distances_SOURCES = tests/unit/test_distances.c
tests_unit_test_distances_LDADD = $(USE_LIBS)
tests_unit_test_use_SOURCES = tests/unit/test_use.c
tests_unit_test_use_LDADD = $(USE_LIBS)
tests_unit_test_use_page_SOURCES = tests/unit/test_use_page.c $(PAGE_FIXTURE)
tests_unit_test_use_page_LDADD = $(VIEW_LIBS)
