/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 4: the heap by bins, with the call path and block sizes of the selected bin. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"
#include "view/words.h"

struct heap_view {
    struct table bins;
    struct tags tagged; /* ids */
    uint32_t renamed;   /* id of the bin for which the prompt asks a new name */
};

static struct heap_view *heap_view(const struct browser *browser)
{
    return browser->states[SCREEN_HEAP];
}

static int draw_summary(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct heap_summary *summary = &browser->snapshot->heap.summary;
    char blocks[16];
    char bytes[16];
    struct pen pen = {canvas, area.row, 0, area.columns};
    pen_part(&pen, PAINT_STRONG, " Heap: %s in %s blocks", text_bytes(bytes, summary->usable_bytes),
             text_count(blocks, (double)summary->live_blocks));
    if (summary->source)
        pen_part(&pen, PAINT_PLAIN, "   known by %s", summary->source);
    if (summary->lost)
        pen_part(&pen, PAINT_WARN, "   %s events lost", text_count(blocks, (double)summary->lost));
    if (!isnan(summary->mark_age_s))
        pen_part(&pen, PAINT_DIM, "   marked %.0f s ago", summary->mark_age_s);
    const struct tags *tagged = &heap_view(browser)->tagged;
    const struct snapshot_bin *bin = table_selected(&heap_view(browser)->bins);
    if (tagged->count)
        pen_part(&pen, PAINT_KEY, "   %" PRIu32 " tagged%s", tagged->count,
                 bin && tags_have(tagged, bin->heap.id) ? ", this bin too" : "");
    const char *note = heap_note(browser->snapshot);
    if (!note || area.rows < 6)
        return 1;
    canvas_format(canvas, area.row + 1, 0, area.columns, PAINT_DIM, " %s", note);
    return 2;
}

static void heap_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct heap_summary *summary = &browser->snapshot->heap.summary;
    if (summary->feed == HEAP_FEED_NONE) {
        char text[512];
        const char *note = heap_note(browser->snapshot);
        snprintf(text, sizeof text, " %s", note ? note : "The heap is not examined (--heap none).");
        canvas_wrap(canvas, area, PAINT_DIM, text);
        return;
    }
    int used = draw_summary(browser, canvas, area);
    pane_explained(browser, canvas, area_below(area, used), &heap_view(browser)->bins);
}

static void toggle_tag(struct browser *browser, const struct snapshot_bin *bin)
{
    struct heap_view *view = heap_view(browser);
    const char *done = tags_toggle(&view->tagged, bin->heap.id);
    browser_message(browser, done ? done : "tagged; C on another bin combines them into that one");
    if (!done)
        table_move(&view->bins, 1);
}

static void combine_bins(struct browser *browser, const struct snapshot_bin *bin,
                         struct request *request)
{
    struct tags *tagged = &heap_view(browser)->tagged;
    request->bins[0] = bin->heap.id;
    request->bin_count = 1;
    for (uint32_t i = 0; i < tagged->count; i++)
        if (tagged->list[i] != bin->heap.id)
            request->bins[request->bin_count++] = (uint32_t)tagged->list[i];
    if (request->bin_count < 2) {
        browser_message(browser, "first tag the bins to combine (t)");
        return;
    }
    request->kind = REQUEST_BIN_COMBINE;
    tagged->count = 0;
}

static void open_bin(struct browser *browser, const void *row)
{
    const struct snapshot_object *object =
        columns_object(browser->snapshot, ((const struct snapshot_bin *)row)->object);
    if (object)
        browser_open_object(browser, object);
    else
        browser_message(browser, "too few samples on its blocks: nothing to open");
}

static bool heap_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_bin *bin = table_selected(&heap_view(browser)->bins);
    if (!bin)
        return false;
    switch (action) {
    case ACTION_TAG:
        toggle_tag(browser, bin);
        return true;
    case ACTION_COMBINE:
        combine_bins(browser, bin, request);
        return true;
    case ACTION_UNDO:
        *request =
            (struct request){.kind = REQUEST_BIN_UNDO, .bins = {bin->heap.id}, .bin_count = 1};
        return true;
    case ACTION_RENAME:
        heap_view(browser)->renamed = bin->heap.id;
        prompt_ask(browser, PROMPT_RENAME, bin->heap.renamed ? bin->heap.name : "");
        return true;
    default:
        return false;
    }
}

static void heap_answer(struct browser *browser, const char *text, struct request *request)
{
    *request = (struct request){
        .kind = REQUEST_BIN_RENAME, .bins = {heap_view(browser)->renamed}, .bin_count = 1};
    snprintf(request->name, sizeof request->name, "%s", text);
}

static void heap_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_heap *heap = &browser->snapshot->heap;
    if (heap->summary.feed == HEAP_FEED_NONE)
        snprintf(out, size, "misstop -- COMMAND records every allocation from the start");
    else
        snprintf(out, size, "Enter: its sampled blocks and offsets.  M: measure growth from now");
    if (heap->bins_left_out)
        text_append(out, size, "  %zu smaller bins are not listed", heap->bins_left_out);
}

