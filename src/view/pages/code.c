/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 5: the same misses from the side of the code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/rates.h"
#include "view/screen/browser.h"
#include "view/widget/columns.h"

struct code_view {
    struct table functions;
    struct table threads;
};

static struct code_view *code_view(const struct browser *browser)
{
    return page_state(browser, PAGE_CODE);
}

/* Columns of functions, and of the instructions in them that miss. */

#define CODE_ROW(type)                                                                             \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value code_column_share(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(row->share.value);
}

static struct value code_column_half(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(columns_half(&row->share));
}

static struct value code_column_samples(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(row->samples + row->count_over + row->unknown_samples + row->unknown_over);
}

static struct value all_share(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(row->all_share);
}

static struct value unknown_share(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(row->unknown_samples > 0 ? row->unknown_share : NAN);
}

/* Whether a function waited for data of an object not known; and the column that functions are
 * sorted by at first, which depends on it. (code.c) */
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

static struct value function(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_text(row->function);
}

static struct value module(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_text(row->module);
}

static struct value file(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    const char *slash = row->file ? strrchr(row->file, '/') : NULL;
    return value_text(slash ? slash + 1 : row->file);
}

static struct value code_column_line(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_known(row->line);
}

static bool has_file(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].file)
            return true;
    return false;
}

static struct value sites(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_known(row->sites);
}

static struct value address(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_known(row->address);
}

static bool mostly_unknown(const struct snapshot_code *row)
{
    return row->unknown_note && row->unknown_samples > row->samples;
}

static struct value code_column_object(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    const struct snapshot_object *top = columns_object(snapshot, row->top_object);
    return value_text(mostly_unknown(row) ? row->unknown_note : top ? top->name : NULL);
}

static struct value code_column_object_share(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return value_number(mostly_unknown(row) ? NAN : row->top_object_share);
}

static uint64_t code_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(snapshot_code);
    return row->id;
}

static const struct snapshot_rates *rates_of(const void *row)
{
    return ((const struct snapshot_code *)row)->rates;
}
RATES_VALUES(function, rates_of)

static const struct snapshot_use *code_column_use_of(const void *row)
{
    return ((const struct snapshot_code *)row)->use;
}
USE_VALUES(function, code_column_use_of)

/* What the functions are sorted by at first. */
static struct value widest_share(const struct snapshot *snapshot, const void *pointer)
{
    return columns_have_unknown(snapshot) ? all_share(snapshot, pointer)
                                          : code_column_share(snapshot, pointer);
}

enum { FUNCTION_SHARE, FUNCTION_HALF, FUNCTION_ALL };

static unsigned columns_functions_sort(const struct snapshot *snapshot)
{
    return columns_have_unknown(snapshot) ? FUNCTION_ALL : FUNCTION_SHARE;
}

static const struct column function_list[] = {
    [FUNCTION_SHARE] = {"SHARE", "The function's part of all attributed samples.", 6, 0, 0,
                        COLUMN_RIGHT, NULL, code_column_share, format_percent, paint_share, NULL},
    [FUNCTION_HALF] = {"±", NULL, 4, 0, 1, COLUMN_RIGHT, NULL, code_column_half, format_points,
                       paint_dim, NULL},
    [FUNCTION_ALL] = {"ALL",
                      "Its part of all samples of the process, with those whose object is not "
                      "known. perf report's shares are of all processes of a recording.",
                      6, 0, 0, COLUMN_RIGHT, columns_have_unknown, all_share, format_percent,
                      paint_share, NULL},
    {"UNKNOWN", "Part of all samples: the function waited for data of an object not known.", 7, 0,
     2, COLUMN_RIGHT, columns_have_unknown, unknown_share, format_percent, paint_share, NULL},
    {"", NULL, 8, 12, 4, COLUMN_BAR, NULL, widest_share, NULL, paint_share, NULL},
    {"SAMPLES", "With those whose object is not known.", 7, 0, 5, COLUMN_RIGHT, NULL,
     code_column_samples, format_count, NULL, NULL},
    {"FUNCTION", "The function that the sampled accesses are in.", 14, 64, 0, COLUMN_NAME, NULL,
     function, NULL, paint_strong, NULL},
    {"MODULE", NULL, 10, 20, 3, COLUMN_NAME, NULL, module, NULL, paint_dim, NULL},
    {"FILE", "Source file, where debug information tells.", 10, 24, 7, COLUMN_NAME, has_file, file,
     NULL, NULL, NULL},
    {"LINE", NULL, 5, 0, 7, COLUMN_RIGHT, has_file, code_column_line, format_integer, NULL, NULL},
    {"SITES", "Accessing instructions seen in it.", 5, 0, 6, COLUMN_RIGHT, NULL, sites,
     format_integer, NULL, NULL},
    {"MOSTLY ON", "The object that most of its samples are on.", 12, 40, 1, COLUMN_NAME, NULL,
     code_column_object, NULL, NULL, NULL},
    {"OF IT", "Part of the function's samples on that object.", 5, 0, 2, COLUMN_RIGHT, NULL,
     code_column_object_share, format_percent, paint_share, NULL},
    RATES_COLUMN_STALL(function, 8),
    RATES_COLUMNS(function, 3),
    RATES_COLUMN_CRITICAL(function, 3),
    USE_COLUMNS(function, 2),
};

