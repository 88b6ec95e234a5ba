/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares types from code with the truth. Programs of tests/types are compiled by several
 * compilers with several flags, and their marked functions are single-stepped (only in this test).
 * The address of each access is computed from the actual registers. If it is in an object that the
 * program reported, the answer for the instruction must have the type and offset of that object.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../types/stepped.h"
#include "base/hash.h"
#include "decode/decoder.h"
#include "decode/insn.h"
#include "resolve/dwarf/program.h"
#include "resolve/elf/module.h"
#include "unit.h"
#include "unit/resolve/target.h"

enum { STEPS_MAX = 40000, SITES_MAX = 4096 };

/* An operand of an instruction, over all its executions. */
struct site {
    struct dwarf_answer answer;
    unsigned right;
    unsigned wrong;
    uint64_t wrong_offset;
    char wrong_type[KNOWN_NAME];
};

struct tally {
    unsigned sites;
    unsigned right;
    unsigned wrong;
    unsigned reasons[UNTYPED_COUNT];
    uint64_t answer_ns;
    unsigned queries;
    uint64_t slowest_ns;
};

struct trial {
    struct stepped stepped;
    struct module *module;
    struct program *program;
    struct decoder *decoder;
    struct hash by_place;
    struct site sites[SITES_MAX];
    size_t site_count;
    struct tally tally;
};

static struct tally all;
static bool shows_each; /* TYPES_SHOW is set: prints every site without a correct answer */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t read_code(void *context, uint64_t address, void *out, size_t size)
{
    return module_bytes(((struct trial *)context)->module, address, out, size);
}

static bool bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    const struct known *known = &((struct trial *)context)->stepped.known;
    *start = known->code_start;
    *end = known->code_end;
    return ip >= *start && ip < *end;
}

static bool open_trial(struct trial *trial, const char *path)
{
    struct decode_target target = {.context = trial, .code = read_code, .function = bounds};
    memset(trial, 0, sizeof *trial);
    if (!stepped_start(&trial->stepped, path))
        return false;
    struct module_source source = {.fd = open(path, O_RDONLY | O_CLOEXEC),
                                   .path = path,
                                   .mapping =
                                       &(struct map){.start = stepped_base(&trial->stepped, path)}};
    trial->module = module_new(&source);
    trial->program = trial->module ? program_new(trial->module) : NULL;
    trial->decoder = decoder_new(&target);
    return trial->program && trial->decoder;
}

static void close_trial(struct trial *trial)
{
    stepped_end(&trial->stepped);
    program_free(trial->program);
    if (trial->module)
        module_free(trial->module);
    if (trial->decoder)
        decoder_free(trial->decoder);
    hash_fini(&trial->by_place);
}

static uint64_t value_of(const struct user_regs_struct *regs, uint8_t reg)
{
    const uint64_t values[SREG_COUNT] = {regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi,
                                         regs->rdi, regs->rbp, regs->rsp, regs->rip, regs->eflags,
                                         regs->r8,  regs->r9,  regs->r10, regs->r11, regs->r12,
                                         regs->r13, regs->r14, regs->r15};
    return reg < SREG_COUNT ? values[reg] : 0;
}

static void ask(struct trial *trial, struct site *site, uint64_t pc,
                const struct insn_memory *memory)
{
    struct dwarf_question question = {.ask = DWARF_ACCESS,
                                      .pc = pc,
                                      .displacement = memory->displacement,
                                      .base = memory->base,
                                      .index = memory->index,
                                      .size = memory->size};
    uint64_t start = now_ns();
    program_answer(trial->program, &question, &site->answer);
    uint64_t took = now_ns() - start;
    trial->tally.answer_ns += took;
    trial->tally.queries++;
    if (took > trial->tally.slowest_ns)
        trial->tally.slowest_ns = took;
}

static struct site *site_of(struct trial *trial, uint64_t pc, unsigned operand,
                            const struct insn_memory *memory)
{
    bool created;
    uint32_t *index = hash_insert(&trial->by_place, pc * 2 + operand, &created);
    assert_non_null(index);
    if (!created)
        return &trial->sites[*index];
    assert_true(trial->site_count < SITES_MAX);
    *index = (uint32_t)trial->site_count++;
    ask(trial, &trial->sites[*index], pc, memory);
    return &trial->sites[*index];
}

static void judge_access(struct trial *trial, const struct user_regs_struct *regs, unsigned operand,
                         const struct insn_memory *memory)
{
    uint64_t offset;
    uint64_t address = value_of(regs, memory->base) +
                       value_of(regs, memory->index) * memory->scale +
                       (uint64_t)memory->displacement;
    const struct known_object *object = known_find(&trial->stepped.known, address, &offset);
    if (!object || memory->segment || memory->vector)
        return;
    struct site *site = site_of(trial, regs->rip, operand, memory);
    const struct dwarf_answer *answer = &site->answer;
    const struct type_desc *type = program_described(trial->program, answer->type);
    if (!answer->untyped && type &&
        known_agrees(&trial->stepped.known, object, offset, type, (uint64_t)answer->offset)) {
        site->right++;
        return;
    }
    site->wrong++;
    site->wrong_offset = offset;
    snprintf(site->wrong_type, sizeof site->wrong_type, "%s", object->type);
}

