# The simulated caches: freestanding, for they run inside Valgrind too.
SIM_SOURCES = \
	src/sim/figures.h \
	src/sim/model.c src/sim/model.h \
	src/sim/reuse.h \
	src/sim/spec.h
noinst_LIBRARIES += src/libsim.a
src_libsim_a_SOURCES = $(SIM_SOURCES)
src_libsim_a_CFLAGS = $(AM_CFLAGS) -ffreestanding
