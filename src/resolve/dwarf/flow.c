/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"
#include "resolve/elf/module.h"
#include "resolve/elf/symbols.h"

/* The basic blocks of a function and their predecessors. A block that no direct jump reaches is
 * taken as a target of the function's indirect jumps (switch). */
struct block {
    uint32_t first; /* first instruction */
    uint32_t count;
    uint32_t predecessor_first; /* first index in `predecessors`: the predecessors */
    uint32_t predecessor_count;
};

struct graph {
    struct insn *insns;
    size_t insn_count;
    struct block *blocks; /* by ascending address */
    size_t block_count;
    uint32_t *predecessors;
    const struct where_list *variables;
};

/* graph_insn() returns the index of the instruction at an address (SIZE_MAX: none), graph_block()
 * the index of the block that holds an instruction. */
static size_t graph_insn(const struct graph *graph, uint64_t address)
{
    size_t low = SORTED_BELOW(graph->insns, graph->insn_count, address, address);
    return low < graph->insn_count && graph->insns[low].address == address ? low : SIZE_MAX;
}

static size_t graph_block(const struct graph *graph, size_t insn)
{
    size_t low = SORTED_UP_TO(graph->blocks, graph->block_count, first, insn);
    return low ? low - 1 : 0;
}

/* Returns a mask of the registers that begin to hold a variable at an address. */
static uint32_t graph_begins(const struct graph *graph, uint64_t address)
{
    const struct where_list *list = graph->variables;
    uint32_t mask = 0;
    size_t low = SORTED_BELOW(list->at, list->count, start, address);
    for (; low < list->count && list->at[low].start == address; low++)
        if (list->at[low].reg != WHERE_CFA)
            mask |= 1u << list->at[low].reg;
    return mask;
}

static bool is_jump_insn(const struct insn *insn)
{
    return insn->flow == INSN_JUMP || insn->flow == INSN_CONDITIONAL;
}

static bool falls_through(const struct insn *insn)
{
    return insn->flow != INSN_JUMP && insn->flow != INSN_RETURN && insn->flow != INSN_STOP;
}

/* Returns true if the next instruction begins a block. No-ops may be padding before it. */
static bool ends_block(const struct insn *insn, const struct insn *next)
{
    return is_jump_insn(insn) || !falls_through(insn) || next->is_target || insn->is_nop ||
           insn->address + insn->length != next->address;
}

static int graph_cut(struct graph *graph)
{
    size_t room = 0;
    for (size_t i = 0; i < graph->insn_count; i++)
        room += !i || ends_block(&graph->insns[i - 1], &graph->insns[i]);
    graph->blocks = calloc(room, sizeof *graph->blocks);
    if (!graph->blocks)
        return -ENOMEM;
    for (size_t i = 0; i < graph->insn_count; i++) {
        if (!i || ends_block(&graph->insns[i - 1], &graph->insns[i]))
            graph->blocks[graph->block_count++].first = (uint32_t)i;
        graph->blocks[graph->block_count - 1].count++;
    }
    return 0;
}

/* Records an edge between two blocks. Called twice per edge: first to count, then to store. */
static void graph_add_edge(struct graph *graph, size_t from, size_t to, bool counting)
{
    struct block *block = &graph->blocks[to];
    if (!counting)
        graph->predecessors[block->predecessor_first + block->predecessor_count] = (uint32_t)from;
    block->predecessor_count++;
}

static const struct insn *block_last_insn(const struct graph *graph, size_t block)
{
    return &graph->insns[graph->blocks[block].first + graph->blocks[block].count - 1];
}

static void add_direct_edges(struct graph *graph, bool counting)
{
    for (size_t block = 0; block < graph->block_count; block++) {
        const struct insn *last = block_last_insn(graph, block);
        if (falls_through(last) && block + 1 < graph->block_count &&
            last->address + last->length == last[1].address)
            graph_add_edge(graph, block, block + 1, counting);
        size_t target =
            is_jump_insn(last) && last->target ? graph_insn(graph, last->target) : SIZE_MAX;
        if (target != SIZE_MAX)
            graph_add_edge(graph, block, graph_block(graph, target), counting);
    }
}

enum { INDIRECT_MAX = 8, INDIRECT_WAYS_MAX = 1 << 14 };

