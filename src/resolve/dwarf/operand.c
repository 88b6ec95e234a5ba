/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/dwarf/program.h"
#include "resolve/elf/module.h"
#include "resolve/elf/symbols.h"

enum { POINTER_BYTES = 8 };

/* Computes the distance of a place in the frame from the start of a variable. Below the fixed frame
 * ("indexed") a place is compared only with variables that are there too. */
static bool offset_in_variable(const struct state *state, const struct where *where,
                               const struct value *place, uint64_t *inside)
{
    const struct value *base = where->reg == WHERE_CFA ? NULL : &state->regs[where->reg];
    if (base && (base->kind != VALUE_FRAME || (base->indexed && !place->indexed)))
        return false;
    *inside =
        (uint64_t)place->offset - (base ? (uint64_t)base->offset : 0) - (uint64_t)where->offset;
    if (where->kind == WHERE_POINTED)
        return *inside < POINTER_BYTES;
    return where->size ? *inside < where->size : base && base->indexed;
}

struct value declared_in_frame(const struct scene *scene, const struct state *state, uint64_t pc,
                               const struct value *place)
{
    const struct where *where;
    struct value best = value_of_kind(VALUE_UNKNOWN);
    uint64_t smallest = UINT64_MAX;
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_memory, pc, &next))) {
        uint64_t inside;
        if (!where->shape || where->size > smallest ||
            !offset_in_variable(state, where, place, &inside))
            continue;
        smallest = where->size;
        best =
            value_pointer(where->shape, (int64_t)(inside + where->piece_offset), DWARF_HOW_STACK);
        best.indexed = place->indexed || where->size > shapes_at(scene->shapes, where->shape)->size;
        /* A pointer made by the compiler, which no type describes. */
        if (where->kind == WHERE_POINTED)
            best = (struct value){.kind = VALUE_DIFFERENCE, .shape = where->shape};
    }
    return best;
}

static struct value register_value(struct shapes *shapes, const struct where *where)
{
    struct value value =
        value_loaded(shapes, where->shape, where->piece_offset, DWARF_HOW_VARIABLE);
    if (where->kind == WHERE_COMPUTED)
        return value_shifted(value, -where->offset);
    return value;
}

/* Returns true if a byte pointer is a copy of a void pointer. Unless it is fresh from an allocator,
 * it points to copied data of another type. */
static bool is_copy(const struct shapes *shapes, const struct value *known,
                    const struct value *declared)
{
    return declared->kind == VALUE_POINTER &&
           shapes_at(shapes, declared->shape)->kind == SHAPE_BYTE && known->kind == VALUE_POINTER &&
           !known->shape && known->how != DWARF_HOW_RESULT;
}

enum { WORTH_TRUST = 3 }; /* a pointer to anything except characters and void */

void declare_value(struct shapes *shapes, struct value *known, const struct value *declared)
{
    unsigned worth = value_specificity(shapes, declared);
    if (known->how == DWARF_HOW_FOLLOWED || is_copy(shapes, known, declared))
        return;
    if (worth < WORTH_TRUST && value_specificity(shapes, known) >= worth)
        return;
    bool same = known->kind == VALUE_POINTER && declared->kind == VALUE_POINTER &&
                shapes_same(shapes, known->shape, declared->shape);
    bool indexed = same && known->indexed;
    *known = *declared;
    known->indexed |= indexed;
}

static uint64_t value_size(const struct shapes *shapes, const struct value *value)
{
    return shapes_at(shapes, value->shape)->size;
}

/* Returns true if a variable with one location for its scope, which may be wrong at some addresses,
 * is more specific than the known type. Of two structs, the larger begins with the other. */
static bool improves_on_value(const struct shapes *shapes, const struct value *known,
                              const struct value *declared)
{
    unsigned worth = value_specificity(shapes, known);
    return worth < WORTH_TRUST ||
           (worth > WORTH_TRUST && value_specificity(shapes, declared) == worth &&
            value_size(shapes, declared) > value_size(shapes, known));
}

/* Returns true if a variable is more specific for a register than the best one so far. */
static bool is_more_specific(struct shapes *shapes, const struct value *value,
                             const struct value *best)
{
    unsigned worth = value_specificity(shapes, value);
    unsigned known = value_specificity(shapes, best);
    /* Of two structs, the larger begins with the other. */
    return worth > known || best->kind == VALUE_UNKNOWN ||
           (worth == known &&
            shapes_at(shapes, value->shape)->size > shapes_at(shapes, best->shape)->size);
}

