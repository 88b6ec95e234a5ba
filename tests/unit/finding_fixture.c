/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding_fixture.h"

void finding_fixture(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_finding *list = arena_array(arena, 2, sizeof *list);
    if (!list || snapshot->object_count < 2)
        return;
    list[0] = (struct snapshot_finding){.kind = FINDING_SPLIT,
                                        .sure = FINDING_LIKELY,
                                        .page = FINDING_ON_LAYOUT,
                                        .object = 0,
                                        .id = snapshot->objects[0].id,
                                        .name = snapshot->objects[0].name,
                                        .field = "x, y",
                                        .function = "move",
                                        .file = "move.c",
                                        .line = 12,
                                        .evidence = "16 of 64 bytes are in use.",
                                        .advice = "Split the struct.",
                                        .how_sure = "the code may use others",
                                        .gain = 0.25,
                                        .reckoned = "three quarters of its share"};
    list[1] = (struct snapshot_finding){.kind = FINDING_TRUE_SHARING,
                                        .sure = FINDING_SURE,
                                        .page = FINDING_ON_SHARING,
                                        .object = 1,
                                        .id = snapshot->objects[1].id,
                                        .name = snapshot->objects[1].name,
                                        .evidence = "2 threads on 1 cache line.",
                                        .advice = "Take it less often.",
                                        .how_sure = "the hardware told it",
                                        .gain = 0.125,
                                        .reckoned = "all of it",
                                        .bound = true};
    snapshot->findings = (struct snapshot_findings){list, 2};
}
