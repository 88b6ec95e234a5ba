# The simulated caches. They are freestanding because they also run inside Valgrind.
SIM_SOURCES = src/sim/model/access.c src/sim/model/cache.c src/sim/model/cache.h \
	src/sim/model/cause.c src/sim/model/state.h src/sim/model/coherence.c src/sim/model/tables.c \
	src/sim/model/tables.h src/sim/model/model.c src/sim/model/model.h src/sim/model/whatif.c \
	src/sim/model/whatif.h src/sim/model/reuse.c
noinst_LIBRARIES += src/libsim.a
src_libsim_a_SOURCES = $(SIM_SOURCES)
src_libsim_a_CFLAGS = $(AM_CFLAGS) -ffreestanding
