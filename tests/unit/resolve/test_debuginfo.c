/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests all places of debug information: in the file, beside it, compressed, split, merged by dwz.
 * A library is built for each, and its answers about one function and one variable are checked.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "resolve/dwarf/program.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/module.h"
#include "unit.h"
#include "unit/resolve/target.h"

enum { BASE = 0x7f0000000000 };

static const char source[] = "struct point { double x, y; struct point *next; };\n"
                             "struct point table[10] = {{1, 2, 0}};\n"
                             "__attribute__((noinline)) static double inner(struct point *p)\n"
                             "{ return p->x + p->next->y; }\n"
                             "double outer(int i) { return inner(table + i) + inner(table); }\n";

static const char other_source[] = "struct point { double x, y; struct point *next; };\n"
                                   "struct point others[3];\n"
                                   "double far(struct point *p) { return p->y; }\n";

static struct module *module;
static struct program *program;
static const char *compiler; /* NULL: the compiler of the build */

static const char *cc(void)
{
    return compiler ? compiler : getenv("CC") ? getenv("CC") : "cc";
}

static void skip_unless(bool can, const char *what)
{
    if (!can) {
        print_message("skipped: no %s\n", what);
        skip();
    }
}

static void open_at(const char *path, const char *debug_root)
{
    const struct module_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC),
                                       .path = path,
                                       .mapping = &(struct map){.start = BASE},
                                       .from = {.debug_root = debug_root}};
    assert_true(from.fd >= 0);
    module = module_new(&from);
    assert_non_null(module);
}

static int close_all(void **state)
{
    (void)state;
    program_free(program);
    module_free(module);
    program = NULL;
    module = NULL;
    compiler = NULL;
    return 0;
}

static int end(void **state)
{
    close_all(state);
    target_run("rm -rf %s/* %s/.debug", target_folder(), target_folder());
    return 0;
}

/* Writes a.c and b.c to the folder and runs a command there; $CC is the compiler. */
static bool build(const char *command)
{
    FILE *a = fopen(target_path("a.c"), "w");
    FILE *b = fopen(target_path("b.c"), "w");
    assert_true(a && b && fputs(source, a) >= 0 && fputs(other_source, b) >= 0);
    fclose(a);
    fclose(b);
    return target_run("cd %s && CC='%s' && ( %s ) >/dev/null 2>&1", target_folder(), cc(), command);
}

static uint64_t address_of(const char *name)
{
    const struct symbol *symbol = NULL;
    uint64_t start;
    uint64_t bound;
    module_range(module, &start, &bound);
    for (uint64_t at = start; at < bound && !symbol; at++) {
        symbol = module_function(module, at);
        if (!symbol || strcmp(symbol->name, name))
            symbol = module_object(module, at);
        if (symbol && strcmp(symbol->name, name))
            symbol = NULL;
    }
    assert_non_null(symbol);
    return symbol->start;
}

/* Returns the function in the unit at an address, from the unit's own entries. */
static const char *function_at(uint64_t address)
{
    struct program_place place;
    Dwarf_Die die;
    if (!program_place(program, address, &place) || dwarf_child(&place.unit, &die))
        return "";
    do
        if (dwarf_tag(&die) == DW_TAG_subprogram && dwarf_haspc(&die, place.address) > 0)
            return dwarf_diename(&die);
    while (!dwarf_siblingof(&die, &die));
    return "";
}

static uint32_t line_at(uint64_t address)
{
    const struct dwarf_question question = {.ask = DWARF_LINE, .pc = address};
    struct dwarf_answer answer;
    program_answer(program, &question, &answer);
    return answer.file ? answer.line : 0;
}

static const char *type_at(uint64_t address)
{
    const struct dwarf_question question = {.ask = DWARF_VARIABLE, .address = address};
    const struct dwarf_type *type;
    struct dwarf_answer answer;
    static char name[64];
    snprintf(name, sizeof name, "(none)");
    program_answer(program, &question, &answer);
    while ((type = program_next_type(program)))
        if (type->type == answer.type)
            snprintf(name, sizeof name, "%s", type->desc.name);
    return name;
}

