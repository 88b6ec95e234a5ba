/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as text for batch mode: the tables of the screen, through the same columns. */
#include "view/text_writer.h"

#include "base/text.h"
#include "view/binary_words.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/simulation_words.h"
#include "view/watch_words.h"
#include "view/stretch_words.h"

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
    WATCH_ROWS = 15,
    SHARING_READINGS = 3
};

static void print_head(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    const struct snapshot_target *target = &snapshot->target;
    const char *event =
        source->ranking < source->event_count ? source->events[source->ranking].name : NULL;
    char pid[24] = "";
    char threads[32] = "";
    char elapsed[32] = "";
    if (target->pid)
        snprintf(pid, sizeof pid, " %" PRIu32, target->pid);
    if (isfinite(snapshot->elapsed_s))
        snprintf(elapsed, sizeof elapsed, ", %.1f s", snapshot->elapsed_s);
    if (target->threads)
        snprintf(threads, sizeof threads, ", %" PRIu32 " thread%s", target->threads,
                 target->threads == 1 ? "" : "s");
    text_say(writer, "misstop %s%s%s%s, %s%s%s: %s, %s", target->comm ? target->comm : "?", pid,
             threads, elapsed, source->name ? source->name : "?", event ? " " : "",
             event ? event : "", source->weighs ? source->weighs : "",
             snapshot->stretch              ? "a stretch of the run"
             : snapshot->basis == BASIS_RUN ? "whole run"
                                            : "recent past");
}

/* Where it was recorded, which process of it this is, and what cannot be told. */
static void print_recording(struct text_writer *writer)
{
    const struct snapshot_recording *from = writer->snapshot->recording;
    if (!from)
        return;
    text_say(writer, "recorded%s%s%s%s%s%s%s%s", from->host ? " on " : "",
             from->host ? from->host : "", from->cpu ? ", " : "", from->cpu ? from->cpu : "",
             from->kernel ? ", " : "", from->kernel ? from->kernel : "",
             !from->date        ? ""
             : from->date_exact ? ", begun "
                                : ", file of ",
             from->date ? from->date : "");
    if (from->command)
        text_say(writer, "recorded by: %s", from->command);
    if (from->processes > 1)
        text_say(writer, "this is one of %" PRIu32 " processes recorded; -p PID shows another: %s",
                 from->processes, from->others ? from->others : "");
    if (from->addresses)
        text_say(writer, "addresses: %s", from->addresses);
    if (from->note)
        text_say(writer, "note: %s", from->note);
}

static double percent(uint64_t part, uint64_t all)
{
    return (double)part * 100 / (double)all;
}

static void print_stretch(struct text_writer *writer)
{
    char text[192];
    if (!writer->snapshot->stretch)
        return;
    stretch_words(writer->snapshot->stretch, text, sizeof text);
    text_say(writer, "only %s", text);
}

static void print_totals(struct text_writer *writer)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    char rate[32] = "";
    char lost[80] = "";
    if (!writer->snapshot->stretch)
        snprintf(lost, sizeof lost, "lost %" PRIu64 ", throttled %" PRIu64, totals->lost,
                 totals->throttled);
    if (isfinite(totals->rate))
        snprintf(rate, sizeof rate, " (%.0f/s)", totals->rate);
    if (!totals->samples) {
        text_say(writer, "samples 0%s%s%s", rate, *lost ? ": " : "", lost);
        return;
    }
    text_say(writer, "samples %" PRIu64 "%s: attributed %.1f%%, kernel %.1f%%%s%s", totals->samples,
             rate, percent(totals->attributed, totals->samples),
             percent(totals->reasons[REASON_KERNEL], totals->samples), *lost ? ", " : "", lost);
    bool any = false;
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        if (!totals->reasons[i] || i == REASON_KERNEL)
            continue;
        fprintf(writer->out, "%s %s %.1f%%",
                any ? "," : "not attributed:", access_reason_name((enum reason)i),
                percent(totals->reasons[i], totals->samples));
        any = true;
    }
    if (any)
        fputc('\n', writer->out);
}

/* Where accesses found their data, of everything. */
static void print_levels(struct text_writer *writer)
{
    char text[512];
    levels_sentence(writer->snapshot, writer->snapshot->levels, text, sizeof text);
    if (*text)
        text_say(writer, "%s", text);
}

/* How often all accesses miss. */
static void print_rates(struct text_writer *writer)
{
    char text[512];
    rates_sentence(writer->snapshot, writer->snapshot->rates, text, sizeof text);
    if (*text)
        text_say(writer, "%s", text);
}

static void print_simulation(struct text_writer *writer)
{
    char text[320];
    simulation_sentence(&writer->snapshot->simulation, text, sizeof text);
    if (*text)
        text_say(writer, "%s", text);
}

/* How far names of fields can be had. */
static void print_fields_known(struct text_writer *writer)
{
    char text[512];
    field_summary(writer->snapshot, text, sizeof text);
    if (*text)
        text_say(writer, "%c%s", *text - 'A' + 'a', text + 1);
    field_reading(writer->snapshot, text, sizeof text);
    if (*text)
        text_say(writer, "%s", text);
}

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
        text_say(writer, "  gain %s %.1f%%: %s; %s: %s", finding->bound ? "at most" : "about",
                 finding->gain * 100, finding->reckoned, finding_sure_name(finding->sure),
                 finding->how_sure);
    }
}

/* What watchpoints saw, and why each verdict. */
static void print_watch(struct text_writer *writer)
{
    const struct snapshot_watch *watch = &writer->snapshot->watch;
    char text[512];
    if (!watch->on)
        return;
    watch_summary(watch, text, sizeof text);
    text_say(writer, "\nwatch: %s", text);
    text_rows(writer, &watch_columns, watch->objects, watch->count, WATCH_ROWS);
    for (size_t i = 0; i < watch->count && i < WATCH_ROWS; i++)
        if (watch->objects[i].verdict != WATCH_TOO_FEW)
            text_say(writer, "%s: %s", watch->objects[i].name, watch->objects[i].reading);
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

/* Which they are, standard error tells at the end. */
static void print_binaries(struct text_writer *writer)
{
    char text[128];
    binary_note(&writer->snapshot->binaries, text, sizeof text);
    if (*text)
        text_say(writer, "note: %s", text);
}

int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options)
{
    struct text_writer writer;
    int code = text_writer_init(&writer, out, snapshot, options);
    if (code)
        return code;
    errno = 0;
    print_head(&writer);
    print_recording(&writer);
    print_stretch(&writer);
    print_totals(&writer);
    print_fields_known(&writer);
    print_levels(&writer);
    print_rates(&writer);
    print_simulation(&writer);
    if (snapshot->status)
        text_say(&writer, "note: %s", snapshot->status);
    print_binaries(&writer);
    if (!snapshot->object_count)
        text_say(&writer, "\nno object yet%s", snapshot->totals.samples ? "" : ": no samples");
    text_rows(&writer, &object_columns, snapshot->objects, snapshot->object_count, OBJECT_ROWS);
    print_offsets(&writer);
    print_heap(&writer);
    text_rows(&writer, &function_columns, snapshot->code, snapshot->code_count, FUNCTION_ROWS);
    matrix_text_print(&writer);
    print_findings(&writer);
    print_sharing(&writer);
    print_watch(&writer);
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
