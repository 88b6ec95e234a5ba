/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where samples can come from (doc/facts.md). A source says what it can give, which
 * events it wants, and how their attributes look; the session opens and reads them all alike.
 */
#ifndef MISSTOP_SAMPLE_PERF_SOURCE_H
#define MISSTOP_SAMPLE_PERF_SOURCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/kernel.h"
#include "sample/perf/event.h"
#include "sample/perf/record.h"

/* The events of a session as they are to be opened; the first one ranks. */
struct source_plan {
    struct event events[SAMPLE_EVENTS_MAX];
    unsigned count;
    bool software;         /* all of them */
    char weighs[96];       /* meaning of the ranking event's samples; set by source_try() */
    uint64_t first_period; /* of the ranking event, before anything is known of its rate */
    uint64_t period_step;  /* periods are multiples of it; 0: any will do */
    uint64_t period_least; /* shorter ones are refused; 0: any will do */
    bool first_optional;   /* without -e: where the first event does not open, the next ranks */
    bool kernel_too;       /* the hardware cannot leave kernel mode out */
    bool needs_aux;        /* load latency wants mem-loads-aux as group leader */
    struct event aux;
};

struct source {
    const char *name;
    bool exact_address;
    bool exact_ip;
    bool latency;
    bool data_source;
    bool alien_regs;
    /*
     * Plans the events (`list` is -e or NULL). Answers whether this machine has the source:
     * -ENODEV with the reason when not, -EINVAL for a bad list.
     */
    int (*plan)(struct source_plan *plan, const char *list, const struct kernel *kernel,
                struct error *error);
    /* Sets the source's own members in an attribute that is otherwise complete; NULL: none. */
    void (*attribute)(const struct source_plan *plan, const struct event *event,
                      struct perf_event_attr *attr);
    /* The last word, once it is known which events open. NULL: none. */
    void (*settle)(struct source_plan *plan);
    /* Why the kernel said `code` to this source in particular, and what helps; NULL: nothing
     * particular. One sentence without the event's name. NULL: none at all. */
    const char *(*remedy)(int code, const struct kernel *kernel);
    const char *enable; /* how the user can enable it, for doctor */
};

/* In the order that `auto` tries them. */
extern const struct source source_pebs;
extern const struct source source_ibs;
extern const struct source source_counter;
extern const struct source source_clock;

enum { SOURCES = 4 };
const struct source *source_at(unsigned index);

/* NULL: no source of that name. */
const struct source *source_find(const char *name);

/*
 * Opens the plan's ranking event once on process `pid` and closes it again: whether the kernel
 * takes it. Falls back to the next candidate of an alias, to precise_ip 1 where 2 cannot be had,
 * and sets what the kernel demands (needs_aux). -errno with cause and remedy.
 */
int source_try(const struct source *source, struct source_plan *plan, pid_t pid,
               const struct kernel *kernel, struct error *error);

/* Attributes of an event of the plan, complete except for the period. */
void source_attribute(const struct source *source, const struct source_plan *plan,
                      const struct event *event, struct perf_event_attr *attr);

/* The same for the leader of the first event, where the plan needs one: it only counts. */
void source_aux_attribute(const struct source_plan *plan, const struct perf_event_attr *first,
                          struct perf_event_attr *attr);

/* Whether each event is a fault; its samples carry the faulting address. */
bool source_faults(const struct perf_event_attr *attr);

/* How the records of an event opened with `attr` are to be read. */
struct record_format source_format(const struct source *source, const struct perf_event_attr *attr,
                                   uint16_t index);

/* Parses a -e list into plan->events, or the default list. 0 or -EINVAL, -ENOENT. */
int source_plan_list(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error);

/*
 * Adds stalled cycles and all cycles to a plan that samples accesses, where the CPU counts both on
 * all of its cores: their ratio is the part of the time that waits.
 */
void source_offer_stalls(struct source_plan *plan, const struct kernel *kernel);

/* The `settle` of these sources: one of the two has no ratio. */
void source_settle_stalls(struct source_plan *plan);

/* One line on why perf_event_open said `code` to `what`, with the remedy. Negative errno. */
int source_explain(const struct source *source, int code, const struct source_plan *plan,
                   const char *what, const struct kernel *kernel, struct error *error);

/*
 * Which of all accesses a precise source samples: the words of -e that pebs and ibs take beside
 * or instead of event names. For the two sources only.
 */
struct filter {
    uint32_t ldlat_cycles; /* loads that took as long or longer; 0: not asked for */
    bool l3_miss_only;
    bool events; /* the list has other words too */
};

/* Reads "ldlat=64", "l3missonly" out of `list` (NULL: none). 0, or -EINVAL for a bad number. */
int filter_parse(struct filter *filter, const char *list, struct error *error);

#endif
