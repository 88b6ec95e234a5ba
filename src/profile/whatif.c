/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/whatif.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The members of an element as units that can be moved, and which of them are hot. */
enum { WHATIF_UNITS_MAX = 256 };

/* Bytes of an element that stay together: a member of the type, or several overlapping members. */
struct whatif_unit {
    uint32_t from;
    uint32_t end;
    uint32_t natural; /* natural alignment */
    double samples;
    const char *name; /* name of its first member */
    bool hot;
};

struct whatif_planner {
    const struct whatif_request *request;
    const struct snapshot_layout *layout; /* NULL: not known */
    struct whatif_plan *plan;
    struct error *error;
    uint32_t element; /* bytes */
    uint32_t line;
    struct whatif_unit units[WHATIF_UNITS_MAX];
    unsigned count;
};

static inline uint32_t whatif_round_up(uint32_t bytes, uint32_t to)
{
    return to ? (bytes + to - 1) / to * to : bytes;
}

enum question_argument { ARGUMENT_NONE, ARGUMENT_FIELD, ARGUMENT_FIELDS, ARGUMENT_BYTES };

static const struct {
    const char *name;
    enum question_argument takes;
} kinds[WHATIF_KINDS] = {
    [WHATIF_NEVER] = {"never", ARGUMENT_NONE},
    [WHATIF_SPLIT] = {"split", ARGUMENT_FIELD},
    [WHATIF_HOT] = {"hot", ARGUMENT_FIELDS},
    [WHATIF_ORDER] = {"order", ARGUMENT_NONE},
    [WHATIF_PAD] = {"pad", ARGUMENT_BYTES},
    [WHATIF_ALIGN] = {"align", ARGUMENT_BYTES},
    [WHATIF_ALIGN_OBJECT] = {"align-object", ARGUMENT_BYTES},
    [WHATIF_ARRAYS] = {"arrays", ARGUMENT_NONE},
    [WHATIF_POOL] = {"pool", ARGUMENT_NONE},
};

static const char forms[] =
    "never, split=FIELD, hot, hot=FIELD,FIELD, order, pad, pad=BYTES, align, "
    "align=BYTES, align-object, arrays, pool";

static int parse_value(struct whatif_request *request, const char *value)
{
    enum question_argument takes = kinds[request->kind].takes;
    char *end;
    if (!value)
        return takes == ARGUMENT_FIELD ? -EINVAL : 0;
    if (!*value || takes == ARGUMENT_NONE || strlen(value) >= sizeof request->fields)
        return -EINVAL;
    if (takes != ARGUMENT_BYTES) {
        strcpy(request->fields, value);
        return takes == ARGUMENT_FIELD && strchr(value, ',') ? -EINVAL : 0;
    }
    unsigned long bytes = strtoul(value, &end, 10);
    request->bytes = bytes <= RELAYOUT_STRIDE_MAX ? (uint32_t)bytes : 0;
    return *end || !request->bytes ? -EINVAL : 0;
}

int whatif_parse(const char *text, struct whatif_request *request, char *object, size_t object_size,
                 struct error *error)
{
    const char *colon = strrchr(text, ':');
    const char *words = colon ? colon + 1 : text;
    size_t length = strcspn(words, "=");
    *request = (struct whatif_request){.kind = WHATIF_KINDS};
    for (int i = 0; i < WHATIF_KINDS; i++)
        if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, words, length))
            request->kind = (enum whatif_kind)i;
    if (!colon || colon == text || (size_t)(colon - text) >= object_size ||
        request->kind == WHATIF_KINDS ||
        parse_value(request, words[length] ? words + length + 1 : NULL))
        return error_set(error, -EINVAL, "--what-if %.60s: OBJECT:QUESTION, with one of %s", text,
                         forms);
    snprintf(object, object_size, "%.*s", (int)(colon - text), text);
    return 0;
}

void whatif_words(const struct whatif_request *request, char *out, size_t size)
{
    const char *name = kinds[request->kind].name;
    if (*request->fields)
        snprintf(out, size, "%s=%s", name, request->fields);
    else if (request->bytes)
        snprintf(out, size, "%s=%u", name, request->bytes);
    else
        snprintf(out, size, "%s", name);
}

double whatif_miss_cycles(uint32_t level, uint32_t level_count)
{
    static const double latency[] = {4, 14, 44};
    const double memory = 200;
    const uint32_t known = sizeof latency / sizeof *latency;
    double here = latency[level < known ? level : known - 1];
    return (level + 1 < level_count && level + 1 < known ? latency[level + 1] : memory) - here;
}

