/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "resolve/elf/module.h"
#include "resolve/elf/symbols.h"

/* Location of a variable at one fixed place. */
struct location {
    Dwarf_Addr value; /* address in the file, or offset into the TLS image */
    uint64_t size;    /* bytes, of the first piece if there are several; 0: not known */
    bool is_tls;
};

/* Reads the number that an operation pushes: an address, its index (DWARF 5), or a constant. */
static bool pushed_number(Dwarf_Attribute *attribute, const Dwarf_Op *op, Dwarf_Addr *value)
{
    Dwarf_Attribute indexed;
    switch (op->atom) {
    case DW_OP_addr:
    case DW_OP_const4u:
    case DW_OP_const8u:
        *value = op->number;
        return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return !dwarf_getlocation_attr(attribute, op, &indexed) && !dwarf_formaddr(&indexed, value);
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return !dwarf_getlocation_attr(attribute, op, &indexed) &&
               !dwarf_formudata(&indexed, value);
    default:
        return false;
    }
}

/* Reads an address from a block. Go writes expressions of DWARF 4 as blocks, in which libdw 0.188
 * finds no location. */
static bool block_address(Dwarf_Attribute *attribute, Dwarf_Addr *address)
{
    Dwarf_Block block;
    if (dwarf_formblock(attribute, &block) || block.length != 1 + sizeof *address ||
        block.data[0] != DW_OP_addr)
        return false;
    memcpy(address, block.data + 1, sizeof *address);
    return true;
}

static void take_piece(struct location *location, const Dwarf_Op *ops, size_t *at, size_t count)
{
    if (*at < count && ops[*at].atom == DW_OP_plus_uconst)
        location->value += ops[(*at)++].number;
    if (*at < count && ops[*at].atom == DW_OP_piece)
        location->size = ops[(*at)++].number;
}

/* Returns true if a location may be fixed. Most variables are in registers, frames and location
 * lists, which need not be read. */
static bool location_may_be_fixed(Dwarf_Attribute *attribute)
{
    Dwarf_Block block;
    if (dwarf_formblock(attribute, &block))
        return false;
    switch (block.length ? block.data[0] : 0) {
    case DW_OP_addr:
    case DW_OP_const4u:
    case DW_OP_const8u:
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return true;
    default:
        return false;
    }
}

static bool read_ops(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count,
                     struct location *location)
{
    size_t at = 1;
    if (!count || !pushed_number(attribute, &ops[0], &location->value))
        return false;
    location->is_tls = at < count && (ops[at].atom == DW_OP_form_tls_address ||
                                      ops[at].atom == DW_OP_GNU_push_tls_address);
    if (location->is_tls)
        return true;
    if (ops[0].atom == DW_OP_const4u || ops[0].atom == DW_OP_const8u)
        return false;
    take_piece(location, ops, &at, count);
    return at == count;
}

/*
 * Reads a location: an address, an address plus a constant, an offset in thread-local storage, or
 * the first of several pieces (DWARF 5, 2.6.1). Returns false if there is none or it is not fixed.
 */
static bool location_read(Dwarf_Die *variable, struct location *location)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Op *ops;
    size_t count = 0;
    *location = (struct location){0};
    if (!dwarf_attr(variable, DW_AT_location, &attribute) || !location_may_be_fixed(&attribute))
        return false;
    if (die_type(variable, &type))
        die_size(&type, &location->size);
    if (dwarf_getlocation(&attribute, &ops, &count))
        return block_address(&attribute, &location->value);
    return read_ops(&attribute, ops, count, location);
}

enum {
    DEPTH_MAX = 64,
    UNIT_ENTRIES_MAX = 1 << 24,
    VARIABLES_MAX = 1 << 21,
    OVERLAPS_MAX = 16 /* between a variable's start and an address in it */
};

/* An expression that pushes a number as a variable's place. Found by its bytes, without entries. */
struct expression {
    uint64_t number;
    uint64_t at; /* offset in .debug_info */
};

