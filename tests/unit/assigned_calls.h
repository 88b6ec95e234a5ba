/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_TESTS_ASSIGNED_CALLS_H
#define MISSTOP_TESTS_ASSIGNED_CALLS_H

#include <stddef.h>

/* Told what name the result ought to be found under; "": none. */
typedef void *assigned_alloc(const char *expected, size_t size);

void assigned_calls(assigned_alloc *alloc);

#endif