const struct columns function_columns = {
    .title = "Functions",
    .list = function_list,
    .count = sizeof function_list / sizeof *function_list,
    .row_size = sizeof(struct snapshot_code),
    .identity = code_column_identity,
};

static const struct column toucher_list[] = {
    {"OF IT", "Part of the object's samples that this function made.", 6, 0, 0, COLUMN_RIGHT, NULL,
     code_column_share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 3, COLUMN_RIGHT, NULL, code_column_half, format_points, paint_dim, NULL},
    {"FUNCTION", NULL, 14, 64, 0, COLUMN_NAME, NULL, function, NULL, paint_strong, NULL},
    {"MODULE", NULL, 10, 16, 4, COLUMN_NAME, NULL, module, NULL, paint_dim, NULL},
    {"SAMPLES", NULL, 7, 0, 2, COLUMN_RIGHT, NULL, code_column_samples, format_count, NULL, NULL},
    {"SITES", NULL, 5, 0, 1, COLUMN_RIGHT, NULL, sites, format_integer, NULL, NULL},
    {"HOTTEST AT", "The accessing instruction with most samples.", 14, 18, 6, COLUMN_TEXT, NULL,
     address, format_address, paint_dim, NULL},
};

const struct columns toucher_columns = {
    .title = "Code",
    .list = toucher_list,
    .count = sizeof toucher_list / sizeof *toucher_list,
    .row_size = sizeof(struct snapshot_code),
    .identity = code_column_identity,
};

static struct value site_address(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_known(row->code->address);
}

static struct value site_share(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_number(row->share);
}

static struct value site_samples(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_number(row->code->samples + row->code->count_over);
}

static struct value site_sites(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_known(row->code->sites);
}

static struct value site_text(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_text(row->text);
}

static struct value site_object(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return value_text(row->object->name);
}

static uint64_t site_identity(const struct snapshot *snapshot, const void *pointer)
{
    CODE_ROW(site);
    return row->object->id;
}

static const struct column site_list[] = {
    {"OF IT", "Part of the function's listed samples.", 6, 0, 0, COLUMN_RIGHT, NULL, site_share,
     format_percent, paint_share, NULL},
    {"", NULL, 6, 10, 5, COLUMN_BAR, NULL, site_share, NULL, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 4, COLUMN_RIGHT, NULL, site_samples, format_count, NULL, NULL},
    {"HOTTEST AT", NULL, 14, 18, 3, COLUMN_TEXT, NULL, site_address, format_address, paint_dim,
     NULL},
    {"INSTRUCTION", "The instruction there, read from the process.", 16, 44, 1, COLUMN_TEXT, NULL,
     site_text, NULL, NULL, NULL},
    {"SITES", NULL, 5, 0, 6, COLUMN_RIGHT, NULL, site_sites, format_integer, NULL, NULL},
    {"OBJECT", "The object that these accesses are on.", 14, 56, 0, COLUMN_NAME, NULL, site_object,
     NULL, paint_strong, NULL},
};

const struct columns site_columns = {
    .title = "Objects it accesses",
    .list = site_list,
    .count = sizeof site_list / sizeof *site_list,
    .row_size = sizeof(struct site),
    .identity = site_identity,
};