void globals_fini(struct globals *globals)
{
    free(globals->fixed.globals);
    free(globals->fixed.expressions);
    free(globals->tls.globals);
    free(globals->tls.expressions);
    hash_fini(&globals->units);
    hash_fini(&globals->declared);
}

static void globals_add(struct globals_index *index, uint64_t start, uint64_t size,
                        const Dwarf_Die *die)
{
    if (!array_reserve_next(&index->globals, &index->room, index->count, sizeof *index->globals,
                            VARIABLES_MAX))
        return;
    index->globals[index->count++] = (struct global){start, size, *die};
    index->sorted = false;
}

static void add_variable(struct globals *globals, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct location location;
    if (!location_read(die, &location))
        return;
    if (location.is_tls)
        globals_add(&globals->tls, location.value, location.size, die);
    else
        globals_add(&globals->fixed, location.value + bias, location.size, die);
}

static bool is_scope(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_common_block:
        return true;
    default:
        return false;
    }
}

static void read_imported(struct globals *globals, Dwarf_Die *import, Dwarf_Addr bias,
                          unsigned depth);

static void read_scope(struct globals *globals, Dwarf_Die *scope, Dwarf_Addr bias, unsigned depth,
                       unsigned *left)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(scope, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!*left || !--*left)
            return;
        if (tag == DW_TAG_variable || tag == DW_TAG_common_block)
            add_variable(globals, &child, bias);
        if (tag == DW_TAG_imported_unit)
            read_imported(globals, &child, bias, depth);
        if (is_scope(tag))
            read_scope(globals, &child, bias, depth + 1, left);
    } while (!dwarf_siblingof(&child, &child));
}

static void read_unit(struct globals *globals, Dwarf_Die *unit, Dwarf_Addr bias, unsigned depth)
{
    bool created = false;
    unsigned left = UNIT_ENTRIES_MAX;
    if (hash_insert(&globals->units, (uint64_t)(uintptr_t)unit->addr, &created) && created)
        read_scope(globals, unit, bias, depth, &left);
}

/* Reads an imported unit: dwz moves data that two files share, even TLS variables, to a third. */
static void read_imported(struct globals *globals, Dwarf_Die *import, Dwarf_Addr bias,
                          unsigned depth)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    if (dwarf_attr(import, DW_AT_import, &attribute) && dwarf_formref_die(&attribute, &unit))
        read_unit(globals, &unit, bias, depth + 1);
}

static void globals_read_all(struct program *program)
{
    struct globals *globals = &program->globals;
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(program->dwfl, &bias);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    Dwarf_Die split;
    uint8_t kind;
    if (globals->all_read)
        return;
    globals->all_read = true;
    while (dwarf && !dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split))
        read_unit(globals, kind == DW_UT_skeleton && split.addr ? &split : &die, bias, 0);
}

/* Orders by start, then larger ones first (unknown sizes before all): find_global() searches
 * backwards, so it sees the smaller variable first. */
static int globals_compare(const void *a, const void *b)
{
    const struct global *one = a;
    const struct global *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return one->size - 1 > other->size - 1 ? -1 : one->size < other->size;
}

static const struct global *find_global(struct globals_index *index, uint64_t address)
{
    if (!index->sorted && index->count)
        qsort(index->globals, index->count, sizeof *index->globals, globals_compare);
    index->sorted = true;
    size_t low = SORTED_UP_TO(index->globals, index->count, start, address);
    for (size_t i = 0; i < OVERLAPS_MAX && i < low; i++) {
        const struct global *global = &index->globals[low - 1 - i];
        if (address - global->start < (global->size ? global->size : 1))
            return global;
    }
    return NULL;
}

static const struct symbol *variable_symbol(const struct program *program,
                                            const struct globals_index *index, uint64_t address)
{
    return index == &program->globals.tls ? module_tls(program->module, address)
                                          : module_object(program->module, address);
}

