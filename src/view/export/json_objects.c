/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "view/export/json.h"
#include "view/levels.h"
#include "view/screens/rows.h"
#include "view/words.h"

/* ---- the layout of a type in memory, with its heat ---- */

static const char *kind_name(enum layout_row_kind kind)
{
    static const char *const names[] = {"member", "hole", "padding", "offset"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "offset";
}

static struct value row_hole(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_layout_row);
    return value_yes_no(row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING);
}

static const struct columns layout_row_members = MEMBERS(
    struct snapshot_layout_row,
    MEMBER("offset", struct snapshot_layout_row, member.offset),
    COLUMN(.key = "size", .unknown_if = FIELD(struct snapshot_layout_row, member.bit_size),
           .from = KNOWN(struct snapshot_layout_row, member.size)),
    MEMBER_KNOWN("type", struct snapshot_layout_row, member.type),
    MEMBER_KNOWN("name", struct snapshot_layout_row, member.name),
    COLUMN(.key = "kind", .from = FIELD(struct snapshot_layout_row, kind), .name = kind_name),
    COLUMN(.key = "hole", .value = row_hole),
    MEMBER("depth", struct snapshot_layout_row, member.depth),
    COLUMN(.key = "bit_offset", .known_if = FIELD(struct snapshot_layout_row, member.bit_size),
           .from = FIELD(struct snapshot_layout_row, member.bit_offset)),
    MEMBER_KNOWN("bit_size", struct snapshot_layout_row, member.bit_size),
    MEMBER_KNOWN("count", struct snapshot_layout_row, member.count),
    COLUMN(.key = "samples", .form = JSON_COUNT, .from = SUM(struct snapshot_layout_row, samples, count_excess)),
    MEMBER("share", struct snapshot_layout_row, share),
    COLUMN(.key = "loads", .form = JSON_COUNT, .from = COUNTED(struct snapshot_layout_row, loads)),
    COLUMN(.key = "stores", .form = JSON_COUNT, .from = COUNTED(struct snapshot_layout_row, stores)),
    MEMBER("line", struct snapshot_layout_row, line),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, levels), .members = &levels_members),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, rates), .members = &rates_members),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, use), .members = &use_members));

static const struct columns layout_line_members =
    MEMBERS(
    struct snapshot_layout_line,
    MEMBER("start", struct snapshot_layout_line, start),
    MEMBER("end", struct snapshot_layout_line, end),
    MEMBER("share", struct snapshot_layout_line, share),
    MEMBER("used", struct snapshot_layout_line, used),
    MEMBER("cold", struct snapshot_layout_line, cold));

const struct columns layout_summary_members =
    MEMBERS(
    struct snapshot_layout,
    COLUMN(.key = "type", .unknown_if = FIELD(struct snapshot_layout, inferred),
           .from = FIELD(struct snapshot_layout, name)),
    MEMBER_KNOWN("size", struct snapshot_layout, size),
    MEMBER("inferred", struct snapshot_layout, inferred),
    COLUMN(.key = "samples", .form = JSON_COUNT, .from = SUM(struct snapshot_layout, samples, count_excess)),
    MEMBER("share", struct snapshot_layout, share));

static json_t *json_layout_reading(const struct snapshot *snapshot, const void *layout)
{
    char text[LAYOUT_READING_BYTES];
    (void)snapshot;
    layout_reading(layout, text, sizeof text);
    return json_text_or_null(text);
}

const struct columns layout_members = MEMBERS(
    struct snapshot_layout,
    COLUMN(.members = &layout_summary_members),
    COLUMN(.key = "phase", .known_if = FIELD(struct snapshot_layout, phase_share),
           .from = FIELD(struct snapshot_layout, phase)),
    MEMBER("phase_share", struct snapshot_layout, phase_share),
    MEMBER_KNOWN("phases", struct snapshot_layout, phases),
    MEMBER("straddling", struct snapshot_layout, straddling),
    MEMBER_KNOWN("hot_span", struct snapshot_layout, hot_span),
    MEMBER_KNOWN("hot_lines", struct snapshot_layout, hot_lines),
    COLUMN(.key = "reading", .json = json_layout_reading),
    COLUMN(.key = "rows", .from = ROW_OF(struct snapshot_layout, rows),
           .count = FIELD(struct snapshot_layout, row_count), .rows = &layout_row_members),
    COLUMN(.key = "lines", .from = ROW_OF(struct snapshot_layout, lines),
           .count = FIELD(struct snapshot_layout, line_count), .rows = &layout_line_members));

