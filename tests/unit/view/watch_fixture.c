/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/watch_fixture.h"

#include <math.h>

static struct snapshot_watch_object rows[] = {
    {.watched = 300,
     .touched = 290,
     .touched_again_share = {0.97, 0.95, 0.99},
     .again_within_s = 0.02,
     .reuse_s = {0.0042, 0.0038, 0.0051},
     .misses = {40000, 38000, 42000},
     .thread_misses = 30000,
     .visits = 160,
     .used = {0.25, 0.21, 0.31},
     .by_another_thread = 0.5,
     .verdict = WATCH_CAPACITY,
     .codes = {{.function = "move",
                .module = "app",
                .file = "/src/move.c",
                .line = 12,
                .text = "move (move.c:12)",
                .share = 0.75},
               {.function = "draw", .text = "draw", .share = 0.25}},
     .code_count = 2},
    {.watched = 100,
     .touched_again_share = {0, 0, 0.1},
     .again_within_s = 0.4,
     .reuse_s = {NAN, NAN, NAN},
     .misses = {NAN, NAN, NAN},
     .thread_misses = NAN,
     .used = {NAN, NAN, NAN},
     .by_another_thread = NAN,
     .verdict = WATCH_STREAMING},
    {.object = UINT32_MAX,
     .id = 999999,
     .name = "gone",
     .watched = 1,
     .touched_again_share = {NAN, NAN, NAN},
     .again_within_s = NAN,
     .reuse_s = {NAN, NAN, NAN},
     .misses = {NAN, NAN, NAN},
     .thread_misses = NAN,
     .used = {NAN, NAN, NAN},
     .by_another_thread = NAN,
     .verdict = WATCH_TOO_FEW,
     .settled = 1,
     .settled_needed = 8,
     .verdict_in_s = 14},
};

void watch_fixture_fill(struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < 2; i++) {
        rows[i].object = i;
        rows[i].id = snapshot->objects[i].id;
        rows[i].name = snapshot->objects[i].name;
    }
    snapshot->watch = (struct snapshot_watch){.is_on = true,
                                              .registers = 4,
                                              .threads = 2,
                                              .offered = 5000,
                                              .armed = 900,
                                              .over_budget = 40,
                                              .touches = 600,
                                              .trap_ns = 2400,
                                              .arm_ns = 1500,
                                              .budget = 0.01,
                                              .overhead = 0.0087,
                                              .verdicts = 2,
                                              .next_s = 14,
                                              .counts_misses = true,
                                              .level = 2,
                                              .level_lines = 16384,
                                              .long_s = 0.05,
                                              .objects = rows,
                                              .count = sizeof rows / sizeof *rows};
}
