/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 7: cache lines that threads take from each other, and the accesses of each thread. */
#include "view/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/cache/sharing.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"

enum { SHARING_ACCESSES_MAX = 32 };

struct sharing_view {
    struct table groups;
    struct table lines;
    struct table accesses;
    const struct snapshot_sharing_group *group; /* group with its lines listed; NULL: none */
    const struct snapshot_sharing_line *line;   /* line with its accesses listed */
    struct sharing_access list[SHARING_ACCESSES_MAX];
};

static struct sharing_view *sharing_view(const struct browser *browser)
{
    return browser->states[SCREEN_SHARING];
}

enum { TALL_ROWS = 13, WIDE_COLUMNS = 130, READING_ROWS = 3, ROOMY_ROWS = 18, GROUPS_MIN = 2 };

static const struct snapshot_sharing_group *group_shown(const struct browser *browser)
{
    return browser->snapshot ? table_selected(&sharing_view(browser)->groups) : NULL;
}

/* Returns the selected line of the group, or its hottest one if there is no list of lines. */
static const struct snapshot_sharing_line *line_shown(const struct browser *browser)
{
    const struct snapshot_sharing_group *group = group_shown(browser);
    const struct snapshot_sharing_line *line = table_selected(&sharing_view(browser)->lines);
    return !group ? NULL : line ? line : &group->lines[0];
}

static void list_accesses(struct browser *browser, const struct snapshot_sharing_line *line)
{
    struct sharing_access *list = sharing_view(browser)->list;
    size_t count = 0;
    for (size_t i = 0; line && i < line->side_count; i++)
        for (size_t k = 0; k < line->sides[i].code_count && count < SHARING_ACCESSES_MAX; k++)
            list[count++] = (struct sharing_access){&line->sides[i], &line->sides[i].codes[k]};
    table_set(&sharing_view(browser)->accesses, browser->snapshot, list, count);
    sharing_view(browser)->line = line;
}

static void sharing_follow(struct browser *browser)
{
    const struct snapshot_sharing_group *group = group_shown(browser);
    if (group != sharing_view(browser)->group) {
        sharing_view(browser)->group = group;
        table_set(&sharing_view(browser)->lines, browser->snapshot, group ? group->lines : NULL,
                  group && group->line_count > 1 ? group->line_count : 0);
    }
    if (line_shown(browser) != sharing_view(browser)->line)
        list_accesses(browser, line_shown(browser));
}

static void sharing_update(struct browser *browser)
{
    struct sharing_view *view = sharing_view(browser);
    view->group = NULL;
    view->line = NULL;
    table_set(&view->lines, browser->snapshot, NULL, 0);
    table_set(&view->accesses, browser->snapshot, NULL, 0);
    sharing_follow(browser);
}

static unsigned sharing_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    unsigned count = 0;
    if (browser->snapshot)
        sharing_follow(browser);
    panes[count++] = &sharing_view(browser)->groups;
    panes[count++] = &sharing_view(browser)->accesses;
    if (sharing_view(browser)->lines.count)
        panes[count++] = &sharing_view(browser)->lines;
    return count;
}

/* ---- drawing ---- */

/* Formats the kinds that occur: "2 false, 1 unsure". */
static void count_kinds(const struct snapshot_sharing *sharing, char *out, size_t size)
{
    unsigned counts[SHARING_READ_ONLY + 1] = {0};
    static const char *const words[] = {"unsure", "true", "false", "both", "only read"};
    *out = '\0';
    for (size_t i = 0; i < sharing->group_count; i++)
        counts[sharing->groups[i].verdict]++;
    for (int i = 0; i <= SHARING_READ_ONLY; i++) {
        int kind = (i + SHARING_TRUE) % (SHARING_READ_ONLY + 1); /* unsure comes last */
        if (counts[kind])
            text_append(out, size, "%s%u %s", *out ? ", " : "", counts[kind], words[kind]);
    }
}