/* Adds edges from indirect jumps to the blocks in `unled`, which have no other predecessor. */
static void add_indirect_edges(struct graph *graph, const bool *unled, bool counting)
{
    unsigned jumps_seen = 0;
    size_t left = INDIRECT_WAYS_MAX;
    for (size_t block = 0; block < graph->block_count; block++) {
        const struct insn *last = block_last_insn(graph, block);
        if (last->flow != INSN_JUMP || last->target || jumps_seen++ >= INDIRECT_MAX)
            continue;
        for (size_t to = 1; to < graph->block_count && left; to++)
            if (unled[to]) {
                graph_add_edge(graph, block, to, counting);
                left--;
            }
    }
}

static int connect_blocks(struct graph *graph)
{
    bool *unled = calloc(graph->block_count, sizeof *unled);
    uint32_t ways = 0;
    if (!unled)
        return -ENOMEM;
    add_direct_edges(graph, true);
    for (size_t block = 0; block < graph->block_count; block++)
        unled[block] = !graph->blocks[block].predecessor_count;
    add_indirect_edges(graph, unled, true);
    for (size_t block = 0; block < graph->block_count; block++) {
        graph->blocks[block].predecessor_first = ways;
        ways += graph->blocks[block].predecessor_count;
        graph->blocks[block].predecessor_count = 0;
    }
    graph->predecessors = calloc(ways + 1, sizeof *graph->predecessors);
    if (graph->predecessors) {
        add_direct_edges(graph, false);
        add_indirect_edges(graph, unled, false);
    }
    free(unled);
    return graph->predecessors ? 0 : -ENOMEM;
}

/* Builds the graph of the instructions read before. Returns 0 or -ENOMEM. */
static int graph_init(struct graph *graph, const struct wheres *wheres)
{
    graph->variables = &wheres->in_register;
    int failed = graph_cut(graph);
    return failed ? failed : connect_blocks(graph);
}

static void graph_fini(struct graph *graph)
{
    free(graph->insns);
    free(graph->blocks);
    free(graph->predecessors);
    memset(graph, 0, sizeof *graph);
}

/* Compilers change the parameters of functions without outside callers. gcc renames such functions
 * ("f.isra.0"), clang does not; both may mark them as not callable from a debugger. */
static bool routine_keeps_parameters(const struct program *program, struct routine *routine)
{
    const struct symbol *symbol = module_function(program->module, routine->entry);
    const char *name = symbol ? symbol->name : NULL;
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Word convention = 0;
    bool external = false;
    die_number(&routine->die, DW_AT_calling_convention, &convention);
    if (convention == DW_CC_nocall)
        return false;
    dwarf_formflag(dwarf_attr_integrate(&routine->die, DW_AT_external, &attribute), &external);
    if (external)
        return true;
    const char *producer =
        dwarf_diecu(&routine->die, &unit, NULL, NULL)
            ? dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attribute))
            : NULL;
    bool clone = !name || strstr(name, ".isra") || strstr(name, ".constprop") ||
                 strstr(name, ".part") || strstr(name, ".cold");
    return !clone && producer && !strncmp(producer, "GNU ", 4);
}

/* Sets the state at `start` of a part of the routine. Nothing is known if it is not the entry. */
static void entry_state(const struct scene *scene, struct routine *routine, uint64_t start,
                        struct state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        state->regs[reg] = value_of_kind(VALUE_UNKNOWN);
    if (routine->die.addr && routine->entry != start)
        return;
    state->regs[SREG_SP] = (struct value){.kind = VALUE_FRAME, .offset = -8};
    if (routine->die.addr && routine_keeps_parameters(scene->program, routine))
        prototype_arguments(scene->shapes, &routine->die, state);
}

enum {
    FLOWS_KEPT = 1024,
    BLOCKS_KEPT = 1 << 14, /* sum over all kept functions: about 35 MB */
    BLOCKS_MAX = 1 << 14,  /* functions with more blocks are not followed */
    ROUNDS_MAX = 16,
    ALL_REGISTERS = (1 << SREG_COUNT) - 1
};

struct flow {
    uint64_t start; /* start of its code */
    uint64_t end;
    struct routine routine; /* without an entry: no debugging information of it */
    struct wheres wheres;
    struct graph graph;
    struct state entry;
    struct state *after;    /* state after each block; NULL: too many blocks */
    uint32_t *reached_from; /* per block: index of the predecessor that reached it first */
    uint8_t *changed_round; /* per block: last round that changed it, from 1; 0: not reached yet */
};

struct flows {
    struct program *program;
    struct flow kept[FLOWS_KEPT];
    size_t count;
    size_t blocks; /* blocks of all functions */
};

