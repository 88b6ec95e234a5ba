/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/function.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"

/* LOOP_MAX: most instructions in an analysed loop. */
enum { LOOP_MAX = 256, WAITING_LOOP_MAX = 24, PAUSE_BYTES = 2 };

static bool is_jump(uint8_t flow)
{
    return flow == INSN_JUMP || flow == INSN_CONDITIONAL;
}

static bool is_compare(const struct insn *insn)
{
    return !insn->writes && insn->changes_flags;
}

/* Adds, subtracts or masks with a constant: i++, n--. */
static bool is_step_by_constant(const struct insn *insn)
{
    return (insn->op == INSN_OP_ADD || insn->op == INSN_OP_SUB || insn->op == INSN_OP_AND) &&
           insn->source == SREG_NONE;
}

/* Floating point sums write no tracked register either, but are longer than a pause. */
static bool is_pause_like(const struct insn *insn)
{
    return insn->is_nop || (!insn->writes && !insn->changes_flags && insn->length <= PAUSE_BYTES);
}

static bool may_be_in_waiting_loop(const struct insn *insn)
{
    if (is_jump(insn->flow))
        return !insn->memory_count;
    if (insn->flow != INSN_PLAIN || insn->repeats || insn->string_step || insn->stack_step ||
        insn->locked || insn->partial_op != INSN_PARTIAL_NONE || insn->memory_count > 1)
        return false;
    if (insn->memory_count)
        return insn->memory[0].kind == ACCESS_LOAD && !insn->memory[0].vector &&
               (insn->op == INSN_OP_LOAD || is_compare(insn));
    return insn->op == INSN_OP_MOVE || is_step_by_constant(insn) || is_compare(insn) ||
           is_pause_like(insn);
}

struct loop {
    const struct function *function;
    struct function_loop *found;
    size_t head;
    size_t count;
    const struct insn_memory *operands[LOOP_MAX + 1]; /* of the instructions that access memory */
    size_t operand_count;
    bool operands_noted;
};

static const struct insn *loop_insn(const struct loop *loop, size_t at)
{
    return function_insn(loop->function, loop->head + at);
}

static uint32_t loop_writes(const struct loop *loop)
{
    uint32_t writes = 0;
    for (size_t i = 0; i < loop->count; i++)
        writes |= loop_insn(loop, i)->writes;
    return writes;
}

/* Returns the registers that the loop writes, except by a load from a fixed address. */
static uint32_t loop_varying(const struct loop *loop)
{
    uint32_t all = loop_writes(loop);
    uint32_t vary = 0;
    for (size_t i = 0; i < loop->count; i++) {
        const struct insn *insn = loop_insn(loop, i);
        if (!insn->memory_count || insn_memory_uses(&insn->memory[0]) & all)
            vary |= insn->writes;
    }
    return vary;
}

static bool is_waiting_loop(const struct loop *loop)
{
    uint32_t vary = loop_varying(loop);
    bool looks = false;
    bool leaves = false;
    for (size_t i = 0; i < loop->count; i++) {
        const struct insn *insn = loop_insn(loop, i);
        if (!may_be_in_waiting_loop(insn) ||
            (i && !function_adjacent(loop->function, loop->head + i)) ||
            (insn->memory_count && insn_memory_uses(&insn->memory[0]) & vary))
            return false;
        looks |= insn->memory_count > 0;
        leaves |= insn->flow == INSN_CONDITIONAL;
    }
    return looks && leaves;
}

static bool accesses_stack_slot(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].index == SREG_NONE &&
           (insn->memory[0].base == SREG_SP || insn->memory[0].base == SREG_BP);
}

enum { STEPS_BEFORE = 24, STEPS_DEPTH = 4, STEPS_BYTES_MAX = 32 };

/* Goes around the loop. SIZE_MAX: the register does not change in the loop. */
static size_t find_writer(const struct loop *loop, size_t at, uint8_t reg)
{
    if (reg >= 32)
        return SIZE_MAX;
    for (size_t before = at; before-- > 0;)
        if (loop_insn(loop, before)->writes >> reg & 1)
            return before;
    for (size_t before = loop->count; before-- > at;)
        if (loop_insn(loop, before)->writes >> reg & 1)
            return before;
    return SIZE_MAX;
}

