/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects with all that is known of them. */
#include <math.h>
#include <stdio.h>

#include "view/export/json.h"
#include "view/levels.h"
#include "view/pages/rows.h"

/* The layout of a type in memory, with its heat. */

static const char *kind_name(enum layout_row_kind kind)
{
    static const char *const names[] = {"member", "hole", "padding", "offset"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "offset";
}

static struct value row_size(const struct snapshot *snapshot, const void *pointer)
{
    const struct type_member *member = pointer;
    (void)snapshot;
    return value_known(member->bit_size ? 0 : member->size);
}

static struct value row_hole(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_layout_row *row = pointer;
    (void)snapshot;
    return value_yes_no(row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING);
}

static struct value row_bit_offset(const struct snapshot *snapshot, const void *pointer)
{
    const struct type_member *member = pointer;
    (void)snapshot;
    return member->bit_size ? value_integer(member->bit_offset) : value_text(NULL);
}

static const struct column layout_row_members_list[] = {
    COLUMN(.key = "offset", .from = FIELD(struct snapshot_layout_row, member.offset)),
    COLUMN(.key = "size", .from = ROW_IN(struct snapshot_layout_row, member), .value = row_size),
    COLUMN(.key = "type", .from = KNOWN(struct snapshot_layout_row, member.type)),
    COLUMN(.key = "name", .from = KNOWN(struct snapshot_layout_row, member.name)),
    COLUMN(.key = "kind", .from = FIELD(struct snapshot_layout_row, kind), .name = kind_name),
    COLUMN(.key = "hole", .value = row_hole),
    COLUMN(.key = "depth", .from = FIELD(struct snapshot_layout_row, member.depth)),
    COLUMN(.key = "bit_offset", .from = ROW_IN(struct snapshot_layout_row, member),
           .value = row_bit_offset),
    COLUMN(.key = "bit_size", .from = KNOWN(struct snapshot_layout_row, member.bit_size)),
    COLUMN(.key = "count", .from = KNOWN(struct snapshot_layout_row, member.count)),
    COLUMN(.key = "samples", .from = FIELD(struct snapshot_layout_row, samples),
           .form = JSON_COUNT),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_layout_row, share)),
    COLUMN(.key = "loads", .from = FIELD(struct snapshot_layout_row, loads), .form = JSON_COUNT),
    COLUMN(.key = "stores", .from = FIELD(struct snapshot_layout_row, stores), .form = JSON_COUNT),
    COLUMN(.key = "line", .from = FIELD(struct snapshot_layout_row, line)),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, levels), .members = &levels_members),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, rates), .members = &rates_members),
    COLUMN(.from = ROW_OF(struct snapshot_layout_row, use), .members = &use_members),
};

static const struct columns layout_row_members = {
    TABLE(struct snapshot_layout_row, layout_row_members_list)};

static const struct column layout_line_members_list[] = {
    COLUMN(.key = "start", .from = FIELD(struct snapshot_layout_line, start)),
    COLUMN(.key = "end", .from = FIELD(struct snapshot_layout_line, end)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_layout_line, share)),
    COLUMN(.key = "used", .from = FIELD(struct snapshot_layout_line, used)),
    COLUMN(.key = "cold", .from = FIELD(struct snapshot_layout_line, cold)),
};

static const struct columns layout_line_members = {
    TABLE(struct snapshot_layout_line, layout_line_members_list)};

static struct value layout_type(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_layout *layout = pointer;
    (void)snapshot;
    return value_text(layout->inferred ? NULL : layout->name);
}

static struct value layout_phase(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_layout *layout = pointer;
    (void)snapshot;
    return isnan(layout->phase_share) ? value_text(NULL) : value_integer(layout->phase);
}

static const struct column layout_summary_members_list[] = {
    COLUMN(.key = "type", .value = layout_type),
    COLUMN(.key = "size", .from = KNOWN(struct snapshot_layout, size)),
    COLUMN(.key = "inferred", .from = FIELD(struct snapshot_layout, inferred)),
    COLUMN(.key = "samples", .from = FIELD(struct snapshot_layout, samples), .form = JSON_COUNT),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_layout, share)),
};

const struct columns layout_summary_members = {
    TABLE(struct snapshot_layout, layout_summary_members_list)};

