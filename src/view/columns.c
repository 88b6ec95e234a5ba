/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/columns.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL(name) \
    static void name(const struct snapshot *snapshot, const void *data, char *out, size_t size)
#define VALUE(name) static double name(const struct snapshot *snapshot, const void *data)
#define UNUSED_SNAPSHOT ((void)snapshot)

const char *columns_object_name(const struct snapshot *snapshot, uint32_t index)
{
    return index < snapshot->object_count ? snapshot->objects[index].name : "";
}

static void percent(double share, char *out, size_t size)
{
    if (isnan(share))
        *out = '\0';
    else
        snprintf(out, size, "%.1f%%", share * 100);
}

static void count_text(double count, char *out, size_t size)
{
    char text[16];
    snprintf(out, size, "%s", isnan(count) ? "" : text_count(text, count));
}

static void bytes_text(uint64_t bytes, char *out, size_t size)
{
    char text[16];
    snprintf(out, size, "%s", bytes ? text_bytes(text, bytes) : "");
}

/* Half the interval, in points. */
static void margin(const struct snapshot_share *share, char *out, size_t size)
{
    if (isnan(share->low) || isnan(share->high))
        *out = '\0';
    else
        snprintf(out, size, "%.1f", (share->high - share->low) * 50);
}

/* ---- objects ---- */

VALUE(object_share) { UNUSED_SNAPSHOT; return ((const struct snapshot_object *)data)->share.value; }
VALUE(object_samples) { UNUSED_SNAPSHOT; return ((const struct snapshot_object *)data)->samples; }
VALUE(object_size) { UNUSED_SNAPSHOT; return (double)((const struct snapshot_object *)data)->size; }
VALUE(object_blocks) { UNUSED_SNAPSHOT; return ((const struct snapshot_object *)data)->blocks; }
VALUE(object_threads) { UNUSED_SNAPSHOT; return ((const struct snapshot_object *)data)->threads; }

VALUE(object_load_share)
{
    const struct snapshot_object *object = data;
    UNUSED_SNAPSHOT;
    return object->samples > 0 ? object->loads / object->samples : NAN;
}

VALUE(object_store_share)
{
    const struct snapshot_object *object = data;
    UNUSED_SNAPSHOT;
    return object->samples > 0 ? object->stores / object->samples : NAN;
}

static double role_share(const struct snapshot *snapshot, const void *data, enum event_role role)
{
    const struct snapshot_object *object = data;
    for (size_t i = 0; i < snapshot->source.event_count; i++)
        if (snapshot->source.events[i].role == role)
            return object->event_share[i];
    return NAN;
}

static bool has_role(const struct snapshot *snapshot, enum event_role role)
{
    if (snapshot->source.event_count < 2)
        return false;
    for (size_t i = 0; i < snapshot->source.event_count; i++)
        if (snapshot->source.events[i].role == role)
            return true;
    return false;
}

static bool has_stall(const struct snapshot *s) { return has_role(s, EVENT_STALL); }
static bool has_l1(const struct snapshot *s) { return has_role(s, EVENT_MISS_L1); }
static bool has_l2(const struct snapshot *s) { return has_role(s, EVENT_MISS_L2); }
static bool has_fill(const struct snapshot *s) { return has_role(s, EVENT_MEM_FILL); }
static bool has_access(const struct snapshot *s) { return has_role(s, EVENT_ACCESS); }
VALUE(stall_share) { return role_share(snapshot, data, EVENT_STALL); }
VALUE(l1_share) { return role_share(snapshot, data, EVENT_MISS_L1); }
VALUE(l2_share) { return role_share(snapshot, data, EVENT_MISS_L2); }
VALUE(fill_share) { return role_share(snapshot, data, EVENT_MEM_FILL); }
VALUE(access_share) { return role_share(snapshot, data, EVENT_ACCESS); }
CELL(cell_stall) { percent(stall_share(snapshot, data), out, size); }
CELL(cell_l1) { percent(l1_share(snapshot, data), out, size); }
CELL(cell_l2) { percent(l2_share(snapshot, data), out, size); }
CELL(cell_fill) { percent(fill_share(snapshot, data), out, size); }
CELL(cell_access) { percent(access_share(snapshot, data), out, size); }

