/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: the help on the screen it was asked on, the source, keys, columns and reasons. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/levels.h"
#include "view/screen/browser.h"
#include "view/screen/canvas.h"
#include "view/words.h"

struct help_view {
    enum page_id about; /* the screen it was asked on */
    int top;
    int lines;
    struct area area; /* as drawn */
    bool ascii;
    char word[TABLE_WORD_BYTES]; /* found last */
    int found;                   /* its line; -1: none */
};

static struct help_view *help_view(const struct browser *browser)
{
    return page_state(browser, PAGE_HELP);
}

/*
 * Headings and labelled entries one below the other, of which the canvas shows those in sight and
 * the rest is only counted. For the help page and its parts.
 */
struct help_writer {
    struct canvas *canvas;
    struct area area;
    int line;         /* next line, from the top of the whole text */
    int top;          /* the first line in sight */
    const char *word; /* looked for; NULL: none */
    int from;         /* by its first line, from this one on */
    int found;        /* where it is; -1: nowhere */
};

enum { LABEL_COLUMNS = 16 };

static bool in_sight(const struct help_writer *writer)
{
    return writer->line >= writer->top && writer->line < writer->top + writer->area.rows;
}

static int help_row_of(const struct help_writer *writer)
{
    return writer->area.row + writer->line - writer->top;
}

/* An entry begins with the line that is found. */
static void help_look(struct help_writer *writer, const char *label, const char *text)
{
    if (writer->word && writer->found < 0 && writer->line >= writer->from &&
        (strcasestr(label, writer->word) || strcasestr(text, writer->word)))
        writer->found = writer->line;
}

/* With a blank line before it, but for the first. */
static void help_heading(struct help_writer *writer, const char *text)
{
    if (writer->line)
        writer->line++;
    help_look(writer, "", text);
    if (in_sight(writer))
        canvas_text(writer->canvas, help_row_of(writer), 1, writer->area.columns - 2, PAINT_PANE,
                    text);
    writer->line++;
}

/* A label and its explanation, broken at spaces under itself. */
static void help_entry(struct help_writer *writer, enum paint paint, const char *label,
                       const char *text)
{
    int column = *label ? LABEL_COLUMNS + 3 : 3;
    int columns = writer->area.columns - column - 1;
    help_look(writer, label, text);
    if (in_sight(writer))
        canvas_text(writer->canvas, help_row_of(writer), 3, LABEL_COLUMNS - 1, paint, label);
    while (*text) {
        char line[512];
        int used = 0;
        size_t bytes = 0;
        size_t space = 0;
        struct glyph glyph;
        for (; (glyph = glyph_next(text + bytes, false)).bytes; bytes += glyph.bytes) {
            used += glyph.columns;
            if (text[bytes] == ' ')
                space = bytes;
            if (used > columns) {
                bytes = space ? space : bytes;
                break;
            }
        }
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        if (in_sight(writer))
            canvas_text(writer->canvas, help_row_of(writer), column, columns, PAINT_PLAIN, line);
        writer->line++;
        text += bytes ? bytes : strlen(text);
        text += strspn(text, " ");
    }
}

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

/* Numbers in one entry, letters one by one. */
static void write_page_keys(struct help_writer *writer)
{
    char names[256] = "";
    for (int i = 0; i < PAGE_COUNT; i++)
        if (pages[i].key && isdigit((unsigned char)pages[i].key[0])) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     pages[i].page->name);
        }
    help_entry(writer, PAINT_STRONG, "1 .. 9, 0", names);
    for (int i = 0; i < PAGE_COUNT; i++)
        if (pages[i].key && pages[i].page->key_help)
            help_entry(writer, PAINT_STRONG, pages[i].key, pages[i].page->key_help);
}

static void write_keys(struct help_writer *writer, bool replays)
{
    size_t count;
    const struct key_binding *bindings = keys_all(&count);
    help_heading(writer, "All keys");
    write_page_keys(writer);
    for (size_t i = 0; i < count; i++)
        if (bindings[i].help && (replays || !keys_replays(bindings[i].action)))
            help_entry(writer, PAINT_STRONG, bindings[i].shown, bindings[i].help);
    help_entry(writer, PAINT_STRONG, "mouse",
               "click selects, click again opens, wheel scrolls; titles sort, names and the key "
               "bar act");
}

/* Columns that this source cannot measure are left out. */
static bool can_be_shown(const struct snapshot *snapshot, const struct column *column)
{
    return column->title && (!snapshot || columns_shown(column, snapshot));
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
    return browser->snapshot ? page_panes(browser, help_view(browser)->about, panes) : 0;
}

/* Columns of a simulation or of watchpoints are explained only where there are any. */
static bool is_explained(const struct browser *browser, enum page_id id)
{
    return !browser->snapshot || page_filled(id, browser->snapshot);
}

