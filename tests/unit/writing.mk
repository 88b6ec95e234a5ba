# Writing recordings: unit tests, the tools of perf on what was written, bench.
check_PROGRAMS += tests/replay/record_samples tests/unit/test_perfdata_write
TESTS += tests/unit/test_perfdata_write
tests_replay_record_samples_SOURCES = tests/replay/record_samples.c
tests_replay_record_samples_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_write_SOURCES = tests/unit/test_perfdata_write.c \
	tests/unit/found.c tests/unit/written.c tests/unit/written.h
tests_unit_test_perfdata_write_LDADD = $(SAMPLE_LIBS)
