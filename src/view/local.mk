noinst_LIBRARIES += src/libview.a
src_libview_a_SOURCES = src/view/widget/chart.c src/view/widget/chart.h src/view/words.c \
	src/view/words.h src/view/display/browser.c src/view/display/browser.h src/view/display/canvas.c \
	src/view/display/canvas.h src/view/screens/code.c src/view/widget/columns.c \
	src/view/widget/columns.h src/view/screens/detail.c src/view/export/diff.h src/view/export/diff.c \
	src/view/screens/findings.c src/view/findings.c src/view/findings.h src/view/display/footer.c \
	src/view/screens/function.c src/view/display/header.c src/view/screens/heap.c src/view/display/help.c \
	src/view/export/html.c src/view/export/files.h src/view/export/html_code.c \
	src/view/export/html_objects.c src/view/export/html_cache.c src/view/export/html_timeline.c \
	src/view/export/writers.h src/view/export/html_writer.c src/view/export/json.c \
	src/view/export/json.h src/view/export/json_cache.c src/view/export/json_code.c \
	src/view/export/json_report.c src/view/export/json_objects.c src/view/display/keys.c \
	src/view/display/keys.h src/view/screens/layout.c src/view/levels.c \
	src/view/levels.h src/view/screens/matrix_table.c src/view/screens/matrix_table.h \
	src/view/screens/matrix.c src/view/screens/causes.c src/view/screens/causes.h \
	src/view/export/text.c src/view/screens/objects.c src/view/screens/picker.c \
	src/view/display/screens.h src/view/export/pprof.c \
	src/view/screens/timeline.c src/view/display/display.c src/view/screens/search.c src/view/screens/cache.c src/view/answer.c \
	src/view/answer.h src/view/screens/quality.c src/view/screens/setup.c src/view/widget/prose.c \
	src/view/screens/sharing.c src/view/screens/rows.h src/view/widget/table.c \
	src/view/widget/table.h src/view/view.h src/view/screens/reuse.c \
	src/view/screens/watch.c src/view/screens/whatif.c

# Generated from our description of the format; the generated files are not distributed.
nodist_src_libview_a_SOURCES = src/view/pprof.pb-c.c src/view/pprof.pb-c.h
BUILT_SOURCES += src/view/pprof.pb-c.h
CLEANFILES += src/view/pprof.pb-c.c src/view/pprof.pb-c.h
EXTRA_DIST += src/view/pprof.proto
src/view/export/pprof.$(OBJEXT): src/view/pprof.pb-c.h
src/view/pprof.pb-c.h: src/view/pprof.pb-c.c
src/view/pprof.pb-c.c: src/view/pprof.proto
	@$(MKDIR_P) src/view
	$(AM_V_GEN)$(PROTOC_C) --proto_path=$(srcdir)/src --c_out=src $(srcdir)/src/view/pprof.proto