/* Finds the best values that variables have in these registers at an address, in one pass. */
static void find_best_values(const struct scene *scene, uint64_t pc, uint32_t mask,
                             const struct state *state, struct value best[SREG_COUNT])
{
    const struct where *where;
    size_t next = 0;
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++)
        best[reg] = value_of_kind(VALUE_UNKNOWN);
    while ((where = where_next(&scene->wheres->in_register, pc, &next))) {
        if (where->reg >= SREG_COUNT || !(mask >> where->reg & 1))
            continue;
        struct value *known = &best[where->reg];
        struct value value = register_value(scene->shapes, where);
        if (where->is_whole_scope &&
            !improves_on_value(scene->shapes, &state->regs[where->reg], &value))
            continue;
        if (is_copy(scene->shapes, known, &value) || is_copy(scene->shapes, &value, known))
            *known = value_pointer(SHAPE_NOTHING, 0, DWARF_HOW_VARIABLE);
        else if (is_more_specific(scene->shapes, &value, known))
            *known = value;
    }
}

/* Returns true for a record or a variable-length array; a number may be part of a larger object. */
static bool is_whole_variable(const struct shapes *shapes, const struct where *where)
{
    const struct shape *shape = shapes_at(shapes, where->shape);
    return shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION || shape->descriptor ||
           !where->size;
}

/* Sets pointers to variables that are passed by address: "in memory at the register". */
static void declare_by_address(const struct scene *scene, struct state *state, uint64_t pc,
                               uint32_t mask)
{
    const struct where *where;
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_memory, pc, &next))) {
        if (where->kind != WHERE_MEMORY || where->reg == WHERE_CFA || where->reg == SREG_SP ||
            !(mask >> where->reg & 1) || state->regs[where->reg].kind == VALUE_FRAME ||
            !is_whole_variable(scene->shapes, where))
            continue;
        struct value value = value_pointer(
            where->shape, (int64_t)where->piece_offset - where->offset, DWARF_HOW_VARIABLE);
        declare_value(scene->shapes, &state->regs[where->reg], &value);
    }
}

void declared_in_registers(const struct scene *scene, struct state *state, uint64_t pc,
                           uint32_t mask)
{
    struct value declared[SREG_COUNT];
    uint32_t held = mask & scene->wheres->in_register.regs;
    uint32_t pointed = mask & scene->wheres->in_memory.regs;
    if (held)
        find_best_values(scene, pc, held, state, declared);
    for (uint8_t reg = 0; held && reg < SREG_COUNT; reg++)
        if (declared[reg].kind != VALUE_UNKNOWN)
            declare_value(scene->shapes, &state->regs[reg], &declared[reg]);
    if (pointed)
        declare_by_address(scene, state, pc, pointed);
}

/* Returns a parameter passed by address; used if no other type is known. UNKNOWN: none. */
static struct value declared_by_address(const struct scene *scene, uint64_t pc, uint8_t base,
                                        int64_t displacement)
{
    const struct where *where;
    size_t next = 0;
    while (base < SREG_COUNT && (where = where_next(&scene->wheres->in_memory, pc, &next))) {
        uint64_t inside = (uint64_t)(displacement - where->offset);
        if (where->kind == WHERE_MEMORY && where->reg == base && inside < where->size)
            return value_pointer(where->shape, (int64_t)(inside + where->piece_offset),
                                 DWARF_HOW_VARIABLE);
    }
    return value_of_kind(VALUE_UNKNOWN);
}

enum { LINKS_MAX = 1 << 20, WORD_BYTES = 8 };

static void links_add(struct links *links, const struct link *link)
{
    if (!array_reserve_next(&links->at, &links->room, links->count, sizeof *links->at, LINKS_MAX))
        return;
    links->at[links->count++] = *link;
}

/* A relocation table and the symbols that it refers to. */
struct table {
    Elf *elf;
    Elf_Data *symbols;
    Elf_Data *names;
    GElf_Addr bias;
};

static const char *links_symbol_name(const struct table *table, const GElf_Sym *symbol)
{
    /* The name must end inside the section. */
    const char *start = table->names->d_buf;
    if (!start || symbol->st_name >= table->names->d_size ||
        !memchr(start + symbol->st_name, '\0', table->names->d_size - symbol->st_name))
        return NULL;
    return start + symbol->st_name;
}

