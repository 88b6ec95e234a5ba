/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/resolve/described.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "resolve/elf/module.h"
#include "resolve/members.h"
#include "unit.h"
#include "unit/resolve/target.h"

enum { LINE_BYTES = 512 };

/* A parsed statement of the program. */
struct statement {
    char name[128];
    char text[256];
    uint64_t address;
    uint64_t size;
    uint64_t count;
    uint64_t pc;
    uint64_t cfa;
};

/* Type of the current "at" lines. */
static const struct type_desc *current;

/* Returns true if a compiler is available. */
static bool described_has(const char *compiler)
{
    return target_run("command -v %s >/dev/null 2>&1", compiler);
}

/* Returns the load address that a position-dependent program requests. */
static uint64_t start_of(int fd)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment = {0};
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    for (unsigned i = 0; i < header.e_phnum && segment.p_type != PT_LOAD; i++)
        assert_int_equal(
            pread(fd, &segment, sizeof segment, (off_t)(header.e_phoff + i * sizeof segment)),
            sizeof segment);
    return segment.p_vaddr;
}

bool described_open(struct described *described, const char *compiler, const char *flags,
                    const char *source)
{
    *described = (struct described){0};
    snprintf(described->label, sizeof described->label, "%s %s %s", compiler, flags, source);
    const char *path = described_has(compiler) ? target_built("%s %s -o $OUT %s/%s 2>$OUT.log",
                                                              compiler, flags, TYPES_FOLDER, source)
                                               : NULL;
    if (!path)
        return false;
    snprintf(described->path, sizeof described->path, "%s", path);
    struct module_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC), .path = described->path};
    assert_true(from.fd >= 0);
    from.mapping = &(struct map){.start = start_of(from.fd)};
    described->module = module_new(&from);
    assert_non_null(described->module);
    described->program = program_new(described->module);
    assert_non_null(described->program);
    return true;
}

uint64_t described_symbol(const struct described *described, const char *name)
{
    char command[512];
    uint64_t address = 0;
    snprintf(command, sizeof command, "nm %s | grep ' %s$'", described->path, name);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%" SCNx64, &address), 1);
    pclose(in);
    return address;
}

void described_close(struct described *described)
{
    program_free(described->program);
    if (described->module)
        module_free(described->module);
}

__attribute__((format(printf, 2, 3))) static void wrong(struct described *described,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", described->label);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    described->wrong++;
}

