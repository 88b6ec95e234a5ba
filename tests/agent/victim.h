/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of the blocks that victim and plugin allocate and the test counts. No other code allocates
 * them. */
#ifndef MISSTOP_TESTS_VICTIM_H
#define MISSTOP_TESTS_VICTIM_H

enum {
    MARK = 7919,
    MARK_CHILD = 8923,
    MARK_LATE = 9323,
    MARK_MAP = 4096 * 331,
    THREADS = 2000,
    SIGNAL_PAIRS = 2000000,
    FULL_PAIRS = 10000,
};

#define FUNCTION_SIZE(n) (4096 * 17 + 131 * (n))

#endif
