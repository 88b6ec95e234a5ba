# Unit tests of src/store: one program per concept, linked with all stages.
UNIT_STORE = tests/unit/store/test_store tests/unit/store/test_past
check_PROGRAMS += $(UNIT_STORE)
TESTS += $(UNIT_STORE)
tests_unit_store_test_store_SOURCES = tests/unit/store/test_store.c \
	tests/unit/store/store_planned.c tests/unit/store/store_planned.h
tests_unit_store_test_store_LDADD = $(UNIT_LIBS)
tests_unit_store_test_past_SOURCES = tests/unit/store/test_past.c tests/unit/store/store_planned.c \
	tests/unit/store/store_planned.h
tests_unit_store_test_past_LDADD = $(UNIT_LIBS)

# misstop's own part of a recording (FILE.misstop): unit tests, fuzz test, benchmark.
STORE_PLANNED = tests/unit/store/store_planned.c tests/unit/store/store_planned.h
EXTRA_PROGRAMS += tests/bench/bench_store
CLEANFILES += tests/bench/bench_store
tests_bench_bench_store_SOURCES = tests/bench/bench_store.c $(STORE_PLANNED)
tests_bench_bench_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_bench_bench_store_LDADD = src/libstore.a src/libresolve.a src/libbase.a -lm
check_PROGRAMS += tests/fuzz/fuzz_store
TESTS += tests/fuzz/fuzz_store
tests_fuzz_fuzz_store_SOURCES = tests/fuzz/fuzz_store.c $(STORE_PLANNED)
tests_fuzz_fuzz_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_fuzz_fuzz_store_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)
dist_check_SCRIPTS += tests/replay/test_recording.sh
TESTS += tests/replay/test_recording.sh
EXTRA_DIST += tests/replay/compare_reports.py
EXTRA_PROGRAMS += tests/bench/bench_past
CLEANFILES += tests/bench/bench_past
tests_bench_bench_past_SOURCES = tests/bench/bench_past.c $(STORE_PLANNED)
tests_bench_bench_past_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_bench_bench_past_LDADD = src/libstore.a src/libresolve.a src/libbase.a -lm
