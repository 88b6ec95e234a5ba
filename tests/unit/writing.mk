# Writing recordings: unit tests, the tools of perf on what was written, bench.
UNIT_WRITING = tests/unit/test_perfdata_write tests/unit/test_perfdata_write_files \
	tests/unit/test_perfdata_write_parts
WRITTEN = tests/unit/found.c tests/unit/written.c tests/unit/written.h
check_PROGRAMS += tests/replay/record_samples $(UNIT_WRITING)
dist_check_SCRIPTS += tests/replay/test_write.sh
TESTS += $(UNIT_WRITING) tests/replay/test_write.sh
tests_replay_record_samples_SOURCES = tests/replay/record_samples.c
tests_replay_record_samples_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_write_SOURCES = tests/unit/test_perfdata_write.c $(WRITTEN)
tests_unit_test_perfdata_write_files_SOURCES = tests/unit/test_perfdata_write_files.c $(WRITTEN)
tests_unit_test_perfdata_write_files_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_write_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_write_parts_SOURCES = tests/unit/test_perfdata_write_parts.c
tests_unit_test_perfdata_write_parts_LDADD = $(SAMPLE_LIBS) -lpthread
EXTRA_PROGRAMS += tests/bench/bench_write
CLEANFILES += tests/bench/bench_write
tests_bench_bench_write_SOURCES = tests/bench/bench_write.c
tests_bench_bench_write_LDADD = $(SAMPLE_LIBS)