static double level_misses_at(const struct snapshot_simulation *simulation, uint32_t level)
{
    if (level >= simulation->level_count)
        return 0;
    return (double)simulation->level[level].load_misses +
           (double)simulation->level[level].store_misses;
}

uint32_t whatif_costliest_level(const struct snapshot_simulation *simulation, uint32_t now)
{
    const double clearly = 1.5;
    double cycles = 0;
    double most = 0;
    double of_now = 0;
    uint32_t costliest = now;
    for (uint32_t i = 0; i < simulation->level_count && i < SIMULATION_LEVELS_MAX; i++) {
        cycles += whatif_miss_cycles(i, simulation->level_count);
        /* The levels are counted while the program runs, so the difference can be negative. */
        double served =
            fmax(0, level_misses_at(simulation, i) - level_misses_at(simulation, i + 1));
        if (i == now)
            of_now = served * cycles;
        if (served * cycles > most) {
            most = served * cycles;
            costliest = i;
        }
    }
    return most > of_now * clearly ? costliest : now;
}

void whatif_weigh(struct snapshot_whatif *answer, bool never)
{
    answer->stall_before = answer->stall_after = 0;
    for (uint32_t i = 0; i < answer->level_count; i++) {
        struct snapshot_whatif_level *level = &answer->level[i];
        double cycles = whatif_miss_cycles(i, answer->level_count);
        if (never) {
            level->after = level->before - level->object_before;
            level->object_after = 0;
            level->cold_share = NAN;
        }
        answer->stall_before += level->before * cycles;
        answer->stall_after += level->after * cycles;
    }
}

enum { NATURAL_MAX_BYTES = 8 };

/* Hot members together have at least this share of the samples. */
static const double hot_part = 0.9;

/* Returns the largest power of two that divides a number, at most a member's alignment. */
static uint32_t whatif_low_bit(uint64_t value)
{
    uint64_t bit = value & -value;
    return !bit || bit > NATURAL_MAX_BYTES ? NATURAL_MAX_BYTES : (uint32_t)bit;
}

static uint32_t natural_alignment(const struct type_member *member)
{
    uint32_t by_size = whatif_low_bit(member->stride ? member->stride : member->size);
    uint32_t by_place = whatif_low_bit(member->offset);
    return by_size < by_place ? by_size : by_place;
}

/* ---- units ---- */

static void add_unit(struct whatif_planner *planner, const struct snapshot_layout_row *row)
{
    struct whatif_unit *last = planner->count ? &planner->units[planner->count - 1] : NULL;
    uint32_t from = (uint32_t)row->member.offset;
    uint32_t end = from + (uint32_t)row->member.size;
    uint32_t natural = natural_alignment(&row->member);
    if (last && from < last->end) {
        last->end = end > last->end ? end : last->end;
        last->natural = natural > last->natural ? natural : last->natural;
        last->samples += row->samples;
        return;
    }
    if (planner->count == WHATIF_UNITS_MAX)
        return;
    planner->units[planner->count++] = (struct whatif_unit){.from = from,
                                                            .end = end,
                                                            .natural = natural,
                                                            .samples = row->samples,
                                                            .name = row->member.name};
}

/* Finds the units. Without a type, the sampled offsets are the members, each up to the next. */
static void whatif_find_units(struct whatif_planner *planner)
{
    const struct snapshot_layout *layout = planner->layout;
    for (size_t i = 0; layout && i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        bool member = row->kind == LAYOUT_MEMBER || row->kind == LAYOUT_UNKNOWN;
        if (member && !row->member.depth && row->member.size &&
            row->member.offset < planner->element &&
            row->member.size <= planner->element - row->member.offset)
            add_unit(planner, row);
    }
}

static uint32_t whatif_natural(const struct whatif_planner *planner)
{
    uint32_t natural = planner->count ? 1 : NATURAL_MAX_BYTES;
    for (unsigned i = 0; i < planner->count; i++)
        natural = planner->units[i].natural > natural ? planner->units[i].natural : natural;
    return natural;
}

/* ---- hot units ---- */

static bool whatif_unit_is_named(const struct whatif_unit *unit, const char *name, size_t length)
{
    char offset[24];
    snprintf(offset, sizeof offset, "+%u", unit->from);
    return (unit->name && strlen(unit->name) == length && !memcmp(unit->name, name, length)) ||
           (strlen(offset) == length && !memcmp(offset, name, length));
}

