/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resolver on a program that loads libraries, starts threads and lives in other roots. */
#include "unit.h"

#include "agent_abi.h"
#include "resolve/resolver_state.h"
#include "target.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char library[] =
    "int library_global[100] = {5};\n"
    "static int library_static[100] = {6};\n"
    "__thread char before[64];\n"
    "__thread long library_tls[64];\n"
    "const char *touch(void) { library_tls[1] += before[1]; return (char *)&library_tls[1]; }\n"
    "int library_function(int i) { return library_global[i] + library_static[i]; }\n";

/* Of the same shape, so that everything stands where the first one's stood. */
static const char other_library[] =
    "int other_things[100] = {5};\n"
    "__thread char before[64];\n"
    "__thread long other_tls[64];\n"
    "const char *touch(void) { other_tls[1] += before[1]; return (char *)&other_tls[1]; }\n"
    "static int library_static[100] = {6};\n"
    "extern int library_global[100] __attribute__((weak, alias(\"other_things\")));\n"
    "int library_function(int i) { return other_things[i] + library_static[i]; }\n";

static struct target target;
static struct resolver *resolver;
static const char *program;

static int build(void **state)
{
    (void)state;
    program = "-O1 -g -pthread";
    return target_build(target_path("planted"), program, target_program) &&
                   target_build(target_path("one.so"), "-O1 -g -shared -fPIC", library) &&
                   target_build(target_path("two.so"), "-O1 -g -shared -fPIC", other_library)
               ? 0
               : -1;
}

static void watch(const char *root)
{
    if (!target_start(&target, target_path("planted"), root))
        fail_msg("the program did not start");
    resolver = target_watch(&target);
}

static bool tell(const char *what, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "%s %s", what, target_path(name));
    return target_tell(&target, text);
}

static int end(void **state)
{
    (void)state;
    if (resolver)
        resolver_close(resolver);
    if (target.pid > 0)
        target_end(&target);
    resolver = NULL;
    target = (struct target){0};
    return 0;
}

/* The records that the kernel would have sent: one for each mapping of a file now. */
static void send_mappings(const char *part)
{
    char path[64];
    char line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)target.pid);
    FILE *in = fopen(path, "r");
    while (fgets(line, sizeof line, in)) {
        unsigned long start, bound, offset, inode;
        unsigned major, minor;
        char rights[8], name[256];
        if (!strstr(line, part) || sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255s", &start, &bound,
                                          rights, &offset, &major, &minor, &inode, name) != 8)
            continue;
        struct record record = {.kind = RECORD_MAPPING,
                                .pid = (uint32_t)target.pid,
                                .mapping = {.start = start,
                                            .length = bound - start,
                                            .file_offset = offset,
                                            .inode = inode,
                                            .device_major = major,
                                            .device_minor = minor,
                                            .executable = rights[2] == 'x',
                                            .path = name}};
        resolver_record(resolver, &record);
    }
    fclose(in);
}

static void libraries_come_and_go_by_records(void **state)
{
    (void)state;
    uint64_t from;
    uint64_t bound;
    watch(NULL);
    resolver->space.reread_ns = UINT64_MAX; /* what records do not tell stays unknown */
    while (resolver_code_changed(resolver, &from, &bound))
        continue;
    assert_true(tell("open", "one.so"));
    uint64_t first = target_address(&target, "library_global");
    assert_string_equal(target_object(resolver, first), "(nothing)");
    send_mappings("one.so");
    target_expect(resolver, first, "library_global", OBJECT_GLOBAL, 0);
    assert_string_equal(target_function(resolver, target_address(&target, "library_function")),
                        "library_function");
    assert_true(resolver_code_changed(resolver, &from, &bound));
    assert_true(target_address(&target, "library_function") - from < bound - from);
    assert_true(target_tell(&target, "close"));
    assert_true(tell("open", "two.so"));
    send_mappings("two.so");
    uint64_t second = target_address(&target, "library_global");
    target_expect(resolver, second, "other_things", OBJECT_GLOBAL, 0);
    print_message("the second library lies %s\n",
                  first == second ? "where the first did" : "elsewhere");
}

