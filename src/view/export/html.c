/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/export/writers.h"
#include "base/files.h"
#include "view/answer.h"
#include "view/findings.h"
#include "view/levels.h"
#include "view/screens/causes.h"
#include "view/screens/rows.h"
#include "view/words.h"
#include "view/display/browser.h"

/* ---- the process, the source, and how far to trust the figures ---- */

enum { TEXT_BYTES = 512, SHORT_BYTES = 2048, SHORT_ROWS = 3 };

static const double worth_listing = 0.05;

__attribute__((format(printf, 3, 4))) static void
write_fact(struct html_writer *writer, const char *name, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!*text)
        return;
    html_printf(writer, "<dt>%s</dt><dd>%s</dd>\n", name, text);
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
        write_fact(writer, "Process", "%" PRIu32 "%s", target->pid, threads);
    write_fact(writer, "Program", "%s", or_empty(target->exe));
    write_fact(writer, "Command", "%s", writer->run->command);
    write_fact(writer, "Host", "%s", writer->run->host);
}

static void write_recording(struct html_writer *writer)
{
    const struct snapshot_recording *from = writer->snapshot->recording;
    if (from)
        write_fact(writer, "Recorded", "%s%s%s%s%s", from->host ? "on " : "", or_empty(from->host),
                   from->host && from->date ? ", " : "",
                   from->date && !from->date_exact ? "file of " : "", or_empty(from->date));
}

static void write_source(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    char range[192];
    const struct snapshot_event *event = ranking_event(source);
    if (html_known(snapshot->elapsed_s))
        write_fact(writer, snapshot->recording ? "Duration" : "Watched for", "%.*f s",
                   snapshot->elapsed_s < 1 ? 3 : 1, snapshot->elapsed_s);
    write_fact(writer, "Source", "%s%s%s", or_empty(source->name),
               event && event->name ? ", event " : "", event ? or_empty(event->name) : "");
    write_fact(writer, "Shares of", "%s, %s",
               source->weight_unit ? source->weight_unit : "the event's samples",
               snapshot->time_range           ? "over a time range of the run"
               : snapshot->basis == BASIS_RUN ? "over the whole run"
                                              : "in the recent past");
    if (snapshot->time_range) {
        time_range_words(snapshot->time_range, range, sizeof range);
        write_fact(writer, "Only", "%s", range);
    }
}

static void write_samples(struct html_writer *writer)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    char samples[16];
    char lost[64] = "";
    if (!writer->snapshot->time_range && (totals->lost || totals->throttled))
        snprintf(lost, sizeof lost, "; lost %" PRIu64 ", throttled %" PRIu64, totals->lost,
                 totals->throttled);
    text_count(samples, (double)totals->samples);
    if (totals->samples)
        write_fact(writer, "Samples", "%s, %.1f%% of them attributed to an object%s", samples,
                   measured_attributed(totals) * 100, lost);
    else
        write_fact(writer, "Samples", "0%s", lost);
}

/* Writes the answer to the first question, as on the screen. */
static void write_answer(struct html_writer *writer)
{
    const char *evidence = answer_evidence(writer->snapshot);
    char text[TEXT_BYTES];
    answer_words(writer->snapshot, INT_MAX, text, sizeof text);
    write_fact(writer, "Answer", "%s%s%s%s", text, *evidence ? " (" : "", evidence,
               *evidence ? ")" : "");
}

/* Writes limits that are not obvious to a reader who did not make the run. */
static void write_notes(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    char text[TEXT_BYTES];
    html_markup(writer, "<ul class=\"notes says\">\n");
    html_element(writer, "li", "",
                 snapshot->recording ? "Made from a recording: it lacks what was not recorded and "
                                       "what is not on the machine that replayed it."
                 : snapshot->source.live ? "Watched live."
                                         : "Not live.");
    if (!snapshot->source.precise && snapshot->source.name)
        html_element(
            writer, "li", "",
            "The source does not report addresses: they are computed from the registers of each "
            "sample. Samples without a computable address are counted below by reason.");
    answer_trust(snapshot, text, sizeof text);
    html_element(writer, "li", "warn", text);
    binary_note(&snapshot->binaries, text, sizeof text);
    html_element(writer, "li", "warn", text);
    html_element(writer, "li", "warn", snapshot->recording ? snapshot->recording->note : NULL);
    html_element(writer, "li", "warn", snapshot->status);
    field_reading(snapshot, text, sizeof text);
    if (*text)
        strncat(text, ": some fields have no names yet", sizeof text - strlen(text) - 1);
    html_element(writer, "li", "warn", text);
    html_markup(writer, "</ul>\n");
}

