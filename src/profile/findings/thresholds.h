/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thresholds of all rules, by rule. Evidence: programs with the problem beside mended ones,
 *
 *     make -C build judge-findings                                         (tests/judged)
 *     FINDINGS_FULL=1 make -C build check TESTS=tests/live/test_findings   (estimates beside gains)
 *
 * doc/design/findings.md has the figures. Where another source gives the number, it is beside it.
 * Parts are of all samples where nothing else is said. Private to src/profile/findings.
 */
#ifndef MISSTOP_PROFILE_FINDINGS_THRESHOLDS_H
#define MISSTOP_PROFILE_FINDINGS_THRESHOLDS_H

/* Thresholds on other measurements beside a finding. */
static const double mostly = 0.5;
static const double used_mostly = 0.75; /* of a line's words in a visit: nothing to split */
static const double lines_enough = 100;

/* Members, for all rules of layout. */
static const double member_hot =
    0.05; /* of the samples on the type: such a member is fetched for its own sake */
static const double member_used = 0.004; /* skid puts a few samples where nothing missed */
static const double cpus_least = 0.05;   /* less is measured too coarsely: in ticks of 10 ms */

/* Split. */
enum { ELEMENTS_MANY = 64 };
enum { MALLOC_ALIGNS = 16 };              /* elements of no more look like blocks of their own */
static const double saved_at_least = 0.1; /* of the samples: waits may overlap */
static const double fits_saves_at_least = 0.4; /* where the members in use then fit in the caches */
static const double of_one_type = 0.5;         /* of the object's samples are of the type judged */
static const double used_at_most = 0.5;        /* of the fetched bytes: else a split saves little */
static const double used_in_no_order = 0.25;   /* of the lines' bytes */
static const double in_place = 0.9;            /* of the samples */

/* Straddling. */
static const double crossing_least = 0.15; /* of the samples */
static const double most_cross = 0.9;      /* of the elements: too few others to compare with */

/* Scattered blocks, waste. */
enum { HEADER_BYTES = 8 }; /* glibc, struct malloc_chunk, 64 bits; others waste no less */
static const double fetched_at_least = 2; /* times what the blocks hold */
static const double pooled_saves_at_least = 0.2;
static const double wasted_saves_at_least = 0.5; /* prefetching gains by it as well */
static const double wasted_at_least = 0.5;       /* of what malloc takes for them */

/* Used together: a pointer from one to the other; the same index (--sim). */
static const double as_many = 0.1;           /* blocks of two kinds: numbers differ by less */
static const double together_at_least = 0.7; /* of the samples in the same time ranges */
enum { HOLDER_SAMPLES = 16 };                /* on the one with the pointer: it may be hidden */
enum { PAIRS_LEAST = 64 };
static const double next_often = 0.5; /* of the misses on one: one on the other comes next */
static const double same_index = 0.9; /* of these */

/* Churn. */
static const double often_per_s = 10e3;  /* allocations */
static const double short_lived_s = 0.1; /* longer, and it is data that is kept */
static const double least_of_it = 0.7;   /* a free list of its own takes time, too */
static const double most_of_it = 1.15;   /* its users wait less for the blocks */
static const double most_of_them = 0.1;  /* of all allocations */

/* Chasing. */
enum {
    LINK_SAMPLES = 2,  /* on the link itself: mostly the first use of a node waits for it */
    LINKS_LEAST = 12,  /* read in memory, to speak of all */
    LINKS_READ = 32,   /* a refresh, of one object: they are in a recording, too */
    NEAR_ELEMENTS = 4, /* a prefetcher that goes by steps or by lines comes there by itself */
    FAR_BYTES = 4096   /* no prefetcher crosses a page */
};
static const double links_alike = 0.7;   /* of those read */
static const double deep_at_least = 0.5; /* of the nodes: nothing follows the last of a chain */
static const double chase_saved_at_least = 0.5; /* of the time at its nodes: most of the wait */
static const double link_often = 0.05; /* of the samples: else it may be a hash table's chain */

/* Streaming. */
static const double streaming_least = 0.1; /* everything large is read sometime */
/* Of one thread; a core reads 5 to 20e9 from memory, and what works on blocks asks for less. */
static const double streaming_bytes_per_s = 3e9;
/* More than most last levels hold, as other programs take their part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

/* Copying. */
static const double copying_least = 0.1;
static const double copy_saves_at_least = 0.5;
static const double copy_saves_at_most = 1.1; /* the copy evicts other data */

/* Columns. */
static const double columns_saved_at_least = 0.4; /* of the accesses: they may hit farther out */
static const double steps_at_least = 0.7; /* of the steps between rows end at the last column */
static const double crowd_at_most = 0.25; /* of the samples in a part of the row: columns move */
enum { CLOSE = 16, PARTS = 16 };          /* parts of a row: two columns are close within one */
enum { ROW_UNIT = 4, ROW_MOST = 1 << 20 };

/* Stack. */
static const double hot_at_least = 0.1;
static const double one_function = 0.8;   /* of the samples on it */
static const double kept_most = 0.1;      /* ... in loops that call */
static const double stack_at_least = 0.3; /* of them saved */
enum { FRAMES_LINES = 4 };
enum { REGISTER_BYTES = 16 }; /* width of a general or an SSE register */

/* By causes (--sim): conflicts, lines taken, capacity misses, first references. */
static const double conflicts_least = 0.2; /* of the object's misses */
static const double taken_least = 0.1;     /* ... by other threads: they take turns rarely there */
static const double evictor_least = 0.01;  /* of the known ones: less is not named */
static const double fits_in = 0.5;         /* of the cache: something else has to be there too */
static const double first_share = 0.2;     /* the object that is mainly filled */
static const double stores_at_least = 0.8; /* of the samples on it */

/* Conflict by sets. */
static const double most_of_hot = 0.5; /* of the samples in hot sets are the leading object's */

/* Page walks, memory of another node: the hardware reports them. */
static const double tlb_least = 0.2;    /* of the accesses: a walk takes less than a miss */
static const double remote_least = 0.2; /* of the accesses: farther by half to twice as long */
static const double remote_saved = 0.4; /* of that time: local memory takes 60 % of remote's */

/* Beyond the TLB. */
enum { TLB_ENTRIES_MOST = 4096 };     /* last level, 4 KiB pages: no x86 CPU up to Zen 5 has more */
static const double beyond_reach = 2; /* times what the TLB reaches: half of the accesses walk */
static const double huge_at_most = 0.5; /* of its memory is on huge pages already */
/* Of the time at pages beyond the TLB, what huge pages save: measured from 1 to 42 %
 * (tests/judged).
 */
static const double walk_at_least = 0.03;
static const double walk_at_most = 0.4;

/* First touch. Most of the time is the kernel's, where nothing is sampled: fewer samples. */
enum { FRESH_SAMPLES = 50 };
static const double kernel_saved = 0.5;    /* of its time: the rest may be other work */
static const double faults_per_s = 10e3;   /* 40 MB of fresh memory a second */
static const double kernel_at_least = 0.2; /* of the CPU time: what makes it worth a change */

/* Sharing. */
static const double simulated_least = 0.1; /* of all misses */

/* Spinning. */
static const double in_function = 0.9;   /* of the function's samples on the object, */
static const double at_loads = 0.9;      /* ... on its one or two hottest instructions, */
static const double written_most = 0.02; /* ... on instructions that write */
static const double on_one_line = 0.95;  /* of a thread's */
static const double in_loops = 0.9;      /* ... in a loop that only looks (decode/function.c) */
static const double of_all_samples =
    0.9; /* of those in the window: by threads counted one by one */

#endif