/* Checks that entries, lines and types are available. */
static void expect_debug_info(const char *path)
{
    open_at(path, target_path("root"));
    assert_true(debuginfo_present(module_debuginfo(module)));
    program = program_new(module);
    assert_non_null(program);
    uint64_t outer = address_of("outer");
    uint64_t table = address_of("table");
    assert_string_equal(function_at(outer), "outer");
    assert_int_equal(line_at(outer), 5);
    assert_string_equal(type_at(table + 24), "struct point");
}

static void expect_no_debug_info(const char *path)
{
    open_at(path, target_path("root"));
    assert_false(debuginfo_present(module_debuginfo(module)));
    program = program_new(module);
    assert_null(program);
}

/* Uses every available compiler with DWARF 3 to 5, with and without optimisation. */
static void debug_info_in_the_file_is_read(void **state)
{
    static const char *const compilers[] = {NULL, "clang"};
    static const char *const flags[] = {"-gdwarf-5 -O2", "-gdwarf-4 -O1", "-gdwarf-3 -O0",
                                        "-gdwarf-2 -O2", "-g3 -O3"};
    unsigned built = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof flags / sizeof *flags; j++) {
            char command[256];
            compiler = compilers[i];
            snprintf(command, sizeof command, "$CC %s -shared -fPIC -o a.so a.c b.c", flags[j]);
            if (!build(command))
                continue;
            built++;
            expect_debug_info(target_path("a.so"));
            close_all(state);
        }
    skip_unless(built, "compiler");
}

static void compressed_sections_are_read(void **state)
{
    static const char *const ways[] = {"zlib", "zlib-gabi", "zlib-gnu"};
    unsigned built = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char command[256];
        snprintf(command, sizeof command,
                 "$CC -g -O1 -shared -fPIC -o x.so a.c b.c && "
                 "objcopy --compress-debug-sections=%s x.so a.so",
                 ways[i]);
        if (!build(command))
            continue;
        built++;
        expect_debug_info(target_path("a.so"));
        close_all(state);
    }
    skip_unless(built, "objcopy that compresses");
}

/* libelf may lack zstd support: then there is no information, but nothing breaks. */
static void zstd_sections_are_read_or_ignored(void **state)
{
    (void)state;
    skip_unless(build("$CC -g -O1 -shared -fPIC -o x.so a.c b.c && "
                      "objcopy --compress-debug-sections=zstd x.so a.so"),
                "objcopy that knows zstd");
    open_at(target_path("a.so"), target_path("root"));
    program = program_new(module);
    print_message("zstd: %s\n", program ? "read" : "not read by this libelf");
    if (program)
        assert_string_equal(function_at(address_of("outer")), "outer");
}

static void stripped_file_has_no_debug_info(void **state)
{
    (void)state;
    skip_unless(build("$CC -g -O1 -shared -fPIC -o x.so a.c b.c && strip -o a.so x.so"),
                "compiler");
    expect_no_debug_info(target_path("a.so"));
}

static void debug_file_is_found_by_build_id(void **state)
{
    (void)state;
    skip_unless(
        build("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c b.c && "
              "mkdir -p root/.build-id/ab && strip -o a.so x.so && "
              "objcopy --only-keep-debug --compress-debug-sections "
              "x.so root/.build-id/ab/cdef0123456789.debug"),
        "objcopy");
    expect_debug_info(target_path("a.so"));
}