/* Collects expressions by their bytes: length, operation, number. Does not find DW_OP_addrx. */
static void read_expressions(struct globals_index *index, const Elf_Data *section, bool tls)
{
    enum { HEAD_BYTES = 2 };
    const unsigned char head[HEAD_BYTES] = {tls ? 10 : 9, tls ? DW_OP_const8u : DW_OP_addr};
    const unsigned char *start = section->d_buf;
    const unsigned char *end = start + section->d_size;
    const unsigned char *at = start;
    index->expressions_read = true;
    for (; (at = memchr(at, head[0], (size_t)(end - at))); at++) {
        uint64_t number;
        if ((size_t)(end - at) < HEAD_BYTES + sizeof number)
            break;
        if (at[1] != head[1])
            continue;
        if (!array_reserve_next(&index->expressions, &index->expression_room,
                                index->expression_count, sizeof *index->expressions, VARIABLES_MAX))
            break;
        memcpy(&number, at + HEAD_BYTES, sizeof number);
        index->expressions[index->expression_count++] =
            (struct expression){.number = number, .at = (uint64_t)(at - start)};
    }
    SORT_BY(index->expressions, index->expression_count, number);
}

/* Reading the entries of all units takes 25 ms for libc. */
static void read_units_placing(struct program *program, struct globals_index *index,
                               const struct symbol *symbol)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(program->dwfl, &bias);
    Elf_Scn *section = dwarf ? sections_find(dwarf_getelf(dwarf), ".debug_info") : NULL;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    bool tls = index == &program->globals.tls;
    uint64_t number = symbol->start - (tls ? 0 : bias);
    if (!index->expressions_read && data && data->d_buf)
        read_expressions(index, data, tls);
    size_t at = SORTED_BELOW(index->expressions, index->expression_count, number, number);
    for (; at < index->expression_count && index->expressions[at].number == number; at++) {
        Dwarf_Die entry;
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, index->expressions[at].at, &entry) &&
            dwarf_diecu(&entry, &unit, NULL, NULL))
            read_unit(&program->globals, &unit, bias, 0);
    }
}

/* Most other addresses in code are of text constants, which do not justify reading all units.
 * Without symbols the two are not distinguishable. */
static bool symbol_may_be_variable(const struct program *program, const struct symbol *symbol)
{
    static const char gcc[] = "CSWTCH."; /* tables of switch values */
    if (symbol) /* these symbols, of the link editor and gcc, have no declaration */
        return strcmp(symbol->name, "_DYNAMIC") && strcmp(symbol->name, "_GLOBAL_OFFSET_TABLE_") &&
               strncmp(symbol->name, gcc, sizeof gcc - 1) != 0;
    return dwfl_module_getsymtab(program->dwfl) <= 1;
}

/* A declaration in the unit of the asking code is as good as reading all other units. */
static const struct global *find_declared_near(struct program *program, struct globals_index *index,
                                               uint64_t address, uint64_t pc)
{
    const struct symbol *symbol = variable_symbol(program, index, address);
    static const char hidden[] = "__GI_"; /* glibc's prefix for internal aliases */
    Dwarf_Die die;
    Dwarf_Die type;
    uint64_t size;
    if (!symbol)
        return NULL;
    const char *name = symbol->name;
    if (!strncmp(name, hidden, sizeof hidden - 1))
        name += sizeof hidden - 1;
    Dwarf_Die element;
    uint64_t count;
    if (!globals_declared(program, name, pc, &die) || !die_type(&die, &type))
        return NULL;
    /* An array may be declared without its length; the symbol has it. */
    if (die_array(&type, &element, &count))
        type = element;
    if (!die_size(&type, &size) || !size)
        return NULL;
    globals_add(index, symbol->start, symbol->end - symbol->start, &die);
    return find_global(index, address);
}

static const struct global *find_global_in_units(struct program *program,
                                                 struct globals_index *index, uint64_t address,
                                                 uint64_t pc)
{
    struct globals *globals = &program->globals;
    struct program_place place;
    const struct global *found = find_global(index, address);
    if (found || globals->all_read)
        return found;
    if (pc && program_place(program, pc, &place)) {
        read_unit(globals, &place.unit, place.bias, 0);
        found = find_global(index, address);
        if (!found)
            found = find_declared_near(program, index, address, pc);
    }
    const struct symbol *symbol = variable_symbol(program, index, address);
    if (!found && symbol) {
        read_units_placing(program, index, symbol);
        found = find_global(index, address);
    }
    if (!found && (index == &globals->tls || symbol_may_be_variable(program, symbol))) {
        globals_read_all(program);
        found = find_global(index, address);
    }
    return found;
}