static void html_head(struct html_writer *writer)
{
    const struct snapshot_target *target = &writer->snapshot->target;
    bool misses = measured_of(&writer->snapshot->source) == MEASURED_MISSES;
    html_printf(writer,
                "<header>\n<h1>%s of %s</h1>\n<p class=\"dim\">%s%s%s</p>\n<dl class=\"facts\">\n",
                misses ? "Cache misses" : "Memory accesses",
                target->comm && *target->comm ? target->comm : "a process", writer->run->version,
                *writer->run->date ? ", page made " : "", writer->run->date);
    write_answer(writer);
    write_program(writer);
    write_recording(writer);
    write_source(writer);
    write_samples(writer);
    html_markup(writer, "</dl>\n");
    write_notes(writer);
}

/* ---- the recognised problems, each in full ---- */

/* Links to the parts of the page that show the subject of a finding. */
static void write_places(struct html_writer *writer, const struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_object *object = columns_object(snapshot, finding->object);
    char id[32];
    bool sharing = finding_screen(finding) == SCREEN_SHARING && snapshot->sharing.group_count > 0;
    bool sets = finding_screen(finding) == SCREEN_CACHE && snapshot->sets.sets > 0;
    bool opened = object && html_object_link(snapshot, object, id, sizeof id);
    if (!opened && !sharing && !sets)
        return;
    html_markup(writer, "<dt>Look at</dt><dd class=\"says\">");
    if (opened)
        html_markup(writer, "<a href=\"#%s\">the object</a>%s", id, sharing || sets ? ", " : "");
    if (sharing || sets)
        html_markup(writer, "<a href=\"#%s\">%s</a>", sharing ? "sharing" : "sets",
                    sharing ? "its lines and threads" : "the cache sets");
    html_markup(writer, "</dd>\n");
}

static void write_finding(struct html_writer *writer, const struct snapshot_finding *finding,
                          size_t number)
{
    html_printf(writer, "<article id=\"p%zu\">\n<h3>%s: %s%s%s</h3>\n<dl class=\"facts\">\n",
                number, finding_kind_words(finding->kind),
                finding->name ? finding->name : "(no name)", finding->field ? ", " : "",
                finding->field ? finding->field : "");
    html_facts(writer, &finding_columns, finding);
    write_places(writer, finding);
    html_markup(writer, "</dl>\n</article>\n");
}

static void html_findings(struct html_writer *writer)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    char text[FINDINGS_NONE_BYTES];
    if (!findings->count) {
        findings_none(writer->snapshot, text, sizeof text);
        html_element(writer, "p", "", text);
        return;
    }
    html_element(writer, "p", "lead",
                 "Known problems that the samples show, largest gain first. A gain is the share of "
                 "all samples that the remedy could save.");
    for (size_t i = 0; i < findings->count; i++)
        write_finding(writer, &findings->list[i], i);
}

/* ---- the quality of the samples, and how to read the page ---- */

static void html_say_quality(void *to, enum paint paint, const char *label, const char *text)
{
    if (!label)
        html_element(to, "h3", "", text);
    else
        html_printf(to, "<p><b class=\"%s\">%s</b> %s</p>\n", html_class(paint), label, text);
}

static void html_quality(struct html_writer *writer)
{
    quality_prose(&(struct prose_writer){.say = html_say_quality, .to = writer}, writer->snapshot);
}

static const char *const lines[] = {
    "A share is the part of the samples that belongs to a row; the top of the page says of what. ± "
    "is the margin of error (95 %) in percentage points.",
    "A blank means not measured; it does not mean zero.",
    "An object is a variable, a heap block or all blocks of one allocation site, a stack, or a "
    "mapping. OF IT is a share of the object or function that the row belongs to.",
    "In a layout each row is a cache line, which is fetched as a whole: hot bytes in one row are "
    "fetched together, and cold bytes next to them are fetched in vain.",
    "LD and ST are the shares of loads and stores. Columns without values in this run are left "
    "out.",
    "Point at a column title for its meaning, or see man misstop. A click on a title sorts.",
};