/* Marks the named units as hot. Returns -EINVAL if a name is unknown. */
static int whatif_mark_named_hot(struct whatif_planner *planner)
{
    for (const char *at = planner->request->fields; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        bool found = false;
        for (unsigned i = 0; i < planner->count; i++) {
            bool its = whatif_unit_is_named(&planner->units[i], at, length);
            planner->units[i].hot |= its;
            found |= its;
        }
        if (!found)
            return error_set(planner->error, -EINVAL, "%.40s has no direct member %.*s",
                             planner->layout ? planner->layout->name : "it", (int)length, at);
    }
    return 0;
}

static struct whatif_unit *hottest_unmarked_unit(struct whatif_planner *planner)
{
    struct whatif_unit *found = NULL;
    for (unsigned i = 0; i < planner->count; i++)
        if (!planner->units[i].hot && (!found || planner->units[i].samples > found->samples))
            found = &planner->units[i];
    return found;
}

static int whatif_mark_measured_hot(struct whatif_planner *planner)
{
    double all = 0, hot = 0;
    for (unsigned i = 0; i < planner->count; i++)
        all += planner->units[i].samples;
    if (!(all > 0))
        return error_set(planner->error, -EINVAL, "none of its members has been sampled yet");
    for (struct whatif_unit *next;
         hot < hot_part * all && (next = hottest_unmarked_unit(planner));) {
        next->hot = true;
        hot += next->samples;
    }
    return 0;
}

/* ---- layouts of an object's elements ---- */

/* Element size if it is not known: one line. */
enum { UNTYPED_BYTES = 64 };

/* ---- parts ---- */

static void add_relayout_part(struct whatif_planner *planner, uint32_t from, uint32_t end,
                              uint32_t array, uint32_t at)
{
    struct relayout *layout = &planner->plan->layout;
    struct relayout_part *last = layout->part_count && layout->part_count <= RELAYOUT_PARTS_MAX
                                     ? &layout->part[layout->part_count - 1]
                                     : NULL;
    bool goes_on = last && last->array == array && last->end_bytes == from &&
                   last->at_bytes + (from - last->from_bytes) == at;
    if (goes_on)
        last->end_bytes = end;
    else if (layout->part_count < RELAYOUT_PARTS_MAX)
        layout->part[layout->part_count++] = (struct relayout_part){from, end, array, at};
    else
        layout->part_count = RELAYOUT_PARTS_MAX + 1;
}

static void set_relayout_array(struct whatif_planner *planner, uint32_t array, uint32_t stride,
                               uint32_t align)
{
    struct relayout *layout = &planner->plan->layout;
    if (array < RELAYOUT_PARTS_MAX)
        layout->array[array] = (struct relayout_array){stride, align ? align : 1};
    layout->array_count = array + 1 > layout->array_count ? array + 1 : layout->array_count;
}

/* Keeps the element as it is, with `stride` bytes from one to the next. */
static int plan_whole(struct whatif_planner *planner, uint32_t stride, uint32_t align)
{
    if (stride < planner->element)
        return error_set(planner->error, -EINVAL, "an element has %u bytes, more than %u",
                         planner->element, stride);
    add_relayout_part(planner, 0, planner->element, 0, 0);
    set_relayout_array(planner, 0, stride, align);
    return 0;
}

/* Puts hot units into array 0 and the others into array 1, each laid out as by a compiler. */
static void put_groups(struct whatif_planner *planner, uint32_t sizes[2])
{
    uint32_t natural[2] = {1, 1};
    sizes[0] = sizes[1] = 0;
    for (unsigned i = 0; i < planner->count; i++) {
        const struct whatif_unit *unit = &planner->units[i];
        uint32_t array = !unit->hot;
        uint32_t at = whatif_round_up(sizes[array], unit->natural);
        add_relayout_part(planner, unit->from, unit->end, array, at);
        sizes[array] = at + unit->end - unit->from;
        natural[array] = unit->natural > natural[array] ? unit->natural : natural[array];
    }
    for (uint32_t array = 0; array < 2; array++) {
        sizes[array] = whatif_round_up(sizes[array], natural[array]);
        set_relayout_array(planner, array, sizes[array], 1);
    }
}

/* ---- plans by kind ---- */

static int check_members(struct whatif_planner *planner)
{
    if (planner->count > 1)
        return 0;
    return error_set(planner->error, -EINVAL,
                     planner->layout ? "its members cannot be distinguished"
                                     : "its type and element size are not known");
}

