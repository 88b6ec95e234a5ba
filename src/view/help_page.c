/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: the screen one comes from, what the source can say, keys and columns from their
 * tables, reasons. */
#include "view/browser.h"

#include "base/text.h"
#include "view/binary_words.h"
#include "view/help_screens.h"
#include "view/help_writer.h"
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
         "Samples time, not misses, because there are no counters here: an object is hot when "
         "the process spends its time at accesses to it, also where they hit the cache."},
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
        help_entry(writer, PAINT_STRONG, "miss rates", wanting);
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

static void write_table(struct help_writer *writer, const struct columns *columns)
{
    char heading[HEADING_BYTES];
    snprintf(heading, sizeof heading, "Columns: %s", columns->title);
    help_heading(writer, heading);
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].help)
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
        write_table(writer, panes[i]->columns);
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

/* What one only chooses from needs no words. */
static bool is_told(const struct columns *columns)
{
    return columns != &process_columns && columns != &recorded_columns &&
           columns != &whatif_choice_columns;
}

static void write_other_columns(struct help_writer *writer, struct browser *browser)
{
    const struct columns *columns;
    for (unsigned i = 0; (columns = browser_listed_columns(i)); i++)
        if (is_told(columns) && !is_asked(browser, columns))
            write_table(writer, columns);
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

static void write_all(struct help_writer *writer, struct browser *browser)
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
    write_keys(writer, browser->replays);
    write_other_columns(writer, browser);
    write_reasons(writer);
}

static void help_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct help_writer writer = {.canvas = canvas, .area = area, .top = browser->help.top};
    write_all(&writer, browser);
    browser->help.lines = writer.line;
    browser->help.area = area;
    browser->help.ascii = canvas->ascii;
    int row = area.row + browser->help.found - browser->help.top;
    if (browser->help.found >= 0 && row >= area.row && row < area.row + area.rows)
        canvas_flag(canvas, row, area.column, area.columns, CELL_SELECTED);
}

/* The line of a word, of those as wide as drawn last; -1: it has none. */
static int line_of(struct browser *browser, const char *word, int from)
{
    struct canvas none = {.ascii = browser->help.ascii};
    struct help_writer writer = {.canvas = &none,
                                 .area = {.columns = browser->help.area.columns},
                                 .word = word,
                                 .from = from,
                                 .found = -1};
    write_all(&writer, browser);
    return writer.found;
}

static void scroll(struct browser *browser, int top)
{
    int last = browser->help.lines - browser->help.area.rows;
    last = last < 0 ? 0 : last;
    browser->help.top = top < 0 ? 0 : top > last ? last : top;
}

/* From the line found last, else from the first in sight; past the end it begins anew. */
static bool go_to_word(struct browser *browser, const char *word, bool from_here)
{
    int from = browser->help.found >= 0 ? browser->help.found + !from_here : browser->help.top;
    int line = line_of(browser, word, from);
    if (line < 0)
        line = line_of(browser, word, 0);
    browser->help.found = line;
    if (line >= 0)
        scroll(browser, line);
    return line >= 0;
}

static bool help_find(struct browser *browser, const char *word, bool from_here)
{
    snprintf(browser->help.word, sizeof browser->help.word, "%s", word);
    return go_to_word(browser, word, from_here);
}

static void find_next(struct browser *browser)
{
    if (!*browser->help.word)
        browser_message(browser, "nothing to find yet: / asks for a word");
    else if (!go_to_word(browser, browser->help.word, false))
        browser_message(browser, "not found");
}

void help_open(struct browser *browser)
{
    if (browser->page == PAGE_HELP) {
        browser_return(browser);
        return;
    }
    browser->help.about = browser->page;
    browser->help.top = 0;
    browser->help.found = -1;
    browser_go(browser, PAGE_HELP);
}

static bool help_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    int rows = browser->help.area.rows;
    int page = rows > 1 ? rows - 1 : 1;
    int top = browser->help.top;
    switch (action) {
    case ACTION_UP:
        top -= 1;
        break;
    case ACTION_DOWN:
        top += 1;
        break;
    case ACTION_PAGE_UP:
        top -= page;
        break;
    case ACTION_PAGE_DOWN:
        top += page;
        break;
    case ACTION_HOME:
        top = 0;
        break;
    case ACTION_END:
        top = browser->help.lines;
        break;
    case ACTION_FIND_NEXT:
        find_next(browser);
        return true;
    case ACTION_FILTER:
        browser_message(browser, "/ finds a word in the help");
        return true;
    default:
        return false;
    }
    scroll(browser, top);
    return true;
}

static void help_hint(struct browser *browser, char *out, size_t size)
{
    int last = browser->help.top + browser->help.area.rows;
    if (last < browser->help.lines)
        snprintf(out, size,
                 "lines %d to %d of %d: PgDn goes on, / finds a word. man misstop has more",
                 browser->help.top + 1, last, browser->help.lines);
    else
        snprintf(out, size, "man misstop has more");
}

static const enum action help_bar[] = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP,
                                       ACTION_FIND, ACTION_HOME,      ACTION_NONE};

const struct page help_page = {
    .name = "Help",
    .draw = help_draw,
    .act = help_act,
    .find = help_find,
    .hint = help_hint,
    .bar = help_bar,
};
