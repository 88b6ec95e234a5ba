# unit test and bench of the index of heap blocks (src/resolve/blocks.c)
BLOCKS_CANDIDATES = tests/bench/blocks_candidate.h tests/bench/blocks_generic.h \
	tests/bench/blocks_radix.c tests/bench/blocks_btree.c tests/bench/blocks_runs.c \
	tests/bench/blocks_redblack.c
check_PROGRAMS += tests/unit/test_blocks
TESTS += tests/unit/test_blocks
tests_unit_test_blocks_SOURCES = tests/unit/test_blocks.c $(BLOCKS_CANDIDATES)
tests_unit_test_blocks_LDADD = src/libresolve.a src/libbase.a $(CMOCKA_LIBS)
EXTRA_PROGRAMS += tests/bench/bench_blocks
CLEANFILES += tests/bench/bench_blocks
tests_bench_bench_blocks_SOURCES = tests/bench/bench_blocks.c $(BLOCKS_CANDIDATES)
tests_bench_bench_blocks_LDADD = src/libresolve.a src/libbase.a

# unit tests of heap bins (src/resolve/bins.c) and of what the user says about them
check_PROGRAMS += tests/unit/test_bins tests/unit/test_bin_rules
TESTS += tests/unit/test_bins tests/unit/test_bin_rules
tests_unit_test_bins_SOURCES = tests/unit/test_bins.c
tests_unit_test_bins_LDADD = src/libresolve.a src/libbase.a $(CMOCKA_LIBS) -lm
tests_unit_test_bin_rules_SOURCES = tests/unit/test_bin_rules.c
tests_unit_test_bin_rules_LDADD = src/libresolve.a src/libbase.a $(CMOCKA_LIBS)
