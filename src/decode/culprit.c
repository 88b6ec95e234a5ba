/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/culprit.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "decode/trace.h"

/* Bytes of a table to read; fewer if they cross the end of a mapping. */
enum { TABLE_BYTES = 4096, TABLE_BYTES_LESS = 512 };

static bool loads_element(const struct insn *insn)
{
    const struct insn_memory *memory = &insn->memory[0];
    return insn->op == INSN_OP_LOAD && memory->index != SREG_NONE && !memory->segment &&
           !memory->has_32bit_address && !memory->vector && insn->source_width >= 2 &&
           insn->source_width <= memory->scale;
}

/* Returns the offset of the only element that equals `wanted`, or SIZE_MAX. */
static size_t find_unique_element(const unsigned char *table, size_t bytes, const struct insn *load,
                                  uint64_t wanted)
{
    size_t found = SIZE_MAX;
    for (size_t at = 0; at + load->source_width <= bytes; at += load->memory[0].scale) {
        if (memcmp(table + at, &wanted, load->source_width) != 0)
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = at;
    }
    return found;
}

/* Finds the address that the load at `at` of the trace read, by the loaded value. Returns false
 * unless exactly one element in the first 4 KiB of the table has it. Reads memory once or twice. */
static bool address_by_loaded_value(struct trace_values *values, size_t at, uint64_t *address)
{
    const struct insn *load = values->trace->insns[at];
    const struct decode_target *target = values->target;
    struct insn_memory start = load->memory[0];
    unsigned char table[TABLE_BYTES];
    size_t bytes = sizeof table;
    uint64_t wanted;
    start.index = SREG_NONE;
    if (!loads_element(load) || !target->memory ||
        !trace_register(values, load->dest, at + 1, &wanted) ||
        !trace_address(values, &start, at, address))
        return false;
    if (!target->memory(target->context, *address, table, bytes)) {
        bytes = TABLE_BYTES_LESS;
        if (!target->memory(target->context, *address, table, bytes))
            return false;
    }
    size_t found = find_unique_element(table, bytes, load, wanted);
    *address += found;
    return found != SIZE_MAX;
}

enum { CALL_BYTES = 8 }; /* longest in practice: prefix, ff, two bytes, displacement of 4 */

static enum reason call_slot(uint64_t address, enum access_kind kind, struct access *access)
{
    access->address = address;
    access->kind = (uint8_t)kind;
    access->size = 8;
    access->base = SREG_SP;
    access->index = SREG_NONE;
    access->displacement = 0;
    access->how = ACCESS_DIRECT;
    return REASON_NONE;
}

/* Sets the access to the load of a return, from the word below the current stack pointer. */
static enum reason return_slot(uint64_t stack, struct access *access)
{
    enum { WORD = 8 };
    call_slot(stack - WORD, ACCESS_LOAD, access);
    access->displacement = -WORD;
    return REASON_NONE;
}

/* Finds the GOT slot that a stub jumps through: [endbr64] [bnd] ff 25 rel32. */
static bool stub_slot(const struct decode_target *target, uint64_t stub, uint64_t *slot)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t bytes[16];
    int32_t distance;
    size_t at = 0;
    if (target->code(target->context, stub, bytes, sizeof bytes) != sizeof bytes)
        return false;
    if (!memcmp(bytes, endbr64, sizeof endbr64))
        at += sizeof endbr64;
    at += bytes[at] == 0xf2;
    memcpy(&distance, bytes + at + 2, sizeof distance);
    *slot = stub + at + 6 + (uint64_t)(int64_t)distance;
    return bytes[at] == 0xff && bytes[at + 1] == 0x25;
}

/* Decodes the call through memory that ends at `end`; false: no call has that length. */
static bool read_call(const uint8_t *at, const uint8_t *end, uint64_t back,
                      struct insn_memory *memory)
{
    struct insn insn;
    size_t size = (size_t)(end - at);
    if (!insn_decode(&insn, back - size, at, size) || insn.length != size ||
        insn.flow != INSN_CALL || insn.memory_count != 2)
        return false;
    *memory = insn.memory[0];
    return true;
}

/* Computes the address of the call's operand with the registers at the time of the call. Returns
 * true if the operand points to the function entered. */
static bool operand_leads_to(struct trace_values *values, const struct insn_memory *memory,
                             uint64_t entry, uint64_t *address)
{
    const struct decode_target *target = values->target;
    uint64_t found = 0;
    if (!trace_address(values, memory, 0, address))
        return false;
    if (memory->base == SREG_SP)
        *address += sizeof found; /* the call has pushed the return address since */
    return target->memory(target->context, *address, &found, sizeof found) && found == entry;
}

static enum reason set_call_load(const struct insn_memory *memory, uint64_t ip, uint64_t address,
                                 struct access *access)
{
    call_slot(address, ACCESS_LOAD, access);
    access->ip = ip ? ip : access->ip;
    access->base = memory->base;
    access->index = memory->index;
    access->displacement = (int32_t)memory->displacement;
    access->how = ACCESS_REREAD;
    return REASON_NONE;
}

