/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watchpoints (--watch): watches the cache lines of some sampled accesses within a budget, and
 * reports how each watch ended. Driven by the engine in addition to the sampler; one thread only.
 */
#ifndef MISSTOP_SAMPLE_PERF_WATCH_H
#define MISSTOP_SAMPLE_PERF_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/hash.h"
#include "sample/kernel.h"
#include "snapshot_watch.h"

/* The cost that watchpoints may cause to the target: a token bucket that fills with a share of the
 * target's CPU time and pays for every trap and every arming. Owned by watch.c. */
struct watch_budget {
    double cpu_share;  /* of the target's CPU time, 0..1 */
    double tokens_ns;  /* may be spent now; negative: overdrawn */
    uint64_t cpu_ns;   /* at the last refill */
    uint64_t wall_ns;  /* at the last refill */
    double spent_ns;   /* number since the start */
    double granted_ns; /* CPU time credited since the start */
    bool started;
};

void watch_budget_init(struct watch_budget *budget, double part);

/* Credits the CPU time that the target has used up to a moment of CLOCK_MONOTONIC. Credits at most
 * one CPU, so that a target with many threads does not keep misstop busy arming. */
void watch_budget_refill(struct watch_budget *budget, uint64_t cpu_ns, uint64_t wall_ns);

void watch_budget_spend(struct watch_budget *budget, double cost_ns);

/* Returns the spent share of the credited CPU time; NAN: none yet. */
double watch_budget_share(const struct watch_budget *budget);

/*
 * Which cache lines the debug registers watch, and what each watch saw: a state machine that does
 * not depend on a kernel (watch.c provides one, tests another). Owned by watch.c.
 *
 * A watched line has one register on the word of the sampled access and, if there are enough, one
 * on another word of the line, drawn at random. Reservoir sampling with a reservoir of one per line
 * (Vitter, ACM TOMS 11, 1985, algorithm R) decides which samples are watched: since the line was
 * last free, each sample has had the same chance. Debug registers for reuse and for sampled
 * accesses: Wen, Liu, Byrne, Chabbi, ASPLOS 2018; Wang, Liu, Chabbi, HPCA 2019. They arm from a
 * signal handler inside the target; misstop sees a sample a few ms later, from outside. Therefore:
 *   - The first leg of a watch counts from the sampled access and is blind until it is armed.
 *   - If the word is touched, a second leg counts from that touch, with a much shorter blind time.
 *     The visit continues while other instructions of the same thread touch the word within the
 *     shortest observable time (a load, then the store of the sum), and the leg counts from the
 *     last of them. If an instruction repeats, the line is in constant use, and that is reported.
 *   - A visit checks whether the other word was touched within WATCH_VISIT_NS of the sampled word.
 * A touch ends a leg and disarms its register: a hot line costs one trap, not millions.
 */
enum {
    WATCH_SLOTS = 4, /* debug registers of x86 */
    WATCH_LINES = 2,
    WATCH_LINE_BYTES = 64,
    WATCH_WORD_BYTES = 8,
    WATCH_CODES = 4, /* distinct instructions per visit */
    WATCH_RESULTS = 512
};
#define WATCH_VISIT_NS   UINT64_C(1000000)
#define WATCH_LONGEST_NS UINT64_C(1000000000)
/* Long enough if the target was running all this time: it then fills any cache twice. */
#define WATCH_ENOUGH_NS UINT64_C(100000000)

/* arm and disarm return the cost to the target in ns, or a negative errno. */
struct watch_operations {
    void *context;
    /* Arms register `slot` for one touch of the word, from about *from_ns on. */
    double (*arm)(void *context, unsigned slot, uint64_t address, uint64_t *from_ns);
    /* Sets *ran_ns to the run time of thread `tid` since arming; unchanged if not known. */
    double (*disarm)(void *context, unsigned slot, uint32_t tid, uint64_t *ran_ns);
    uint64_t (*now_ns)(void *context);
};

struct watch_offer {
    uint64_t address;
    uint64_t base; /* of the block or other instance that contains the address */
    uint64_t time_ns;
    uint32_t object;
    uint32_t tid;
};

struct watch_touch {
    uint64_t address; /* as armed */
    uint64_t time_ns;
    uint64_t ip;
    uint64_t ran_ns; /* CPU time of the thread since its register was armed */
    uint32_t tid;
};

struct watch_word {
    uint64_t address;
    uint64_t arming_ns;  /* when arming began: earlier touches are not of this watch */
    uint64_t armed_ns;   /* approximate time when it was armed */
    uint64_t touched_ns; /* 0: not yet */
    bool armed;
};

struct watch_line {
    bool busy;
    uint64_t samples_seen; /* samples since the line was last free */
    bool has_replacement;  /* `replacement` is to replace the current watch at the next step */
    struct watch_offer replacement;
    struct watch_offer offer;
    uint8_t leg; /* enum watch_kind */
    uint64_t origin_ns;
    uint32_t origin_tid;
    struct watch_word sampled;
    struct watch_word second_word;
    uint64_t visit_ns;           /* time of the first touch of the sampled word; 0: none yet */
    bool visit_reported;         /* the touch of the other word has been reported */
    uint64_t cpu_ns;             /* CPU time of the target when the leg was armed */
    uint64_t codes[WATCH_CODES]; /* instructions of the visit that the leg counts from */
    unsigned code_count;
};