static bool chosen_from(const struct page *page, const struct columns *columns)
{
    for (const struct page_table *table = page->tables; table->columns; table++)
        if (table->columns == columns)
            return table->chosen_from;
    return false;
}

static void write_screen(struct help_writer *writer, struct browser *browser)
{
    char heading[HEADING_BYTES];
    struct table *panes[PANES_MAX];
    const struct page *page = pages[help_view(browser)->about].page;
    if (!page->shows)
        return;
    snprintf(heading, sizeof heading, "This screen: %s", page->name);
    help_heading(writer, heading);
    help_entry(writer, PAINT_PLAIN, "", page->shows);
    help_entry(writer, PAINT_PLAIN, "", page->next);
    help_heading(writer, "Keys here");
    for (const enum action *action = page->bar; *action; action++) {
        const struct key_binding binding = keys_binding(*action);
        if (binding.help)
            help_entry(writer, PAINT_STRONG, binding.shown, binding.help);
    }
    unsigned count = asked_panes(browser, panes);
    for (unsigned i = 0; i < count && is_explained(browser, help_view(browser)->about); i++)
        if (!chosen_from(page, panes[i]->columns))
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
    for (int i = 0; i < PAGE_COUNT; i++) {
        const struct page_table *table = pages[i].page->tables;
        for (; table->columns && is_explained(browser, (enum page_id)i); table++)
            if (!table->chosen_from && !is_asked(browser, table->columns))
                write_table(writer, browser->snapshot, table->columns);
    }
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

/* All of the help on the screen that it was asked on. */
static void help_text_write(struct help_writer *writer, struct browser *browser)
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

static void help_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct help_view *view = help_view(browser);
    struct help_writer writer = {.canvas = canvas, .area = area, .top = view->top};
    help_text_write(&writer, browser);
    view->lines = writer.line;
    view->area = area;
    view->ascii = canvas->ascii;
    int row = area.row + view->found - view->top;
    if (view->found >= 0 && row >= area.row && row < area.row + area.rows)
        canvas_flag(canvas, row, area.column, area.columns, CELL_SELECTED);
}

/* The line of a word, of those as wide as drawn last; -1: it has none. */
static int help_page_line_of(struct browser *browser, const char *word, int from)
{
    struct canvas none = {.ascii = help_view(browser)->ascii};
    struct help_writer writer = {.canvas = &none,
                                 .area = {.columns = help_view(browser)->area.columns},
                                 .word = word,
                                 .from = from,
                                 .found = -1};
    help_text_write(&writer, browser);
    return writer.found;
}

static void scroll(struct browser *browser, int top)
{
    int last = help_view(browser)->lines - help_view(browser)->area.rows;
    last = last < 0 ? 0 : last;
    help_view(browser)->top = top < 0 ? 0 : top > last ? last : top;
}

/* From the line found last, else from the first in sight; past the end it begins anew. */
static bool go_to_word(struct browser *browser, const char *word, bool from_here)
{
    struct help_view *view = help_view(browser);
    int from = view->found >= 0 ? view->found + !from_here : view->top;
    int line = help_page_line_of(browser, word, from);
    if (line < 0)
        line = help_page_line_of(browser, word, 0);
    view->found = line;
    if (line >= 0)
        scroll(browser, line);
    return line >= 0;
}

static bool help_find(struct browser *browser, const char *word, bool from_here)
{
    snprintf(help_view(browser)->word, sizeof help_view(browser)->word, "%s", word);
    return go_to_word(browser, word, from_here);
}

static void find_next(struct browser *browser)
{
    if (!*help_view(browser)->word)
        browser_message(browser, "nothing to find yet: / asks for a word");
    else if (!go_to_word(browser, help_view(browser)->word, false))
        browser_message(browser, "not found");
}

void help_open(struct browser *browser)
{
    if (browser->page == PAGE_HELP) {
        browser_return(browser);
        return;
    }
    help_view(browser)->about = browser->page;
    help_view(browser)->top = 0;
    help_view(browser)->found = -1;
    browser_go(browser, PAGE_HELP);
}

static bool help_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    int rows = help_view(browser)->area.rows;
    int page = rows > 1 ? rows - 1 : 1;
    int top = help_view(browser)->top;
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
        top = help_view(browser)->lines;
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
    struct help_view *view = help_view(browser);
    int last = view->top + view->area.rows;
    if (last < view->lines)
        snprintf(out, size,
                 "lines %d to %d of %d: PgDn goes on, / finds a word. man misstop has more",
                 view->top + 1, last, view->lines);
    else
        snprintf(out, size, "man misstop has more");
}

const struct page help_page = {
    .name = "Help",
    .state_size = sizeof(struct help_view),
    .draw = help_draw,
    .act = help_act,
    .find = help_find,
    .hint = help_hint,
    .bar = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIND, ACTION_HOME},
};
