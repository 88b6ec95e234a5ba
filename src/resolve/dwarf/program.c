/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "decode/decoder.h"
#include "resolve/elf/cfi.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/module.h"
#include "resolve/elf/symbols.h"

enum { NAME_BYTES = 1024, LINE_DEPTH_MAX = 64, ENTRIES_MAX = 1 << 16 };

/* Makes a file name absolute: it may be recorded relative to the compilation directory. */
static const char *absolute_path(struct program *program, Dwarf_Die *unit, const char *file)
{
    char joined[NAME_BYTES];
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (!file || file[0] == '/' || !folder)
        return program_text(program, file);
    while (!strncmp(file, "./", 2))
        file += 2;
    snprintf(joined, sizeof joined, "%s/%s", folder, file);
    return program_text(program, joined);
}

static void report_line(struct program *program, struct program_place *place,
                        struct dwarf_answer *answer)
{
    int number = 0;
    Dwarf_Line *line = dwarf_getsrc_die(&place->unit, place->address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file)
        return;
    dwarf_lineno(line, &number);
    answer->file = absolute_path(program, &place->unit, file);
    answer->line = number > 0 ? (uint32_t)number : 0;
    answer->untyped = UNTYPED_NO_REASON;
}

struct inlined_functions {
    Dwarf_Die functions[LINE_DEPTH_MAX];
    unsigned count;
    unsigned left; /* entries that may still be read */
};

static bool may_contain_line(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Finds the child scope that holds the address; scopes do not overlap. */
static bool find_inner_scope(struct inlined_functions *nest, Dwarf_Die *scope, Dwarf_Addr address,
                             Dwarf_Die *inner)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child))
        return false;
    do {
        if (!nest->left || !nest->left--)
            return false;
        if (may_contain_line(dwarf_tag(&child)) && dwarf_haspc(&child, address) == 1) {
            *inner = child;
            return true;
        }
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

static void find_inlined_functions(struct inlined_functions *nest, const struct routine *routine,
                                   Dwarf_Addr address)
{
    Dwarf_Die scope = routine->die;
    Dwarf_Die inner;
    *nest = (struct inlined_functions){.left = ENTRIES_MAX};
    for (unsigned i = 0; i < LINE_DEPTH_MAX && find_inner_scope(nest, &scope, address, &inner);
         i++) {
        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine)
            nest->functions[nest->count++] = inner;
        scope = inner;
    }
}

static const char *function_name(struct program *program, Dwarf_Die *function)
{
    char plain[NAME_BYTES];
    char name[2 * NAME_BYTES];
    Dwarf_Attribute attribute;
    const char *mangled =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
    if (mangled && demangle(mangled, plain, sizeof plain))
        return program_text(program, plain);
    const char *own = dwarf_diename(function);
    scopes_prefix(&program->scopes, function, plain, sizeof plain);
    snprintf(name, sizeof name, "%s%s", plain, own ? own : "?");
    return program_text(program, name);
}

static const char *call_file(struct program *program, Dwarf_Die *unit, Dwarf_Die *function)
{
    Dwarf_Word index;
    Dwarf_Files *files;
    size_t count;
    if (!die_number(function, DW_AT_call_file, &index) || dwarf_getsrcfiles(unit, &files, &count) ||
        index >= count)
        return NULL;
    return absolute_path(program, unit, dwarf_filesrc(files, index, NULL, NULL));
}

static void answer_inlined(struct program *program, Dwarf_Die *unit, Dwarf_Die *function,
                           struct dwarf_answer *answer)
{
    Dwarf_Word line = 0;
    uint32_t at = answer->inlined_count++;
    die_number(function, DW_AT_call_line, &line);
    answer->inlined[at] = function_name(program, function);
    answer->inlined_file[at] = call_file(program, unit, function);
    answer->inlined_line[at] = line <= UINT32_MAX ? (uint32_t)line : 0;
}

unsigned program_functions(struct program *program, uint64_t address,
                           Dwarf_Die functions[PROGRAM_FUNCTIONS])
{
    struct routine routine;
    struct inlined_functions nest;
    unsigned count = 0;
    if (!routines_find(program, address, &routine))
        return 0;
    find_inlined_functions(&nest, &routine, address - routine.bias);
    while (nest.count && count < PROGRAM_FUNCTIONS - 1)
        functions[count++] = nest.functions[--nest.count];
    functions[count++] = routine.die;
    return count;
}

static void line_answer(struct program *program, struct dwarf_answer *answer)
{
    uint64_t pc = answer->question.pc;
    struct program_place place;
    Dwarf_Die functions[PROGRAM_FUNCTIONS];
    if (!program_place(program, pc, &place))
        return;
    report_line(program, &place, answer);
    unsigned count = program_functions(program, pc, functions);
    for (unsigned i = 0; i + 1 < count && i < DWARF_INLINED_MAX; i++)
        answer_inlined(program, &place.unit, &functions[i], answer);
}

enum { TEXT_BYTES = 1024 };

static size_t read_code(void *context, uint64_t address, void *out, size_t size)
{
    const struct program *program = context;
    return module_bytes(program->module, address, out, size);
}

bool program_function(struct program *program, uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct symbol *symbol = module_function(program->module, address);
    if (symbol && !symbol->is_stub) {
        *start = symbol->start;
        *end = symbol->end;
        return true;
    }
    return module_frame(program->module, address, start, end);
}

static bool find_function(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    return program_function(context, ip, start, end);
}