static void html_help(struct html_writer *writer)
{
    html_markup(writer, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        html_element(writer, "li", "", lines[i]);
    html_markup(writer, "</ul>\n");
}

/* Checks the timeline, because the times of a recording are arbitrary. */
static bool has_time(const struct snapshot *snapshot)
{
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    return timeline->periods > 1 && html_known(timeline->start_s) &&
           html_known(timeline->period_s) && timeline->period_s > 0;
}

static bool has_sets(const struct snapshot *snapshot)
{
    return snapshot->sets.sets && snapshot->sets.counts;
}

static bool has_watched(const struct snapshot *snapshot)
{
    return snapshot->watch.is_on && snapshot->watch.count;
}

/* The main result of a part, for the list before all tables; "": none. */

static void summarise_findings(const struct snapshot *snapshot, char *out, size_t size)
{
    char text[TEXT_BYTES];
    *out = '\0';
    for (size_t i = 0; i < snapshot->findings.count && i < SHORT_ROWS; i++) {
        answer_finding(&snapshot->findings.list[i], text, sizeof text);
        text_append(out, size, "%s%s", i ? "; " : "", text);
    }
}

/* "38.0% on particles (61.0% of these on particle.vy; 80.1% from visit); 12.0% on ..." */
static void summarise_objects(const struct snapshot *snapshot, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < snapshot->object_count && i < SHORT_ROWS; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        if (!(object->share.value >= worth_listing))
            return;
        text_append(out, size, "%s%.1f%% on %s", i ? "; " : "", object->share.value * 100,
                    object->name);
        if (object->field_count && object->fields[0].share >= worth_listing)
            text_append(out, size, ", %.1f%% of these on %s", object->fields[0].share * 100,
                        object->fields[0].name);
        if (object->code_count && html_known(object->code[0].share.value))
            text_append(out, size, ", %.1f%% of them from %s", object->code[0].share.value * 100,
                        object->code[0].function);
    }
}

static void summarise_timeline(const struct snapshot *snapshot, char *out, size_t size)
{
    *out = '\0';
    if (snapshot->timeline.phase_count > 1)
        phases_reading(&snapshot->timeline, out, size);
}

static void summarise_whatif(const struct snapshot *snapshot, char *out, size_t size)
{
    *out = '\0';
    if (snapshot->whatif.list[0].state == WHATIF_COUNTING)
        whatif_sentence(&snapshot->whatif.list[0], out, size);
}

static void summarise_causes(const struct snapshot *snapshot, char *out, size_t size)
{
    causes_why(&snapshot->causes.all, out, size);
}

static void summarise_sharing(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_sharing_group *group = &snapshot->sharing.groups[0];
    *out = '\0';
    if (group->verdict == SHARING_READ_ONLY || !group->has_enough_samples)
        return;
    int used = snprintf(out, size, "%.200s: ", group->name);
    sharing_reading(group, out + used, size - (size_t)used);
}

static void summarise_sets(const struct snapshot *snapshot, char *out, size_t size)
{
    *out = '\0';
    if (snapshot->sets.verdict == SETS_CONCENTRATED)
        sets_reading(snapshot, out, size);
}