/* ---- the heap and its bins ---- */

/* Members of the blocks themselves; null if it is not a heap bin. */
const struct columns heap_members = MEMBERS(
    struct heap_bin,
    COLUMN(.key = "site", .known_if = FIELD(struct heap_bin, site_count),
           .from = FIRST_OF(struct heap_bin, site), .count = FIELD(struct heap_bin, site_count)),
    MEMBER("live_blocks", struct heap_bin, live_blocks),
    MEMBER("live_bytes", struct heap_bin, usable_bytes),
    MEMBER("usable_bytes", struct heap_bin, usable_bytes),
    COLUMN(.key = "requested_bytes", .unknown_if = FIELD(struct heap_bin, is_size_class),
           .from = FIELD(struct heap_bin, requested_bytes)));

static const char *feed_name(unsigned feed)
{
    static const char *const feeds[] = {"none", "agent", "walk"};
    return feeds[feed];
}

static const void *heap_fed_by_agent(const struct snapshot *snapshot, const void *heap)
{
    return snapshot->heap.summary.feed == HEAP_FEED_AGENT ? heap : NULL;
}

static struct value note_value(const struct snapshot *snapshot, const void *heap)
{
    (void)heap;
    return value_text(heap_note(snapshot));
}

const struct columns heap_summary_members = MEMBERS(
    struct snapshot_heap,
    COLUMN(.key = "feed", .from = FIELD(struct snapshot_heap, summary.feed), .name = feed_name),
    MEMBER("source", struct snapshot_heap, summary.source),
    COLUMN(.key = "note", .value = note_value),
    COLUMN(.key = "live_blocks", .known_if = FIELD(struct snapshot_heap, summary.feed), .from = FIELD(struct snapshot_heap, summary.live_blocks)),
    COLUMN(.key = "live_bytes", .known_if = FIELD(struct snapshot_heap, summary.feed), .from = FIELD(struct snapshot_heap, summary.usable_bytes)),
    COLUMN(.key = "requested_bytes", .target = heap_fed_by_agent,
           .from = FIELD(struct snapshot_heap, summary.requested_bytes)),
    COLUMN(.key = "lost", .known_if = FIELD(struct snapshot_heap, summary.feed), .from = FIELD(struct snapshot_heap, summary.lost)),
    COLUMN(.key = "failed", .known_if = FIELD(struct snapshot_heap, summary.feed), .from = FIELD(struct snapshot_heap, summary.failed)),
    MEMBER("mark_age", struct snapshot_heap, summary.mark_age_s),
    MEMBER_ROWS("bins", struct snapshot_heap, bins, bin_count, &bin_columns),
    MEMBER("bins_left_out", struct snapshot_heap, bins_left_out));

json_t *json_event_shares(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_object *object = pointer;
    json_t *out = json_object();
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].name)
            json_set(out, snapshot->source.events[i].name, json_share(object->event_share[i]));
    return out;
}

/* ---- where accesses found their data ---- */

static json_t *json_basis(const struct snapshot *snapshot, const void *pointer)
{
    char basis[160];
    levels_basis(snapshot, basis, sizeof basis);
    (void)pointer;
    return json_text_or_null(basis);
}

static const char *levels_origin_name(unsigned from)
{
    return from == LEVELS_COUNTED ? "counted" : "recorded";
}

