/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures for how much real code types are found: operands in compiled functions of files with
 * debug information (this program, libc with libc6-dbg, Python with python3-dbg, or the files in
 * SURVEY, separated by colons). The shares are only printed, because the truth is not known. Every
 * answer must be a type with an offset inside it, or a reason.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/decoder.h"
#include "decode/insn.h"
#include "resolve/dwarf/program.h"
#include "resolve/elf/module.h"
#include "unit.h"

enum { BASE = 0x7f0000000000, FUNCTIONS = 400, HOWS = 8 };

struct survey {
    struct program *program;
    unsigned sites; /* operands outside the function's own frame */
    unsigned typed;
    unsigned frame;
    unsigned frame_typed;
    unsigned fixed; /* at addresses in the code: variables, linker words, literals */
    unsigned fixed_typed;
    unsigned reasons[UNTYPED_COUNT];
    unsigned hows[HOWS];
    uint64_t spent_ns;
    uint64_t slowest_ns;
};

static bool shows_each; /* TYPES_SHOW is set */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void count(struct survey *survey, const struct insn_memory *memory,
                  const struct dwarf_answer *answer)
{
    const struct type_desc *type = program_described(survey->program, answer->type);
    bool frame = answer->how == DWARF_HOW_STACK || answer->untyped == UNTYPED_SPILL;
    if (memory->base == SREG_SP || (memory->base == SREG_BP && frame)) {
        survey->frame++;
        survey->frame_typed += !answer->untyped;
        return;
    }
    if (memory->base == SREG_NONE && memory->index == SREG_NONE) {
        survey->fixed++;
        survey->fixed_typed += !answer->untyped;
        return;
    }
    survey->sites++;
    survey->reasons[answer->untyped]++;
    survey->hows[answer->how % HOWS]++;
    survey->typed += !answer->untyped;
    assert_true(answer->untyped || type);
    assert_true(answer->untyped || answer->offset >= 0);
}

static void ask(struct survey *survey, const struct insn *insn, const struct insn_memory *memory)
{
    struct dwarf_question question = {.ask = DWARF_ACCESS,
                                      .pc = insn->address,
                                      .displacement = memory->displacement,
                                      .base = memory->base,
                                      .index = memory->index,
                                      .size = memory->size};
    struct dwarf_answer answer;
    uint64_t start = now_ns();
    program_answer(survey->program, &question, &answer);
    uint64_t took = now_ns() - start;
    survey->spent_ns += took;
    if (took > survey->slowest_ns)
        survey->slowest_ns = took;
    count(survey, memory, &answer);
    if (shows_each && answer.untyped && memory->base != SREG_SP)
        print_message("    %#lx %s %s\n", (unsigned long)(insn->address - BASE),
                      untyped_name((enum untyped)answer.untyped),
                      dwfl_module_addrname(survey->program->dwfl, insn->address));
}

static void survey_function(struct survey *survey, uint64_t start)
{
    struct insn *insns;
    size_t found;
    struct program_place place;
    if (!program_place(survey->program, start, &place) ||
        dwarf_srclang(&place.unit) == DW_LANG_Mips_Assembler ||
        !program_insns(survey->program, start, &insns, &found))
        return;
    for (size_t i = 0; i < found; i++)
        for (unsigned operand = 0; operand < insns[i].memory_count; operand++)
            if (insns[i].flow == INSN_PLAIN && !insns[i].memory[operand].vector)
                ask(survey, &insns[i], &insns[i].memory[operand]);
    free(insns);
}

/* Surveys some functions, spread over the file. */
static void survey_functions(struct survey *survey)
{
    Dwfl_Module *module = survey->program->dwfl;
    int symbols = dwfl_module_getsymtab(module);
    unsigned functions = 0;
    unsigned step;
    const char *only = getenv("SURVEY_ONLY"); /* only functions with this text in their names */
    for (int pass = 0; pass < 2; pass++) {
        step = functions / FUNCTIONS + 1;
        functions = 0;
        for (int i = 1; i < symbols; i++) {
            GElf_Sym symbol;
            GElf_Addr address;
            const char *name =
                dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
            if (!name || (only && !strstr(name, only)) ||
                GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size ||
                symbol.st_shndx == SHN_UNDEF)
                continue;
            if (pass && functions % step == 0)
                survey_function(survey, address);
            functions++;
        }
    }
}

static double share(unsigned part, unsigned of)
{
    return of ? 100.0 * part / of : 0;
}

static void print_survey(const char *path, const struct survey *survey)
{
    static const char *const hows[HOWS] = {"",      "variable", "tracked",  "global",
                                           "stack", "result",   "argument", "member"};
    unsigned all = survey->sites + survey->frame + survey->fixed;
    print_message("%s: %u operands through pointers, typed %.1f%%; %u in the frame, %.1f%%; %u at "
                  "fixed addresses, %.1f%%\n",
                  path, survey->sites, share(survey->typed, survey->sites), survey->frame,
                  share(survey->frame_typed, survey->frame), survey->fixed,
                  share(survey->fixed_typed, survey->fixed));
    print_message("   ");
    for (int i = 1; i < HOWS; i++)
        print_message(" %s %.1f%%", hows[i], share(survey->hows[i], survey->sites));
    print_message("\n   ");
    for (int i = 1; i < UNTYPED_COUNT; i++)
        if (survey->reasons[i])
            print_message(" %s %.1f%%", untyped_name((enum untyped)i),
                          share(survey->reasons[i], survey->sites));
    print_message("\n    question time %.1f us on average, %.1f ms at most\n",
                  all ? (double)survey->spent_ns / all / 1e3 : 0, (double)survey->slowest_ns / 1e6);
}

/* Returns false if the file or its debug information is missing. */
static bool survey_file(const char *path)
{
    struct module_source source = {.fd = open(path, O_RDONLY | O_CLOEXEC),
                                   .path = path,
                                   .mapping = &(struct map){.start = BASE}};
    struct module *module = source.fd >= 0 ? module_new(&source) : NULL;
    struct survey survey = {.program = module ? program_new(module) : NULL};
    bool has_program = survey.program;
    if (has_program) {
        survey_functions(&survey);
        print_survey(path, &survey);
        assert_true(survey.sites == 0 || survey.typed > 0);
    } else {
        print_message("%s: skipped, absent or without debug information\n", path);
    }
    program_free(survey.program);
    if (module)
        module_free(module);
    return has_program;
}

static void survey_types_accesses_of_real_code(void **state)
{
    char self[512];
    char files[2048];
    const char *selected = getenv("SURVEY");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)state;
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(files, sizeof files, "%s:/lib/x86_64-linux-gnu/libc.so.6:/usr/bin/python3.11-dbg",
             self);
    if (selected)
        snprintf(files, sizeof files, "%s", selected);
    for (char *path = strtok(files, ":"); path; path = strtok(NULL, ":"))
        survey_file(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survey_types_accesses_of_real_code)};
    shows_each = getenv("TYPES_SHOW");
    return cmocka_run_group_tests_name("types of real code", tests, NULL, NULL);
}