static void print_site(const struct trial *trial, const struct site *site)
{
    char text[128] = "";
    const struct dwarf_answer *answer = &site->answer;
    const struct type_desc *type = program_described(trial->program, answer->type);
    decoder_text(trial->decoder, answer->question.pc, text, sizeof text);
    print_message("    +%#lx %s: %s + %lu, answered %s + %ld%s (how %u) %s\n",
                  (unsigned long)(answer->question.pc - trial->stepped.known.code_start), text,
                  site->wrong_type, (unsigned long)site->wrong_offset, type ? type->name : "-",
                  (long)answer->offset, answer->indexed ? " indexed" : "", answer->how,
                  untyped_name((enum untyped)answer->untyped));
}

static void count(struct trial *trial)
{
    struct tally *tally = &trial->tally;
    for (size_t i = 0; i < trial->site_count; i++) {
        const struct site *site = &trial->sites[i];
        bool typed = !site->answer.untyped;
        tally->sites++;
        tally->reasons[site->answer.untyped]++;
        tally->right += typed && !site->wrong;
        tally->wrong += typed && site->wrong;
        if (site->wrong && (shows_each || typed))
            print_site(trial, site);
    }
}

static void print_tally(const char *name, const struct tally *tally)
{
    print_message("%-44s %5u %5u %5u %6.1f%%", name, tally->sites, tally->right, tally->wrong,
                  tally->sites ? 100.0 * tally->right / tally->sites : 0);
    for (int i = 1; i < UNTYPED_COUNT; i++)
        if (tally->reasons[i])
            print_message(" %s %u", untyped_name((enum untyped)i), tally->reasons[i]);
    print_message("\n");
}

static void add_up(const struct tally *tally)
{
    all.sites += tally->sites;
    all.right += tally->right;
    all.wrong += tally->wrong;
    all.answer_ns += tally->answer_ns;
    all.queries += tally->queries;
    if (tally->slowest_ns > all.slowest_ns)
        all.slowest_ns = tally->slowest_ns;
    for (int i = 0; i < UNTYPED_COUNT; i++)
        all.reasons[i] += tally->reasons[i];
}

static void step_through(struct trial *trial)
{
    struct user_regs_struct regs;
    for (unsigned i = 0; i < STEPS_MAX && stepped_next(&trial->stepped, &regs); i++) {
        struct insn *insns;
        size_t found;
        if (!decoder_function(trial->decoder, regs.rip, &insns, &found))
            continue;
        size_t at = 0;
        while (at < found && insns[at].address < regs.rip)
            at++;
        bool judged = at < found && insns[at].address == regs.rip && insns[at].flow == INSN_PLAIN &&
                      !insns[at].string_step;
        for (unsigned operand = 0; judged && operand < insns[at].memory_count; operand++)
            judge_access(trial, &regs, operand, &insns[at].memory[operand]);
        free(insns);
    }
}

struct way {
    const char *compiler;
    const char *plus; /* same for C++ */
    const char *flags;
};

static bool compiler_works(const char *compiler)
{
    return target_run("command -v %s >/dev/null 2>&1", compiler);
}

static void try_program(const char *name, const char *path)
{
    static struct trial trial;
    bool opened = open_trial(&trial, path);
    if (opened) {
        step_through(&trial);
        count(&trial);
        print_tally(name, &trial.tally);
        add_up(&trial.tally);
    }
    close_trial(&trial);
    assert_true(opened);
}

static void try_source(const char *source, const struct way *way)
{
    char name[128];
    bool plus = strstr(source, ".cc");
    const char *compiler = plus ? way->plus : way->compiler;
    if (!compiler_works(compiler))
        return;
    snprintf(name, sizeof name, "%s %s %s", source, compiler, way->flags);
    bool two = !strcmp(source, "twins.c");
    const char *path = target_built("%s -w %s -o $OUT %s/%s %s", compiler, way->flags, TYPES_FOLDER,
                                    source, two ? TYPES_FOLDER "/twins_other.c" : "");
    assert_non_null(path);
    try_program(name, path);
}

