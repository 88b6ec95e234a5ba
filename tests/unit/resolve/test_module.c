/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELF file as a module: names from the file and from separate debug files; hostile files. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/elf/binaries.h"
#include "resolve/elf/module.h"
#include "resolve/elf/symbols.h"
#include "unit.h"
#include "unit/resolve/target.h"

static const char module_test_source[] = "static int hidden[100] = {1};\n"
                                         "int shown[100] = {2};\n"
                                         "__attribute__((noinline)) static int inner(int i)\n"
                                         "{ return hidden[i]++ + shown[i]; }\n"
                                         "int outer(int i) { return inner(i) + inner(i + 1); }\n";

enum { BASE = 0x7f0000000000 };

static struct module *module;

static struct module *open_at(const char *path, const char *debug_root)
{
    struct module_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC),
                                 .path = path,
                                 .mapping = &(struct map){.start = BASE},
                                 .from = {.debug_root = debug_root}};
    assert_true(from.fd >= 0);
    return module_new(&from);
}

/* Builds "a.so", stripped, and "a.debug" with what was stripped; with or without a build-id. */
static bool split_debug(const char *flags)
{
    char all[128];
    snprintf(all, sizeof all, "-O1 -g -shared -fPIC %s", flags);
    return target_build(target_path("full.so"), all, module_test_source) &&
           target_run("objcopy --only-keep-debug %s %s", target_path("full.so"),
                      target_path("a.debug")) &&
           target_run("strip -o %s %s", target_path("a.so"), target_path("full.so"));
}

/* Returns the file address of a symbol, from nm. */
static uint64_t address_of(const char *name)
{
    char command[512];
    unsigned long long address = 0;
    snprintf(command, sizeof command, "nm %s | grep ' %s$'", target_path("full.so"), name);
    FILE *in = popen(command, "r");
    assert_int_equal(fscanf(in, "%llx", &address), 1);
    pclose(in);
    return BASE + address;
}

static bool has_hidden(void)
{
    const struct symbol *object = module_object(module, address_of("hidden") + 8);
    const struct symbol *function = module_function(module, address_of("inner") + 2);
    return object && !strcmp(object->name, "hidden") && object->start == address_of("hidden") &&
           object->end == object->start + 400 && function && !strcmp(function->name, "inner");
}

static int end(void **state)
{
    (void)state;
    module_free(module);
    module = NULL;
    target_run("rm -rf %s/*", target_folder());
    return 0;
}

static void skip_unless(bool built)
{
    if (!built) {
        print_message("skipped: no compiler, objcopy or strip\n");
        skip();
    }
}

static void stripped_file_has_exported_symbols(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    skip_unless(split_debug("-Wl,--build-id"));
    unlink(target_path("a.debug"));
    module = open_at(target_path("a.so"), target_folder());
    assert_non_null(module);
    assert_false(has_hidden());
    assert_non_null(module_object(module, address_of("shown")));
    assert_non_null(module_function(module, address_of("outer")));
    assert_string_equal(module_section(module, address_of("hidden"), &start, &bound), ".data");
    assert_true(module_frame(module, address_of("inner") + 2, &start, &bound));
    assert_int_equal(start, address_of("inner"));
    assert_string_equal(module_name(module), "a.so");
}