static void draw_facts(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    const struct snapshot_sharing *sharing = &snapshot->sharing;
    char kinds[128];
    double share = 0;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        if (group->verdict != SHARING_READ_ONLY && group->share.value > 0)
            share += group->share.value;
    }
    count_kinds(sharing, kinds, sizeof kinds);
    canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN,
                  " %.1f%% of the samples are on contended lines: %s; evidence: %s", share * 100,
                  kinds,
                  sharing->evidence == SHARING_HITM ? "HITM" : "turns; HITM is not reported");
}

static void sharing_draw_nothing(const struct snapshot *snapshot, struct canvas *canvas,
                                 struct area area)
{
    bool alone = snapshot->target.threads == 1;
    canvas_wrap(canvas, area, PAINT_DIM,
                alone ? " The process has one thread, so its threads do not share lines. Accesses "
                        "by other processes to shared memory are not seen."
                      : " No line is accessed by several threads in turn with stores among the "
                        "accesses. Lines that one thread initialised and others only read are not "
                        "contended, and are not listed.");
}

/* Draws accesses, and lines if there are several: side by side, or one of the lists. */
static void draw_lists(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *lines = &sharing_view(browser)->lines;
    struct table *accesses = &sharing_view(browser)->accesses;
    if (area.rows < 2)
        return;
    if (lines->count && area.columns >= WIDE_COLUMNS) {
        int right = area.columns / 3;
        struct area left = {area.row, 0, area.rows, area.columns - right - 2};
        struct area rest = {area.row, area.columns - right, area.rows, right};
        pane_titled(browser, canvas, left, accesses);
        pane_titled(browser, canvas, rest, lines);
        return;
    }
    bool other = lines->count && browser_focused(browser, lines);
    pane_titled(browser, canvas, area, other ? lines : accesses);
}

/* Draws the interpretation of the selected group, the line, and the accesses. */
static void sharing_draw_selected(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_sharing_group *group = sharing_view(browser)->group;
    const struct snapshot_sharing_line *line = sharing_view(browser)->line;
    if (!group || !line)
        return;
    char text[SHARING_READING_BYTES];
    sharing_reading(group, text, sizeof text);
    int rows = area.rows > ROOMY_ROWS ? READING_ROWS + 1 : READING_ROWS;
    struct area verdict = {area.row, 1, area.rows < rows ? area.rows : rows, area.columns - 2};
    area = area_below(area, canvas_wrap(canvas, verdict, PAINT_STRONG, text));
    struct area picture = {area.row, 0, area.rows > 8 ? area.rows - 4 : area.rows, area.columns};
    area = area_below(area, sharing_picture(line, canvas, picture));
    draw_lists(browser, canvas, area);
}

static void sharing_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot *snapshot = browser->snapshot;
    struct table *panes[PANES_MAX];
    sharing_follow(browser);
    if (!snapshot->sharing.group_count) {
        sharing_draw_nothing(snapshot, canvas, area);
        return;
    }
    if (area.rows < TALL_ROWS) {
        pane_tabbed(browser, canvas, area, panes, sharing_panes(browser, panes));
        return;
    }
    draw_facts(snapshot, canvas, area);
    int rows = (int)sharing_view(browser)->groups.shown;
    int most = (area.rows - 1) / 3;
    rows = rows < GROUPS_MIN ? GROUPS_MIN : rows > most ? most : rows;
    struct area groups = {area.row + 1, 0, rows + 1, area.columns};
    pane_table(browser, canvas, groups, &sharing_view(browser)->groups);
    sharing_draw_selected(browser, canvas, area_below(area, rows + 3));
}

/* ---- keys ---- */

/* Opens the layout if a type is known, otherwise Detail, for a group or one of its lines. */
static void open_object(struct browser *browser, const void *row)
{
    const struct snapshot_object *object =
        columns_object(browser->snapshot, sharing_view(browser)->group->object);
    (void)row;
    if (!object) {
        browser_message(browser, "the object is not listed: less than 0.1 % of the samples");
        return;
    }
    browser_open_object(browser, object);
    if (object->layout_count)
        browser_go(browser, SCREEN_LAYOUT);
}

