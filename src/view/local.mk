noinst_LIBRARIES += src/libview.a
src_libview_a_SOURCES = src/view/placeholder.c
