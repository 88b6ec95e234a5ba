/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "resolve/dwarf/program.h"
#include "resolve/members.h"

/* Returns the operand in question. A question without registers gets the first operand, because
 * it may give the address in another form or not at all. NULL: the operand belongs to another
 * instruction, such as the stack access of the call or return before this one. */
static const struct insn_memory *asked_operand(const struct insn *insn,
                                               const struct dwarf_question *question)
{
    for (unsigned i = 0; i < insn->memory_count; i++) {
        const struct insn_memory *memory = &insn->memory[i];
        if (memory->base == question->base && memory->index == question->index &&
            (int32_t)memory->displacement == (int32_t)question->displacement)
            return memory;
    }
    bool is_free = question->base == SREG_NONE && question->index == SREG_NONE;
    return is_free && insn->memory_count ? &insn->memory[0] : NULL;
}

/* Returns why a known place gives no type. */
static enum untyped untyped_reason(const struct value *place)
{
    switch (place->kind) {
    case VALUE_CONFLICT:
        return UNTYPED_CONFLICT;
    case VALUE_FRAME:
        return UNTYPED_SPILL;
    case VALUE_NUMBER:
    case VALUE_DIFFERENCE:
        return UNTYPED_NO_POINTER;
    default:
        return UNTYPED_NO_VARIABLE;
    }
}

static enum untyped access_check(const struct scene *scene, struct value *place,
                                 const struct dwarf_question *question)
{
    struct shapes *shapes = scene->shapes;
    const struct shape *shape = shapes_at(shapes, place->shape);
    bool record = shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
    if (place->kind != VALUE_POINTER)
        return untyped_reason(place);
    if (shape->descriptor)
        return UNTYPED_NO_VARIABLE;
    if (shape->kind == SHAPE_VOID || shape->kind == SHAPE_FUNCTION ||
        (shape->kind == SHAPE_BYTE && question->size > shape->size))
        return UNTYPED_VOID;
    int64_t asked = place->offset;
    if (!value_folded(shapes, place))
        return UNTYPED_OUTSIDE;
    bool crosses = (uint64_t)place->offset + question->size > shape->size;
    if (record && crosses && place->offset == asked && !place->indexed &&
        asked < (int64_t)shape->size)
        return UNTYPED_OUTSIDE;
    return UNTYPED_NO_REASON;
}

/* Returns the place that an operand addresses; for a stack address, the variable it points into. */
static struct value accessed_place(const struct flow_at *at, const struct insn_memory *memory)
{
    struct value place = operand_address(&at->scene, &at->state, at->insn, memory);
    if (place.kind != VALUE_FRAME)
        return place;
    struct value variable = declared_in_frame(&at->scene, &at->state, at->insn->address, &place);
    return variable.kind == VALUE_POINTER ? variable : place;
}

/* Bit-fields */

enum { FOLLOWED = 6 /* instructions after a load, and before a store */ };

/* Bits of the loaded memory, counted from its first byte: [first, end). */
struct bits {
    int64_t first;
    int64_t end;
};

static bool is_same_operand(const struct insn_memory *a, const struct insn_memory *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->displacement == b->displacement && a->segment == b->segment;
}

/* Returns the index of the load that a store writes back, or of the load itself. SIZE_MAX: none. */
static size_t find_load_index(const struct flow_at *at, const struct insn_memory *memory)
{
    size_t index = (size_t)(at->insn - at->insns);
    uint8_t reg = at->insn->stored_register;
    struct insn_memory place = *memory;
    if (at->insn->op == INSN_OP_LOAD)
        return index;
    for (unsigned i = 0; reg != SREG_NONE && i < 2 * FOLLOWED && index; i++) {
        const struct insn *back = &at->insns[--index];
        if (back->flow != INSN_PLAIN)
            return SIZE_MAX;
        if (back->op == INSN_OP_LOAD && is_same_operand(&back->memory[0], &place))
            return index;
        if (back->op == INSN_OP_ADD && back->dest == memory->base && back->source == SREG_NONE)
            place.displacement += back->immediate;
    }
    return SIZE_MAX;
}

enum written { WRITTEN_NOT, WRITTEN_BACK, WRITTEN_PERHAPS };

/* Checks whether the masked word is combined with other bits and stored back to the same place. The
 * pointer may be moved in between. */
static enum written is_written_back(const struct flow_at *at, size_t load, size_t mask,
                                    const struct insn_memory *memory)
{
    uint8_t reg = at->insns[load].dest;
    int64_t moved = 0;
    enum written written = WRITTEN_NOT;
    for (size_t i = load + 1; i < at->count && i <= mask + FOLLOWED; i++) {
        const struct insn *insn = &at->insns[i];
        bool constant = insn->source == SREG_NONE;
        if (insn->flow != INSN_PLAIN)
            return written;
        if (insn->op == INSN_OP_ADD && insn->dest == memory->base && constant)
            moved += insn->immediate;
        if (i > mask && insn->op == INSN_OP_OR && (insn->dest == reg || insn->source == reg)) {
            written = WRITTEN_PERHAPS;
            reg = insn->dest;
        }
        struct insn_memory back = insn->memory[0];
        back.displacement += moved;
        if (written && insn->stored_register == reg && is_same_operand(&back, memory))
            return WRITTEN_BACK;
    }
    return written;
}

/* Finds the only run of ones in a mask. Returns false if there are several runs, or none. */
static bool find_single_bit_run(uint64_t mask, struct bits *run)
{
    if (!mask)
        return false;
    int first = __builtin_ctzll(mask);
    uint64_t rest = mask >> first;
    run->first = first;
    run->end = first + (~rest ? __builtin_ctzll(~rest) : 64);
    return run->end == 64 || !(mask >> run->end);
}