static void open_function(struct browser *browser, const void *row)
{
    browser_open_function_id(browser, ((const struct sharing_access *)row)->code->id,
                             "the function is not listed: too few samples");
}

static void sharing_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot *snapshot = browser->snapshot;
    bool alone = snapshot && snapshot->target.threads == 1;
    if (!alone && (!snapshot || !snapshot->sharing.group_count))
        snprintf(out, size, "Shared lines appear when several threads write to them: wait a while");
}

static const char read_and_written[] =
    "W writes, r reads. Right: the code of each thread. Enter: the object's layout";

const struct screen sharing_screen = {
    .name = "Sharing",
    .description =
        "Cache lines that several threads access in turn, at least one with stores. Below, "
        "the bytes of the selected line: r read, W written by a thread.",
    .next_step =
        "False: threads access different bytes; give each its own line. True: they access the "
        "same bytes; share less. No rows: no thread waits for another's line.",
    .state_size = sizeof(struct sharing_view),
    .tables = {{.at = offsetof(struct sharing_view, groups),
                .columns = &sharing_columns,
                .open = open_object,
                .enter = "Layout",
                .hint = read_and_written},
               {.at = offsetof(struct sharing_view, lines),
                .columns = &sharing_line_columns,
                .open = open_object,
                .enter = "Layout",
                .hint = read_and_written},
               {.at = offsetof(struct sharing_view, accesses),
                .columns = &sharing_access_columns,
                .open = open_function,
                .enter = "Function",
                .hint = "W writes, r reads. Enter: the function"}},
    .update = sharing_update,
    .draw = sharing_draw,
    .panes = sharing_panes,
    .hint = sharing_hint,
    .bar = {ACTION_BACK, ACTION_RIGHT, ACTION_ENTER, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT,
            ACTION_FREEZE, ACTION_BASIS},
};

/* ---- columns of shared lines, similar lines in one row ---- */

/* Columns that are shown only if the source reports their data. */
static bool sharing_has_nodes(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->sharing.group_count; i++) {
        const struct snapshot_sharing_line *line = &snapshot->sharing.groups[i].lines[0];
        if (line->node >= 0 || (line->side_count && line->sides[0].node >= 0))
            return true;
    }
    return false;
}

/* Formats "true, lock". */
static const char *sharing_kind(enum sharing_verdict verdict, bool locked)
{
    switch (verdict) {
    case SHARING_TRUE:
        return locked ? "true, lock" : "true";
    case SHARING_FALSE:
        return "false";
    case SHARING_BOTH:
        return locked ? "both, lock" : "both";
    case SHARING_READ_ONLY:
        return "only read";
    default:
        return "unsure";
    }
}

static enum paint sharing_paint(struct value value)
{
    switch (value.kind == VALUE_TEXT ? value.text[0] : 0) {
    case 'f':
    case 'b':
        return PAINT_BAD;
    case 't':
        return PAINT_WARN;
    default:
        return PAINT_DIM;
    }
}

/* ---- groups ---- */

static struct value group_kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_text(sharing_kind(row->verdict, row->locked));
}

static struct value group_evidence(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    bool reads = row->verdict == SHARING_READ_ONLY;
    return value_text(reads ? NULL : row->evidence == SHARING_HITM ? "HITM" : "turns");
}

static uint64_t group_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < row->line_count; i++)
        first = row->lines[i].address < first ? row->lines[i].address : first;
    return first;
}

static void sharing_column_reading(const struct snapshot *snapshot, const void *pointer, char *out,
                                   size_t size)
{
    (void)snapshot;
    sharing_reading(pointer, out, size);
}

