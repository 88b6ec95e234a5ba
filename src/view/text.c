/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as text for batch mode: the tables of the screen, through the same columns. */
#include "view/text_writer.h"

#include "base/text.h"
#include "view/objects_words.h"
#include "view/watch_words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

enum {
    OBJECT_ROWS = 40,
    FUNCTION_ROWS = 15,
    REGION_ROWS = 20,
    OFFSET_OBJECTS = 5,
    OFFSETS_EACH = 3,
    BIN_ROWS = 15,
    SHARING_ROWS = 10,
    FINDING_ROWS = 8,
    PHASE_ROWS = 20,
    THREAD_ROWS = 10,
    SHARING_READINGS = 3
};

static void print_offsets(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    struct hot_offset offsets[OFFSET_OBJECTS * OFFSETS_EACH];
    size_t count = 0;
    for (size_t i = 0; i < snapshot->object_count && i < OFFSET_OBJECTS; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count && k < OFFSETS_EACH; k++)
            offsets[count++] =
                (struct hot_offset){&snapshot->objects[i], &snapshot->objects[i].fields[k]};
    text_rows(writer, &offset_columns, offsets, count, count);
}

static void print_sets(struct text_writer *writer)
{
    const struct snapshot_sets *sets = &writer->snapshot->sets;
    char p[32] = "";
    if (!sets->sets)
        return;
    if (isfinite(sets->p_value))
        snprintf(p, sizeof p, " (p %.2g)", sets->p_value);
    text_say(writer, "\nsets %s, %" PRIu32 " by %s address: %s%s, %" PRIu32 " hot%s%s",
             sets->level ? sets->level : "?", sets->sets, sets->index ? sets->index : "?",
             sets_verdict_name(sets->verdict), p, sets->hot_sets, sets->reading ? ". " : "",
             sets->reading ? sets->reading : "");
}

static void print_window(struct text_writer *writer)
{
    const struct snapshot_window *window = &writer->snapshot->window;
    if (!window->used)
        return;
    text_say(writer,
             "window %" PRIu64 " samples, %" PRIu64 " lines: %" PRIu64 " seen once, %" PRIu64
             " again%s%s",
             window->used, window->addresses, window->singletons, window->recurring,
             window->reading ? ". " : "", window->reading ? window->reading : "");
}

static void print_threads(struct text_writer *writer)
{
    const struct snapshot_threads *threads = &writer->snapshot->threads;
    if (threads->count < 2)
        return;
    text_rows(writer, &thread_columns, threads->list, threads->count, THREAD_ROWS);
    text_say(writer, "(%zu threads in the newest %" PRIu64 " samples)",
             threads->count + threads->left_out, threads->recent);
}

static void print_heap(struct text_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    char bytes[16];
    char lost[48] = "";
    if (summary->feed == HEAP_FEED_NONE) {
        if (summary->note)
            text_say(writer, "\nheap: %s", summary->note);
        return;
    }
    if (summary->lost)
        snprintf(lost, sizeof lost, ", %" PRIu64 " events lost", summary->lost);
    text_say(writer, "\nheap %s in %" PRIu64 " blocks, known by %s%s%s%s",
             text_bytes(bytes, summary->usable_bytes), summary->live_blocks,
             summary->source ? summary->source : "?", lost, summary->note ? ". " : "",
             summary->note ? summary->note : "");
    text_rows(writer, &bin_columns, heap->bins, heap->bin_count, BIN_ROWS);
}

static void print_sharing(struct text_writer *writer)
{
    const struct snapshot_sharing *sharing = &writer->snapshot->sharing;
    if (!sharing->group_count)
        return;
    text_rows(writer, &sharing_columns, sharing->groups, sharing->group_count, SHARING_ROWS);
    for (size_t i = 0; i < sharing->group_count && i < SHARING_READINGS; i++)
        text_say(writer, "%s%s: %s", i ? "" : "\n", sharing->groups[i].name,
                 sharing->groups[i].reading);
}

/* What was recognised, in full: batch has no second screen. */
static void print_findings(struct text_writer *writer)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    if (!findings->count)
        return;
    text_rows(writer, &finding_columns, findings->list, findings->count, FINDING_ROWS);
    for (size_t i = 0; i < findings->count && i < FINDING_ROWS; i++) {
        const struct snapshot_finding *finding = &findings->list[i];
        text_say(writer, "%s%s, %s: %s", i ? "" : "\n", finding->name,
                 finding_kind_words(finding->kind), finding->evidence);
        text_say(writer, "  try: %s", finding->advice);
        char gain[96];
        findings_gain(finding, gain, sizeof gain);
        text_say(writer, "  gain %s: %s; %s: %s", gain, finding->reckoned,
                 finding_sure_name(finding->sure), finding->how_sure);
    }
}

static void print_phases(struct text_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    if (timeline->phase_count < 2)
        return;
    text_rows(writer, &phase_columns, timeline->phases, timeline->phase_count, PHASE_ROWS);
    text_say(writer, "%s", timeline->reading);
}

static void print_search(struct text_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    char explained[48] = "";
    if (search->state == SEARCH_OFF)
        return;
    if (isfinite(search->explained))
        snprintf(explained, sizeof explained, ", found explains %.1f%%", search->explained * 100);
    text_say(writer, "\nsearch in %s: %s, round %" PRIu32 " of %.3g s, %" PRIu32 " ways%s",
             search->what && *search->what ? search->what : "all", search_state_name(search->state),
             search->iteration, search->interval_s, search->ways, explained);
    text_rows(writer, &region_columns, search->regions, search->region_count, REGION_ROWS);
}

int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options)
{
    struct text_writer writer;
    int code = text_writer_init(&writer, out, snapshot, options);
    if (code)
        return code;
    errno = 0;
    text_head_print(&writer);
    if (!snapshot->object_count)
        text_say(&writer, "\n%s", objects_nothing_yet(snapshot));
    text_rows(&writer, &object_columns, snapshot->objects, snapshot->object_count, OBJECT_ROWS);
    print_offsets(&writer);
    print_heap(&writer);
    text_rows(&writer, &function_columns, snapshot->code, snapshot->code_count, FUNCTION_ROWS);
    print_threads(&writer);
    matrix_text_print(&writer);
    print_findings(&writer);
    print_sharing(&writer);
    watch_text_print(&writer);
    causes_text_print(&writer);
    reuse_text_print(&writer);
    whatif_text_print(&writer);
    print_phases(&writer);
    print_search(&writer);
    print_sets(&writer);
    print_window(&writer);
    fputc('\n', out);
    if (fflush(out) == EOF || ferror(out))
        code = errno ? -errno : -EIO;
    canvas_fini(&writer.line);
    return code;
}