static bool read_link(const struct table *table, const GElf_Rela *rela, struct link *link)
{
    GElf_Sym symbol = {0};
    size_t index = GELF_R_SYM(rela->r_info);
    bool named = index && gelf_getsym(table->symbols, (int)index, &symbol);
    bool here = !index || (named && symbol.st_shndx != SHN_UNDEF);
    link->place = rela->r_offset + table->bias;
    link->value = symbol.st_value + (uint64_t)rela->r_addend;
    switch (GELF_R_TYPE(rela->r_info)) {
    case R_X86_64_GLOB_DAT:
        link->kind = here ? LINK_ADDRESS : LINK_NAME;
        link->value += table->bias;
        link->name = here ? NULL : links_symbol_name(table, &symbol);
        return here || link->name;
    case R_X86_64_TPOFF64:
        link->kind = LINK_THREAD;
        return here;
    case R_X86_64_DTPMOD64:
        link->kind = LINK_DYNAMIC;
        return here;
    case R_X86_64_DTPOFF64: /* second word of a pair */
        link->kind = LINK_DYNAMIC;
        link->place -= WORD_BYTES;
        return here;
    default:
        return false;
    }
}

static void read_table(struct links *links, struct table *table, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    GElf_Shdr symbols;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *linked = elf_getscn(table->elf, header->sh_link);
    table->symbols = linked ? elf_getdata(linked, NULL) : NULL;
    if (!data || !table->symbols || !gelf_getshdr(linked, &symbols))
        return;
    linked = elf_getscn(table->elf, symbols.sh_link);
    table->names = linked ? elf_getdata(linked, NULL) : NULL;
    if (!table->names || !header->sh_entsize)
        return;
    size_t count = (size_t)(header->sh_size / header->sh_entsize);
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Rela rela;
        struct link link = {0};
        if (!gelf_getrela(data, (int)i, &rela))
            return;
        if (read_link(table, &rela, &link))
            links_add(links, &link);
    }
}

static void read_image(struct links *links, Elf *elf)
{
    size_t count;
    if (elf_getphdrnum(elf, &count))
        return;
    for (size_t i = 0; i < count && i < 1024; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_TLS)
            continue;
        uint64_t align = header.p_align ? header.p_align : 1;
        if (header.p_memsz < UINT32_MAX && align < UINT32_MAX)
            links->image_bytes = (header.p_memsz + align - 1) / align * align;
    }
}