static enum reason use_call_through_slot(struct trace_values *values, const uint8_t *bytes,
                                         uint64_t back, struct call_seen *seen,
                                         struct access *access)
{
    for (size_t at = CALL_BYTES - 2; at + 1 > 0; at--) {
        struct insn_memory memory;
        uint64_t address;
        if (!read_call(bytes + at, bytes + CALL_BYTES, back, &memory) ||
            !operand_leads_to(values, &memory, seen->entry, &address))
            continue;
        call_noted(seen, CALL_LOADS);
        seen->memory = memory;
        seen->ip = back - (CALL_BYTES - at);
        return set_call_load(&memory, seen->ip, address, access);
    }
    return REASON_CALL_BOUNDARY;
}

/* Uses the call before the return address that is on the stack now. */
static enum reason use_call_on_stack(struct trace_values *values, uint64_t stack,
                                     struct call_seen *seen, struct access *access)
{
    const struct decode_target *target = values->target;
    uint64_t back = 0;
    uint64_t slot;
    uint8_t bytes[CALL_BYTES] = {0};
    int32_t distance;
    if (!trace_memory(values, stack, &back, sizeof back) ||
        target->code(target->context, back - sizeof bytes, bytes, sizeof bytes) != sizeof bytes)
        return REASON_CALL_BOUNDARY;
    const uint8_t *direct = bytes + CALL_BYTES - 5;
    memcpy(&distance, direct + 1, sizeof distance);
    uint64_t called = back + (uint64_t)(int64_t)distance;
    bool by_register = direct[3] == 0xff && (direct[4] & 0xf8) == 0xd0;
    if ((direct[0] == 0xe8 && called == seen->entry) || by_register) {
        call_noted(seen, CALL_PUSHES);
        return call_slot(stack, ACCESS_STORE, access);
    }
    if (direct[0] != 0xe8 || !stub_slot(target, called, &slot))
        return use_call_through_slot(values, bytes, back, seen, access);
    call_noted(seen, CALL_LOADS);
    seen->memory = (struct insn_memory){.base = SREG_NONE,
                                        .index = SREG_NONE,
                                        .scale = 1,
                                        .kind = ACCESS_LOAD,
                                        .displacement = (int64_t)slot};
    seen->ip = 0;
    call_slot(slot, ACCESS_LOAD, access);
    access->base = SREG_NONE;
    return REASON_NONE;
}

/* Uses the call seen before, because the return address on the stack is now another call's. */
static enum reason use_remembered_call(struct trace_values *values, uint64_t stack,
                                       const struct call_seen *seen, struct access *access)
{
    const struct insn_memory *memory = &seen->memory;
    bool fixed = memory->base == SREG_NONE && memory->index == SREG_NONE;
    uint64_t address;
    if (seen->kind == CALL_PUSHES) {
        call_slot(stack, ACCESS_STORE, access);
        access->how = ACCESS_INFERRED;
        return REASON_NONE;
    }
    /* A pointer at a fixed address is valid whichever call was made. */
    if (seen->kind == CALL_NEVER || (fixed && seen->kind == CALL_VARIES) ||
        memory->kind != ACCESS_LOAD || !operand_leads_to(values, memory, seen->entry, &address))
        return REASON_CALL_BOUNDARY;
    set_call_load(memory, seen->ip, address, access);
    access->how = fixed ? ACCESS_INFERRED : ACCESS_REREAD;
    return REASON_NONE;
}

/*
 * Finds the access of a sample at the start of a function, where the instruction that ran before is
 * the call. The call pushed the return address. Through a stub, the load of its slot came later. A
 * call through memory also waited for its target, which is the likelier culprit. `values` are at
 * the entry, `stack` is the stack pointer there; `calls` may be NULL.
 */
static enum reason call_entry(struct trace_values *values, struct calls *calls, uint64_t stack,
                              uint64_t entry, struct access *access)
{
    struct call_seen alone = {.entry = entry};
    struct call_seen *seen = calls ? calls_at(calls, entry) : &alone;
    enum reason reason = use_call_on_stack(values, stack, seen, access);
    return reason ? use_remembered_call(values, stack, seen, access) : reason;
}

enum { CULPRIT_BUDGET = 48, ACROSS_BUDGET = 200, LINE_BYTES = 64 /* on all x86-64 processors */ };

static void describe_operand(const struct insn *insn, struct access *access)
{
    const struct insn_memory *memory = &insn->memory[0];
    access->ip = insn->address;
    if (!insn->memory_count)
        return;
    access->size = memory->size;
    access->kind = memory->kind;
    access->locked = insn->locked;
    access->base = memory->base;
    access->index = memory->index;
    access->displacement = (int32_t)memory->displacement;
}