static const struct column group_list[] = {
    COLUMN(.title = "SHARE", .key = "share",
           .help = "Share of all samples on the shared lines of this row.",
           .from = FIELD(struct snapshot_sharing_group, share.value), .width = 6, UNIT_SHARE),
    COLUMN(.title = "±", .from = HALF(struct snapshot_sharing_group, share), .width = 4, .rank = 6,
           UNIT_POINTS),
    COLUMN(.title = "OF IT", .key = "of_object", .help = "Part of the object's samples.",
           .from = FIELD(struct snapshot_sharing_group, object_share), .width = 6, .rank = 4,
           UNIT_PERCENT),
    COLUMN(.title = "SHARING",
           .help = "True: threads access the same bytes. False: each accesses different bytes of "
                   "the line. Both: a lock next to its data. Lock: atomic instructions. Unsure: "
                   "too few samples.",
           .value = group_kind, .width = 10, .paint = sharing_paint),
    COLUMN(.title = "OBJECT", .key = "object", .from = FIELD(struct snapshot_sharing_group, name),
           .width = 10, .width_max = 40, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "FIELDS", .key = "fields",
           .help = "Fields used by the two busiest threads, | between them.",
           .from = FIELD(struct snapshot_sharing_group, fields), .width = 12, .width_max = 60,
           .rank = 1, .look = COLUMN_NAME),
    COLUMN(.title = "LINES", .key = "lines",
           .help = "Similar cache lines: neighbours, or the same line of many blocks.",
           .from = FIELD(struct snapshot_sharing_group, line_count), .width = 5, .rank = 3,
           UNIT_INTEGER),
    COLUMN(.title = "THREADS",
           .help = "Threads seen on them, except those with hardly any accesses.",
           .from = KNOWN(struct snapshot_sharing_group, threads), .width = 7, .rank = 2,
           UNIT_INTEGER),
    COLUMN(.title = "BY",
           .help = "The evidence. HITM: the hardware found the line modified in another CPU's "
                   "cache. Turns: sampled accesses of several threads alternate.",
           .value = group_evidence, .width = 5, .rank = 1, .paint = paint_dim),
    COLUMN(.title = "HITM", .help = "Samples that found the line modified in another CPU's cache.",
           .from = FIELD(struct snapshot_sharing_group, hitm), .width = 5, .rank = 2,
           .shown_if = FIELD(struct snapshot, sharing.evidence), UNIT_COUNT),
    COLUMN(.title = "TURNS",
           .help = "Samples within a second of one by another thread on another CPU, at least one "
                   "of them a store.",
           .from = FIELD(struct snapshot_sharing_group, alternations), .width = 5, .rank = 5,
           UNIT_COUNT),
    COLUMN(.title = "IF MIXED",
           .help = "Expected turns if all threads always ran and their samples were shuffled. "
                   "Threads that wait for a CPU take fewer turns; below a tenth of this number "
                   "they used the line one after the other, and it is not listed.",
           .from = FIELD(struct snapshot_sharing_group, expected_alternations), .width = 8,
           .rank = 7, UNIT_COUNT, .paint = paint_dim),
    COLUMN(.key = "verdict", .from = FIELD(struct snapshot_sharing_group, verdict),
           .name = sharing_verdict_name),
    COLUMN(.key = "evidence", .from = FIELD(struct snapshot_sharing_group, evidence),
           .name = sharing_evidence_name),
    MEMBER("sure", struct snapshot_sharing_group, has_enough_samples),
    MEMBER_COUNT("samples", struct snapshot_sharing_group, samples),
    MEMBER("threads", struct snapshot_sharing_group, threads),
    MEMBER("locked", struct snapshot_sharing_group, locked),
    COLUMN(.key = "reading", .format_sentence = sharing_column_reading),
};

const struct columns sharing_columns = {
    .title = "Shared lines",
    TABLE(struct snapshot_sharing_group, group_list),
    ALL_OF(sharing.groups, sharing.group_count),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = group_identity,
    .interval = ROW_IN(struct snapshot_sharing_group, share),
    .object = FIELD(struct snapshot_sharing_group, object),
};

/* ---- columns of single shared lines, and of the accesses on one line ---- */

static struct value line_kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_text(sharing_kind(row->verdict, row->locked));
}

