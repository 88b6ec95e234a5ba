# All tests except the unit tests, which are in tests/unit.
AM_TESTS_ENVIRONMENT = \
	MISSTOP='$(abs_top_builddir)/src/misstop'; export MISSTOP; \
	DEMO='$(abs_top_builddir)/src/misstop-demo'; export DEMO; \
	PLANTED='$(abs_top_builddir)/tests/live/planted'; export PLANTED; \
	CHURN='$(abs_top_builddir)/tests/live/churn'; export CHURN; \
	SHARING_PLANTED='$(abs_top_builddir)/tests/live/sharing_planted'; export SHARING_PLANTED; \
	FINDINGS_PLANTED='$(abs_top_builddir)/tests/live/findings_planted'; export FINDINGS_PLANTED; \
	PHASES_PLANTED='$(abs_top_builddir)/tests/live/phases_planted'; export PHASES_PLANTED; \
	WATCH_PLANTED='$(abs_top_builddir)/tests/live/watch_planted'; export WATCH_PLANTED; \
	BUILD='$(abs_top_builddir)'; export BUILD; \
	CC='$(CC)'; export CC; \
	LIBRARY_CFLAGS='$(NCURSES_CFLAGS) $(CAPSTONE_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS)'; export LIBRARY_CFLAGS; \
	VALGRIND_CFLAGS='$(VALGRIND_CFLAGS)'; export VALGRIND_CFLAGS; \
	SHARED_DATA='$(abs_top_srcdir)/../shared/data'; export SHARED_DATA;

# Writes the time of each test to test-times in the build folder.
LOG_COMPILER = $(SHELL) $(srcdir)/tests/timed
CLEANFILES += test-times

dist_check_SCRIPTS += tests/test_layers.sh tests/test_words.sh tests/test_headers.sh tests/test_bad_input.sh
TESTS += tests/test_layers.sh tests/test_words.sh tests/test_headers.sh tests/test_bad_input.sh
EXTRA_DIST += tests/check-layers tests/check-words tests/measures tests/run-all tests/same-output tests/timed

# Live tests: the same program under two names, one per source of samples that may work here.
check_PROGRAMS += tests/live/planted tests/live/test_live_clock tests/live/test_live_counter
tests_live_planted_SOURCES = tests/live/planted.c
tests_live_planted_CFLAGS = -O2 -g $(ORDER_CFLAGS)
tests_live_planted_LDFLAGS = -pthread
LIVE_SOURCES = tests/live/test_live.c tests/live/run.c tests/live/run.h
tests_live_test_live_clock_SOURCES = $(LIVE_SOURCES)
tests_live_test_live_clock_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
tests_live_test_live_counter_SOURCES = $(LIVE_SOURCES)
tests_live_test_live_counter_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
TESTS += tests/live/test_live_clock tests/live/test_live_counter

# Compares heap blocks with a program's own log. The program is built without sanitizers, which have their
# own malloc.
check_PROGRAMS += tests/live/churn tests/live/test_heap
tests_live_churn_SOURCES = tests/live/churn.c tests/live/churn.h
tests_live_churn_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_churn_LDFLAGS =
tests_live_test_heap_SOURCES = tests/live/test_heap.c src/launch.c src/terminal.c src/simulation.c
tests_live_test_heap_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit -DPKGLIBDIR='"$(abs_builddir)/src/agent"'
tests_live_test_heap_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) $(CMOCKA_LIBS)
TESTS += tests/live/test_heap

# Shared cache lines, planted in a program without sanitizers; once per source of samples.
check_PROGRAMS += tests/live/sharing_planted tests/live/test_sharing_clock \
	tests/live/test_sharing_counter
tests_live_sharing_planted_SOURCES = tests/live/sharing_planted.c
tests_live_sharing_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_sharing_planted_LDFLAGS = -pthread
SHARING_SOURCES = tests/live/test_sharing.c tests/live/run.c tests/live/run.h
tests_live_test_sharing_clock_SOURCES = $(SHARING_SOURCES)
tests_live_test_sharing_clock_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
tests_live_test_sharing_counter_SOURCES = $(SHARING_SOURCES)
tests_live_test_sharing_counter_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
TESTS += tests/live/test_sharing_clock tests/live/test_sharing_counter

# Problems planted in a program without sanitizers, together with code that only looks like them.
check_PROGRAMS += tests/live/findings_planted tests/live/test_findings
tests_live_findings_planted_SOURCES = tests/live/findings_planted.c tests/live/findings_planted.h \
	tests/live/findings_planted_blocks.c tests/live/findings_planted_layout.c \
	tests/live/findings_planted_order.c tests/live/findings_planted_pages.c \
	tests/live/findings_planted_sim.c tests/live/findings_planted_stack.c \
	tests/live/findings_planted_threads.c
