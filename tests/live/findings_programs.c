/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings_programs.h"

/*
 * Additional findings that are true. tlb-reach: almost everything that is larger than a few dozen
 * MiB and read in random order is on more pages than the TLB reaches, unless the kernel provided
 * huge pages. split, chasing-fixed, waste: before the type or the blocks are known, only a
 * sequential read is visible. chasing-fixed: 16 of the 64 bytes of each node are used, now in
 * order. split-clean: 64 MiB read sequentially, and all of it used. scattered-random: the blocks
 * are just as far apart, whatever their order. columns-fixed: down columns of another length, 64
 * MiB in total. first-touch-fixed: 32 MiB written repeatedly. scattered: samples do not show
 * whether a visit needs one block or several; packed they would not fit in the caches either.
 * conflict, streaming: only if misses are counted, because a clock shows neither.
 * straddling-overlap: reported while few samples leave the gain of aligning open; here it is zero,
 * because both lines are fetched at once, and with more samples it is not reported. together-fixed:
 * blocks of 40 bytes start at multiples of 16, and in one of four the two used fields are in
 * different lines.
 */
const struct findings_program findings_programs[] = {
    {"split", ATTACHED, "split", "particle", "streaming", NULL, false},
    {"split-fixed", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"split-clean", ATTACHED, NULL, NULL, "streaming", NULL, false},
    {"split-small", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"orders", WALKED, "split", "order", "tlb-reach", NULL, false},
    {"orders-fixed", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"orders-clean", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"straddling", ATTACHED, "straddling", "message", "tlb-reach", NULL, false},
    {"straddling-fixed", ATTACHED, NULL, NULL, "tlb-reach", NULL, false},
    {"straddling-overlap", ATTACHED, NULL, NULL, "straddling tlb-reach", NULL, false},
    {"straddling-clean", ATTACHED, NULL, NULL, "tlb-reach", NULL, false},
    {"conflict", ATTACHED, NULL, NULL, "conflict", NULL, false},
    {"conflict-fixed", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"conflict-clean", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"chasing", ATTACHED, "chasing", "node", "tlb-reach", NULL, false},
    {"chasing-fixed", ATTACHED, NULL, NULL, "split streaming", NULL, false},
    {"chasing-clean", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"chasing-indexed", ATTACHED, NULL, NULL, "tlb-reach", NULL, false},
    {"streaming", ATTACHED, NULL, NULL, "streaming", NULL, false},
    {"streaming-fixed", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"streaming-clean", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"scattered", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"scattered-fixed", WALKED, NULL, NULL, "streaming", NULL, false},
    {"scattered-random", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"scattered-random-fixed", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"scattered-dense", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"scattered-ordered", WALKED, NULL, NULL, "streaming", NULL, false},
    {"together", WALKED, "together", "", "tlb-reach", NULL, false},
    {"together-fixed", WALKED, NULL, NULL, "straddling tlb-reach", NULL, false},
    {"together-turns", WALKED, NULL, NULL, "tlb-reach", NULL, false},
    {"churn", LAUNCHED, "churn", "item", NULL, NULL, false},
    {"churn-fixed", LAUNCHED, NULL, NULL, NULL, NULL, false},
    {"churn-slow", LAUNCHED, NULL, NULL, NULL, NULL, false},
    {"waste", LAUNCHED, "waste", "", "streaming", NULL, false},
    {"waste-fixed", LAUNCHED, NULL, NULL, NULL, NULL, false},
    {"waste-little", LAUNCHED, NULL, NULL, "streaming", NULL, false},
    {"stack", ATTACHED, "stack", "add_in_memory.sum", NULL, NULL, false},
    {"stack-fixed", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"stack-table", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"first-touch", ATTACHED, "first-touch", "anon", NULL, NULL, false},
    {"first-touch-fixed", ATTACHED, NULL, NULL, "streaming", NULL, false},
    {"tlb", ATTACHED, "tlb-reach", "anon", NULL, NULL, false},
    {"tlb-fixed", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"tlb-small", ATTACHED, NULL, NULL, NULL, NULL, false},
    {"tlb-ordered", ATTACHED, NULL, NULL, "streaming", NULL, false},
    {"columns", ATTACHED, "columns", "anon", NULL, NULL, false},
    {"columns-fixed", ATTACHED, NULL, NULL, "columns", NULL, false},
    {"columns-rows", ATTACHED, NULL, NULL, "streaming", NULL, false},
    {"false-sharing", ALONE, "false-sharing", "counters", NULL, NULL, false},
    {"false-sharing-fixed", ALONE, NULL, NULL, NULL, NULL, false},
    {"true-sharing", ALONE, "true-sharing", "total", NULL, NULL, false},
    {"true-sharing-clean", ALONE, NULL, NULL, NULL, NULL, false},
};
const size_t findings_program_count = sizeof findings_programs / sizeof *findings_programs;

/*
 * Additional findings that are true. pushed: the data that evict the table are read sequentially
 * and repeatedly. list-fixed, again-fixed, few-used-fixed: so are these, or were before they
 * fitted.
 */
#define L1_OF(function)   "-e l1-miss --sim-from " function
#define LAST_OF(function) "-e mem-fill --sim-from " function
const struct findings_program findings_sim_programs[] = {
    {"conflict", SIMULATED, "conflict", "rows", NULL, L1_OF("sum_column"), true},
    {"conflict-fixed", SIMULATED, NULL, NULL, NULL, L1_OF("sum_column"), true},
    {"clash", SIMULATED, "conflict", "clash_", NULL, L1_OF("clash"), false},
    {"clash-fixed", SIMULATED, NULL, NULL, NULL, L1_OF("clash"), false},
    {"pushed", SIMULATED, "pushed-out", "table", "streaming", LAST_OF("scan_and_ask"), false},
    {"pushed-fixed", SIMULATED, NULL, NULL, "streaming", LAST_OF("scan_then_ask"), true},
    {"again", SIMULATED, "streaming", "", NULL, LAST_OF("scale_all"), true},
    {"again-fixed", SIMULATED, NULL, NULL, "streaming", LAST_OF("scale_blocks"), true},
    {"list", SIMULATED, "chasing", "node", NULL, "-c 1 " LAST_OF("walk_list"), true},
    {"list-fixed", SIMULATED, NULL, NULL, "split streaming", "-c 1 " LAST_OF("walk_list"), true},
    {"list-indexed", SIMULATED, NULL, NULL, NULL, LAST_OF("look_at_nodes"), true},
    {"few-used", SIMULATED, "split", "particle", "streaming", LAST_OF("sum_x"), true},
    /* Ranked by the costliest level, L1, which is read in order: it is prefetched. */
    {"few-used-fixed", SIMULATED, NULL, NULL, NULL, "--sim-from sum_positions", true},
    {"paired", SIMULATED, "together", "", NULL, "-c 1 " LAST_OF("weigh"), false},
    {"paired-fixed", SIMULATED, NULL, NULL, NULL, "-c 1 " LAST_OF("weigh_pairs"), true},
    {"paired-others", SIMULATED, NULL, NULL, NULL, "-c 1 " LAST_OF("weigh_others"), true},
    {"false-sharing", SIMULATED, "false-sharing", "counters", NULL, L1_OF("count_events"), true},
    {"false-sharing-fixed", SIMULATED, NULL, NULL, NULL, L1_OF("count_slots"), true},
    {"true-sharing", SIMULATED, "true-sharing", "total", NULL, L1_OF("count_total"), true},
};
const size_t findings_sim_program_count =
    sizeof findings_sim_programs / sizeof *findings_sim_programs;
