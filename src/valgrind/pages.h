/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of the tool's own: for good, and for one question at a time, all of it given back at once.
 * Both are as struct model_host wants them: zeroed, aligned to 64; NULL: none left. */
#ifndef MISSTOP_VALGRIND_PAGES_H
#define MISSTOP_VALGRIND_PAGES_H

#include "pub_tool_basics.h"

#include <stddef.h>

void *pages_keep(void *context, size_t size_bytes);

void *pages_take(void *context, size_t size_bytes);
void pages_give_back(void);

#endif