VALUE(object_latency) { UNUSED_SNAPSHOT; return ((const struct snapshot_object *)data)->latency; }

static bool has_latency(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (!isnan(snapshot->objects[i].latency))
            return true;
    return false;
}

CELL(cell_latency) { count_text(object_latency(snapshot, data), out, size); }
CELL(cell_share) { percent(object_share(snapshot, data), out, size); }
CELL(cell_samples) { count_text(object_samples(snapshot, data), out, size); }
CELL(cell_loads) { percent(object_load_share(snapshot, data), out, size); }
CELL(cell_stores) { percent(object_store_share(snapshot, data), out, size); }
CELL(cell_size) { UNUSED_SNAPSHOT; bytes_text(((const struct snapshot_object *)data)->size, out, size); }

CELL(cell_margin)
{
    UNUSED_SNAPSHOT;
    margin(&((const struct snapshot_object *)data)->share, out, size);
}

CELL(cell_name)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", ((const struct snapshot_object *)data)->name);
}

CELL(cell_kind)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", object_kind_name(((const struct snapshot_object *)data)->kind));
}

CELL(cell_module)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", ((const struct snapshot_object *)data)->module);
}

CELL(cell_blocks)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_object *)data)->blocks);
}

CELL(cell_threads)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_object *)data)->threads);
}

CELL(cell_hot_field)
{
    const struct snapshot_object *object = data;
    UNUSED_SNAPSHOT;
    *out = '\0';
    /* An offset that has hardly more than the others says nothing. */
    if (object->field_count && object->fields[0].share >= 0.05)
        snprintf(out, size, "%s %.0f%%", object->fields[0].name, object->fields[0].share * 100);
}

/* Each refresh as a digit 0..8, '.' before the start: painted as a bar by the screen. */
CELL(cell_trend)
{
    const struct snapshot_object *object = data;
    UNUSED_SNAPSHOT;
    enum { SHOWN = 12 };
    size_t used = 0;
    for (size_t i = SNAPSHOT_HISTORY - SHOWN; i < SNAPSHOT_HISTORY && used + 1 < size; i++) {
        float share = object->history[i];
        out[used++] = isnan(share) ? '.' : (char)('0' + (int)ceilf(fminf(share, 1) * 8));
    }
    out[used] = '\0';
}

