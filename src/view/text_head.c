/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first lines of batch text: what was watched, how, and how far to trust it; declared in
 * text_writer.h. */
#include "view/text_writer.h"

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/binary_words.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/simulation_words.h"
#include "view/stretch_words.h"
#include "view/use_words.h"

#include <inttypes.h>
#include <math.h>

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
    if (from->processes > 1) {
        text_say(writer, "this is one of %" PRIu32 " processes recorded; -p PID shows another: %s",
                 from->processes, from->others ? from->others : "");
        text_say(
            writer,
            "shares are of this process, which has %.1f%% of the samples; perf report's are of "
            "all (--percentage relative --pid %" PRIu32 " compares)",
            from->process_share * 100, writer->snapshot->target.pid);
    }
    if (from->addresses)
        text_say(writer, "addresses: %s", from->addresses);
    if (from->note)
        text_say(writer, "note: %s", from->note);
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
             rate, measured_attributed(totals) * 100, measured_reason(totals, REASON_KERNEL) * 100,
             *lost ? ", " : "", lost);
    if (totals->agent && totals->samples)
        text_say(writer, "misstop's agent: %" PRIu64 " samples beside them (%.1f%%)", totals->agent,
                 (double)totals->agent * 100 / (double)totals->samples);
    bool any = false;
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        if (!totals->reasons[i] || i == REASON_KERNEL)
            continue;
        fprintf(writer->out, "%s %s %.1f%%",
                any ? "," : "not attributed:", access_reason_name((enum reason)i),
                measured_reason(totals, (enum reason)i) * 100);
        any = true;
    }
    const struct snapshot_code *leader = columns_unknown_leader(writer->snapshot);
    if (any && leader)
        fprintf(writer->out, "; mostly in %s", leader->function);
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

static void print_use(struct text_writer *writer)
{
    char text[256];
    use_sentence(writer->snapshot, &writer->snapshot->uses.all, text, sizeof text);
    if (*text)
        text_say(writer, "use of lines: %s", text);
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

/* Which they are, standard error tells at the end. */
static void print_binaries(struct text_writer *writer)
{
    char text[256];
    binary_note(&writer->snapshot->binaries, text, sizeof text);
    if (*text)
        text_say(writer, "note: %s", text);
}

static void print_refused(struct text_writer *writer)
{
    const struct snapshot_refused *refused = &writer->snapshot->refused;
    for (size_t i = 0; i < refused->count; i++)
        text_say(writer, "note: not opened: %s (%s)", refused->list[i].path, refused->list[i].why);
}

void text_head_print(struct text_writer *writer)
{
    print_head(writer);
    print_recording(writer);
    print_stretch(writer);
    print_totals(writer);
    print_fields_known(writer);
    print_levels(writer);
    print_rates(writer);
    print_use(writer);
    print_simulation(writer);
    if (writer->snapshot->status)
        text_say(writer, "note: %s", writer->snapshot->status);
    print_binaries(writer);
    print_refused(writer);
}
