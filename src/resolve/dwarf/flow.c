/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/flow.h"

#include "resolve/dwarf/declared.h"
#include "resolve/dwarf/describe.h"
#include "resolve/dwarf/entry.h"
#include "resolve/dwarf/graph.h"
#include "resolve/dwarf/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLOWS_KEPT = 64,
    BLOCKS_KEPT = 1 << 15,        /* of all that are kept: about 70 MB */
    BLOCKS_MAX = BLOCKS_KEPT / 2, /* functions with more are not followed through */
    ROUNDS_MAX = 16,
    ALL_REGISTERS = (1 << SREG_COUNT) - 1
};

/* One function, gone through. */
struct flow {
    uint64_t start; /* of its code; 0: a free place */
    uint64_t end;
    uint64_t used; /* by the clock of flows */
    struct routine routine;
    struct wheres wheres;
    struct graph graph;
    struct state entry;
    struct state *after; /* each block; NULL: there are too many */
    uint32_t *way;       /* of each block, which of those before it led there first */
    uint8_t *changed;    /* the round that changed it last, from 1; 0: no way led there yet */
};

struct flows {
    struct program *program;
    struct shapes *shapes;
    struct routines *routines;
    struct links *links;
    struct flow kept[FLOWS_KEPT];
    uint64_t clock;
};

static void flow_fini(struct flow *flow)
{
    wheres_fini(&flow->wheres);
    graph_fini(&flow->graph);
    free(flow->after);
    free(flow->way);
    free(flow->changed);
    memset(flow, 0, sizeof *flow);
}

struct flows *flows_new(struct program *program)
{
    struct flows *flows = calloc(1, sizeof *flows);
    if (!flows)
        return NULL;
    flows->program = program;
    flows->shapes = shapes_new(describe_scopes(program_types(program)));
    flows->routines = routines_new(program);
    flows->links = links_new(program);
    if (!flows->shapes || !flows->routines || !flows->links) {
        flows_free(flows);
        return NULL;
    }
    return flows;
}

void flows_free(struct flows *flows)
{
    if (!flows)
        return;
    for (unsigned i = 0; i < FLOWS_KEPT; i++)
        flow_fini(&flows->kept[i]);
    shapes_free(flows->shapes);
    routines_free(flows->routines);
    links_free(flows->links);
    free(flows);
}

static struct scene scene_of(const struct flows *flows, const struct flow *flow)
{
    return (struct scene){.program = flows->program,
                          .shapes = flows->shapes,
                          .routines = flows->routines,
                          .links = flows->links,
                          .wheres = &flow->wheres};
}

/* ---- through the blocks ---- */

/* The stack pointer, or what stands for it, by call frame information. */
static void set_frame(const struct flows *flows, struct state *state, uint64_t pc)
{
    uint8_t reg;
    int64_t offset;
    if (program_cfa(flows->program, pc, &reg, &offset))
        state->regs[reg] = (struct value){.kind = VALUE_FRAME, .offset = -offset};
}

/* Runs a block from its start to before an instruction; to its end if that is not in it. */
static void run(const struct flows *flows, const struct flow *flow, size_t block, uint64_t until,
                struct state *state)
{
    struct scene scene = scene_of(flows, flow);
    const struct block *at = &flow->graph.blocks[block];
    uint32_t fresh = ALL_REGISTERS;
    set_frame(flows, state, flow->graph.insns[at->first].address);
    for (size_t i = at->first; i < at->first + at->count; i++) {
        const struct insn *insn = &flow->graph.insns[i];
        fresh |= graph_begins(&flow->graph, insn->address);
        declared_in_registers(&scene, state, insn->address, fresh);
        if (insn->address == until)
            return;
        step_over(&scene, state, insn);
        fresh = insn->flow == INSN_CALL ? ALL_REGISTERS : insn->writes;
    }
}

/* What holds at a block's start: the entry, and what the blocks before it left; the one that led
 * there first comes first, so that offsets are those with which a loop begins. False: no way there
 * is known yet. */
static bool join(struct flows *flows, const struct flow *flow, size_t block, struct state *state)
{
    const struct block *at = &flow->graph.blocks[block];
    bool reached = !block || !at->before_count;
    memset(state, 0, sizeof *state);
    if (!block)
        *state = flow->entry;
    for (size_t i = 0; flow->after && i < at->before_count; i++) {
        uint32_t turn = (flow->way[block] + (uint32_t)i) % at->before_count;
        uint32_t before = flow->graph.before[at->before_first + turn];
        if (flow->changed[before] && !reached)
            flow->way[block] = turn;
        if (flow->changed[before])
            state_join(flows->shapes, state, &flow->after[before]);
        reached |= flow->changed[before] != 0;
    }
    return reached;
}

/* Whether what leads to a block changed in this round or the one before. */
static bool is_stale(const struct flow *flow, size_t block, unsigned round)
{
    const struct block *at = &flow->graph.blocks[block];
    for (size_t i = 0; i < at->before_count; i++)
        if (flow->changed[flow->graph.before[at->before_first + i]] + 1u >= round)
            return true;
    return round == 1;
}

