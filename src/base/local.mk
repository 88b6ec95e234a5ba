noinst_LIBRARIES += src/libbase.a
src_libbase_a_SOURCES = src/base/array.c src/base/array.h src/base/clock.c src/base/clock.h \
	src/base/error.c src/base/error.h src/base/files.c src/base/files.h src/base/hash.c \
	src/base/hash.h src/base/lane.c src/base/lane.h src/base/settings.c src/base/settings.h \
	src/base/text.c src/base/text.h