const struct column columns_object[] = {
    {"SHARE", "part of the attributed samples that fell on it", 6, 0, true, COLUMN_HEAT, cell_share,
     object_share, NULL},
    {"±", "half of the 95 % interval of the share, points", 4, 0, true, COLUMN_DIM, cell_margin,
     NULL, NULL},
    {"SAMPLES", "how many that are (decayed like the share)", 7, 56, true, COLUMN_PLAIN,
     cell_samples, object_samples, NULL},
    {"OBJECT", "variable, mapping, stack or heap region", 0, 0, false, COLUMN_NAME, cell_name, NULL,
     NULL},
    {"KIND", "global, heap, stack, tls, map, anon, code, jit", 6, 60, false, COLUMN_DIM, cell_kind,
     NULL, NULL},
    {"SIZE", "bytes", 6, 66, true, COLUMN_PLAIN, cell_size, object_size, NULL},
    {"HOT FIELD", "offset with most samples; [*]+40 is offset 40 of each array element", 15, 76,
     false, COLUMN_PLAIN, cell_hot_field, NULL, NULL},
    {"LOADS", "part of its samples that were loads", 6, 96, true, COLUMN_PLAIN, cell_loads,
     object_load_share, NULL},
    {"STORES", "part that were stores", 6, 104, true, COLUMN_PLAIN, cell_stores, object_store_share,
     NULL},
    {"STALL", "its share of stall time", 6, 90, true, COLUMN_HEAT, cell_stall, stall_share,
     has_stall},
    {"L1", "its share of L1 misses", 6, 100, true, COLUMN_HEAT, cell_l1, l1_share, has_l1},
    {"L2", "its share of L2 misses", 6, 110, true, COLUMN_HEAT, cell_l2, l2_share, has_l2},
    {"MEM", "its share of fills from memory", 6, 116, true, COLUMN_HEAT, cell_fill, fill_share,
     has_fill},
    {"ACCESS", "its share of accesses", 6, 122, true, COLUMN_HEAT, cell_access, access_share,
     has_access},
    {"CYCLES", "mean latency of its samples", 6, 100, true, COLUMN_PLAIN, cell_latency,
     object_latency, has_latency},
    {"TREND", "its share in each of the last refreshes", 12, 84, false, COLUMN_TREND, cell_trend,
     NULL, NULL},
    {"BLOCKS", "instances seen", 6, 128, true, COLUMN_PLAIN, cell_blocks, object_blocks, NULL},
    {"THR", "threads that touched it", 3, 134, true, COLUMN_PLAIN, cell_threads, object_threads,
     NULL},
    {"MODULE", "program or library it belongs to", 16, 112, false, COLUMN_DIM, cell_module, NULL,
     NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

/* ---- fields ---- */

VALUE(field_share) { UNUSED_SNAPSHOT; return ((const struct snapshot_field *)data)->share; }
VALUE(field_samples) { UNUSED_SNAPSHOT; return ((const struct snapshot_field *)data)->samples; }
VALUE(field_offset) { UNUSED_SNAPSHOT; return -(double)((const struct snapshot_field *)data)->offset; }
CELL(cell_field_share) { percent(field_share(snapshot, data), out, size); }
CELL(cell_field_samples) { count_text(field_samples(snapshot, data), out, size); }

CELL(cell_field_name)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", ((const struct snapshot_field *)data)->name);
}

CELL(cell_field_size)
{
    const struct snapshot_field *field = data;
    UNUSED_SNAPSHOT;
    *out = '\0';
    if (field->size)
        snprintf(out, size, "%u", field->size);
}

CELL(cell_field_kind)
{
    const struct snapshot_field *field = data;
    UNUSED_SNAPSHOT;
    double known = field->loads + field->stores;
    *out = '\0';
    if (known > 0)
        snprintf(out, size, "%.0f%% / %.0f%%", field->loads / field->samples * 100,
                 field->stores / field->samples * 100);
}

CELL(cell_field_line)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%llu", (unsigned long long)((const struct snapshot_field *)data)->offset / 64);
}

const struct column columns_field[] = {
    {"SHARE", "of the object's samples", 6, 0, true, COLUMN_HEAT, cell_field_share, field_share, NULL},
    {"SAMPLES", "how many that are", 7, 50, true, COLUMN_PLAIN, cell_field_samples, field_samples, NULL},
    {"OFFSET", "into the object, or [*]: into each element", 0, 0, false, COLUMN_NAME,
     cell_field_name, field_offset, NULL},
    {"BYTES", "widest access seen", 5, 40, true, COLUMN_PLAIN, cell_field_size, NULL, NULL},
    {"LD / ST", "loads and stores", 13, 56, true, COLUMN_PLAIN, cell_field_kind, NULL, NULL},
    {"LINE", "64-byte line of the object", 9, 70, true, COLUMN_DIM, cell_field_line, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

/* ---- code ---- */

VALUE(code_share) { UNUSED_SNAPSHOT; return ((const struct snapshot_code *)data)->share.value; }
VALUE(code_samples) { UNUSED_SNAPSHOT; return ((const struct snapshot_code *)data)->samples; }
CELL(cell_code_share) { percent(code_share(snapshot, data), out, size); }
CELL(cell_code_samples) { count_text(code_samples(snapshot, data), out, size); }

CELL(cell_code_margin)
{
    UNUSED_SNAPSHOT;
    margin(&((const struct snapshot_code *)data)->share, out, size);
}

CELL(cell_code_name)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", ((const struct snapshot_code *)data)->function);
}

CELL(cell_code_module)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", ((const struct snapshot_code *)data)->module);
}

CELL(cell_code_sites)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_code *)data)->sites);
}

CELL(cell_code_address)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "0x%llx", (unsigned long long)((const struct snapshot_code *)data)->address);
}

CELL(cell_code_source)
{
    const struct snapshot_code *code = data;
    UNUSED_SNAPSHOT;
    const char *base = code->file ? strrchr(code->file, '/') : NULL;
    *out = '\0';
    if (code->file && code->line)
        snprintf(out, size, "%s:%u", base ? base + 1 : code->file, code->line);
}