const struct screen heap_screen = {
    .name = "Heap",
    .description =
        "Heap blocks by allocation site, type or size, with their share of the samples. Call "
        "paths are known if misstop launched the program (misstop -- CMD); otherwise only "
        "types and sizes. LIVE is currently allocated, WASTE is allocator overhead, ALLOC/S "
        "and FREE/S are rates.",
    .next_step =
        "M sets a mark, and GROWTH counts from there. Memory that grows and is never accessed "
        "may be a leak.",
    .state_size = sizeof(struct heap_view),
    .tables = {{.at = offsetof(struct heap_view, bins), .columns = &bin_columns, .open = open_bin}},
    .draw = heap_draw,
    .act = heap_act,
    .answer = heap_answer,
    .hint = heap_hint,
    .bar = {ACTION_BACK, ACTION_ENTER, ACTION_MARK, ACTION_RENAME, ACTION_TAG, ACTION_COMBINE,
            ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_INVERT},
};

/* ---- columns of the heap's bins ---- */

/* Requested sizes of walked blocks are not known. */
static struct value bin_waste(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    double usable = (double)row->heap.usable_bytes;
    bool known = !row->heap.is_size_class && usable > 0;
    return value_number(known ? 1 - (double)row->heap.requested_bytes / usable : NAN);
}

static struct value mean_size(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_known(row->heap.live_blocks ? row->heap.usable_bytes / row->heap.live_blocks : 0);
}

static struct value heap_column_name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->display_name ? row->display_name : row->heap.name);
}

static struct value bin_leak(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->is_leak_suspect ? "leak?" : NULL);
}

static struct value bin_source(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->heap.is_size_class ? "walk" : "agent");
}

static void format_growth(char *out, size_t size, struct value value)
{
    char text[24];
    struct value bytes = {.kind = VALUE_INTEGER, .integer = (uint64_t)fabs(value.number)};
    format_bytes(text, sizeof text, bytes);
    snprintf(out, size, "%s%s", value.number < 0 ? "-" : value.number > 0 ? "+" : "", text);
}

static enum paint paint_growth(struct value value)
{
    return value.kind == VALUE_NUMBER && value.number > 0 ? PAINT_WARN : PAINT_PLAIN;
}

static enum paint paint_leak(struct value value)
{
    (void)value;
    return PAINT_BAD;
}

/* The agent's columns are shown even before the first block is freed. */
static bool has_agent(const struct snapshot *snapshot)
{
    return snapshot->heap.summary.feed == HEAP_FEED_AGENT;
}

/* If all bins have the same source, the line above the table names it. */
static bool has_both_sources(const struct snapshot *snapshot)
{
    bool walked = false;
    bool recorded = false;
    for (size_t i = 0; i < snapshot->heap.bin_count; i++) {
        walked |= snapshot->heap.bins[i].heap.is_size_class;
        recorded |= !snapshot->heap.bins[i].heap.is_size_class;
    }
    return walked && recorded;
}

