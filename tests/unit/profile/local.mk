# Unit tests of src/profile: one program per concept, linked with all stages.
UNIT_PROFILE = tests/unit/profile/test_window tests/unit/profile/test_waits tests/unit/profile/test_sets \
	tests/unit/profile/test_statistics tests/unit/profile/test_search tests/unit/profile/test_phases \
	tests/unit/profile/test_timeline tests/unit/profile/test_measures tests/unit/profile/test_streams \
	tests/unit/profile/test_rates tests/unit/profile/test_levels tests/unit/profile/test_profile \
	tests/unit/profile/test_matrix tests/unit/profile/test_sharing \
	tests/unit/profile/test_thread_list tests/unit/profile/test_findings \
	tests/unit/profile/test_findings_blocks tests/unit/profile/test_findings_causes \
	tests/unit/profile/test_findings_pages tests/unit/profile/test_findings_spin \
	tests/unit/profile/test_renames tests/unit/profile/test_reuse \
	tests/unit/profile/test_watch_snapshot tests/unit/profile/test_causes tests/unit/profile/test_use \
	tests/unit/profile/test_whatif_plan
check_PROGRAMS += $(UNIT_PROFILE)
TESTS += $(UNIT_PROFILE)
tests_unit_profile_test_waits_SOURCES = tests/unit/profile/test_waits.c
tests_unit_profile_test_waits_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_window_SOURCES = tests/unit/profile/test_window.c
tests_unit_profile_test_window_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_sets_SOURCES = tests/unit/profile/test_sets.c
tests_unit_profile_test_sets_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_statistics_SOURCES = tests/unit/profile/test_statistics.c
tests_unit_profile_test_statistics_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_search_SOURCES = tests/unit/profile/test_search.c \
	tests/unit/profile/planted.c tests/unit/profile/planted.h
tests_unit_profile_test_search_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_phases_SOURCES = tests/unit/profile/test_phases.c \
	tests/unit/profile/phases_fixture.c tests/unit/profile/phases_fixture.h
tests_unit_profile_test_phases_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_timeline_SOURCES = tests/unit/profile/test_timeline.c
tests_unit_profile_test_timeline_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_measures_SOURCES = tests/unit/profile/test_measures.c
tests_unit_profile_test_measures_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_streams_SOURCES = tests/unit/profile/test_streams.c
tests_unit_profile_test_streams_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_rates_SOURCES = tests/unit/profile/test_rates.c
tests_unit_profile_test_rates_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_levels_SOURCES = tests/unit/profile/test_levels.c
tests_unit_profile_test_levels_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_profile_SOURCES = tests/unit/profile/test_profile.c \
	tests/unit/profile/profile_fixture.c tests/unit/profile/profile_fixture.h
tests_unit_profile_test_profile_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_matrix_SOURCES = tests/unit/profile/test_matrix.c \
	tests/unit/profile/profile_fixture.c tests/unit/profile/profile_fixture.h
tests_unit_profile_test_matrix_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_sharing_SOURCES = tests/unit/profile/test_sharing.c
tests_unit_profile_test_sharing_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_thread_list_SOURCES = tests/unit/profile/test_thread_list.c
tests_unit_profile_test_thread_list_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_findings_SOURCES = tests/unit/profile/test_findings.c
tests_unit_profile_test_findings_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_findings_blocks_SOURCES = tests/unit/profile/test_findings_blocks.c \
	tests/unit/profile/rules_fixture.c tests/unit/profile/rules_fixture.h
tests_unit_profile_test_findings_blocks_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_findings_causes_SOURCES = tests/unit/profile/test_findings_causes.c \
	tests/unit/profile/rules_fixture.c tests/unit/profile/rules_fixture.h
tests_unit_profile_test_findings_causes_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_findings_pages_SOURCES = tests/unit/profile/test_findings_pages.c \
	tests/unit/profile/rules_fixture.c tests/unit/profile/rules_fixture.h
tests_unit_profile_test_findings_pages_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_findings_spin_SOURCES = tests/unit/profile/test_findings_spin.c \
	tests/unit/profile/rules_fixture.c tests/unit/profile/rules_fixture.h
tests_unit_profile_test_findings_spin_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_renames_SOURCES = tests/unit/profile/test_renames.c \
	tests/unit/resolve/small_types.c tests/unit/resolve/small_types.h
tests_unit_profile_test_renames_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_reuse_SOURCES = tests/unit/profile/test_reuse.c
tests_unit_profile_test_reuse_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_watch_snapshot_SOURCES = tests/unit/profile/test_watch_snapshot.c
tests_unit_profile_test_watch_snapshot_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_causes_SOURCES = tests/unit/profile/test_causes.c
tests_unit_profile_test_causes_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_use_SOURCES = tests/unit/profile/test_use.c
tests_unit_profile_test_use_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_whatif_plan_SOURCES = tests/unit/profile/test_whatif_plan.c
tests_unit_profile_test_whatif_plan_LDADD = $(UNIT_LIBS)

PLANTED_OBJECTS = tests/unit/profile/planted.c tests/unit/profile/planted.h
EXTRA_PROGRAMS += tests/bench/bench_profile
tests_bench_bench_profile_SOURCES = tests/bench/bench_profile.c
tests_bench_bench_profile_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) -lm
EXTRA_PROGRAMS += tests/bench/bench_findings
tests_bench_bench_findings_SOURCES = tests/bench/bench_findings.c
tests_bench_bench_findings_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) -lm
check_PROGRAMS += tests/bench/blocked_multiply
tests_bench_blocked_multiply_SOURCES = tests/bench/blocked_multiply.c
tests_bench_blocked_multiply_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_bench_blocked_multiply_LDFLAGS =


# Compares figures with the simulator: see the script.
EXTRA_DIST += tests/bench/watch-beside-sim tests/bench/watch_beside_sim.py \
	tests/bench/reuse_planted.c
