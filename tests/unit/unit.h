/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cmocka.h wants included before it, and cmocka. */
#ifndef MISSTOP_TESTS_UNIT_H
#define MISSTOP_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