static void read_file(struct program *program)
{
    struct links *links = &program->links;
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    struct table table = {.elf = NULL};
    links->read = true;
    table.elf = dwfl_module_getelf(program->dwfl, &table.bias);
    if (!table.elf)
        return;
    read_image(links, table.elf);
    while ((section = elf_nextscn(table.elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
            read_table(links, &table, section, &header);
    if (links->count)
        SORT(links->at, links->count, SMALLEST(struct link, place), LARGEST(struct link, value));
}

/* Returns NULL if the dynamic linker writes nothing there. */
static const struct link *links_find(struct program *program, uint64_t place)
{
    const struct links *links = &program->links;
    if (!links->read)
        read_file(program);
    size_t low = SORTED_BELOW(links->at, links->count, place, place);
    return low < links->count && links->at[low].place == place ? &links->at[low] : NULL;
}

/* Converts a negative distance from the thread pointer to an offset in the TLS image. */
static bool links_thread(struct program *program, int64_t distance, uint64_t *offset)
{
    const struct links *links = &program->links;
    if (!links->read)
        read_file(program);
    *offset = links->image_bytes + (uint64_t)distance;
    return distance < 0 && *offset < links->image_bytes;
}

enum { CONSTANTS_MAX = 4096 }; /* no variable is below */

/* Returns a place in a variable; `size` is the size of the variable, which may be an array. */
static struct value place_in_variable(const struct scene *scene, Dwarf_Die die, uint64_t size,
                                      const struct value *place, uint64_t start)
{
    Dwarf_Die type;
    if (!die_type(&die, &type))
        return *place;
    struct value value =
        value_pointer(shapes_of(scene->shapes, &type), (int64_t)((uint64_t)place->offset - start),
                      DWARF_HOW_GLOBAL);
    value.indexed = place->indexed || size > shapes_at(scene->shapes, value.shape)->size;
    return value;
}

/* Returns the place in a variable copied from another file, from its declaration. */
static struct value place_in_copied_variable(const struct scene *scene, uint64_t pc,
                                             const struct value *place)
{
    const struct symbol *symbol = module_object(scene->program->module, (uint64_t)place->offset);
    Dwarf_Die die;
    if (!symbol || !globals_declared(scene->program, symbol->name, pc, &die))
        return *place;
    return place_in_variable(scene, die, symbol->end - symbol->start, place, symbol->start);
}

static struct value place_in_thread_variable(const struct scene *scene, uint64_t pc,
                                             const struct value *place)
{
    uint64_t offset = (uint64_t)place->offset;
    if (place->shape == VALUE_THREAD_DISTANCE ||
        (place->shape == VALUE_THREAD_POINTER &&
         !links_thread(scene->program, place->offset, &offset)))
        return *place;
    const struct global *global = globals_find_tls(scene->program, offset, pc);
    if (!global)
        return *place;
    return place_in_variable(scene, global->die, global->size, place,
                             (uint64_t)place->offset - (offset - global->start));
}

struct value operand_settled(const struct scene *scene, uint64_t pc, struct value value)
{
    if (value.kind == VALUE_THREAD)
        return place_in_thread_variable(scene, pc, &value);
    if (value.kind != VALUE_CONSTANT || (value.offset >= 0 && value.offset < CONSTANTS_MAX))
        return value;
    const struct global *global = globals_find(scene->program, (uint64_t)value.offset, pc);
    return global ? place_in_variable(scene, global->die, global->size, &value, global->start)
                  : place_in_copied_variable(scene, pc, &value);
}

struct value operand_linked(const struct scene *scene, uint64_t pc, uint64_t place)
{
    const struct link *link = links_find(scene->program, place);
    struct value value = value_of_kind(VALUE_UNKNOWN);
    Dwarf_Die die;
    Dwarf_Die type;
    if (!link || link->kind == LINK_DYNAMIC)
        return value;
    if (link->kind == LINK_ADDRESS)
        return operand_settled(scene, pc, value_constant((int64_t)link->value));
    if (link->kind == LINK_THREAD)
        return (struct value){
            .kind = VALUE_THREAD, .shape = VALUE_THREAD_DISTANCE, .offset = (int64_t)link->value};
    if (globals_declared(scene->program, link->name, pc, &die) && die_type(&die, &type))
        value = value_pointer(shapes_of(scene->shapes, &type), 0, DWARF_HOW_GLOBAL);
    return value;
}

struct value operand_dynamic(const struct scene *scene, uint64_t pc, const struct value *argument)
{
    const struct link *link = argument->kind == VALUE_CONSTANT
                                  ? links_find(scene->program, (uint64_t)argument->offset)
                                  : NULL;
    if (!link || link->kind != LINK_DYNAMIC)
        return value_of_kind(VALUE_UNKNOWN);
    return operand_settled(scene, pc,
                           (struct value){.kind = VALUE_THREAD,
                                          .shape = VALUE_THREAD_PLACE,
                                          .offset = (int64_t)link->value});
}

static struct value register_or_zero(const struct state *state, uint8_t reg)
{
    return reg < SREG_COUNT ? state->regs[reg] : value_constant(0);
}

/* Adds the thread pointer for %fs. */
static struct value add_segment_base(const struct value *sum, uint8_t segment)
{
    struct value pointer = {.kind = VALUE_THREAD, .shape = VALUE_THREAD_POINTER};
    return segment == 1 ? value_sum(&pointer, sum, 1) : value_of_kind(VALUE_UNKNOWN);
}

struct value operand_address(const struct scene *scene, const struct state *state,
                             const struct insn *insn, const struct insn_memory *memory)
{
    struct value base = register_or_zero(state, memory->base);
    struct value index = register_or_zero(state, memory->index);
    /* The address of an array may be in the displacement alone. */
    if (memory->base == SREG_NONE && !memory->segment) {
        base = operand_settled(scene, insn->address, value_constant(memory->displacement));
        return value_sum(&base, &index, memory->scale);
    }
    struct value sum = value_shifted(value_sum(&base, &index, memory->scale), memory->displacement);
    if (memory->segment)
        sum = add_segment_base(&sum, memory->segment);
    else if (sum.kind == VALUE_UNKNOWN && memory->index == SREG_NONE)
        sum = declared_by_address(scene, insn->address, memory->base, memory->displacement);
    return operand_settled(scene, insn->address, sum);
}
