# Reading recordings: unit tests, replay against perf, fuzz, bench.
check_PROGRAMS += tests/replay/print_records tests/replay/load
dist_check_SCRIPTS += tests/replay/test_replay.sh
TESTS += tests/replay/test_replay.sh
EXTRA_DIST += tests/replay/compare_with_perf.py tests/replay/swap_recording.py
tests_replay_load_SOURCES = tests/replay/load.c
tests_replay_load_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O1 -g
tests_replay_load_LDFLAGS =
tests_replay_print_records_SOURCES = tests/replay/print_records.c
tests_replay_print_records_LDADD = $(SAMPLE_LIBS)
RECORDING = tests/unit/recording.c tests/unit/recording.h
check_PROGRAMS += tests/fuzz/fuzz_perfdata
TESTS += tests/fuzz/fuzz_perfdata
tests_fuzz_fuzz_perfdata_SOURCES = tests/fuzz/fuzz_perfdata.c $(RECORDING)
tests_fuzz_fuzz_perfdata_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_fuzz_fuzz_perfdata_LDADD = $(SAMPLE_LIBS)