static void copy_insn_properties(const struct function *function, const struct insn *insn,
                                 struct access *access)
{
    if (!insn->memory_count)
        return;
    if (!insn->described)
        function_describe(function, insn);
    access->flushes_line = insn->evicts_line || function->flushes;
    access->is_spinning = insn->is_spinning;
    access->is_spill_slot = insn->is_spill_slot;
    access->is_stored_in_loop = insn->is_stored_in_loop;
    access->is_pointer_chase = insn->is_pointer_chase;
    access->line_was_accessed = insn->stores_after_load;
}

void culprit_describe(const struct function *function, const struct insn *insn,
                      struct access *access)
{
    describe_operand(insn, access);
    copy_insn_properties(function, insn, access);
}

/*
 * Sets whether the loop was on the same line before. `from` and `now` are values of the register
 * that it advances. Not in the first iteration, which may be a misprediction at the end of a loop.
 */
static void set_step_reuse(const struct insn *insn, uint64_t from, uint64_t now,
                           struct access *access)
{
    const struct insn_step *step = &insn->step;
    uint64_t into_line = access->address % LINE_BYTES;
    uint64_t passed = (now - from) * step->scale - (step->steps_before_access ? step->bytes : 0);
    if (into_line + access->size > LINE_BYTES || (int64_t)passed < step->bytes)
        return;
    access->per_line_log2 = (uint8_t)__builtin_ctz(LINE_BYTES / step->bytes);
    access->line_was_accessed = into_line >= step->bytes;
}

/* Sets whether the same straight-line code loaded from this line before: then the access does not
 * wait and is not part of a pass. */
static void set_load_reuse(const struct insn *insn, struct access *access)
{
    uint64_t into_line = access->address % LINE_BYTES;
    bool below = insn->loaded_below && insn->loaded_below - 1u <= into_line;
    bool above = insn->loaded_above && into_line + insn->loaded_above <= LINE_BYTES;
    if (!access->size || into_line + access->size > LINE_BYTES || (!below && !above))
        return;
    access->line_was_accessed = true;
    access->per_line_log2 = 0;
}

static enum reason lost_reason(const struct insn *culprit, const struct trace_values *values)
{
    const struct insn_memory *memory = &culprit->memory[0];
    bool own = (memory->base != SREG_NONE && culprit->writes >> memory->base & 1) ||
               (memory->index != SREG_NONE && culprit->writes >> memory->index & 1);
    if (values->no_segment)
        return REASON_SEGMENT;
    if (values->no_register)
        return REASON_NO_REGISTERS;
    return own ? REASON_OVERWRITTEN : REASON_CLOBBERED;
}

/* Infers the address: for p = p->next, the loaded value is the base of the next iteration, so this
 * is the same field of a neighbour; also a table element by its value. */
static enum reason infer_address(const struct candidate *candidate, struct trace_values *values,
                                 const struct culprit_context *world, struct access *access)
{
    struct call_trace wider;
    const struct insn_memory *memory = &candidate->culprit->memory[0];
    values->steps_left = CULPRIT_BUDGET;
    access->how = ACCESS_INFERRED;
    if (candidate->is_only_writer &&
        trace_address(values, memory, candidate->culprit_index + 1u, &access->address))
        return REASON_NONE;
    enum reason lost = lost_reason(candidate->culprit, values);
    values->steps_left = CULPRIT_BUDGET;
    if (lost != REASON_NO_REGISTERS && world->code.find &&
        trace_extend_across_calls(&wider, &world->code, values, candidate->culprit_index)) {
        struct trace_values more = *values;
        more.trace = &wider.trace;
        more.returned = true;
        more.steps_left = ACROSS_BUDGET;
        if (trace_address(&more, memory, wider.at, &access->address))
            return REASON_NONE;
    }
    values->steps_left = CULPRIT_BUDGET;
    if (lost == REASON_OVERWRITTEN &&
        address_by_loaded_value(values, candidate->culprit_index, &access->address))
        return REASON_NONE;
    access->how = ACCESS_RECORDED;
    return lost;
}

/* Returns the load of the indices if the trace contains it; NULL: they were computed. */
static const struct insn *find_index_load(const struct candidate *candidate, size_t *at)
{
    const struct insn_memory *memory = &candidate->culprit->memory[0];
    for (size_t i = candidate->culprit_index; i > 0; i--) {
        const struct insn *insn = candidate->trace.insns[i - 1];
        if (insn->vector_dest != memory->vector_index)
            continue;
        bool fits = insn->vector_load == INSN_VECTOR_COPY || insn->width == memory->index_bytes;
        *at = i - 1;
        return insn->vector_load && insn->memory_count && fits ? insn : NULL;
    }
    return NULL;
}

/* Picks every lane with equal probability. */
static unsigned pick_lane(const struct sample *sample, unsigned lanes)
{
    uint64_t mixed = (sample->time_ns ^ sample->tid) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)((mixed >> 32) % lanes);
}

static bool is_mapped(const struct decode_target *target, uint64_t address)
{
    return !target->mapped || target->mapped(target->context, address);
}