static const struct column layout_members_list[] = {
    COLUMN(.members = &layout_summary_members),
    COLUMN(.key = "phase", .value = layout_phase),
    COLUMN(.key = "phase_share", .from = FIELD(struct snapshot_layout, phase_share)),
    COLUMN(.key = "phases", .from = KNOWN(struct snapshot_layout, phases)),
    COLUMN(.key = "straddling", .from = FIELD(struct snapshot_layout, straddling)),
    COLUMN(.key = "hot_span", .from = KNOWN(struct snapshot_layout, hot_span)),
    COLUMN(.key = "hot_lines", .from = KNOWN(struct snapshot_layout, hot_lines)),
    COLUMN(.key = "reading", .from = FIELD(struct snapshot_layout, reading)),
    COLUMN(.key = "rows", .from = ROW_OF(struct snapshot_layout, rows),
           .count = FIELD(struct snapshot_layout, row_count), .rows = &layout_row_members),
    COLUMN(.key = "lines", .from = ROW_OF(struct snapshot_layout, lines),
           .count = FIELD(struct snapshot_layout, line_count), .rows = &layout_line_members),
};

const struct columns layout_members = {TABLE(struct snapshot_layout, layout_members_list)};

/* The heap and its bins. */

static json_t *json_site(const struct snapshot *snapshot, const void *pointer)
{
    const struct heap_bin *heap = pointer;
    (void)snapshot;
    json_t *site = heap && heap->site_count ? json_array() : json_null();
    for (uint32_t i = 0; heap && i < heap->site_count; i++)
        json_array_append_new(site, json_text(heap->site[i]));
    return site;
}

/* A walker does not see what the program requested. */
static struct value heap_requested(const struct snapshot *snapshot, const void *pointer)
{
    const struct heap_bin *heap = pointer;
    (void)snapshot;
    return heap && !heap->walked ? value_integer(heap->requested_bytes) : value_text(NULL);
}

/* Of the blocks themselves; null where there is no heap bin. */
static const struct column heap_members_list[] = {
    COLUMN(.key = "site", .json = json_site),
    COLUMN(.key = "live_blocks", .from = FIELD(struct heap_bin, live_blocks)),
    COLUMN(.key = "live_bytes", .from = FIELD(struct heap_bin, usable_bytes)),
    COLUMN(.key = "usable_bytes", .from = FIELD(struct heap_bin, usable_bytes)),
    COLUMN(.key = "requested_bytes", .value = heap_requested),
};

const struct columns heap_members = {TABLE(struct heap_bin, heap_members_list)};

json_t *json_heap(const struct snapshot *snapshot)
{
    const struct heap_summary *summary = &snapshot->heap.summary;
    json_t *out = json_object();
    bool known = summary->feed != HEAP_FEED_NONE;
    static const char *const feeds[] = {"none", "agent", "walk"};
    json_set(out, "feed", json_text(feeds[summary->feed]));
    json_set(out, "source", json_text(summary->source));
    json_set(out, "note", json_text(summary->note));
    json_set(out, "live_blocks", known ? json_whole(summary->live_blocks) : json_null());
    json_set(out, "live_bytes", known ? json_whole(summary->usable_bytes) : json_null());
    json_set(out, "requested_bytes",
             summary->feed == HEAP_FEED_AGENT ? json_whole(summary->requested_bytes) : json_null());
    json_set(out, "lost", known ? json_whole(summary->lost) : json_null());
    json_set(out, "failed", known ? json_whole(summary->failed) : json_null());
    json_set(out, "mark_age", json_share(summary->mark_age_s));
    json_set(out, "bins",
             json_rows(&bin_columns, snapshot, snapshot->heap.bins, snapshot->heap.bin_count));
    json_set(out, "bins_left_out", json_whole(snapshot->heap.bins_left_out));
    return out;
}

/* How its samples came by their type. */
json_t *json_typed(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_object *object = pointer;
    json_t *out = json_object();
    (void)snapshot;
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        json_set(out, typed_name((enum typed)i), json_count(object->typed[i]));
    return out;
}

json_t *json_event_shares(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_object *object = pointer;
    json_t *out = json_object();
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].name)
            json_set(out, snapshot->source.events[i].name, json_share(object->event_share[i]));
    return out;
}

bool json_has_causes(const struct snapshot *snapshot, const void *row)
{
    (void)row;
    return snapshot->causes.told;
}

/* Where accesses found their data. */