static void debug_file_is_found_by_build_id(void **state)
{
    (void)state;
    skip_unless(split_debug("-Wl,--build-id=0xabcdef0123456789"));
    assert_true(target_run("mkdir -p %s/root/.build-id/ab && mv %s "
                           "%s/root/.build-id/ab/cdef0123456789.debug",
                           target_folder(), target_path("a.debug"), target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_true(has_hidden());
    module_free(module);
    module = open_at(target_path("a.so"), target_path("elsewhere"));
    assert_false(has_hidden());
}

/* The debug file is in each of the three places for that name. */
static void debug_file_is_found_by_debuglink(void **state)
{
    (void)state;
    static const char *const places[] = {"", ".debug/", "root/%s/"};
    skip_unless(split_debug("-Wl,--build-id=none"));
    assert_true(target_run("cd %s && objcopy --add-gnu-debuglink=a.debug a.so", target_folder()));
    for (size_t i = 0; i < 3; i++) {
        char folder[512];
        snprintf(folder, sizeof folder, places[i], target_folder());
        assert_true(target_run("cd %s && mkdir -p ./%s && cp a.debug kept && mv a.debug ./%s/x && "
                               "mv ./%s/x ./%s/a.debug",
                               target_folder(), folder, folder, folder, folder));
        module = open_at(target_path("a.so"), target_path("root"));
        assert_true(has_hidden());
        module_free(module);
        assert_true(
            target_run("cd %s && rm ./%s/a.debug && mv kept a.debug", target_folder(), folder));
    }
    unlink(target_path("a.debug"));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_false(has_hidden());
}

static void debug_file_of_another_build_is_refused(void **state)
{
    (void)state;
    skip_unless(split_debug("-Wl,--build-id=none"));
    assert_true(target_run("cd %s && objcopy --add-gnu-debuglink=a.debug a.so && "
                           "printf x >>a.debug",
                           target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_non_null(module);
    assert_false(has_hidden());
    module_free(module);
    /* By build-id: a file with another id at the path of this one. */
    skip_unless(split_debug("-Wl,--build-id=0xaaaaaaaaaaaaaaaa"));
    assert_true(target_run("cd %s && mkdir -p root/.build-id/ab && cp a.debug "
                           "root/.build-id/ab/cdef0123456789.debug",
                           target_folder()));
    skip_unless(split_debug("-Wl,--build-id=0xabcdef0123456789"));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_false(has_hidden());
}

/* libdwfl itself would block on the FIFO forever. */
static void fifo_as_debug_file_does_not_block(void **state)
{
    (void)state;
    skip_unless(split_debug("-Wl,--build-id=none"));
    assert_true(target_run("cd %s && objcopy --add-gnu-debuglink=a.debug a.so && rm a.debug && "
                           "mkfifo a.debug",
                           target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_non_null(module);
    assert_false(has_hidden());
}

/* Rebuilding a library in place truncates the old file while it is in use. */
static void file_truncated_while_open_is_survived(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    char bytes[16];
    skip_unless(split_debug("-Wl,--build-id"));
    uint64_t inner = address_of("inner");
    module = open_at(target_path("full.so"), target_path("root"));
    assert_true(has_hidden());
    assert_int_equal(module_bytes(module, inner, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(truncate(target_path("full.so"), 100), 0);
    module_frame(module, inner, &start, &bound);
    assert_int_equal(module_bytes(module, inner, bytes, sizeof bytes), 0);
    assert_non_null(module_function(module, inner));
}

/* A section header claims more than fits in memory, in a sparse file of that size. */
static void oversized_symbol_table_is_not_read(void **state)
{
    (void)state;
    skip_unless(target_build(target_path("full.so"), "-O1 -shared -fPIC", module_test_source));
    assert_true(target_run("cp %s %s", target_path("full.so"), target_path("huge.so")));
    int fd = open(target_path("huge.so"), O_RDWR);
    Elf64_Ehdr header;
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        off_t at = (off_t)(header.e_shoff + i * sizeof section);
        assert_int_equal(pread(fd, &section, sizeof section, at), sizeof section);
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_STRTAB)
            section.sh_size = UINT64_C(1) << 36;
        assert_int_equal(pwrite(fd, &section, sizeof section, at), sizeof section);
    }
    assert_int_equal(ftruncate(fd, INT64_C(1) << 38), 0);
    close(fd);
    module = open_at(target_path("huge.so"), target_path("root"));
    assert_non_null(module);
    assert_null(module_object(module, address_of("shown")));
}

/* Linker marks and labels are used as names only if there is no other name. */
static void functions_take_precedence_over_labels(void **state)
{
    static const char assembled[] =
        "__asm__(\".text\\n.globl __rela_iplt_end\\n__rela_iplt_end:\\n"
        ".globl a_label\\na_label:\\n"
        ".globl zeroth\\n.type zeroth,@function\\nzeroth: ret\\nret\\n"
        ".globl lone_label\\nlone_label: ret\\n.globl etext\\netext: ret\\n\");";
    (void)state;
    skip_unless(target_build(target_path("full.so"), "-shared -fPIC -nostdlib", assembled));
    module = open_at(target_path("full.so"), "/nowhere");
    assert_non_null(module);
    const struct symbol *symbol = module_function(module, address_of("zeroth"));
    assert_true(symbol && !strcmp(symbol->name, "zeroth"));
    symbol = module_function(module, address_of("zeroth") + 1);
    assert_true(symbol && !strcmp(symbol->name, "zeroth"));
    symbol = module_function(module, address_of("lone_label"));
    assert_true(symbol && !strcmp(symbol->name, "lone_label"));
    symbol = module_function(module, address_of("etext"));
    assert_true(symbol && !strcmp(symbol->name, "lone_label"));
}

/* libc's free() also has the symbol cfree@GLIBC_2.2.5. */
static void old_symbol_version_is_not_used(void **state)
{
    (void)state;
    static const char source[] = "int thing(void) { return 1; }\n"
                                 "extern __typeof(thing) was __attribute__((alias(\"thing\")));\n"
                                 "__asm__(\".symver was, a_thing@V0\");\n";
    char flags[256];
    FILE *versions = fopen(target_path("versions"), "w");
    fputs("V0 { global: a_thing; local: *; };\nV1 { global: thing; } V0;\n", versions);
    fclose(versions);
    snprintf(flags, sizeof flags, "-shared -fPIC -Wl,--version-script=%s", target_path("versions"));
    skip_unless(target_build(target_path("full.so"), flags, source));
    module = open_at(target_path("full.so"), NULL);
    assert_non_null(module);
    assert_string_equal(module_function(module, address_of("a_thing@V0"))->name, "thing");
}

static void non_program_files_are_refused(void **state)
{
    (void)state;
    skip_unless(target_build(target_path("object.o"), "-c", module_test_source));
    FILE *text = fopen(target_path("text"), "w");
    fputs("no ELF file at all\n", text);
    fclose(text);
    assert_null(open_at(target_path("object.o"), NULL));
    assert_null(open_at(target_path("text"), NULL));
    assert_null(open_at("/dev/null", NULL));
    if (target_build(target_path("small.so"), "-m32 -shared -nostdlib 2>/dev/null", "int x;"))
        assert_null(open_at(target_path("small.so"), NULL));
}

static void deleted_file_keeps_its_sanitised_name(void **state)
{
    (void)state;
    skip_unless(target_build(target_path("full.so"), "-O1 -shared -fPIC", module_test_source));
    struct module_source from = {.fd = open(target_path("full.so"), O_RDONLY),
                                 .path = "/x/lib\033[31m.so (deleted)",
                                 .mapping = &(struct map){.start = BASE}};
    module = module_new(&from);
    assert_non_null(module);
    assert_string_equal(module_name(module), "lib?[31m.so");
}

static int run_module(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(stripped_file_has_exported_symbols, end),
        cmocka_unit_test_teardown(debug_file_is_found_by_build_id, end),
        cmocka_unit_test_teardown(debug_file_is_found_by_debuglink, end),
        cmocka_unit_test_teardown(debug_file_of_another_build_is_refused, end),
        cmocka_unit_test_teardown(fifo_as_debug_file_does_not_block, end),
        cmocka_unit_test_teardown(file_truncated_while_open_is_survived, end),
        cmocka_unit_test_teardown(oversized_symbol_table_is_not_read, end),
        cmocka_unit_test_teardown(functions_take_precedence_over_labels, end),
        cmocka_unit_test_teardown(old_symbol_version_is_not_used, end),
        cmocka_unit_test_teardown(non_program_files_are_refused, end),
        cmocka_unit_test_teardown(deleted_file_keeps_its_sanitised_name, end),
    };
    return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}

/* Symbols of one kind: aliases, unsized symbols, overlaps, gaps. */

static struct symbols symbols;

static void add(const char *name, uint64_t start, uint64_t size, uint8_t rank, uint64_t stub_end)
{
    struct symbol symbol = {.start = start,
                            .end = stub_end ? stub_end : start + size,
                            .name = name,
                            .rank = rank,
                            .is_stub = stub_end};
    assert_true(symbols_add(&symbols, symbol));
}

static const char *name_at(uint64_t address)
{
    const struct symbol *symbol = symbols_find(&symbols, address);
    return symbol ? symbol->name : "(none)";
}

static int symbols_end(void **state)
{
    (void)state;
    symbols_fini(&symbols);
    return 0;
}

static void best_ranked_alias_is_kept(void **state)
{
    (void)state;
    add("_IO_thing", 100, 10, 1, 0);
    add("thing", 100, 10, 0, 0);
    add("weak", 100, 10, 2, 0);
    add("another", 200, 10, 0, 0);
    add("also", 200, 10, 0, 0);
    symbols_settle(&symbols);
    assert_int_equal(symbols.count, 2);
    assert_string_equal(name_at(105), "thing");
    assert_string_equal(name_at(205), "also"); /* by name: reproducible */
}

static void symbol_without_size_extends_to_the_next(void **state)
{
    (void)state;
    add("stub", 100, 0, 16, 1000);
    add("next", 300, 10, 0, 0);
    add("_init", 310, 0, 16, 330); /* at the end of its section */
    add("last", 400, 0, 16, 1000);
    symbols_settle(&symbols);
    assert_string_equal(name_at(299), "stub");
    assert_string_equal(name_at(329), "_init");
    assert_string_equal(name_at(330), "(none)");
    assert_string_equal(name_at(305), "next");
    assert_string_equal(name_at(999), "last");
    assert_string_equal(name_at(1000), "(none)");
}

static void overlapping_symbol_is_truncated(void **state)
{
    (void)state;
    add("wide", 100, 1000, 0, 0);
    add("inner", 200, 10, 0, 0);
    symbols_settle(&symbols);
    assert_string_equal(name_at(199), "wide");
    assert_string_equal(name_at(209), "inner");
    assert_string_equal(name_at(210), "(none)");
    assert_string_equal(name_at(99), "(none)");
}

/* A label inside a function is not a function; after its end it may be. */
static void label_inside_a_function_is_ignored(void **state)
{
    (void)state;
    add("function", 100, 100, 0, 0);
    add("part.c.1234", 150, 0, 20, 1000);
    add("behind", 200, 0, 16, 1000);
    symbols_settle(&symbols);
    assert_string_equal(name_at(149), "function");
    assert_string_equal(name_at(199), "function");
    assert_string_equal(name_at(200), "behind");
}

static void gap_is_between_adjacent_symbols(void **state)
{
    (void)state;
    uint64_t start = 0;
    uint64_t bound = 1000;
    add("low", 100, 50, 0, 0);
    add("high", 300, 50, 0, 0);
    symbols_settle(&symbols);
    symbols_gap(&symbols, 200, &start, &bound);
    assert_int_equal(start, 150);
    assert_int_equal(bound, 300);
    start = 0, bound = 1000;
    symbols_gap(&symbols, 400, &start, &bound);
    assert_int_equal(start, 350);
    assert_int_equal(bound, 1000);
}

static void empty_symbol_table_finds_nothing(void **state)
{
    (void)state;
    symbols_settle(&symbols);
    assert_string_equal(name_at(0), "(none)");
    assert_string_equal(name_at(UINT64_MAX), "(none)");
}

static int run_symbols(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(best_ranked_alias_is_kept, symbols_end),
        cmocka_unit_test_teardown(symbol_without_size_extends_to_the_next, symbols_end),
        cmocka_unit_test_teardown(overlapping_symbol_is_truncated, symbols_end),
        cmocka_unit_test_teardown(label_inside_a_function_is_ignored, symbols_end),
        cmocka_unit_test_teardown(gap_is_between_adjacent_symbols, symbols_end),
        cmocka_unit_test_teardown(empty_symbol_table_finds_nothing, symbols_end),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}

/*
 * Binaries of a recording: every place where one may be on this machine, other builds, and names
 * that are not files.
 */

static const char binaries_source[] = "int shown = 1; int outer(void) { return shown; }\n";
static const uint8_t wanted_id[20] = {0xab, 0xcd, 0xef, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                      0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11};
#define WANTED_BELOW "ab/cdef0102030405060708090a0b0c0d0e0f1011"

static struct binaries binaries;

static bool build(const char *name, const char *id)
{
    char flags[160];
    snprintf(flags, sizeof flags, "-shared -fPIC -Wl,--build-id=%s", id);
    return target_build(target_path(name), flags, binaries_source);
}

static bool run(const char *command)
{
    return target_run("cd %s && %s", target_folder(), command);
}

/* Builds "good.so", the recorded build, "bad.so", another build, and "none.so", without an id. */
static int prepare(void **state)
{
    (void)state;
    bool built = build("good.so", "0xabcdef0102030405060708090a0b0c0d0e0f1011") &&
                 build("bad.so", "0x1111111111111111111111111111111111111111") &&
                 build("none.so", "none");
    setenv("HOME", target_path("home"), 1);
    unsetenv("DEBUGINFOD_URLS");
    run("mkdir -p home");
    return built ? 0 : -1;
}

static int reset(void **state)
{
    (void)state;
    binaries_fini(&binaries);
    run("rm -rf sym home root gone bin; mkdir home");
    return 0;
}

static void begin(const char *symfs)
{
    static struct lookup_from from;
    from = (struct lookup_from){.symfs = symfs, .debug_root = target_path("root")};
    binaries_init(&binaries, &from);
}

static uint32_t note_binary(const char *path, const uint8_t *id, uint8_t size)
{
    struct sample_mapping mapping = {.path = path, .executable = true, .build_id_size = size};
    if (id)
        memcpy(mapping.build_id, id, size);
    return binaries_note(&binaries, &mapping);
}

/* Opens the only binary, with a sample. */
static struct binary_desc open_noted(const char *path, const uint8_t *id, uint8_t size)
{
    struct binary_desc desc = {0};
    uint32_t number = note_binary(path, id, size);
    int fd = binaries_open(&binaries, number);
    binaries_sample(&binaries, number);
    assert_int_equal(binaries_list(&binaries, &desc, 1), 1);
    assert_int_equal(fd >= 0, desc.state == BINARY_FOUND || desc.state == BINARY_UNVERIFIED);
    if (fd >= 0)
        close(fd);
    return desc;
}

static void expect_found(const char *symfs, const char *recorded, const char *found)
{
    begin(symfs);
    struct binary_desc desc = open_noted(recorded, wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_FOUND);
    assert_string_equal(desc.found, target_path(found));
    binaries_fini(&binaries);
}

static void binary_is_found_in_every_search_location(void **state)
{
    (void)state;
    static const char recorded[] = "/opt/no-such/lib.so";
    run("mkdir -p sym/opt/no-such sym/.build-id/ab && cp good.so sym/lib.so");
    expect_found(target_path("sym"), recorded, "sym/lib.so");
    run("cp good.so sym/.build-id/" WANTED_BELOW);
    expect_found(target_path("sym"), recorded, "sym/.build-id/" WANTED_BELOW);
    run("cp good.so sym/opt/no-such/lib.so");
    expect_found(target_path("sym"), recorded, "sym/opt/no-such/lib.so");

    run("mkdir -p root/.build-id/ab && cp good.so root/.build-id/" WANTED_BELOW);
    expect_found(NULL, recorded, "root/.build-id/" WANTED_BELOW);
    /* The layout of perf's cache: a link to a folder. */
    run("mkdir -p home/.debug/opt/lib.so/abcd home/.debug/.build-id/ab && "
        "cp good.so home/.debug/opt/lib.so/abcd/elf && "
        "ln -s ../../opt/lib.so/abcd home/.debug/.build-id/" WANTED_BELOW);
    expect_found(NULL, recorded, "home/.debug/.build-id/" WANTED_BELOW "/elf");
    run("rm home/.debug/.build-id/" WANTED_BELOW
        " && cp good.so home/.debug/.build-id/" WANTED_BELOW);
    expect_found(NULL, recorded, "home/.debug/.build-id/" WANTED_BELOW);
    run("rm -r home/.debug root");
    expect_found(NULL, target_path("good.so"), "good.so");
}

static void binary_deleted_since_is_found_elsewhere(void **state)
{
    (void)state;
    char path[256];
    run("mkdir -p sym gone && cp good.so 'gone/x y.so'");
    snprintf(path, sizeof path, "%s (deleted)", target_path("gone/x y.so"));
    expect_found(NULL, path, "gone/x y.so");
    run("mv gone/* sym");
    expect_found(target_path("sym"), path, "sym/x y.so");
}

/* The file exists, but was rebuilt since the recording. */
static void binary_of_another_build_is_refused(void **state)
{
    (void)state;
    begin(NULL);
    struct binary_desc desc = open_noted(target_path("bad.so"), wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_OTHER);
    assert_string_equal(desc.found, target_path("bad.so"));
    assert_string_equal(desc.found_id, "1111111111111111111111111111111111111111");
    assert_string_equal(desc.build_id, "abcdef0102030405060708090a0b0c0d0e0f1011");
    binaries_fini(&binaries);

    begin(NULL);
    desc = open_noted(target_path("none.so"), wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_OTHER);
    assert_null(desc.found_id);
    binaries_fini(&binaries);

    /* A wrong file in one place does not hide the right file in the next place. */
    run("mkdir -p sym/.build-id/ab && cp bad.so sym/lib.so && cp bad.so sym/.build-id/" WANTED_BELOW
        " && mkdir -p home/.debug/.build-id/" WANTED_BELOW
        " && cp good.so home/.debug/.build-id/" WANTED_BELOW "/elf");
    expect_found(target_path("sym"), "/opt/lib.so", "home/.debug/.build-id/" WANTED_BELOW "/elf");
}

static void binary_without_build_id_is_unverified(void **state)
{
    (void)state;
    static const uint8_t zeros[20];
    begin(NULL);
    assert_int_equal(open_noted(target_path("bad.so"), NULL, 0).state, BINARY_UNVERIFIED);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_noted(target_path("bad.so"), zeros, 20).state, BINARY_UNVERIFIED);
    binaries_fini(&binaries);
    /* A user who names a folder does not want unrelated files of this machine. */
    run("mkdir -p sym");
    begin(target_path("sym"));
    assert_int_equal(open_noted(target_path("bad.so"), NULL, 0).state, BINARY_MISSING);
    binaries_fini(&binaries);
    run("cp good.so sym/bad.so");
    begin(target_path("sym"));
    assert_string_equal(open_noted(target_path("bad.so"), NULL, 0).found,
                        target_path("sym/bad.so"));
    binaries_fini(&binaries);
    /* Nor is it evidence for a recording from another machine. */
    begin(NULL);
    binaries.from->is_from_other_host = true;
    assert_int_equal(open_noted(target_path("bad.so"), NULL, 0).state, BINARY_MISSING);
}

/* An id of 8 bytes that an old perf padded to 20. */
static void padded_short_build_ids_match(void **state)
{
    (void)state;
    static const uint8_t padded[20] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(build("short.so", "0x0102030405060708"));
    begin(NULL);
    assert_int_equal(open_noted(target_path("short.so"), padded, 20).state, BINARY_FOUND);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_noted(target_path("short.so"), padded, 8).state, BINARY_FOUND);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_noted(target_path("short.so"), padded, 7).state, BINARY_OTHER);
}

static void pseudo_files_and_fifos_are_not_opened(void **state)
{
    (void)state;
    begin(NULL);
    static const char *const names[] = {"//anon",
                                        "[heap]",
                                        "[stack]",
                                        "/dev/zero (deleted)",
                                        "",
                                        "/SYSV00000000",
                                        "[anon:x]",
                                        "/memfd:x (deleted)",
                                        "anon_inode:[perf_event]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(note_binary(names[i], wanted_id, 20), 0);
    assert_int_equal(mkfifo(target_path("home/fifo"), 0600), 0);
    assert_int_equal(open_noted(target_path("home/fifo"), NULL, 0).state, BINARY_MISSING);
    assert_int_equal(binaries_open(&binaries, 0), -1);
    assert_int_equal(binaries_open(&binaries, 99), -1);
}

static void vdso_of_this_kernel_is_verified(void **state)
{
    (void)state;
    struct lookup_found found;
    struct lookup_from from = {0};
    struct lookup_wanted wanted = {.path = "[vdso]", .id = {20, {1}}};
    int fd = lookup_binary(&from, &wanted, &found);
    assert_int_equal(fd, -1);
    if (!found.id.size) {
        print_message("skipped: the vdso of this kernel has no build-id\n");
        skip();
    }
    wanted.id = found.id;
    fd = lookup_binary(&from, &wanted, &found);
    assert_true(fd >= 0 && found.verified);
    close(fd);
}

static void debuginfod_is_used_only_if_requested(void **state)
{
    (void)state;
    struct lookup_from from = {.debug_root = target_path("root")};
    struct lookup_wanted wanted = {.path = "/opt/lib.so", .id = {20, {0}}};
    struct lookup_found found;
    char path[4096];
    memcpy(wanted.id.bytes, wanted_id, 20);
    assert_true(run("mkdir -p bin && printf '#!/bin/sh\\n"
                    "[ $1 = executable ] && echo %s/good.so\\n' \"$PWD\" >bin/debuginfod-find && "
                    "chmod +x bin/debuginfod-find"));
    snprintf(path, sizeof path, "%s:%s", target_path("bin"), getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
    assert_int_equal(lookup_binary(&from, &wanted, &found), -1);
    from.debuginfod = true;
    int fd = lookup_binary(&from, &wanted, &found);
    assert_true(fd >= 0 && found.verified);
    close(fd);
    unsetenv("DEBUGINFOD_URLS");
}

static void missing_binaries_are_sorted_by_samples(void **state)
{
    (void)state;
    struct binary_desc list[2];
    begin(NULL);
    static const char *const paths[] = {"/no/a", "/no/b\x1b[31m", "/no/c", "/no/d"};
    for (unsigned i = 0; i < 4; i++) {
        uint32_t number = note_binary(paths[i], NULL, 0);
        assert_int_equal(number, i + 1);
        assert_int_equal(note_binary(paths[i], NULL, 0), number);
        assert_int_equal(binaries_open(&binaries, number), -1);
        for (unsigned k = 0; k < i * (4 - i); k++)
            binaries_sample(&binaries, number);
    }
    assert_int_equal(binaries_list(&binaries, list, 2), 2);
    assert_string_equal(list[0].path, "/no/c");
    assert_int_equal(list[0].samples, 4);
    assert_string_equal(list[1].path, "/no/b?[31m");
    assert_int_equal(list[1].samples, 3);
}

static int run_binaries(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(binary_is_found_in_every_search_location, reset),
        cmocka_unit_test_teardown(binary_deleted_since_is_found_elsewhere, reset),
        cmocka_unit_test_teardown(binary_of_another_build_is_refused, reset),
        cmocka_unit_test_teardown(binary_without_build_id_is_unverified, reset),
        cmocka_unit_test_teardown(padded_short_build_ids_match, reset),
        cmocka_unit_test_teardown(pseudo_files_and_fifos_are_not_opened, reset),
        cmocka_unit_test_teardown(vdso_of_this_kernel_is_verified, reset),
        cmocka_unit_test_teardown(debuginfod_is_used_only_if_requested, reset),
        cmocka_unit_test_teardown(missing_binaries_are_sorted_by_samples, reset),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_module();
    failed += run_symbols();
    failed += run_binaries();
    return failed;
}
