/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/demangle.h"
#include "resolve/dwarf/describe.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/routine.h"
#include "resolve/dwarf/scopes.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 1024, DEPTH_MAX = 64, ENTRIES_MAX = 1 << 16 };

/* A file's name as recorded may be relative to where the compiler ran. */
static const char *absolute(struct program *program, Dwarf_Die *unit, const char *file)
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

static void tell_line(struct program *program, struct program_place *place,
                      struct dwarf_answer *answer)
{
    int number = 0;
    Dwarf_Line *line = dwarf_getsrc_die(&place->unit, place->address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file)
        return;
    dwarf_lineno(line, &number);
    answer->file = absolute(program, &place->unit, file);
    answer->line = number > 0 ? (uint32_t)number : 0;
    answer->untyped = UNTYPED_NO_REASON;
}

/* Functions inlined in each other at one address, outermost first. */
struct nest {
    Dwarf_Die functions[DEPTH_MAX];
    unsigned count;
    unsigned left; /* entries */
};

static bool may_hold(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The scope among an entry's children that holds the address; scopes do not overlap. */
static bool step_in(struct nest *nest, Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *inner)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child))
        return false;
    do {
        if (!nest->left || !nest->left--)
            return false;
        if (may_hold(dwarf_tag(&child)) && dwarf_haspc(&child, address) == 1) {
            *inner = child;
            return true;
        }
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

static void find_nest(struct nest *nest, const struct routine *routine, Dwarf_Addr address)
{
    Dwarf_Die scope = routine->die;
    Dwarf_Die inner;
    *nest = (struct nest){.left = ENTRIES_MAX};
    for (unsigned i = 0; i < DEPTH_MAX && step_in(nest, &scope, address, &inner); i++) {
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
    scopes_prefix(describe_scopes(program_types(program)), function, plain, sizeof plain);
    snprintf(name, sizeof name, "%s%s", plain, own ? own : "?");
    return program_text(program, name);
}

static const char *call_file(struct program *program, Dwarf_Die *unit, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(function, DW_AT_call_file, &attribute), &index) ||
        dwarf_getsrcfiles(unit, &files, &count) || index >= count)
        return NULL;
    return absolute(program, unit, dwarf_filesrc(files, index, NULL, NULL));
}

static void tell_inlined(struct program *program, Dwarf_Die *unit, Dwarf_Die *function,
                         struct dwarf_answer *answer)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;
    uint32_t at = answer->inlined_count++;
    dwarf_formudata(dwarf_attr(function, DW_AT_call_line, &attribute), &line);
    answer->inlined[at] = function_name(program, function);
    answer->inlined_file[at] = call_file(program, unit, function);
    answer->inlined_line[at] = line <= UINT32_MAX ? (uint32_t)line : 0;
}

void line_answer(struct program *program, struct dwarf_answer *answer)
{
    uint64_t pc = answer->question.pc;
    struct program_place place;
    struct routine routine;
    struct nest nest;
    if (!program_place(program, pc, &place))
        return;
    tell_line(program, &place, answer);
    if (!routines_find(flows_routines(program_flows(program)), pc, &routine))
        return;
    find_nest(&nest, &routine, pc - routine.bias);
    while (nest.count && answer->inlined_count < DWARF_INLINED_MAX)
        tell_inlined(program, &place.unit, &nest.functions[--nest.count], answer);
}
