# Reading recordings: unit tests, replay against perf, fuzz, bench.
check_PROGRAMS += tests/replay/print_records tests/replay/load
dist_check_SCRIPTS += tests/replay/test_replay.sh tests/replay/test_levels.sh \
	tests/replay/test_rates.sh tests/replay/test_events.sh tests/replay/test_binaries.sh
TESTS += tests/replay/test_replay.sh tests/replay/test_levels.sh tests/replay/test_rates.sh tests/replay/test_events.sh tests/replay/test_binaries.sh
EXTRA_DIST += tests/replay/judge.sh tests/replay/hot.c tests/replay/compare_with_perf.py tests/replay/swap_recording.py \
	tests/replay/compare_levels.py tests/replay/compare_rates.py tests/replay/ibs_recording.py \
	tests/replay/rates_recording.py \
	tests/replay/miss_recording.py tests/replay/recording.py
tests_replay_load_SOURCES = tests/replay/load.c
tests_replay_load_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O1 -g
tests_replay_load_LDFLAGS =
tests_replay_print_records_SOURCES = tests/replay/print_records.c
tests_replay_print_records_LDADD = $(SAMPLE_LIBS)
RECORDING = tests/unit/recording.c tests/unit/recording.h
check_PROGRAMS += tests/fuzz/fuzz_perfdata
TESTS += tests/fuzz/fuzz_perfdata
tests_fuzz_fuzz_perfdata_SOURCES = tests/fuzz/fuzz_perfdata.c \
	tests/fuzz/perfdata_seeds.c tests/fuzz/perfdata_seeds.h $(RECORDING)
tests_fuzz_fuzz_perfdata_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_fuzz_fuzz_perfdata_LDADD = $(SAMPLE_LIBS)
UNIT_READING = tests/unit/test_attributes tests/unit/test_order tests/unit/test_perfdata_forms \
	tests/unit/test_reads tests/unit/test_record_fields tests/unit/test_tape
check_PROGRAMS += $(UNIT_READING)
TESTS += $(UNIT_READING)
tests_unit_test_attributes_SOURCES = tests/unit/test_attributes.c $(RECORDING)
tests_unit_test_attributes_LDADD = $(SAMPLE_LIBS)
tests_unit_test_order_SOURCES = tests/unit/test_order.c
tests_unit_test_order_LDADD = $(SAMPLE_LIBS)
tests_unit_test_tape_SOURCES = tests/unit/test_tape.c $(RECORDING)
tests_unit_test_tape_LDADD = $(SAMPLE_LIBS)
EXTRA_PROGRAMS += tests/bench/bench_replay
CLEANFILES += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c
tests_bench_bench_replay_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_forms_SOURCES = tests/unit/test_perfdata_forms.c $(RECORDING)
tests_unit_test_perfdata_forms_LDADD = $(SAMPLE_LIBS) -lpthread
tests_unit_test_reads_SOURCES = tests/unit/test_reads.c $(RECORDING)
tests_unit_test_reads_LDADD = $(SAMPLE_LIBS)
tests_unit_test_record_fields_SOURCES = tests/unit/test_record_fields.c $(RECORDING)
tests_unit_test_record_fields_LDADD = $(SAMPLE_LIBS)