/* Returns true for a load in the loop, from a different address in each iteration. */
static bool is_loaded_in_loop(const struct loop *loop, size_t at, uint8_t reg, int depth)
{
    size_t from = find_writer(loop, at, reg);
    if (from == SIZE_MAX || !depth)
        return false;
    const struct insn *insn = loop_insn(loop, from);
    const struct insn_memory *memory = &insn->memory[0];
    switch (insn->op) {
    case INSN_OP_NONE:
    case INSN_OP_EXCHANGE:
        return false;
    case INSN_OP_LOAD:
        return !accesses_stack_slot(insn) && (find_writer(loop, from, memory->base) != SIZE_MAX ||
                                              find_writer(loop, from, memory->index) != SIZE_MAX);
    case INSN_OP_LEA:
        return is_loaded_in_loop(loop, from, memory->base, depth - 1) ||
               is_loaded_in_loop(loop, from, memory->index, depth - 1);
    default:
        return is_loaded_in_loop(loop, from, insn->source, depth - 1) ||
               (insn->op != INSN_OP_MOVE && is_loaded_in_loop(loop, from, insn->dest, depth - 1));
    }
}

/* Finds the initial value of the register in the code before the loop: 0 (SREG_NONE), or the value
 * of a register that the loop does not change. Returns false if not known. */
static bool find_start(const struct loop *loop, uint8_t reg, uint8_t *from)
{
    *from = SREG_NONE;
    for (size_t i = 1; i <= loop->head && i <= STEPS_BEFORE; i++) {
        const struct insn *insn = function_insn(loop->function, loop->head - i);
        if (!(insn->writes >> reg & 1))
            continue;
        if (insn->op == INSN_OP_XOR)
            return insn->source == reg;
        *from = insn->source;
        return insn->op == INSN_OP_MOVE &&
               (insn->source == SREG_NONE ? !insn->immediate
                                          : insn->width == 8 && !insn->sign_extends &&
                                                find_writer(loop, 0, insn->source) == SIZE_MAX);
    }
    return false;
}

/* Returns the register's only change in the loop if it adds a constant, otherwise NULL. */
static const struct insn *find_constant_step(const struct loop *loop, size_t at, uint8_t reg)
{
    size_t by = find_writer(loop, at, reg);
    const struct insn *insn = by == SIZE_MAX ? NULL : loop_insn(loop, by);
    bool adds = insn && insn->op == INSN_OP_ADD && insn->source == SREG_NONE && insn->dest == reg &&
                insn->immediate > 0;
    return adds && find_writer(loop, by, reg) == by ? insn : NULL;
}

/* Finds the step of an operand in which one register advances and the other does not change. */
static bool find_step(const struct loop *loop, size_t at, struct insn_step *step)
{
    const struct insn *insn = loop_insn(loop, at);
    const struct insn_memory *memory = &insn->memory[0];
    bool by_index = memory->index != SREG_NONE && find_constant_step(loop, at, memory->index);
    uint8_t reg = by_index ? memory->index : memory->base;
    uint8_t other = by_index ? memory->base : memory->index;
    const struct insn *by = find_constant_step(loop, at, reg);
    if (!by || find_writer(loop, at, other) != SIZE_MAX)
        return false;
    uint64_t bytes = (uint64_t)by->immediate * (by_index ? memory->scale : 1);
    if (bytes > STEPS_BYTES_MAX || bytes & (bytes - 1))
        return false;
    *step = (struct insn_step){.bytes = (uint8_t)bytes,
                               .scale = by_index ? memory->scale : 1,
                               .reg = reg,
                               .steps_before_access = by->address < insn->address};
    return find_start(loop, reg, &step->from);
}

static bool has_same_registers(const struct insn_memory *left, const struct insn_memory *right)
{
    return left->base == right->base && left->index == right->index &&
           left->scale == right->scale && left->segment == right->segment &&
           left->has_32bit_address == right->has_32bit_address;
}

