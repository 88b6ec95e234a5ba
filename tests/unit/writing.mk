# Writing recordings: unit tests, the tools of perf on what was written, bench.
check_PROGRAMS += tests/replay/record_samples
tests_replay_record_samples_SOURCES = tests/replay/record_samples.c
tests_replay_record_samples_LDADD = $(SAMPLE_LIBS)