#define SECTION(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct section {
    const char *id;
    const char *link; /* title among the links at the top */
    const char *title;
    /* Sentence below the title; NULL: `write` begins with one, or there is none. */
    const char *lead;
    struct path given; /* member of the snapshot without which the part is left out */
    /* A further condition for showing the part; NULL: none. */
    bool (*is_present)(const struct snapshot *snapshot);
    void (*write)(struct html_writer *writer);
    void (*summary)(const struct snapshot *snapshot, char *out, size_t size); /* NULL: nothing */
} sections[] = {
    SECTION(.id = "findings", .link = "Problems", .title = "Problems recognised",
            .write = html_findings, .summary = summarise_findings),
    SECTION(.id = "objects", .link = "Objects", .title = "Objects",
            .lead = "The variables, heap blocks and mappings that the samples are on. The whisker "
                    "on a bar is the 95 % interval of the share: rows with overlapping whiskers "
                    "may be in either order.",
            .write = html_objects, .summary = summarise_objects),
    SECTION(.id = "time", .link = "Time", .title = "The run over time", .is_present = has_time,
            .write = html_timeline, .summary = summarise_timeline),
    SECTION(.id = "inside", .link = "Inside the objects", .title = "Inside the objects",
            .lead = "Fields, their positions in cache lines, and the code that accesses them.",
            .given = FIELD(struct snapshot, object_count), .write = html_opened_objects),
    SECTION(.id = "whatif", .link = "What if", .title = "What if",
            .lead =
                "The same accesses in a second simulated cache, with another layout of one object.",
            .given = FIELD(struct snapshot, whatif.count), .write = html_whatif,
            .summary = summarise_whatif),
    SECTION(.id = "code", .link = "Code", .title = "Code",
            .lead = "The functions that contain the sampled accesses, and the source lines of the "
                    "first ones.",
            .given = FIELD(struct snapshot, code_count), .write = html_code),
    SECTION(.id = "matrix", .link = "Code and data", .title = "Which code on which data",
            .given = FIELD(struct snapshot, matrix.row_count), .write = html_matrix),
    SECTION(.id = "reuse", .link = "Reuse", .title = "What other caches would miss",
            .lead =
                "The number of other lines used before a line is used again gives the misses of a "
                "fully associative cache of any size. The dots are the curve of all accesses.",
            .given = FIELD(struct snapshot, reuse.known), .write = html_reuse),
    SECTION(.id = "causes", .link = "Causes", .title = "Why lines were missed",
            .given = FIELD(struct snapshot, causes.known), .write = html_causes,
            .summary = summarise_causes),
    SECTION(.id = "simulation", .link = "Simulated caches", .title = "Simulated caches",
            .lead = "The program ran under these caches, not those of the machine. The totals are "
                    "exact and cover the whole run.",
            .given = FIELD(struct snapshot, simulation.level_count), .write = html_simulation),
    SECTION(.id = "watch", .link = "Watched lines", .title = "Watched lines",
            .lead = "Debug registers of the CPU were set on sampled lines, to see whether they are "
                    "accessed again, how soon, and how much of each is used.",
            .is_present = has_watched, .write = html_watch),
    SECTION(.id = "sharing", .link = "Sharing", .title = "Shared cache lines",
            .given = FIELD(struct snapshot, sharing.group_count), .write = html_sharing,
            .summary = summarise_sharing),
    SECTION(.id = "sets", .link = "Cache sets", .title = "Cache sets",
            .lead = "Samples by cache set. A few sets above all others indicate hot lines, or "
                    "lines that compete for one set.",
            .is_present = has_sets, .write = html_sets, .summary = summarise_sets),
    SECTION(.id = "again", .link = "Recurrence", .title = "Lines sampled again",
            .lead = "Lines that recur among the last samples.",
            .given = FIELD(struct snapshot, window.used), .write = html_window,
            .summary = window_reading),
    SECTION(.id = "heap", .link = "Heap", .title = "Heap",
            .lead = "The allocation sites of live memory, with their shares of the samples.",
            .given = FIELD(struct snapshot, heap.summary.feed), .write = html_heap),
    SECTION(.id = "search", .link = "Search", .title = "Search",
            .lead =
                "Address ranges are measured and split, those with most samples first, until each "
                "contains one object or one cache line. It also finds memory without a name.",
            .given = FIELD(struct snapshot, search.state), .write = html_search),
    SECTION(.id = "quality", .link = "Quality", .title = "Quality of the samples",
            .lead = "Every sample either has an object or is counted here under one reason.",
            .write = html_quality),
    SECTION(.id = "help", .link = "How to read this", .title = "How to read this",
            .write = html_help),
};

enum { SECTIONS = sizeof sections / sizeof *sections };

static bool section_is_present(const struct section *section, const struct snapshot *snapshot)
{
    return path_given(&section->given, snapshot) &&
           (!section->is_present || section->is_present(snapshot));
}

static void html_links(struct html_writer *writer)
{
    html_markup(writer, "<nav>");
    for (size_t i = 0; i < SECTIONS; i++)
        if (section_is_present(&sections[i], writer->snapshot))
            html_markup(writer, "<a href=\"#%s\">%s</a>\n", sections[i].id, sections[i].link);
    html_markup(writer, "</nav>\n</header>\n");
}

