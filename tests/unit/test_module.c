/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One ELF file as a module: names from itself and from separate debug files; hostile ones. */
#include "unit.h"

#include "resolve/elf/module.h"
#include "target.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "static int hidden[100] = {1};\n"
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
                                 .mapping = {.start = BASE},
                                 .debug = {.root = debug_root}};
    assert_true(from.fd >= 0);
    return module_new(&from);
}

/* "a.so" stripped, "a.debug" what was stripped from it; with or without a build-id. */
static bool split(const char *flags)
{
    char all[128];
    snprintf(all, sizeof all, "-O1 -g -shared -fPIC %s", flags);
    return target_build(target_path("full.so"), all, source) &&
           target_run("objcopy --only-keep-debug %s %s", target_path("full.so"),
                      target_path("a.debug")) &&
           target_run("strip -o %s %s", target_path("a.so"), target_path("full.so"));
}

/* File address of a symbol, from nm. */
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

static void need(bool built)
{
    if (!built) {
        print_message("skipped: no compiler, objcopy or strip\n");
        skip();
    }
}

static void a_stripped_file_has_its_exports(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    need(split("-Wl,--build-id"));
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

static void a_debug_file_is_found_by_build_id(void **state)
{
    (void)state;
    need(split("-Wl,--build-id=0xabcdef0123456789"));
    assert_true(target_run("mkdir -p %s/root/.build-id/ab && mv %s "
                           "%s/root/.build-id/ab/cdef0123456789.debug",
                           target_folder(), target_path("a.debug"), target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_true(has_hidden());
    module_free(module);
    module = open_at(target_path("a.so"), target_path("elsewhere"));
    assert_false(has_hidden());
}

/* In all three places where the name may stand. */
static void a_debug_file_is_found_by_its_link(void **state)
{
    (void)state;
    static const char *const places[] = {"", ".debug/", "root/%s/"};
    need(split("-Wl,--build-id=none"));
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

static void a_debug_file_of_another_build_is_refused(void **state)
{
    (void)state;
    need(split("-Wl,--build-id=none"));
    assert_true(target_run("cd %s && objcopy --add-gnu-debuglink=a.debug a.so && "
                           "printf x >>a.debug",
                           target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_non_null(module);
    assert_false(has_hidden());
    module_free(module);
    /* By build-id: one of another id at the place where this one's should be. */
    need(split("-Wl,--build-id=0xaaaaaaaaaaaaaaaa"));
    assert_true(target_run("cd %s && mkdir -p root/.build-id/ab && cp a.debug "
                           "root/.build-id/ab/cdef0123456789.debug",
                           target_folder()));
    need(split("-Wl,--build-id=0xabcdef0123456789"));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_false(has_hidden());
}

/* libdwfl by itself would wait for the FIFO's other end for ever. */
static void a_fifo_for_a_debug_file_does_not_hold_us(void **state)
{
    (void)state;
    need(split("-Wl,--build-id=none"));
    assert_true(target_run("cd %s && objcopy --add-gnu-debuglink=a.debug a.so && rm a.debug && "
                           "mkfifo a.debug",
                           target_folder()));
    module = open_at(target_path("a.so"), target_path("root"));
    assert_non_null(module);
    assert_false(has_hidden());
}

/* Whoever rebuilds a library in place cuts the old one short under whoever has it open. */
static void a_file_cut_short_while_open_is_survived(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    char bytes[16];
    need(split("-Wl,--build-id"));
    uint64_t inner = address_of("inner");
    module = open_at(target_path("full.so"), target_path("root"));
    assert_true(has_hidden());
    assert_int_equal(module_bytes(module, inner, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(truncate(target_path("full.so"), 100), 0);
    module_frame(module, inner, &start, &bound);
    assert_int_equal(module_bytes(module, inner, bytes, sizeof bytes), 0);
    assert_non_null(module_function(module, inner));
}

/* A section header that claims what no memory holds, in a file with a hole that long. */
static void a_table_of_endless_size_is_not_read(void **state)
{
    (void)state;
    need(target_build(target_path("full.so"), "-O1 -shared -fPIC", source));
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

/* Marks of the linker and labels are names only where there is no other. */
static void functions_come_before_labels(void **state)
{
    static const char assembled[] =
        "__asm__(\".text\\n.globl __rela_iplt_end\\n__rela_iplt_end:\\n"
        ".globl a_label\\na_label:\\n"
        ".globl zeroth\\n.type zeroth,@function\\nzeroth: ret\\nret\\n"
        ".globl lone_label\\nlone_label: ret\\n.globl etext\\netext: ret\\n\");";
    (void)state;
    need(target_build(target_path("full.so"), "-shared -fPIC -nostdlib", assembled));
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

static void what_is_no_program_is_no_module(void **state)
{
    (void)state;
    need(target_build(target_path("object.o"), "-c", source));
    FILE *text = fopen(target_path("text"), "w");
    fputs("no ELF file at all\n", text);
    fclose(text);
    assert_null(open_at(target_path("object.o"), NULL));
    assert_null(open_at(target_path("text"), NULL));
    assert_null(open_at("/dev/null", NULL));
    if (target_build(target_path("small.so"), "-m32 -shared -nostdlib 2>/dev/null", "int x;"))
        assert_null(open_at(target_path("small.so"), NULL));
}

static void a_deleted_files_name_is_what_it_was(void **state)
{
    (void)state;
    need(target_build(target_path("full.so"), "-O1 -shared -fPIC", source));
    struct module_source from = {.fd = open(target_path("full.so"), O_RDONLY),
                                 .path = "/x/lib\033[31m.so (deleted)",
                                 .mapping = {.start = BASE}};
    module = module_new(&from);
    assert_non_null(module);
    assert_string_equal(module_name(module), "lib?[31m.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_stripped_file_has_its_exports, end),
        cmocka_unit_test_teardown(a_debug_file_is_found_by_build_id, end),
        cmocka_unit_test_teardown(a_debug_file_is_found_by_its_link, end),
        cmocka_unit_test_teardown(a_debug_file_of_another_build_is_refused, end),
        cmocka_unit_test_teardown(a_fifo_for_a_debug_file_does_not_hold_us, end),
        cmocka_unit_test_teardown(a_file_cut_short_while_open_is_survived, end),
        cmocka_unit_test_teardown(a_table_of_endless_size_is_not_read, end),
        cmocka_unit_test_teardown(functions_come_before_labels, end),
        cmocka_unit_test_teardown(what_is_no_program_is_no_module, end),
        cmocka_unit_test_teardown(a_deleted_files_name_is_what_it_was, end),
    };
    return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