static void code_update(struct browser *browser)
{
    struct code_view *view = code_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    if (snapshot)
        table_suggest_sort(&view->functions, columns_functions_sort(snapshot));
    table_set(&view->functions, snapshot, snapshot->code, snapshot->code_count);
    table_set(&view->threads, snapshot, snapshot->threads.list, snapshot->threads.count);
}

/* A process of one thread has nothing to tell apart. */
static unsigned code_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &code_view(browser)->functions;
    panes[1] = &code_view(browser)->threads;
    return browser->snapshot && browser->snapshot->threads.count > 1 ? 2 : 1;
}

static bool shows_threads(struct browser *browser)
{
    return browser_focused(browser, &code_view(browser)->threads);
}

static void code_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = code_panes(browser, panes);
    int used = count > 1 ? pane_tabs(browser, canvas, area, panes, count) : 0;
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, browser_table(browser), "No function has samples yet.");
}

static bool code_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const void *row = table_selected(browser_table(browser));
    if (action != ACTION_ENTER || !row)
        return false;
    if (shows_threads(browser))
        browser_open_listed(browser, ((const struct snapshot_thread *)row)->object);
    else
        browser_open_function(browser, row);
    return true;
}

static void code_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot *snapshot = browser->snapshot;
    int used = 0;
    if (snapshot && shows_threads(browser)) {
        used = snprintf(out, size,
                        "Of the newest %llu samples. Enter: the object with most of its samples",
                        (unsigned long long)snapshot->threads.recent);
        if (snapshot->threads.left_out && used > 0 && (size_t)used < size)
            snprintf(out + used, size - (size_t)used,
                     ".  %zu threads with fewer samples are not "
                     "listed",
                     snapshot->threads.left_out);
        return;
    }
    snprintf(out, size,
             "Enter: the source lines and instructions of this function, and the data they access");
}

static const char *code_enter(struct browser *browser)
{
    const struct table *table = browser_table(browser);
    return !table_selected(table) ? "" : shows_threads(browser) ? "Object" : "Source";
}

static const char *code_label(struct browser *browser, enum action action)
{
    if (action != ACTION_RIGHT)
        return NULL;
    return !browser->snapshot || browser->snapshot->threads.count < 2 ? ""
           : browser->pane[PAGE_CODE]                                 ? "Functions"
                                                                      : "Threads";
}

const struct page code_page = {
    .name = "Code",
    .shows = "Functions by what they wait for, with the object that each accesses most. Functions "
             "whose samples have no object are here too, and say why.",
    .next = "Enter opens the source of one, with its heat; m shows the samples of each function on "
            "each object.",
    .state_size = sizeof(struct code_view),
    .tables = {{.at = offsetof(struct code_view, functions), .columns = &function_columns},
               {.at = offsetof(struct code_view, threads), .columns = &thread_columns}},
    .update = code_update,
    .draw = code_draw,
    .panes = code_panes,
    .act = code_act,
    .hint = code_hint,
    .enter = code_enter,
    .label = code_label,
    .bar = {ACTION_ENTER, ACTION_RIGHT, PAGE_ACTION(MATRIX), ACTION_BACK, ACTION_FIND,
            ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_BASIS, ACTION_INVERT,
            ACTION_WRITE},
};

/* Columns of threads. */

#define THREAD_ROW                                                                                 \
    const struct snapshot_thread *row = pointer;                                                   \
    (void)snapshot

static struct value thread_column_share(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_number(row->share.value);
}

static struct value thread_column_half(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_number(columns_half(&row->share));
}

static struct value thread_column_samples(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_number(row->samples);
}

static struct value tid(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_integer(row->tid);
}

static struct value thread_column_name(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_text(row->name);
}

static struct value thread_column_object(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_text(row->object_name);
}

static struct value thread_column_object_share(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_number(row->object_share);
}

static struct value thread_column_function(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_text(row->function_name);
}

static struct value function_share(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return value_number(row->function_share);
}

static uint64_t thread_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    THREAD_ROW;
    return (uint64_t)row->tid + 1;
}

