/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/findings_held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRINGS = 8 };

/* Every string of a finding. */
static void strings_of(struct snapshot_finding *finding, const char **strings[STRINGS])
{
    const char **all[STRINGS] = {&finding->name,     &finding->field,    &finding->function,
                                 &finding->file,     &finding->evidence, &finding->advice,
                                 &finding->how_sure, &finding->reckoned};
    memcpy(strings, all, sizeof all);
}

void findings_held_clear(struct findings_held *held)
{
    held->count = 0;
}

void findings_held_fini(struct findings_held *held)
{
    free(held->list);
    *held = (struct findings_held){0};
}

static bool of_lines(const struct snapshot_finding *finding)
{
    return finding->kind == FINDING_FALSE_SHARING || finding->kind == FINDING_TRUE_SHARING;
}

/* Of one object lines are told one by one, whatever is said of them: fields and verdict change with
 * a few samples more. Anything else is told once. */
static bool same(const struct snapshot_finding *a, const struct snapshot_finding *b)
{
    if (of_lines(a) && of_lines(b))
        return a->id == b->id && a->lines_first <= b->lines_last && b->lines_first <= a->lines_last;
    return a->kind == b->kind && a->id == b->id;
}

/* false: its strings are too long to be kept. */
static bool copy_in(struct finding_held *one, const struct snapshot_finding *finding)
{
    const char **strings[STRINGS];
    size_t used = 0;
    one->finding = *finding;
    strings_of(&one->finding, strings);
    for (int i = 0; i < STRINGS; i++) {
        size_t size = *strings[i] ? strlen(*strings[i]) + 1 : 0;
        if (size > sizeof one->text - used)
            return false;
        if (size)
            *strings[i] = memcpy(one->text + used, *strings[i], size);
        used += size;
    }
    return true;
}

static struct finding_held *find(struct findings_held *held, const struct snapshot_finding *finding)
{
    for (size_t i = 0; i < held->count; i++)
        if (same(&held->list[i].finding, finding))
            return &held->list[i];
    return NULL;
}

static void forget(struct findings_held *held, struct finding_held *one)
{
    struct finding_held *last = &held->list[--held->count];
    if (one == last)
        return;
    *one = *last;
    copy_in(one, &last->finding);
}

void findings_held_leave(struct findings_held *held, const uint32_t *renamed, size_t count)
{
    for (size_t i = 0; i < held->count;) {
        uint32_t id = held->list[i].finding.id;
        if (id < count && renamed[id])
            forget(held, &held->list[i]);
        else
            i++;
    }
}

static void remember(struct findings_held *held, const struct snapshot_finding *finding,
                     const struct findings_moment *moment)
{
    struct finding_held *one = find(held, finding);
    if (!one && held->count == FINDINGS_HELD_MAX)
        return;
    if (!one) {
        one = &held->list[held->count++];
        one->times = 0;
    }
    one->times++;
    one->window_until = moment->added + moment->used;
    one->found_s = moment->elapsed_s;
    if (!copy_in(one, finding))
        forget(held, one);
}

static bool in_list(const struct snapshot_finding *list, size_t count,
                    const struct snapshot_finding *finding)
{
    for (size_t i = 0; i < count; i++)
        if (same(&list[i], finding))
            return true;
    return false;
}

static bool over(const struct finding_held *one, const struct findings_moment *moment)
{
    return one->times < 2 || moment->added >= one->window_until ||
           !(moment->elapsed_s - one->found_s <= FINDINGS_HELD_S);
}

size_t findings_held_join(struct findings_held *held, struct snapshot_finding *list, size_t count,
                          size_t room, const struct findings_moment *moment, struct arena *arena)
{
    const char **strings[STRINGS];
    if (!held->list && count)
        held->list = calloc(FINDINGS_HELD_MAX, sizeof *held->list);
    if (!held->list)
        return count;
    for (size_t i = 0; i < count; i++)
        remember(held, &list[i], moment);
    for (size_t i = 0; i < held->count;) {
        struct finding_held *one = &held->list[i];
        if (in_list(list, count, &one->finding)) {
            i++;
            continue;
        }
        if (over(one, moment)) {
            forget(held, one);
            continue;
        }
        i++;
        if (count == room)
            continue;
        list[count] = one->finding;
        strings_of(&list[count], strings);
        for (int k = 0; k < STRINGS; k++)
            *strings[k] = arena_string(arena, *strings[k]);
        count += list[count].evidence && list[count].advice;
    }
    return count;
}