/* Named counts without those that are 0. */
static json_t *counts(const double *from, int count, const char *(*name)(int index))
{
    json_t *out = json_object();
    for (int i = 0; i < count; i++)
        if (from[i] > 0)
            json_set(out, name(i), json_count(from[i]));
    return out;
}

static const char *level_name(int index)
{
    return data_level_name((enum data_level)index);
}

static const char *snoop_name(int index)
{
    return data_snoop_name((enum data_snoop)index);
}

static const char *tlb_name(int index)
{
    return data_tlb_name((enum data_tlb)index);
}

/* Null where nothing is known of any. */
static json_t *counts_or_null(const double *from, int count, const char *(*name)(int index))
{
    for (int i = 0; i < count; i++)
        if (!isnan(from[i]))
            return counts(from, count, name);
    return json_null();
}

static json_t *json_found(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return counts_or_null(((const struct snapshot_levels *)pointer)->level, DATA_LEVEL_COUNT,
                          level_name);
}

static json_t *json_waited(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return counts_or_null(((const struct snapshot_levels *)pointer)->waited, DATA_LEVEL_COUNT,
                          level_name);
}

static json_t *json_snoop(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return counts_or_null(((const struct snapshot_levels *)pointer)->snoop, SNOOP_COUNT,
                          snoop_name);
}

static json_t *json_tlb(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return counts_or_null(((const struct snapshot_levels *)pointer)->tlb, TLB_COUNT, tlb_name);
}

static json_t *json_latencies(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_levels *levels = pointer;
    (void)snapshot;
    if (isnan(levels->latency))
        return json_null();
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        json_array_append_new(out, json_count(levels->histogram[i]));
    return out;
}

static json_t *json_basis(const struct snapshot *snapshot, const void *pointer)
{
    char basis[160];
    levels_basis(snapshot, basis, sizeof basis);
    (void)pointer;
    return json_text_or_null(basis);
}

static const char *levels_from(unsigned from)
{
    return from == LEVELS_COUNTED ? "counted" : "recorded";
}

static const struct column level_members_list[] = {
    COLUMN(.key = "from", .from = FIELD(struct snapshot_levels, from), .name = levels_from),
    COLUMN(.key = "counts", .json = json_basis),
    COLUMN(.key = "accesses", .from = FIELD(struct snapshot_levels, accesses), .form = JSON_COUNT),
    COLUMN(.key = "found", .json = json_found),
    COLUMN(.key = "waited", .json = json_waited),
    COLUMN(.key = "snoop", .json = json_snoop),
    COLUMN(.key = "tlb", .json = json_tlb),
    COLUMN(.key = "far", .from = FIELD(struct snapshot_levels, far)),
    COLUMN(.key = "hitm", .from = FIELD(struct snapshot_levels, hitm)),
    COLUMN(.key = "remote", .from = FIELD(struct snapshot_levels, remote)),
    COLUMN(.key = "tlb_miss", .from = FIELD(struct snapshot_levels, tlb_miss)),
    COLUMN(.key = "locked", .from = FIELD(struct snapshot_levels, locked)),
    COLUMN(.key = "blocked", .from = FIELD(struct snapshot_levels, blocked)),
    COLUMN(.key = "latencies", .json = json_latencies),
};

static const struct columns level_members = {TABLE(struct snapshot_levels, level_members_list)};

static const struct column levels_members_list[] = {
    COLUMN(.key = "levels", .rows = &level_members),
    COLUMN(.key = "latency", .from = FIELD(struct snapshot_levels, latency), .form = JSON_COUNT),
};

const struct columns levels_members = {TABLE(struct snapshot_levels, levels_members_list)};

/* Bounds of the time that waits. */

