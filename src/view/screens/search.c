/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6: the n-way search: its regions, their contents, and dropped regions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"

struct search_view {
    struct table regions;
    struct table dropped;
    unsigned depth; /* number of nested searches; Esc returns to the previous one */
};

static struct search_view *search_view(const struct browser *browser)
{
    return browser->states[SCREEN_SEARCH];
}

enum { MAP_REGIONS = 256 };

static void draw_search_off(struct canvas *canvas, struct area area)
{
    static const struct {
        enum paint paint;
        const char *text;
    } lines[] = {
        {PAINT_STRONG, "No search is running. S searches the whole address space."},
        {PAINT_PLAIN, ""},
        {PAINT_PLAIN,
         "The address space is split into regions. The samples in each are counted for an "
         "interval, and the best regions are split again, until each contains one object, or, "
         "inside large objects, a range, page or line without a hotter part."},
        {PAINT_PLAIN, ""},
        {PAINT_PLAIN,
         "Use it if names are not enough: a custom arena, a huge array, an anonymous mapping. s on "
         "an object on Objects or Detail searches inside that object only."},
    };
    struct area rest = {area.row + 1, area.column + 2, area.rows - 1, area.columns - 4};
    if (area.rows < 10)
        rest.row--, rest.rows++;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        rest = area_below(
            rest, *lines[i].text ? canvas_wrap(canvas, rest, lines[i].paint, lines[i].text) : 1);
    }
}

static bool searches_everywhere(const struct snapshot_search *search)
{
    return !search->range_name || !*search->range_name || !strcmp(search->range_name, "all");
}

static int draw_state(const struct snapshot_search *search, struct canvas *canvas, struct area area)
{
    bool settled = search->state == SEARCH_SETTLED;
    struct pen pen = {canvas, area.row, area.column + 1, area.column + area.columns};
    pen_part(&pen, settled ? PAINT_GOOD : PAINT_WARN, "%s", settled ? "Settled" : "Searching");
    pen_part(&pen, PAINT_STRONG, "%s%s", searches_everywhere(search) ? " " : " in ",
             searches_everywhere(search) ? "everywhere" : search->range_name);
    if (!isnan(search->explained))
        pen_part(&pen, PAINT_PLAIN, ": these regions have %.1f%% of the samples%s",
                 search->explained * 100, settled ? "" : " so far");
    pen_part(&pen, PAINT_DIM, "  round %" PRIu32 ", %.3g s each, %" PRIu32 " ways",
             search->iteration, search->interval_s, search->ways);
    if (search->restarts)
        pen_part(&pen, PAINT_DIM, "  restarted %" PRIu32 "x", search->restarts);
    return 1;
}

static size_t sort_regions_by_address(const struct snapshot_search *search,
                                      const struct snapshot_region *ordered[MAP_REGIONS])
{
    size_t count = search->region_count < MAP_REGIONS ? search->region_count : MAP_REGIONS;
    for (size_t i = 0; i < count; i++)
        ordered[i] = &search->regions[i];
    SORT_POINTERS(ordered, count, SMALLEST(struct snapshot_region, base));
    return count;
}

/*
 * Draws regions in order of address, not to scale, because they range from a line to terabytes. A
 * dot is a gap between two regions (dropped, not searched).
 */
static int draw_map(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_region *ordered[MAP_REGIONS];
    size_t count = sort_regions_by_address(&browser->snapshot->search, ordered);
    const struct snapshot_region *selected = table_selected(&search_view(browser)->regions);
    int room = area.columns - 2;
    int width = count ? room / (int)count - 1 : 0;
    if (width < 1 || area.rows < 2)
        return 0;
    width = width > 12 ? 12 : width;
    for (size_t i = 0; i < count; i++) {
        int column = 1 + (int)i * (width + 1);
        bool gap = i + 1 < count && ordered[i]->bound != ordered[i + 1]->base;
        enum paint paint = paint_heat(ordered[i]->share);
        for (int k = 0; k < width; k++)
            canvas_text(canvas, area.row, column + k, 1, paint,
                        bar_step(sqrt(ordered[i]->share), canvas->ascii));
        if (gap)
            canvas_text(canvas, area.row, column + width, 1, PAINT_DIM, canvas->ascii ? "." : "·");
        if (ordered[i] == selected)
            canvas_flag(canvas, area.row, column, width, CELL_CURSOR);
    }
    if (selected)
        canvas_format(canvas, area.row + 1, 1, room, PAINT_DIM,
                      "0x%" PRIx64 " .. 0x%" PRIx64
                      "   regions in order of address; height and colour: share",
                      selected->base, selected->bound);
    return 2;
}

