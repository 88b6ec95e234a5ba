# unit test and bench of the index of heap blocks (src/resolve/blocks.c)
BLOCKS_CANDIDATES = tests/bench/blocks_radix.c
EXTRA_PROGRAMS += tests/bench/bench_blocks
CLEANFILES += tests/bench/bench_blocks
tests_bench_bench_blocks_SOURCES = tests/bench/bench_blocks.c $(BLOCKS_CANDIDATES)
tests_bench_bench_blocks_LDADD = src/libresolve.a src/libbase.a
