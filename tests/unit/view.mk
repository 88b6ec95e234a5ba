# unit tests of src/view: see tests/unit/base.mk for the pattern
VIEW_FIXTURE = tests/unit/snapshot_fixture.c tests/unit/snapshot_fixture.h \
	tests/unit/typed_fixture.c tests/unit/typed_fixture.h \
	tests/unit/levels_fixture.c tests/unit/levels_fixture.h \
	tests/unit/matrix_fixture.c tests/unit/matrix_fixture.h \
	tests/unit/rates_fixture.c tests/unit/rates_fixture.h \
	tests/unit/sharing_fixture.c tests/unit/sharing_fixture.h \
	tests/unit/finding_fixture.c tests/unit/finding_fixture.h
JSON_FIXTURE = tests/unit/json_fixture.c tests/unit/json_fixture.h
PAGE_FIXTURE = tests/unit/page_fixture.c tests/unit/page_fixture.h $(VIEW_FIXTURE)
# Names of kinds and reasons stand in the stages left of view.
VIEW_LIBS = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libsample.a \
	src/libbase.a $(CMOCKA_LIBS) $(OUTSIDE_LIBS)

UNIT_VIEW = \
	tests/unit/test_bar \
	tests/unit/test_batch \
	tests/unit/test_binary_words \
	tests/unit/test_browser \
	tests/unit/test_browser_replay \
	tests/unit/test_canvas \
	tests/unit/test_findings_page \
	tests/unit/test_columns \
	tests/unit/test_glyph \
	tests/unit/test_json \
	tests/unit/test_keys \
	tests/unit/test_levels_view \
	tests/unit/test_rates_view \
	tests/unit/test_layout_rows \
	tests/unit/test_measured_words \
	tests/unit/test_pages \
	tests/unit/test_paint \
	tests/unit/test_simulation_words \
	tests/unit/test_source_rows \
	tests/unit/test_table \
	tests/unit/test_tabs \
	tests/unit/test_unknown_page
check_PROGRAMS += $(UNIT_VIEW)
TESTS += $(UNIT_VIEW)
tests_unit_test_simulation_words_SOURCES = tests/unit/test_simulation_words.c
tests_unit_test_simulation_words_LDADD = $(VIEW_LIBS)
tests_unit_test_bar_SOURCES = tests/unit/test_bar.c
tests_unit_test_bar_LDADD = $(VIEW_LIBS)
tests_unit_test_batch_SOURCES = tests/unit/test_batch.c $(VIEW_FIXTURE)
tests_unit_test_batch_LDADD = $(VIEW_LIBS)
tests_unit_test_binary_words_SOURCES = tests/unit/test_binary_words.c $(VIEW_FIXTURE)
tests_unit_test_binary_words_LDADD = $(VIEW_LIBS)
tests_unit_test_browser_SOURCES = tests/unit/test_browser.c $(VIEW_FIXTURE)
tests_unit_test_browser_LDADD = $(VIEW_LIBS)
tests_unit_test_browser_replay_SOURCES = tests/unit/test_browser_replay.c $(VIEW_FIXTURE)
tests_unit_test_browser_replay_LDADD = $(VIEW_LIBS)
tests_unit_test_findings_page_SOURCES = tests/unit/test_findings_page.c $(PAGE_FIXTURE)
tests_unit_test_findings_page_LDADD = $(VIEW_LIBS)
tests_unit_test_canvas_SOURCES = tests/unit/test_canvas.c
tests_unit_test_canvas_LDADD = $(VIEW_LIBS)
tests_unit_test_columns_SOURCES = tests/unit/test_columns.c $(VIEW_FIXTURE)
tests_unit_test_columns_LDADD = $(VIEW_LIBS)
tests_unit_test_glyph_SOURCES = tests/unit/test_glyph.c
tests_unit_test_glyph_LDADD = $(VIEW_LIBS)
tests_unit_test_json_SOURCES = tests/unit/test_json.c $(JSON_FIXTURE) $(VIEW_FIXTURE)
tests_unit_test_json_LDADD = $(VIEW_LIBS)
tests_unit_test_keys_SOURCES = tests/unit/test_keys.c
tests_unit_test_keys_LDADD = $(VIEW_LIBS)
tests_unit_test_rates_view_SOURCES = tests/unit/test_rates_view.c $(JSON_FIXTURE) $(VIEW_FIXTURE)
tests_unit_test_rates_view_LDADD = $(VIEW_LIBS)
tests_unit_test_levels_view_SOURCES = tests/unit/test_levels_view.c $(JSON_FIXTURE) $(PAGE_FIXTURE)
tests_unit_test_levels_view_LDADD = $(VIEW_LIBS)
tests_unit_test_layout_rows_SOURCES = tests/unit/test_layout_rows.c $(VIEW_FIXTURE)
tests_unit_test_layout_rows_LDADD = $(VIEW_LIBS)
tests_unit_test_source_rows_SOURCES = tests/unit/test_source_rows.c $(VIEW_FIXTURE)
tests_unit_test_source_rows_LDADD = $(VIEW_LIBS)
tests_unit_test_pages_SOURCES = tests/unit/test_pages.c $(PAGE_FIXTURE)
tests_unit_test_pages_LDADD = $(VIEW_LIBS)
tests_unit_test_paint_SOURCES = tests/unit/test_paint.c
tests_unit_test_paint_LDADD = $(VIEW_LIBS)
tests_unit_test_table_SOURCES = tests/unit/test_table.c $(VIEW_FIXTURE)
tests_unit_test_table_LDADD = $(VIEW_LIBS)
tests_unit_test_tabs_SOURCES = tests/unit/test_tabs.c $(PAGE_FIXTURE)
tests_unit_test_tabs_LDADD = $(VIEW_LIBS)
tests_unit_test_unknown_page_SOURCES = tests/unit/test_unknown_page.c $(PAGE_FIXTURE)
tests_unit_test_unknown_page_LDADD = $(VIEW_LIBS)

# The screen on made-up snapshots, and its test in tmux.
check_PROGRAMS += tests/screen/show_fixture
tests_screen_show_fixture_SOURCES = tests/screen/show_fixture.c $(VIEW_FIXTURE)
tests_screen_show_fixture_LDADD = $(VIEW_LIBS)
dist_check_SCRIPTS += tests/screen/test_screen.sh
TESTS += tests/screen/test_screen.sh
check_PROGRAMS += tests/unit/test_matrix_view
TESTS += tests/unit/test_matrix_view
tests_unit_test_matrix_view_SOURCES = tests/unit/test_matrix_view.c $(VIEW_FIXTURE)
tests_unit_test_matrix_view_LDADD = $(VIEW_LIBS)

check_PROGRAMS += tests/unit/test_ways
TESTS += tests/unit/test_ways
tests_unit_test_ways_SOURCES = tests/unit/test_ways.c $(PAGE_FIXTURE)
tests_unit_test_ways_LDADD = $(VIEW_LIBS)
tests_unit_test_measured_words_SOURCES = tests/unit/test_measured_words.c $(PAGE_FIXTURE)
tests_unit_test_measured_words_LDADD = $(VIEW_LIBS)
