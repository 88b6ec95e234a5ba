/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2: samples by function. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/screens/causes.h"
#include "view/levels.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"

struct code_view {
    struct table functions;
    struct table threads;
};

static struct code_view *code_view(const struct browser *browser)
{
    return browser->states[SCREEN_CODE];
}

/* ---- columns of functions, and of their instructions with misses ---- */

static struct value code_column_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(row->samples + row->count_excess + row->unknown_samples +
                        row->unknown_excess);
}

/* The initial sort column of functions depends on this. */
static bool columns_have_unknown(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].unknown_samples > 0)
            return true;
    return false;
}

const struct snapshot_code *columns_unknown_leader(const struct snapshot *snapshot)
{
    const struct snapshot_code *leader = NULL;
    double all = 0;
    for (size_t i = 0; i < snapshot->code_count; i++) {
        const struct snapshot_code *code = &snapshot->code[i];
        all += code->unknown_samples;
        if (!leader || code->unknown_samples > leader->unknown_samples)
            leader = code;
    }
    return leader && leader->unknown_samples > all / 2 ? leader : NULL;
}

static struct value code_file_name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_text(row->file ? text_base_name(row->file) : NULL);
}

static bool is_mostly_unknown(const struct snapshot_code *row)
{
    return row->unknown_reason && row->unknown_samples > row->samples;
}

static struct value code_column_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    const struct snapshot_object *top = columns_object(snapshot, row->top_object);
    return value_text(is_mostly_unknown(row) ? access_reason_note(row->unknown_reason)
                      : top                  ? top->name
                                             : NULL);
}

static struct value code_column_object_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(is_mostly_unknown(row) ? NAN : row->top_object_share);
}

/* Returns the value of the initial sort column of functions. */
static struct value code_sort_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(columns_have_unknown(snapshot) ? row->all_share : row->share.value);
}

enum { FUNCTION_SHARE, FUNCTION_HALF, FUNCTION_ALL };

static const void *function_causes(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return causes_row_of(&snapshot->causes, CAUSES_FUNCTIONS, row->id);
}

static struct value code_possible_wait(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(code_sort_share(snapshot, row).number * waits_most(&row->wait));
}

