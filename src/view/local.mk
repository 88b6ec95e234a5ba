noinst_LIBRARIES += src/libview.a
src_libview_a_SOURCES = \
	src/view/bar.c src/view/bar.h \
	src/view/binary_words.c src/view/binary_words.h \
	src/view/browser.c src/view/browser.h \
	src/view/browser_act.c src/view/browser_request.c \
	src/view/browser_state.h src/view/browser_tables.c \
	src/view/canvas.c src/view/canvas.h \
	src/view/code_columns.c \
	src/view/code_page.c \
	src/view/columns.c src/view/columns.h \
	src/view/detail_head.c \
	src/view/detail_page.c \
	src/view/diff.h \
	src/view/diff_columns.c src/view/diff_columns.h \
	src/view/diff_compare.c \
	src/view/diff_match.c \
	src/view/diff_text.c \
	src/view/diff_totals.c \
	src/view/field_columns.c \
	src/view/field_words.c src/view/field_words.h \
	src/view/finding_columns.c \
	src/view/findings_page.c \
	src/view/footer.c \
	src/view/function_gather.c \
	src/view/function_page.c \
	src/view/glyph.c src/view/glyph.h \
	src/view/header.c src/view/header_totals.c \
	src/view/heap_columns.c \
	src/view/heap_page.c \
	src/view/help_page.c \
	src/view/help_screens.c src/view/help_screens.h \
	src/view/help_text.c \
	src/view/help_writer.c src/view/help_writer.h \
	src/view/html.c src/view/html.h \
	src/view/html_code.c \
	src/view/html_findings.c \
	src/view/html_head.c \
	src/view/html_heap.c \
	src/view/html_matrix.c \
	src/view/html_search.c \
	src/view/html_short.c \
	src/view/html_volatility.c \
	src/view/html_layout.c \
	src/view/html_objects.c \
	src/view/html_part.h \
	src/view/html_sets.c \
	src/view/html_causes.c src/view/html_sharing.c \
	src/view/html_style.c \
	src/view/html_table.c src/view/html_table.h \
	src/view/html_timeline_chart.c src/view/html_timeline_chart.h \
	src/view/html_timeline.c \
	src/view/html_trust.c \
	src/view/html_writer.c src/view/html_writer.h \
	src/view/json.c src/view/json_part.h \
	src/view/json_cache.c \
	src/view/json_code.c \
	src/view/json_diff.c \
	src/view/json_findings.c \
	src/view/json_heap.c \
	src/view/json_layout.c \
	src/view/json_levels.c \
	src/view/json_object.c \
	src/view/json_rates.c src/view/json_use.c \
	src/view/json_recording.c \
	src/view/json_phases.c \
	src/view/json_sharing.c \
	src/view/json_report.c src/view/json_report_part.h \
	src/view/json_report_rows.c \
	src/view/json_threads.c \
	src/view/json_value.c \
	src/view/json_watch.c \
	src/view/json_watchpoints.c \
	src/view/keys.c src/view/keys.h \
	src/view/layout_columns.c \
	src/view/layout_head.c \
	src/view/layout_page.c \
	src/view/layout_rows.c src/view/layout_rows.h \
	src/view/levels_columns.c \
	src/view/levels_rows.c src/view/levels_rows.h \
	src/view/levels_sum.c src/view/levels_sum.h \
	src/view/levels_words.c src/view/levels_words.h \
	src/view/json_matrix.c \
	src/view/matrix_cell.c src/view/matrix_cell.h \
	src/view/matrix_grid.c src/view/matrix_grid.h src/view/matrix_grid_move.c \
	src/view/evictions_page.c src/view/evictions_table.c src/view/evictions_table.h \
	src/view/matrix_heading.c src/view/matrix_heading.h \
	src/view/matrix_names.c \
	src/view/matrix_page.c \
	src/view/matrix_rates.c src/view/matrix_rates.h \
	src/view/matrix_rules.c \
	src/view/matrix_table.c src/view/matrix_table.h \
	src/view/matrix_text.c \
	src/view/matrix_words.c src/view/matrix_words.h \
	src/view/member_code.c \
	src/view/object_columns.c \
	src/view/objects_page.c \
	src/view/objects_words.c src/view/objects_words.h \
	src/view/page.h \
	src/view/paint.c src/view/paint.h \
	src/view/pane.c \
	src/view/pen.c src/view/pen.h \
	src/view/picker_page.c \
	src/view/picture.h \
	src/view/play_act.c \
	src/view/play_line.c \
	src/view/pprof.c src/view/pprof.h \
	src/view/pprof_file.c src/view/pprof_file.h \
	src/view/pprof_tables.c src/view/pprof_tables.h \
	src/view/prompt.c \
	src/view/rates_words.c src/view/rates_words.h src/view/use_words.c src/view/use_words.h \
	src/view/report.h \
	src/view/report_file.c src/view/report_file.h \
	src/view/phase_columns.c \
	src/view/screen.c src/view/screen_part.h \
	src/view/screen_colors.c src/view/screen_keys.c src/view/screen_restore.c \
	src/view/search_columns.c \
	src/view/search_page.c \
	src/view/sets_map.c src/view/sets_map.h \
	src/view/sets_page.c \
	src/view/json_simulation.c \
	src/view/html_simulation.c src/view/simulation_columns.c \
	src/view/simulation_words.c src/view/simulation_words.h \
	src/view/sharing_cells.h \
	src/view/sharing_columns.c \
	src/view/sharing_line_columns.c \
	src/view/sharing_page.c \
	src/view/sharing_picture.c src/view/sharing_picture.h \
	src/view/source_columns.c \
	src/view/source_rows.c src/view/source_rows.h \
	src/view/stretch_line.c \
	src/view/stretch_words.c src/view/stretch_words.h \
	src/view/tabs.c \
	src/view/table.c src/view/table.h \
	src/view/table_draw.c \
	src/view/text.c \
	src/view/text_head.c \
	src/view/text_writer.c src/view/text_writer.h \
	src/view/measure_words.c src/view/measure_words.h \
	src/view/thread_columns.c \
	src/view/timeline_chart.c src/view/timeline_chart.h \
	src/view/timeline_cursor.c \
	src/view/timeline_stack.c src/view/timeline_stack.h \
	src/view/timeline_volatility.c src/view/timeline_volatility.h \
	src/view/timeline_page.c \
	src/view/value.c \
	src/view/view.h \
	src/view/causes_advice.c src/view/causes_columns.c src/view/causes_page.c \
	src/view/causes_text.c \
	src/view/causes_words.c src/view/causes_words.h \
	src/view/json_causes.c \
	src/view/html_whatif.c \
	src/view/json_reuse.c src/view/html_reuse.c \
	src/view/reuse_columns.c src/view/reuse_page.c src/view/reuse_text.c \
	src/view/reuse_curve.c src/view/reuse_curve.h \
	src/view/partners_words.c src/view/partners_words.h \
	src/view/reuse_words.c src/view/reuse_words.h \
	src/view/html_watch.c src/view/watch_columns.c src/view/watch_page.c \
	src/view/json_whatif.c \
	src/view/whatif_page.c \
	src/view/whatif_choices.c src/view/whatif_choices.h \
	src/view/whatif_columns.c \
	src/view/whatif_text.c \
	src/view/whatif_words.c src/view/whatif_words.h \
	src/view/watch_text.c \
	src/view/watch_words.c src/view/watch_words.h \
	src/view/whole_file.c src/view/whole_file.h \
	src/view/window_columns.c \
	src/view/window_page.c

# Made from our description of the format; the compiler's own file is no source of ours.
nodist_src_libview_a_SOURCES = src/view/pprof.pb-c.c src/view/pprof.pb-c.h
BUILT_SOURCES += src/view/pprof.pb-c.h
CLEANFILES += src/view/pprof.pb-c.c src/view/pprof.pb-c.h
EXTRA_DIST += src/view/pprof.proto
src/view/pprof.$(OBJEXT) src/view/pprof_tables.$(OBJEXT): src/view/pprof.pb-c.h
src/view/pprof.pb-c.h: src/view/pprof.pb-c.c
src/view/pprof.pb-c.c: src/view/pprof.proto
	@$(MKDIR_P) src/view
	$(AM_V_GEN)$(PROTOC_C) --proto_path=$(srcdir)/src --c_out=src $(srcdir)/src/view/pprof.proto
