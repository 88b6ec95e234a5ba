/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/whatif.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum takes { TAKES_NOTHING, TAKES_FIELD, TAKES_FIELDS, TAKES_BYTES };

static const struct {
    const char *name;
    enum takes takes;
} kinds[WHATIF_KINDS] = {
    [WHATIF_NEVER] = {"never", TAKES_NOTHING},
    [WHATIF_SPLIT] = {"split", TAKES_FIELD},
    [WHATIF_HOT] = {"hot", TAKES_FIELDS},
    [WHATIF_ORDER] = {"order", TAKES_NOTHING},
    [WHATIF_PAD] = {"pad", TAKES_BYTES},
    [WHATIF_ALIGN] = {"align", TAKES_BYTES},
    [WHATIF_ALIGN_OBJECT] = {"align-object", TAKES_BYTES},
    [WHATIF_ARRAYS] = {"arrays", TAKES_NOTHING},
    [WHATIF_POOL] = {"pool", TAKES_NOTHING},
};

static const char forms[] =
    "never, split=FIELD, hot, hot=FIELD,FIELD, order, pad, pad=BYTES, align, "
    "align=BYTES, align-object, arrays, pool";

static int parse_value(struct whatif_wanted *wanted, const char *value)
{
    enum takes takes = kinds[wanted->kind].takes;
    char *end;
    if (!value)
        return takes == TAKES_FIELD ? -EINVAL : 0;
    if (!*value || takes == TAKES_NOTHING || strlen(value) >= sizeof wanted->fields)
        return -EINVAL;
    if (takes != TAKES_BYTES) {
        strcpy(wanted->fields, value);
        return takes == TAKES_FIELD && strchr(value, ',') ? -EINVAL : 0;
    }
    unsigned long bytes = strtoul(value, &end, 10);
    wanted->bytes = bytes <= RELAYOUT_STRIDE_MAX ? (uint32_t)bytes : 0;
    return *end || !wanted->bytes ? -EINVAL : 0;
}

int whatif_parse(const char *text, struct whatif_wanted *wanted, char *object, size_t object_size,
                 struct error *error)
{
    const char *colon = strrchr(text, ':');
    const char *words = colon ? colon + 1 : text;
    size_t length = strcspn(words, "=");
    *wanted = (struct whatif_wanted){.kind = WHATIF_KINDS};
    for (int i = 0; i < WHATIF_KINDS; i++)
        if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, words, length))
            wanted->kind = (enum whatif_kind)i;
    if (!colon || colon == text || (size_t)(colon - text) >= object_size ||
        wanted->kind == WHATIF_KINDS ||
        parse_value(wanted, words[length] ? words + length + 1 : NULL))
        return error_set(error, -EINVAL, "--what-if %.60s: OBJECT:QUESTION, with one of %s", text,
                         forms);
    snprintf(object, object_size, "%.*s", (int)(colon - text), text);
    return 0;
}

void whatif_words(const struct whatif_wanted *wanted, char *out, size_t size)
{
    const char *name = kinds[wanted->kind].name;
    if (*wanted->fields)
        snprintf(out, size, "%s=%s", name, wanted->fields);
    else if (wanted->bytes)
        snprintf(out, size, "%s=%u", name, wanted->bytes);
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

static double misses_at(const struct snapshot_simulation *simulation, uint32_t level)
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
        /* Each level is counted by itself, while the program runs. */
        double served = fmax(0, misses_at(simulation, i) - misses_at(simulation, i + 1));
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
            level->fresh = NAN;
        }
        answer->stall_before += level->before * cycles;
        answer->stall_after += level->after * cycles;
    }
}