static void access_cut_bits(struct bits *bits, int64_t first, int64_t end)
{
    bits->first = first > bits->first ? first : bits->first;
    bits->end = end < bits->end ? end : bits->end;
}

/* Finds the mask of an instruction. Returns false if the operand is not a known mask. */
static bool find_mask(const struct flow_at *at, const struct insn *insn, uint64_t *mask)
{
    const struct value *source = insn->source == SREG_NONE ? NULL : &at->state.regs[insn->source];
    if (source && (source->kind != VALUE_CONSTANT || source->indexed))
        return false;
    *mask = (uint64_t)(source ? source->offset : insn->immediate);
    if (insn->width < 8)
        *mask &= (UINT64_C(1) << insn->width * 8) - 1;
    return true;
}

/* Narrows the bits by one instruction on the register that has them. *low is the bit now in the
 * register's lowest position. Returns false if later instructions show nothing more. */
static bool narrow_bits(const struct flow_at *at, size_t load, size_t index, int64_t *low,
                        struct bits *bits)
{
    const struct insn *insn = &at->insns[index];
    const struct insn_memory *memory = &at->insns[load].memory[0];
    int64_t width = insn->width * 8;
    bool by_constant = insn->source == SREG_NONE && insn->immediate >= 0 && insn->immediate < 64;
    struct bits run;
    uint64_t mask;
    /* `shr $3,%al` keeps the register's upper bytes, so use it only if no more was loaded. */
    bool narrow = insn->op == INSN_OP_NONE && width >= memory->size * 8;
    switch (narrow ? insn->narrow_op : insn->op) {
    case INSN_OP_SHR:
    case INSN_OP_SAR:
        if (by_constant) {
            access_cut_bits(bits, *low, *low + width);
            *low += insn->immediate;
            access_cut_bits(bits, *low, *low + width);
        }
        return by_constant;
    case INSN_OP_SHL:
        if (by_constant) {
            *low -= insn->immediate;
            access_cut_bits(bits, *low, *low + width);
        }
        return by_constant;
    case INSN_OP_AND:
        if (!find_mask(at, insn, &mask))
            return false;
        switch (is_written_back(at, load, index, memory)) {
        case WRITTEN_NOT:
            break;
        case WRITTEN_BACK:
            mask = ~mask & (memory->size < 8 ? (UINT64_C(1) << memory->size * 8) - 1 : UINT64_MAX);
            if (!*low && find_single_bit_run(mask, &run))
                access_cut_bits(bits, run.first, run.end);
            return false;
        default:
            return false;
        }
        if (!find_single_bit_run(mask, &run))
            return false;
        access_cut_bits(bits, *low + run.first, *low + run.end);
        return true;
    default:
        return false;
    }
}

/* Returns the used bits of a loaded or modified value, as the following shifts and masks show. */
static struct bits used_bits(const struct flow_at *at, const struct insn_memory *memory)
{
    struct bits bits = {0, memory->size * 8};
    size_t load = find_load_index(at, memory);
    int64_t low = 0;
    if (load == SIZE_MAX)
        return bits;
    uint8_t reg = at->insns[load].dest;
    for (size_t i = load + 1; i < at->count && i <= load + FOLLOWED; i++) {
        const struct insn *insn = &at->insns[i];
        bool changes = insn->writes >> reg & 1 || insn->dest == reg;
        if (insn->flow != INSN_PLAIN || insn->is_target)
            break;
        if (changes && !narrow_bits(at, load, i, &low, &bits))
            break;
        if (!changes && (insn->source == reg || insn->stored_register == reg ||
                         (insn->memory_count && insn_memory_uses(&insn->memory[0]) >> reg & 1)))
            break;
    }
    return bits;
}

/* Finds the bit-field in a word that the access is for. */
static void find_bit_field(const struct flow_at *at, const struct insn_memory *memory,
                           const struct type_desc *type, struct dwarf_answer *answer)
{
    bool several;
    struct bits bits = used_bits(at, memory);
    if (bits.first >= bits.end)
        bits = (struct bits){0, memory->size * 8};
    int64_t step = type_bits_at(type, (uint64_t)answer->offset, (uint64_t)bits.first,
                                (uint64_t)bits.end, &several);
    answer->bit_field_offset = step >= 0 && step <= UINT8_MAX ? (uint8_t)step : 0;
    answer->unit = several ? memory->size : 0;
}

void access_answer(struct program *program, struct dwarf_answer *answer)
{
    const struct dwarf_question *question = &answer->question;
    struct flow_at at;
    int failed = flows_at(program->flows, question->pc, &at);
    const struct insn_memory *memory = failed ? NULL : asked_operand(at.insn, question);
    if (!memory) {
        answer->untyped = failed == -ENOENT   ? UNTYPED_NO_UNIT
                          : failed == -ENOMEM ? UNTYPED_GAVE_UP
                                              : UNTYPED_NO_CODE;
        return;
    }
    struct value place = accessed_place(&at, memory);
    answer->untyped = (uint8_t)access_check(&at.scene, &place, question);
    if (answer->untyped)
        return;
    const struct shape *shape = shapes_at(at.scene.shapes, place.shape);
    Dwarf_Die die = shape->die;
    bool scalar = shape->kind != SHAPE_RECORD && shape->kind != SHAPE_UNION;
    answer->type = program_type(program, &die);
    answer->untyped = answer->type ? UNTYPED_NO_REASON : UNTYPED_VOID;
    answer->offset = scalar ? 0 : place.offset;
    answer->indexed = place.indexed;
    answer->how = place.how;
    if (!scalar && answer->type)
        find_bit_field(&at, memory, program_described(program, answer->type), answer);
}