static void html_short(struct html_writer *writer)
{
    bool any = false;
    for (size_t i = 0; i < SECTIONS; i++) {
        char text[SHORT_BYTES] = "";
        if (sections[i].summary && section_is_present(&sections[i], writer->snapshot))
            sections[i].summary(writer->snapshot, text, sizeof text);
        if (!*text)
            continue;
        html_markup(writer, "%s",
                    any ? ""
                        : "<section id=\"short\"><h2>In short</h2>\n<ul class=\"found says\">\n");
        html_printf(writer, "<li><a href=\"#%s\">%s</a>: %s</li>\n", sections[i].id,
                    sections[i].title, text);
        any = true;
    }
    html_markup(writer, "%s", any ? "</ul></section>\n" : "");
}

static void html_sections(struct html_writer *writer)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!section_is_present(&sections[i], writer->snapshot))
            continue;
        html_markup(writer, "<section id=\"%s\">\n", sections[i].id);
        html_element(writer, "h2", "", sections[i].title);
        html_element(writer, "p", "lead", sections[i].lead);
        sections[i].write(writer);
        html_markup(writer, "</section>\n");
    }
}

/* ---- style and script of the page ---- */

/* Without the script, only sorting is missing. Neither contains a < or &, for XML. */

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1d2329;--dim:#626b75;--line:#d9dee3;"
    "--panel:#f5f7f9;--link:#0b57a4;--good:#1c7c3c;--warn:#8a5a00;--bad:#b3261e;"
    "--load:#0b6e8f;--store:#9a3d8f;--h0:#6b8fb8;--h1:#3f86c9;--h2:#2f9e8f;--h3:#b58900;"
    "--h4:#d9681d;--h5:#c9302c;--s0:#2f6fb7;--s1:#d9822b;--s2:#3a9a5b;--s3:#a94fb0;"
    "--s4:#c2403a;--s5:#1f9aa8;--rest:#b9c0c7}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#14181c;--fg:#dfe4e8;--dim:#97a1ab;"
    "--line:#323a42;--panel:#1c2227;--link:#7db8f0;--good:#63c384;--warn:#e0b050;--bad:#ff8a80;"
    "--load:#62c3e0;--store:#dd90d4;--h0:#6d8bb0;--h1:#5aa2e6;--h2:#4cc0b0;--h3:#d8b13a;"
    "--h4:#f08a43;--h5:#f2605a;--s0:#5b9bea;--s1:#eba04e;--s2:#5fc184;--s3:#cb82d2;"
    "--s4:#ec7670;--s5:#4cc3d0;--rest:#59636d}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem 1.5rem 3rem;max-width:96rem;background:var(--bg);"
    "color:var(--fg);font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .3rem;"
    "padding-top:.6rem;border-top:1px solid var(--line)}"
    "h3{font-size:1rem;margin:1.1rem 0 .3rem}\n"
    "p{margin:.3rem 0;max-width:60rem}a{color:var(--link)}nav{margin:.8rem 0}"
    "nav a{display:inline-block;margin-right:1rem}\n"
    ".lead,.dim{color:var(--dim)}.strong{font-weight:600}.good{color:var(--good)}"
    ".warn{color:var(--warn)}.bad{color:var(--bad);font-weight:600}.load{color:var(--load)}"
    ".store{color:var(--store)}\n"
    "dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}"
    "dl.facts dt{color:var(--dim)}dl.facts dd{grid-column:2;margin:0;overflow-wrap:anywhere}\n"
    "ul.notes{margin:.4rem 0;padding-left:1.2rem;max-width:62rem}ul.notes li{margin:.25rem 0;"
    "overflow-wrap:anywhere}\n"
    "p.says::first-letter,.says li::first-letter{text-transform:uppercase}\n"
    "ul.found{max-width:62rem;padding-left:1.4rem}ul.found li{margin:.45rem 0;"
    "overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto;margin:.4rem 0}\n"
    "table{width:max-content;border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-"
    "nums}"
    "th,td{padding:.16rem .4rem;text-align:left;vertical-align:top;white-space:nowrap}"
    "th{color:var(--dim);font-weight:600;font-size:11px;border-bottom:1px solid var(--line)}"
    "th.num,td.num{text-align:right}tbody tr:nth-child(even){background:var(--panel)}"
    ".sorts.live th{cursor:pointer}th[aria-sort]{color:var(--fg)}\n"
    "td.name{white-space:normal;overflow-wrap:anywhere;min-width:5rem;max-width:26rem}"
    "td.name.strong{min-width:9rem}"
    "td.txt{white-space:normal;min-width:4rem;max-width:24rem}\n"
    "td.code,td.name.code{white-space:pre;max-width:none}"
    "td.code,.mono{font-family:ui-monospace,monospace;font-size:12px}\n"
    "tr.rule td{color:var(--dim);border-top:1px solid var(--line);font-size:12px;"
    "white-space:normal;padding-top:.4rem}\n"
    "svg.bar{width:5.5rem;height:12px;display:block}svg.spark{width:6rem;height:16px;display:block}"
    "svg.spark path{fill:none;stroke:var(--h1);stroke-width:1.5;vector-effect:non-scaling-stroke}"
    ".whisker{fill:none;stroke:var(--fg);stroke-width:1;vector-effect:non-scaling-stroke}\n"
    "svg text{fill:var(--fg)}svg .dim{fill:var(--dim)}\n"
    "svg.picture{max-width:100%;height:auto;display:block;fill:var(--fg)}"
    ".wide svg.picture{min-width:36rem}svg.picture path{shape-rendering:crispEdges}"
    "svg.picture text{font:13px ui-monospace,monospace}svg path.dim{fill:var(--rest)}"
    "svg .load{fill:var(--load)}svg .store{fill:var(--store)}svg .warn{fill:var(--warn)}\n"
    "svg .h0{fill:var(--h0)}svg .h1{fill:var(--h1)}svg .h2{fill:var(--h2)}svg .h3{fill:var(--h3)}"
    "svg .h4{fill:var(--h4)}svg .h5{fill:var(--h5)}svg .s0{fill:var(--s0)}svg .s1{fill:var(--s1)}"
    "svg .s2{fill:var(--s2)}svg .s3{fill:var(--s3)}svg .s4{fill:var(--s4)}svg .s5{fill:var(--s5)}"
    "\n"
    "table.matrix th[scope=row]{position:sticky;left:0;background:var(--bg);font-size:13px;"
    "color:var(--fg);max-width:18rem;white-space:normal;overflow-wrap:anywhere;min-width:6rem}"
    "table.matrix thead th{vertical-align:bottom;white-space:normal;overflow-wrap:anywhere;"
    "min-width:4.5rem;max-width:8rem;text-align:right}"
    "table.matrix thead th:first-child{text-align:left}table.matrix td{border:1px solid var(--bg)}"
    "table.matrix tbody tr:nth-child(even){background:none}"
    "table.matrix tbody tr:hover td{outline:1px solid var(--line)}"
    "table.matrix td.on{color:var(--fg);font-weight:600}"
    "td.on.h0{background:color-mix(in srgb,var(--h0) 14%,transparent)}"
    "td.on.h1{background:color-mix(in srgb,var(--h1) 22%,transparent)}"
    "td.on.h2{background:color-mix(in srgb,var(--h2) 32%,transparent)}"
    "td.on.h3{background:color-mix(in srgb,var(--h3) 42%,transparent)}"
    "td.on.h4{background:color-mix(in srgb,var(--h4) 52%,transparent)}"
    "td.on.h5{background:color-mix(in srgb,var(--h5) 60%,transparent)}\n"
    "article{border-left:3px solid var(--h4);padding:0 0 0 .9rem;margin:.9rem 0}"
    "article h3::first-letter,dd.says::first-letter{text-transform:uppercase}\n"
    "td.h3,td.h4,td.h5{font-weight:600}td.h4,span.h4{color:var(--h4)}td.h5{color:var(--h5)}\n"
    ".key{display:inline-block;width:.8em;height:.8em;margin:0 .35em 0 0;vertical-align:-.05em}"
    "ul.keys{list-style:none;padding:0;margin:.3rem 0;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem}"
    "i.s0{background:var(--s0)}i.s1{background:var(--s1)}i.s2{background:var(--s2)}"
    "i.s3{background:var(--s3)}i.s4{background:var(--s4)}i.s5{background:var(--s5)}"
    "i.rest{background:var(--rest)}\n"
    "details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.3rem .8rem}"
    "summary{cursor:pointer;overflow-wrap:anywhere}\n"
    "@media "
    "print{:root{--bg:#fff;--fg:#000;--dim:#555;--line:#bbb;--panel:#f5f5f5}body{max-width:none;"
    "padding:0;font-size:10pt}.wide{overflow:visible}nav{display:none}table{font-size:8pt;width:"
    "auto}th,td,td.code{white-space:normal;overflow-wrap:anywhere}h2,h3,summary{break-after:avoid}"
    "tr,svg{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