json_t *json_waits(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const from[] = {NULL, "counters", "latencies", "recurrence", "simulation"};
    static const char *const levels[WAIT_LEVELS] = {"L1", "L2", "L3"};
    const struct snapshot_wait *wait = pointer;
    (void)snapshot;
    if (wait->from == WAIT_UNKNOWN)
        return json_null();
    json_t *out = json_object();
    json_set(out, "from", json_text(from[wait->from]));
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

/* Miss rates and criticality. */

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

static const char *rates_from(unsigned from)
{
    static const char *const names[] = {"recorded", "counted", "exact"};
    return names[from];
}

/* The first level that is known. */
static int known_level(const struct snapshot_rates *rates)
{
    for (int i = 0; rates && i < RATE_LEVELS; i++)
        if (!isnan(rates->miss_rate[i].value))
            return i;
    return -1;
}

static struct value first_miss_rate(const struct snapshot *snapshot, const void *rates)
{
    int level = known_level(rates);
    (void)snapshot;
    return value_number(level < 0 ? NAN
                                  : ((const struct snapshot_rates *)rates)->miss_rate[level].value);
}

static struct value first_miss_rate_of(const struct snapshot *snapshot, const void *rates)
{
    int level = known_level(rates);
    (void)snapshot;
    return value_text(level < 0 ? NULL : rate_level_name((enum rate_level)level));
}

static const struct column rate_members_list[] = {
    COLUMN(.key = "from", .from = FIELD(struct snapshot_rates, from), .name = rates_from),
    COLUMN(.key = "accessed", .from = ROW_IN(struct snapshot_rates, accessed),
           .json = json_interval),
    COLUMN(.key = "miss", .json = json_miss_rates),
    COLUMN(.key = "stall", .from = ROW_IN(struct snapshot_rates, stall), .json = json_interval),
    COLUMN(.key = "missed", .from = ROW_IN(struct snapshot_rates, missed), .json = json_interval),
    COLUMN(.key = "missed_level", .from = FIELD(struct snapshot_rates, level),
           .name = rate_level_name),
    COLUMN(.key = "critical", .from = ROW_IN(struct snapshot_rates, critical),
           .json = json_interval),
};

static const struct columns rate_members = {TABLE(struct snapshot_rates, rate_members_list)};

static const struct column rates_members_list[] = {
    COLUMN(.key = "accesses", .from = FIELD(struct snapshot_rates, accesses), .form = JSON_COUNT),
    COLUMN(.key = "miss_rate", .value = first_miss_rate),
    COLUMN(.key = "miss_rate_of", .value = first_miss_rate_of),
    COLUMN(.key = "rates", .rows = &rate_members),
};

const struct columns rates_members = {TABLE(struct snapshot_rates, rates_members_list)};

/* Use of lines. */

bool json_has_use(const struct snapshot *snapshot, const void *row)
{
    (void)row;
    return snapshot->uses.told;
}

static struct value use_level(const struct snapshot *snapshot, const void *row)
{
    (void)row;
    return value_integer(snapshot->uses.level + 1u);
}

static const struct column used_members_list[] = {
    COLUMN(.key = "level", .value = use_level),
    COLUMN(.key = "lines", .from = FIELD(struct snapshot_use, lines), .form = JSON_COUNT),
    COLUMN(.key = "fetched_bytes", .from = FIELD(struct snapshot_use, fetched_bytes),
           .form = JSON_COUNT),
    COLUMN(.key = "used_bytes", .from = FIELD(struct snapshot_use, used_bytes), .form = JSON_COUNT),
    COLUMN(.key = "touched_bytes", .from = FIELD(struct snapshot_use, touched_bytes),
           .form = JSON_COUNT),
    COLUMN(.key = "integer_loads", .from = FIELD(struct snapshot_use, uses[0]), .form = JSON_COUNT),
    COLUMN(.key = "float_loads", .from = FIELD(struct snapshot_use, uses[1]), .form = JSON_COUNT),
    COLUMN(.key = "integer_stores", .from = FIELD(struct snapshot_use, uses[2]),
           .form = JSON_COUNT),
    COLUMN(.key = "float_stores", .from = FIELD(struct snapshot_use, uses[3]), .form = JSON_COUNT),
};

static const struct columns used_members = {TABLE(struct snapshot_use, used_members_list)};

static const struct column use_members_list[] = {
    COLUMN(.key = "spatial_use", .value = use_spatial, .present = json_has_use),
    COLUMN(.key = "temporal_use", .value = use_temporal, .present = json_has_use),
    COLUMN(.key = "use", .rows = &used_members, .present = json_has_use),
};

const struct columns use_members = {TABLE(struct snapshot_use, use_members_list)};

/* Questions about another layout, and the answers. */

static json_t *level(const struct snapshot_whatif_level *from, unsigned number)
{
    char name[16];
    json_t *out = json_object();
    snprintf(name, sizeof name, "L%u", number);
    json_set(out, "name", json_text(name));
    json_set(out, "misses", json_count(from->before));
    json_set(out, "misses_then", json_count(from->after));
    json_set(out, "change", json_share(whatif_change(from->before, from->after)));
    json_set(out, "object_misses", json_count(from->object_before));
    json_set(out, "object_misses_then", json_count(from->object_after));
    json_set(out, "object_first_touches_then", json_count(from->fresh));
    return out;
}

static json_t *past_of(const struct snapshot_whatifs *from)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < from->past_count; i++) {
        json_t *past = json_object();
        json_set(past, "object", json_text(from->past[i].object));
        json_set(past, "question", json_text(from->past[i].question));
        json_set(past, "stall_change", json_share(from->past[i].stall_change));
        json_array_append_new(out, past);
    }
    return out;
}