static const struct column function_list[] = {
    [FUNCTION_SHARE] =
        COLUMN(.title = "SHARE", .key = "share",
               .help = "The function's share of all attributed samples.",
               .from = FIELD(struct snapshot_code, share.value), .width = 6, UNIT_SHARE),
    [FUNCTION_HALF] = COLUMN(.title = "±", .from = HALF(struct snapshot_code, share), .width = 4,
                             .rank = 1, UNIT_POINTS),
    [FUNCTION_ALL] =
        COLUMN(.title = "ALL", .key = "all_share",
               .help = "Its share of all samples of the process, including those on unknown "
                       "objects. The shares of perf report refer to all processes of a recording.",
               .from = FIELD(struct snapshot_code, all_share),
               .json_if = FIELD(struct snapshot_code, all_share), .width = 6,
               .shown = columns_have_unknown, UNIT_SHARE),
    COLUMN(.title = "UNKNOWN",
           .help = "Share of all samples: the function waited for data of an unknown object.",
           .known_if = KNOWN(struct snapshot_code, unknown_samples),
           .from = FIELD(struct snapshot_code, unknown_share), .width = 7, .rank = 2,
           .needs_any_value = true, UNIT_SHARE),
    COLUMN(.title = "", .value = code_sort_share, .width = 8, .width_max = 12, .rank = 4,
           .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SAMPLES", .help = "Including those on unknown objects.",
           .value = code_column_samples, .width = 7, .rank = 5, UNIT_COUNT),
    COLUMN(.title = "FUNCTION", .key = "function",
           .help = "The function that contains the sampled accesses.",
           .from = FIELD(struct snapshot_code, function), .width = 14, .width_max = 64,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "MODULE", .key = "module", .from = KNOWN(struct snapshot_code, module),
           .width = 10, .width_max = 20, .rank = 3, .look = COLUMN_NAME, .paint = paint_dim),
    COLUMN(.title = "FILE", .help = "Source file, if debug information has it.",
           .value = code_file_name, .width = 10, .width_max = 24, .rank = 7, .look = COLUMN_NAME,
           .needs_any_value = true),
    COLUMN(.title = "LINE", .key = "line", .from = KNOWN(struct snapshot_code, line), .width = 5,
           .rank = 7, .needs_any_value = true, UNIT_INTEGER),
    COLUMN(.title = "SITES", .key = "sites", .help = "Sampled accessing instructions in it.",
           .from = KNOWN(struct snapshot_code, sites), .width = 5, .rank = 6, UNIT_INTEGER),
    COLUMN(.title = "MOSTLY ON", .help = "The object with most of its samples.",
           .value = code_column_object, .width = 12, .width_max = 40, .rank = 1,
           .look = COLUMN_NAME),
    COLUMN(.title = "OF IT", .help = "Share of the function's samples on that object.",
           .value = code_column_object_share, .width = 5, .rank = 2, UNIT_SHARE),
    WAITS_COLUMNS(3, struct snapshot_code),
    COLUMN(.title = "MAY WAIT",
           .help = "Upper limit of the waiting here: ALL (or SHARE if ALL is not shown) times the "
                   "upper bound of WAITS. Sorted by it, cached data comes last.",
           .value = code_possible_wait, .width = 8, .rank = 9, .shown = waits_known, UNIT_SHARE),
    RATES_COLUMN_STALL(8, ROW_OF(struct snapshot_code, rates)),
    RATES_COLUMNS(3, ROW_OF(struct snapshot_code, rates)),
    USE_COLUMNS(2, ROW_OF(struct snapshot_code, use)),
    MEMBER_KNOWN("file", struct snapshot_code, file),
    COLUMN(.key = "samples", .from = SUM(struct snapshot_code, samples, count_excess),
           .form = JSON_COUNT),
    MEMBER("share_low", struct snapshot_code, share.low),
    MEMBER("share_high", struct snapshot_code, share.high),
    COLUMN(.key = "address", .from = FIELD(struct snapshot_code, address),
           .format = format_address),
    COLUMN(.key = "object", OBJECT_NAME(struct snapshot_code, top_object)),
    MEMBER("object_share", struct snapshot_code, top_object_share),
    COLUMN(.key = "unknown_samples",
           .from = SUM(struct snapshot_code, unknown_samples, unknown_excess), .form = JSON_COUNT,
           .json_if = FIELD(struct snapshot_code, all_share)),
    COLUMN(.key = "unknown_share", .from = FIELD(struct snapshot_code, unknown_share),
           .json_if = FIELD(struct snapshot_code, all_share)),
    COLUMN(.key = "unknown", .from = FIELD(struct snapshot_code, unknown_reason),
           .name = access_reason_note, .json_if = FIELD(struct snapshot_code, all_share)),
    COLUMN(.from = ROW_OF(struct snapshot_code, rates), .members = &rates_members,
           .json_if = ROW_OF(struct snapshot_code, rates)),
    COLUMN(.key = "stall_share", .from = VIA(struct snapshot_code, rates, stall_share.value),
           .json_if = ROW_OF(struct snapshot_code, rates)),
    COLUMN(.from = ROW_OF(struct snapshot_code, use), .members = &use_members,
           .json_if = ROW_OF(struct snapshot_code, use)),
    COLUMN(.key = "causes", .target = function_causes, .rows = &causes_members,
           .json_if_snapshot = FIELD(struct snapshot, causes.known),
           .json_if =
               FIELD(struct snapshot_code, all_share)), /* not for the functions of an object */
    COLUMN(.key = "callers", .from = ROW_OF(struct snapshot_code, callers),
           .rows = &callers_members, .json_if = ROW_OF(struct snapshot_code, callers)),
    COLUMN(.key = "instructions", .from = ROW_OF(struct snapshot_code, instructions),
           .count = FIELD(struct snapshot_code, instruction_count), .rows = &instruction_members,
           .json_if = FIELD(struct snapshot_code, instruction_count)),
};

const struct columns function_columns = {
    .title = "Functions",
    TABLE(struct snapshot_code, function_list),
    ALL_OF(code, code_count),
    .key = FIELD(struct snapshot_code, id),
    .interval = ROW_IN(struct snapshot_code, share),
};

static const struct column toucher_list[] = {
    COLUMN(.title = "OF IT", .help = "Share of the object's samples in this function.",
           .from = FIELD(struct snapshot_code, share.value), .width = 6, UNIT_SHARE),
    COLUMN(.title = "±", .from = HALF(struct snapshot_code, share), .width = 4, .rank = 3,
           UNIT_POINTS),
    COLUMN(.title = "FUNCTION", .from = FIELD(struct snapshot_code, function), .width = 14,
           .width_max = 64, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "MODULE", .from = FIELD(struct snapshot_code, module), .width = 10,
           .width_max = 16, .rank = 4, .look = COLUMN_NAME, .paint = paint_dim),
    COLUMN(.title = "SAMPLES", .value = code_column_samples, .width = 7, .rank = 2, UNIT_COUNT),
    COLUMN(.title = "SITES", .from = KNOWN(struct snapshot_code, sites), .width = 5, .rank = 1,
           UNIT_INTEGER),
    COLUMN(.title = "HOTTEST AT", .help = "The accessing instruction with most samples.",
           .from = KNOWN(struct snapshot_code, address), .width = 14, .width_max = 18, .rank = 6,
           .format = format_address, .paint = paint_dim),
};