static const struct column line_list[] = {
    COLUMN(.title = "SHARE", .key = "share", .from = FIELD(struct snapshot_sharing_line, share),
           .width = 6, UNIT_SHARE),
    COLUMN(.title = "LINE", .from = FIELD(struct snapshot_sharing_line, address), .width = 14,
           .width_max = 18, .format = format_address, .paint = paint_dim),
    COLUMN(.title = "OFFSET", .key = "offset",
           .help = "Offset of the line in its object; negative from the end of a frame (CFA), or "
                   "if the object starts later.",
           .from = FIELD(struct snapshot_sharing_line, offset), .width = 8, .rank = 1,
           .format = format_offset),
    COLUMN(.title = "SHARING", .value = line_kind, .width = 10, .rank = 2, .paint = sharing_paint),
    COLUMN(.title = "NODE", .key = "node", .help = "NUMA node of the line's page.",
           .from = FIELD(struct snapshot_sharing_line, node), .width = 4, .rank = 3,
           .shown = sharing_has_nodes, UNIT_INTEGER),
    COLUMN(.title = "THREADS", .from = KNOWN(struct snapshot_sharing_line, threads), .width = 7,
           .rank = 3, UNIT_INTEGER),
    COLUMN(.title = "HITM", .key = "hitm", .from = FIELD(struct snapshot_sharing_line, hitm),
           .width = 5, .rank = 3, .shown_if = FIELD(struct snapshot, sharing.evidence), UNIT_COUNT),
    COLUMN(.title = "TURNS", .key = "turns",
           .from = FIELD(struct snapshot_sharing_line, alternations), .width = 5, .rank = 4,
           UNIT_COUNT),
    COLUMN(.key = "verdict", .from = FIELD(struct snapshot_sharing_line, verdict),
           .name = sharing_verdict_name),
    MEMBER("overlap", struct snapshot_sharing_line, overlap),
    MEMBER_COUNT("samples", struct snapshot_sharing_line, samples),
    MEMBER("of_object", struct snapshot_sharing_line, object_share),
    MEMBER_COUNT("pairs", struct snapshot_sharing_line, close_accesses),
    MEMBER("expected", struct snapshot_sharing_line, expected_alternations),
    MEMBER("locked", struct snapshot_sharing_line, locked),
    COLUMN(.key = "sides", .from = ROW_OF(struct snapshot_sharing_line, sides),
           .count = FIELD(struct snapshot_sharing_line, side_count), .rows = &sharing_side_members),
};

const struct columns sharing_line_columns = {
    .title = "Its lines",
    TABLE(struct snapshot_sharing_line, line_list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_sharing_line, address),
};

/* ---- accesses by thread ---- */

static struct value access_thread_name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    const struct snapshot_thread *thread = snapshot_thread(&snapshot->threads, row->side->tid);
    return value_text(thread ? thread->name : NULL);
}

static struct value access_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return row->side->cpu == SAMPLE_NO_CPU ? value_text(NULL) : value_integer(row->side->cpu);
}

static struct value access_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_number(row->side->share * row->code->share);
}

static struct value access_operation(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    const struct snapshot_sharing_code *code = row->code;
    return value_text(code->locked     ? "atomic"
                      : !code->written ? "reads"
                      : !code->read    ? "writes"
                                       : "changes");
}

static enum paint paint_operation(struct value value)
{
    return value.kind == VALUE_TEXT && value.text[0] == 'r' ? PAINT_LOAD : PAINT_STORE;
}

static uint64_t access_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return row->code->address ^ (uint64_t)row->side->tid << 40;
}