static const struct way ways[] = {
    {"gcc", "g++", "-O0 -gdwarf-5"},
    {"gcc", "g++", "-O2 -gdwarf-4"},
    {"gcc", "g++", "-O2 -gdwarf-5"},
    {"gcc", "g++", "-O3 -gdwarf-5"},
    {"gcc", "g++", "-O2 -gdwarf-5 -gsplit-dwarf"},
    {"gcc", "g++", "-O2 -g -flto"},
    {"gcc", "g++", "-O2 -g -fno-pie -no-pie"},
    {"gcc", "g++", "-Os -gdwarf-2 -gstrict-dwarf"},
    {"gcc", "g++", "-Og -g -fno-omit-frame-pointer"},
    {"clang", "clang++", "-O2 -gdwarf-5 -gsplit-dwarf"},
    {"clang", "clang++", "-Os -g -fno-pie -no-pie"},

    {"clang", "clang++", "-O0 -gdwarf-5"},
    {"clang", "clang++", "-O2 -gdwarf-4"},
    {"clang", "clang++", "-O2 -gdwarf-5"},
    {"clang", "clang++", "-O3 -gdwarf-5"},
};
static const char *const sources[] = {"plain.c",      "lists.c",   "fixed.c", "calls.c",
                                      "frame.c",      "numbers.c", "casts.c", "classes.cc",
                                      "templates.cc", "twins.c"};

/* Fortran cannot put a function in a section of its own, so all its code goes there. */
static void try_fortran(const char *flags)
{
    char name[128];
    if (!compiler_works("gfortran") || !compiler_works("gcc") || !compiler_works("objcopy"))
        return;
    snprintf(name, sizeof name, "arrays.f90 gfortran %s", flags);
    const char *path = target_built("gfortran %s -c -o $OUT.o %s/arrays.f90 && "
                                    "objcopy --rename-section .text=marked $OUT.o && "
                                    "gcc -w -o $OUT %s/arrays_main.c $OUT.o",
                                    flags, TYPES_FOLDER, TYPES_FOLDER);
    assert_non_null(path);
    try_program(name, path);
}

static bool wanted(const char *source, const struct way *way)
{
    const char *only = getenv("TYPES_ONLY"); /* "lists.c gcc -O2" */
    char name[128];
    snprintf(name, sizeof name, "%s %s %s", source, way->compiler, way->flags);
    return !only || !strncmp(name, only, strlen(only));
}

static void access_types_match_the_programs_statements(void **state)
{
    (void)state;
    print_message("%-44s %5s %5s %5s %7s\n", "accesses of", "all", "right", "wrong", "share");
    for (size_t source = 0; source < sizeof sources / sizeof *sources; source++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (wanted(sources[source], &ways[way]))
                try_source(sources[source], &ways[way]);
    if (!getenv("TYPES_ONLY")) {
        try_fortran("-O0 -g");
        try_fortran("-O2 -g");
    }
    print_tally("all", &all);
    print_message("question time %.1f us on average, %.1f ms at most\n",
                  all.queries ? (double)all.answer_ns / all.queries / 1e3 : 0,
                  (double)all.slowest_ns / 1e6);
    assert_int_equal(all.wrong, 0);
    assert_true(all.right * 100 >= all.sites * 85);
}

/* Checks the judge itself: it must be able to reject. */
static void judge_rejects_wrong_types(void **state)
{
    static struct known known;
    static const char *const lines[] = {
        "type\tstruct s\t24", "part\tstruct s\tlong\t0\t8\t1", "part\tstruct s\tint\t8\t4\t3",
        "part\tstruct s\tdouble\t20\t4\t1", "object\tstruct s\t0x1000\t10"};
    struct type_desc record = {.name = "struct s", .kind = TYPE_STRUCT, .size = 24};
    struct type_desc number = {.name = "int", .kind = TYPE_SCALAR, .size = 4};
    struct type_desc other = {.name = "struct t", .kind = TYPE_STRUCT, .size = 24};
    uint64_t offset;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_true(known_line(&known, lines[i]));
    assert_null(known_find(&known, 0xfff, &offset));
    const struct known_object *object = known_find(&known, 0x1000 + 24 + 12, &offset);
    assert_non_null(object);
    assert_int_equal(offset, 12);
    assert_true(known_agrees(&known, object, offset, &record, 12));
    assert_true(known_agrees(&known, object, offset, &record, 8)); /* with index 0 */
    assert_true(known_agrees(&known, object, offset, &number, 0));
    assert_false(known_agrees(&known, object, offset, &record, 0));
    assert_false(known_agrees(&known, object, offset, &record, 20));
    assert_false(known_agrees(&known, object, offset, &other, 12));
    assert_false(known_agrees(&known, object, 0, &number, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge_rejects_wrong_types),
        cmocka_unit_test(access_types_match_the_programs_statements)};
    shows_each = getenv("TYPES_SHOW");
    if (!compiler_works("gcc") && !compiler_works("clang")) {
        fprintf(stderr, "skipped: neither gcc nor clang is installed\n");
        return 77;
    }
    return cmocka_run_group_tests_name("types from code", tests, NULL, NULL);
}