static void list_hot_names(const struct whatif_planner *planner)
{
    struct whatif_plan *plan = planner->plan;
    for (unsigned i = 0; i < planner->count; i++)
        if (planner->units[i].hot && plan->count < WHATIF_MEMBERS_NAMED)
            plan->members[plan->count++] = planner->units[i].name;
}

static int plan_hot_first(struct whatif_planner *planner)
{
    unsigned cold = 0;
    int code = *planner->request->fields ? whatif_mark_named_hot(planner)
                                         : whatif_mark_measured_hot(planner);
    if (code)
        return code;
    for (unsigned i = 0; i < planner->count; i++)
        cold += !planner->units[i].hot;
    if (!cold)
        return error_set(planner->error, -EINVAL, "all its members are hot: nothing to separate");
    put_groups(planner, planner->plan->sizes);
    list_hot_names(planner);
    return 0;
}

/* Finds the offset of the cut: any member, including those of nested structs. */
static int find_cut_offset(struct whatif_planner *planner, uint32_t *cut)
{
    const char *name = planner->request->fields;
    char *end;
    unsigned long offset = strtoul(name + (*name == '+'), &end, 10);
    const struct snapshot_layout *layout = planner->layout;
    *cut = *name == '+' && !*end && offset < planner->element ? (uint32_t)offset : 0;
    for (size_t i = 0; layout && !*cut && i < layout->row_count; i++)
        if (layout->rows[i].member.name && !strcmp(layout->rows[i].member.name, name) &&
            layout->rows[i].member.offset < planner->element)
            *cut = (uint32_t)layout->rows[i].member.offset;
    return *cut ? 0
                : error_set(planner->error, -EINVAL,
                            "it has no member %.40s, or it is the first member", name);
}

static int plan_split(struct whatif_planner *planner)
{
    uint32_t cut;
    uint32_t natural = whatif_natural(planner);
    int code = find_cut_offset(planner, &cut);
    if (code)
        return code;
    add_relayout_part(planner, 0, cut, 0, 0);
    add_relayout_part(planner, cut, planner->element, 1, 0);
    set_relayout_array(
        planner, 0,
        whatif_round_up(cut, whatif_low_bit(cut) < natural ? whatif_low_bit(cut) : natural), 1);
    uint32_t rest = planner->element - cut;
    set_relayout_array(
        planner, 1,
        whatif_round_up(rest, whatif_low_bit(rest) < natural ? whatif_low_bit(rest) : natural), 1);
    planner->plan->members[0] = planner->request->fields;
    planner->plan->sizes[0] = cut;
    planner->plan->sizes[1] = rest;
    return 0;
}

/* Places a unit into the hole left by alignment if it fits, otherwise at the end. */
static uint32_t place_unit(const struct whatif_unit *unit, uint32_t *used, uint32_t hole[2])
{
    uint32_t bytes = unit->end - unit->from;
    uint32_t inside = whatif_round_up(hole[0], unit->natural);
    if (inside + bytes <= hole[1]) {
        hole[0] = inside + bytes;
        return inside;
    }
    uint32_t place = whatif_round_up(*used, unit->natural);
    if (place - *used > hole[1] - hole[0]) {
        hole[0] = *used;
        hole[1] = place;
    }
    *used = place + bytes;
    return place;
}

/* Parts are in byte order, so the places are found first. */
static int plan_order(struct whatif_planner *planner)
{
    struct whatif_unit *order[WHATIF_UNITS_MAX];
    uint32_t at[WHATIF_UNITS_MAX];
    uint32_t used = 0;
    uint32_t hole[2] = {0, 0}; /* from, end */
    for (unsigned i = 0; i < planner->count; i++)
        order[i] = &planner->units[i];
    SORT_POINTERS(order, planner->count, LARGEST(struct whatif_unit, samples),
                  SMALLEST(struct whatif_unit, from));
    for (unsigned i = 0; i < planner->count; i++)
        at[order[i] - planner->units] = place_unit(order[i], &used, hole);
    for (unsigned i = 0; i < planner->count; i++)
        add_relayout_part(planner, planner->units[i].from, planner->units[i].end, 0, at[i]);
    uint32_t stride = whatif_round_up(used, whatif_natural(planner));
    set_relayout_array(planner, 0, stride, 1);
    planner->plan->members[0] = order[0]->name;
    planner->plan->sizes[0] = stride;
    return 0;
}

