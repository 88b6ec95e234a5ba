# tests of the agent and of the feed that reads it
AGENT_TESTS = tests/agent/test_agent_record
check_PROGRAMS += $(AGENT_TESTS)
TESTS += $(AGENT_TESTS)
AGENT_TEST_LIBS = src/libresolve.a src/libbase.a $(DW_LIBS) $(ELF_LIBS) $(CMOCKA_LIBS)
WATCH_SOURCES = tests/agent/watch.c tests/agent/watch.h tests/agent/logger.h
tests_agent_test_agent_record_SOURCES = tests/agent/test_agent_record.c $(WATCH_SOURCES)
tests_agent_test_agent_record_LDADD = $(AGENT_TEST_LIBS)

# What is watched: without sanitizers, which bring a malloc of their own.
check_PROGRAMS += tests/agent/logger
tests_agent_logger_SOURCES = tests/agent/logger.c tests/agent/logger.h
tests_agent_logger_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_agent_logger_LDFLAGS = -pthread

# Figures; `make bench` runs it.
EXTRA_PROGRAMS += tests/bench/bench_agent
CLEANFILES += tests/bench/bench_agent
tests_bench_bench_agent_SOURCES = tests/bench/bench_agent.c
tests_bench_bench_agent_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_bench_bench_agent_LDADD = src/libresolve.a src/libbase.a $(DW_LIBS) $(ELF_LIBS)