/* Vector registers are not in the sample. Indices loaded from memory are read again, and one lane
 * represents all. Otherwise the base gives the object if it points into one. */
static enum reason infer_gather(const struct candidate *candidate, struct trace_values *values,
                                const struct sample *sample, struct access *access)
{
    struct insn_memory base = candidate->culprit->memory[0];
    size_t at;
    uint64_t where;
    uint64_t index = 0;
    const struct insn *load = find_index_load(candidate, &at);
    base.vector = false;
    if (!trace_address(values, &base, candidate->culprit_index, &access->address))
        return REASON_GATHER;
    unsigned bytes =
        load && load->vector_load != INSN_VECTOR_COPY ? load->vector_load : base.index_bytes;
    bool sign = !load || load->vector_load == INSN_VECTOR_COPY || load->sign_extends;
    unsigned lane = pick_lane(sample, base.lanes);
    if (load && trace_address(values, &load->memory[0], at, &where) &&
        trace_memory(values, where + lane * bytes, &index, bytes)) {
        uint64_t top = UINT64_C(1) << (bytes * 8 - 1);
        index = sign && index & top && bytes < 8 ? index | ~((top << 1) - 1) : index;
        uint64_t address = access->address + index * base.scale;
        if (is_mapped(values->target, address)) {
            access->address = address;
            access->how = ACCESS_LANE;
            return REASON_NONE;
        }
    }
    access->how = ACCESS_IN_OBJECT;
    return base.base != SREG_NONE && is_mapped(values->target, access->address) ? REASON_NONE
                                                                                : REASON_GATHER;
}