/* A file with symbols but no debug information still uses its debug file. */
static void debug_file_is_used_despite_symbols(void **state)
{
    (void)state;
    skip_unless(
        build("$CC -g -O1 -shared -fPIC -Wl,--build-id=none -o x.so a.c b.c && mkdir .debug && "
              "objcopy --only-keep-debug x.so .debug/a.debug && strip -g -o a.so x.so && "
              "cd .debug && objcopy --add-gnu-debuglink=a.debug ../a.so"),
        "objcopy");
    expect_debug_info(target_path("a.so"));
}

static void dwz_in_one_file_is_read(void **state)
{
    (void)state;
    skip_unless(!system("command -v dwz >/dev/null"), "dwz");
    skip_unless(build("$CC -gdwarf-4 -O1 -shared -fPIC -o a.so a.c b.c && dwz a.so"), "dwz");
    expect_debug_info(target_path("a.so"));
}

/* Builds the layout of Debian's packages: two debug files, and a third with shared data. */
static bool build_dwz(const char *link)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "mkdir -p root/.build-id/ab root/.dwz; F='-g -O1 -shared -fPIC -Wl,--build-id=0xab0000'; "
        "$CC ${F}00 -o x.so a.c b.c && $CC ${F}01 -o y.so a.c b.c && "
        "objcopy --only-keep-debug x.so root/.build-id/ab/000000.debug && "
        "objcopy --only-keep-debug y.so root/.build-id/ab/000001.debug && strip -o a.so x.so && "
        "cd root/.build-id/ab && dwz -L none -m ../../.dwz/both.debug %s 000000.debug 000001.debug "
        "&& [ -s ../../.dwz/both.debug ]",
        link);
    return build(command);
}

static void dwz_in_shared_file_is_read(void **state)
{
    (void)state;
    skip_unless(!system("command -v dwz >/dev/null"), "dwz");
    skip_unless(build_dwz("-r"), "dwz -m"); /* named relative to the debug files */
    expect_debug_info(target_path("a.so"));
    close_all(state);
    assert_true(
        build("mv root/.dwz/both.debug x && id=$(readelf -n x | sed -n 's/.*Build ID: //p') "
              "&& two=$(echo $id | cut -c1-2) && mkdir -p root/.build-id/$two && "
              "mv x root/.build-id/$two/$(echo $id | cut -c3-).debug"));
    expect_debug_info(target_path("a.so"));
}

/* Without the shared file most entries cannot be read. */
static void missing_dwz_file_means_no_debug_info(void **state)
{
    (void)state;
    skip_unless(!system("command -v dwz >/dev/null"), "dwz");
    skip_unless(build_dwz("-r"), "dwz -m");
    assert_true(build("rm root/.dwz/both.debug"));
    open_at(target_path("a.so"), target_path("root"));
    program = program_new(module);
    assert_null(program);
}

static const char *const split_flags[] = {"-gdwarf-5", "-gdwarf-4"};
static const char *const split_compilers[] = {NULL, "clang"};

static void split_dwarf_is_read(void **state)
{
    unsigned built = 0;
    for (size_t i = 0; i < 4; i++) {
        char command[256];
        compiler = split_compilers[i % 2];
        snprintf(command, sizeof command,
                 "F='-gsplit-dwarf %s -O1 -fPIC'; $CC $F -c a.c && $CC $F -c b.c && "
                 "$CC -shared -o a.so a.o b.o && [ -s a.dwo ] && rm *.o",
                 split_flags[i / 2]);
        if (!build(command))
            continue;
        built++;
        expect_debug_info(target_path("a.so"));
        close_all(state);
        end(state);
    }
    skip_unless(built, "compiler that splits");
}

/* The .dwo files are found beside the program although it was built elsewhere. */
static void moved_split_dwarf_is_found_beside_program(void **state)
{
    (void)state;
    skip_unless(
        build("mkdir built && cp a.c b.c built && cd built && F='-g -gsplit-dwarf -O1 -fPIC' && "
              "$CC $F -c a.c && $CC $F -c b.c && $CC -shared -o a.so a.o b.o && [ -s a.dwo ] && "
              "mv a.so *.dwo .. && cd .. && rm -r built"),
        "compiler that splits");
    expect_debug_info(target_path("a.so"));
}