/* Loaded, unloaded, and loaded again beside its old place: the same file with another bias. */
static void a_library_that_moves(void **state)
{
    (void)state;
    watch(NULL);
    struct sample_mapping mapping = {.length = 0x100000, .inode = 1, .path = "/nowhere"};
    assert_true(tell("open", "one.so"));
    uint64_t there = target_address(&target, "library_global");
    target_expect(resolver, there, "library_global", OBJECT_GLOBAL, 0);
    struct map *map = maps_find(&resolver->space.maps, there);
    struct module *before = space_module(&resolver->space, map);
    mapping = (struct sample_mapping){.start = map->start + 4096,
                                      .length = map->end - map->start,
                                      .file_offset = map->offset,
                                      .inode = map->inode,
                                      .device_major = map->major,
                                      .device_minor = map->minor,
                                      .path = target_path("one.so")};
    maps_add(&resolver->space.maps, &mapping);
    map = maps_find(&resolver->space.maps, mapping.start);
    struct module *after = space_module(&resolver->space, map);
    assert_true(before && before != after);
}

static void expect_library_tls(const char *name)
{
    watch(NULL);
    assert_true(tell("open", name));
    assert_true(target_tell(&target, "touch"));
    assert_true(target_tell(&target, "thread"));
    /* A sample in the library's code makes it known; the next refresh finds its images. */
    assert_string_equal(target_function(resolver, target_address(&target, "library_function")),
                        "library_function");
    resolver_tick(resolver, 1);
    target_expect(resolver, target_address(&target, "library_tls"), "library_tls", OBJECT_TLS, 8);
    target_expect(resolver, target_address(&target, "library_thread_tls"), "library_tls",
                  OBJECT_TLS, 8);
    target_expect(resolver, target_address(&target, "tls"), "planted_tls", OBJECT_TLS, 8);
    target_expect(resolver, target_address(&target, "thread_tls"), "planted_tls", OBJECT_TLS, 16);
    assert_int_not_equal(target_address(&target, "library_tls"),
                         target_address(&target, "library_thread_tls"));
}

static void thread_local_variables_of_libraries(void **state)
{
    (void)state;
    expect_library_tls("one.so");
}

/* Addressed through descriptors, as compilers for other machines do by default. */
static void thread_local_variables_by_descriptor(void **state)
{
    (void)state;
    if (!target_build(target_path("gnu2.so"), "-O1 -shared -fPIC -mtls-dialect=gnu2", library))
        skip();
    expect_library_tls("gnu2.so");
}

/* There from the start, a library has its image below the program's. */
static void thread_local_variables_of_a_library_from_the_start(void **state)
{
    (void)state;
    setenv("LD_PRELOAD", target_path("one.so"), 1);
    expect_library_tls("one.so");
    unsetenv("LD_PRELOAD");
}

static void stacks_of_all_threads(void **state)
{
    (void)state;
    uint64_t base = 0;
    watch(NULL);
    assert_true(target_tell(&target, "thread"));
    resolver_distrust(resolver);
    resolver->space.reread_ns = 0;
    resolver_tick(resolver, 1);
    resolver_tick(resolver, 2);
    assert_string_equal(target_object(resolver, target_address(&target, "stack")), "[stack]");
    assert_string_equal(target_object(resolver, target_address(&target, "thread_stack")),
                        "[stack]");
    assert_true(
        resolver_segment(resolver, (uint32_t)target_address(&target, "thread_id"), false, &base));
    assert_int_equal(base, target_address(&target, "thread_pointer"));
}

static void functions_of_the_vdso(void **state)
{
    (void)state;
    void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const char *ours = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
    if (!ours)
        skip(); /* a kernel without it */
    uint64_t offset = (uint64_t)(uintptr_t)ours - getauxval(AT_SYSINFO_EHDR);
    uint64_t theirs = 0;
    uint64_t from;
    uint64_t bound;
    watch(NULL);
    for (size_t i = 0; i < resolver->space.maps.count; i++)
        if (resolver->space.maps.maps[i].kind == MAPPING_VDSO)
            theirs = resolver->space.maps.maps[i].start + offset;
    assert_true(theirs);
    assert_non_null(strstr(target_function(resolver, theirs), "clock_gettime"));
    assert_true(resolver_function_bounds(resolver, theirs + 2, &from, &bound));
    assert_int_equal(from, theirs);
}

