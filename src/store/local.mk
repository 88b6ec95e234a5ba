noinst_LIBRARIES += src/libstore.a
src_libstore_a_SOURCES = src/store/form.h src/store/form.c src/store/past.c src/store/past.h \
	src/store/store_read.c src/store/store_read.h src/store/store_write.c src/store/store_write.h
