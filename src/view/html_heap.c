/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap beside its misses, and the search; declared in html_part.h. */
#include "view/html_part.h"

#include "base/text.h"
#include "view/html_table.h"

#include <inttypes.h>

enum { BIN_ROWS = 60, REGION_ROWS = 40 };

void html_heap(struct html_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    char bytes[16];
    if (summary->feed == HEAP_FEED_NONE)
        return;
    html_section(writer, "heap", "Heap",
                 "Who allocated the memory that is live, and how many of the misses fell on it.");
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

void html_search(struct html_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    if (search->state == SEARCH_OFF)
        return;
    html_section(writer, "search", "Search",
                 "Address ranges measured and halved until those with most misses were left.");
    html_markup(writer, "<p>");
    html_format(writer, "In %s: %s, round %" PRIu32 ", %" PRIu32 " ways",
                search->what && *search->what ? search->what : "all",
                search_state_name(search->state), search->iteration, search->ways);
    if (html_known(search->explained))
        html_markup(writer, "; what was found explains %.1f%%", search->explained * 100);
    html_markup(writer, ".</p>\n");
    html_table(writer, &(struct html_table){.columns = &region_columns,
                                            .rows = search->regions,
                                            .count = search->region_count,
                                            .most = REGION_ROWS});
    html_section_end(writer);
}