static void loop_list_operands(struct loop *loop)
{
    loop->operand_count = 0;
    loop->operands_noted = true;
    for (size_t i = 0; i < loop->count; i++) {
        const struct insn *insn = loop_insn(loop, i);
        if (insn->memory_count)
            loop->operands[loop->operand_count++] = &insn->memory[0];
    }
}

/* Returns true if the loop loads from the same operand, or stores to it. */
static bool loop_accesses_operand(struct loop *loop, const struct insn_memory *operand, bool stores)
{
    if (!loop->operands_noted)
        loop_list_operands(loop);
    for (size_t i = 0; i < loop->operand_count; i++) {
        const struct insn_memory *memory = loop->operands[i];
        bool is_store = memory->kind == ACCESS_STORE || memory->kind == ACCESS_LOAD_STORE;
        if (memory->displacement == operand->displacement && has_same_registers(memory, operand) &&
            (stores ? is_store : memory->kind == ACCESS_LOAD))
            return true;
    }
    return false;
}

static void mark_loop_access(struct loop *loop, size_t at, struct insn *insn)
{
    const struct insn_memory *memory = &insn->memory[0];
    if (insn->repeats || insn->stack_step || memory->vector || accesses_stack_slot(insn))
        return;
    insn->is_pointer_chase = is_loaded_in_loop(loop, at, memory->base, STEPS_DEPTH) ||
                             is_loaded_in_loop(loop, at, memory->index, STEPS_DEPTH);
    struct insn_step step;
    if (!find_step(loop, at, &step))
        return;
    insn->stores_after_load =
        memory->kind == ACCESS_STORE && loop_accesses_operand(loop, memory, false);
    if (memory->kind != ACCESS_STORE)
        insn->step = step;
}

/* Returns the target of a backward jump, or SIZE_MAX if it is none or too far. */
static size_t loop_head(const struct function *function, size_t at)
{
    const struct insn_outline *outlines = function->outlines;
    const struct insn_outline *jump = &outlines[at];
    size_t first = at > LOOP_MAX ? at - LOOP_MAX : 0;
    uint64_t to = jump->target - function->start;
    if (!is_jump(jump->flow) || !jump->target || to > jump->at || to < outlines[first].at)
        return SIZE_MAX;
    size_t head = first + SORTED_BELOW(outlines + first, at - first, at, to);
    return outlines[head].at == to ? head : SIZE_MAX;
}

static size_t loops_before(const struct function *function, size_t index)
{
    return SORTED_BELOW(function->loops, function->loop_count, last, index);
}

/* The last of several jumps back to the same target ends the loop. */
static bool ends_loop(const struct loop *loop)
{
    const struct function *function = loop->function;
    size_t i = loops_before(function, loop->head + loop->count);
    for (; i < function->loop_count && function->loops[i].last - loop->head < LOOP_MAX; i++)
        if (function->loops[i].head == loop->head)
            return false;
    return true;
}

static bool loop_calls(const struct loop *loop)
{
    for (size_t i = 0; i < loop->count; i++)
        if (loop->function->outlines[loop->head + i].flow == INSN_CALL)
            return true;
    return false;
}

/*
 * Sets the properties of an access that come from a loop around it.
 *
 * `is_spinning`: the loop only waits for another thread's store: it loads from the same address in
 * each iteration, compares, counts and jumps. It writes no memory and computes nothing from the
 * loaded values.
 *
 * `is_spill_slot`: a slot of the frame in a loop that makes calls. The callee may use the registers
 * (no vector register is preserved across a call), so such a variable stays in memory, and its
 * first reader mostly waits for the result of the call.
 *
 * The step of the operand comes from the innermost loop, which is found first because it ends
 * first.
 */