static void draw_lists(struct browser *browser, struct canvas *canvas, struct area area)
{
    enum { TWO_FROM_ROWS = 16 };
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    if (area.rows < TWO_FROM_ROWS) {
        pane_tabbed(browser, canvas, area, panes, count);
        return;
    }
    struct area upper = {area.row, 0, area.rows * 2 / 3, area.columns};
    pane_titled(browser, canvas, upper, panes[0]);
    pane_titled(browser, canvas, area_below(area, upper.rows), panes[1]);
}

static void search_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_search *search = &browser->snapshot->search;
    if (search->state == SEARCH_OFF) {
        draw_search_off(canvas, area);
        return;
    }
    int used = draw_state(search, canvas, area);
    if (area.rows >= 12) {
        struct area map = {area.row + used + 1, 0, area.rows - used - 1, area.columns};
        int rows = draw_map(browser, canvas, map);
        used += rows ? rows + 2 : 1;
    }
    struct area lists = {area.row + used, 0, area.rows - used, area.columns};
    draw_lists(browser, canvas, lists);
}

/* Returns true if Esc returns to the search that this one was started from. */
static bool has_previous(const struct browser *browser)
{
    const struct table *table = &search_view(browser)->regions;
    return search_view(browser)->depth && browser->snapshot->search.previous_range_name &&
           !*table->filter && !*search_view(browser)->dropped.filter;
}

static void request_search(struct request *request, uint64_t base, uint64_t bound, const char *name)
{
    request->kind = REQUEST_SEARCH_RANGE;
    request->base = base;
    request->bound = bound;
    /* Truncates at a character boundary. */
    text_sanitise(request->name, sizeof request->name, name, strlen(name));
}

void search_open(struct browser *browser, struct request *request, uint64_t base, uint64_t bound,
                 const char *name)
{
    search_view(browser)->depth = 0;
    request_search(request, base, bound, name);
    browser_go(browser, SCREEN_SEARCH);
}

bool search_open_object(struct browser *browser, struct request *request,
                        const struct snapshot_object *object)
{
    /* Blocks of a bin are not contiguous. */
    bool apart = object->bin < browser->snapshot->heap.bin_count && object->blocks != 1;
    if (apart)
        browser_message(browser,
                        "its blocks are not contiguous: S searches everything, and reports blocks");
    else if (object->size)
        search_open(browser, request, object->address, object->address + object->size,
                    object->name);
    return apart || object->size;
}

void search_glance(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_search *search = &browser->snapshot->search;
    int used = pane_title(canvas, area, false, "6 Search");
    if (search->state == SEARCH_OFF) {
        struct area text = {area.row + used, area.column + 1, area.rows - used, area.columns - 2};
        canvas_wrap(canvas, text, PAINT_DIM,
                    "No search is running. S searches the whole address space for its hottest "
                    "ranges, s inside the selected object.");
        return;
    }
    struct area state = {area.row + used, area.column, 1, area.columns};
    used += draw_state(search, canvas, state);
    struct area list = area_below(area, used);
    table_draw(&search_view(browser)->regions, canvas, list, false);
}

static const char *region_reason_words(enum region_reason reason)
{
    static const char *const words[REGION_REASON_COUNT] = {
        [REGION_NO_SAMPLES] = "no samples",
        [REGION_QUIET] = "no samples for too many rounds",
        [REGION_WAS_BEST] = "no samples now, but was among the best",
        [REGION_TOO_FEW] = "too few samples to look inside",
        [REGION_EVEN] = "no hotter part",
        [REGION_SEVERAL] = "used in several lines",
        [REGION_IN_OTHER_PHASE] = "found in another phase",
    };
    return words[reason];
}

static bool search_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct table *table = browser_table(browser);
    const struct snapshot_region *region = table ? table_selected(table) : NULL;
    if (!snapshot || snapshot->search.state == SEARCH_OFF)
        return false;
    if (action == ACTION_BACK && has_previous(browser)) {
        search_view(browser)->depth--;
        request->kind = REQUEST_SEARCH_BACK;
        return true;
    }
    if (action == ACTION_SEARCH_ALL)
        search_view(browser)->depth = 0;
    if (!region)
        return false;
    const struct snapshot_object *object = columns_object_named(snapshot, region->object);
    if (action == ACTION_ENTER && object) {
        browser_open_object(browser, object);
        return true;
    }
    if (action != ACTION_SEARCH_HERE && action != ACTION_ENTER)
        return false;
    if (region->base == snapshot->search.base && region->bound == snapshot->search.bound) {
        browser_message(browser, "all of it is being searched; s on a part zooms in");
        return true;
    }
    request_search(request, region->base, region->bound,
                   region->object && *region->object ? region->object : "a region");
    search_view(browser)->depth++;
    return true;
}

