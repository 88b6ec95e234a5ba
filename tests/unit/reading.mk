# Reading recordings: unit tests, replay against perf, fuzz, bench.
check_PROGRAMS += tests/replay/print_records
tests_replay_print_records_SOURCES = tests/replay/print_records.c
tests_replay_print_records_LDADD = $(SAMPLE_LIBS)