const struct columns toucher_columns = {
    .title = "Code",
    TABLE(struct snapshot_code, toucher_list),
    .key = FIELD(struct snapshot_code, id),
    .interval = ROW_IN(struct snapshot_code, share),
};

static const struct column site_list[] = {
    COLUMN(.title = "OF IT", .help = "Share of the function's listed samples.",
           .from = FIELD(struct site, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct site, share), .width = 6, .width_max = 10, .rank = 5,
           .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SAMPLES", .in = ROW_OF(struct site, code),
           .from = SUM(struct snapshot_code, samples, count_excess), .width = 7, .rank = 4,
           UNIT_COUNT),
    COLUMN(.title = "HOTTEST AT", .from = VIA_KNOWN(struct site, code, address), .width = 14,
           .width_max = 18, .rank = 3, .format = format_address, .paint = paint_dim),
    COLUMN(.title = "INSTRUCTION", .help = "The instruction, read from the process.",
           .from = FIELD(struct site, text), .width = 16, .width_max = 44, .rank = 1),
    COLUMN(.title = "SITES", .from = VIA_KNOWN(struct site, code, sites), .width = 5, .rank = 6,
           UNIT_INTEGER),
    COLUMN(.title = "OBJECT", .help = "The object that these accesses are on.",
           .from = VIA(struct site, object, name), .width = 14, .width_max = 56,
           .look = COLUMN_NAME, .paint = paint_strong),
};

const struct columns site_columns = {
    .title = "Objects it accesses",
    .empty = "None of its accesses is on a listed object.",
    TABLE(struct site, site_list),
    .key = VIA(struct site, object, id),
};

static void code_update(struct browser *browser)
{
    table_suggest_sort(&code_view(browser)->functions,
                       columns_have_unknown(browser->snapshot) ? FUNCTION_ALL : FUNCTION_SHARE);
}

static void code_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    if (count > 1)
        pane_tabbed(browser, canvas, area, panes, count);
    else
        pane_table(browser, canvas, area, panes[0]);
}

static void code_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (!snapshot || !browser_focused(browser, &code_view(browser)->threads))
        return;
    snprintf(out, size, "Of the newest %llu samples. Enter: the object with most of its samples",
             (unsigned long long)snapshot->threads.recent);
    if (snapshot->threads.left_out)
        text_append(out, size, ".  %zu threads with fewer samples are not listed",
                    snapshot->threads.left_out);
}

const struct screen code_screen = {
    .name = "Code",
    .description =
        "Functions that access data, most costly first, each with its main object. Functions "
        "with samples on unknown objects are listed too, with the reason.",
    .next_step =
        "Enter opens the source of one, with its samples; m shows the samples of each function "
        "on each object.",
    .state_size = sizeof(struct code_view),
    .tables = {{.at = offsetof(struct code_view, functions),
                .columns = &function_columns,
                .open = browser_open_function_row,
                .enter = "Source",
                .hint = "Enter: its source lines and instructions, and the data they access"},
               {.at = offsetof(struct code_view, threads),
                .columns = &thread_columns,
                .rows_min = 2,
                .enter = "Object"}},
    .update = code_update,
    .draw = code_draw,
    .hint = code_hint,
    .bar = {ACTION_ENTER, ACTION_RIGHT, SCREEN_ACTION(MATRIX), ACTION_BACK, ACTION_FIND,
            ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_BASIS, ACTION_INVERT,
            ACTION_WRITE},
};

/* ---- columns of threads ---- */

