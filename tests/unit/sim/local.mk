# Unit tests of src/sim: one program per concept, linked with all stages.
UNIT_SIM = tests/unit/sim/test_model tests/unit/sim/test_model_random tests/unit/sim/test_whatif
check_PROGRAMS += $(UNIT_SIM)
TESTS += $(UNIT_SIM)
tests_unit_sim_test_model_SOURCES = tests/unit/sim/test_model.c tests/unit/sim/model_tiny.c \
	tests/unit/sim/model_tiny.h tests/unit/sim/model_host.c tests/unit/sim/model_host.h
tests_unit_sim_test_model_LDADD = src/libsim.a $(UNIT_LIBS)
tests_unit_sim_test_model_random_SOURCES = tests/unit/sim/test_model_random.c \
	tests/unit/sim/model_plain.c tests/unit/sim/model_plain.h tests/unit/sim/model_host.c \
	tests/unit/sim/model_host.h
tests_unit_sim_test_model_random_LDADD = src/libsim.a $(UNIT_LIBS)
tests_unit_sim_test_whatif_SOURCES = tests/unit/sim/test_whatif.c tests/unit/sim/model_host.c \
	tests/unit/sim/model_host.h
tests_unit_sim_test_whatif_LDADD = src/libsim.a $(UNIT_LIBS)

# The simulated caches: traces with counts worked out by hand, a simple second model, reuse distances, specs.
MODEL_HOST = tests/unit/sim/model_host.c tests/unit/sim/model_host.h
check_PROGRAMS += tests/unit/model_trace
TESTS += tests/unit/sim/test_model_cachegrind.sh tests/unit/sim/test_model_alone.sh
dist_check_SCRIPTS += tests/unit/sim/test_model_cachegrind.sh tests/unit/sim/test_model_alone.sh
tests_unit_model_trace_SOURCES = tests/unit/sim/model_trace.c $(MODEL_HOST)
tests_unit_model_trace_LDADD = src/libsim.a
EXTRA_PROGRAMS += tests/bench/bench_model
CLEANFILES += tests/bench/bench_model
tests_bench_bench_model_SOURCES = tests/bench/bench_model.c $(MODEL_HOST)
tests_bench_bench_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_bench_bench_model_LDADD = src/libsim.a src/libbase.a