/* Unknown values are sorted last in either order, as on the screen. */
static const char script[] =
    "document.querySelectorAll('table.sorts').forEach(function(table){\n"
    "  table.classList.add('live');\n"
    "  table.querySelectorAll('th').forEach(function(th,column){\n"
    "    th.addEventListener('click',function(){\n"
    "      var up=th.getAttribute('aria-sort')==='descending';\n"
    "      table.querySelectorAll('th').forEach(function(o){o.removeAttribute('aria-sort');});\n"
    "      th.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "      var key=function(row){\n"
    "        var cell=row.cells[column];\n"
    "        return cell.dataset.v===undefined?cell.textContent.toLowerCase():+cell.dataset.v;};\n"
    "      var body=table.tBodies[0];\n"
    "      Array.from(body.rows).sort(function(a,b){\n"
    "        var x=key(a),y=key(b);\n"
    "        if(x===''||y==='')return x===y?0:x===''?1:-1;\n"
    "        var order=typeof x==='number'?y-x:x.localeCompare(y);\n"
    "        return up?-order:order;\n"
    "      }).forEach(function(row){body.appendChild(row);});\n"
    "    });\n"
    "  });\n"
    "});\n"
    "function reveal(){\n"
    "  var at=document.getElementById(location.hash.slice(1));\n"
    "  var box=at?at.closest('details'):null;\n"
    "  if(box){box.open=true;at.scrollIntoView();}\n"
    "}\n"
    "addEventListener('hashchange',reveal);\n"
    "reveal();\n"
    "addEventListener('beforeprint',function(){\n"
    "  document.querySelectorAll('details').forEach(function(d){d.open=true;});});\n";

static const char option[] = "--html";

/* The page must not load anything, whatever its text contains. */
static const char policy[] = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                             "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n";

static void print_page(struct html_writer *writer)
{
    html_markup(writer, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
                        "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html_markup(writer, "%s", policy);
    html_markup(writer, "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                        "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    const struct snapshot_target *target = &writer->snapshot->target;
    html_printf(writer, "<title>misstop: %s</title>\n",
                target->comm && *target->comm ? target->comm : "?");
    html_markup(writer, "<style>\n%s</style>\n</head>\n<body>\n", style);
    html_head(writer);
    html_links(writer);
    html_short(writer);
    html_sections(writer);
    html_markup(writer, "<script>\n%s</script>\n</body>\n</html>\n", script);
}

int html_print(FILE *out, const struct snapshot *snapshot, const struct view_sources *sources,
               const struct html_run *run)
{
    struct html_writer writer = {out, snapshot, sources, run};
    /* The page and its pictures are UTF-8, whatever the user's locale. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = uselocale(utf8);
    errno = 0;
    print_page(&writer);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    return fflush(out) == EOF || ferror(out) ? -(errno ? errno : EIO) : 0;
}

int html_check(const char *path, struct error *error)
{
    return whole_file_check(option, path, error);
}

static int write_to(int fd, const struct snapshot *snapshot, const struct view_sources *sources,
                    const struct html_run *run)
{
    int own = dup(fd); /* fclose() closes its descriptor, but the caller owns this one */
    FILE *out = own < 0 ? NULL : fdopen(own, "w");
    int code = out ? html_print(out, snapshot, sources, run) : -errno;
    if (!out && own >= 0)
        close(own);
    return out && fclose(out) && !code ? -errno : code;
}

int html_write(const char *path, const struct snapshot *snapshot,
               const struct view_sources *sources, const struct html_run *run, struct error *error)
{
    struct atomic_file file;
    int code = whole_file_open(&file, option, path, error);
    return code ? code : whole_file_close(&file, write_to(file.fd, snapshot, sources, run), error);
}
