/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared lines that are one case: an array of counters, a field of many blocks; declared in
 * snapshot_sharing.h. */
#include "profile/interval.h"
#include "profile/snapshot_sharing.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool alike(enum sharing_verdict a, enum sharing_verdict b)
{
    bool unsure = a == SHARING_UNSURE || b == SHARING_UNSURE;
    return a == b || (unsure && a != SHARING_READ_ONLY && b != SHARING_READ_ONLY);
}

/* "[3].hits" is as good as "[17].hits", and "+24" as "+88". */
static bool same_but_digits(const char *a, const char *b)
{
    for (;;) {
        bool numbers = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        while (numbers && isdigit((unsigned char)*a))
            a++;
        while (numbers && isdigit((unsigned char)*b))
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

/* Parts of the line's samples. Stores are quick and seldom sampled. */
static const double party = 0.01;
static const double writing_party = 0.002;

bool sharing_party(const struct snapshot_sharing_side *side)
{
    return side->share >= (side->written ? writing_party : party);
}

/* Whether two lines are wanted for the same field. */
static bool same_field(const struct snapshot_sharing_line *a, const struct snapshot_sharing_line *b)
{
    for (size_t i = 0; i < a->side_count && i < 2; i++)
        for (size_t k = 0; k < b->side_count && k < 2; k++)
            if (a->sides[i].code_count && b->sides[k].code_count &&
                same_but_digits(a->sides[i].codes[0].field, b->sides[k].codes[0].field))
                return true;
    return false;
}

/* Neighbours in one instance, or the same line of another. */
static bool belongs(const struct sharing_listed *last, const struct sharing_listed *next)
{
    int64_t step = sharing_line_in_object(next) - sharing_line_in_object(last);
    bool near = last->base == next->base ? step <= 2 : step == 0;
    return last->object == next->object && near &&
           alike(last->judged.verdict, next->judged.verdict) &&
           same_field(&last->line, &next->line);
}

static int by_line_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_line *a = left;
    const struct snapshot_sharing_line *b = right;
    int order = sharing_most_first(a->samples, b->samples);
    return order ? order : a->address < b->address ? -1 : a->address > b->address;
}

static uint32_t different_threads(const struct snapshot_sharing_group *group)
{
    uint32_t seen[255];
    uint32_t count = 0;
    for (size_t i = 0; i < group->line_count; i++)
        for (size_t k = 0; k < group->lines[i].side_count; k++) {
            uint32_t n = 0;
            if (!sharing_party(&group->lines[i].sides[k]))
                continue;
            while (n < count && seen[n] != group->lines[i].sides[k].tid)
                n++;
            if (n == count && count < 255)
                seen[count++] = group->lines[i].sides[k].tid;
        }
    return count;
}

static void add_to_group(struct snapshot_sharing_group *group, const struct sharing_listed *listed)
{
    const struct sharing_judged *judged = &listed->judged;
    group->lines[group->line_count++] = listed->line;
    group->samples += judged->samples;
    group->turns += judged->turns;
    group->expected += judged->expected;
    group->locked |= listed->line.locked;
    if (!isnan(judged->hitm))
        group->hitm = (isnan(group->hitm) ? 0 : group->hitm) + judged->hitm;
    if (judged->evidence == SHARING_HITM)
        group->evidence = SHARING_HITM;
    group->sure |= judged->sure;
}

/* "hits | misses": what the two threads with most samples want of the hottest line. In order of
 * offset: which of them has more samples changes all the time. */
static const char *group_fields(struct build *build, const struct snapshot_sharing_line *line)
{
    if (line->side_count < 2 || !line->sides[0].fields || !line->sides[1].fields)
        return line->side_count ? line->sides[0].fields : NULL;
    if (!strcmp(line->sides[0].fields, line->sides[1].fields))
        return line->sides[0].fields;
    bool turned = sharing_first_byte(&line->sides[1]) < sharing_first_byte(&line->sides[0]);
    return arena_printf(build->arena, "%s | %s", line->sides[turned].fields,
                        line->sides[!turned].fields);
}

static void finish_group(struct build *build, struct snapshot_sharing_group *group)
{
    double all = sharing_all_samples(build);
    double object = sharing_object_samples(build, group->id);
    struct object_desc desc;
    qsort(group->lines, group->line_count, sizeof *group->lines, by_line_samples);
    group->verdict = group->lines[0].verdict;
    for (size_t i = 0; i < group->line_count && group->verdict == SHARING_UNSURE; i++)
        group->verdict = group->lines[i].verdict;
    group->object = build_object_index(build, group->id);
    group->name = sharing_describe(build, group->id, &desc);
    group->fields = group_fields(build, &group->lines[0]);
    group->share = interval_share(all > 0 ? fmin(1, group->samples / all) : NAN, all);
    group->of_object = object > 0 ? fmin(1, group->samples / object) : NAN;
    group->threads = different_threads(group);
    group->reading = sharing_words(build, group);
    build->failed |= !group->name || !group->reading;
}

static int by_group_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_group *a = left;
    const struct snapshot_sharing_group *b = right;
    bool a_reads = a->verdict == SHARING_READ_ONLY;
    bool b_reads = b->verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = sharing_most_first(a->samples, b->samples);
    return order ? order : a->lines[0].address < b->lines[0].address ? -1 : 1;
}

size_t sharing_group(struct build *build, const struct sharing_listed *list, size_t count,
                     struct snapshot_sharing_group *groups)
{
    struct snapshot_sharing_line *lines = arena_array(build->arena, count, sizeof *lines);
    size_t group_count = 0;
    build->failed |= !lines;
    for (size_t i = 0; i < count && !build->failed; i++) {
        if (!i || !belongs(&list[i - 1], &list[i]))
            groups[group_count++] = (struct snapshot_sharing_group){
                .id = list[i].object, .hitm = NAN, .lines = lines + i};
        add_to_group(&groups[group_count - 1], &list[i]);
    }
    for (size_t i = 0; i < group_count && !build->failed; i++)
        finish_group(build, &groups[i]);
    if (!build->failed)
        qsort(groups, group_count, sizeof *groups, by_group_samples);
    return group_count;
}
