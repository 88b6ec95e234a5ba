# Unit tests of src/view: one program per concept, linked with all stages.
UNIT_VIEW = tests/unit/view/test_browser tests/unit/view/test_canvas tests/unit/view/test_table \
	tests/unit/view/test_screens tests/unit/view/test_causes_screen tests/unit/view/test_watch_screen \
	tests/unit/view/test_answer tests/unit/view/test_words tests/unit/view/test_levels_view tests/unit/view/test_rows \
	tests/unit/view/test_matrix_view tests/unit/view/test_batch tests/unit/view/test_json \
	tests/unit/view/test_html tests/unit/view/test_pprof tests/unit/view/test_diff
check_PROGRAMS += $(UNIT_VIEW)
TESTS += $(UNIT_VIEW)
VIEW_FIXTURE = tests/unit/view/snapshot_fixture.c tests/unit/view/snapshot_fixture.h
VIEW_SCREENS = $(VIEW_FIXTURE) tests/unit/view/screen_fixture.c tests/unit/view/screen_fixture.h
tests_unit_view_test_browser_SOURCES = tests/unit/view/test_browser.c $(VIEW_SCREENS)
tests_unit_view_test_browser_LDADD = $(UNIT_LIBS)
tests_unit_view_test_canvas_SOURCES = tests/unit/view/test_canvas.c
tests_unit_view_test_canvas_LDADD = $(UNIT_LIBS)
tests_unit_view_test_table_SOURCES = tests/unit/view/test_table.c $(VIEW_FIXTURE)
tests_unit_view_test_table_LDADD = $(UNIT_LIBS)
tests_unit_view_test_screens_SOURCES = tests/unit/view/test_screens.c $(VIEW_SCREENS)
tests_unit_view_test_screens_LDADD = $(UNIT_LIBS)
tests_unit_view_test_causes_screen_SOURCES = tests/unit/view/test_causes_screen.c $(VIEW_SCREENS)
tests_unit_view_test_causes_screen_LDADD = $(UNIT_LIBS)
tests_unit_view_test_watch_screen_SOURCES = tests/unit/view/test_watch_screen.c \
	tests/unit/view/watch_fixture.c tests/unit/view/watch_fixture.h $(VIEW_SCREENS)
tests_unit_view_test_watch_screen_LDADD = $(UNIT_LIBS)
tests_unit_view_test_answer_SOURCES = tests/unit/view/test_answer.c $(VIEW_SCREENS)
tests_unit_view_test_answer_LDADD = $(UNIT_LIBS)
tests_unit_view_test_words_SOURCES = tests/unit/view/test_words.c $(VIEW_SCREENS)
tests_unit_view_test_words_LDADD = $(UNIT_LIBS)
tests_unit_view_test_levels_view_SOURCES = tests/unit/view/test_levels_view.c \
	tests/unit/view/json_fixture.c tests/unit/view/json_fixture.h $(VIEW_SCREENS)
tests_unit_view_test_levels_view_LDADD = $(UNIT_LIBS)
tests_unit_view_test_rows_SOURCES = tests/unit/view/test_rows.c $(VIEW_FIXTURE)
tests_unit_view_test_rows_LDADD = $(UNIT_LIBS)
tests_unit_view_test_matrix_view_SOURCES = tests/unit/view/test_matrix_view.c $(VIEW_SCREENS)
tests_unit_view_test_matrix_view_LDADD = $(UNIT_LIBS)
tests_unit_view_test_batch_SOURCES = tests/unit/view/test_batch.c $(VIEW_FIXTURE)
tests_unit_view_test_batch_LDADD = $(UNIT_LIBS)
tests_unit_view_test_json_SOURCES = tests/unit/view/test_json.c \
	tests/unit/view/json_fixture.c tests/unit/view/json_fixture.h $(VIEW_FIXTURE)
tests_unit_view_test_json_LDADD = $(UNIT_LIBS)
tests_unit_view_test_html_SOURCES = tests/unit/view/test_html.c $(VIEW_FIXTURE)
tests_unit_view_test_html_LDADD = $(UNIT_LIBS)
tests_unit_view_test_pprof_SOURCES = tests/unit/view/test_pprof.c
tests_unit_view_test_pprof_LDADD = $(UNIT_LIBS)
tests_unit_view_test_diff_SOURCES = tests/unit/view/test_diff.c $(VIEW_FIXTURE)
tests_unit_view_test_diff_LDADD = $(UNIT_LIBS)

tests/unit/view/test_pprof.$(OBJEXT): src/view/pprof.pb-c.h

dist_check_SCRIPTS += tests/replay/test_diff.sh
TESTS += tests/replay/test_diff.sh

# The page of --html.

dist_check_SCRIPTS += tests/screen/test_html.sh
TESTS += tests/screen/test_html.sh
EXTRA_DIST += tests/screen/check-page

# Names of kinds and reasons are defined in the stages below view.
VIEW_LIBS = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libsample.a \
	src/libbase.a $(CMOCKA_LIBS) $(OUTSIDE_LIBS)

# The screen with synthetic snapshots, and its test in tmux.
check_PROGRAMS += tests/screen/show_fixture
tests_screen_show_fixture_SOURCES = tests/screen/show_fixture.c $(VIEW_FIXTURE)
tests_screen_show_fixture_LDADD = $(VIEW_LIBS)
dist_check_SCRIPTS += tests/screen/test_screen.sh
TESTS += tests/screen/test_screen.sh
