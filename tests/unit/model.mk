# The simulated caches: hand-worked traces, a plain second model, reuse distances, specs.
MODEL_PLAIN = tests/unit/model_host.c tests/unit/model_host.h \
	tests/unit/model_plain.c tests/unit/model_plain.h tests/unit/model_plain_count.c
UNIT_MODEL = tests/unit/test_model_random
check_PROGRAMS += $(UNIT_MODEL)
TESTS += $(UNIT_MODEL)
tests_unit_test_model_random_SOURCES = tests/unit/test_model_random.c $(MODEL_PLAIN)
tests_unit_test_model_random_LDADD = src/libsim.a src/libbase.a $(CMOCKA_LIBS)