static void flow_fini(struct flow *flow)
{
    wheres_fini(&flow->wheres);
    graph_fini(&flow->graph);
    free(flow->after);
    free(flow->reached_from);
    free(flow->changed_round);
    memset(flow, 0, sizeof *flow);
}

struct flows *flows_new(struct program *program)
{
    struct flows *flows = calloc(1, sizeof *flows);
    if (flows)
        flows->program = program;
    return flows;
}

static void flows_forget(struct flows *flows)
{
    for (size_t i = 0; i < flows->count; i++)
        flow_fini(&flows->kept[i]);
    flows->count = flows->blocks = 0;
}

void flows_free(struct flows *flows)
{
    if (flows)
        flows_forget(flows);
    free(flows);
}

static struct flow_at flow_begin(const struct flows *flows, const struct flow *flow)
{
    return (struct flow_at){.scene = {.program = flows->program,
                                      .shapes = &flows->program->shapes,
                                      .wheres = &flow->wheres},
                            .insns = flow->graph.insns,
                            .count = flow->graph.insn_count};
}

/* ---- iteration over the blocks ---- */

/* Sets the stack pointer, or its substitute, from call frame information. */
static void set_frame(const struct flows *flows, struct state *state, uint64_t pc)
{
    uint8_t reg;
    int64_t offset;
    if (program_cfa(flows->program, pc, &reg, &offset))
        state->regs[reg] = (struct value){.kind = VALUE_FRAME, .offset = -offset};
}

/* Goes through a block from the state at its start, as far as `visit` says; NULL: to its end. */
static void flow_run(const struct flows *flows, const struct flow *flow, size_t block,
                     struct flow_at *at, flow_visit *visit, void *context)
{
    const struct block *run = &flow->graph.blocks[block];
    uint32_t fresh = ALL_REGISTERS;
    set_frame(flows, &at->state, flow->graph.insns[run->first].address);
    for (size_t i = run->first; i < run->first + run->count; i++) {
        const struct insn *insn = at->insn = &flow->graph.insns[i];
        fresh |= graph_begins(&flow->graph, insn->address);
        declared_in_registers(&at->scene, &at->state, insn->address, fresh);
        if (visit && !visit(context, at))
            return;
        step_over(&at->scene, &at->state, insn);
        fresh = insn->flow == INSN_CALL ? ALL_REGISTERS : insn->writes;
    }
}

/* The predecessor that first reached the block is joined first, so that offsets are those at the
 * start of a loop. Returns false if the block has not been reached yet. */
static bool flow_join(struct flows *flows, const struct flow *flow, size_t block,
                      struct state *state)
{
    const struct block *at = &flow->graph.blocks[block];
    bool reached = !block || !at->predecessor_count;
    memset(state, 0, sizeof *state);
    if (!block)
        *state = flow->entry;
    for (size_t i = 0; flow->after && i < at->predecessor_count; i++) {
        uint32_t turn = (flow->reached_from[block] + (uint32_t)i) % at->predecessor_count;
        uint32_t before = flow->graph.predecessors[at->predecessor_first + turn];
        if (flow->changed_round[before] && !reached)
            flow->reached_from[block] = turn;
        if (flow->changed_round[before])
            state_join(&flows->program->shapes, state, &flow->after[before]);
        reached |= flow->changed_round[before] != 0;
    }
    return reached;
}

/* Returns true if a predecessor changed after the block was run: in this round, or in the previous
 * round if it follows the block. */
static bool block_is_stale(const struct flow *flow, size_t block, unsigned round)
{
    const struct block *at = &flow->graph.blocks[block];
    for (size_t i = 0; i < at->predecessor_count; i++) {
        uint32_t before = flow->graph.predecessors[at->predecessor_first + i];
        if (flow->changed_round[before] + (before >= block ? 1u : 0u) >= round)
            return true;
    }
    return round == 1;
}

static bool states_differ(const struct state *one, const struct state *other)
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

static bool flow_run_round(struct flows *flows, struct flow *flow, unsigned round)
{
    struct flow_at at = flow_begin(flows, flow);
    bool changed = false;
    for (size_t block = 0; block < flow->graph.block_count; block++) {
        if (!block_is_stale(flow, block, round) || !flow_join(flows, flow, block, &at.state))
            continue;
        flow_run(flows, flow, block, &at, NULL, NULL);
        if (flow->changed_round[block] && !states_differ(&at.state, &flow->after[block]))
            continue;
        flow->changed_round[block] = (uint8_t)round;
        flow->after[block] = at.state;
        changed = true;
    }
    return changed;
}

