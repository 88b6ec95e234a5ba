# unit tests of src/profile: see tests/unit/base.mk for the pattern
PROFILE_FIXTURE = tests/unit/profile_fixture.c tests/unit/profile_fixture.h
UNIT_PROFILE = \
	tests/unit/test_window \
	tests/unit/test_pairs \
	tests/unit/test_decay \
	tests/unit/test_sets \
	tests/unit/test_stride \
	tests/unit/test_geometry \
	tests/unit/test_profile \
	tests/unit/test_search \
	tests/unit/test_comiss \
	tests/unit/test_interval \
	tests/unit/test_levels \
	tests/unit/test_phases \
	tests/unit/test_phases_noise \
	tests/unit/test_rates \
	tests/unit/test_streams \
	tests/unit/test_volatility
check_PROGRAMS += $(UNIT_PROFILE)
TESTS += $(UNIT_PROFILE)
tests_unit_test_window_SOURCES = tests/unit/test_window.c
tests_unit_test_window_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_pairs_SOURCES = tests/unit/test_pairs.c
tests_unit_test_pairs_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_decay_SOURCES = tests/unit/test_decay.c
tests_unit_test_decay_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_sets_SOURCES = tests/unit/test_sets.c
tests_unit_test_sets_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_stride_SOURCES = tests/unit/test_stride.c
tests_unit_test_stride_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_geometry_SOURCES = tests/unit/test_geometry.c
tests_unit_test_geometry_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_profile_SOURCES = tests/unit/test_profile.c $(PROFILE_FIXTURE)
tests_unit_test_profile_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
PLANTED_OBJECTS = tests/unit/planted.c tests/unit/planted.h
tests_unit_test_search_SOURCES = tests/unit/test_search.c $(PLANTED_OBJECTS)
tests_unit_test_search_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
EXTRA_PROGRAMS += tests/bench/bench_profile
tests_bench_bench_profile_SOURCES = tests/bench/bench_profile.c
tests_bench_bench_profile_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) -lm
EXTRA_PROGRAMS += tests/bench/bench_findings
tests_bench_bench_findings_SOURCES = tests/bench/bench_findings.c
tests_bench_bench_findings_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) -lm
tests_unit_test_comiss_SOURCES = tests/unit/test_comiss.c
tests_unit_test_comiss_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_interval_SOURCES = tests/unit/test_interval.c
tests_unit_test_interval_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_levels_SOURCES = tests/unit/test_levels.c
tests_unit_test_levels_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_rates_SOURCES = tests/unit/test_rates.c
tests_unit_test_rates_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_streams_SOURCES = tests/unit/test_streams.c
tests_unit_test_streams_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_volatility_SOURCES = tests/unit/test_volatility.c
tests_unit_test_volatility_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
PHASES_FIXTURE = tests/unit/phases_fixture.c tests/unit/phases_fixture.h
tests_unit_test_phases_SOURCES = tests/unit/test_phases.c $(PHASES_FIXTURE)
tests_unit_test_phases_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_phases_noise_SOURCES = tests/unit/test_phases_noise.c $(PHASES_FIXTURE)
tests_unit_test_phases_noise_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_sharing
TESTS += tests/unit/test_sharing
tests_unit_test_sharing_SOURCES = tests/unit/test_sharing.c
tests_unit_test_sharing_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_timeline
TESTS += tests/unit/test_timeline
tests_unit_test_timeline_SOURCES = tests/unit/test_timeline.c
tests_unit_test_timeline_LDADD = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_timeline_long
TESTS += tests/unit/test_timeline_long
tests_unit_test_timeline_long_SOURCES = tests/unit/test_timeline_long.c
tests_unit_test_timeline_long_LDADD = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_timeline_kinds
TESTS += tests/unit/test_timeline_kinds
tests_unit_test_timeline_kinds_SOURCES = tests/unit/test_timeline_kinds.c
tests_unit_test_timeline_kinds_LDADD = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_measures
TESTS += tests/unit/test_measures
tests_unit_test_measures_SOURCES = tests/unit/test_measures.c
tests_unit_test_measures_LDADD = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_matrix
TESTS += tests/unit/test_matrix
tests_unit_test_matrix_SOURCES = tests/unit/test_matrix.c $(PROFILE_FIXTURE)
tests_unit_test_matrix_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/bench/blocked_multiply
tests_bench_blocked_multiply_SOURCES = tests/bench/blocked_multiply.c
tests_bench_blocked_multiply_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g
tests_bench_blocked_multiply_LDFLAGS =
check_PROGRAMS += tests/unit/test_findings
TESTS += tests/unit/test_findings
tests_unit_test_findings_SOURCES = tests/unit/test_findings.c
tests_unit_test_findings_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_search_phases tests/unit/test_search_kept
TESTS += tests/unit/test_search_phases tests/unit/test_search_kept
tests_unit_test_search_phases_SOURCES = tests/unit/test_search_phases.c $(PLANTED_OBJECTS)
tests_unit_test_search_phases_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_search_kept_SOURCES = tests/unit/test_search_kept.c $(PLANTED_OBJECTS)
tests_unit_test_search_kept_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_findings_held
TESTS += tests/unit/test_findings_held
tests_unit_test_findings_held_SOURCES = tests/unit/test_findings_held.c
tests_unit_test_findings_held_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_findings_blocks
TESTS += tests/unit/test_findings_blocks
tests_unit_test_findings_blocks_SOURCES = tests/unit/test_findings_blocks.c tests/unit/rules_fixture.c tests/unit/rules_fixture.h
tests_unit_test_findings_blocks_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_twins
TESTS += tests/unit/test_twins
tests_unit_test_twins_SOURCES = tests/unit/test_twins.c
tests_unit_test_twins_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_findings_spin
TESTS += tests/unit/test_findings_spin
tests_unit_test_findings_spin_SOURCES = tests/unit/test_findings_spin.c tests/unit/rules_fixture.c tests/unit/rules_fixture.h
tests_unit_test_findings_spin_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_findings_causes
TESTS += tests/unit/test_findings_causes
tests_unit_test_findings_causes_SOURCES = tests/unit/test_findings_causes.c tests/unit/rules_fixture.c tests/unit/rules_fixture.h
tests_unit_test_findings_causes_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_findings_pages
TESTS += tests/unit/test_findings_pages
tests_unit_test_findings_pages_SOURCES = tests/unit/test_findings_pages.c tests/unit/rules_fixture.c tests/unit/rules_fixture.h
tests_unit_test_findings_pages_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_cells
TESTS += tests/unit/test_cells
tests_unit_test_cells_SOURCES = tests/unit/test_cells.c $(PROFILE_FIXTURE)
tests_unit_test_cells_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_unplaced
TESTS += tests/unit/test_unplaced
tests_unit_test_unplaced_SOURCES = tests/unit/test_unplaced.c $(PROFILE_FIXTURE)
tests_unit_test_unplaced_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_search_before
TESTS += tests/unit/test_search_before
tests_unit_test_search_before_SOURCES = tests/unit/test_search_before.c $(PLANTED_OBJECTS)
tests_unit_test_search_before_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_listed
TESTS += tests/unit/test_listed
tests_unit_test_listed_SOURCES = tests/unit/test_listed.c $(PROFILE_FIXTURE)
tests_unit_test_listed_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_thread_list
TESTS += tests/unit/test_thread_list
tests_unit_test_thread_list_SOURCES = tests/unit/test_thread_list.c
tests_unit_test_thread_list_LDADD = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lm
