/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file written by logger. */
#ifndef MISSTOP_TESTS_LOGGER_H
#define MISSTOP_TESTS_LOGGER_H

#include <stdint.h>

enum log_kind { LOG_NOTHING, LOG_ALLOC, LOG_FREE };

struct log_head {
    uint64_t count; /* of the following entries; LOG_NOTHING entries are unused */
    uint64_t start_ns;
    uint64_t end_ns;
};

struct log_entry {
    uint64_t kind;
    uint64_t stamp;     /* after an allocation, before a free */
    uint64_t before_ns; /* CLOCK_MONOTONIC before and after the call */
    uint64_t after_ns;
    uint64_t address;
    uint64_t size;
    uint64_t usable;
};

#endif