static const struct column thread_list[] = {
    {"SHARE", "The thread's part of the newest samples that have an object, up to 16,384.", 6, 0, 0,
     COLUMN_RIGHT, NULL, thread_column_share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 2, COLUMN_RIGHT, NULL, thread_column_half, format_points, paint_dim, NULL},
    {"", NULL, 6, 10, 5, COLUMN_BAR, NULL, thread_column_share, NULL, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 4, COLUMN_RIGHT, NULL, thread_column_samples, format_count, NULL, NULL},
    {"THREAD", "Its number, as ps -L and gdb call it.", 7, 0, 0, COLUMN_RIGHT, NULL, tid,
     format_integer, paint_strong, NULL},
    {"CALLED", "Its name now; blank: it has ended.", 10, 15, 0, COLUMN_NAME, NULL,
     thread_column_name, NULL, NULL, NULL},
    {"MOSTLY ON", "The object that most of its samples are on.", 12, 40, 1, COLUMN_NAME, NULL,
     thread_column_object, NULL, NULL, NULL},
    {"OF IT", "Part of the thread's samples on that object.", 5, 0, 3, COLUMN_RIGHT, NULL,
     thread_column_object_share, format_percent, paint_share, NULL},
    {"IN", "The function that most of its samples are in.", 12, 40, 2, COLUMN_NAME, NULL,
     thread_column_function, NULL, NULL, NULL},
    {"OF IT", "Part of the thread's samples in that function.", 5, 0, 3, COLUMN_RIGHT, NULL,
     function_share, format_percent, paint_share, NULL},
};

const struct columns thread_columns = {
    .title = "Threads",
    .list = thread_list,
    .count = sizeof thread_list / sizeof *thread_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_thread),
    .identity = thread_column_identity,
};

/* Columns of simulated caches, a level a row; rows are those of the snapshot itself. */

#define SIMULATION_ROW                                                                             \
    const struct simulation_level *row = pointer;                                                  \
    (void)snapshot

static uint64_t simulation_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    const struct simulation_level *row = pointer;
    return (uint64_t)(row - snapshot->simulation.level) + 1;
}

static uint64_t misses(const struct simulation_level *level)
{
    return level->load_misses + level->store_misses;
}

static double simulation_column_part(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : NAN;
}

static struct value level(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const names[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    return value_text(names[simulation_column_identity(snapshot, pointer) - 1]);
}

static struct value size(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_integer(row->size_bytes);
}

static struct value ways(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_integer(row->ways);
}

static struct value simulation_column_line(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_integer(row->line_bytes);
}

static struct value load_misses(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_integer(row->load_misses);
}

static struct value store_misses(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_integer(row->store_misses);
}

static struct value of_all(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    return value_number(simulation_column_part(misses(row), snapshot->simulation.accesses));
}

/* The first level is reached by every access, the others by what the one before missed. */
static struct value of_those_here(const struct snapshot *snapshot, const void *pointer)
{
    SIMULATION_ROW;
    bool first = row == snapshot->simulation.level;
    return value_number(simulation_column_part(misses(row), first ? snapshot->simulation.accesses
                                                                  : misses(row - 1)));
}

static const struct column simulation_list[] = {
    {"LEVEL", NULL, 5, 0, 0, COLUMN_TEXT, NULL, level, NULL, paint_strong, NULL},
    {"SIZE", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, size, format_bytes, NULL, NULL},
    {"WAYS", NULL, 4, 0, 3, COLUMN_RIGHT, NULL, ways, format_integer, NULL, NULL},
    {"LINE", "Bytes of a line.", 4, 0, 3, COLUMN_RIGHT, NULL, simulation_column_line,
     format_integer, NULL, NULL},
    {"LOAD MISSES", "Exact, since the start; what loads and stores at once counts as a load.", 12,
     0, 1, COLUMN_RIGHT, NULL, load_misses, format_integer, paint_load, NULL},
    {"STORE MISSES", "Exact, since the start.", 12, 0, 1, COLUMN_RIGHT, NULL, store_misses,
     format_integer, paint_store, NULL},
    {"OF ALL", "Part of all accesses that missed at this level.", 7, 0, 0, COLUMN_RIGHT, NULL,
     of_all, format_percent, NULL, NULL},
    {"OF THOSE HERE", "Part of the accesses that came as far as this level.", 13, 0, 1,
     COLUMN_RIGHT, NULL, of_those_here, format_percent, NULL, NULL},
};

const struct columns simulation_columns = {
    .title = "Simulated caches",
    .list = simulation_list,
    .count = sizeof simulation_list / sizeof *simulation_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct simulation_level),
    .identity = simulation_column_identity,
};
