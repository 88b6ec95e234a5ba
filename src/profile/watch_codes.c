/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code touched watched lines next; declared in watch_part.h. */
#include "profile/watch_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_touch(const struct reuse_leg *leg)
{
    return leg->kind != WATCH_VISIT && leg->happened;
}

/* Touches first, by instruction. */
static int by_code(const void *left, const void *right)
{
    const struct reuse_leg *a = *(const struct reuse_leg *const *)left;
    const struct reuse_leg *b = *(const struct reuse_leg *const *)right;
    if (is_touch(a) != is_touch(b))
        return is_touch(a) ? -1 : 1;
    return (a->ip > b->ip) - (a->ip < b->ip);
}

static void describe(struct build *build, const struct reuse_leg *leg,
                     struct snapshot_watch_code *code)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc function = {0};
    struct instruction_desc place = {0};
    code->id = leg->function;
    if (names->function && names->function(names->context, leg->function, &function)) {
        code->function = arena_string(build->arena, function.name);
        code->module = arena_string(build->arena, function.module);
    }
    if (!code->function || !*code->function)
        code->function = arena_printf(build->arena, "0x%" PRIx64, leg->ip);
    if (names->instruction && names->instruction(names->context, leg->ip, &place) && place.file) {
        code->file = arena_string(build->arena, place.file);
        code->line = place.line;
    }
    const char *slash = code->file ? strrchr(code->file, '/') : NULL;
    code->text = code->file ? arena_printf(build->arena, "%s (%s:%" PRIu32 ")", code->function,
                                           slash ? slash + 1 : code->file, code->line)
                            : code->function;
    build->failed |= !code->function || !code->text;
}

/* Keeps the most frequent ones, most first; `share` holds the count until all are in. */
static void insert(struct snapshot_watch_object *object, struct snapshot_watch_code code)
{
    size_t at = object->code_count;
    while (at > 0 && object->codes[at - 1].share < code.share)
        at--;
    if (at == SNAPSHOT_WATCH_CODES)
        return;
    if (object->code_count < SNAPSHOT_WATCH_CODES)
        object->code_count++;
    memmove(&object->codes[at + 1], &object->codes[at],
            (object->code_count - 1 - at) * sizeof code);
    object->codes[at] = code;
}

void watch_fill_codes(struct build *build, const struct reuse_leg **legs, size_t count,
                      struct snapshot_watch_object *object)
{
    const struct reuse_leg *leading[SNAPSHOT_WATCH_CODES] = {NULL};
    size_t touches = 0;
    qsort(legs, count, sizeof *legs, by_code);
    while (touches < count && is_touch(legs[touches]))
        touches++;
    for (size_t first = 0; first < touches;) {
        size_t end = first;
        while (end < touches && legs[end]->ip == legs[first]->ip)
            end++;
        /* The leg that stands for it is found again by its index. */
        insert(object, (struct snapshot_watch_code){.line = (uint32_t)first,
                                                    .share = (double)(end - first)});
        first = end;
    }
    for (size_t i = 0; i < object->code_count; i++)
        leading[i] = legs[object->codes[i].line];
    for (size_t i = 0; i < object->code_count && !build->failed; i++) {
        object->codes[i].line = 0;
        object->codes[i].share /= (double)touches;
        describe(build, leading[i], &object->codes[i]);
    }
}