tests_live_findings_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_findings_planted_LDFLAGS = -pthread
FINDINGS_SOURCES = tests/live/findings_programs.c tests/live/findings_programs.h \
	tests/live/findings_watch.c tests/live/findings_watch.h tests/live/run.c tests/live/run.h
tests_live_test_findings_SOURCES = tests/live/test_findings.c $(FINDINGS_SOURCES)
tests_live_test_findings_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm -lpthread
check_PROGRAMS += tests/live/test_findings_sim
tests_live_test_findings_sim_SOURCES = tests/live/test_findings_sim.c $(FINDINGS_SOURCES)
tests_live_test_findings_sim_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm -lpthread
TESTS += tests/live/test_findings tests/live/test_findings_sim

# The simulated cache, on a program without sanitizers. Skipped if valgrind is not installed.
check_PROGRAMS += tests/live/sim_planted tests/live/whatif_planted
tests_live_whatif_planted_SOURCES = tests/live/whatif_planted.c
tests_live_whatif_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_whatif_planted_LDFLAGS =
tests_live_sim_planted_SOURCES = tests/live/sim_planted.c
tests_live_sim_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_sim_planted_LDFLAGS = -pthread
dist_check_SCRIPTS += tests/live/test_sim.sh tests/live/test_whatif.sh
TESTS += tests/live/test_sim.sh tests/live/test_whatif.sh
check_PROGRAMS += tests/live/equake_planted
tests_live_equake_planted_SOURCES = tests/live/equake_planted.c
tests_live_equake_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_equake_planted_LDFLAGS =
dist_check_SCRIPTS += tests/live/test_launch.sh
TESTS += tests/live/test_launch.sh
EXTRA_DIST += tests/launch-matrix tests/agent/matrix_program.c
dist_check_SCRIPTS += tests/live/test_use.sh
TESTS += tests/live/test_use.sh
dist_check_SCRIPTS += tests/live/test_private_files.sh tests/live/test_rights.sh
TESTS += tests/live/test_private_files.sh tests/live/test_rights.sh
check_PROGRAMS += tests/live/thinned_planted
tests_live_thinned_planted_SOURCES = tests/live/thinned_planted.c
tests_live_thinned_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_thinned_planted_LDFLAGS =
dist_check_SCRIPTS += tests/live/test_tables.sh
TESTS += tests/live/test_tables.sh
EXTRA_DIST += tests/bench/redis-launched tests/bench/sim-beside-cachegrind tests/bench/sim-programs tests/bench/tour tests/bench/sim-times \
	tests/bench/sim-use-cost tests/bench/whatif-cost tests/bench/one-row-of-each
# Phases, compared with the log of the watched program.
check_PROGRAMS += tests/live/phases_planted tests/live/test_phases
tests_live_phases_planted_SOURCES = tests/live/phases_planted.c
tests_live_phases_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_phases_planted_LDFLAGS =
tests_live_test_phases_SOURCES = tests/live/test_phases.c tests/live/run.c tests/live/run.h
tests_live_test_phases_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
TESTS += tests/live/test_phases

# Data reused in known patterns, in a program without sanitizers.
check_PROGRAMS += tests/live/watch_planted tests/live/test_watch
tests_live_watch_planted_SOURCES = tests/live/watch_planted.c
tests_live_watch_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_watch_planted_LDFLAGS = -pthread
tests_live_test_watch_SOURCES = tests/live/test_watch.c tests/live/run.c tests/live/run.h
tests_live_test_watch_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
TESTS += tests/live/test_watch

# Fields, end to end. The test builds its programs itself, with the installed compilers.
check_PROGRAMS += tests/live/test_fields
tests_live_test_fields_SOURCES = tests/live/test_fields.c tests/live/test_fields_build.c \
	tests/live/test_fields_build.h tests/live/test_fields_watch.c tests/live/test_fields_watch.h \
	tests/live/run.c tests/live/run.h
tests_live_test_fields_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit \
	-DTYPES_FOLDER='"$(abs_srcdir)/tests/types"'
tests_live_test_fields_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm -lpthread
TESTS += tests/live/test_fields
EXTRA_DIST += tests/types/m_run.h tests/types/m_fields.c tests/types/m_classes.cc \
	tests/types/m_records.rs tests/types/m_derived.f90 tests/types/m_structs.go