struct program *program_new(struct module *module)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->module = module;
    program->debuginfo = module_debuginfo(module);
    program->dwfl = program->debuginfo ? debuginfo_module(program->debuginfo) : NULL;
    program->scopes.dwfl = program->dwfl;
    program->shapes.scopes = &program->scopes;
    struct decode_target target = {
        .context = program, .code = read_code, .function = find_function};
    if (program->dwfl) {
        program->decoder = decoder_new(&target);
        program->types = describe_new(&program->scopes);
        program->flows = flows_new(program);
    }
    if (!program->decoder || !program->types || !program->flows) {
        program_free(program);
        return NULL;
    }
    return program;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    decoder_free(program->decoder);
    flows_free(program->flows);
    describe_free(program->types);
    globals_fini(&program->globals);
    shapes_fini(&program->shapes);
    scopes_fini(&program->scopes);
    free(program->links.at);
    free(program->routines.at);
    hash_fini(&program->routines.units);
    arena_fini(&program->answer);
    free(program);
}

bool program_place(struct program *program, uint64_t address, struct program_place *place)
{
    Dwarf_Die *unit = debuginfo_unit(program->debuginfo, address, &place->bias);
    if (!unit)
        return false;
    place->unit = *unit;
    place->address = address - place->bias;
    return true;
}

Dwarf_CFI *program_frames(struct program *program, Dwarf_Addr *bias)
{
    Dwarf_CFI *frames = dwfl_module_eh_cfi(program->dwfl, bias);
    return frames ? frames : dwfl_module_dwarf_cfi(program->dwfl, bias);
}

bool program_cfa(struct program *program, uint64_t address, uint8_t *reg, int64_t *offset)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count = 0;
    unsigned number;
    Dwarf_CFI *frames = program_frames(program, &bias);
    bool known = frames && !dwarf_cfi_addrframe(frames, address - bias, &frame) &&
                 !dwarf_frame_cfa(frame, &ops, &count) && count == 1 &&
                 cfi_register_offset(&ops[0], &number, offset);
    *reg = known ? cfi_register(number) : (uint8_t)SREG_NONE;
    free(frame);
    return *reg != SREG_NONE;
}

bool program_insns(struct program *program, uint64_t address, struct insn **insns, size_t *count)
{
    return decoder_function(program->decoder, address, insns, count);
}

const char *program_text(struct program *program, const char *text)
{
    char safe[TEXT_BYTES];
    if (!text)
        return NULL;
    text_sanitise(safe, sizeof safe, text, strnlen(text, sizeof safe));
    return arena_string(&program->answer, safe);
}

void program_answer(struct program *program, const struct dwarf_question *question,
                    struct dwarf_answer *answer)
{
    static void (*const by_ask[])(struct program *, struct dwarf_answer *) = {
        [DWARF_ACCESS] = access_answer, [DWARF_VARIABLE] = variable_answer,
        [DWARF_TLS] = variable_answer,  [DWARF_SLOT] = slot_answer,
        [DWARF_LINE] = line_answer,     [DWARF_CALL] = call_answer,
        [DWARF_NODE] = node_answer};
    *answer = (struct dwarf_answer){.question = *question, .untyped = UNTYPED_NO_UNIT};
    arena_fini(&program->answer);
    if ((unsigned)question->ask < sizeof by_ask / sizeof *by_ask)
        by_ask[question->ask](program, answer);
}

enum { ROUTINE_DEPTH_MAX = 16, UNIT_ENTRIES_MAX = 1 << 22, PARTS_MAX = 64, ROUTINES_MAX = 1 << 22 };

static void routines_add(struct routines *routines, const struct routine *routine)
{
    if (!array_reserve_next(&routines->at, &routines->room, routines->count, sizeof *routines->at,
                            ROUTINES_MAX))
        return;
    routines->at[routines->count++] = *routine;
}

/* Adds one entry per part: gcc moves cold code elsewhere. */
static void add_parts(struct routines *routines, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct routine routine = {.die = *die, .bias = bias};
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    ptrdiff_t at = 0;
    if (!dwarf_entrypc(die, &start))
        routine.entry = start + bias;
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        at = dwarf_ranges(die, at, &base, &start, &end);
        if (at <= 0)
            return;
        routine.start = start + bias;
        routine.end = end + bias;
        if (end > start)
            routines_add(routines, &routine);
    }
}

/* Returns true for entries that may contain functions: also namespaces, classes (local ones,
 * Rust's) and functions (nested ones). */
static bool may_contain_routine(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
           tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static void read_scope(struct routines *routines, Dwarf_Die *scope, Dwarf_Addr bias, unsigned depth,
                       unsigned *left)
{
    Dwarf_Die child;
    if (depth >= ROUTINE_DEPTH_MAX || dwarf_child(scope, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!*left || !--*left)
            return;
        if (tag == DW_TAG_subprogram)
            add_parts(routines, &child, bias);
        if (may_contain_routine(tag))
            read_scope(routines, &child, bias, depth + 1, left);
    } while (!dwarf_siblingof(&child, &child));
}

static void read_unit(struct routines *routines, struct program_place *place)
{
    bool created = false;
    unsigned left = UNIT_ENTRIES_MAX;
    if (!hash_insert(&routines->units, (uint64_t)(uintptr_t)place->unit.addr, &created) || !created)
        return;
    read_scope(routines, &place->unit, place->bias, 0, &left);
    SORT_BY(routines->at, routines->count, start);
}

bool routines_find(struct program *program, uint64_t address, struct routine *routine)
{
    struct routines *routines = &program->routines;
    struct program_place place;
    if (!program_place(program, address, &place))
        return false;
    read_unit(routines, &place);
    size_t low = SORTED_UP_TO(routines->at, routines->count, start, address);
    if (!low || address >= routines->at[low - 1].end)
        return false;
    *routine = routines->at[low - 1];
    return true;
}