/* Hashes thread, instruction and all of the recorded stack. Never 0. */
static uint64_t call_hash(const struct sample *sample, const struct access *access)
{
    uint64_t hash = access->ip * 31 + sample->tid;
    for (uint32_t at = 0; at + sizeof(uint64_t) <= sample->stack_bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, sample->stack + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (hash ^ sample->regs[SREG_SP]) | 1;
}

static void recall_leaf(const struct culprit_context *world, const struct sample *sample,
                        struct access *access, enum reason *reason)
{
    uint64_t call = call_hash(sample, access);
    struct culprit_leaf *leaf = &world->leaves[(call >> 8) % CULPRIT_LEAVES_MAX];
    if (*reason == REASON_NONE) {
        *leaf = (struct culprit_leaf){call, access->address};
    } else if (leaf->call == call) {
        access->address = leaf->address;
        access->how = ACCESS_INFERRED;
        *reason = REASON_NONE;
    }
}

static struct trace_values initial_values(const struct candidate *candidate,
                                          const struct culprit_context *world,
                                          const struct sample *sample)
{
    return (struct trace_values){.trace = &candidate->trace,
                                 .regs = sample->regs,
                                 .target = world->target,
                                 .unknown_registers = sample->regs_missing,
                                 .tid = sample->tid,
                                 .stack = sample->stack,
                                 .stack_bytes = sample->stack_bytes,
                                 .steps_left = CULPRIT_BUDGET};
}

struct outcome {
    const struct candidate *candidate;
    struct access *access;
    enum reason reason;
    int evidence;
    struct trace_values values;
    bool by_operand; /* the access is the memory operand of the culprit */
    bool computed;   /* ... and its address was computed, not recalled */
};

/* Finds the address on one path. Returns REASON_NONE or why there is none. */
static enum reason evaluate_candidate(struct outcome *outcome, const struct culprit_context *world,
                                      const struct sample *sample)
{
    const struct candidate *candidate = outcome->candidate;
    struct access *access = outcome->access;
    struct trace_values *values = &outcome->values;
    uint64_t stack;
    *values = initial_values(candidate, world, sample);
    outcome->by_operand = outcome->computed = false;
    if ((candidate->is_after_call || candidate->is_at_entry) &&
        trace_register(values, SREG_SP, 0, &stack))
        return candidate->is_after_call
                   ? return_slot(stack, access)
                   : call_entry(values, world->calls, stack, candidate->entry, access);
    if (!candidate->culprit)
        return candidate->reason;
    const struct insn_memory *memory = &candidate->culprit->memory[0];
    describe_operand(candidate->culprit, access);
    outcome->by_operand = true;
    if (memory->vector)
        return infer_gather(candidate, values, sample, access);
    enum reason reason = REASON_NONE;
    if (trace_address(values, memory, candidate->culprit_index, &access->address))
        access->how = values->used_stale_memory ? ACCESS_INFERRED
                      : values->used_reread     ? ACCESS_REREAD
                      : candidate->branched     ? ACCESS_BRANCHED
                      : values->used_inversion  ? ACCESS_INVERTED
                                                : ACCESS_DIRECT;
    else
        reason = infer_address(candidate, values, world, access);
    outcome->computed = !reason;
    access->is_in_leaf_frame = values->used_leaf_frame;
    if (values->used_leaf_frame && world->leaves)
        recall_leaf(world, sample, access, &reason);
    return reason;
}

/* Finishes the chosen path: adds the properties that come from the code around the culprit. */
static void apply_outcome(struct outcome *outcome, const struct function *function)
{
    const struct candidate *candidate = outcome->candidate;
    struct access *access = outcome->access;
    uint64_t from = 0;
    uint64_t now;
    access->reason = (uint8_t)outcome->reason;
    if (!outcome->by_operand)
        return;
    copy_insn_properties(function, candidate->culprit, access);
    if (candidate->culprit->memory[0].vector)
        return;
    access->is_pointer_chase &= candidate->culprit_index + 1u >= candidate->trace.count;
    const struct insn_step *step = &candidate->culprit->step;
    if (outcome->computed && step->bytes &&
        trace_register(&outcome->values, step->reg, candidate->culprit_index, &now) &&
        (step->from == SREG_NONE ||
         trace_register(&outcome->values, step->from, candidate->culprit_index, &from)))
        set_step_reuse(candidate->culprit, from, now, access);
    if (outcome->computed)
        set_load_reuse(candidate->culprit, access);
}

static bool is_possible_candidate(const struct candidate *candidate, const struct sample *sample)
{
    return candidate->condition == INSN_CONDITION_NONE || sample->regs_missing >> SREG_FLAGS & 1 ||
           insn_condition_holds(candidate->condition, sample->regs[SREG_FLAGS]) == candidate->taken;
}

/* Returns 1 if a load's register still has the value at the address that it would have read, -1 if
 * not, 0 if not known. Distinguishes candidates that are otherwise equally possible. */
static int loaded_value_agrees(const struct outcome *outcome, const struct decode_target *target,
                               const struct sample *sample)
{
    const struct insn *load = outcome->candidate->culprit;
    const struct candidate *candidate = outcome->candidate;
    uint64_t value = 0;
    uint64_t mask;
    if (outcome->reason || !load || load->op != INSN_OP_LOAD || load->sign_extends ||
        !target->memory || !load->source_width || load->source_width > 8 ||
        sample->regs_missing >> load->dest & 1)
        return 0;
    for (size_t i = candidate->culprit_index + 1u; i < candidate->trace.count; i++)
        if (candidate->trace.insns[i]->writes >> load->dest & 1)
            return 0;
    if (!target->memory(target->context, outcome->access->address, &value, load->source_width))
        return target->constants_only ? 0 : -1;
    mask = load->source_width == 8 ? UINT64_MAX : (UINT64_C(1) << load->source_width * 8) - 1;
    return (value & mask) == sample->regs[load->dest] ? 1 : -1;
}

static bool is_same_line(const struct outcome *a, const struct outcome *b)
{
    return a->reason == b->reason &&
           (a->reason || a->access->address / LINE_BYTES == b->access->address / LINE_BYTES);
}

/* Chooses among several paths by evidence. Paths to the same line count as one, but the exact
 * address is then only inferred. Returns NULL if they lead to different lines. */
static struct outcome *choose_outcome(struct outcome *outcomes, size_t count)
{
    struct outcome *best = &outcomes[0];
    for (size_t i = 1; i < count; i++)
        if (outcomes[i].evidence > best->evidence)
            best = &outcomes[i];
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i].evidence < best->evidence)
            continue;
        if (!is_same_line(&outcomes[i], best))
            return NULL;
        if (!best->reason && outcomes[i].access->address != best->access->address)
            best->access->how = ACCESS_INFERRED;
    }
    return best;
}

static void find_evidence(struct outcome *outcome, const struct culprit_context *world,
                          const struct sample *sample)
{
    const struct trace_values values = initial_values(outcome->candidate, world, sample);
    enum trace_agreement agreement = trace_agrees(&values);
    if (agreement == TRACE_REFUTED)
        outcome->evidence = -2;
    else if (agreement == TRACE_DOUBTED)
        outcome->evidence = -1;
    else if (!outcome->reason)
        outcome->evidence = loaded_value_agrees(outcome, world->target, sample);
}

/* Applies a single candidate: the fast path, because most IPs have one. */
static void apply_candidate(const struct candidate *candidate, const struct function *function,
                            const struct culprit_context *world, const struct sample *sample,
                            struct access *access)
{
    struct outcome outcome;
    outcome.candidate = candidate;
    outcome.access = access;
    outcome.reason = evaluate_candidate(&outcome, world, sample);
    /* The memory that held the base has changed since the sample. */
    if (!outcome.reason && outcome.by_operand && access->how == ACCESS_REREAD &&
        !is_mapped(world->target, access->address))
        outcome.reason = lost_reason(candidate->culprit, &outcome.values);
    apply_outcome(&outcome, function);
}

