/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: the text of help.c, through which one scrolls and finds words. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/rates.h"
#include "view/screen/browser.h"
#include "view/screen/canvas.h"
#include "view/words.h"

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

static const struct {
    const char *shows;
    const char *next;
} screens[PAGE_COUNT] = {
    [PAGE_OBJECTS] =
        {"The data that the process waits for, hottest first: variables, heap blocks (by who "
         "allocated them, by type, or by size), stacks, mappings. Above the list, how many samples "
         "there are, how many could be put on an object, and why the others could not.",
         "Look at the first rows; the column beside the share says how sure it is by now. Enter "
         "opens one. f lists problems recognised, 0 says whether it was like this all the time."},
    [PAGE_DETAIL] =
        {"One object: which of its fields or offsets have the samples, the code that accesses it, "
         "and "
         "its blocks one by one. Left and Right go from one list to the next.",
         "Is it one field or all of them? Enter on a field shows how it lies in its cache lines, "
         "on a function the source line that waits."},
    [PAGE_SETS] =
        {"Each cell is a set of the cache and how many of the samples fell on it; below, the "
         "objects "
         "that fill the set under the cursor.",
         "Evenly grey is as it should be. A few hot sets are data at distances of a power of two, "
         "or a line that is read all the time; the verdict says which."},
    [PAGE_SEARCH] =
        {"The n-way search: the address space is split, the samples in each part are counted, and "
         "the best parts are split again, until each is one object or one cache line. Needs no "
         "names, so it works in arenas and mappings that a program manages itself.",
         "S begins with everything, s with the selected region or object. Enter opens the object "
         "that a region holds. Esc goes back to the search before. X stops it."},
    [PAGE_CODE] =
        {"Functions by what they wait for, with the object that each accesses most. Functions "
         "whose samples have no object are here too, and say why.",
         "Enter opens the source of one, with its heat; m shows the samples of each function on "
         "each object."},
    [PAGE_FUNCTION] =
        {"One function: its source lines with their heat, below them the instructions of the line "
         "that is selected and the data that each accesses, and the objects that the function "
         "accesses.",
         "Where there is no source a line says where it was looked for. Right goes to the "
         "instructions."},
    [PAGE_WINDOW] =
        {"The newest samples by cache line: how often lines come again, which do most, and which "
         "objects are accessed one after the other.",
         "Mostly seen once: the data is larger than the cache, or it is streamed through. Mostly "
         "again: a few lines have the samples; Sets and Sharing show what they have in common."},
    [PAGE_HEAP] =
        {"The heap by who allocated it: live bytes, how much is lost between blocks, how fast "
         "blocks come and go, and their part of the samples. Launched (misstop -- CMD) it knows "
         "the "
         "call paths; attached, sizes only.",
         "M sets a mark and GROWTH counts from there. What grows and is never touched may be a "
         "leak."},
    [PAGE_LAYOUT] =
        {"A struct as it lies in memory: members, holes, and where cache lines begin; the heat is "
         "the part of the object's samples that fell on each member.",
         "A line with one hot member and the rest cold is mostly fetched in vain: members that are "
         "hot together belong together. The sentence on top says what it would bring."},
    [PAGE_SHARING] =
        {"Cache lines that threads take from each other. Below, the selected one byte by byte: r "
         "what a thread reads, W what it writes.",
         "False: threads use bytes of their own, so give each its own line. True: they want the "
         "same bytes, so share less. No row: nobody waits for another's line."},
    [PAGE_TIMELINE] =
        {"The run from left to right: in each column, the parts that the leading objects have of "
         "the samples. Below it the number of samples and the phases: time ranges in which the "
         "samples are on the same data. One that comes back has its old letter.",
         "ROSE and FELL tell phases apart. Enter on one, and all screens show that phase alone; N "
         "is back to now. b stacks by function, fields or threads."},
    [PAGE_MATRIX] =
        {"Functions down, objects across: in each cell, the part of all samples that this function "
         "has on this object. Totals stand in the first row and column.",
         "The cursor is on the strongest cell and the lines below say what it is made of. Enter "
         "goes to the code, o to the data."},
    [PAGE_FINDINGS] =
        {"Problems that misstop recognises by itself, most gain first. Below, of the selected one: "
         "the evidence in numbers, what to try, what that may bring at most, and how sure it is.",
         "Enter opens the screen that shows it. Nothing listed means that no rule is met, not that "
         "nothing is wrong."},
    [PAGE_WATCH] =
        {"What hardware watchpoints saw (misstop --watch): whether the lines of an object are "
         "touched again after a sampled access, how soon, and how much of a line is used.",
         "Hardly touched again: it is streamed through. Again after long: work on less at a time."},
    [PAGE_CAUSES] =
        {"Why lines were not in the simulated caches (misstop --sim): first reference, too much "
         "data, too many lines for one set, or written by another thread; and what replaced "
         "them.",
         "Capacity: use less memory at a time. Conflict: change distances. Sharing: see 9."},
    [PAGE_EVICTIONS] = {"Which object replaces lines of which in the simulated caches: the object "
                        "that was replaced down, the one that replaced it across.",
                        "An object that throws itself out is too large or in its own way; one that "
                        "is thrown out by "
                        "another could be kept apart from it."},
    [PAGE_REUSE] =
        {"How much else was touched before data was touched again, in the simulation, and so what "
         "part "
         "of the accesses a cache of each size would serve.",
         "Where the curve falls steeply there is a size at which the data fits: a smaller working "
         "set, or a larger cache, would pay. A flat curve says that size does not matter."},
    [PAGE_WHATIF] = {"The simulation ran another layout beside the real one.",
                     "Choose a question about an object; the answer compares both."},
};

/* A few sentences on a screen; NULL where there is none to give. */
static const char *help_screen_shows(enum page_id page)
{
    return page < PAGE_COUNT ? screens[page].shows : NULL;
}

/* What to look for on it, and what then. The same. */
static const char *help_screen_next(enum page_id page)
{
    return page < PAGE_COUNT ? screens[page].next : NULL;
}

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

/* What the help says: of the screen one comes from, what the source can say, keys and columns from
 * their tables, reasons. Declared in help.c. */

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

/* All that the help says on the screen that it was asked on. (help.c) */
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
    struct help_writer writer = {.canvas = canvas, .area = area, .top = browser->help.top};
    help_text_write(&writer, browser);
    browser->help.lines = writer.line;
    browser->help.area = area;
    browser->help.ascii = canvas->ascii;
    int row = area.row + browser->help.found - browser->help.top;
    if (browser->help.found >= 0 && row >= area.row && row < area.row + area.rows)
        canvas_flag(canvas, row, area.column, area.columns, CELL_SELECTED);
}

/* The line of a word, of those as wide as drawn last; -1: it has none. */
static int help_page_line_of(struct browser *browser, const char *word, int from)
{
    struct canvas none = {.ascii = browser->help.ascii};
    struct help_writer writer = {.canvas = &none,
                                 .area = {.columns = browser->help.area.columns},
                                 .word = word,
                                 .from = from,
                                 .found = -1};
    help_text_write(&writer, browser);
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
    int line = help_page_line_of(browser, word, from);
    if (line < 0)
        line = help_page_line_of(browser, word, 0);
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
