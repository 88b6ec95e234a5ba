/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line, parsed and checked. Used by main and diff only. */
#ifndef MISSTOP_OPTIONS_H
#define MISSTOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "snapshot_simulation.h"
#include "view/view.h"

enum options_action {
    OPTIONS_PICK,   /* no target given: choose from a list */
    OPTIONS_ATTACH, /* -p */
    OPTIONS_LAUNCH, /* CMD */
    OPTIONS_REPLAY, /* -i */
    OPTIONS_DOCTOR,
    OPTIONS_DIFF, /* two recordings or reports; its words from command[0], "diff", on */
    OPTIONS_HELP,
    OPTIONS_VERSION
};

struct options {
    enum options_action action;
    pid_t pid;
    char **command; /* CMD and its arguments, NULL-ended */
    const char *input;
    const char *record;          /* -o; NULL: nothing is recorded */
    uint64_t record_limit_bytes; /* of one file; 0: none */
    uint32_t record_files;       /* kept; 0: the usual number */
    uint32_t threads;            /* of a replay; 0: by the CPUs */
    const char *symfs;
    bool debuginfod; /* servers may be asked for debugging information */
    const char *source;
    const char *events; /* NULL: the source's own choice */
    uint32_t rate;      /* samples per second; 0: not given */
    uint64_t period;    /* 0: steered */
    double delay_s;
    double pace;         /* --play: of a recording, from its start; NAN: straight to its end */
    uint32_t iterations; /* 0: until the end */
    bool help;
    bool version;
    bool batch;
    bool json;
    double watch;       /* --watch: part of the target's CPU time for watchpoints; 0: none */
    const char *pprof;  /* file for the run as a profile; NULL: none */
    const char *output; /* file for the reports of -b and -j; NULL: standard output */
    const char *html;   /* file for the run as a page; NULL: none */
    uint32_t window;    /* 0: default */
    double half_life_s;
    bool decays; /* -H was given */
    uint32_t ways;
    const char *search;     /* NULL: none */
    const char *time_range; /* --stretch: time range of the last report; NULL: the whole run */
    const char *cache;      /* NULL: L1d */
    const char *sim;        /* --sim: its geometry, "" for this machine's; NULL: not asked for */
    const char *sim_from;   /* function that begins counting; NULL: the start does */
    const char *sim_to;     /* function that ends it; NULL: none */
    const char *what_if[WHATIF_MAX + 1]; /* --what-if: OBJECT:QUESTION; NULL: no more are asked */
    unsigned heap;                       /* enum options_heap */
    struct view_options view;
};

/* --heap: which knowledge of the heap may be used. */
enum options_heap { OPTIONS_HEAP_AGENT = 1, OPTIONS_HEAP_WALK = 2, OPTIONS_HEAP_AUTO = 3 };

/* How one option is written, and what of the options it fills: the member, by kind, or by `own`. */
enum option_kind {
    OPTION_OWN,
    OPTION_FLAG,
    OPTION_STOP,   /* a flag after which no more is looked at */
    OPTION_TEXT,   /* without a word "" */
    OPTION_CHOICE, /* an enum */
    OPTION_SECONDS,
    OPTION_U32,
    OPTION_U64
};

struct option_rule {
    const char *name; /* NULL ends the list */
    char letter;      /* 0: none */
    bool optional;    /* the word after "=" */
    enum option_kind kind;
    size_t member;
    double low, high;
    const char *const *choices; /* of a text too; NULL: any */
    int (*own)(void *options, const char *text, struct error *error);
};

enum { OPTIONS_NARROW = 40, OPTIONS_WIDE = 1000 }; /* --width */
extern const char *const options_colors[];         /* enum view_color */

/* Takes misstop's own options, up to the program's words (`command` is ""), or those of a command
 * such as "diff", anywhere in its words. The rest is at `optind`. 0; 1: by OPTION_STOP; or -EINVAL
 * with the cause and a remedy. */
int options_take(const struct option_rule *rules, void *options, char **words, const char *command,
                 struct error *error);

/* 0; or -EINVAL with the cause and a remedy. Strings point into argv. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);

void options_help(FILE *out);

#endif
