# unit tests of watchpoints (--watch), of all stages: see tests/unit/base.mk for the pattern
UNIT_WATCH = \
	tests/unit/test_reuse \
	tests/unit/test_survival \
	tests/unit/test_watch_lines \
	tests/unit/test_watch_page \
	tests/unit/test_watch_registers \
	tests/unit/test_watch_snapshot
check_PROGRAMS += $(UNIT_WATCH)
TESTS += $(UNIT_WATCH)
tests_unit_test_reuse_SOURCES = tests/unit/test_reuse.c
tests_unit_test_reuse_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_survival_SOURCES = tests/unit/test_survival.c
tests_unit_test_survival_LDADD = src/libprofile.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_watch_lines_SOURCES = tests/unit/test_watch_lines.c
tests_unit_test_watch_lines_LDADD = $(SAMPLE_LIBS)
tests_unit_test_watch_registers_SOURCES = tests/unit/test_watch_registers.c $(FAKE_KERNEL)
tests_unit_test_watch_registers_LDADD = $(SAMPLE_LIBS)
tests_unit_test_watch_page_SOURCES = tests/unit/test_watch_page.c tests/unit/watch_fixture.c \
	tests/unit/watch_fixture.h $(PAGE_FIXTURE)
tests_unit_test_watch_page_LDADD = $(VIEW_LIBS)
tests_unit_test_watch_snapshot_SOURCES = tests/unit/test_watch_snapshot.c
tests_unit_test_watch_snapshot_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
# Figures beside the simulator: see the script.
EXTRA_DIST += tests/bench/watch-beside-sim tests/bench/watch_beside_sim.py tests/bench/reuse_planted.c