static json_t *answer_of(const struct snapshot_whatif *from)
{
    json_t *out = json_object();
    json_t *levels = json_array();
    json_set(out, "object", json_text(from->object));
    json_set(out, "question", json_text(from->question));
    json_set(out, "layout", json_text(from->layout));
    json_set(out, "state", json_text(whatif_state_name(from->state)));
    json_set(out, "why", json_text(from->why));
    if (from->state != WHATIF_COUNTS) {
        json_decref(levels);
        return out;
    }
    for (unsigned i = 0; i < from->level_count; i++)
        json_array_append_new(levels, level(&from->level[i], i + 1));
    json_set(out, "settled", json_boolean(from->settled));
    json_set(out, "accesses", json_count(from->accesses));
    json_set(out, "object_accesses", json_count(from->object_accesses));
    json_set(out, "object_accesses_cut", json_count(from->cut));
    json_set(out, "blocks", json_count(from->blocks));
    json_set(out, "blocks_left_out", json_count(from->blocks_left_out));
    json_set(out, "blocks_small", json_count(from->blocks_small));
    json_set(out, "levels", levels);
    json_set(out, "stall_cycles", json_count(from->stall_before));
    json_set(out, "stall_cycles_then", json_count(from->stall_after));
    json_set(out, "stall_change", json_share(whatif_change(from->stall_before, from->stall_after)));
    return out;
}

void json_set_whatif(json_t *out, const struct snapshot_whatifs *asked)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < asked->count; i++)
        json_array_append_new(list, answer_of(&asked->list[i]));
    if (!asked->count) {
        json_decref(list);
        return;
    }
    json_t *best = answer_of(&asked->list[0]);
    json_set(best, "before", past_of(asked));
    json_set(out, "what_if", best);
    json_set(out, "what_ifs", list);
}

/* Results of watchpoints. */

static const struct column watch_code_members_list[] = {
    COLUMN(.key = "function", .from = FIELD(struct snapshot_watch_code, function)),
    COLUMN(.key = "module", .from = KNOWN(struct snapshot_watch_code, module)),
    COLUMN(.key = "file", .from = FIELD(struct snapshot_watch_code, file)),
    COLUMN(.key = "line", .from = KNOWN(struct snapshot_watch_code, line)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_watch_code, share)),
};

const struct columns watch_code_members = {
    TABLE(struct snapshot_watch_code, watch_code_members_list)};

json_t *json_watchpoints(const struct snapshot *snapshot)
{
    const struct snapshot_watch *watch = &snapshot->watch;
    json_t *out = json_object();
    json_set(out, "registers", json_whole(watch->registers));
    json_set(out, "threads", json_whole(watch->threads));
    json_set(out, "threads_left_out", json_whole(watch->threads_left_out));
    json_set(out, "offered", json_whole(watch->offered));
    json_set(out, "armed", json_whole(watch->armed));
    json_set(out, "unpaid", json_whole(watch->unpaid));
    json_set(out, "touches", json_whole(watch->touches));
    json_set(out, "trap_ns", json_share(watch->trap_ns));
    json_set(out, "arm_ns", json_share(watch->arm_ns));
    json_set(out, "budget", json_share(watch->budget));
    json_set(out, "overhead", json_share(watch->overhead));
    json_set(out, "budget_limits", json_boolean(watch->budget_limits));
    json_set(out, "verdicts", json_whole(watch->verdicts));
    json_set(out, "next_seconds", json_share(watch->next_s));
    json_set(out, "trouble", json_text(watch->trouble));
    json_set(out, "objects", json_rows(&watch_columns, snapshot, watch->objects, watch->count));
    return out;
}