/* A root of its own with everything the program needs, at the paths it has here. */
static bool make_root(const char *root)
{
    return target_run("for f in %s $(ldd %s | grep -o '/[^ ]*'); do "
                      "mkdir -p %s/$(dirname $f) && cp -L $f %s/$f || exit 1; done",
                      target_path("planted"), target_path("planted"), root, root);
}

static void another_root(void **state)
{
    (void)state;
    char inside[512];
    if (geteuid()) {
        print_message("skipped: chroot needs root\n");
        skip();
    }
    const char *root = target_path("root");
    assert_true(make_root(root));
    snprintf(inside, sizeof inside, "%s%s", root, target_path("over.so"));
    assert_true(target_build(inside, "-O1 -shared -fPIC", library));
    /* Here the same path is another library. */
    assert_true(target_run("cp %s %s", target_path("two.so"), target_path("over.so")));
    watch(root);
    assert_true(tell("open", "over.so"));
    target_expect(resolver, target_address(&target, "library_global"), "library_global",
                  OBJECT_GLOBAL, 0);
    target_expect(resolver, target_address(&target, "global"), "planted_global", OBJECT_GLOBAL, 20);
}

static void another_mount_namespace(void **state)
{
    (void)state;
    if (geteuid() || !target_run("unshare -m true 2>/dev/null")) {
        print_message("skipped: unshare -m needs root\n");
        skip();
    }
    assert_true(target_run("cp %s %s", target_path("two.so"), target_path("over.so")));
    FILE *script = fopen(target_path("start"), "w");
    fprintf(script, "#!/bin/sh\nexec unshare -m sh -c 'mount --bind %s %s && exec %s'\n",
            target_path("one.so"), target_path("over.so"), target_path("planted"));
    fclose(script);
    assert_true(target_run("chmod +x %s", target_path("start")));
    assert_true(target_start(&target, target_path("start"), NULL));
    resolver = target_watch(&target);
    assert_true(tell("open", "over.so"));
    target_expect(resolver, target_address(&target, "library_global"), "library_global",
                  OBJECT_GLOBAL, 0);
}

static enum reason reason_of(uint64_t ip, uint64_t address)
{
    struct access access = {
        .address = address, .ip = ip, .size = 4, .base = SREG_NONE, .index = SREG_NONE};
    struct place place;
    resolver_resolve(resolver, &access, NULL, &place);
    return place.access.reason;
}

/* Neither by its code, whatever that looks at, nor by its data, whoever looks at it. */
static void our_own_library_is_not_the_programs(void **state)
{
    (void)state;
    assert_true(target_build(target_path(AGENT_FILE), "-O1 -g -shared -fPIC", library));
    watch(NULL);
    uint64_t own = target_address(&target, "function");
    uint64_t global = target_address(&target, "global");
    assert_true(tell("open", "one.so"));
    uint64_t code = target_address(&target, "library_function");
    uint64_t data = target_address(&target, "library_global");
    assert_int_equal(reason_of(code, global), REASON_NONE);
    assert_int_equal(reason_of(own, data), REASON_NONE);
    end(state);
    watch(NULL);
    assert_true(tell("open", AGENT_FILE));
    own = target_address(&target, "function");
    global = target_address(&target, "global");
    code = target_address(&target, "library_function");
    data = target_address(&target, "library_global");
    assert_int_equal(reason_of(code, global), REASON_AGENT);
    assert_int_equal(reason_of(own, data), REASON_AGENT);
    assert_int_equal(reason_of(own, global), REASON_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(libraries_come_and_go_by_records, end),
        cmocka_unit_test_teardown(a_library_that_moves, end),
        cmocka_unit_test_teardown(thread_local_variables_of_libraries, end),
        cmocka_unit_test_teardown(thread_local_variables_by_descriptor, end),
        cmocka_unit_test_teardown(thread_local_variables_of_a_library_from_the_start, end),
        cmocka_unit_test_teardown(stacks_of_all_threads, end),
        cmocka_unit_test_teardown(functions_of_the_vdso, end),
        cmocka_unit_test_teardown(another_root, end),
        cmocka_unit_test_teardown(our_own_library_is_not_the_programs, end),
        cmocka_unit_test_teardown(another_mount_namespace, end),
    };
    return cmocka_run_group_tests_name("resolver_changes", tests, build, NULL);
}