# Programs that are expensive to watch, in a terminal of the test's own. The soak test of half an hour is
# tests/bench/soak MISSTOP tests/live/heavy_planted 30.
check_PROGRAMS += tests/live/heavy_planted
tests_live_heavy_planted_SOURCES = tests/live/heavy_planted.c
tests_live_heavy_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_live_heavy_planted_LDFLAGS = -pthread
dist_check_SCRIPTS += tests/live/test_answers.py
TESTS += tests/live/test_answers.py
EXTRA_DIST += tests/screen/terminal.py tests/bench/soak tests/bench/own-cost tests/bench/recording-scale

# Benchmarks, built and run by `make bench` only. Benchmarks of a single stage are in tests/unit/*/local.mk.
BENCHES = tests/bench/bench_attach tests/bench/bench_pipeline tests/bench/bench_unattributed
EXTRA_PROGRAMS += $(BENCHES)
CLEANFILES += $(BENCHES)
tests_bench_bench_attach_SOURCES = tests/bench/bench_attach.c
tests_bench_bench_attach_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) -lutil
tests_bench_bench_pipeline_SOURCES = tests/bench/bench_pipeline.c
tests_bench_bench_pipeline_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)
tests_bench_bench_unattributed_SOURCES = tests/bench/bench_unattributed.c
tests_bench_bench_unattributed_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)
EXTRA_DIST += tests/bench/run-bench tests/bench/diff-alarms
# Shares of unoptimised programs, compared with their own clocks: tests/bench/own-clock/run.
EXTRA_DIST += tests/bench/own-clock/run tests/bench/own-clock/objects.c \
	tests/bench/own-clock/containers.cc tests/bench/own-clock/collections.rs
EXTRA_DIST += tests/bench/programs-in-stages tests/bench/programs_in_stages.py

# Programs with one known problem or none: the findings, and the gain of fixing them. Takes ten minutes.
EXTRA_DIST += tests/judged/run-judged tests/judged/judged.h tests/judged/main.c tests/judged/problems.c tests/judged/sound.c \
	tests/judged/containers.cc tests/judged/unseen.c tests/judged/unseen_cpp.cc
.PHONY: judge-findings
judge-findings: all
	$(srcdir)/tests/judged/run-judged $(abs_top_builddir)/src/misstop

# For run-all, which runs selected tests.
.PHONY: print-tests
print-tests:
	@echo $(TESTS)

.PHONY: bench bench-programs
bench-programs: $(EXTRA_PROGRAMS)
bench: all $(EXTRA_PROGRAMS) tests/replay/load$(EXEEXT)
	$(srcdir)/tests/bench/run-bench $(abs_builddir)

dist_check_SCRIPTS += tests/screen/test_tour.sh tests/screen/test_play.sh
TESTS += tests/screen/test_tour.sh tests/screen/test_play.sh
EXTRA_DIST += tests/screen/tui.sh tests/screen/picture
# One object, one row: a separate program checks the places and renames of a recording.
check_PROGRAMS += tests/live/one_row tests/live/one_row_planted
tests_live_one_row_SOURCES = tests/live/one_row.c
tests_live_one_row_LDADD = src/libstore.a src/libresolve.a src/libbase.a -lm
tests_live_one_row_planted_SOURCES = tests/live/one_row_planted.c
tests_live_one_row_planted_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O1 -g
tests_live_one_row_planted_LDFLAGS =
dist_check_SCRIPTS += tests/live/test_one_row.sh
TESTS += tests/live/test_one_row.sh
# Checks that no statements of a report contradict each other.
dist_check_SCRIPTS += tests/live/test_consistent.sh
TESTS += tests/live/test_consistent.sh
EXTRA_DIST += tests/judged/consistent.py
# Callers, compared with the program's own clocks and perf's stacks. The test builds its program itself.
dist_check_SCRIPTS += tests/live/test_callers.sh
TESTS += tests/live/test_callers.sh
EXTRA_DIST += tests/live/callers_planted.c tests/live/judge_callers.py tests/live/protobuf.py
# Objects of a Java virtual machine, planted and real. The test builds its programs itself.
dist_check_SCRIPTS += tests/live/test_java.sh
TESTS += tests/live/test_java.sh
EXTRA_DIST += tests/live/java_planted.c tests/live/judge_classes.py tests/live/Orders.java
# Blocks of the Go runtime, planted and real. The test builds its programs itself.
dist_check_SCRIPTS += tests/live/test_go.sh
TESTS += tests/live/test_go.sh
EXTRA_DIST += tests/live/go_planted.c tests/live/go_planted.go
# Objects of Python and Node.js programs.
dist_check_SCRIPTS += tests/live/test_classes.sh
TESTS += tests/live/test_classes.sh
EXTRA_DIST += tests/live/classes_planted.py tests/live/classes_planted.js tests/live/classes_planted.php