const struct global *globals_find(struct program *program, uint64_t address, uint64_t pc)
{
    return find_global_in_units(program, &program->globals.fixed, address, pc);
}

const struct global *globals_find_tls(struct program *program, uint64_t offset, uint64_t pc)
{
    return find_global_in_units(program, &program->globals.tls, offset, pc);
}

static bool find_declaration_in_unit(Dwarf_Die *unit, const char *name, Dwarf_Die *die)
{
    unsigned left = UNIT_ENTRIES_MAX;
    if (dwarf_child(unit, die))
        return false;
    do {
        const char *its = dwarf_tag(die) == DW_TAG_variable ? dwarf_diename(die) : NULL;
        if (its && !strcmp(its, name))
            return true;
    } while (--left && !dwarf_siblingof(die, die));
    return false;
}

bool globals_declared(struct program *program, const char *name, uint64_t pc, Dwarf_Die *die)
{
    struct globals *globals = &program->globals;
    struct program_place place;
    bool created = false;
    if (!program_place(program, pc, &place))
        return false;
    uint64_t key = hash_bytes(name, strlen(name)) ^ (uint64_t)(uintptr_t)place.unit.addr;
    if (globals->declared.count >= GLOBALS_DECLARED_MAX - 1)
        hash_clear(&globals->declared);
    uint32_t *index = hash_insert(&globals->declared, key, &created);
    if (index && created && find_declaration_in_unit(&place.unit, name, die)) {
        *index = (uint32_t)globals->declared.count;
        globals->names[*index] = *die;
    }
    if (index && *index)
        *die = globals->names[*index];
    return index && *index;
}

enum { NAME_BYTES = 512 };

static const char *scoped_variable_name(struct program *program, Dwarf_Die *variable)
{
    char prefix[NAME_BYTES];
    char name[2 * NAME_BYTES];
    const char *own = dwarf_diename(variable);
    if (!own)
        return NULL;
    scopes_prefix(&program->scopes, variable, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s%s", prefix, own);
    return program_text(program, name);
}

static void fill_type(struct program *program, Dwarf_Die *type, struct dwarf_answer *answer)
{
    Dwarf_Die element;
    Dwarf_Die peeled;
    uint64_t size = 0;
    unsigned rank = die_peel(type, &peeled) ? descriptor_rank(&peeled) : 0;
    answer->type = program_type(program, type);
    answer->untyped = answer->type ? UNTYPED_NO_REASON : UNTYPED_GAVE_UP;
    if (die_size(type, &size) && size)
        answer->size = size;
    if (rank || !die_array(type, &element, &answer->count))
        answer->count = 0;
    /* "struct point points[];" is declared in one unit, its length in another. */
    const struct type_desc *desc = program_described(program, answer->type);
    if (!rank && !answer->count && desc && desc->size && answer->size > desc->size &&
        dwarf_tag(&peeled) == DW_TAG_array_type)
        answer->count = answer->size / desc->size;
}

void variable_fill(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer)
{
    Dwarf_Die type;
    answer->name = scoped_variable_name(program, variable);
    answer->untyped = UNTYPED_NO_VARIABLE;
    if (die_type(variable, &type))
        fill_type(program, &type, answer);
}

void variable_answer(struct program *program, struct dwarf_answer *answer)
{
    const struct dwarf_question *question = &answer->question;
    const struct global *global = question->ask == DWARF_TLS
                                      ? globals_find_tls(program, question->address, question->pc)
                                      : globals_find(program, question->address, question->pc);
    answer->untyped = UNTYPED_NO_VARIABLE;
    if (!global)
        return;
    Dwarf_Die die = global->die;
    answer->size = global->size;
    answer->offset = (int64_t)(question->address - global->start);
    variable_fill(program, &die, answer);
}
