/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which cache lines the debug registers watch, and what each watch saw: a state machine without a
 * kernel, which watch.c gives one and tests another. Owned by watch.c.
 *
 * A watched line has one register on the word of the sampled access, and, where there are enough,
 * one on another word of the line, drawn at random. Which samples are watched is decided by
 * reservoir sampling, a reservoir of one a line (Vitter, ACM TOMS 11, 1985, algorithm R): since the
 * line was free last, each sample has had the same chance to be the one watched. Debug registers
 * for reuse and for sampled accesses: Wen, Liu, Byrne, Chabbi, ASPLOS 2018; Wang, Liu, Chabbi, HPCA
 * 2019. They arm from a signal handler inside the target; here a sample is seen a few ms later,
 * from outside. So
 *   - the first leg of a watch counts from the sampled access and is blind until it was armed;
 *   - where it is touched, a second leg counts from that touch: blind for much less. While other
 *     instructions of the same thread touch as soon as can be seen (a load, then the store of the
 *     sum), the visit goes on, and the leg counts from the last of them; where an instruction comes
 *     round again, the line is in use all the time, and that is told;
 *   - a visit asks whether the other word was touched within WATCH_VISIT_NS of the sampled one.
 * A touch ends a leg and switches its register off: a hot line costs one trap, not millions.
 */
#ifndef MISSTOP_SAMPLE_WATCH_LINES_H
#define MISSTOP_SAMPLE_WATCH_LINES_H

#include "base/prng.h"
#include "sample/watch_budget.h"
#include "snapshot_watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WATCH_SLOTS = 4, /* debug registers of x86 */
    WATCH_LINES = 2,
    WATCH_LINE_BYTES = 64,
    WATCH_WORD_BYTES = 8,
    WATCH_CODES = 4, /* instructions of a visit that are told apart */
    WATCH_RESULTS = 512
};
#define WATCH_VISIT_NS   UINT64_C(1000000)
#define WATCH_LONGEST_NS UINT64_C(1000000000)
/* Long enough, where the target ran for as long: any cache has been filled meanwhile, twice. */
#define WATCH_ENOUGH_NS UINT64_C(100000000)

/* Both tell what it costs the target in ns, or a negative errno. */
struct watch_arms {
    void *context;
    /* Register `slot` reports one touch of the word, and is off then; from *from_ns on, about. */
    double (*arm)(void *context, unsigned slot, uint64_t address, uint64_t *from_ns);
    /* *ran_ns: how long thread `tid` has run since it was armed; left alone where not known. */
    double (*disarm)(void *context, unsigned slot, uint32_t tid, uint64_t *ran_ns);
    uint64_t (*now_ns)(void *context);
};

/* A sampled access. */
struct watch_offer {
    uint64_t address;
    uint64_t base; /* of the instance it fell on */
    uint64_t time_ns;
    uint32_t object;
    uint32_t tid;
};

/* What a register reported. */
struct watch_touch {
    uint64_t address; /* as it was armed */
    uint64_t time_ns;
    uint64_t ip;
    uint64_t ran_ns; /* CPU time of the thread since the register was armed in it */
    uint32_t tid;
};

struct watch_word {
    uint64_t address;
    uint64_t asked_ns;   /* to be armed: no touch before is of this watch */
    uint64_t armed_ns;   /* about when it was */
    uint64_t touched_ns; /* 0: not yet */
    bool armed;
};

struct watch_line {
    bool busy;
    uint64_t seen; /* samples since it was free */
    bool wanted;   /* `next` is to be watched from the next step on, instead of what is */
    struct watch_offer next;
    struct watch_offer offer;
    uint8_t leg; /* enum watch_kind */
    uint64_t origin_ns;
    uint32_t origin_tid;
    struct watch_word sampled;
    struct watch_word other;
    uint64_t visit_ns;           /* when the sampled word was touched first; 0: not yet */
    bool visited;                /* what became of the other word is told */
    uint64_t cpu_ns;             /* of the target, when the leg was armed */
    uint64_t codes[WATCH_CODES]; /* instructions of the visit that the leg counts from */
    unsigned code_count;
};

struct watch_lines {
    struct watch_arms arms;
    struct watch_budget *budget;
    double trap_ns; /* one touch */
    double arm_ns;  /* one arming, as the last ones went */
    struct prng prng;
    unsigned slots;
    unsigned count; /* lines at a time */
    struct watch_line at[WATCH_LINES];
    struct watch_result results[WATCH_RESULTS];
    size_t result_count;
    uint64_t offered;
    uint64_t unpaid; /* drawn, but the budget did not allow it */
    uint64_t armed;
    uint64_t touches;
    int refused; /* the last error of arm() */
};

/* `slots` registers, 1 to WATCH_SLOTS; both pointers stay the caller's. */
void watch_lines_init(struct watch_lines *lines, const struct watch_arms *arms, unsigned slots,
                      struct watch_budget *budget, double trap_ns, uint64_t seed);

/* A sample; what is drawn is armed by the next step. */
void watch_lines_offer(struct watch_lines *lines, const struct watch_offer *offer);

/* In time order. */
void watch_lines_touch(struct watch_lines *lines, const struct watch_touch *touch);

/* Ends what has lasted long enough, and arms what was drawn. Soon after offers and touches. */
void watch_lines_step(struct watch_lines *lines);

/* The process is another program now: nothing that was watched is there any more. */
void watch_lines_drop(struct watch_lines *lines);

/* Takes the results that ended by then. Returns how many, at most `most`. */
size_t watch_lines_results(struct watch_lines *lines, uint64_t until_ns, struct watch_result *out,
                           size_t most);

#endif
