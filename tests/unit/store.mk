# misstop's own half of a recording: unit tests, fuzz, bench.
STORE_TOLD = tests/unit/store_told.c tests/unit/store_told.h
check_PROGRAMS += tests/unit/test_store
TESTS += tests/unit/test_store
tests_unit_test_store_SOURCES = tests/unit/test_store.c $(STORE_TOLD)
tests_unit_test_store_LDADD = src/libstore.a src/libbase.a $(CMOCKA_LIBS) -lm
EXTRA_PROGRAMS += tests/bench/bench_store
CLEANFILES += tests/bench/bench_store
tests_bench_bench_store_SOURCES = tests/bench/bench_store.c $(STORE_TOLD)
tests_bench_bench_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_bench_bench_store_LDADD = src/libstore.a src/libbase.a -lm
check_PROGRAMS += tests/fuzz/fuzz_store
TESTS += tests/fuzz/fuzz_store
tests_fuzz_fuzz_store_SOURCES = tests/fuzz/fuzz_store.c $(STORE_TOLD)
tests_fuzz_fuzz_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_fuzz_fuzz_store_LDADD = src/libprofile.a src/libstore.a src/libresolve.a src/libdecode.a \
	src/libbase.a -lm
dist_check_SCRIPTS += tests/replay/test_recording.sh
TESTS += tests/replay/test_recording.sh
EXTRA_DIST += tests/replay/compare_reports.py
