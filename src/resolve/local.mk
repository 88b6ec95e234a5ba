noinst_LIBRARIES += src/libresolve.a
src_libresolve_a_SOURCES = \
	src/resolve/feed.c src/resolve/feed.h \
	src/resolve/feed_clock.c src/resolve/feed_clock.h \
	src/resolve/feed_launch.c \
	src/resolve/feed_paths.c src/resolve/feed_paths.h \
	src/resolve/feed_rings.c src/resolve/feed_rings.h \
	src/resolve/frames.c src/resolve/frames.h \
	src/resolve/heap.c src/resolve/heap.h \
	src/resolve/jitmap.c src/resolve/jitmap.h \
	src/resolve/maps.c src/resolve/maps.h \
	src/resolve/module.c src/resolve/module.h \
	src/resolve/modules.c src/resolve/modules.h \
	src/resolve/names.c src/resolve/names.h \
	src/resolve/process.c src/resolve/process.h \
	src/resolve/process_list.c \
	src/resolve/resolver.c src/resolve/resolver.h \
	src/resolve/tcb.c src/resolve/tcb.h
