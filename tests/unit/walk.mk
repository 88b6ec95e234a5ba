# The heap walk: on made up images of several glibc versions, and on live programs.
UNIT_WALK = tests/unit/test_walk tests/unit/test_walk_live
check_PROGRAMS += $(UNIT_WALK) tests/walk/walked tests/walk/walked_static
TESTS += $(UNIT_WALK)
WALK_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
WALK_FOLLOW = tests/walk/follow.c tests/walk/follow.h tests/walk/walked.h
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c tests/walk/image.c tests/walk/image.h
tests_unit_test_walk_LDADD = $(WALK_LDADD) $(CMOCKA_LIBS)
tests_unit_test_walk_live_SOURCES = tests/unit/test_walk_live.c $(WALK_FOLLOW)
tests_unit_test_walk_live_LDADD = $(WALK_LDADD) $(CMOCKA_LIBS)

# Never with a sanitizer: it would bring its own malloc.
tests_walk_walked_SOURCES = tests/walk/walked.c tests/walk/walked.h
tests_walk_walked_CFLAGS = -std=gnu11 -O2 -g -pthread $(WARN_CFLAGS)
tests_walk_walked_LDFLAGS = -pthread
tests_walk_walked_static_SOURCES = $(tests_walk_walked_SOURCES)
tests_walk_walked_static_CFLAGS = $(tests_walk_walked_CFLAGS)
tests_walk_walked_static_LDFLAGS = -pthread -static

EXTRA_PROGRAMS += tests/bench/bench_walk
CLEANFILES += tests/bench/bench_walk
tests_bench_bench_walk_SOURCES = tests/bench/bench_walk.c $(WALK_FOLLOW)
tests_bench_bench_walk_LDADD = $(WALK_LDADD)
EXTRA_tests_bench_bench_walk_DEPENDENCIES = tests/walk/walked$(EXEEXT)