static bool differs(const struct state *one, const struct state *other)
{
    if (one->slot_count != other->slot_count)
        return true;
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        if (!value_equal(&one->regs[reg], &other->regs[reg]))
            return true;
    for (uint32_t i = 0; i < one->slot_count; i++)
        if (one->slots[i].offset != other->slots[i].offset ||
            !value_equal(&one->slots[i].value, &other->slots[i].value))
            return true;
    return false;
}

static bool round_of(struct flows *flows, struct flow *flow, unsigned round)
{
    bool changed = false;
    for (size_t block = 0; block < flow->graph.block_count; block++) {
        struct state state;
        if (!is_stale(flow, block, round) || !join(flows, flow, block, &state))
            continue;
        run(flows, flow, block, 0, &state);
        if (flow->changed[block] && !differs(&state, &flow->after[block]))
            continue;
        flow->changed[block] = (uint8_t)round;
        flow->after[block] = state;
        changed = true;
    }
    return changed;
}

static struct flow *oldest(struct flows *flows)
{
    struct flow *oldest = &flows->kept[0];
    for (unsigned i = 1; i < FLOWS_KEPT; i++)
        if (flows->kept[i].used < oldest->used)
            oldest = &flows->kept[i];
    return oldest;
}

/* Those not asked about for the longest time make room. */
static int make_room(struct flows *flows, struct flow *flow)
{
    size_t blocks = flow->graph.block_count;
    if (blocks > BLOCKS_MAX)
        return 0;
    for (unsigned i = 0; i < FLOWS_KEPT; i++)
        blocks +=
            &flows->kept[i] != flow && flows->kept[i].after ? flows->kept[i].graph.block_count : 0;
    flow->used = UINT64_MAX;
    while (blocks > BLOCKS_KEPT) {
        struct flow *gone = oldest(flows);
        blocks -= gone->after ? gone->graph.block_count : 0;
        flow_fini(gone);
        gone->used = UINT64_MAX; /* not again */
    }
    for (unsigned i = 0; i < FLOWS_KEPT; i++)
        if (flows->kept[i].used == UINT64_MAX)
            flows->kept[i].used = 0;
    flow->after = calloc(flow->graph.block_count, sizeof *flow->after);
    flow->changed = calloc(flow->graph.block_count, sizeof *flow->changed);
    flow->way = calloc(flow->graph.block_count, sizeof *flow->way);
    return flow->after && flow->changed && flow->way ? 0 : -ENOMEM;
}

static int fill(struct flows *flows, struct flow *flow, uint64_t pc)
{
    const struct insn *insns;
    size_t count;
    if (!routines_find(flows->routines, pc, &flow->routine))
        return -ENOENT;
    if (!program_insns(flows->program, pc, &insns, &count) || !count)
        return -EFAULT;
    wheres_read(&flow->wheres, flows->shapes, &flow->routine);
    if (graph_init(&flow->graph, insns, count, &flow->wheres))
        return -ENOMEM;
    if (make_room(flows, flow))
        return -ENOMEM;
    flow->start = insns[0].address;
    flow->end = insns[count - 1].address + insns[count - 1].length;
    struct scene scene = scene_of(flows, flow);
    entry_state(&scene, &flow->routine, flow->start, &flow->entry);
    for (unsigned round = 1; flow->after && round <= ROUNDS_MAX; round++)
        if (!round_of(flows, flow, round))
            break;
    return 0;
}

/* ---- asked ---- */

static struct flow *find(struct flows *flows, uint64_t pc)
{
    for (unsigned i = 0; i < FLOWS_KEPT; i++)
        if (flows->kept[i].start && pc >= flows->kept[i].start && pc < flows->kept[i].end)
            return &flows->kept[i];
    return NULL;
}

int flows_at(struct flows *flows, uint64_t pc, struct flow_at *at)
{
    struct flow *flow = find(flows, pc);
    if (!flow) {
        flow = oldest(flows);
        flow_fini(flow);
        int failed = fill(flows, flow, pc);
        if (failed) {
            flow_fini(flow);
            return failed;
        }
    }
    flow->used = ++flows->clock;
    size_t insn = graph_insn(&flow->graph, pc);
    if (insn == SIZE_MAX)
        return -EFAULT;
    size_t block = graph_block(&flow->graph, insn);
    at->scene = scene_of(flows, flow);
    at->insn = &flow->graph.insns[insn];
    at->insns = flow->graph.insns;
    at->count = flow->graph.insn_count;
    join(flows, flow, block, &at->state);
    run(flows, flow, block, pc, &at->state);
    return 0;
}

struct routines *flows_routines(const struct flows *flows)
{
    return flows->routines;
}

struct shapes *flows_shapes(const struct flows *flows)
{
    return flows->shapes;
}
