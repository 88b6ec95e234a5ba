/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of the tool's own: for good, and for a question, all of it given back at once.
 * Both are as struct model_host wants them: zeroed, aligned to 64; NULL: none left. */
#ifndef MISSTOP_VALGRIND_PAGES_H
#define MISSTOP_VALGRIND_PAGES_H

#include "pub_tool_basics.h"

#include <stddef.h>

void *pages_keep(void *context, size_t size_bytes);

/* Of a question, begun with zeros: the context of pages_take(). */
struct pages {
    struct pages_slab *slabs;
    Addr next_free;
    SizeT left_bytes;
};

void *pages_take(void *pages, size_t size_bytes);
void pages_give_back(struct pages *pages);

#endif