static int hint_previous_search(struct browser *browser, char *out, size_t size)
{
    char what[64];
    *out = '\0';
    if (!browser->snapshot || !has_previous(browser))
        return 0;
    glyph_fit(what, sizeof what, browser->snapshot->search.previous_range_name, 32,
              GLYPH_CUT_MIDDLE, false);
    return snprintf(out, size, "Esc: back to the search in %s.  ", what);
}

static void search_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_region *region = table_selected(&search_view(browser)->regions);
    int used = hint_previous_search(browser, out, size);
    out += used;
    size -= (size_t)used;
    if (!snapshot || snapshot->search.state == SEARCH_OFF)
        snprintf(out, size, "S: start on everything.  1, then s: start inside one object");
    else if (region && region->reason && search_view(browser)->regions.selection_moved)
        snprintf(out, size, "%s: %s.  s: search inside it", region_state_name(region->state),
                 region_reason_words(region->reason));
    else if (snapshot->search.state == SEARCH_SEARCHING)
        snprintf(out, size, "Zooming in, until the best regions are objects or lines. X stops it");
    else if (region && columns_object_named(snapshot, region->object))
        snprintf(out, size, "Enter: offsets and code of the region's object.  s: search inside it");
    else
        snprintf(out, size, "s: search inside the selected region.  X stops");
}

static const char *search_label(struct browser *browser, enum action action)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct table *table = browser_table(browser);
    const struct snapshot_region *region =
        snapshot && snapshot->search.state != SEARCH_OFF ? table_selected(table) : NULL;
    if (action != ACTION_ENTER)
        return NULL;
    if (!region)
        return "";
    return columns_object_named(snapshot, region->object) ? "Object" : "Search in it";
}

const struct screen search_screen = {
    .name = "Search",
    .description =
        "Finds hot address ranges: splits the address space repeatedly (n-way search). The "
        "samples in each part are counted, and the best parts are split until each is one "
        "object or one cache line. It needs no names, so it also works in arenas and mappings "
        "that a program manages itself.",
    .next_step =
        "S searches everything, s the selected region or object. Enter opens the object of a "
        "region. Esc returns to the previous search. X stops.",
    .state_size = sizeof(struct search_view),
    .tables = {{.at = offsetof(struct search_view, regions), .columns = &region_columns},
               {.at = offsetof(struct search_view, dropped), .columns = &dropped_columns}},
    .draw = search_draw,
    .act = search_act,
    .hint = search_hint,
    .label = search_label,
    .bar = {ACTION_BACK, ACTION_SEARCH_ALL, ACTION_SEARCH_HERE, ACTION_SEARCH_STOP, ACTION_ENTER,
            ACTION_RIGHT, ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_FILTER, ACTION_WRITE},
};

/* ---- columns of the regions of the search, and of the objects in one cache set ---- */

static struct value region_half_interval(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_number((row->high - row->low) / 2);
}

static struct value region_bytes(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_known(row->bound - row->base);
}

static struct value region_state_text(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_text(
        row->state == REGION_SPLIT && isnan(row->share) ? "new" : region_state_name(row->state));
}

/* Formats "A 62% leads, B 3%"; the value's text is the name of the first phase. */
static void format_phases(char *out, size_t size, struct value value)
{
    const struct snapshot_region_phase *phase = (const void *)value.text;
    for (*out = '\0'; *phase->name; phase++)
        text_append(out, size, "%s%s %.0f%%%s", *out ? ", " : "", phase->name, phase->share * 100,
                    phase->is_largest ? " leads" : "");
}

