/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for one question at a time, all of it given back at once; for whatif.c. */
#ifndef MISSTOP_VALGRIND_PAGES_H
#define MISSTOP_VALGRIND_PAGES_H

#include "pub_tool_basics.h"

#include <stddef.h>

/* Zeroed, aligned to 64; NULL: none left. As struct model_host wants it. */
void *pages_take(void *context, size_t size_bytes);
void pages_give_back(void);

#endif
