/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap beside its misses; declared in html_part.h. */
#include "view/html_part.h"

#include "base/text.h"
#include "view/html_table.h"

#include <inttypes.h>

enum { BIN_ROWS = 60 };

void html_heap(struct html_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    char bytes[16];
    if (summary->feed == HEAP_FEED_NONE)
        return;
    html_section(writer, "heap", "Heap",
                 "Who allocated the memory that is live, and how many of the samples are on it.");
    html_markup(writer, "<p>");
    html_format(writer, "%s in %" PRIu64 " blocks, known by %s",
                text_bytes(bytes, summary->usable_bytes), summary->live_blocks,
                summary->source ? summary->source : "?");
    if (summary->lost)
        html_markup(writer, ", %" PRIu64 " events lost", summary->lost);
    html_markup(writer, ".</p>\n");
    html_element(writer, "p", "dim", summary->note);
    html_table(writer, &(struct html_table){.columns = &bin_columns,
                                            .rows = heap->bins,
                                            .count = heap->bin_count,
                                            .most = BIN_ROWS});
    html_section_end(writer);
}
