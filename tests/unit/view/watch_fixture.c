/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/watch_fixture.h"

#include <math.h>

static struct snapshot_watch_object rows[] = {
    {.watched = 300,
     .touched = 290,
     .again = {0.97, 0.95, 0.99},
     .again_s = 0.02,
     .reuse_s = {0.0042, 0.0038, 0.0051},
     .misses = {40000, 38000, 42000},
     .thread_misses = 30000,
     .visits = 160,
     .used = {0.25, 0.21, 0.31},
     .elsewhere = 0.5,
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
     .again = {0, 0, 0.1},
     .again_s = 0.4,
     .reuse_s = {NAN, NAN, NAN},
     .misses = {NAN, NAN, NAN},
     .thread_misses = NAN,
     .used = {NAN, NAN, NAN},
     .elsewhere = NAN,
     .verdict = WATCH_STREAMING},
    {.object = UINT32_MAX,
     .id = 999999,
     .name = "gone",
     .watched = 1,
     .again = {NAN, NAN, NAN},
     .again_s = NAN,
     .reuse_s = {NAN, NAN, NAN},
     .misses = {NAN, NAN, NAN},
     .thread_misses = NAN,
     .used = {NAN, NAN, NAN},
     .elsewhere = NAN,
     .verdict = WATCH_TOO_FEW,
     .settled = 1,
     .needed = 8,
     .wait_s = 14},
};

void watch_fixture_fill(struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < 2; i++) {
        rows[i].object = i;
        rows[i].id = snapshot->objects[i].id;
        rows[i].name = snapshot->objects[i].name;
    }
    snapshot->watch = (struct snapshot_watch){.on = true,
                                              .registers = 4,
                                              .threads = 2,
                                              .offered = 5000,
                                              .armed = 900,
                                              .unpaid = 40,
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