static int flow_allocate(struct flow *flow)
{
    size_t blocks = flow->graph.block_count;
    if (blocks > BLOCKS_MAX)
        return 0;
    flow->after = calloc(blocks, sizeof *flow->after);
    flow->changed_round = calloc(blocks, sizeof *flow->changed_round);
    flow->reached_from = calloc(blocks, sizeof *flow->reached_from);
    return flow->after && flow->changed_round && flow->reached_from ? 0 : -ENOMEM;
}

/* `pc` must be the address of an instruction. */
static int flow_fill(struct flows *flows, struct flow *flow, uint64_t pc)
{
    struct program *program = flows->program;
    struct graph *graph = &flow->graph;
    if (!program_insns(program, pc, &graph->insns, &graph->insn_count) || !graph->insn_count)
        return -EFAULT;
    if (routines_find(program, pc, &flow->routine))
        wheres_read(&flow->wheres, &program->shapes, &flow->routine);
    if (graph_init(graph, &flow->wheres) || flow_allocate(flow))
        return -ENOMEM;
    const struct insn *last = &graph->insns[graph->insn_count - 1];
    flow->start = graph->insns[0].address;
    flow->end = last->address + last->length;
    struct scene scene = flow_begin(flows, flow).scene;
    entry_state(&scene, &flow->routine, flow->start, &flow->entry);
    for (unsigned round = 1; flow->after && round <= ROUNDS_MAX; round++)
        if (!flow_run_round(flows, flow, round))
            break;
    return 0;
}

/* ---- lookup ---- */

static struct flow *flow_find(struct flows *flows, uint64_t pc)
{
    for (size_t i = 0; i < flows->count; i++)
        if (pc >= flows->kept[i].start && pc < flows->kept[i].end)
            return &flows->kept[i];
    return NULL;
}

/* Finds the flow of the function around an instruction. */
static int flow_of(struct flows *flows, uint64_t pc, struct flow **flow)
{
    *flow = flow_find(flows, pc);
    if (*flow)
        return 0;
    if (flows->count == FLOWS_KEPT || flows->blocks >= BLOCKS_KEPT)
        flows_forget(flows);
    *flow = &flows->kept[flows->count];
    int failed = flow_fill(flows, *flow, pc);
    if (failed) {
        flow_fini(*flow);
        return failed;
    }
    flows->count++;
    flows->blocks += (*flow)->after ? (*flow)->graph.block_count : 0;
    return 0;
}

/* Does the same for an address that may be inside of an instruction; NULL: none. */
static struct flow *flow_containing(struct flows *flows, uint64_t address)
{
    struct flow *flow = flow_find(flows, address);
    uint64_t start;
    uint64_t end;
    if (!flow && program_function(flows->program, address, &start, &end))
        return flow_of(flows, start, &flow) ? NULL : flow;
    return flow;
}

static bool is_before_address(void *pc, const struct flow_at *at)
{
    return at->insn->address != *(const uint64_t *)pc;
}

int flows_at(struct flows *flows, uint64_t pc, struct flow_at *at)
{
    struct flow *flow;
    struct routine routine;
    int failed = routines_find(flows->program, pc, &routine) ? flow_of(flows, pc, &flow) : -ENOENT;
    if (failed)
        return failed;
    size_t insn = graph_insn(&flow->graph, pc);
    if (insn == SIZE_MAX)
        return -EFAULT;
    size_t block = graph_block(&flow->graph, insn);
    *at = flow_begin(flows, flow);
    flow_join(flows, flow, block, &at->state);
    flow_run(flows, flow, block, at, is_before_address, &pc);
    return 0;
}

void flows_each(struct flows *flows, uint64_t pc, flow_visit *visit, void *context)
{
    struct flow *flow = flow_containing(flows, pc);
    for (size_t block = 0; flow && block < flow->graph.block_count; block++) {
        struct flow_at at = flow_begin(flows, flow);
        flow_join(flows, flow, block, &at.state);
        flow_run(flows, flow, block, &at, visit, context);
    }
}

const struct wheres *flows_wheres(struct flows *flows, uint64_t pc)
{
    const struct flow *flow = flow_containing(flows, pc);
    return flow && flow->routine.die.addr ? &flow->wheres : NULL;
}
