/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All tables of all screens, and the columns that each begins with. */
#include "view/browser.h"

#include <stddef.h>

struct listed_table {
    size_t at; /* in struct browser */
    const struct columns *columns;
};

static const struct listed_table tables[] = {
    {offsetof(struct browser, objects), &object_columns},
    {offsetof(struct browser, detail.fields), &field_columns},
    {offsetof(struct browser, detail.code), &toucher_columns},
    {offsetof(struct browser, detail.instances), &instance_columns},
    {offsetof(struct browser, detail.levels), &levels_columns},
    {offsetof(struct browser, sets.parts), &part_columns},
    {offsetof(struct browser, search.regions), &region_columns},
    {offsetof(struct browser, search.dropped), &dropped_columns},
    {offsetof(struct browser, code.functions), &function_columns},
    {offsetof(struct browser, code.table), &site_columns},
    {offsetof(struct browser, code.source), &source_columns},
    {offsetof(struct browser, code.accesses), &instruction_columns},
    {offsetof(struct browser, code.threads), &thread_columns},
    {offsetof(struct browser, window.lines), &line_columns},
    {offsetof(struct browser, window.pairs), &pair_columns},
    {offsetof(struct browser, picker.processes), &process_columns},
    {offsetof(struct browser, picker.of_recording), &recorded_columns},
    {offsetof(struct browser, heap.bins), &bin_columns},
    {offsetof(struct browser, layout.table), &layout_columns},
    {offsetof(struct browser, sharing.groups), &sharing_columns},
    {offsetof(struct browser, sharing.lines), &sharing_line_columns},
    {offsetof(struct browser, sharing.accesses), &sharing_access_columns},
    {offsetof(struct browser, timeline.phases), &phase_columns},
    {offsetof(struct browser, findings), &finding_columns},
    {offsetof(struct browser, watch), &watch_columns},
    {offsetof(struct browser, causes.table), &causes_columns[CAUSES_OBJECTS]},
    {offsetof(struct browser, reuse.objects), &reuse_columns},
    {offsetof(struct browser, reuse.lines), &reuse_line_columns},
    {offsetof(struct browser, whatif.questions), &whatif_choice_columns},
    {offsetof(struct browser, whatif.asked), &whatif_asked_columns},
    {offsetof(struct browser, whatif.answer), &whatif_columns},
};

struct table *browser_listed_table(struct browser *browser, unsigned index)
{
    return index < sizeof tables / sizeof *tables
               ? (struct table *)((char *)browser + tables[index].at)
               : NULL;
}

const struct columns *browser_listed_columns(unsigned index)
{
    return index < sizeof tables / sizeof *tables ? tables[index].columns : NULL;
}
