/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time: by object, and below that, to be opened, by function, thread and field, and
 * by the other measures that are sampled; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/html_timeline_chart.h"
#include "view/measure_words.h"

enum { PHASE_ROWS = 60, OBJECTS_OPENED = 3, LABEL_BYTES = 320 };

/* One more picture, closed; none of a single series, which is the picture of everything. */
static void write_more(struct html_writer *writer, enum snapshot_measure measure,
                       const struct timeline_stack *stack)
{
    const char *name = measure_name(writer->snapshot, measure);
    char label[LABEL_BYTES];
    if (stack->count < 2 || !stack->all)
        return;
    snprintf(label, sizeof label, "%s by %s%s%.200s", name, stack->title, stack->of ? " of " : "",
             stack->of ? stack->of : "");
    html_markup(writer, "<details><summary>");
    html_text(writer, label);
    html_markup(writer, "</summary>\n");
    html_timeline_chart(writer, stack, name, label);
    html_markup(writer, "</details>\n");
}

static void write_fields(struct html_writer *writer, enum snapshot_measure measure)
{
    const struct snapshot_measured *measured = &writer->snapshot->timeline.by[measure];
    for (size_t i = 0; i < measured->objects.count && i < OBJECTS_OPENED; i++) {
        struct timeline_stack stack = timeline_stack_fields(measured, &measured->objects.list[i]);
        write_more(writer, measure, &stack);
    }
}

/* All but the picture of what ranks by object, which stands open above. */
static void write_others(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        enum snapshot_measure measure =
            (enum snapshot_measure)(((int)timeline->ranks + i) % SNAPSHOT_MEASURES);
        const struct snapshot_measured *measured = &timeline->by[measure];
        struct timeline_stack objects = timeline_stack_of(measured, "object", &measured->objects);
        struct timeline_stack functions =
            timeline_stack_of(measured, "function", &measured->functions);
        struct timeline_stack threads = timeline_stack_of(measured, "thread", &measured->threads);
        if (i)
            write_more(writer, measure, &objects);
        write_more(writer, measure, &functions);
        write_more(writer, measure, &threads);
        write_fields(writer, measure);
    }
}

void html_timeline(struct html_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    const char *name = measure_name(writer->snapshot, timeline->ranks);
    char lead[LABEL_BYTES];
    if (timeline->periods < 2 || !html_known(timeline->start_s) ||
        !html_known(timeline->period_s) || !(timeline->period_s > 0))
        return;
    snprintf(
        lead, sizeof lead,
        "From left to right, the part of the %.100s that fell on each object. A letter names a "
        "phase: phases of one letter are alike.",
        name);
    html_section(writer, "time", "The run over time", lead);
    struct timeline_stack objects = timeline_stack_of(ranking, "object", &ranking->objects);
    html_timeline_chart(writer, &objects, name, "parts of objects over time");
    html_element(writer, "p", "says", timeline->reading);
    html_table(writer, &(struct html_table){.columns = &phase_columns,
                                            .rows = timeline->phases,
                                            .count = timeline->phase_count,
                                            .most = PHASE_ROWS});
    write_others(writer);
    html_volatility(writer);
    html_section_end(writer);
}