static void missing_dwo_files_leave_lines_only(void **state)
{
    (void)state;
    skip_unless(build("F='-g -gsplit-dwarf -O1 -fPIC'; $CC $F -c a.c && $CC $F -c b.c && "
                      "$CC -shared -o a.so a.o b.o && [ -s a.dwo ] && rm *.dwo"),
                "compiler that splits");
    open_at(target_path("a.so"), target_path("root"));
    program = program_new(module);
    assert_non_null(program);
    assert_int_equal(line_at(address_of("outer")), 5); /* lines are still in the file */
    assert_string_equal(type_at(address_of("table") + 24), "(none)");
}

/* Split units collected by dwp: elfutils supports such files from 0.191 on; with older versions
 * only lines are available. */
static void split_dwarf_package_is_read(void **state)
{
    (void)state;
    skip_unless(!system("command -v dwp >/dev/null"), "dwp");
    skip_unless(
        build("F='-gdwarf-4 -gsplit-dwarf -O1 -fPIC'; $CC $F -c a.c && $CC $F -c b.c && "
              "$CC -shared -o a.so a.o b.o && [ -s a.dwo ] && dwp -e a.so && [ -s a.so.dwp ] && "
              "rm *.dwo"),
        "compiler that splits");
    open_at(target_path("a.so"), target_path("root"));
    program = program_new(module);
    assert_non_null(program);
    assert_int_equal(line_at(address_of("outer")), 5);
    bool read = !strcmp(function_at(address_of("outer")), "outer");
    print_message("dwp: %s\n", read ? "read" : "not read by this libdw");
    if (read)
        assert_string_equal(type_at(address_of("table") + 24), "struct point");
}

/* A variable of a unit without debug information is declared by the unit of the asking code. */
static void variable_is_declared_by_accessing_unit(void **state)
{
    (void)state;
    skip_unless(
        build("sed -i 's/^struct point others/extern &/; s/return p->y/return others[1].y + p->y/' "
              "b.c; "
              "echo 'struct point { double x, y; struct point *next; } others[3];' >c.c; "
              "gcc -g -O1 -shared -fPIC -o x.so a.c b.c && gcc -O1 -fPIC -c c.c && "
              "gcc -g -O1 -shared -fPIC -o a.so a.c b.c c.o"),
        "gcc"); /* clang does not describe variables of other units */
    open_at(target_path("a.so"), target_path("root"));
    program = program_new(module);
    assert_non_null(program);
    const struct dwarf_question question = {
        .ask = DWARF_VARIABLE, .address = address_of("others") + 24, .pc = address_of("far")};
    struct dwarf_answer answer;
    program_answer(program, &question, &answer);
    assert_non_null(answer.name);
    assert_string_equal(answer.name, "others");
    assert_int_equal(answer.size, 72);
    assert_int_equal(answer.count, 3);
    assert_int_equal(answer.offset, 24);
}

#define TEST(test) cmocka_unit_test_teardown(test, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(debug_info_in_the_file_is_read),
                                       TEST(compressed_sections_are_read),
                                       TEST(zstd_sections_are_read_or_ignored),
                                       TEST(stripped_file_has_no_debug_info),
                                       TEST(debug_file_is_found_by_build_id),
                                       TEST(debug_file_is_used_despite_symbols),
                                       TEST(dwz_in_one_file_is_read),
                                       TEST(dwz_in_shared_file_is_read),
                                       TEST(missing_dwz_file_means_no_debug_info),
                                       TEST(split_dwarf_is_read),
                                       TEST(moved_split_dwarf_is_found_beside_program),
                                       TEST(missing_dwo_files_leave_lines_only),
                                       TEST(split_dwarf_package_is_read),
                                       TEST(variable_is_declared_by_accessing_unit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