CELL(cell_code_object)
{
    const struct snapshot_code *code = data;
    *out = '\0';
    if (code->top_object < snapshot->object_count)
        snprintf(out, size, "%s %.0f%%", columns_object_name(snapshot, code->top_object),
                 code->top_object_share * 100);
}

const struct column columns_code[] = {
    {"SHARE", "of the samples", 6, 0, true, COLUMN_HEAT, cell_code_share, code_share, NULL},
    {"±", "half of the 95 % interval, points", 4, 44, true, COLUMN_DIM, cell_code_margin, NULL, NULL},
    {"SAMPLES", "how many that are", 7, 56, true, COLUMN_PLAIN, cell_code_samples, code_samples, NULL},
    {"FUNCTION", "that made the access", 0, 0, false, COLUMN_NAME, cell_code_name, NULL, NULL},
    {"SITES", "instructions in it that did", 5, 70, true, COLUMN_PLAIN, cell_code_sites, NULL, NULL},
    {"MISSES MOST ON", "object", 26, 90, false, COLUMN_PLAIN, cell_code_object, NULL, NULL},
    {"HOTTEST AT", "instruction", 14, 110, false, COLUMN_DIM, cell_code_address, NULL, NULL},
    {"SOURCE", "where the function starts", 20, 120, false, COLUMN_DIM, cell_code_source, NULL, NULL},
    {"MODULE", "program or library", 16, 76, false, COLUMN_DIM, cell_code_module, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

/* ---- instances ---- */

VALUE(instance_share) { UNUSED_SNAPSHOT; return ((const struct snapshot_instance *)data)->share; }
CELL(cell_instance_share) { percent(instance_share(snapshot, data), out, size); }

CELL(cell_instance_range)
{
    const struct snapshot_instance *instance = data;
    UNUSED_SNAPSHOT;
    snprintf(out, size, "0x%llx", (unsigned long long)instance->base);
}

CELL(cell_instance_size)
{
    UNUSED_SNAPSHOT;
    bytes_text(((const struct snapshot_instance *)data)->size, out, size);
}

CELL(cell_instance_thread)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_instance *)data)->tid);
}

const struct column columns_instance[] = {
    {"SHARE", "of the object's samples", 6, 0, true, COLUMN_HEAT, cell_instance_share, instance_share, NULL},
    {"ADDRESS", "where it starts", 0, 0, false, COLUMN_NAME, cell_instance_range, NULL, NULL},
    {"SIZE", "bytes", 6, 0, true, COLUMN_PLAIN, cell_instance_size, NULL, NULL},
    {"THREAD", "that missed most on it", 8, 0, true, COLUMN_PLAIN, cell_instance_thread, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

/* ---- search ---- */

VALUE(region_share) { UNUSED_SNAPSHOT; return ((const struct snapshot_region *)data)->share; }
VALUE(region_size)
{
    const struct snapshot_region *region = data;
    UNUSED_SNAPSHOT;
    return (double)(region->bound - region->base);
}
CELL(cell_region_share) { percent(region_share(snapshot, data), out, size); }

CELL(cell_region_margin)
{
    const struct snapshot_region *region = data;
    UNUSED_SNAPSHOT;
    struct snapshot_share share = {region->share, region->low, region->high};
    margin(&share, out, size);
}

CELL(cell_region_range)
{
    const struct snapshot_region *region = data;
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%llx-%llx", (unsigned long long)region->base,
             (unsigned long long)region->bound);
}

CELL(cell_region_size) { bytes_text((uint64_t)region_size(snapshot, data), out, size); }

CELL(cell_region_state)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%s", region_state_name(((const struct snapshot_region *)data)->state));
}

CELL(cell_region_times)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_region *)data)->iterations);
}

CELL(cell_region_object)
{
    const struct snapshot_region *region = data;
    UNUSED_SNAPSHOT;
    const char *object = region->object && *region->object ? region->object : "(several)";
    snprintf(out, size, "%s%s%s", object, region->reason ? ": " : "",
             region->reason ? region->reason : "");
}

