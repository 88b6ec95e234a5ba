# The simulated caches: freestanding, for they run inside Valgrind too.
SIM_SOURCES = \
	src/sim/access.c \
	src/sim/cache.c src/sim/cache.h \
	src/sim/cause.c src/sim/cause.h \
	src/sim/coherence.c src/sim/coherence.h \
	src/sim/departure.c src/sim/departure.h \
	src/sim/evicted.c src/sim/evicted.h \
	src/sim/fast.c src/sim/fast.h \
	src/sim/figures.c src/sim/figures.h \
	src/sim/ids.h \
	src/sim/lines.c src/sim/lines.h \
	src/sim/memory.h \
	src/sim/model.c src/sim/model.h \
	src/sim/prefetch.c src/sim/prefetch.h \
	src/sim/moved.c src/sim/moved.h \
	src/sim/relayout.c src/sim/relayout.h \
	src/sim/resident.c src/sim/resident.h \
	src/sim/reuse.c src/sim/reuse.h \
	src/sim/sampling.c src/sim/sampling.h \
	src/sim/shadow.c src/sim/shadow.h \
	src/sim/spec.c src/sim/spec.h \
	src/sim/state.h \
	src/sim/tally.c src/sim/tally.h \
	src/sim/users.c src/sim/users.h \
	src/sim/walk.c src/sim/walk.h \
	src/sim/whatif.c src/sim/whatif.h
noinst_LIBRARIES += src/libsim.a
src_libsim_a_SOURCES = $(SIM_SOURCES)
src_libsim_a_CFLAGS = $(AM_CFLAGS) -ffreestanding
