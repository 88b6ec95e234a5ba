/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include "base/array.h"
#include "base/text.h"
#include "decode/decoder.h"
#include "resolve/cfi.h"
#include "resolve/debuginfo.h"
#include "resolve/dwarf/describe.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/globals.h"
#include "resolve/module.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024 };

struct program {
    struct module *module;
    struct debuginfo *debuginfo;
    Dwfl_Module *dwfl;
    struct decoder *decoder;
    struct describe *types;
    struct globals *globals;
    struct flows *flows;
    struct arena answer; /* strings of the last one */
};

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

const struct symbol *program_object(const struct program *program, uint64_t address)
{
    return module_object(program->module, address);
}

const struct symbol *program_code(const struct program *program, uint64_t address)
{
    return module_function(program->module, address);
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
    struct decode_target target = {
        .context = program, .code = read_code, .function = find_function};
    if (program->dwfl) {
        program->decoder = decoder_new(&target);
        program->types = describe_new(program);
        program->globals = globals_new(program);
        program->flows = flows_new(program);
    }
    if (!program->decoder || !program->types || !program->globals || !program->flows) {
        program_free(program);
        return NULL;
    }
    return program;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    if (program->decoder)
        decoder_free(program->decoder);
    describe_free(program->types);
    globals_free(program->globals);
    flows_free(program->flows);
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

Dwfl_Module *program_module(const struct program *program)
{
    return program->dwfl;
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

bool program_insns(struct program *program, uint64_t address, const struct insn **insns,
                   size_t *count)
{
    return decoder_function(program->decoder, address, insns, count);
}

struct globals *program_globals(const struct program *program)
{
    return program->globals;
}

struct flows *program_flows(const struct program *program)
{
    return program->flows;
}

struct describe *program_types(const struct program *program)
{
    return program->types;
}

uint32_t program_type(struct program *program, Dwarf_Die *type)
{
    return describe_type(program->types, type);
}

const struct type_desc *program_described(const struct program *program, uint32_t type)
{
    return describe_found(program->types, type);
}

const struct dwarf_type *program_next_type(struct program *program)
{
    return describe_next(program->types);
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
        [DWARF_LINE] = line_answer,     [DWARF_CALL] = call_answer};
    *answer = (struct dwarf_answer){.question = *question, .untyped = UNTYPED_NO_UNIT};
    arena_fini(&program->answer);
    if ((unsigned)question->ask < sizeof by_ask / sizeof *by_ask)
        by_ask[question->ask](program, answer);
}
