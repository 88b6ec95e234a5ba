/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka.h with the headers that it requires. */
#ifndef MISSTOP_TESTS_UNIT_H
#define MISSTOP_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