static const struct column region_list[] = {
    COLUMN(.title = "SHARE", .key = "share",
           .help = "The region's share of the samples in the searched range.",
           .from = FIELD(struct snapshot_region, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "±", .value = region_half_interval, .width = 4, UNIT_POINTS),
    COLUMN(.title = "", .from = FIELD(struct snapshot_region, share), .width = 6, .width_max = 10,
           .rank = 6, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "STATE",
           .help = "new: measured for the first time; split: will be halved; object, line: found; "
                   "kept: no samples now, was among the best; queued: waits to be measured.",
           .value = region_state_text, .width = 7, .rank = 1),
    COLUMN(.title = "HOLDS", .help = "The object in the region.",
           .from = FIELD(struct snapshot_region, object), .unknown_text = "(several objects)",
           .width = 12, .width_max = 56, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "IN PHASES",
           .help =
               "Its share of the samples in each phase in which it was found, and where it leads.",
           .from = VIA(struct snapshot_region, phases, name), .width = 9, .width_max = 40,
           .rank = 1, .needs_any_value = true, .format = format_phases),
    COLUMN(.title = "SIZE", .help = "Bytes it spans.", .value = region_bytes, .width = 6, .rank = 2,
           UNIT_BYTES),
    COLUMN(.title = "FROM", .key = "base", .help = "First address.",
           .from = FIELD(struct snapshot_region, base), .width = 14, .width_max = 18, .rank = 3,
           .format = format_address, .paint = paint_dim),
    COLUMN(.title = "TO", .key = "bound", .help = "First address after it.",
           .from = FIELD(struct snapshot_region, bound), .width = 14, .width_max = 18, .rank = 9,
           .format = format_address, .paint = paint_dim),
    COLUMN(.title = "ITER", .help = "Measurements averaged.",
           .from = KNOWN(struct snapshot_region, iterations), .width = 4, .rank = 5, UNIT_INTEGER),
    COLUMN(.title = "DEPTH", .key = "depth", .help = "How many times it was halved.",
           .from = FIELD(struct snapshot_region, depth), .width = 5, .rank = 8, UNIT_INTEGER),
    COLUMN(.title = "WHY", .key = "reason", .help = "Why it is kept.",
           .from = FIELD(struct snapshot_region, reason), .name = region_reason_words, .width = 26,
           .width_max = 40, .rank = 7, .paint = paint_dim),
    MEMBER("share_low", struct snapshot_region, low),
    MEMBER("share_high", struct snapshot_region, high),
    MEMBER("iterations", struct snapshot_region, iterations),
    COLUMN(.key = "state", .from = FIELD(struct snapshot_region, state), .name = region_state_name),
    MEMBER("object", struct snapshot_region, object),
    COLUMN(.key = "phases", .from = ROW_OF(struct snapshot_region, phases),
           .count = FIELD(struct snapshot_region, phase_count), .rows = &region_phase_members,
           .json_if = FIELD(struct snapshot_region, phase_count)),
};

const struct columns region_columns = {
    .title = "Regions",
    .empty = "The first interval is being measured.",
    TABLE(struct snapshot_region, region_list),
    ALL_OF(search.regions, search.region_count),
    .key = FIELD(struct snapshot_region, base),
};

static const struct column dropped_list[] = {
    COLUMN(.title = "FROM", .from = FIELD(struct snapshot_region, base), .width = 14,
           .width_max = 18, .format = format_address, .paint = paint_dim),
    COLUMN(.title = "SIZE", .value = region_bytes, .width = 6, .rank = 1, UNIT_BYTES),
    COLUMN(.title = "SHARE", .from = FIELD(struct snapshot_region, share), .width = 6, .rank = 3,
           UNIT_SHARE),
    COLUMN(.title = "WHY DROPPED", .help = "Why it is not searched further.",
           .from = FIELD(struct snapshot_region, reason), .name = region_reason_words, .width = 14,
           .width_max = 60),
};

const struct columns dropped_columns = {
    .title = "Dropped",
    .empty = "Nothing was dropped.",
    TABLE(struct snapshot_region, dropped_list),
    ALL_OF(search.dropped, search.dropped_count),
    .sort = COLUMNS_MAX,
    .key = FIELD(struct snapshot_region, base),
};

/* Returns the share of this set's samples in the window. */
static struct value part_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    double all = 0;
    for (size_t i = 0; i < snapshot->sets.part_count; i++)
        if (snapshot->sets.parts[i].set == row->set)
            all += snapshot->sets.parts[i].samples;
    return value_number(all > 0 ? row->samples / all : NAN);
}

static uint64_t part_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    const struct snapshot_object *known = columns_object(snapshot, row->object);
    return known ? known->id : UINT64_MAX;
}

static const struct column part_list[] = {
    COLUMN(.title = "OF SET", .help = "Share of the set's samples in the window on this object.",
           .value = part_share, .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .value = part_share, .width = 6, .width_max = 12, .rank = 2,
           .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SAMPLES", .from = FIELD(struct snapshot_set_part, samples), .width = 7,
           .rank = 1, UNIT_COUNT),
    COLUMN(.title = "OBJECT", .help = "An object with lines in the set under the cursor.",
           OBJECT_NAME(struct snapshot_set_part, object), .unknown_text = "(not listed)",
           .width = 14, .width_max = 80, .look = COLUMN_NAME, .paint = paint_strong),
};

const struct columns part_columns = {
    .title = "Objects in this set",
    .empty = "The window has no samples in this set.",
    TABLE(struct snapshot_set_part, part_list),
    .sort = 2,
    .identity = part_identity,
    .object = FIELD(struct snapshot_set_part, object),
};
