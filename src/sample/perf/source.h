/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of samples (doc/facts.md). A source reports what it can deliver, which events it
 * needs, and how their attributes look; the session treats all sources alike. */
#ifndef MISSTOP_SAMPLE_PERF_SOURCE_H
#define MISSTOP_SAMPLE_PERF_SOURCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/kernel.h"
#include "sample/perf/event.h"
#include "sample/perf/record.h"

/* The events to open for a session; the first one ranks. */
struct source_plan {
    struct event events[SAMPLE_EVENTS_MAX];
    unsigned count;
    bool software;         /* all events are software events */
    char weight_unit[96];  /* meaning of the ranking event's samples; set by source_try() */
    uint64_t first_period; /* of the ranking event, until its rate is known */
    uint64_t period_step;  /* periods are multiples of it; 0: no restriction */
    uint64_t period_min;   /* shorter periods are refused; 0: no restriction */
    bool first_optional;   /* without -e: if the first event does not open, the next one ranks */
    bool includes_kernel;  /* the hardware cannot exclude kernel mode */
    bool needs_aux;        /* load latency needs mem-loads-aux as group leader */
    struct event aux;
};

struct source {
    const char *name;
    bool exact_address;
    bool exact_ip;
    bool has_latency;
    bool has_data_source;
    bool has_skid_regs;
    /* Plans the events (`list` is -e or NULL) and checks whether this machine has the source.
     * Returns 0; -ENODEV with the reason if it has not; -EINVAL for a bad list. */
    int (*plan)(struct source_plan *plan, const char *list, const struct kernel *kernel,
                struct error *error);
    /* Sets the source's own members of an otherwise complete attribute; NULL: none. */
    void (*attribute)(const struct source_plan *plan, const struct event *event,
                      struct perf_event_attr *attr);
    /* Final adjustment, once it is known which events open. NULL: none. */
    void (*settle)(struct source_plan *plan);
    /* Explains in one sentence, without the event's name, why the kernel returned `code` to this
     * source, and what helps. Returns NULL if the cause is a general one. NULL: no explanations. */
    const char *(*remedy)(int code, const struct kernel *kernel);
    const char *enable; /* how the user can enable it, for doctor */
};

/* In the order in which `auto` tries them. */
extern const struct source source_pebs;
extern const struct source source_ibs;
extern const struct source source_counter;
extern const struct source source_clock;

enum { SOURCES = 4 };
const struct source *source_at(unsigned index);

/* Returns NULL if there is no source of that name. */
const struct source *source_find(const char *name);

/*
 * Opens and closes the ranking event on process `pid`. Falls back to the next candidate of an
 * alias, or to precise_ip 1, and sets what the kernel requires (needs_aux). Returns 0, or -errno
 * with cause and remedy.
 */
int source_try(const struct source *source, struct source_plan *plan, pid_t pid,
               const struct kernel *kernel, struct error *error);

/* Fills the attribute of an event of the plan, except for the period. */
void source_attribute(const struct source *source, const struct source_plan *plan,
                      const struct event *event, struct perf_event_attr *attr);

/* Fills the attribute of the leader of the first event if the plan needs one; it only counts. */
void source_aux_attribute(const struct source_plan *plan, const struct perf_event_attr *first,
                          struct perf_event_attr *attr);

/* Returns true if each event is a fault, with the faulting address in its samples. */
bool source_faults(const struct perf_event_attr *attr);

struct record_format source_format(const struct source *source, const struct perf_event_attr *attr,
                                   uint16_t index);

/* Parses a -e list, or the default list, into plan->events. Returns 0, -EINVAL or -ENOENT. */
int source_plan_list(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error);

/* Adds stalled cycles and all cycles to a plan that samples accesses, if all cores of the CPU count
 * both: their ratio is the share of the time spent waiting. */
void source_offer_stalls(struct source_plan *plan, const struct kernel *kernel);

/* Removes stalls and cycles unless both are present: the `settle` function of these sources. */
void source_settle_stalls(struct source_plan *plan);

/* Explains why perf_event_open returned `code`, with the remedy. Returns a negative errno. */
int source_explain(const struct source *source, int code, const struct source_plan *plan,
                   const char *what, const struct kernel *kernel, struct error *error);

/* Words of -e that pebs and ibs accept in addition to or instead of event names. */
struct filter {
    uint32_t ldlat_cycles; /* loads that took at least this long; 0: not requested */
    bool l3_miss_only;
    bool has_events; /* the list has other words, too */
};

/* Reads "ldlat=64", "l3missonly" from `list` (NULL: none). -EINVAL: a bad number. */
int filter_parse(struct filter *filter, const char *list, struct error *error);

#endif
