/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding_fixture.h"

void finding_fixture(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_finding *list = arena_array(arena, 2, sizeof *list);
    if (!list || snapshot->object_count < 2)
        return;
    list[0] = (struct snapshot_finding){.kind = FINDING_SPLIT,
                                        .sure = FINDING_LIKELY,
                                        .rule = RULE_SPLIT,
                                        .object = 0,
                                        .id = snapshot->objects[0].id,
                                        .name = snapshot->objects[0].name,
                                        .field = "x, y",
                                        .function = "move",
                                        .file = "move.c",
                                        .line = 12,
                                        .type = "struct particle",
                                        .of.split = {.samples = 4000,
                                                     .element_bytes = 64,
                                                     .used_bytes = 16,
                                                     .fetched_bytes = 64,
                                                     .needed_bytes = 16,
                                                     .pass = true},
                                        .gain = 0.25};
    list[1] = (struct snapshot_finding){.kind = FINDING_TRUE_SHARING,
                                        .sure = FINDING_SURE,
                                        .rule = RULE_SHARING,
                                        .object = 1,
                                        .id = snapshot->objects[1].id,
                                        .name = snapshot->objects[1].name,
                                        .of.sharing = {.threads = 2, .lines = 1, .by_hitm = true},
                                        .remedy = {.kind = SHARING_LOCK_LESS},
                                        .gain = 0.125,
                                        .bound = true};
    snapshot->findings = (struct snapshot_findings){list, 2};
}