static const struct column thread_list[] = {
    COLUMN(.title = "SHARE", .key = "share",
           .help = "The thread's share of the newest attributed samples (up to 16,384).",
           .from = FIELD(struct snapshot_thread, share.value), .width = 6, UNIT_SHARE),
    COLUMN(.title = "±", .from = HALF(struct snapshot_thread, share), .width = 4, .rank = 2,
           UNIT_POINTS),
    COLUMN(.title = "", .from = FIELD(struct snapshot_thread, share.value), .width = 6,
           .width_max = 10, .rank = 5, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SAMPLES", .key = "samples", .from = FIELD(struct snapshot_thread, samples),
           .width = 7, .rank = 4, UNIT_COUNT),
    COLUMN(.title = "THREAD", .key = "tid", .help = "Its thread id, as in ps -L and gdb.",
           .from = FIELD(struct snapshot_thread, tid), .width = 7, UNIT_INTEGER,
           .paint = paint_strong),
    COLUMN(.title = "CALLED", .key = "name", .help = "Its current name; blank: it has ended.",
           .from = FIELD(struct snapshot_thread, name), .width = 10, .width_max = 15,
           .look = COLUMN_NAME),
    COLUMN(.title = "MOSTLY ON", .key = "object", .help = "The object with most of its samples.",
           .from = FIELD(struct snapshot_thread, object_name), .width = 12, .width_max = 40,
           .rank = 1, .look = COLUMN_NAME),
    COLUMN(.title = "OF IT", .key = "of_object",
           .help = "Share of the thread's samples on that object.",
           .from = FIELD(struct snapshot_thread, object_share), .width = 5, .rank = 3, UNIT_SHARE),
    COLUMN(.title = "IN", .key = "function", .help = "The function with most of its samples.",
           .from = FIELD(struct snapshot_thread, function_name), .width = 12, .width_max = 40,
           .rank = 2, .look = COLUMN_NAME),
    COLUMN(.title = "OF IT", .key = "of_function",
           .help = "Share of the thread's samples in that function.",
           .from = FIELD(struct snapshot_thread, function_share), .width = 5, .rank = 3,
           UNIT_SHARE),
};

const struct columns thread_columns = {
    .title = "Threads",
    TABLE(struct snapshot_thread, thread_list),
    ALL_OF(threads.list, threads.count),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_thread, tid),
    .object = FIELD(struct snapshot_thread, object),
};

/* ---- columns of simulated caches, one level per row; the rows are in the snapshot ---- */

static uint64_t simulation_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    const struct simulation_level *row = pointer;
    return (uint64_t)(row - snapshot->simulation.level) + 1;
}

static uint64_t level_misses(const struct simulation_level *level)
{
    return level->load_misses + level->store_misses;
}

static double simulation_column_part(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : NAN;
}

static struct value level_name(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const names[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    return value_text(names[simulation_column_identity(snapshot, pointer) - 1]);
}

static struct value level_misses_of_all(const struct snapshot *snapshot, const void *pointer)
{
    ROW(simulation_level);
    return value_number(simulation_column_part(level_misses(row), snapshot->simulation.accesses));
}

/* Every access reaches the first level; the misses of a level reach the next one. */
static struct value level_miss_ratio(const struct snapshot *snapshot, const void *pointer)
{
    ROW(simulation_level);
    bool first = row == snapshot->simulation.level;
    return value_number(simulation_column_part(
        level_misses(row), first ? snapshot->simulation.accesses : level_misses(row - 1)));
}

static const struct column simulation_list[] = {
    COLUMN(.title = "LEVEL", .key = "name", .value = level_name, .width = 5, .paint = paint_strong),
    COLUMN(.title = "SIZE", .key = "size", .from = FIELD(struct simulation_level, size_bytes),
           .width = 6, UNIT_BYTES),
    COLUMN(.title = "WAYS", .key = "ways", .from = FIELD(struct simulation_level, ways), .width = 4,
           .rank = 3, UNIT_INTEGER),
    COLUMN(.title = "LINE", .key = "line", .help = "Bytes of a line.",
           .from = FIELD(struct simulation_level, line_bytes), .width = 4, .rank = 3, UNIT_INTEGER),
    COLUMN(.title = "LOAD MISSES", .key = "load_misses",
           .help = "Exact, since the start; a read-modify-write counts as a load.",
           .from = FIELD(struct simulation_level, load_misses), .width = 12, .rank = 1,
           UNIT_INTEGER, .paint = paint_load),
    COLUMN(.title = "STORE MISSES", .key = "store_misses", .help = "Exact, since the start.",
           .from = FIELD(struct simulation_level, store_misses), .width = 12, .rank = 1,
           UNIT_INTEGER, .paint = paint_store),
    COLUMN(.title = "OF ALL", .help = "Share of all accesses that missed at this level.",
           .value = level_misses_of_all, .width = 7, UNIT_PERCENT),
    COLUMN(.title = "OF THOSE HERE", .help = "Share of the accesses that reached this level.",
           .value = level_miss_ratio, .width = 13, .rank = 1, UNIT_PERCENT),
};

const struct columns simulation_columns = {
    .title = "Simulated caches",
    TABLE(struct simulation_level, simulation_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = simulation_column_identity,
};