static void replace(char *text, const char *from, const char *to)
{
    char *at;
    while ((at = strstr(text, from))) {
        memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
}

/* Compares type names; gcc's "long unsigned int" is clang's shorter "unsigned long". */
static bool same_text(const char *a, const char *b)
{
    char one[512];
    char other[512];
    char *texts[] = {one, other};
    if (!strcmp(a, "*") || !strcmp(b, "*"))
        return true;
    snprintf(one, sizeof one, "%s", a);
    snprintf(other, sizeof other, "%s", b);
    for (int i = 0; i < 2; i++) {
        replace(texts[i], "long unsigned int", "unsigned long");
        replace(texts[i], "short unsigned int", "unsigned short");
        replace(texts[i], "long int", "long");
        replace(texts[i], "short int", "short");
        replace(texts[i], "unsigned int", "unsigned");
    }
    return !strcmp(one, other);
}

static struct dwarf_answer ask(struct described *described, struct dwarf_question question)
{
    struct dwarf_answer answer;
    program_answer(described->program, &question, &answer);
    return answer;
}

/* Checks the answer about a variable against the program's statement. The question is about the
 * middle of the variable. */
static void check_variable(struct described *described, const struct statement *statement,
                           struct dwarf_question question, uint64_t inside)
{
    struct dwarf_answer answer = ask(described, question);
    const struct type_desc *type = program_described(described->program, answer.type);
    current = type;
    if (!answer.name || !type || strcmp(answer.name, statement->name))
        wrong(described, "%s: got name %s, untyped %s", statement->name,
              answer.name ? answer.name : "nothing", untyped_name(answer.untyped));
    else if (answer.offset != (int64_t)inside || answer.size != statement->size ||
             answer.count != statement->count)
        wrong(described,
              "%s: expected offset %" PRIu64 " size %" PRIu64 " count %" PRIu64
              ", got offset %" PRId64 " size %" PRIu64 " count %" PRIu64,
              statement->name, inside, statement->size, statement->count, answer.offset,
              answer.size, answer.count);
    else if (!same_text(type->name, statement->text))
        wrong(described, "%s: expected type '%s', got '%s'", statement->name, statement->text,
              type->name);
    else if (type->size * (statement->count ? statement->count : 1) != statement->size &&
             !type->member_count)
        wrong(described, "%s: the type has %" PRIu64 " bytes", statement->name, type->size);
    else
        described->held++;
}

static uint32_t find_path(const struct type_desc *type, const char *path)
{
    char own[256];
    for (uint32_t i = 0; type && i < type->member_count; i++)
        if (!strcmp(type_path(type, i, own, sizeof own), path))
            return i;
    return TYPE_NO_MEMBER;
}

static void check_member(struct described *described, const struct statement *statement)
{
    uint32_t index = find_path(current, statement->name);
    if (index == TYPE_NO_MEMBER) {
        wrong(described, "type %s has no member %s", current ? current->name : "(none)",
              statement->name);
        return;
    }
    const struct type_member *member = &current->members[index];
    if (member->offset != statement->address || member->size != statement->size)
        wrong(described,
              "%s of %s: expected offset %" PRIu64 " size %" PRIu64 ", got offset %" PRIu64
              " size %" PRIu64,
              statement->name, current->name, statement->address, statement->size, member->offset,
              member->size);
    else if (!same_text(member->type, statement->text))
        wrong(described, "%s of %s: expected type '%s', got '%s'", statement->name, current->name,
              statement->text, member->type);
    else
        described->held++;
}

static void check_bits(struct described *described, const struct statement *statement)
{
    uint32_t index = find_path(current, statement->name);
    const struct type_member *member =
        index == TYPE_NO_MEMBER ? &(struct type_member){0} : &current->members[index];
    uint64_t first = member->offset * 8 + member->bit_offset;
    if (first != statement->address || member->bit_size != statement->size)
        wrong(described,
              "bit-field %s: expected %" PRIu64 " bits at %" PRIu64 ", got %" PRIu64
              " bits at %" PRIu64,
              statement->name, statement->size, statement->address, (uint64_t)member->bit_size,
              first);
    else
        described->held++;
}

static void check_slot(struct described *described, const struct statement *statement)
{
    uint64_t inside = statement->size / 2;
    struct dwarf_question question = {.ask = DWARF_SLOT,
                                      .pc = statement->pc - 1,
                                      .slot =
                                          (int64_t)(statement->address + inside - statement->cfa)};
    check_variable(described, statement, question, inside);
}

static void check_kind(struct described *described, const struct statement *statement)
{
    static const char *const kinds[] = {"unknown", "variable", "spill",
                                        "saved",   "argument", "dynamic"};
    struct dwarf_answer answer = ask(
        described, (struct dwarf_question){.ask = DWARF_SLOT,
                                           .pc = statement->pc - 1,
                                           .slot = (int64_t)(statement->address - statement->cfa)});
    const char *kind = answer.slot < sizeof kinds / sizeof *kinds ? kinds[answer.slot] : "?";
    if (strcmp(kind, statement->name))
        wrong(described, "slot at %+" PRId64 ": expected %s, got %s (%s)", answer.question.slot,
              statement->name, kind, answer.name ? answer.name : "");
    else
        described->held++;
}

/* Checks line and inlined functions, formatted as the program prints them. */
static void check_source(struct described *described, const struct statement *statement)
{
    char reported[512];
    struct dwarf_answer answer =
        ask(described, (struct dwarf_question){.ask = DWARF_LINE, .pc = statement->pc - 1});
    snprintf(reported, sizeof reported, "%u", answer.line);
    for (uint32_t i = 0; i < answer.inlined_count; i++)
        snprintf(reported + strlen(reported), sizeof reported - strlen(reported), " %s:%u",
                 answer.inlined[i], answer.inlined_line[i]);
    if (!answer.inlined_count)
        snprintf(reported + strlen(reported), sizeof reported - strlen(reported), " -");
    bool files = answer.file && !strncmp(answer.file, TYPES_FOLDER "/d_", strlen(TYPES_FOLDER) + 3);
    for (uint32_t i = 0; i < answer.inlined_count; i++)
        files = files && answer.inlined_file[i] && !strcmp(answer.inlined_file[i], answer.file);
    if (strcmp(reported, statement->text) || !files)
        wrong(described, "expected line %s, got %s (%s)", statement->text, reported,
              answer.file ? answer.file : "no file");
    else
        described->held++;
}

static void check_call(struct described *described, const struct statement *statement)
{
    struct dwarf_answer answer =
        ask(described, (struct dwarf_question){.ask = DWARF_CALL, .pc = statement->pc});
    const char *reported = !answer.name ? "-" : *answer.name ? answer.name : "return";
    const struct type_desc *type = program_described(described->program, answer.type);
    if (strcmp(reported, statement->text))
        wrong(described, "call before %" PRIx64 ": expected %s, got %s", statement->pc,
              statement->text, reported);
    else if (answer.name && *answer.name &&
             (!type || strncmp(type_bare_name(type), reported, strlen(type_bare_name(type)))))
        wrong(described, "the result %s of a call has no type", reported);
    else
        described->held++;
}

static void check_statement(struct described *described, const char *line)
{
    struct statement statement = {0};
    uint64_t inside;
    if (sscanf(line, "var %127s %" SCNx64 " %" SCNu64 " %" SCNu64 " %255[^\n]", statement.name,
               &statement.address, &statement.size, &statement.count, statement.text) == 5) {
        inside = statement.size / 2;
        check_variable(
            described, &statement,
            (struct dwarf_question){.ask = DWARF_VARIABLE, .address = statement.address + inside},
            inside);
    } else if (sscanf(line, "thread %127s %" SCNx64 " %" SCNu64 " %" SCNu64 " %255[^\n]",
                      statement.name, &statement.address, &statement.size, &statement.count,
                      statement.text) == 5) {
        inside = statement.size / 2;
        uint64_t offset = statement.address + module_tls_bytes(described->module);
        check_variable(described, &statement,
                       (struct dwarf_question){.ask = DWARF_TLS, .address = offset + inside},
                       inside);
    } else if (sscanf(line, "at %127s %" SCNu64 " %" SCNu64 " %255[^\n]", statement.name,
                      &statement.address, &statement.size, statement.text) == 4) {
        check_member(described, &statement);
    } else if (sscanf(line, "bits %127s %" SCNu64 " %" SCNu64, statement.name, &statement.address,
                      &statement.size) == 3) {
        check_bits(described, &statement);
    } else if (sscanf(line,
                      "slot %127s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNu64 " %" SCNu64
                      " %255[^\n]",
                      statement.name, &statement.pc, &statement.cfa, &statement.address,
                      &statement.size, &statement.count, statement.text) == 7) {
        check_slot(described, &statement);
    } else if (sscanf(line, "kind %127s %" SCNx64 " %" SCNx64 " %" SCNx64, statement.name,
                      &statement.pc, &statement.cfa, &statement.address) == 4) {
        check_kind(described, &statement);
    } else if (sscanf(line, "line %" SCNx64 " %255[^\n]", &statement.pc, statement.text) == 2) {
        check_source(described, &statement);
    } else if (sscanf(line, "call %" SCNx64 " %255[^\n]", &statement.pc, statement.text) == 2) {
        check_call(described, &statement);
    } else if (sscanf(line, "none %127s", statement.name) == 1) {
        if (find_path(current, statement.name) == TYPE_NO_MEMBER)
            described->held++;
        else
            wrong(described, "unexpected member %s", statement.name);
    } else {
        wrong(described, "unknown statement of the program: %s", line);
    }
}

void described_check(struct described *described)
{
    char line[LINE_BYTES];
    FILE *out = popen(described->path, "r");
    assert_non_null(out);
    while (fgets(line, sizeof line, out))
        check_statement(described, line);
    if (pclose(out))
        wrong(described, "the program failed");
}

void described_matrix(const char *const compilers[], const char *const flags[], const char *source,
                      unsigned least)
{
    unsigned builds = 0;
    unsigned wrongs = 0;
    bool installed = false;
    for (; *compilers; compilers++) {
        installed |= described_has(*compilers);
        for (const char *const *flag = flags; *flag; flag++) {
            struct described described;
            if (described_open(&described, *compilers, *flag, source)) {
                described_check(&described);
                fprintf(stderr, "%s: %u statements right, %u wrong\n", described.label,
                        described.held, described.wrong);
                builds++;
                wrongs += described.wrong + (described.held < least);
            } else {
                fprintf(stderr, "%s: skipped, cannot be compiled\n", described.label);
            }
            described_close(&described);
        }
    }
    if (!builds && installed)
        fail_msg("%s cannot be compiled", source);
    if (!builds)
        skip();
    assert_int_equal(wrongs, 0);
}
