# unit tests of src/sample: see tests/unit/base.mk for the pattern
SAMPLE_LIBS = src/libsample.a src/libbase.a $(CMOCKA_LIBS) $(PFM_LIBS) $(ZSTD_LIBS) -lm
UNIT_SAMPLE = \
	tests/unit/test_data_source \
	tests/unit/test_doctor \
	tests/unit/test_threads \
	tests/unit/test_sampler_live \
	tests/unit/test_sim_session \
	tests/unit/test_simulation \
	tests/unit/test_source \
	tests/unit/test_source_amd \
	tests/unit/test_source_intel \
	tests/unit/test_session_intel \
	tests/unit/test_event \
	tests/unit/test_sysfs_event \
	tests/unit/test_event_desc \
	tests/unit/test_perfdata \
	tests/unit/test_perfdata_shared \
	tests/unit/test_precise_recordings \
	tests/unit/test_period \
	tests/unit/test_record \
	tests/unit/test_ring
check_PROGRAMS += $(UNIT_SAMPLE) tests/fuzz/fuzz_record
TESTS += $(UNIT_SAMPLE) tests/fuzz/fuzz_record
tests_unit_test_period_SOURCES = tests/unit/test_period.c
tests_unit_test_period_LDADD = $(SAMPLE_LIBS)
tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_LDADD = $(SAMPLE_LIBS)
tests_unit_test_ring_SOURCES = tests/unit/test_ring.c
tests_unit_test_ring_LDADD = $(SAMPLE_LIBS)
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c
tests_fuzz_fuzz_record_LDADD = $(SAMPLE_LIBS)
SEEN = tests/unit/seen.c tests/unit/seen.h
tests_unit_test_perfdata_SOURCES = tests/unit/test_perfdata.c $(RECORDING) $(SEEN)
tests_unit_test_perfdata_LDADD = $(SAMPLE_LIBS)
tests_unit_test_perfdata_shared_SOURCES = tests/unit/test_perfdata_shared.c $(SEEN)
tests_unit_test_perfdata_shared_LDADD = $(SAMPLE_LIBS)
tests_unit_test_event_desc_SOURCES = tests/unit/test_event_desc.c
tests_unit_test_event_desc_LDADD = $(SAMPLE_LIBS)
FAKE_KERNEL = tests/unit/fake_kernel.c tests/unit/fake_kernel.h
tests_unit_test_event_SOURCES = tests/unit/test_event.c $(FAKE_KERNEL)
tests_unit_test_event_LDADD = $(SAMPLE_LIBS)
tests_unit_test_sysfs_event_SOURCES = tests/unit/test_sysfs_event.c $(FAKE_KERNEL)
tests_unit_test_sysfs_event_LDADD = $(SAMPLE_LIBS)
tests_unit_test_source_SOURCES = tests/unit/test_source.c $(FAKE_KERNEL)
tests_unit_test_source_LDADD = $(SAMPLE_LIBS)
tests_unit_test_sampler_live_SOURCES = tests/unit/test_sampler_live.c $(FAKE_KERNEL)
tests_unit_test_sampler_live_LDADD = $(SAMPLE_LIBS) -lpthread
tests_unit_test_doctor_SOURCES = tests/unit/test_doctor.c $(FAKE_KERNEL)
tests_unit_test_doctor_LDADD = $(SAMPLE_LIBS)
tests_unit_test_threads_SOURCES = tests/unit/test_threads.c $(FAKE_KERNEL)
tests_unit_test_threads_LDADD = $(SAMPLE_LIBS)
tests_unit_test_data_source_SOURCES = tests/unit/test_data_source.c
tests_unit_test_data_source_LDADD = src/libdecode.a $(CMOCKA_LIBS)
INTEL_CPUS = tests/unit/intel_cpus.c tests/unit/intel_cpus.h
tests_unit_test_source_intel_SOURCES = tests/unit/test_source_intel.c $(INTEL_CPUS) $(FAKE_KERNEL)
tests_unit_test_source_intel_LDADD = $(SAMPLE_LIBS)
tests_unit_test_session_intel_SOURCES = tests/unit/test_session_intel.c $(INTEL_CPUS) $(FAKE_KERNEL)
tests_unit_test_session_intel_LDADD = $(SAMPLE_LIBS) -lpthread
tests_unit_test_source_amd_SOURCES = tests/unit/test_source_amd.c $(FAKE_KERNEL)
tests_unit_test_source_amd_LDADD = $(SAMPLE_LIBS)
tests_unit_test_precise_recordings_SOURCES = tests/unit/test_precise_recordings.c
tests_unit_test_precise_recordings_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a $(SAMPLE_LIBS) $(CAPSTONE_LIBS)
tests_unit_test_sim_session_SOURCES = tests/unit/test_sim_session.c
tests_unit_test_sim_session_LDADD = src/libdecode.a $(SAMPLE_LIBS)
tests_unit_test_simulation_SOURCES = tests/unit/test_simulation.c src/simulation.c
tests_unit_test_simulation_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"/nonexistent"'
tests_unit_test_simulation_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) $(CMOCKA_LIBS)
