/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the n-way search found, and what it left; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"

#include <inttypes.h>
#include <string.h>

enum { REGION_ROWS = 40, DROPPED_ROWS = 8 };

static bool region_link(const struct snapshot *snapshot, const void *pointer, char *id, size_t size)
{
    const struct snapshot_region *region = pointer;
    for (size_t i = 0; region->object && *region->object && i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, region->object))
            return html_object_link(snapshot, &snapshot->objects[i], id, size);
    return false;
}

static void write_state(struct html_writer *writer, const struct snapshot_search *search)
{
    html_markup(writer, "<p>");
    html_format(writer, "Searched: %s, %" PRIu32 " ways at a time. ",
                search->what && *search->what && strcmp(search->what, "all") != 0
                    ? search->what
                    : "the whole address space",
                search->ways);
    html_format(writer,
                search->state == SEARCH_SETTLED ? "It has settled, after %" PRIu32 " rounds"
                                                : "It was still going on, in round %" PRIu32
                                                  ", when this was written",
                search->iteration);
    if (search->restarts)
        html_format(writer, ", having begun anew %" PRIu32 " times", search->restarts);
    if (html_known(search->explained))
        html_markup(writer, "; what was found has <b>%.1f%%</b> of the samples there",
                    search->explained * 100);
    html_markup(writer, ".</p>\n");
}

static void write_regions(struct html_writer *writer, const struct columns *columns,
                          const struct snapshot_region *regions, size_t count, size_t most)
{
    html_table(writer, &(struct html_table){.columns = columns,
                                            .rows = regions,
                                            .count = count,
                                            .most = most,
                                            .link = region_link});
}

void html_search(struct html_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    if (search->state == SEARCH_OFF)
        return;
    html_section(
        writer, "search", "Search",
        "Ranges of addresses are measured and divided, those with most samples first, until "
        "each holds one object or one cache line: it finds what has no name, too.");
    write_state(writer, search);
    write_regions(writer, &region_columns, search->regions, search->region_count, REGION_ROWS);
    if (search->dropped_count) {
        html_markup(writer, "<h3>Measured and left, with the reason</h3>\n");
        write_regions(writer, &dropped_columns, search->dropped, search->dropped_count,
                      DROPPED_ROWS);
    }
    html_section_end(writer);
}
