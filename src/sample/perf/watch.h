/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watchpoints on a running process (--watch): takes sampled accesses, watches the lines of some of
 * them within a budget, and hands over what became of each. Driven by the engine beside the
 * sampler; one thread only.
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

/*
 * The cost to the target that watchpoints may cause: a token bucket that fills with a part of the
 * CPU time the target uses, and pays for every trap and every arming. Owned by watch.c.
 */
struct watch_budget {
    double part;       /* of the target's CPU time, 0..1 */
    double tokens_ns;  /* may be spent now; negative: overdrawn, to be waited for */
    uint64_t cpu_ns;   /* as reported last */
    uint64_t wall_ns;  /* likewise */
    double spent_ns;   /* since the start */
    double granted_ns; /* CPU time that counted since the start */
    bool started;
};

void watch_budget_init(struct watch_budget *budget, double part);

/*
 * CPU time that the target has used up to a moment of CLOCK_MONOTONIC. Counts for no more than one
 * CPU, so that a target of many threads does not keep misstop itself busy arming.
 */
void watch_budget_refill(struct watch_budget *budget, uint64_t cpu_ns, uint64_t wall_ns);

void watch_budget_spend(struct watch_budget *budget, double cost_ns);

/* Spent, as a part of the CPU time that counted; NAN: none yet. */
double watch_budget_share(const struct watch_budget *budget);

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
 *     round again, the line is in use all the time, and that is reported;
 *   - a visit asks whether the other word was touched within WATCH_VISIT_NS of the sampled one.
 * A touch ends a leg and switches its register off: a hot line costs one trap, not millions.
 */
enum {
    WATCH_SLOTS = 4, /* debug registers of x86 */
    WATCH_LINES = 2,
    WATCH_LINE_BYTES = 64,
    WATCH_WORD_BYTES = 8,
    WATCH_CODES = 4, /* instructions of a visit that are distinguished */
    WATCH_RESULTS = 512
};
#define WATCH_VISIT_NS   UINT64_C(1000000)
#define WATCH_LONGEST_NS UINT64_C(1000000000)
/* Long enough, where the target ran for as long: any cache has been filled meanwhile, twice. */
#define WATCH_ENOUGH_NS UINT64_C(100000000)

/* Both return the cost to the target in ns, or a negative errno. */
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

/* A touch that a register reported. */
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
    bool wanted;   /* `next` is to be watched from the next step on, instead of the present one */
    struct watch_offer next;
    struct watch_offer offer;
    uint8_t leg; /* enum watch_kind */
    uint64_t origin_ns;
    uint32_t origin_tid;
    struct watch_word sampled;
    struct watch_word other;
    uint64_t visit_ns;           /* when the sampled word was touched first; 0: not yet */
    bool visited;                /* the touch of the other word has been reported */
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

/* Offers a sample; the drawn ones are armed by the next step. */
void watch_lines_offer(struct watch_lines *lines, const struct watch_offer *offer);

/* In time order. */
void watch_lines_touch(struct watch_lines *lines, const struct watch_touch *touch);

/* Ends what has lasted long enough, and arms what was drawn. Soon after offers and touches. */
void watch_lines_step(struct watch_lines *lines);

/* The process is another program now: the watched data are gone. */
void watch_lines_drop(struct watch_lines *lines);

/* Takes the results that ended by then. Returns how many, at most `most`. */
size_t watch_lines_results(struct watch_lines *lines, uint64_t until_ns, struct watch_result *out,
                           size_t most);

struct watch;

/*
 * `part`: of the target's CPU time that may be spent, above 0. Nothing is armed yet. Negative errno
 * with cause and remedy.
 */
int watch_open(struct watch **watch, pid_t pid, double part, struct error *error);
void watch_close(struct watch *watch);

/* Readable when something was touched, or `beside` is readable; -1: none could be had. */
int watch_fd(struct watch *watch, int beside);

void watch_offer(struct watch *watch, const struct watch_offer *offer);

/* Reads what was touched, arms what was drawn. Often: time until then is time not seen. */
void watch_pump(struct watch *watch);

/* The results that ended by then, at most `most`. */
size_t watch_results(struct watch *watch, uint64_t until_ns, struct watch_result *out, size_t most);

/* Once per refresh: threads that came and went. */
void watch_tick(struct watch *watch);

/* The process runs another program now. */
void watch_exec(struct watch *watch);

/* Progress and cost, for the user; the rest is not filled. *refused: the last error of arming,
 * negative errno; 0: none. */
struct snapshot_watch watch_state(const struct watch *watch, int *refused);

/* For `misstop doctor`: whether a process has debug registers to be watched by, and what a touch
 * costs; tried on ourselves. */
void watch_doctor(FILE *out);

/*
 * The debug registers of a process, by perf breakpoint events (PERF_TYPE_BREAKPOINT,
 * include/uapi/linux/hw_breakpoint.h): armed on a word in every thread, touches read back. The
 * target is neither stopped nor written to, and gets no signal: the trap is handled in the kernel.
 *
 * Each thread has an event per armed register, which PERF_EVENT_IOC_REFRESH lets report one touch
 * before the kernel itself switches it off; however hot the word is, it costs one trap a thread.
 * The kernel refuses that for inherited events, so threads are followed instead. An event is opened
 * anew for each watch, not moved by PERF_EVENT_IOC_MODIFY_ATTRIBUTES: what a watch that was not
 * touched was allowed cannot be taken back, and Linux 6.18 does not let an event that has switched
 * itself off report again. Records go to a ring per thread, held by a dummy event.
 * Owned by watch.c.
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
    bool kernel_too; /* touches by the kernel for the process are reported and end a watch, too */
    unsigned slots;  /* registers that were free */
    uint64_t armed[WATCH_SLOTS];  /* the word each watches */
    struct watch_thread *threads; /* [WATCH_THREADS_MAX] */
    size_t thread_count;
    size_t threads_left_out; /* more than that, or no ring to be had */
    int epoll_fd;            /* readable when a touch was recorded */
    double entry_ns; /* from a touch to the time stamp of its record, as measured on ourselves */
    double trap_ns;  /* of one touch with all it brings, as measured on ourselves */
    double arm_ns;   /* of arming one thread, as it takes us: an upper bound */
    struct watch_touch *touches; /* scratch of a reading */
    size_t touch_room;
};

/*
 * Finds out how many registers the process has free, and what a trap costs here. -ENOSPC: all are
 * taken; -EACCES, -ENOSYS, -EOPNOTSUPP and others with what helps.
 */
int watch_registers_open(struct watch_registers *registers, pid_t pid, const struct kernel *kernel,
                         struct error *error);
void watch_registers_close(struct watch_registers *registers);

/* Threads that came and went. Once per refresh. */
void watch_registers_follow(struct watch_registers *registers);

/* As struct watch_arms wants them: ns that it costs the target, or a negative errno where no
 * thread could be armed. *from_ns is in the middle between the first and the last thread. */
double watch_registers_arm(struct watch_registers *registers, unsigned slot, uint64_t address,
                           uint64_t *from_ns);
double watch_registers_disarm(struct watch_registers *registers, unsigned slot, uint32_t tid,
                              uint64_t *ran_ns);

/* Touches since the last call, in time order; valid until the next one. */
size_t watch_registers_read(struct watch_registers *registers, const struct watch_touch **touches);

/* CPU time of the process, all threads; 0: gone. */
uint64_t watch_registers_cpu_ns(const struct watch_registers *registers);

#endif