static void mark_loop(struct loop *loop, size_t at, struct insn *insn)
{
    struct function_loop *found = loop->found;
    bool jumps_back = at + 1 == loop->count;
    if (!found->known) {
        found->calls = loop_calls(loop);
        found->is_last_jump = ends_loop(loop);
        found->known = true;
    }
    if (!jumps_back && loop->count <= WAITING_LOOP_MAX + 1 && is_waiting_loop(loop))
        insn->is_spinning = true;
    if (!jumps_back && accesses_stack_slot(insn)) {
        insn->is_spill_slot |= found->calls;
        insn->is_stored_in_loop =
            insn->is_stored_in_loop || loop_accesses_operand(loop, &insn->memory[0], true);
    }
    if (found->is_last_jump && !insn->in_loop)
        mark_loop_access(loop, at, insn);
    insn->in_loop |= found->is_last_jump;
}

static struct insn *decoded_insn(const struct function *function, size_t index)
{
    struct insn *block = function->blocks[index / FUNCTION_BLOCK];
    return block ? &block[index % FUNCTION_BLOCK] : NULL;
}

static struct insn *decode_insn(const struct function *function, size_t index)
{
    const struct insn_outline *outline = &function->outlines[index];
    struct insn **block = &function->blocks[index / FUNCTION_BLOCK];
    if (!*block) {
        *block = calloc(FUNCTION_BLOCK, sizeof **block);
        if (function->kept_bytes)
            *function->kept_bytes += FUNCTION_BLOCK * sizeof **block;
    }
    struct insn *insn = decoded_insn(function, index);
    uint64_t address = function_address(function, index);
    if (!insn || !insn_decode(insn, address, function->bytes + (address - function->bytes_start),
                              outline->length))
        return NULL;
    insn->is_target = outline->is_target;
    return insn;
}

const struct insn *function_insn(const struct function *function, size_t index)
{
    static const struct insn unknown = {
        .length = 1, .dest = SREG_NONE, .source = SREG_NONE, .stored_register = SREG_NONE};
    const struct insn *insn = decoded_insn(function, index);
    if (!insn || !insn->decoded)
        insn = decode_insn(function, index);
    return insn ? insn : &unknown;
}

enum { LOADED_BEFORE = 24, LOADED_WITHIN = 64 /* bytes of a cache line */ };

static void note_earlier_load(struct insn *insn, const struct insn_memory *loaded)
{
    uint64_t above = (uint64_t)loaded->displacement - (uint64_t)insn->memory[0].displacement;
    uint64_t below = 0 - above;
    uint64_t last = loaded->size ? loaded->size - 1u : 0;
    bool is_above = (int64_t)above > 0;
    uint8_t *nearest = is_above ? &insn->loaded_above : &insn->loaded_below;
    uint64_t distance = is_above ? above : below > last ? below - last : 0;
    if (distance < LOADED_WITHIN && (!*nearest || distance + 1 < *nearest))
        *nearest = (uint8_t)(distance + 1);
}

/* Notes earlier loads by the same registers in the same straight-line code. */
static void find_earlier_loads(const struct function *function, size_t at, struct insn *insn)
{
    uint32_t uses = insn_memory_uses(&insn->memory[0]);
    if (!insn->memory_count || insn->repeats || insn->memory[0].vector)
        return;
    for (size_t i = at; i > 0 && at - i < LOADED_BEFORE; i--) {
        if (function->outlines[i].is_target || !function_adjacent(function, i))
            return;
        const struct insn *before = function_insn(function, i - 1);
        const struct insn_memory *memory = &before->memory[0];
        if (before->writes & uses ||
            (before->flow != INSN_PLAIN && before->flow != INSN_CONDITIONAL))
            return;
        if (before->memory_count && !before->repeats && !memory->vector &&
            memory->kind != ACCESS_STORE && has_same_registers(memory, &insn->memory[0]))
            note_earlier_load(insn, memory);
    }
}

/* Finds the next loop around an instruction that ends at instruction `last` or later. */
static bool next_loop(const struct function *function, size_t index, size_t last, struct loop *loop)
{
    size_t i = loops_before(function, last);
    for (; i < function->loop_count && function->loops[i].last <= index + LOOP_MAX; i++) {
        struct function_loop *found = &function->loops[i];
        loop->function = function;
        loop->found = found;
        loop->operands_noted = false;
        loop->head = found->head;
        loop->count = found->last - found->head + 1;
        if (found->head <= index)
            return true;
    }
    return false;
}

