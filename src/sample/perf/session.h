/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A live session: the kernel events of one process, on every CPU and thread, and the rings that
 * receive their records. An event with inherit and cpu = -1 cannot be mapped (doc/facts.md), so
 * each thread gets one event per CPU, and all events of a CPU write to the ring of that CPU. Owned
 * by the sampler.
 */
#ifndef MISSTOP_SAMPLE_PERF_SESSION_H
#define MISSTOP_SAMPLE_PERF_SESSION_H

#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "sample/kernel.h"
#include "sample/perf/source.h"
#include "sample/sampler.h"

enum {
    SESSION_RING_BYTES = 512 * 1024, /* limit of perf_event_mlock_kb (516) per CPU */
    SESSION_STAGED_MAX = 8 << 20, /* read but not handed over; further records stay in the rings */
    SESSION_STACK_BYTES = 1024,   /* per sample, at most; half of it at high rates */
    SESSION_STACK_BYTES_PER_S = 2 << 20, /* so that a ring holds 200 ms of samples */
    SESSION_LOST_PART = 50,              /* losing more than one sample in this many is too much */
    SESSION_RATE = 2000,                 /* default samples per second */
    SESSION_RATE_MIN = 100,              /* lower bound, however many samples are lost */
    SESSION_RATE_SPARING = 100,          /* if switched often: a period above most ticks */
    SESSION_STACK_RATE_MAX = 10000       /* highest rate with stacks, in samples per second */
};

/* Minimum time between two reopenings of events, for a lower and for a higher rate. */
#define SESSION_SLOWER_NS CLOCK_NS_PER_S
#define SESSION_FASTER_NS (10 * CLOCK_NS_PER_S)

struct session_handle {
    int fd;
    uint16_t event;
    uint16_t cpu; /* index into cpus */
};

struct session_cpu {
    int number;
    int owner_fd;    /* the event that owns the ring of this CPU; -1: CPU not in use */
    bool owner_left; /* it is no longer a handle and only keeps the ring */
    struct ring ring;
};

struct session_event {
    struct perf_event_attr attr;
    struct record_format format;
    uint64_t period;
    uint64_t target_period;  /* the period before jitter */
    uint64_t applied_period; /* the same when all handles were last set */
    uint64_t samples;        /* since the last steering */
    uint64_t opened;
    double running_share; /* share of the time that it was counted; NAN: not known yet */
};

struct session {
    const struct kernel *kernel;
    const struct source *source;
    struct source_plan plan;
    struct sampler_options options;
    struct session_event events[SAMPLE_EVENTS_MAX];
    struct session_cpu *cpus;
    size_t cpu_count;
    struct session_handle *handles;
    size_t handle_count;
    size_t handle_room;
    struct threads threads;
    struct hash event_of_id;
    struct prng prng;
    int epoll_fd;
    int pid_fd; /* readable when the process has ended; -1: kernel before 5.3 */
    bool enabled;
    bool enables_one_by_one;  /* events opened from now on are enabled one by one */
    bool no_inherit_thread;   /* kernel before 5.13: forked children are filtered by pid only */
    sampler_may *may_deliver; /* NULL: hand over all records */
    void *may_deliver_context;
    bool has_backlog;      /* records that could be handed over are waiting */
    double rate;           /* samples per second: requested, or what misstop can process */
    bool rate_was_reduced; /* fewer samples have been taken than requested */
    bool reduces_rate; /* fewer samples: switched often, in a virtual machine, no rate requested */
    struct switching switching;
    uint64_t opened_period; /* period of the ranking event when the events were opened, */
    uint64_t opened_ns;     /* and the time of that */
    uint64_t opening_ns;    /* duration of that opening */
    uint64_t lost;          /* lost samples of all events since the last steering */
    uint64_t adjusted_ns;
    size_t next_read_handle; /* next handle to be read for multiplexing */
    size_t next_set_handle;  /* next handle to get another period */
    int open_error;          /* last error of an event that could not be opened */
    /* Records of one drain, sorted by time before they are delivered. */
    unsigned char *staging;
    size_t staging_used;
    size_t staging_room;
    struct session_order *order;
    size_t order_count;
    size_t order_room;
    uint64_t last_ns;
    uint64_t malformed_records;
};

struct session_order {
    uint64_t time_ns;
    uint64_t offset; /* in staging; also keeps records of equal time in order */
};

int session_open(struct session *session, const struct source *source,
                 const struct source_plan *plan, const struct sampler_options *options,
                 const struct kernel *kernel, struct error *error);
void session_close(struct session *session);
int session_enable(struct session *session, bool on);
long session_read(struct session *session, uint64_t until_ns, sampler_sink sink, void *context);
int session_tick(struct session *session, uint64_t now_ns);

/* Updates the share of time that events were counted, from a few handles in turn. */
void session_update_times(struct session *session);

/* Prime and jittered, so that they do not resonate with the program (Buck and Hollingsworth 3.1:
 * 50,000 had an error of 14.6 points, the prime 50,111 of 0.3). Pure functions. */

/* Returns the smallest prime >= value, at least 2. */
uint64_t period_prime(uint64_t value);

/* Returns a random prime within about 10 % of the period. */
uint64_t period_jitter(uint64_t period, struct prng *prng);

/* Returns `step` times a random prime, at least one step, for hardware that counts in steps. */
uint64_t period_jitter_step(uint64_t period, uint64_t step, struct prng *prng);

/* Returns the period for `wanted` samples per second, from the rate that `period` gave: at most a
 * factor of 4 per call, damped, within [low, high]. Halves it if there were no samples. */
uint64_t period_steer(uint64_t period, double samples_per_s, double wanted_per_s, uint64_t low,
                      uint64_t high);

#endif
