# MemSpy's own examples: each test prints its table next to the published one.
MEMSPY = experiments/memspy/test_multiply experiments/memspy/test_tri
MEMSPY_MACHINE = experiments/memspy/machine.c experiments/memspy/machine.h $(MODEL_HOST)
MEMSPY_FLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit -I$(srcdir)/experiments/memspy
MEMSPY_LIBS = src/libprofile.a src/libresolve.a src/libdecode.a src/libsim.a src/libbase.a \
	$(CMOCKA_LIBS) -lm
EXTRA_PROGRAMS += $(MEMSPY)
experiments_memspy_test_multiply_SOURCES = experiments/memspy/test_multiply.c $(MEMSPY_MACHINE)
experiments_memspy_test_multiply_CPPFLAGS = $(MEMSPY_FLAGS)
experiments_memspy_test_multiply_LDADD = $(MEMSPY_LIBS)
experiments_memspy_test_tri_SOURCES = experiments/memspy/test_tri.c experiments/memspy/matrix.c \
	experiments/memspy/matrix.h $(MEMSPY_MACHINE)
experiments_memspy_test_tri_CPPFLAGS = $(MEMSPY_FLAGS)
experiments_memspy_test_tri_LDADD = $(MEMSPY_LIBS)
