/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the help says: of the screen one comes from, what the source can say, keys and columns from
 * their tables, reasons. Declared in help_screens.h. */
#include "view/help_screens.h"

#include "base/text.h"
#include "view/binary_words.h"
#include "view/rates_words.h"

#include <stdio.h>
#include <string.h>

enum { HEADING_BYTES = 64 };

static const char *source_text(const char *name)
{
    static const struct {
        const char *name;
        const char *text;
    } sources[] = {
        {"counter",
         "Counts real cache misses. The address is computed from the instruction before the "
         "sampled one and the registers; what cannot be computed is counted under its reason and "
         "never guessed. It cannot tell latency or the cache level of a single miss."},
        {"clock",
         "Samples time: an object is hot when the process spends its time at accesses to it, "
         "wherever the data is found. What the caches do cannot be seen by it."},
        {"pebs",
         "The hardware records the address, the latency and the level of each sampled access. "
         "Loads that took no longer than the latency threshold are not seen."},
        {"ibs",
         "The hardware records the address, the latency and the level of sampled operations, "
         "hits as well as misses."},
        {"replay", "A recording: what it does not hold cannot be shown, and nothing new comes."},
        {"sim", "Every access of the program goes through a simulated cache: exact, and slow."},
    };
    for (size_t i = 0; name && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(sources[i].name, name))
            return sources[i].text;
    return NULL;
}

static void write_source(struct help_writer *writer, const struct snapshot *snapshot)
{
    const char *text = snapshot ? source_text(snapshot->source.name) : NULL;
    if (!snapshot)
        return;
    help_heading(writer, "What the figures are");
    help_entry(writer, PAINT_STRONG, snapshot->source.name ? snapshot->source.name : "source",
               text ? text : "A source this help does not know.");
    if (snapshot->source.weighs)
        help_entry(writer, PAINT_STRONG, "shares are of", snapshot->source.weighs);
    char wanting[256];
    rates_wanting(snapshot, wanting, sizeof wanting);
    if (*wanting)
        help_entry(writer, PAINT_STRONG, "rates", wanting);
    help_entry(writer, PAINT_STRONG, "blank", "Not measured. It never means zero.");
}

static void write_known(struct help_writer *writer, const char *label, const char *text)
{
    if (text)
        help_entry(writer, PAINT_STRONG, label, text);
}

static void write_recording(struct help_writer *writer, const struct snapshot_recording *recording)
{
    if (!recording)
        return;
    help_heading(writer, "The recording");
    write_known(writer, "recorded on", recording->host);
    write_known(writer, "CPU", recording->cpu);
    write_known(writer, "kernel", recording->kernel);
    write_known(writer, "by", recording->command);
    write_known(writer, recording->date_exact ? "begun" : "file of", recording->date);
    if (recording->processes > 1) {
        char share[192];
        snprintf(share, sizeof share,
                 "%.1f%% of the samples of all processes. Shares here are of this process; perf "
                 "report's are of all, and agree with --percentage relative --pid PID.",
                 recording->process_share * 100);
        write_known(writer, "this process", share);
    }
    write_known(writer, "other processes", recording->others);
    write_known(writer, "addresses", recording->addresses);
    write_known(writer, "note", recording->note);
}

static void write_binaries(struct help_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_binaries *binaries = &snapshot->binaries;
    char fate[512];
    char label[16];
    if (!binaries->count)
        return;
    help_heading(writer, "Programs and libraries of the recording, by samples");
    for (size_t i = 0; i < binaries->count; i++) {
        char line[1024];
        const struct binary_desc *binary = &binaries->list[i];
        bool here = binary->state == BINARY_FOUND || binary->state == BINARY_UNVERIFIED;
        binary_fate(binary, fate, sizeof fate);
        snprintf(line, sizeof line, "%s%s%s", binary->path, *fate ? ": " : "", fate);
        help_entry(writer, here ? PAINT_STRONG : PAINT_BAD,
                   text_count(label, (double)binary->samples), line);
    }
    if (binary_missing(binaries) > 0)
        help_entry(writer, PAINT_STRONG, "to get them", binary_remedy);
    if (binaries->code_only)
        help_entry(writer, PAINT_STRONG, "recorded", binary_code_only);
}

static void write_refused(struct help_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_refused *refused = &snapshot->refused;
    char line[512];
    if (!refused->count)
        return;
    help_heading(writer, "Files that were named and not opened");
    for (size_t i = 0; i < refused->count; i++) {
        snprintf(line, sizeof line, "%s: %s", refused->list[i].path, refused->list[i].why);
        help_entry(writer, PAINT_BAD, "", line);
    }
}