static const struct columns level_members = MEMBERS(
    struct snapshot_levels,
    COLUMN(.key = "from", .from = FIELD(struct snapshot_levels, evidence), .name = levels_origin_name),
    COLUMN(.key = "counts", .json = json_basis),
    MEMBER_COUNT("accesses", struct snapshot_levels, accesses),
    COLUMN(.key = "found", .from = FIELD(struct snapshot_levels, level[0]), .form = JSON_COUNT,
           .elements = DATA_LEVEL_COUNT, .element_name = data_level_name, .sparse = true),
    COLUMN(.key = "waited", .from = FIELD(struct snapshot_levels, waited[0]), .form = JSON_COUNT,
           .elements = DATA_LEVEL_COUNT, .element_name = data_level_name, .sparse = true),
    COLUMN(.key = "snoop", .from = FIELD(struct snapshot_levels, snoop[0]), .form = JSON_COUNT,
           .elements = SNOOP_COUNT, .element_name = data_snoop_name, .sparse = true),
    COLUMN(.key = "tlb", .from = FIELD(struct snapshot_levels, tlb[0]), .form = JSON_COUNT,
           .elements = TLB_COUNT, .element_name = data_tlb_name, .sparse = true),
    MEMBER("far", struct snapshot_levels, far_share),
    MEMBER("hitm", struct snapshot_levels, hitm),
    MEMBER("remote", struct snapshot_levels, remote),
    MEMBER("tlb_miss", struct snapshot_levels, tlb_miss),
    MEMBER("locked", struct snapshot_levels, locked),
    MEMBER("blocked", struct snapshot_levels, blocked),
    COLUMN(.key = "latencies", .known_if = FIELD(struct snapshot_levels, latency),
           .from = FIELD(struct snapshot_levels, histogram[0]), .form = JSON_COUNT,
           .elements = SNAPSHOT_LATENCY_CLASSES));

const struct columns levels_members = MEMBERS(
    struct snapshot_levels,
    COLUMN(.key = "levels", .rows = &level_members),
    MEMBER_COUNT("latency", struct snapshot_levels, latency));

/* ---- bounds of waiting time ---- */

json_t *json_waits(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const from[] = {NULL, "counters", "latencies", "recurrence", "simulation"};
    static const char *const levels[WAIT_LEVELS] = {"L1", "L2", "L3"};
    const struct snapshot_wait *wait = pointer;
    (void)snapshot;
    if (wait->evidence == WAIT_UNKNOWN)
        return json_null();
    json_t *out = json_object();
    json_set(out, "from", json_text(from[wait->evidence]));
    for (int i = 0; i < WAIT_LEVELS; i++) {
        json_t *beyond = isnan(wait->high[i]) ? json_null() : json_object();
        if (!isnan(wait->high[i])) {
            json_set(beyond, "low", json_share(wait->low[i]));
            json_set(beyond, "high", json_share(wait->high[i]));
        }
        json_set(out, levels[i], beyond);
    }
    return out;
}

/* ---- miss rates and criticality ---- */

static json_t *json_interval(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_share *share = pointer;
    (void)snapshot;
    if (isnan(share->low))
        return json_null();
    json_t *out = json_object();
    json_set(out, "value", json_share(share->value));
    json_set(out, "low", json_share(share->low));
    json_set(out, "high", json_share(share->high));
    return out;
}

static json_t *json_miss_rates(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_rates *rates = pointer;
    json_t *out = json_object();
    for (int i = 0; i < RATE_LEVELS; i++)
        json_set(out, rate_level_name((enum rate_level)i),
                 json_interval(snapshot, &rates->miss_rate[i]));
    return out;
}

static const char *rates_origin_name(unsigned from)
{
    return from == RATES_RECORDED ? "recorded" : "counted";
}

static int first_known_level(const struct snapshot_rates *rates)
{
    for (int i = 0; rates && i < RATE_LEVELS; i++)
        if (!isnan(rates->miss_rate[i].value))
            return i;
    return -1;
}

static struct value first_miss_rate(const struct snapshot *snapshot, const void *rates)
{
    int level = first_known_level(rates);
    (void)snapshot;
    return value_number(level < 0 ? NAN
                                  : ((const struct snapshot_rates *)rates)->miss_rate[level].value);
}

static struct value first_miss_rate_of(const struct snapshot *snapshot, const void *rates)
{
    int level = first_known_level(rates);
    (void)snapshot;
    return value_text(level < 0 ? NULL : rate_level_name((enum rate_level)level));
}