static void apply_candidates(const struct culprits *culprits, const struct culprit_context *world,
                             const struct sample *sample, struct access *access)
{
    const struct decode_target *target = world->target;
    struct outcome outcomes[CULPRIT_CANDIDATES_MAX];
    struct access accesses[CULPRIT_CANDIDATES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < culprits->candidate_count; i++) {
        const struct candidate *candidate = &culprits->candidates[i];
        if (!is_possible_candidate(candidate, sample))
            continue;
        struct outcome *outcome = &outcomes[count];
        outcome->access = &accesses[count++];
        *outcome->access = *access;
        outcome->candidate = candidate;
        outcome->reason = evaluate_candidate(outcome, world, sample);
        outcome->evidence = 0;
        if (outcome->reason == REASON_NONE && target->mapped &&
            !target->mapped(target->context, outcome->access->address)) {
            outcome->reason = REASON_BAD_ADDRESS;
            outcome->evidence = -1;
        }
    }
    for (size_t i = 0; count > 1 && i < count; i++)
        find_evidence(&outcomes[i], world, sample);
    struct outcome *chosen = count ? choose_outcome(outcomes, count) : NULL;
    if (!chosen || culprits->reason) {
        access->reason = REASON_AMBIGUOUS;
        return;
    }
    apply_outcome(chosen, culprits->function);
    *access = *chosen->access;
}

void culprit_apply_exact(const struct culprits *culprits, const struct culprit_context *world,
                         const struct sample *sample, struct access *access)
{
    uint32_t nothing = 0;
    struct candidate candidate = {.trace = {.written = &nothing},
                                  .culprit = culprits->at_ip,
                                  .condition = INSN_CONDITION_NONE};
    if (!culprit_may_miss(culprits->at_ip)) {
        access->reason = REASON_NO_MEMORY;
        return;
    }
    const struct culprit_context alone = {.target = world->target};
    apply_candidate(&candidate, culprits->function, &alone, sample, access);
}

void culprits_apply(const struct culprits *culprits, const struct culprit_context *world,
                    const struct sample *sample, struct access *access)
{
    if (culprits->at_ip && culprits->at_ip->repeats) {
        culprit_apply_exact(culprits, world, sample, access);
    } else if (culprits->candidate_count == 1 && !culprits->reason) {
        if (is_possible_candidate(culprits->candidates, sample))
            apply_candidate(culprits->candidates, culprits->function, world, sample, access);
        else
            access->reason = REASON_AMBIGUOUS;
    } else if (culprits->candidates) {
        apply_candidates(culprits, world, sample, access);
    } else {
        access->reason = culprits->reason;
    }
}

/* Finds the candidates: walks all paths back to the access that may have missed. */

enum {
    CULPRIT_STEPS_MAX = 8,     /* instructions skipped before giving up */
    CULPRIT_CROSSINGS_MAX = 2, /* block boundaries crossed on one path */
    CULPRIT_PREFIX_MAX = 24,   /* instructions before the culprit, to recompute its registers */
    CULPRIT_LOOP_BYTES = 512
};

/* A path being walked: instructions newest first. */
struct candidate_path {
    const struct insn *steps[CULPRIT_STEPS_MAX + 1];
    size_t count;
    size_t crossings;
    uint8_t condition;
    bool taken;
    bool branched;
};

struct candidate_search {
    const struct function *function;
    size_t count;
    bool overflow;
    struct candidate candidates[CULPRIT_CANDIDATES_MAX];
    const struct insn *insns[CULPRIT_CANDIDATES_MAX][TRACE_MAX]; /* of their traces */
    uint32_t written[CULPRIT_CANDIDATES_MAX][TRACE_MAX + 1];
};

/* Compilers pad labels with no-ops, which do not run after a jump or return. */
static bool is_fallen_into(const struct function *function, size_t index)
{
    size_t at = index;
    while (at > 0 && function_adjacent(function, at)) {
        const struct insn_outline *before = &function->outlines[at - 1];
        if (before->flow == INSN_JUMP || before->flow == INSN_RETURN || before->flow == INSN_STOP)
            return false;
        if (!before->is_nop || before->is_target)
            return true;
        at--;
    }
    return !at && index;
}

/* Returns 0 if the function also jumps through memory. */
static uint32_t registers_of_jumps(const struct function *function)
{
    uint32_t registers = 0;
    for (size_t i = 0; i < function->count; i++) {
        if (function->outlines[i].flow != INSN_JUMP || function->outlines[i].target)
            continue;
        const struct insn *insn = function_insn(function, i);
        if (insn->memory_count || insn->dest == SREG_NONE)
            return 0;
        registers |= 1u << insn->dest;
    }
    return registers;
}

