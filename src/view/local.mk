noinst_LIBRARIES += src/libview.a
src_libview_a_SOURCES = \
	src/view/columns.c src/view/columns.h \
	src/view/json.c \
	src/view/screen_stub.c \
	src/view/text.c \
	src/view/view.h \
	src/view/width.c src/view/width.h
