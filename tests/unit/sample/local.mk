# Unit tests of src/sample: one program per concept, linked with all stages.
UNIT_SAMPLE = tests/unit/sample/test_record tests/unit/sample/test_event \
	tests/unit/sample/test_switching \
	tests/unit/sample/test_source tests/unit/sample/test_source_intel tests/unit/sample/test_session \
	tests/unit/sample/test_attributes tests/unit/sample/test_doctor tests/unit/sample/test_perfdata \
	tests/unit/sample/test_order tests/unit/sample/test_writer tests/unit/sample/test_sim_session \
	tests/unit/sample/test_watchpoints tests/unit/sample/test_sampler_live \
	tests/unit/sample/test_precise_recordings
check_PROGRAMS += $(UNIT_SAMPLE)
TESTS += $(UNIT_SAMPLE)
tests_unit_sample_test_record_SOURCES = tests/unit/sample/test_record.c \
	tests/unit/sample/recording.c tests/unit/sample/recording.h
tests_unit_sample_test_record_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_switching_SOURCES = tests/unit/sample/test_switching.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_switching_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_event_SOURCES = tests/unit/sample/test_event.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_event_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_source_SOURCES = tests/unit/sample/test_source.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_source_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_source_intel_SOURCES = tests/unit/sample/test_source_intel.c \
	tests/unit/sample/intel_cpus.c tests/unit/sample/intel_cpus.h tests/unit/sample/fake_kernel.c \
	tests/unit/sample/fake_kernel.h
tests_unit_sample_test_source_intel_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_session_SOURCES = tests/unit/sample/test_session.c \
	tests/unit/sample/intel_cpus.c tests/unit/sample/intel_cpus.h tests/unit/sample/fake_kernel.c \
	tests/unit/sample/fake_kernel.h
tests_unit_sample_test_session_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_attributes_SOURCES = tests/unit/sample/test_attributes.c \
	tests/unit/sample/recording.c tests/unit/sample/recording.h
tests_unit_sample_test_attributes_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_doctor_SOURCES = tests/unit/sample/test_doctor.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_doctor_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_perfdata_SOURCES = tests/unit/sample/test_perfdata.c \
	tests/unit/sample/recording.c tests/unit/sample/recording.h tests/unit/sample/perfdata_fixture.c \
	tests/unit/sample/perfdata_fixture.h
tests_unit_sample_test_perfdata_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_order_SOURCES = tests/unit/sample/test_order.c \
	tests/unit/sample/recording.c tests/unit/sample/recording.h
tests_unit_sample_test_order_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_writer_SOURCES = tests/unit/sample/test_writer.c \
	tests/unit/sample/perfdata_fixture.c tests/unit/sample/perfdata_fixture.h
tests_unit_sample_test_writer_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_sim_session_SOURCES = tests/unit/sample/test_sim_session.c
tests_unit_sample_test_sim_session_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_watchpoints_SOURCES = tests/unit/sample/test_watchpoints.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_watchpoints_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_sampler_live_SOURCES = tests/unit/sample/test_sampler_live.c \
	tests/unit/sample/fake_kernel.c tests/unit/sample/fake_kernel.h
tests_unit_sample_test_sampler_live_LDADD = $(UNIT_LIBS)
tests_unit_sample_test_precise_recordings_SOURCES = tests/unit/sample/test_precise_recordings.c
tests_unit_sample_test_precise_recordings_LDADD = $(UNIT_LIBS)

# Reading recordings: unit tests, replay compared with perf, fuzz test, benchmark.
check_PROGRAMS += tests/replay/print_records tests/replay/load
dist_check_SCRIPTS += tests/replay/test_replay.sh tests/replay/test_levels.sh \
	tests/replay/test_rates.sh tests/replay/test_events.sh tests/replay/test_binaries.sh
TESTS += tests/replay/test_replay.sh tests/replay/test_levels.sh tests/replay/test_rates.sh \
	tests/replay/test_events.sh tests/replay/test_binaries.sh
EXTRA_DIST += tests/replay/judge.sh tests/replay/hot.c tests/replay/compare_with_perf.py \
	tests/replay/swap_recording.py tests/replay/compare_levels.py tests/replay/compare_rates.py \
	tests/replay/ibs_recording.py tests/replay/rates_recording.py tests/replay/miss_recording.py \
	tests/replay/recording.py
tests_replay_load_SOURCES = tests/replay/load.c
tests_replay_load_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O1 -g
tests_replay_load_LDFLAGS =
tests_replay_print_records_SOURCES = tests/replay/print_records.c
tests_replay_print_records_LDADD = $(SAMPLE_LIBS)
RECORDING = tests/unit/sample/recording.c tests/unit/sample/recording.h
check_PROGRAMS += tests/fuzz/fuzz_perfdata
TESTS += tests/fuzz/fuzz_perfdata
tests_fuzz_fuzz_perfdata_SOURCES = tests/fuzz/fuzz_perfdata.c tests/fuzz/perfdata_seeds.c \
	tests/fuzz/perfdata_seeds.h $(RECORDING)
tests_fuzz_fuzz_perfdata_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_fuzz_fuzz_perfdata_LDADD = $(SAMPLE_LIBS)
EXTRA_PROGRAMS += tests/bench/bench_replay
CLEANFILES += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c
tests_bench_bench_replay_LDADD = $(SAMPLE_LIBS)

SAMPLE_LIBS = src/libsample.a src/libbase.a $(CMOCKA_LIBS) $(PFM_LIBS) $(ZSTD_LIBS) -lm
check_PROGRAMS += tests/fuzz/fuzz_record
TESTS += tests/fuzz/fuzz_record
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c
tests_fuzz_fuzz_record_LDADD = $(SAMPLE_LIBS)

# Writing recordings: unit tests, perf's tools on the written files, benchmark.
check_PROGRAMS += tests/replay/record_samples
dist_check_SCRIPTS += tests/replay/test_write.sh
TESTS += tests/replay/test_write.sh
tests_replay_record_samples_SOURCES = tests/replay/record_samples.c
tests_replay_record_samples_LDADD = $(SAMPLE_LIBS)
EXTRA_PROGRAMS += tests/bench/bench_write
CLEANFILES += tests/bench/bench_write
tests_bench_bench_write_SOURCES = tests/bench/bench_write.c
tests_bench_bench_write_LDADD = $(SAMPLE_LIBS)