/* Adds the straight-line instructions before the culprit, to recompute its registers. */
static size_t add_prefix(const struct function *function, size_t culprit,
                         struct candidate *candidate)
{
    size_t first = culprit;
    while (first > 0 && culprit - first < CULPRIT_PREFIX_MAX &&
           !function->outlines[first].is_target && function_adjacent(function, first) &&
           (function->outlines[first - 1].flow == INSN_PLAIN ||
            function->outlines[first - 1].flow == INSN_CONDITIONAL))
        first--;
    for (size_t i = first; i < culprit; i++)
        candidate->trace.insns[candidate->trace.count++] = function_insn(function, i);
    if (first && !function->outlines[first].is_target && !is_fallen_into(function, first))
        candidate->trace.entry_registers = registers_of_jumps(function);
    return candidate->trace.count;
}

/* Returns true if the culprit is in a loop in which nothing else writes its base. */
static bool is_in_own_loop(const struct function *function, size_t culprit)
{
    const struct insn *load = function_insn(function, culprit);
    uint8_t base = load->memory[0].base;
    if (load->op != INSN_OP_LOAD || load->dest != base || base == SREG_NONE)
        return false;
    for (size_t i = culprit; i < function->count; i++) {
        const struct insn *insn = function_insn(function, i);
        if (insn->address - load->address > CULPRIT_LOOP_BYTES)
            return false;
        if (i > culprit && insn->writes >> base & 1)
            return false;
        bool jump = insn->flow == INSN_CONDITIONAL || insn->flow == INSN_JUMP;
        if (!jump || !insn->target || insn->target > load->address)
            continue;
        size_t head = function_index(function, insn->target);
        for (size_t j = head; j < culprit; j++)
            if (function_insn(function, j)->writes >> base & 1)
                return false;
        return head != SIZE_MAX;
    }
    return false;
}

static bool is_same_slot(const struct insn_memory *a, const struct insn_memory *b)
{
    return a->base == b->base && a->index == b->index && a->segment == b->segment &&
           a->displacement == b->displacement;
}

/* Checks the same in unoptimised code: the base is loaded from a frame slot, and stored there. */
static bool is_in_loop_of_slot(const struct function *function, size_t culprit)
{
    const struct insn *load = function_insn(function, culprit);
    uint8_t base = load->memory[0].base;
    size_t from = culprit;
    if (load->op != INSN_OP_LOAD || load->dest != base || base == SREG_NONE ||
        load->memory[0].index != SREG_NONE || culprit + 1 >= function->count)
        return false;
    do
        if (!from || !function_adjacent(function, from) || function->outlines[from].is_target)
            return false;
    while (!(function_insn(function, --from)->writes >> base & 1));
    const struct insn *slot = function_insn(function, from);
    const struct insn *store = function_insn(function, culprit + 1);
    return slot->op == INSN_OP_LOAD && slot->dest == base && slot->memory[0].base != base &&
           store->stored_register == base && store->memory_count &&
           is_same_slot(&store->memory[0], &slot->memory[0]);
}

static void finish_candidate(struct candidate_search *search, const struct candidate_path *walk,
                             size_t culprit, enum reason reason)
{
    if (search->count == CULPRIT_CANDIDATES_MAX) {
        search->overflow = true;
        return;
    }
    size_t number = search->count++;
    struct candidate *candidate = &search->candidates[number];
    *candidate = (struct candidate){
        .trace = {.insns = search->insns[number], .written = search->written[number]},
        .condition = walk->condition,
        .taken = walk->taken,
        .branched = walk->branched,
        .reason = (uint8_t)reason};
    if (reason == REASON_NONE) {
        candidate->culprit = function_insn(search->function, culprit);
        candidate->culprit_index = (uint8_t)add_prefix(search->function, culprit, candidate);
        candidate->is_only_writer = is_in_own_loop(search->function, culprit) ||
                                    is_in_loop_of_slot(search->function, culprit);
    }
    for (size_t i = walk->count; i > 0; i--)
        candidate->trace.insns[candidate->trace.count++] = walk->steps[i - 1];
    trace_seal(&candidate->trace);
}

static void walk_back(struct candidate_search *search, struct candidate_path walk, size_t index);

static void search_step(struct candidate_search *search, struct candidate_path walk, size_t index)
{
    const struct insn *insn = function_insn(search->function, index);
    if (insn->flow == INSN_CALL || insn->flow == INSN_SYSCALL) {
        finish_candidate(search, &walk, index,
                         insn->flow == INSN_CALL ? REASON_CALL_BOUNDARY : REASON_NO_MEMORY);
        search->candidates[search->count - 1].is_after_call = insn->flow == INSN_CALL;
        return;
    }
    walk.steps[walk.count++] = insn;
    if (culprit_may_miss(insn))
        finish_candidate(search, &walk, index, REASON_NONE);
    else if (walk.count >= CULPRIT_STEPS_MAX)
        finish_candidate(search, &walk, index, REASON_NO_MEMORY);
    else
        walk_back(search, walk, index);
}

/* Uses the flags for a jump only if no later instruction has changed them. */
static void note_condition(struct candidate_path *walk, const struct insn_outline *jump, bool taken)
{
    if (walk->condition != INSN_CONDITION_NONE || jump->flow != INSN_CONDITIONAL)
        return;
    for (size_t i = 0; i < walk->count; i++)
        if (walk->steps[i]->changes_flags)
            return;
    walk->condition = jump->condition;
    walk->taken = taken;
}

