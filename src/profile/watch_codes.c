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
    if (leg->ip >> 63)
        code->function = arena_string(build->arena, "the kernel");
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

/* Instructions with the most touches, most first: more than are shown, for some are of one line. */
struct leading {
    struct {
        const struct reuse_leg *leg;
        size_t touches;
    } list[2 * SNAPSHOT_WATCH_CODES];
    size_t count;
};

static void lead(struct leading *leading, const struct reuse_leg *leg, size_t touches)
{
    enum { MOST = sizeof leading->list / sizeof *leading->list };
    size_t at = leading->count;
    while (at > 0 && leading->list[at - 1].touches < touches)
        at--;
    if (at == MOST)
        return;
    leading->count += leading->count < MOST;
    memmove(&leading->list[at + 1], &leading->list[at],
            (leading->count - 1 - at) * sizeof *leading->list);
    leading->list[at].leg = leg;
    leading->list[at].touches = touches;
}

/* The row of the same function and line, or where it would stand. */
static size_t find_code(const struct snapshot_watch_object *object,
                        const struct snapshot_watch_code *code)
{
    size_t at = 0;
    while (at < object->code_count &&
           (object->codes[at].id != code->id || strcmp(object->codes[at].text, code->text) != 0))
        at++;
    return at;
}

static void add_code(struct snapshot_watch_object *object, struct snapshot_watch_code code)
{
    size_t at = find_code(object, &code);
    if (at == SNAPSHOT_WATCH_CODES)
        return;
    if (at < object->code_count)
        code.share += object->codes[at].share;
    else
        object->code_count++;
    for (; at > 0 && object->codes[at - 1].share < code.share; at--)
        object->codes[at] = object->codes[at - 1];
    object->codes[at] = code;
}

void watch_fill_codes(struct build *build, const struct reuse_leg **legs, size_t count,
                      struct snapshot_watch_object *object)
{
    struct leading leading = {.count = 0};
    size_t touches = 0;
    qsort(legs, count, sizeof *legs, by_code);
    while (touches < count && is_touch(legs[touches]))
        touches++;
    for (size_t first = 0, end; first < touches; first = end) {
        for (end = first; end < touches && legs[end]->ip == legs[first]->ip; end++)
            continue;
        lead(&leading, legs[first], end - first);
    }
    for (size_t i = 0; i < leading.count; i++) {
        struct snapshot_watch_code code = {.share =
                                               (double)leading.list[i].touches / (double)touches};
        describe(build, leading.list[i].leg, &code);
        if (build->failed)
            return;
        add_code(object, code);
    }
}