void function_describe(const struct function *function, const struct insn *known)
{
    struct loop loop;
    if (known->described || !known->memory_count)
        return;
    size_t index = function_index(function, known->address);
    struct insn *insn = decoded_insn(function, index);
    for (size_t i = index; next_loop(function, index, i, &loop); i = loop.head + loop.count)
        mark_loop(&loop, index - loop.head, insn);
    find_earlier_loads(function, index, insn);
    insn->described = true;
}

enum {
    FUNCTION_BEFORE = 192, /* bytes before the IP in a partial function */
    FUNCTION_AFTER = 64,
    FUNCTION_STARTS = 48, /* points at which decoding starts to find an unknown boundary */
    VOTERS_MIN = 8,
    INSN_BYTES_MAX = 15,
    BOUNDARY_NO_CODE = UINT8_MAX, /* leads to bytes that are not an instruction */
    BOUNDARY_MISSED = UINT8_MAX - 1
};

struct code {
    unsigned char *bytes;
    size_t size;
    uint64_t start;
};

size_t function_index(const struct function *function, uint64_t address)
{
    uint64_t at = address - function->start;
    size_t low = SORTED_BELOW(function->outlines, function->count, at, at);
    return low < function->count && function->outlines[low].at == at ? low : SIZE_MAX;
}

void function_free(struct function *function)
{
    if (!function)
        return;
    for (size_t i = 0; function->blocks && i < function->count; i += FUNCTION_BLOCK)
        free(function->blocks[i / FUNCTION_BLOCK]);
    free(function->blocks);
    free(function->outlines);
    free(function->loops);
    free(function->bytes);
    free(function);
}

size_t function_bytes(const struct function *function)
{
    size_t bytes = function->end - function->bytes_start +
                   function->count * sizeof *function->outlines +
                   function->loop_count * sizeof *function->loops;
    for (size_t i = 0; i < function->count; i += FUNCTION_BLOCK)
        if (function->blocks[i / FUNCTION_BLOCK])
            bytes += FUNCTION_BLOCK * sizeof **function->blocks;
    return bytes;
}

/* Continues one byte further after invalid bytes. */
static int outline_function(const struct code *code, struct function *function)
{
    size_t first = function->start - code->start;
    size_t room = 0;
    for (size_t at = first; at < code->size;) {
        if (!array_reserve_next(&function->outlines, &room, function->count,
                                sizeof *function->outlines, ARRAY_UNBOUNDED))
            return -1;
        struct insn_outline *now = &function->outlines[function->count];
        bool known = insn_outline(now, code->start + at, code->bytes + at, code->size - at);
        now->at = (uint32_t)(at - first);
        function->count += known;
        function->flushes |= known && now->flushes_line;
        at += known ? now->length : 1;
    }
    /* Shrinks the array: there are thousands of functions. */
    struct insn_outline *exact =
        function->count ? realloc(function->outlines, function->count * sizeof *exact) : NULL;
    function->outlines = exact ? exact : function->outlines;
    function->blocks = calloc(function->count / FUNCTION_BLOCK + 1, sizeof *function->blocks);
    return function->blocks ? 0 : -1;
}

/* Finds the jumps back by at most LOOP_MAX instructions. Returns false if out of memory. */
static bool find_loops(struct function *function)
{
    size_t room = 0;
    for (size_t i = 0; i < function->count; i++) {
        size_t head = loop_head(function, i);
        if (head == SIZE_MAX)
            continue;
        if (!array_reserve_next(&function->loops, &room, function->loop_count,
                                sizeof *function->loops, ARRAY_UNBOUNDED))
            return false;
        function->loops[function->loop_count++] =
            (struct function_loop){.head = (uint32_t)head, .last = (uint32_t)i};
    }
    return true;
}

static void mark_targets(struct function *function)
{
    for (size_t i = 0; i < function->count; i++) {
        const struct insn_outline *jump = &function->outlines[i];
        size_t target =
            is_jump(jump->flow) && jump->target ? function_index(function, jump->target) : SIZE_MAX;
        if (target != SIZE_MAX)
            function->outlines[target].is_target = true;
    }
}

