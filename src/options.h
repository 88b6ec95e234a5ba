/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and checks the command line. Used by main and diff only. */
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
    OPTIONS_DIFF, /* two recordings or reports; command[0] is "diff" */
    OPTIONS_HELP,
    OPTIONS_VERSION
};

struct options {
    enum options_action action;
    pid_t pid;
    char **command; /* CMD and its arguments, NULL-terminated */
    const char *input;
    const char *record;          /* -o; NULL: no recording */
    uint64_t record_limit_bytes; /* limit of one file; 0: none */
    uint32_t record_files;       /* number of files kept; 0: default */
    uint32_t threads;            /* number for a replay; 0: depends on the CPUs */
    const char *symfs;
    bool debuginfod; /* debug information may be downloaded from servers */
    const char *source;
    const char *events; /* NULL: the source's default */
    uint32_t rate;      /* samples per second; 0: not given */
    uint64_t period;    /* 0: adjusted automatically */
    double delay_s;
    double pace;         /* --play: play a recording from its start; NAN: read it to its end */
    uint32_t iterations; /* 0: until the end */
    bool help;
    bool version;
    bool batch;
    bool json;
    double watch;       /* --watch: fraction of the target's CPU time for watchpoints; 0: none */
    const char *pprof;  /* file for the run's profile; NULL: none */
    const char *output; /* file for the reports of -b and -j; NULL: standard output */
    const char *html;   /* file for the run's page; NULL: none */
    uint32_t window;    /* 0: default */
    double half_life_s;
    bool decays; /* -H was given */
    uint32_t ways;
    const char *search;     /* NULL: none */
    const char *time_range; /* --stretch: time range of the last report; NULL: the whole run */
    const char *cache;      /* NULL: L1d */
    const char *sim;        /* --sim: its geometry, "" for this machine's; NULL: not given */
    const char *sim_from;   /* function that starts counting; NULL: the program's start */
    const char *sim_to;     /* function that stops counting; NULL: none */
    const char *what_if[WHATIF_MAX + 1]; /* --what-if: OBJECT:QUESTION; NULL-terminated */
    unsigned heap;                       /* enum options_heap */
    struct view_options view;
};

/* --heap: permitted sources of heap data. */
enum options_heap { OPTIONS_HEAP_AGENT = 1, OPTIONS_HEAP_WALK = 2, OPTIONS_HEAP_AUTO = 3 };

/* Syntax of one option, and the member that it sets: by kind, or by `parse`. */
enum option_kind {
    OPTION_PARSED,
    OPTION_FLAG,
    OPTION_STOP,   /* a flag that stops parsing */
    OPTION_TEXT,   /* "" if the word is missing */
    OPTION_CHOICE, /* an enum */
    OPTION_SECONDS,
    OPTION_U32,
    OPTION_U64
};

struct option_rule {
    const char *name; /* NULL terminates the list */
    char letter;      /* 0: none */
    bool optional;    /* the word after "=" is optional */
    enum option_kind kind;
    size_t member;
    double low, high;
    const char *const *choices; /* also for a text; NULL: any */
    int (*parse)(void *options, const char *text, struct error *error);
};

enum { OPTIONS_NARROW = 40, OPTIONS_WIDE = 1000 }; /* --width */
extern const char *const options_colors[];         /* enum view_color */

/*
 * Parses misstop's own options, up to the program's words (`command` is ""), or the options of a
 * command such as "diff", anywhere in its words. The remaining words start at `optind`. Returns 0,
 * 1 after OPTION_STOP, or -EINVAL with the cause and a remedy.
 */
int options_take(const struct option_rule *rules, void *options, char **words, const char *command,
                 struct error *error);

/* Returns 0, or -EINVAL with the cause and a remedy. Strings point into argv. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);

void options_help(FILE *out);

#endif
