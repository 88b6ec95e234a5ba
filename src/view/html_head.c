/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was watched, how, and how far the figures can be trusted; declared in html_part.h. */
#include "view/html_part.h"

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/binary_words.h"
#include "view/browser.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/stretch_words.h"
#include "view/use_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

__attribute__((format(printf, 3, 4))) static void fact(struct html_writer *writer, const char *name,
                                                       const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!*text)
        return;
    html_markup(writer, "<dt>%s</dt><dd>", name);
    html_text(writer, text);
    html_markup(writer, "</dd>\n");
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void write_program(struct html_writer *writer)
{
    const struct snapshot_target *target = &writer->snapshot->target;
    char threads[40] = "";
    if (target->threads)
        snprintf(threads, sizeof threads, ", %" PRIu32 " thread%s", target->threads,
                 target->threads == 1 ? "" : "s");
    if (target->pid)
        fact(writer, "Process", "%" PRIu32 "%s", target->pid, threads);
    fact(writer, "Program", "%s", or_empty(target->exe));
    fact(writer, "Command", "%s", writer->run->command);
    fact(writer, "Host", "%s", writer->run->host);
}

static void write_recording(struct html_writer *writer)
{
    const struct snapshot_recording *from = writer->snapshot->recording;
    if (!from)
        return;
    fact(writer, "Recorded on", "%s%s%s%s%s", or_empty(from->host), from->cpu ? ", " : "",
         or_empty(from->cpu), from->kernel ? ", " : "", or_empty(from->kernel));
    if (from->date)
        fact(writer, "Recorded", "%s%s", from->date_exact ? "" : "file of ", from->date);
    fact(writer, "Recorded by", "%s", or_empty(from->command));
    fact(writer, "Addresses", "%s", or_empty(from->addresses));
}

static void write_source(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    char stretch[192];
    bool ranked = source->ranking < source->event_count;
    const struct snapshot_event *event = ranked ? &source->events[source->ranking] : NULL;
    if (html_known(snapshot->elapsed_s))
        fact(writer, snapshot->recording ? "Long" : "Watched for", "%.*f s",
             snapshot->elapsed_s < 1 ? 3 : 1, snapshot->elapsed_s);
    fact(writer, "Source", "%s%s%s", or_empty(source->name), event && event->name ? ", event " : "",
         event ? or_empty(event->name) : "");
    fact(writer, "A share is of", "%s, %s", source->weighs ? source->weighs : "the event's samples",
         snapshot->stretch              ? "over a stretch of the run"
         : snapshot->basis == BASIS_RUN ? "over the whole run"
                                        : "in the recent past");
    if (snapshot->stretch) {
        stretch_words(snapshot->stretch, stretch, sizeof stretch);
        fact(writer, "Only", "%s", stretch);
    }
}

static void write_samples(struct html_writer *writer)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    char samples[16];
    char lost[64] = "";
    if (!writer->snapshot->stretch && (totals->lost || totals->throttled))
        snprintf(lost, sizeof lost, "; lost %" PRIu64 ", throttled %" PRIu64, totals->lost,
                 totals->throttled);
    text_count(samples, (double)totals->samples);
    if (totals->samples)
        fact(writer, "Samples", "%s, %.1f%% of them attributed to an object%s", samples,
             measured_attributed(totals) * 100, lost);
    else
        fact(writer, "Samples", "0%s", lost);
}

static void note(struct html_writer *writer, const char *class, const char *text)
{
    html_element(writer, "li", class, text);
}

/* What a reader who was not there would otherwise take for more than it is. */
static void write_notes(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    char text[TEXT_BYTES];
    html_markup(writer, "<ul class=\"notes says\">\n");
    note(writer, "",
         snapshot->recording     ? "Made from a recording, not live: what was not recorded, and "
                                   "what is not on the machine that read it, is not here."
         : snapshot->source.live ? "Watched live."
                                 : "Not live.");
    if (!snapshot->source.precise && snapshot->source.name)
        note(writer, "",
             "The source does not tell addresses: they are worked out from the registers at each "
             "sample, and a sample where that fails is counted below, not guessed.");
    header_trust(snapshot, text, sizeof text);
    note(writer, "warn", text);
    levels_sentence(snapshot, snapshot->levels, text, sizeof text);
    note(writer, "", text);
    use_sentence(snapshot, &snapshot->uses.all, text, sizeof text);
    note(writer, "", text);
    binary_note(&snapshot->binaries, text, sizeof text);
    note(writer, "warn", text);
    note(writer, "warn", snapshot->recording ? snapshot->recording->note : NULL);
    note(writer, "warn", snapshot->status);
    for (size_t i = 0; i < snapshot->refused.count; i++) {
        snprintf(text, sizeof text, "Not opened: %s (%s)", snapshot->refused.list[i].path,
                 snapshot->refused.list[i].why);
        note(writer, "warn", text);
    }
    field_reading(snapshot, text, sizeof text);
    if (*text)
        strncat(text, ": some fields have no names yet", sizeof text - strlen(text) - 1);
    note(writer, "warn", text);
    html_markup(writer, "</ul>\n");
}

static void write_links(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct {
        const char *id;
        const char *title;
        bool there;
    } parts[] = {
        {"findings", "Problems", true},
        {"objects", "Objects", true},
        {"time", "Time", snapshot->timeline.periods > 1},
        {"inside", "Inside the objects", snapshot->object_count > 0},
        {"whatif", "What if", snapshot->whatif.count > 0},
        {"code", "Code", snapshot->code_count > 0},
        {"matrix", "Code and data", snapshot->matrix.row_count > 0},
        {"reuse", "Reuse", snapshot->reuse.told},
        {"causes", "Causes", snapshot->causes.told},
        {"simulation", "Simulated caches", snapshot->simulation.level_count > 0},
        {"watch", "Watched lines", snapshot->watch.on && snapshot->watch.count > 0},
        {"sharing", "Sharing", snapshot->sharing.group_count > 0},
        {"sets", "Cache sets", snapshot->sets.sets > 0},
        {"again", "Recurrence", snapshot->window.used > 0},
        {"heap", "Heap", snapshot->heap.summary.feed != HEAP_FEED_NONE},
        {"search", "Search", snapshot->search.state != SEARCH_OFF},
        {"trust", "Not attributed", true},
        {"help", "How to read this", true},
    };
    html_markup(writer, "<nav>");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].there)
            html_markup(writer, "<a href=\"#%s\">%s</a>\n", parts[i].id, parts[i].title);
    html_markup(writer, "</nav>\n");
}

void html_head(struct html_writer *writer)
{
    const struct snapshot_target *target = &writer->snapshot->target;
    html_markup(writer, measured_of(&writer->snapshot->source)->misses
                            ? "<header>\n<h1>Cache misses of "
                            : "<header>\n<h1>Memory accesses of ");
    html_text(writer, target->comm && *target->comm ? target->comm : "a process");
    html_markup(writer, "</h1>\n<p class=\"dim\">");
    html_text(writer, writer->run->version);
    html_markup(writer, *writer->run->date ? ", page made " : "");
    html_text(writer, writer->run->date);
    html_markup(writer, "</p>\n<dl class=\"facts\">\n");
    write_program(writer);
    write_recording(writer);
    write_source(writer);
    write_samples(writer);
    html_markup(writer, "</dl>\n");
    write_notes(writer);
    write_links(writer);
    html_markup(writer, "</header>\n");
}