static int plan_arrays(struct whatif_planner *planner)
{
    for (unsigned i = 0; i < planner->count; i++) {
        uint32_t bytes = planner->units[i].end - planner->units[i].from;
        add_relayout_part(planner, planner->units[i].from, planner->units[i].end, i, 0);
        set_relayout_array(planner, i, whatif_round_up(bytes, planner->units[i].natural), 1);
    }
    planner->plan->count = planner->count;
    return 0;
}

static int plan_padded(struct whatif_planner *planner)
{
    uint32_t bytes = planner->request->bytes;
    while (!bytes || (!planner->request->bytes && bytes < planner->element))
        bytes = bytes ? bytes * 2 : 1;
    planner->plan->sizes[0] = bytes;
    return plan_whole(planner, bytes, 1);
}

static int plan_aligned(struct whatif_planner *planner)
{
    uint32_t to = planner->request->bytes ? planner->request->bytes : planner->line;
    bool elements = planner->request->kind == WHATIF_ALIGN;
    if (to & (to - 1))
        return error_set(planner->error, -EINVAL, "%u is not a power of two", to);
    uint32_t stride = elements ? whatif_round_up(planner->element, to) : planner->element;
    planner->plan->to = to;
    planner->plan->sizes[0] = stride;
    return plan_whole(planner, stride, to);
}

static int plan_pool(struct whatif_planner *planner)
{
    uint32_t stride = whatif_round_up(planner->element, whatif_natural(planner));
    planner->plan->sizes[0] = stride;
    return plan_whole(planner, stride, 1);
}

static int plan_never(struct whatif_planner *planner)
{
    (void)planner;
    return 0;
}

static int (*const plans[WHATIF_KINDS])(struct whatif_planner *planner) = {
    [WHATIF_NEVER] = plan_never,
    [WHATIF_SPLIT] = plan_split,
    [WHATIF_HOT] = plan_hot_first,
    [WHATIF_ORDER] = plan_order,
    [WHATIF_PAD] = plan_padded,
    [WHATIF_ALIGN] = plan_aligned,
    [WHATIF_ALIGN_OBJECT] = plan_aligned,
    [WHATIF_ARRAYS] = plan_arrays,
    [WHATIF_POOL] = plan_pool,
};

/* Returns true if no element and no block would move. */
static bool layout_is_unchanged(const struct whatif_planner *planner,
                                const struct snapshot_object *object)
{
    const struct relayout *layout = &planner->plan->layout;
    const struct relayout_part *part = &layout->part[0];
    const struct relayout_array *array = &layout->array[0];
    return planner->request->kind != WHATIF_POOL && layout->part_count == 1 &&
           layout->array_count == 1 && !part->from_bytes && !part->at_bytes &&
           part->end_bytes == planner->element && array->stride_bytes == planner->element &&
           (array->align_bytes == 1 ||
            (object->blocks <= 1 && object->address % array->align_bytes == 0));
}

int whatif_plan(const struct whatif_request *request, const struct snapshot_object *object,
                const struct snapshot_layout *layout, uint32_t line_bytes, struct whatif_plan *plan,
                struct error *error)
{
    struct whatif_planner planner = {
        .request = request, .layout = layout, .plan = plan, .error = error, .line = line_bytes};
    uint64_t element = layout ? layout->size : object->element_size;
    bool elements = request->kind == WHATIF_PAD || request->kind == WHATIF_ALIGN;
    planner.element =
        element && element <= RELAYOUT_ELEMENT_MAX ? (uint32_t)element : UNTYPED_BYTES;
    *plan = (struct whatif_plan){.kind = request->kind, .element = planner.element};
    bool members = request->kind == WHATIF_HOT || request->kind == WHATIF_ORDER ||
                   request->kind == WHATIF_ARRAYS;
    whatif_find_units(&planner);
    int code = members ? check_members(&planner) : 0;
    if (elements && !element)
        return error_set(error, -EINVAL, "its type and element size are not known");
    if (!code)
        code = plans[request->kind](&planner);
    if (code)
        return code;
    if (layout_is_unchanged(&planner, object))
        return error_set(error, -EINVAL, "its elements of %u bytes already have this layout",
                         planner.element);
    plan->layout.element_bytes = planner.element;
    plan->layout.phase_bytes = (uint32_t)(object->address % 4096);
    if (plan->layout.part_count > RELAYOUT_PARTS_MAX ||
        plan->layout.array_count > RELAYOUT_PARTS_MAX)
        return error_set(error, -EINVAL, "it has more than %d separate members",
                         RELAYOUT_PARTS_MAX);
    return 0;
}