struct watch_lines {
    struct watch_operations operations;
    struct watch_budget *budget;
    double trap_ns; /* one touch */
    double arm_ns;  /* one arming, running average */
    struct prng prng;
    unsigned slots;
    unsigned count; /* lines watched at a time */
    struct watch_line at[WATCH_LINES];
    struct watch_result results[WATCH_RESULTS];
    size_t result_count;
    uint64_t offered;
    uint64_t over_budget; /* drawn, but not within the budget */
    uint64_t armed;
    uint64_t touches;
    int arm_error; /* the last error of arm() */
};

/* Initialises the lines for 1 to WATCH_SLOTS registers. The caller keeps both pointers. */
void watch_lines_init(struct watch_lines *lines, const struct watch_operations *arms,
                      unsigned slots, struct watch_budget *budget, double trap_ns, uint64_t seed);

/* Offers a sample; the next step arms the drawn ones. */
void watch_lines_offer(struct watch_lines *lines, const struct watch_offer *offer);

/* Handles a touch. Call in time order. */
void watch_lines_touch(struct watch_lines *lines, const struct watch_touch *touch);

/* Call soon after offers and touches. Ends legs that lasted long enough; arms drawn samples. */
void watch_lines_step(struct watch_lines *lines);

/* Drops all watches, because the process has executed another program. */
void watch_lines_drop(struct watch_lines *lines);

/* Takes the results that ended up to `until_ns`, at most `most`. Returns their number. */
size_t watch_lines_results(struct watch_lines *lines, uint64_t until_ns, struct watch_result *out,
                           size_t most);

struct watch;

/* Opens the watchpoints of a process. `part`: share of the target's CPU time that may be spent,
 * above 0. Arms nothing yet. Returns 0, or a negative errno with cause and remedy. */
int watch_open(struct watch **watch, pid_t pid, double part, struct error *error);
void watch_close(struct watch *watch);

/* Returns a descriptor, readable when a word is touched or `beside` is readable; -1: none. */
int watch_fd(struct watch *watch, int beside);

void watch_offer(struct watch *watch, const struct watch_offer *offer);

/* Reads touches and arms drawn samples. Call often: the delay until then is blind time. */
void watch_pump(struct watch *watch);

size_t watch_results(struct watch *watch, uint64_t until_ns, struct watch_result *out, size_t most);

/* Follows threads that started and ended. Call once per refresh. */
void watch_tick(struct watch *watch);

/* Drops all watches. Call when the process has executed another program. */
void watch_exec(struct watch *watch);

/* Fills in progress and cost only. *refused: last error of arming, a negative errno; 0: none. */
struct snapshot_watch watch_state(const struct watch *watch, int *refused);

/* Tests on misstop itself whether debug registers are available, and measures a touch. */
void watch_doctor(FILE *out);

/*
 * The debug registers of a process, by perf breakpoint events (PERF_TYPE_BREAKPOINT,
 * include/uapi/linux/hw_breakpoint.h): arms a word in every thread and reads touches back. The
 * target is neither stopped nor written to, and gets no signal: the kernel handles the trap.
 *
 * Each thread has an event per armed register. PERF_EVENT_IOC_REFRESH lets it report one touch
 * before the kernel switches it off, so even a hot word costs only one trap per thread. The kernel
 * refuses that for inherited events, so new threads are followed instead. Each watch opens a new
 * event instead of moving the old one by PERF_EVENT_IOC_MODIFY_ATTRIBUTES: the allowance of a watch
 * without a touch cannot be taken back, and Linux 6.18 does not let an event that has switched
 * itself off report again. Records go to a ring per thread, held by a dummy event. Owned by
 * watch.c.
 */
struct kernel;

enum { WATCH_THREADS_MAX = 256 };

struct watch_thread {
    pid_t tid;
    int ring_fd;
    struct ring ring;
    int fds[WATCH_SLOTS]; /* -1: not armed */
};

struct watch_registers {
    const struct kernel *kernel;
    pid_t pid;
    bool counts_kernel; /* touches by the kernel on behalf of the process end a watch, too */
    unsigned slots;     /* registers that were free */
    uint64_t armed[WATCH_SLOTS];  /* the word that each register watches */
    struct watch_thread *threads; /* [WATCH_THREADS_MAX] */
    size_t thread_count;
    size_t threads_left_out; /* threads beyond the maximum, or without a ring */
    int epoll_fd;            /* readable when a touch was recorded */
    double entry_ns; /* from a touch to the time stamp of its record, measured on ourselves */
    double trap_ns;  /* of one touch in total, measured on ourselves */
    double arm_ns;   /* of arming one thread, measured in misstop: an upper bound */
    struct watch_touch *touches; /* buffer of one reading */
    size_t touch_room;
};

/* Finds out how many registers the process has free, and what a trap costs here. Returns -ENOSPC if
 * all are taken; -EACCES, -ENOSYS, -EOPNOTSUPP and others with the remedy. */
int watch_registers_open(struct watch_registers *registers, pid_t pid, const struct kernel *kernel,
                         struct error *error);
void watch_registers_close(struct watch_registers *registers);

void watch_registers_follow(struct watch_registers *registers);

/* Arm and disarm for struct watch_operations: return the cost to the target in ns, or a negative
 * errno if no thread could be armed. *from_ns is in the middle between the first and the last
 * thread. */
double watch_registers_arm(struct watch_registers *registers, unsigned slot, uint64_t address,
                           uint64_t *from_ns);
double watch_registers_disarm(struct watch_registers *registers, unsigned slot, uint32_t tid,
                              uint64_t *ran_ns);

/* Returns the touches since the last call, in time order; valid until the next call. */
size_t watch_registers_read(struct watch_registers *registers, const struct watch_touch **touches);

/* Returns the CPU time of all threads of the process; 0: gone. */
uint64_t watch_registers_cpu_ns(const struct watch_registers *registers);

#endif