static const struct column access_list[] = {
    COLUMN(.title = "THREAD", .from = VIA(struct sharing_access, side, tid), .width = 7,
           UNIT_INTEGER),
    COLUMN(.title = "CALLED", .help = "The thread's current name.", .value = access_thread_name,
           .width = 8, .width_max = 15, .rank = 6, .look = COLUMN_NAME),
    COLUMN(.title = "CPU", .help = "Last seen on this CPU.", .value = access_cpu, .width = 3,
           .rank = 4, UNIT_INTEGER, .paint = paint_dim),
    COLUMN(.title = "NODE", .help = "NUMA node of that CPU.",
           .from = VIA(struct sharing_access, side, node), .width = 4, .rank = 3,
           .shown = sharing_has_nodes, UNIT_INTEGER),
    COLUMN(.title = "OF IT", .help = "Share of the line's samples.", .value = access_share,
           .width = 6, .rank = 1, UNIT_SHARE),
    COLUMN(.title = "DOES", .help = "Atomic: with a locked instruction.", .value = access_operation,
           .width = 7, .paint = paint_operation),
    COLUMN(.title = "FIELD", .from = VIA(struct sharing_access, code, field), .width = 8,
           .width_max = 40, .look = COLUMN_NAME),
    COLUMN(.title = "OBJECT", .from = VIA(struct sharing_access, side, name), .width = 8,
           .width_max = 30, .rank = 5, .look = COLUMN_NAME),
    COLUMN(.title = "FUNCTION", .from = VIA(struct sharing_access, code, function), .width = 10,
           .width_max = 50, .rank = 1, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "AT", .from = VIA(struct sharing_access, code, position), .width = 8,
           .width_max = 40, .rank = 2, .look = COLUMN_NAME, .paint = paint_dim),
};

