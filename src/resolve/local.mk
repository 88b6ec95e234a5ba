noinst_LIBRARIES += src/libresolve.a
src_libresolve_a_SOURCES = \
	src/resolve/bin_rules.c src/resolve/bin_rules.h \
	src/resolve/bin_rules_file.c \
	src/resolve/bins.c src/resolve/bins.h \
	src/resolve/bins_group.c \
	src/resolve/bins_names.c \
	src/resolve/bins_state.h \
	src/resolve/blocks.c src/resolve/blocks.h \
	src/resolve/frames.c src/resolve/frames.h \
	src/resolve/heap.c src/resolve/heap.h \
	src/resolve/jitmap.c src/resolve/jitmap.h \
	src/resolve/maps.c src/resolve/maps.h \
	src/resolve/module.c src/resolve/module.h \
	src/resolve/modules.c src/resolve/modules.h \
	src/resolve/names.c src/resolve/names.h \
	src/resolve/packed.c src/resolve/packed.h \
	src/resolve/page.c src/resolve/page.h \
	src/resolve/process.c src/resolve/process.h \
	src/resolve/process_list.c \
	src/resolve/radix.c src/resolve/radix.h \
	src/resolve/rc.c src/resolve/rc.h \
	src/resolve/resolver.c src/resolve/resolver.h \
	src/resolve/slab.c src/resolve/slab.h \
	src/resolve/tcb.c src/resolve/tcb.h \
	src/resolve/wrappers.c src/resolve/wrappers.h