static void write_keys(struct help_writer *writer, bool replays)
{
    size_t count;
    const struct key_binding *bindings = keys_all(&count);
    help_heading(writer, "All keys");
    for (size_t i = 0; i < count; i++)
        if (bindings[i].help && (replays || !keys_replays(bindings[i].action)))
            help_entry(writer, PAINT_STRONG, bindings[i].shown, bindings[i].help);
    help_entry(writer, PAINT_STRONG, "mouse",
               "click selects, click again opens, wheel scrolls; titles sort, names and the key "
               "bar act");
}

/* What this source cannot measure would be in the way of what it can. */
static bool can_be_shown(const struct snapshot *snapshot, const struct column *column)
{
    return !snapshot || !column->shown || column->shown(snapshot);
}

static void write_table(struct help_writer *writer, const struct snapshot *snapshot,
                        const struct columns *columns)
{
    char heading[HEADING_BYTES];
    snprintf(heading, sizeof heading, "Columns: %s", columns->title);
    help_heading(writer, heading);
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].help && can_be_shown(snapshot, &columns->list[i]))
            help_entry(writer, PAINT_STRONG,
                       columns_title(&columns->list[i], writer->canvas->ascii),
                       columns->list[i].help);
}

/* The tables of the screen that the help was asked on. */
static unsigned asked_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    const struct page *page = browser_pages[browser->help.about];
    return browser->snapshot && page->panes ? page->panes(browser, panes) : 0;
}

/* What one only chooses from needs no words; a simulation's tables and those of watchpoints only
 * where they are. */
static bool is_told(const struct snapshot *snapshot, const struct columns *columns)
{
    bool simulated = columns == &causes_columns[CAUSES_OBJECTS] || columns == &reuse_columns ||
                     columns == &reuse_line_columns || columns == &whatif_columns ||
                     columns == &simulation_columns;
    if (snapshot && simulated && !snapshot->simulation.level_count)
        return false;
    if (snapshot && columns == &watch_columns && !snapshot->watch.on)
        return false;
    return columns != &process_columns && columns != &recorded_columns &&
           columns != &whatif_choice_columns && columns != &whatif_asked_columns;
}

static void write_screen(struct help_writer *writer, struct browser *browser)
{
    char heading[HEADING_BYTES];
    struct table *panes[PANES_MAX];
    const struct page *page = browser_pages[browser->help.about];
    const char *shows = help_screen_shows(browser->help.about);
    if (!shows)
        return;
    snprintf(heading, sizeof heading, "This screen: %s", page->name);
    help_heading(writer, heading);
    help_entry(writer, PAINT_PLAIN, "", shows);
    help_entry(writer, PAINT_PLAIN, "", help_screen_next(browser->help.about));
    help_heading(writer, "Keys here");
    for (const enum action *action = page->bar; action && *action; action++) {
        const struct key_binding *binding = keys_binding(*action);
        if (binding && binding->help)
            help_entry(writer, PAINT_STRONG, binding->shown, binding->help);
    }
    unsigned count = asked_panes(browser, panes);
    for (unsigned i = 0; i < count; i++)
        if (is_told(browser->snapshot, panes[i]->columns))
            write_table(writer, browser->snapshot, panes[i]->columns);
}

static bool is_asked(struct browser *browser, const struct columns *columns)
{
    struct table *panes[PANES_MAX];
    unsigned count = asked_panes(browser, panes);
    for (unsigned i = 0; i < count; i++)
        if (panes[i]->columns == columns)
            return true;
    return false;
}

static void write_other_columns(struct help_writer *writer, struct browser *browser)
{
    const struct columns *columns;
    for (unsigned i = 0; (columns = browser_listed_columns(i)); i++)
        if (is_told(browser->snapshot, columns) && !is_asked(browser, columns))
            write_table(writer, browser->snapshot, columns);
}

static void write_reasons(struct help_writer *writer)
{
    help_heading(writer, "Why a sample has no object");
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        help_entry(writer, PAINT_STRONG, access_reason_name((enum reason)i),
                   access_reason_text((enum reason)i));
    help_heading(writer, "Why a sample has an object but no field");
    for (int i = UNTYPED_NO_REASON + 1; i < UNTYPED_COUNT; i++)
        help_entry(writer, PAINT_STRONG, untyped_name((enum untyped)i),
                   untyped_text((enum untyped)i));
}

void help_text_write(struct help_writer *writer, struct browser *browser)
{
    /* The header sends people here where files are missing: that comes first then. */
    bool missing = browser->snapshot && binary_missing(&browser->snapshot->binaries) > 0;
    if (missing)
        write_binaries(writer, browser->snapshot);
    write_screen(writer, browser);
    write_source(writer, browser->snapshot);
    write_recording(writer, browser->snapshot ? browser->snapshot->recording : NULL);
    if (browser->snapshot && !missing)
        write_binaries(writer, browser->snapshot);
    if (browser->snapshot)
        write_refused(writer, browser->snapshot);
    write_keys(writer, browser->replays);
    write_other_columns(writer, browser);
    write_reasons(writer);
}