const struct columns sharing_access_columns = {
    .title = "Accesses by thread",
    TABLE(struct sharing_access, access_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = access_identity,
};

/* ---- the verdict in sentences ---- */

enum { SIDE_BYTES = 400, REMEDY_BYTES = 640 };

/* Formats "thread 12 writes bytes 0 to 7 of counters (hits)": bytes of the line. */
static const char *side_words(const struct snapshot_sharing_side *side, char out[SIDE_BYTES])
{
    uint64_t bytes = side->read | side->written;
    unsigned first = sharing_first_byte(side);
    unsigned last = bytes ? 63 - (unsigned)__builtin_clzll(bytes) : 0;
    const char *fields = side->fields ? side->fields : "";
    bool more = *fields && strcmp(fields, side->name) != 0;
    char range[32];
    if (first == last)
        snprintf(range, sizeof range, "byte %u", first);
    else
        snprintf(range, sizeof range, "bytes %u to %u", first, last);
    snprintf(out, SIDE_BYTES, "thread %u %s %s of %s%s%s%s", side->tid,
             side->written ? "writes" : "reads", range, side->name, more ? " (" : "",
             more ? fields : "", more ? ")" : "");
    return out;
}

void sharing_remedy_words(const struct sharing_remedy *remedy, char *out, size_t size)
{
    static const char *const words[] = {
        [SHARING_NO_REMEDY] = "",
        [SHARING_PER_ELEMENT] =
            "Give each element a line of its own (alignas(64) on its type), or let each thread "
            "count in a local variable and store it from time to time.",
        [SHARING_LOCK_LESS] = "Access it less often, take it once for several items, or give each "
                              "thread its own part and add them up on reading.",
        [SHARING_LOCK_LESS_AND_APART] =
            "Access it less often, take it once for several items, or give each thread its own "
            "part and add them up on reading. Other data on its line moves with it: put the lock "
            "on a line of its own (alignas(64)).",
        [SHARING_HAND_OVER] =
            "It passes data between threads: pass more at a time, or write it less often.",
        [SHARING_COPIES] = "Give each thread its own copy and merge the copies from time to time.",
        [SHARING_LOCK_APART] = "Put the lock on a line of its own (alignas(64)) if threads wait "
                               "for it, and hold it for a shorter time.",
        [SHARING_OWN_APART] = "First put the data of each thread on a line of its own "
                              "(alignas(64)); the rest is true sharing.",
    };
    if (remedy->kind == SHARING_ALIGN)
        snprintf(out, size,
                 "Keep the two apart: align %s to 64 bytes (alignas(64); aligned_alloc(64, ...) "
                 "for a block).",
                 remedy->name);
    else if (remedy->kind == SHARING_PAD)
        snprintf(out, size, "Move them apart: alignas(64) on %s, or %u bytes of padding before it.",
                 remedy->name ? remedy->name : "the second", remedy->bytes);
    else
        snprintf(out, size, "%s", words[remedy->kind]);
}

static int false_sharing_words(const struct snapshot_sharing_group *group, char *out, size_t size)
{
    const struct snapshot_sharing_side *low = &group->lines[0].sides[0];
    const struct snapshot_sharing_side *high = low + 1;
    char left[SIDE_BYTES], right[SIDE_BYTES], lines[48] = "";
    if (sharing_first_byte(high) < sharing_first_byte(low)) {
        high = low;
        low = high + 1;
    }
    if (group->line_count > 1)
        snprintf(lines, sizeof lines, " This applies to %zu lines.", group->line_count);
    return snprintf(
        out, size, "False sharing: %s, %s; they share only the line%s.%s", side_words(low, left),
        side_words(high, right),
        !low->written || !high->written ? ", which every store invalidates for the reader" : "",
        lines);
}

static int true_sharing_words(const struct snapshot_sharing_group *group, char *out, size_t size)
{
    const struct snapshot_sharing_side *side = &group->lines[0].sides[0];
    const char *field = side->code_count ? side->codes[0].field : NULL;
    bool own = !field || !strcmp(field, side->name);
    char what[SIDE_BYTES]; /* "lock of guarded" */
    snprintf(what, sizeof what, "%s%s%s", own ? "" : field, own ? "" : " of ", side->name);
    if (group->locked)
        return snprintf(out, size,
                        "True sharing of a lock or atomic: %u threads change %s with atomic "
                        "instructions. Padding does not help.",
                        group->threads, what);
    if (group->remedy.kind == SHARING_HAND_OVER)
        return snprintf(out, size, "True sharing: one thread writes %s and others read it.", what);
    return snprintf(out, size, "True sharing: %u threads write %s. Padding does not help.",
                    group->threads, what);
}

static int unsure_sharing_words(const struct snapshot_sharing_group *group, char *out, size_t size)
{
    if (group->evidence == SHARING_HITM && isnan(group->lines[0].overlap))
        return snprintf(out, size,
                        "Found modified in another CPU's cache %.0f times; the writer was not "
                        "sampled. Sample stores too to see it.",
                        group->hitm);
    return snprintf(out, size,
                    "Several threads and a store, but too few samples for a verdict: %.0f turns of "
                    "the %d needed.",
                    group->alternations, SHARING_TURNS_SURE);
}

static int verdict_words(const struct snapshot_sharing_group *group, char *out, size_t size)
{
    switch (group->lines[0].side_count > 1 ? group->verdict : SHARING_INCONCLUSIVE) {
    case SHARING_FALSE:
        return false_sharing_words(group, out, size);
    case SHARING_TRUE:
        return true_sharing_words(group, out, size);
    case SHARING_BOTH:
        return snprintf(out, size,
                        "True and false sharing on one line of %s: threads access the same bytes "
                        "and others next to them (%s).%s",
                        group->name, group->fields ? group->fields : "not known",
                        group->locked
                            ? " A lock next to the data it protects: a thread that waits for the "
                              "lock takes the line from the thread that uses the data."
                            : "");
    case SHARING_READ_ONLY:
        return snprintf(out, size,
                        "%u threads read it, and no store was sampled: a line that is only read is "
                        "not contended.",
                        group->threads);
    default:
        return unsure_sharing_words(group, out, size);
    }
}

void sharing_reading(const struct snapshot_sharing_group *group, char *out, size_t size)
{
    const struct snapshot_sharing_line *line = &group->lines[0];
    bool apart = line->side_count > 1 && line->sides[0].node >= 0 && line->sides[1].node >= 0 &&
                 line->sides[0].node != line->sides[1].node;
    char remedy[REMEDY_BYTES];
    verdict_words(group, out, size);
    sharing_remedy_words(&group->remedy, remedy, sizeof remedy);
    if (*remedy)
        text_append(out, size, " %s", remedy);
    /* If the two busiest threads run on different nodes, each transfer is more expensive. */
    if (apart && group->verdict != SHARING_READ_ONLY)
        text_append(out, size,
                    " The threads run on nodes %d and %d: every turn crosses between them; on one "
                    "node it would cost less.",
                    line->sides[0].node, line->sides[1].node);
}