const struct column columns_region[] = {
    {"SHARE", "of the misses in the range searched", 6, 0, true, COLUMN_HEAT, cell_region_share, region_share, NULL},
    {"±", "half of the 95 % interval, points", 4, 44, true, COLUMN_DIM, cell_region_margin, NULL, NULL},
    {"STATE", "split, kept, object, line, dropped, queued", 7, 0, false, COLUMN_PLAIN, cell_region_state, NULL, NULL},
    {"SIZE", "bytes", 6, 0, true, COLUMN_PLAIN, cell_region_size, region_size, NULL},
    {"TIMES", "measurements averaged", 5, 56, true, COLUMN_PLAIN, cell_region_times, NULL, NULL},
    {"HOLDS", "the object, if it is one", 0, 0, false, COLUMN_NAME, cell_region_object, NULL, NULL},
    {"REGION", "addresses", 27, 84, false, COLUMN_DIM, cell_region_range, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

/* ---- window ---- */

VALUE(recurrence_count) { UNUSED_SNAPSHOT; return ((const struct snapshot_recurrence *)data)->count; }

CELL(cell_recurrence_count)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_recurrence *)data)->count);
}

CELL(cell_recurrence_address)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "0x%llx", (unsigned long long)((const struct snapshot_recurrence *)data)->address);
}

CELL(cell_recurrence_object)
{
    const struct snapshot_recurrence *row = data;
    snprintf(out, size, "%s+%llu", columns_object_name(snapshot, row->object),
             (unsigned long long)row->offset);
}

CELL(cell_recurrence_set)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_recurrence *)data)->set);
}

CELL(cell_recurrence_functions)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_recurrence *)data)->functions);
}

const struct column columns_recurrence[] = {
    {"TIMES", "the line missed in the window", 6, 0, true, COLUMN_HEAT, cell_recurrence_count, recurrence_count, NULL},
    {"OBJECT", "and offset of the line", 0, 0, false, COLUMN_NAME, cell_recurrence_object, NULL, NULL},
    {"SET", "of the cache", 5, 0, true, COLUMN_PLAIN, cell_recurrence_set, NULL, NULL},
    {"FUNCS", "functions that missed on it", 5, 50, true, COLUMN_PLAIN, cell_recurrence_functions, NULL, NULL},
    {"LINE", "address", 16, 60, false, COLUMN_DIM, cell_recurrence_address, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

VALUE(pair_lift) { UNUSED_SNAPSHOT; return ((const struct snapshot_pair *)data)->lift; }

CELL(cell_pair_lift)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%.1fx", ((const struct snapshot_pair *)data)->lift);
}

CELL(cell_pair_together)
{
    UNUSED_SNAPSHOT;
    snprintf(out, size, "%u", ((const struct snapshot_pair *)data)->together);
}

CELL(cell_pair_names)
{
    const struct snapshot_pair *pair = data;
    const char *a = columns_object_name(snapshot, pair->object_a);
    const char *b = columns_object_name(snapshot, pair->object_b);
    if (pair->line_a)
        snprintf(out, size, "%s 0x%llx with %s 0x%llx", a, (unsigned long long)pair->line_a, b,
                 (unsigned long long)pair->line_b);
    else
        snprintf(out, size, "%s with %s", a, b);
}

const struct column columns_pair[] = {
    {"LIFT", "seen together against what chance would give", 7, 0, true, COLUMN_HEAT, cell_pair_lift, pair_lift, NULL},
    {"TIMES", "seen together", 6, 0, true, COLUMN_PLAIN, cell_pair_together, NULL, NULL},
    {"MISS TOGETHER", "candidates for being placed together", 0, 0, false, COLUMN_NAME, cell_pair_names, NULL, NULL},
    {NULL, NULL, 0, 0, false, COLUMN_PLAIN, NULL, NULL, NULL},
};

size_t columns_choose(const struct column *table, const struct snapshot *snapshot, int width,
                      const struct column **shown, size_t room)
{
    size_t count = 0;
    for (const struct column *column = table; column->title && count < room; column++)
        if (width >= column->min_screen && (!column->present || column->present(snapshot)))
            shown[count++] = column;
    return count;
}

int columns_flexible(const struct column *const *shown, size_t count, int width)
{
    int left = width;
    for (size_t i = 0; i < count; i++)
        left -= shown[i]->width + 1;
    return left + 1 > 4 ? left + 1 : 4;
}