/* Finds for each offset the last boundary before the IP that decoding from the offset reaches. */
static void find_boundary_reached(const struct code *code, size_t wanted, uint8_t *before)
{
    for (size_t at = wanted; at-- > 0;) {
        struct insn_outline insn;
        bool known = insn_outline(&insn, at, code->bytes + at, code->size - at);
        size_t next = known ? at + insn.length : 0;
        before[at] = (uint8_t)(!known           ? BOUNDARY_NO_CODE
                               : next == wanted ? at
                               : next < wanted  ? before[next]
                                                : BOUNDARY_MISSED);
    }
}

/*
 * Without bounds, boundaries are found by decoding from many points: x86 code falls into step
 * after a few instructions, so the boundaries that most points agree on are right. Points that lead
 * to invalid bytes have no vote; nearer points are used (Haskell has a table before each block).
 * Returns the farthest start that agrees; SIZE_MAX: fewer than three quarters agree.
 */
static size_t find_boundary(const struct code *code, size_t wanted)
{
    uint8_t before[FUNCTION_BEFORE];
    unsigned votes[UINT8_MAX + 1] = {0};
    unsigned voters = 0;
    uint8_t most = BOUNDARY_MISSED;
    find_boundary_reached(code, wanted, before);
    for (size_t start = 0; voters < FUNCTION_STARTS && start + INSN_BYTES_MAX < wanted; start++) {
        voters += before[start] != BOUNDARY_NO_CODE;
        votes[before[start]] += before[start] != BOUNDARY_NO_CODE;
        most = votes[before[start]] > votes[most] ? before[start] : most;
    }
    if (most == BOUNDARY_MISSED || voters < VOTERS_MIN || votes[most] * 4 < voters * 3)
        return SIZE_MAX;
    return (size_t)((uint8_t *)memchr(before, most, wanted) - before);
}

static int read_code(const struct decode_target *target, uint64_t start, uint64_t end,
                     struct code *code)
{
    code->bytes = malloc(end - start);
    code->start = start;
    code->size = code->bytes ? target->code(target->context, start, code->bytes, end - start) : 0;
    return code->size ? 0 : -1;
}

static uint64_t choose_decode_start(const struct decode_target *target, uint64_t ip,
                                    struct code *code)
{
    uint64_t start = ip > FUNCTION_BEFORE ? ip - FUNCTION_BEFORE : 0;
    if (!read_code(target, start, ip + FUNCTION_AFTER, code) && code->size > ip - start) {
        size_t boundary = find_boundary(code, ip - start);
        return boundary == SIZE_MAX ? ip : start + boundary;
    }
    /* The bytes before may be unmapped: read at least the instruction itself. */
    free(code->bytes);
    return read_code(target, ip, ip + FUNCTION_AFTER, code) ? UINT64_MAX : ip;
}

struct function *function_new(const struct decode_target *target, uint64_t ip, bool part,
                              enum reason *reason)
{
    struct code code = {0};
    struct function *function = calloc(1, sizeof *function);
    uint64_t start = 0;
    uint64_t end = 0;
    *reason = REASON_NO_CODE;
    if (!function)
        return NULL;
    function->is_complete = !part && target->function &&
                            target->function(target->context, ip, &start, &end) && start <= ip &&
                            ip < end && end - start <= FUNCTION_BYTES_MAX;
    if (!function->is_complete)
        start = choose_decode_start(target, ip, &code);
    else if (read_code(target, start, end, &code))
        start = UINT64_MAX;
    if (start == UINT64_MAX || ip - code.start >= code.size)
        goto failed;
    *reason = REASON_BAD_CODE;
    function->start = start;
    function->end = code.start + code.size;
    if (outline_function(&code, function) || function_index(function, ip) == SIZE_MAX)
        goto failed;
    mark_targets(function);
    if (!find_loops(function))
        goto failed;
    function->bytes = code.bytes;
    function->bytes_start = code.start;
    return function;

failed:
    free(code.bytes);
    function_free(function);
    return NULL;
}
