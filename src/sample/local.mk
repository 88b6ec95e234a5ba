noinst_LIBRARIES += src/libsample.a
src_libsample_a_SOURCES = src/sample/placeholder.c
