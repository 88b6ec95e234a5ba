# The simulated caches: hand-worked traces, a plain second model, reuse distances, specs.
MODEL_HOST = tests/unit/model_host.c tests/unit/model_host.h
MODEL_PLAIN = tests/unit/model_plain.c tests/unit/model_plain.h \
	tests/unit/model_plain_count.c tests/unit/model_plain_shape.c
MODEL_TINY = tests/unit/model_tiny.c tests/unit/model_tiny.h
UNIT_MODEL = tests/unit/test_model tests/unit/test_model_use tests/unit/test_model_random \
	tests/unit/test_model_reuse tests/unit/test_model_spec tests/unit/test_whatif
check_PROGRAMS += $(UNIT_MODEL) tests/unit/model_trace
TESTS += $(UNIT_MODEL) tests/unit/test_model_cachegrind.sh tests/unit/test_model_alone.sh
dist_check_SCRIPTS += tests/unit/test_model_cachegrind.sh tests/unit/test_model_alone.sh
MODEL_LIBS = src/libsim.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_model_SOURCES = tests/unit/test_model.c $(MODEL_TINY) $(MODEL_HOST)
tests_unit_test_model_LDADD = $(MODEL_LIBS)
tests_unit_test_model_use_SOURCES = tests/unit/test_model_use.c $(MODEL_TINY) $(MODEL_HOST)
tests_unit_test_model_use_LDADD = $(MODEL_LIBS)
tests_unit_test_model_random_SOURCES = tests/unit/test_model_random.c $(MODEL_PLAIN) $(MODEL_HOST)
tests_unit_test_model_random_LDADD = $(MODEL_LIBS)
tests_unit_test_model_reuse_SOURCES = tests/unit/test_model_reuse.c $(MODEL_HOST)
tests_unit_test_model_reuse_LDADD = $(MODEL_LIBS)
tests_unit_test_model_spec_SOURCES = tests/unit/test_model_spec.c $(MODEL_HOST)
tests_unit_test_model_spec_LDADD = $(MODEL_LIBS)
tests_unit_test_whatif_SOURCES = tests/unit/test_whatif.c $(MODEL_HOST)
tests_unit_test_whatif_LDADD = $(MODEL_LIBS)
tests_unit_model_trace_SOURCES = tests/unit/model_trace.c $(MODEL_HOST)
tests_unit_model_trace_LDADD = src/libsim.a
EXTRA_PROGRAMS += tests/bench/bench_model
CLEANFILES += tests/bench/bench_model
tests_bench_bench_model_SOURCES = tests/bench/bench_model.c $(MODEL_HOST)
tests_bench_bench_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_bench_bench_model_LDADD = src/libsim.a src/libbase.a
