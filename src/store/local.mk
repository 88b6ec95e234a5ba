noinst_LIBRARIES += src/libstore.a
src_libstore_a_SOURCES = \
	src/store/facts.h \
	src/store/form.c src/store/form.h src/store/form_facts.h \
	src/store/form_items.h src/store/form_names.h \
	src/store/line_row.c src/store/line_row.h \
	src/store/number.h \
	src/store/past.c src/store/past.h src/store/past_state.h \
	src/store/past_read.c \
	src/store/past_segment.c src/store/past_segment.h \
	src/store/past_thin.c \
	src/store/place_row.c src/store/place_row.h \
	src/store/read_ahead.c \
	src/store/read_extents.c \
	src/store/read_facts.c \
	src/store/read_lines.c \
	src/store/read_names.c \
	src/store/read_state.h \
	src/store/read_strings.c \
	src/store/read_whatif.c \
	src/store/rows.c src/store/rows.h \
	src/store/store_read.c src/store/store_read.h \
	src/store/store_write.c src/store/store_write.h \
	src/store/thinning.c src/store/thinning.h \
	src/store/watch.h src/store/watch_row.c src/store/watch_row.h \
	src/store/write_facts.c \
	src/store/write_lines.c \
	src/store/write_names.c \
	src/store/write_state.h \
	src/store/write_whatif.c
