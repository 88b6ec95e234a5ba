# MemSpy's own examples, as it has them: each test prints its table beside the published one.
MEMSPY = tests/memspy/test_multiply tests/memspy/test_tri
MEMSPY_MACHINE = tests/memspy/machine.c tests/memspy/machine.h $(MODEL_HOST)
MEMSPY_FLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit -I$(srcdir)/tests/memspy
MEMSPY_LIBS = src/libprofile.a src/libresolve.a src/libdecode.a src/libsim.a src/libbase.a \
	$(CMOCKA_LIBS) -lm
check_PROGRAMS += $(MEMSPY)
TESTS += $(MEMSPY)
tests_memspy_test_multiply_SOURCES = tests/memspy/test_multiply.c $(MEMSPY_MACHINE)
tests_memspy_test_multiply_CPPFLAGS = $(MEMSPY_FLAGS)
tests_memspy_test_multiply_LDADD = $(MEMSPY_LIBS)
tests_memspy_test_tri_SOURCES = tests/memspy/test_tri.c tests/memspy/matrix.c \
	tests/memspy/matrix.h $(MEMSPY_MACHINE)
tests_memspy_test_tri_CPPFLAGS = $(MEMSPY_FLAGS)
tests_memspy_test_tri_LDADD = $(MEMSPY_LIBS)
