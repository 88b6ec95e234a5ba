/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings_programs.h"

/*
 * What is true there too. tlb-reach: nearly all that is larger than a few dozen MiB and read in no
 * order lies on more pages than the TLB reaches, unless the kernel gave huge pages unasked, which
 * is its own business. split, chasing-fixed, waste: before the type or the blocks are known, all
 * that can be said is that something is read from end to end. chasing-fixed: of each node of 64
 * bytes 16 are used, now in order. split-clean: 64 MiB from end to end, and all of it used.
 * scattered-random: the blocks are as far apart, whatever their order. columns-fixed: down columns
 * of another length, 64 MiB in all. first-touch-fixed: 32 MiB written again and again.
 * straddling-overlap: told while few samples leave open what aligning gains; here it is nothing, for
 * both lines are fetched at once, and with more samples it is not told any more.
 */
const struct findings_program findings_programs[] = {
    {"split", ATTACHED, "split", "particle", "streaming"},
    {"split-fixed", ATTACHED, NULL, NULL, NULL},
    {"split-clean", ATTACHED, NULL, NULL, "streaming"},
    {"split-small", ATTACHED, NULL, NULL, NULL},
    {"orders", WALKED, "split", "order", "tlb-reach"},
    {"orders-fixed", WALKED, NULL, NULL, "tlb-reach"},
    {"orders-clean", WALKED, NULL, NULL, "tlb-reach"},
    {"straddling", ATTACHED, "straddling", "message", "tlb-reach"},
    {"straddling-fixed", ATTACHED, NULL, NULL, "tlb-reach"},
    {"straddling-overlap", ATTACHED, NULL, NULL, "straddling tlb-reach"},
    {"straddling-clean", ATTACHED, NULL, NULL, "tlb-reach"},
    {"conflict", ATTACHED, "conflict", "rows", NULL},
    {"conflict-fixed", ATTACHED, NULL, NULL, NULL},
    {"conflict-clean", ATTACHED, NULL, NULL, NULL},
    {"chasing", ATTACHED, "chasing", "node", "tlb-reach"},
    {"chasing-fixed", ATTACHED, NULL, NULL, "split streaming"},
    {"chasing-clean", ATTACHED, NULL, NULL, NULL},
    {"chasing-indexed", ATTACHED, NULL, NULL, "tlb-reach"},
    {"streaming", ATTACHED, "streaming", "", NULL},
    {"streaming-fixed", ATTACHED, NULL, NULL, NULL},
    {"streaming-clean", ATTACHED, NULL, NULL, NULL},
    {"scattered", WALKED, "scattered", "", "tlb-reach"},
    {"scattered-fixed", WALKED, NULL, NULL, "streaming"},
    {"scattered-random", WALKED, "scattered", "", "tlb-reach"},
    {"scattered-random-fixed", WALKED, NULL, NULL, "tlb-reach"},
    {"scattered-dense", WALKED, NULL, NULL, "tlb-reach"},
    {"scattered-ordered", WALKED, NULL, NULL, "streaming"},
    {"together", WALKED, "together", "", "tlb-reach"},
    {"together-fixed", WALKED, NULL, NULL, "tlb-reach"},
    {"together-turns", WALKED, NULL, NULL, "tlb-reach"},
    {"churn", LAUNCHED, "churn", "item", NULL},
    {"churn-fixed", LAUNCHED, NULL, NULL, NULL},
    {"churn-slow", LAUNCHED, NULL, NULL, NULL},
    {"waste", LAUNCHED, "waste", "", "streaming"},
    {"waste-fixed", LAUNCHED, NULL, NULL, NULL},
    {"waste-little", LAUNCHED, NULL, NULL, "streaming"},
    {"stack", ATTACHED, "stack", "add_in_memory.sum", NULL},
    {"stack-fixed", ATTACHED, NULL, NULL, NULL},
    {"stack-table", ATTACHED, NULL, NULL, NULL},
    {"first-touch", ATTACHED, "first-touch", "anon", NULL},
    {"first-touch-fixed", ATTACHED, NULL, NULL, "streaming"},
    {"tlb", ATTACHED, "tlb-reach", "anon", NULL},
    {"tlb-fixed", ATTACHED, NULL, NULL, NULL},
    {"tlb-small", ATTACHED, NULL, NULL, NULL},
    {"tlb-ordered", ATTACHED, NULL, NULL, "streaming"},
    {"columns", ATTACHED, "columns", "anon", NULL},
    {"columns-fixed", ATTACHED, NULL, NULL, NULL},
    {"columns-rows", ATTACHED, NULL, NULL, "streaming"},
    {"false-sharing", ALONE, "false-sharing", "counters", NULL},
    {"false-sharing-fixed", ALONE, NULL, NULL, NULL},
    {"true-sharing", ALONE, "true-sharing", "total", NULL},
    {"true-sharing-clean", ALONE, NULL, NULL, NULL},
};
const size_t findings_program_count = sizeof findings_programs / sizeof *findings_programs;
