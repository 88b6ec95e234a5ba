# Unit tests of the agent: one program per concept, linked with all stages.
UNIT_AGENT = tests/unit/agent/test_unwind
check_PROGRAMS += $(UNIT_AGENT)
TESTS += $(UNIT_AGENT)
tests_unit_agent_test_unwind_SOURCES = tests/unit/agent/test_unwind.c src/agent/unwind.c
tests_unit_agent_test_unwind_LDADD = $(UNIT_LIBS)
tests_unit_agent_test_unwind_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer

check_PROGRAMS += tests/agent/test_agent_record tests/agent/test_agent_hazards
TESTS += tests/agent/test_agent_record tests/agent/test_agent_hazards
AGENT_TEST_LIBS = src/libresolve.a src/libbase.a $(RESOLVER_LIBS) $(CMOCKA_LIBS)
WATCH_SOURCES = tests/agent/watch.c tests/agent/watch.h tests/agent/logger.h
tests_agent_test_agent_record_SOURCES = tests/agent/test_agent_record.c $(WATCH_SOURCES)
tests_agent_test_agent_record_LDADD = $(AGENT_TEST_LIBS)
tests_agent_test_agent_hazards_SOURCES = tests/agent/test_agent_hazards.c tests/agent/victim.h \
	$(WATCH_SOURCES)
tests_agent_test_agent_hazards_LDADD = $(AGENT_TEST_LIBS)
# Built by the compiler directly: if there is no static libc, the test prints this and continues.
check_SCRIPTS = tests/agent/fixed
CLEANFILES += tests/agent/fixed
tests/agent/fixed: tests/agent/fixed.c
	@$(MKDIR_P) tests/agent
	-$(AM_V_CCLD)$(CC) -static -o $@ $(srcdir)/tests/agent/fixed.c

# The watched programs, built without sanitizers, which have their own malloc.
WATCHED_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
check_PROGRAMS += tests/agent/logger tests/agent/victim tests/agent/plugin.so \
	tests/agent/own_malloc
tests_agent_logger_SOURCES = tests/agent/logger.c tests/agent/logger.h
tests_agent_logger_CFLAGS = $(WATCHED_CFLAGS)
tests_agent_logger_LDFLAGS = -pthread
tests_agent_victim_SOURCES = tests/agent/victim.c tests/agent/victim.h
tests_agent_victim_CFLAGS = $(WATCHED_CFLAGS) -fno-builtin -fno-optimize-sibling-calls -fno-pie
tests_agent_victim_LDFLAGS = -pthread -no-pie
tests_agent_victim_LDADD = -ldl
tests_agent_plugin_so_SOURCES = tests/agent/plugin.c
tests_agent_plugin_so_CFLAGS = $(WATCHED_CFLAGS) -fPIC
tests_agent_plugin_so_LDFLAGS = -shared
tests_agent_own_malloc_SOURCES = tests/agent/own_malloc.c
tests_agent_own_malloc_CFLAGS = $(WATCHED_CFLAGS) -fno-builtin
tests_agent_own_malloc_LDFLAGS =
EXTRA_DIST += tests/agent/fixed.c
check_PROGRAMS += tests/agent/check_unwind.so tests/agent/try_agent
tests_agent_check_unwind_so_SOURCES = tests/agent/check_unwind.c src/agent/unwind.c
tests_agent_check_unwind_so_CFLAGS = $(WATCHED_CFLAGS) -fPIC -fno-builtin -fvisibility=hidden \
	-fno-omit-frame-pointer
tests_agent_check_unwind_so_LDFLAGS = -shared
tests_agent_try_agent_SOURCES = tests/agent/try_agent.c $(WATCH_SOURCES)
tests_agent_try_agent_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
dist_check_SCRIPTS += tests/agent/test_unwind.sh
TESTS += tests/agent/test_unwind.sh

# A benchmark; `make bench` runs it.
EXTRA_PROGRAMS += tests/bench/bench_agent
CLEANFILES += tests/bench/bench_agent
tests_bench_bench_agent_SOURCES = tests/bench/bench_agent.c
tests_bench_bench_agent_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_bench_bench_agent_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