static const struct columns rate_members = MEMBERS(
    struct snapshot_rates,
    COLUMN(.key = "from", .from = FIELD(struct snapshot_rates, evidence), .name = rates_origin_name),
    COLUMN(.key = "accessed", .from = ROW_IN(struct snapshot_rates, access_share),
           .json = json_interval),
    COLUMN(.key = "miss", .json = json_miss_rates),
    COLUMN(.key = "stall", .from = ROW_IN(struct snapshot_rates, stall_share), .json = json_interval),
    COLUMN(.key = "missed", .from = ROW_IN(struct snapshot_rates, miss_share), .json = json_interval),
    COLUMN(.key = "missed_level", .from = FIELD(struct snapshot_rates, level),
           .name = rate_level_name),
    COLUMN(.key = "critical", .from = ROW_IN(struct snapshot_rates, stall_ratio),
           .json = json_interval));

const struct columns rates_members =
    MEMBERS(
    struct snapshot_rates,
    MEMBER_COUNT("accesses", struct snapshot_rates, accesses),
    COLUMN(.key = "miss_rate", .value = first_miss_rate),
    COLUMN(.key = "miss_rate_of", .value = first_miss_rate_of),
    COLUMN(.key = "rates", .rows = &rate_members));

/* ---- use of lines ---- */

static struct value use_level(const struct snapshot *snapshot, const void *row)
{
    (void)row;
    return value_integer(snapshot->uses.level + 1u);
}

static const struct columns used_members = MEMBERS(
    struct snapshot_use,
    COLUMN(.key = "level", .value = use_level),
    MEMBER_COUNT("lines", struct snapshot_use, lines),
    MEMBER_COUNT("fetched_bytes", struct snapshot_use, fetched_bytes),
    MEMBER_COUNT("used_bytes", struct snapshot_use, used_bytes),
    MEMBER_COUNT("followed", struct snapshot_use, followed_lines),
    MEMBER("spatial_use_low", struct snapshot_use, spatial_low),
    MEMBER("spatial_use_high", struct snapshot_use, spatial_high),
    MEMBER_COUNT("touched_bytes", struct snapshot_use, touched_bytes),
    MEMBER_COUNT("integer_loads", struct snapshot_use, uses[0]),
    MEMBER_COUNT("float_loads", struct snapshot_use, uses[1]),
    MEMBER_COUNT("integer_stores", struct snapshot_use, uses[2]),
    MEMBER_COUNT("float_stores", struct snapshot_use, uses[3]));

const struct columns use_members =
    MEMBERS(
    struct snapshot_use,
    COLUMN(.key = "spatial_use", .value = use_spatial, .json_if_snapshot = FIELD(struct snapshot, uses.known)),
    COLUMN(.key = "temporal_use", .value = use_temporal, .json_if_snapshot = FIELD(struct snapshot, uses.known)),
    COLUMN(.key = "use", .rows = &used_members, .json_if_snapshot = FIELD(struct snapshot, uses.known)));

/* ---- questions about another layout, and the answers ---- */

static const struct columns whatif_level_members = MEMBERS(
    struct snapshot_whatif_level,
    MEMBER_COUNT("misses", struct snapshot_whatif_level, before),
    MEMBER_COUNT("misses_then", struct snapshot_whatif_level, after),
    COLUMN(.key = "change", .from = CHANGE(struct snapshot_whatif_level, before, after)),
    MEMBER_COUNT("object_misses", struct snapshot_whatif_level, object_before),
    MEMBER_COUNT("object_misses_then", struct snapshot_whatif_level, object_after),
    MEMBER_COUNT("object_first_touches_then", struct snapshot_whatif_level, cold_share));

static json_t *json_whatif_levels(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_whatif *from = row;
    json_t *out = json_array();
    for (unsigned i = 0; i < from->level_count; i++) {
        json_t *level = json_object();
        json_set(level, "name", json_sprintf("L%u", i + 1));
        json_set_row(level, &whatif_level_members, snapshot, &from->level[i]);
        json_array_append_new(out, level);
    }
    return out;
}

static bool whatif_counts(const struct snapshot *snapshot, const void *row)
{
    (void)snapshot;
    return ((const struct snapshot_whatif *)row)->state == WHATIF_COUNTING;
}