static const struct column bin_list[] = {
    COLUMN(.title = "SHARE", .key = "share",
           .help = "The bin's share of all attributed samples; blank: no samples.",
           .known_if = FIELD(struct snapshot_bin, was_sampled),
           .from = FIELD(struct snapshot_bin, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .known_if = FIELD(struct snapshot_bin, was_sampled),
           .from = FIELD(struct snapshot_bin, share), .width = 6, .width_max = 10, .rank = 6,
           .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "LIVE", .help = "Usable bytes of its live blocks.",
           .from = FIELD(struct snapshot_bin, heap.usable_bytes), .width = 6, UNIT_BYTES),
    COLUMN(.title = "BLOCKS", .help = "Its live blocks.",
           .from = FIELD(struct snapshot_bin, heap.live_blocks), .width = 6, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "MEAN", .help = "Mean usable size of a live block.", .value = mean_size,
           .width = 6, .rank = 5, UNIT_BYTES, .paint = paint_dim),
    COLUMN(.title = "WASTE",
           .help = "Share of the usable bytes not requested (allocator overhead).",
           .value = bin_waste, .width = 5, .rank = 7, .needs_any_value = true, UNIT_PERCENT),
    COLUMN(.title = "ALLOC/S", .key = "allocation_rate", .form = JSON_COUNT,
           .help = "Allocations per second, over the last refresh.",
           .from = FIELD(struct snapshot_bin, heap.allocations_per_s), .width = 7, .rank = 2,
           .needs_any_value = true, UNIT_COUNT),
    COLUMN(.title = "FREE/S", .key = "free_rate", .form = JSON_COUNT,
           .help = "Frees per second, over the last refresh.",
           .from = FIELD(struct snapshot_bin, heap.frees_per_s), .width = 7, .rank = 4,
           .needs_any_value = true, UNIT_COUNT),
    COLUMN(.title = "LIFE", .key = "lifetime", .form = JSON_COUNT,
           .help = "Mean lifetime of freed blocks; one in eight, chosen at random, is timed.",
           .from = FIELD(struct snapshot_bin, heap.lifetime_s), .width = 6, .rank = 3,
           .shown = has_agent, UNIT_SECONDS),
    COLUMN(.title = "AGE", .key = "age", .form = JSON_COUNT,
           .help = "Time since the first allocation.",
           .from = FIELD(struct snapshot_bin, heap.age_s), .width = 5, .rank = 8,
           .needs_any_value = true, UNIT_SECONDS, .paint = paint_dim),
    COLUMN(.title = "GROWTH", .key = "growth_bytes", .form = JSON_COUNT,
           .help = "Live bytes now minus those at the mark (key M).",
           .from = FIELD(struct snapshot_bin, heap.growth_bytes), .width = 8, .rank = 2,
           .look = COLUMN_RIGHT, .shown_if = FIELD(struct snapshot, heap.summary.mark_age_s),
           .format = format_growth, .paint = paint_growth),
    COLUMN(.title = "",
           .help = "leak?: has grown since the mark, is old, and has never had a sample.",
           .value = bin_leak, .width = 5, .rank = 2, .needs_any_value = true, .paint = paint_leak),
    COLUMN(.title = "BIN",
           .help = "The allocation site, outside the allocator's functions; or a size class "
                   "(walk). \"f < g\": f called by g, if f has other callers; \"#2\": another call "
                   "in the same function.",
           .value = heap_column_name, .width = 14, .width_max = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "TYPE", .key = "type",
           .help = "Type of its blocks, according to the code that accesses them.",
           .from = FIELD(struct snapshot_bin, heap.type), .width = 14, .width_max = 28, .rank = 4,
           .look = COLUMN_NAME, .needs_any_value = true),
    COLUMN(.title = "KNOWN BY", .key = "known_by",
           .help = "agent: reported at the allocation; walk: read from the heap's headers.",
           .value = bin_source, .width = 8, .rank = 12, .shown = has_both_sources,
           .paint = paint_dim),
    COLUMN(.title = "PATH", .key = "path", .help = "The call path, innermost first.",
           .from = FIELD(struct snapshot_bin, heap.path), .width = 16, .width_max = 120, .rank = 3,
           .look = COLUMN_NAME, .needs_any_value = true, .paint = paint_dim),
    MEMBER("id", struct snapshot_bin, heap.id),
    MEMBER("name", struct snapshot_bin, heap.name),
    COLUMN(.key = "object", OBJECT_NAME(struct snapshot_bin, object)),
    MEMBER_COUNT("samples", struct snapshot_bin, samples),
    COLUMN(.from = ROW_IN(struct snapshot_bin, heap), .members = &heap_members),
    COLUMN(.key = "allocations", .unknown_if = FIELD(struct snapshot_bin, heap.is_size_class),
           .from = FIELD(struct snapshot_bin, heap.allocations)),
    COLUMN(.key = "frees", .unknown_if = FIELD(struct snapshot_bin, heap.is_size_class),
           .from = FIELD(struct snapshot_bin, heap.frees)),
    MEMBER_COUNT("growth_blocks", struct snapshot_bin, heap.growth_blocks),
    MEMBER("leak_suspect", struct snapshot_bin, is_leak_suspect),
    COLUMN(.key = "sizes", .from = FIELD(struct snapshot_bin, heap.sizes[0]),
           .elements = HEAP_SIZES),
};

/* Explains a bin: the sizes of its live blocks, and the call path that allocated them. */
static bool heap_explain(const struct snapshot *snapshot, const void *pointer, unsigned line,
                         struct explained *out)
{
    ROW(snapshot_bin);
    const struct heap_bin *heap = &row->heap;
    char count[16];
    char bytes[16];
    *out->text = '\0';
    out->label = line ? "Allocated" : "Sizes";
    out->paint = line == 1 ? PAINT_STRONG : PAINT_PLAIN;
    for (int i = 0; !line && i < HEAP_SIZES; i++)
        if (heap->sizes[i])
            text_append(out->text, sizeof out->text, "%sfrom %s: %s", *out->text ? ", " : "",
                        text_bytes(bytes, i ? UINT64_C(16) << i : 0),
                        text_count(count, (double)heap->sizes[i]));
    if (line && heap->site && line <= heap->site_count)
        snprintf(out->text, sizeof out->text, "%s%s", line > 1 ? "< " : "", heap->site[line - 1]);
    else if (line == 1)
        snprintf(out->text, sizeof out->text, "%s",
                 heap->is_size_class ? "before misstop attached: known by size, not by call path"
                                     : "no call path");
    return line <= 1 || line <= heap->site_count;
}

const struct columns bin_columns = {
    .title = "Bins",
    TABLE(struct snapshot_bin, bin_list),
    ALL_OF(heap.bins, heap.bin_count),
    .key = FIELD(struct snapshot_bin, heap.id),
    .object = FIELD(struct snapshot_bin, object),
    .explain = heap_explain,
};
