# misstop's own half of a recording: unit tests, fuzz, bench.
STORE_LIBS = src/libstore.a src/libresolve.a src/libdecode.a src/libbase.a
STORE_TOLD = tests/unit/store_told.c tests/unit/store_told.h
check_PROGRAMS += tests/unit/test_store
TESTS += tests/unit/test_store
tests_unit_test_store_SOURCES = tests/unit/test_store.c $(STORE_TOLD)
tests_unit_test_store_LDADD = src/libstore.a src/libbase.a $(CMOCKA_LIBS) -lm
