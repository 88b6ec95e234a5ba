noinst_LIBRARIES += src/libview.a
src_libview_a_SOURCES = src/view/widget/chart.c src/view/widget/chart.h src/view/words.c \
	src/view/words.h src/view/screen/browser.c src/view/screen/browser.h src/view/screen/canvas.c \
	src/view/screen/canvas.h src/view/pages/code.c src/view/widget/columns.c \
	src/view/widget/columns.h src/view/pages/detail.c src/view/export/diff.h src/view/export/diff.c \
	src/view/pages/findings.c src/view/findings.c src/view/findings.h src/view/screen/footer.c \
	src/view/pages/function.c src/view/screen/header.c src/view/pages/heap.c src/view/screen/help.c \
	src/view/export/html.c src/view/export/files.h src/view/export/html_code.c \
	src/view/export/html_objects.c src/view/export/html_cache.c src/view/export/html_timeline.c \
	src/view/export/writers.h src/view/export/html_writer.c src/view/export/json.c \
	src/view/export/json.h src/view/export/json_cache.c src/view/export/json_code.c \
	src/view/export/json_report.c src/view/export/json_objects.c src/view/screen/keys.c \
	src/view/screen/keys.h src/view/pages/layout.c src/view/levels.c \
	src/view/levels.h src/view/pages/matrix_table.c src/view/pages/matrix_table.h \
	src/view/pages/matrix.c src/view/pages/causes.c src/view/pages/causes.h \
	src/view/export/text.c src/view/pages/objects.c src/view/pages/picker.c \
	src/view/screen/pages.h src/view/export/pprof.c \
	src/view/pages/timeline.c src/view/screen/screen.c src/view/pages/search.c src/view/pages/cache.c src/view/answer.c \
	src/view/answer.h src/view/pages/quality.c src/view/pages/setup.c src/view/widget/prose.c \
	src/view/pages/sharing.c src/view/pages/rows.h src/view/widget/table.c \
	src/view/widget/table.h src/view/view.h src/view/pages/reuse.c \
	src/view/pages/watch.c src/view/pages/whatif.c

# Made from our description of the format; the compiler's own file is no source of ours.
nodist_src_libview_a_SOURCES = src/view/pprof.pb-c.c src/view/pprof.pb-c.h
BUILT_SOURCES += src/view/pprof.pb-c.h
CLEANFILES += src/view/pprof.pb-c.c src/view/pprof.pb-c.h
EXTRA_DIST += src/view/pprof.proto
src/view/export/pprof.$(OBJEXT): src/view/pprof.pb-c.h
src/view/pprof.pb-c.h: src/view/pprof.pb-c.c
src/view/pprof.pb-c.c: src/view/pprof.proto
	@$(MKDIR_P) src/view
	$(AM_V_GEN)$(PROTOC_C) --proto_path=$(srcdir)/src --c_out=src $(srcdir)/src/view/pprof.proto