static const struct columns whatif_figures_members = MEMBERS(
    struct snapshot_whatif,
    MEMBER("settled", struct snapshot_whatif, settled),
    MEMBER_COUNT("accesses", struct snapshot_whatif, accesses),
    MEMBER_COUNT("object_accesses", struct snapshot_whatif, object_accesses),
    MEMBER_COUNT("object_accesses_cut", struct snapshot_whatif, split_accesses),
    MEMBER_COUNT("blocks", struct snapshot_whatif, blocks),
    MEMBER_COUNT("blocks_left_out", struct snapshot_whatif, blocks_left_out),
    MEMBER_COUNT("blocks_small", struct snapshot_whatif, blocks_small),
    COLUMN(.key = "levels", .json = json_whatif_levels),
    MEMBER_COUNT("stall_cycles", struct snapshot_whatif, stall_before),
    MEMBER_COUNT("stall_cycles_then", struct snapshot_whatif, stall_after),
    COLUMN(.key = "stall_change",
           .from = CHANGE(struct snapshot_whatif, stall_before, stall_after)));

static const struct columns whatif_answer_members = MEMBERS(
    struct snapshot_whatif,
    MEMBER("object", struct snapshot_whatif, object),
    MEMBER("question", struct snapshot_whatif, question),
    COLUMN(.key = "layout", .from = KNOWN(struct snapshot_whatif, layout)),
    COLUMN(.key = "state", .from = FIELD(struct snapshot_whatif, state), .name = whatif_state_name),
    COLUMN(.key = "why", .from = KNOWN(struct snapshot_whatif, reason)),
    COLUMN(.members = &whatif_figures_members, .present = whatif_counts));

static const struct columns whatif_past_members =
    MEMBERS(struct snapshot_whatif_past, MEMBER("object", struct snapshot_whatif_past, object),
            MEMBER("question", struct snapshot_whatif_past, question),
            MEMBER("stall_change", struct snapshot_whatif_past, stall_change));

static const struct columns whatif_best_members = MEMBERS(
    struct snapshot_whatifs,
    COLUMN(.from = ROW_IN(struct snapshot_whatifs, list), .members = &whatif_answer_members),
    COLUMN(.key = "before", .from = ROW_IN(struct snapshot_whatifs, past),
           .count = FIELD(struct snapshot_whatifs, past_count), .rows = &whatif_past_members));

const struct columns whatif_members = MEMBERS(
    struct snapshot_whatifs,
    COLUMN(.key = "what_if", .rows = &whatif_best_members),
    COLUMN(.key = "what_ifs", .from = ROW_IN(struct snapshot_whatifs, list),
           .count = FIELD(struct snapshot_whatifs, count), .rows = &whatif_answer_members));

/* ---- results of watchpoints ---- */

const struct columns watch_code_members = MEMBERS(
    struct snapshot_watch_code,
    MEMBER("function", struct snapshot_watch_code, function),
    MEMBER_KNOWN("module", struct snapshot_watch_code, module),
    MEMBER("file", struct snapshot_watch_code, file),
    MEMBER_KNOWN("line", struct snapshot_watch_code, line),
    MEMBER("share", struct snapshot_watch_code, share));

const struct columns watch_members = MEMBERS(
    struct snapshot_watch,
    MEMBER("registers", struct snapshot_watch, registers),
    MEMBER("threads", struct snapshot_watch, threads),
    MEMBER("threads_left_out", struct snapshot_watch, threads_left_out),
    MEMBER("offered", struct snapshot_watch, offered),
    MEMBER("armed", struct snapshot_watch, armed),
    MEMBER("unpaid", struct snapshot_watch, over_budget),
    MEMBER("touches", struct snapshot_watch, touches),
    MEMBER("trap_ns", struct snapshot_watch, trap_ns),
    MEMBER("arm_ns", struct snapshot_watch, arm_ns),
    MEMBER("budget", struct snapshot_watch, budget),
    MEMBER("overhead", struct snapshot_watch, overhead),
    MEMBER("budget_limits", struct snapshot_watch, is_limited_by_budget),
    MEMBER("verdicts", struct snapshot_watch, verdicts),
    MEMBER("next_seconds", struct snapshot_watch, next_s),
    MEMBER("trouble", struct snapshot_watch, failure),
    MEMBER_ROWS("objects", struct snapshot_watch, objects, count, &watch_columns));