static void walk_jumps(struct candidate_search *search, const struct candidate_path *walk,
                       size_t index)
{
    const struct function *function = search->function;
    uint64_t target = function_address(function, index);
    for (size_t i = 0; i < function->count; i++) {
        const struct insn_outline *jump = &function->outlines[i];
        if (jump->target != target || (jump->flow != INSN_JUMP && jump->flow != INSN_CONDITIONAL))
            continue;
        struct candidate_path next = *walk;
        note_condition(&next, jump, true);
        next.branched = true;
        next.crossings++;
        search_step(search, next, i);
    }
}

/* Handles a label without fall-through or direct jumps, for example a case: one of the jumps
 * through a register or table reached it. Returns false if the function has none. */
static bool walk_indirect(struct candidate_search *search, const struct candidate_path *walk)
{
    const struct function *function = search->function;
    bool any = false;
    for (size_t i = 0; i < function->count; i++) {
        if (function->outlines[i].flow != INSN_JUMP || function->outlines[i].target)
            continue;
        struct candidate_path next = *walk;
        next.branched = true;
        next.crossings++;
        search_step(search, next, i);
        any = true;
    }
    return any;
}

/* Returns true for a procedure linkage stub, which is entered by calls like a function. */
static bool is_stub(const struct insn *insn)
{
    return insn->flow == INSN_JUMP && insn->memory_count && insn->memory[0].base == SREG_NONE &&
           insn->memory[0].index == SREG_NONE;
}

static void walk_back(struct candidate_search *search, struct candidate_path walk, size_t index)
{
    const struct function *function = search->function;
    bool falls = is_fallen_into(function, index);
    bool stub = is_stub(function_insn(function, index));
    if (function->outlines[index].is_target && walk.crossings < CULPRIT_CROSSINGS_MAX)
        walk_jumps(search, &walk, index);
    if (falls) {
        struct candidate_path next = walk;
        note_condition(&next, &function->outlines[index - 1], false);
        search_step(search, next, index - 1);
    } else if (index && !function->outlines[index].is_target && !stub &&
               walk.crossings < CULPRIT_CROSSINGS_MAX && walk_indirect(search, &walk)) {
        return;
    } else if (index == 0 || !function->outlines[index].is_target) {
        finish_candidate(search, &walk, index, REASON_CALL_BOUNDARY);
        search->candidates[search->count - 1].is_at_entry =
            stub || (function->is_complete && !index);
        search->candidates[search->count - 1].entry = function_address(function, index);
    }
}

static uint64_t last_address_before(const struct function *function, size_t index)
{
    const struct insn_outline *before = index ? &function->outlines[index - 1] : NULL;
    if (!before || function_insn(function, index)->repeats ||
        (function_adjacent(function, index) && before->flow == INSN_CALL))
        return function_address(function, index);
    return function_adjacent(function, index) ? function_address(function, index - 1) : 0;
}

static int keep_candidates(struct culprits *culprits, const struct candidate_search *search)
{
    size_t insns = 0;
    for (size_t i = 0; i < search->count; i++)
        insns += search->candidates[i].trace.count;
    size_t size = search->count * sizeof *culprits->candidates + insns * sizeof(struct insn *) +
                  (insns + search->count) * sizeof(uint32_t);
    culprits->candidates = malloc(size + 1);
    if (!culprits->candidates)
        return -ENOMEM;
    culprits->bytes = (uint32_t)size;
    const struct insn **insn = (void *)(culprits->candidates + search->count);
    uint32_t *written = (void *)(insn + insns);
    for (size_t i = 0; i < search->count; i++) {
        struct trace *kept = &culprits->candidates[i].trace;
        culprits->candidates[i] = search->candidates[i];
        kept->insns = memcpy(insn, search->insns[i], kept->count * sizeof *insn);
        kept->written = memcpy(written, search->written[i], (kept->count + 1u) * sizeof *written);
        insn += kept->count;
        written += kept->count + 1;
    }
    return 0;
}

int culprits_init(struct culprits *culprits, struct function *function, uint64_t ip)
{
    struct candidate_search search; /* 10 KiB, mostly unused */
    struct candidate_path walk = {.condition = INSN_CONDITION_NONE};
    size_t index = function_index(function, ip);
    *culprits = (struct culprits){.ip = ip,
                                  .at_ip = function_insn(function, index),
                                  .ran_last = last_address_before(function, index),
                                  .function = function};
    search.function = function;
    search.count = 0;
    search.overflow = false;
    walk_back(&search, walk, index);
    culprits->candidate_count = (uint8_t)search.count;
    if (search.overflow)
        culprits->reason = REASON_AMBIGUOUS;
    return keep_candidates(culprits, &search);
}

void culprits_fini(struct culprits *culprits)
{
    free(culprits->candidates);
}
