/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resolver on a live child with variables, stacks, TLS and mappings that the test knows. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_abi.h"
#include "resolve/elf/module.h"
#include "resolve/objects.h"
#include "resolve/process/maps.h"
#include "resolve/resolver.h"
#include "resolve/resolver_state.h"
#include "unit.h"
#include "unit/resolve/target.h"
#include "unit/names.h"

int resolver_test_global[1000];
static int initialised[64] = {1};
static __thread long thread_variable[8];

struct known {
    uint64_t global, initialised, tls, thread_tls, heap, stack, thread_stack, anonymous, libc_code;
    uint32_t tid;
};

static int to_parent;

static void *thread_main(void *data)
{
    struct known *known = data;
    long local = 1;
    known->thread_tls = (uint64_t)(uintptr_t)&thread_variable[2];
    known->thread_stack = (uint64_t)(uintptr_t)&local;
    known->tid = (uint32_t)syscall(SYS_gettid);
    if (write(to_parent, known, sizeof *known) < 0)
        _exit(1);
    for (;;)
        pause();
    return NULL;
}

static void child_main(void)
{
    struct known known = {0};
    long local = 2;
    pthread_t thread;
    char *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[0] = 1;
    known.global = (uint64_t)(uintptr_t)&resolver_test_global[500];
    known.initialised = (uint64_t)(uintptr_t)&initialised[3];
    known.tls = (uint64_t)(uintptr_t)&thread_variable[1];
    known.heap = (uint64_t)(uintptr_t)sbrk(4096);
    known.stack = (uint64_t)(uintptr_t)&local;
    known.anonymous = (uint64_t)(uintptr_t)map + 4096;
    known.libc_code = (uint64_t)(uintptr_t)&qsort;
    pthread_create(&thread, NULL, thread_main, &known);
    for (;;)
        pause();
}

static pid_t child;
static struct known known;
static struct resolver *resolver_resolver;

static int start_child(void **state)
{
    int pipes[2];
    struct error error;
    (void)state;
    if (pipe(pipes))
        return -1;
    to_parent = pipes[1];
    child = fork();
    if (!child)
        child_main();
    if (read(pipes[0], &known, sizeof known) != sizeof known)
        return -1;
    struct resolver_options options = {.pid = child, .live = true};
    return resolver_open(&resolver_resolver, &options, &error);
}

static int end_child(void **state)
{
    (void)state;
    resolver_close(resolver_resolver);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}

static struct place resolve(uint64_t address, uint8_t base)
{
    struct access access = {.address = address,
                            .ip = known.libc_code,
                            .base = base,
                            .index = SREG_NONE,
                            .tid = known.tid};
    struct place place;
    resolver_resolve(resolver_resolver, &access, NULL, &place);
    return place;
}

static void expect(uint64_t address, const char *name, enum object_kind kind, uint64_t offset)
{
    struct object_desc desc;
    struct place_names names = resolver_names(resolver_resolver);
    struct place place = resolve(address, SREG_NONE);
    assert_int_equal(place.access.reason, REASON_NONE);
    assert_true(ask_object(&names, place.object, &desc));
    assert_string_equal(desc.name, name);
    assert_int_equal(desc.kind, kind);
    assert_int_equal(address - place.base, offset);
}

static void variables_have_names_and_offsets(void **state)
{
    (void)state;
    expect(known.global, "resolver_test_global", OBJECT_GLOBAL, 2000);
    expect(known.initialised, "initialised", OBJECT_GLOBAL, 12);
    assert_int_equal(resolve(known.global, SREG_NONE).size_bytes, 4000);
}

static void tls_variables_are_found_without_stopping(void **state)
{
    (void)state;
    uint64_t base;
    /* Finding fs of any thread finds the blocks of all threads. */
    if (!resolver_segment(resolver_resolver, known.tid, false, &base))
        skip(); /* another libc has a different layout */
    expect(known.tls, "thread_variable", OBJECT_TLS, 8);
    expect(known.thread_tls, "thread_variable", OBJECT_TLS, 16);
    assert_int_equal(resolve(known.tls, SREG_NONE).object,
                     resolve(known.thread_tls, SREG_NONE).object);
    /* The stack guard; the thread's descriptor continues after the control block. */
    expect(base + 0x28, "thread control block", OBJECT_TLS, 0x28);
    assert_int_not_equal(resolve(base + 0x40, SREG_NONE).object,
                         resolve(base + 0x28, SREG_NONE).object);
}

static void stack_heap_and_mappings_are_distinguished(void **state)
{
    (void)state;
    struct object_desc desc;
    struct place_names names = resolver_names(resolver_resolver);
    struct place place = resolve(known.stack, SREG_SP);
    assert_true(ask_object(&names, place.object, &desc));
    assert_int_equal(desc.kind, OBJECT_STACK);
    uint32_t main_stack = place.object;
    place = resolve(known.thread_stack, SREG_SP);
    assert_int_equal(place.object, main_stack); /* one object, one instance per thread */
    place = resolve(known.heap, SREG_NONE);
    assert_true(ask_object(&names, place.object, &desc));
    assert_string_equal(desc.name, "[heap]");
    place = resolve(known.anonymous, SREG_NONE);
    assert_true(ask_object(&names, place.object, &desc));
    assert_true(desc.kind == OBJECT_ANON || desc.kind == OBJECT_HEAP);
}

static void library_functions_have_names_and_bounds(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t end;
    struct function_desc desc;
    struct place_names names = resolver_names(resolver_resolver);
    struct place place = resolve(known.global, SREG_NONE);
    assert_true(ask_function(&names, place.function, &desc));
    assert_non_null(strstr(desc.name, "qsort"));
    assert_true(resolver_function_bounds(resolver_resolver, known.libc_code, &start, &end));
    assert_true(start == known.libc_code && end > start);
}

/* Addresses after calls, in functions of their own. */
static __attribute__((noinline)) uint64_t called_from(void)
{
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static __attribute__((noinline)) uint64_t address_in_first_function(void)
{
    return called_from() | 0;
}

static __attribute__((noinline)) uint64_t address_in_second_function(void)
{
    volatile uint64_t at = called_from();
    return at;
}

/* Returns the depth of the tree for a recorded call chain. */
static unsigned depth_of(const uint64_t *chain, uint32_t count)
{
    struct place_names names = resolver_names(resolver_resolver);
    struct caller_desc desc;
    struct place place = resolve(known.global, SREG_NONE);
    /* Late enough that the budget for walking is full again. */
    struct sample sample = {
        .chain = (const unsigned char *)chain, .chain_count = count, .time_ns = UINT64_C(1) << 60};
    unsigned depth = 0;
    uint32_t node = resolver_callers(resolver_resolver, &sample, NULL, &place);
    for (; node; node = desc.parent, depth++)
        assert_true(ask_caller(&names, node, &desc) && desc.parent < node);
    return depth;
}

static void call_chains_are_followed_while_plausible(void **state)
{
    (void)state;
    enum { DEEP = 400, MOST = 64 };
    volatile uint64_t one = address_in_first_function();
    volatile uint64_t another = address_in_second_function();
    uint64_t chain[DEEP] = {known.libc_code};
    assert_int_equal(depth_of(chain, 1), 0);
    for (int i = 1; i < DEEP; i++)
        chain[i] = one;
    assert_int_equal(depth_of(chain, DEEP), 2); /* recursive calls count as one */
    for (int i = 2; i < DEEP; i += 2)
        chain[i] = another;
    assert_int_equal(depth_of(chain, 3), 3);
    assert_int_equal(depth_of(chain, DEEP), 1 + MOST);
    chain[2] = another + 1; /* not after a call */
    assert_int_equal(depth_of(chain, DEEP), 2);
    chain[2] = known.global; /* not code */
    assert_int_equal(depth_of(chain, DEEP), 2);
    chain[2] = UINT64_MAX;
    assert_int_equal(depth_of(chain, DEEP), 2);
    chain[1] = 0;
    assert_int_equal(depth_of(chain, DEEP), 0);
}

static void unmapped_address_is_a_bad_address(void **state)
{
    (void)state;
    assert_int_equal(resolve(16, SREG_NONE).access.reason, REASON_BAD_ADDRESS);
}

static void extents_contain_whole_objects(void **state)
{
    (void)state;
    struct object_extent extent;
    struct place_names names = resolver_names(resolver_resolver);
    assert_true(ask_extent(&names, known.global, &extent));
    assert_int_equal(extent.bound - extent.base, 4000);
    assert_true(extent.object);
    assert_true(ask_extent(&names, 16, &extent));
    assert_int_equal(extent.object, 0);
    assert_true(extent.bound > 4096);
}

static void unwatchable_processes_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    pid_t zombie = fork();
    if (!zombie)
        _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)zombie, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(resolver_check(zombie, &error), -ESRCH);
    assert_non_null(strstr(error.text, "zombie"));
    waitpid(zombie, NULL, 0);
    assert_int_equal(resolver_check(zombie, &error), -ESRCH);
    assert_int_equal(resolver_check(2, &error), -ENOTSUP);
    assert_int_equal(resolver_check(getpid(), &error), 0);
}

/* A file truncated at every 64 bytes has fewer names, but never causes a crash. */
static void truncated_elf_files_are_survived(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    int in = open("/proc/self/exe", O_RDONLY);
    ssize_t size = read(in, bytes, sizeof bytes);
    close(in);
    int opened = 0;
    for (ssize_t cut = 0; cut <= size; cut += 64) {
        int fd = memfd_create("cut", 0);
        assert_int_equal(write(fd, bytes, (size_t)cut), cut);
        struct module *module = module_new(&(struct module_source){
            .fd = fd, .path = "/tmp/cut", .mapping = &(struct map){.start = 0x10000}});
        if (module) {
            uint64_t start = 0;
            uint64_t end = 0;
            module_function(module, 0x11000);
            module_frame(module, 0x11000, &start, &end);
            opened++;
        }
        module_free(module);
    }
    print_message("%zd truncated files, %d still opened\n", size / 64, opened);
}

static void new_mapping_splits_or_replaces_older_ones(void **state)
{
    (void)state;
    struct maps maps = {0};
    struct sample_mapping whole = {.start = 0x10000, .length = 0x10000, .path = "/a"};
    struct sample_mapping middle = {
        .start = 0x14000, .length = 0x2000, .path = "/b", .executable = true};
    assert_int_equal(maps_add(&maps, &whole), 0);
    assert_int_equal(maps_add(&maps, &middle), 0);
    assert_int_equal(maps.count, 3);
    assert_string_equal(maps_name(&maps, maps_find(&maps, 0x15000)), "/b");
    assert_string_equal(maps_name(&maps, maps_find(&maps, 0x16000)), "/a");
    assert_int_equal(maps_find(&maps, 0x16000)->offset, 0x6000);
    assert_null(maps_find(&maps, 0x20000));
    whole.start = 0;
    whole.length = 0x40000;
    whole.path = "//anon";
    assert_int_equal(maps_add(&maps, &whole), 0);
    assert_int_equal(maps.count, 1);
    assert_int_equal(maps.maps[0].kind, MAPPING_ANON);
    maps_fini(&maps);
}

#define LONG_NAME                                                                                  \
    "a_name_that_is_as_long_as_those_of_the_functions_of_an_instance_of_a_template_with_several_"  \
    "arguments_that_are_instances_of_templates_as_well"
static uint64_t long_named(void) __asm__(LONG_NAME);

static __attribute__((noinline)) uint64_t long_named(void)
{
    return called_from();
}

static void frame_has_full_function_name(void **state)
{
    (void)state;
    bool waits;
    struct located located = {.kind = OBJECT_STACK};
    assert_non_null(resolver_name_slot(resolver_resolver, &located, known.stack,
                                       (uint64_t)(uintptr_t)&long_named, -8, &waits));
    assert_string_equal(located.name, LONG_NAME " (saved registers)");
}

/* A question about a slot is asked again after its answer was dropped. */
static void named_stack_slot_keeps_its_instance(void **state)
{
    (void)state;
    enum { RETURN_ADDRESS = -8 };
    struct place place = {0};
    struct access access = {.address = known.stack, .ip = known.libc_code, .tid = known.tid};
    struct located whole;
    struct object_desc desc;
    struct place_names names = resolver_names(resolver_resolver);
    assert_true(located_make(&whole, &resolver_resolver->space, &resolver_resolver->tls,
                             &resolver_resolver->names, known.stack, STACK_REACHED));
    struct located stack = whole;
    assert_true(provisional_slot(resolver_resolver, &stack, known.libc_code, RETURN_ADDRESS,
                                 &access, &place));
    assert_int_equal(stack.base, whole.base);
    provisional_tick(resolver_resolver, 1);
    assert_true(provisional_slot(resolver_resolver, &stack, known.libc_code, RETURN_ADDRESS,
                                 &access, &place));
    assert_true(ask_object(&names, place.object, &desc));
    assert_non_null(strstr(desc.name, "(saved registers)"));
    assert_int_equal(stack.base, known.stack - (uint64_t)RETURN_ADDRESS);
    assert_int_equal(stack.end, stack.base);
}

static void *relocated[16] = {relocated};
static void *read_later[16] = {read_later};

/* Returns a function of the dynamic linker; NULL: not available here. */
static uint64_t linker_code(void)
{
    return (uint64_t)(uintptr_t)dlvsym(RTLD_DEFAULT, "_dl_allocate_tls_init", "GLIBC_PRIVATE");
}

static const char *declared_type_after_access(struct resolver *resolver, void *const *variable,
                                              uint64_t ip)
{
    static struct object_desc desc;
    struct access access = {.address = (uint64_t)(uintptr_t)variable,
                            .ip = ip,
                            .base = SREG_NONE,
                            .index = SREG_NONE,
                            .tid = known.tid};
    struct place place;
    struct place_names names = resolver_names(resolver);
    resolver_resolve(resolver, &access, NULL, &place);
    assert_true(ask_object(&names, place.object, &desc));
    return desc.type;
}

static struct resolver *another_resolver(bool simulated)
{
    struct error error;
    struct resolver *resolver;
    struct resolver_options options = {.pid = child, .live = true, .simulated = simulated};
    assert_int_equal(resolver_open(&resolver, &options, &error), 0);
    resolver_set_patience(resolver, UINT64_C(60000000000));
    return resolver;
}

/* The linker writes every pointer in a variable, for which no debug information is read. */
static void dynamic_linker_accesses_ask_for_no_variable(void **state)
{
    (void)state;
    uint64_t own = (uint64_t)(uintptr_t)&declared_type_after_access;
    if (!linker_code())
        skip();
    struct resolver *resolver = another_resolver(false);
    const char *type = declared_type_after_access(resolver, relocated, linker_code());
    assert_null(type);
    type = declared_type_after_access(resolver, relocated, own);
    if (type) /* the test program has debug information */
        assert_string_equal(type, "void * [16]");
    resolver_close(resolver);
}

/* A simulation sees every variable; variables with few samples are not looked up. */
static void rarely_sampled_variables_are_not_looked_up(void **state)
{
    (void)state;
    enum { FEW = 3 };
    uint64_t own = (uint64_t)(uintptr_t)&declared_type_after_access;
    struct resolver *resolver = another_resolver(true);
    for (int i = 0; i < FEW; i++)
        assert_null(declared_type_after_access(resolver, read_later, own));
    const char *type = declared_type_after_access(resolver, read_later, own);
    if (type)
        assert_string_equal(type, "void * [16]");
    resolver_close(resolver);
}

/* The linker's long start-up code is not followed while it has few samples. */
static void rarely_sampled_linker_code_is_untyped_rare(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    uint8_t untyped = UNTYPED_RARE;
    int samples = 0;
    if (!linker_code())
        skip();
    struct resolver *resolver = another_resolver(true);
    for (; samples < MANY && untyped == UNTYPED_RARE; samples++) {
        struct place place;
        struct access access = {.address = (uint64_t)(uintptr_t)relocated,
                                .ip = linker_code(),
                                .base = SREG_AX,
                                .index = SREG_NONE,
                                .tid = known.tid};
        resolver_resolve(resolver, &access, NULL, &place);
        untyped = place.untyped;
    }
    assert_true(samples > 1 && samples < MANY);
    resolver_close(resolver);
}

enum { FREE_BIN = 1 << 30, USED_BIN };

/* Samples a walked block that is in use, or not, when it is read. */
static struct place sample_block(uint64_t base, uint64_t size, bool in_use, uint32_t bin)
{
    static const struct typed_answer untyped = {.untyped = UNTYPED_NO_DEBUG};
    struct access access = {.address = base, .ip = known.libc_code, .time_ns = 1};
    struct place place = {0};
    struct located named;
    const struct located block = {.key = located_bin_key(&resolver_resolver->space, bin),
                                  .base = base,
                                  .end = base + size,
                                  .kind = OBJECT_HEAP,
                                  .name = in_use ? "used" : "free",
                                  .module = "",
                                  .bin = bin,
                                  .allocation = ALLOCATION_WALKED,
                                  .in_use = in_use};
    provisional_block(resolver_resolver, &block, &named, 0, &access, &untyped, &place);
    return place;
}

static uint32_t final_object_of(uint32_t object)
{
    size_t count;
    const struct object_rename *renames = resolver_renames(resolver_resolver, &count);
    for (size_t i = 0; i < count; i++)
        if (renames[i].from == object)
            object = renames[i].to;
    return object;
}

/* Names are also permanent: a name never moves to another object. */
static void large_blocks_with_equal_names_are_numbered(void **state)
{
    (void)state;
    struct object_desc desc;
    struct place_names names = resolver_names(resolver_resolver);
    struct place one = sample_block(0x10000000, 2052080, true, USED_BIN + 1);
    struct place other = sample_block(0x20000000, 2101232, true, USED_BIN + 2);
    assert_true(ask_object(&names, one.object, &desc));
    assert_string_equal(desc.name, "malloc(2.0M)");
    assert_true(ask_object(&names, other.object, &desc));
    assert_string_equal(desc.name, "malloc(2.0M) #2");
    provisional_tick(resolver_resolver, UINT64_C(1) << 60); /* neither exists any longer */
    struct place later = sample_block(0x30000000, 2101232, true, USED_BIN + 2);
    assert_true(ask_object(&names, later.object, &desc));
    assert_string_equal(desc.name, "malloc(2.0M) #3");
}

/* A block may be freed and reused at any time: each sample counts in the bin of its final
 * object. */
static void block_samples_follow_their_objects_bin(void **state)
{
    (void)state;
    enum { SAMPLES = 4 };
    const bool in_use[SAMPLES] = {false, true, false, true};
    struct place places[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        places[i] = sample_block(0x5000, 64, in_use[i], in_use[i] ? USED_BIN : FREE_BIN);
    assert_int_not_equal(places[0].object, places[1].object);
    assert_int_equal(places[1].object, places[2].object); /* freed after the sample */
    provisional_tick(resolver_resolver, UINT64_C(1) << 60);
    for (int i = 0; i < SAMPLES; i++)
        assert_int_equal(final_object_of(places[i].object), places[i].bin_object);
}

static int run_resolver(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_names_and_offsets),
        cmocka_unit_test(tls_variables_are_found_without_stopping),
        cmocka_unit_test(stack_heap_and_mappings_are_distinguished),
        cmocka_unit_test(library_functions_have_names_and_bounds),
        cmocka_unit_test(call_chains_are_followed_while_plausible),
        cmocka_unit_test(unmapped_address_is_a_bad_address),
        cmocka_unit_test(extents_contain_whole_objects),
        cmocka_unit_test(unwatchable_processes_are_refused),
        cmocka_unit_test(truncated_elf_files_are_survived),
        cmocka_unit_test(new_mapping_splits_or_replaces_older_ones),
        cmocka_unit_test(named_stack_slot_keeps_its_instance),
        cmocka_unit_test(frame_has_full_function_name),
        cmocka_unit_test(block_samples_follow_their_objects_bin),
        cmocka_unit_test(large_blocks_with_equal_names_are_numbered),
        cmocka_unit_test(dynamic_linker_accesses_ask_for_no_variable),
        cmocka_unit_test(rarely_sampled_variables_are_not_looked_up),
        cmocka_unit_test(rarely_sampled_linker_code_is_untyped_rare),
    };
    return cmocka_run_group_tests_name("resolver", tests, start_child, end_child);
}

/* The resolver on a program that loads libraries, starts threads and runs in other roots. */

static const char library[] =
    "int library_global[100] = {5};\n"
    "static int library_static[100] = {6};\n"
    "__thread char before[64];\n"
    "__thread long library_tls[64];\n"
    "const char *touch(void) { library_tls[1] += before[1]; return (char *)&library_tls[1]; }\n"
    "int library_function(int i) { return library_global[i] + library_static[i]; }\n";

/* Has the same layout, so that everything is at the same offset as in the first. */
static const char other_library[] =
    "int other_things[100] = {5};\n"
    "__thread char before[64];\n"
    "__thread long other_tls[64];\n"
    "const char *touch(void) { other_tls[1] += before[1]; return (char *)&other_tls[1]; }\n"
    "static int library_static[100] = {6};\n"
    "extern int library_global[100] __attribute__((weak, alias(\"other_things\")));\n"
    "int library_function(int i) { return other_things[i] + library_static[i]; }\n";

static struct target changes_target;
static struct resolver *changes_resolver;
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

static void changes_watch(const char *root)
{
    if (!target_start(&changes_target, target_path("planted"), root))
        fail_msg("the program did not start");
    changes_resolver = target_watch(&changes_target);
}

static bool send_command(const char *what, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "%s %s", what, target_path(name));
    return target_send_line(&changes_target, text);
}

static int changes_end(void **state)
{
    (void)state;
    if (changes_resolver)
        resolver_close(changes_resolver);
    if (changes_target.pid > 0)
        target_end(&changes_target);
    changes_resolver = NULL;
    changes_target = (struct target){0};
    return 0;
}

/* Sends the records that the kernel would have sent: one for each current mapping of a file. */
static void send_mappings(const char *part)
{
    char path[64];
    char line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)changes_target.pid);
    FILE *in = fopen(path, "r");
    while (fgets(line, sizeof line, in)) {
        unsigned long start, bound, offset, inode;
        unsigned major, minor;
        char rights[8], name[256];
        if (!strstr(line, part) || sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255s", &start, &bound,
                                          rights, &offset, &major, &minor, &inode, name) != 8)
            continue;
        struct record record = {.kind = RECORD_MAPPING,
                                .pid = (uint32_t)changes_target.pid,
                                .mapping = {.start = start,
                                            .length = bound - start,
                                            .file_offset = offset,
                                            .inode = inode,
                                            .device_major = major,
                                            .device_minor = minor,
                                            .executable = rights[2] == 'x',
                                            .path = name}};
        resolver_record(changes_resolver, &record);
    }
    fclose(in);
}

static void records_load_and_unload_libraries(void **state)
{
    (void)state;
    uint64_t from;
    uint64_t bound;
    changes_watch(NULL);
    changes_resolver->space.reread_ns = UINT64_MAX; /* mappings without records stay unknown */
    while (resolver_code_changed(changes_resolver, &from, &bound))
        continue;
    assert_true(send_command("open", "one.so"));
    uint64_t first = target_address(&changes_target, "library_global");
    assert_string_equal(target_object(changes_resolver, first), "(nothing)");
    send_mappings("one.so");
    target_expect(changes_resolver, first, "library_global", OBJECT_GLOBAL, 0);
    assert_string_equal(
        target_function(changes_resolver, target_address(&changes_target, "library_function")),
        "library_function");
    assert_true(resolver_code_changed(changes_resolver, &from, &bound));
    assert_true(target_address(&changes_target, "library_function") - from < bound - from);
    assert_true(target_send_line(&changes_target, "close"));
    assert_true(send_command("open", "two.so"));
    send_mappings("two.so");
    uint64_t second = target_address(&changes_target, "library_global");
    target_expect(changes_resolver, second, "other_things", OBJECT_GLOBAL, 0);
    print_message("the second library is at %s address\n",
                  first == second ? "the same" : "another");
}

/* Loaded, unloaded, and loaded again near its old address: the same file with another bias. */
static void library_reloaded_at_another_address_is_found(void **state)
{
    (void)state;
    changes_watch(NULL);
    struct sample_mapping mapping = {.length = 0x100000, .inode = 1, .path = "/nowhere"};
    assert_true(send_command("open", "one.so"));
    uint64_t library_address = target_address(&changes_target, "library_global");
    target_expect(changes_resolver, library_address, "library_global", OBJECT_GLOBAL, 0);
    struct map *map = maps_find(&changes_resolver->space.maps, library_address);
    struct module *before = space_module(&changes_resolver->space, map);
    mapping = (struct sample_mapping){.start = map->start + 4096,
                                      .length = map->end - map->start,
                                      .file_offset = map->offset,
                                      .inode = map->inode,
                                      .device_major = map->major,
                                      .device_minor = map->minor,
                                      .path = target_path("one.so")};
    maps_add(&changes_resolver->space.maps, &mapping);
    map = maps_find(&changes_resolver->space.maps, mapping.start);
    struct module *after = space_module(&changes_resolver->space, map);
    assert_true(before && before != after);
}

static void expect_library_tls(const char *name)
{
    changes_watch(NULL);
    assert_true(send_command("open", name));
    assert_true(target_send_line(&changes_target, "touch"));
    assert_true(target_send_line(&changes_target, "thread"));
    /* A sample in the library's code makes it known; the next refresh finds its TLS images. */
    assert_string_equal(
        target_function(changes_resolver, target_address(&changes_target, "library_function")),
        "library_function");
    resolver_tick(changes_resolver, 1);
    target_expect(changes_resolver, target_address(&changes_target, "library_tls"), "library_tls",
                  OBJECT_TLS, 8);
    target_expect(changes_resolver, target_address(&changes_target, "library_thread_tls"),
                  "library_tls", OBJECT_TLS, 8);
    target_expect(changes_resolver, target_address(&changes_target, "tls"), "planted_tls",
                  OBJECT_TLS, 8);
    target_expect(changes_resolver, target_address(&changes_target, "thread_tls"), "planted_tls",
                  OBJECT_TLS, 16);
    assert_int_not_equal(target_address(&changes_target, "library_tls"),
                         target_address(&changes_target, "library_thread_tls"));
}

static void library_tls_variables_are_found(void **state)
{
    (void)state;
    expect_library_tls("one.so");
}

/* Addressed through TLS descriptors, which is the default on other architectures. */
static void tls_descriptor_variables_are_found(void **state)
{
    (void)state;
    if (!target_build(target_path("gnu2.so"), "-O1 -shared -fPIC -mtls-dialect=gnu2", library))
        skip();
    expect_library_tls("gnu2.so");
}

/* A library loaded at start has its image below the program's. */
static void preloaded_library_tls_variables_are_found(void **state)
{
    (void)state;
    setenv("LD_PRELOAD", target_path("one.so"), 1);
    expect_library_tls("one.so");
    unsetenv("LD_PRELOAD");
}

static void stacks_of_all_threads_are_found(void **state)
{
    (void)state;
    uint64_t base = 0;
    changes_watch(NULL);
    assert_true(target_send_line(&changes_target, "thread"));
    resolver_mark_maps_stale(changes_resolver);
    changes_resolver->space.reread_ns = 0;
    resolver_tick(changes_resolver, 1);
    resolver_tick(changes_resolver, 2);
    assert_string_equal(target_object(changes_resolver, target_address(&changes_target, "stack")),
                        "[stack]");
    assert_string_equal(
        target_object(changes_resolver, target_address(&changes_target, "thread_stack")),
        "[stack]");
    assert_true(resolver_segment(
        changes_resolver, (uint32_t)target_address(&changes_target, "thread_id"), false, &base));
    assert_int_equal(base, target_address(&changes_target, "thread_pointer"));
}

static void vdso_functions_are_found(void **state)
{
    (void)state;
    void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const char *ours = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
    if (!ours)
        skip(); /* a kernel without a vdso */
    uint64_t offset = (uint64_t)(uintptr_t)ours - getauxval(AT_SYSINFO_EHDR);
    uint64_t vdso_address = 0;
    uint64_t from;
    uint64_t bound;
    changes_watch(NULL);
    for (size_t i = 0; i < changes_resolver->space.maps.count; i++)
        if (changes_resolver->space.maps.maps[i].kind == MAPPING_VDSO)
            vdso_address = changes_resolver->space.maps.maps[i].start + offset;
    assert_true(vdso_address);
    assert_non_null(strstr(target_function(changes_resolver, vdso_address), "clock_gettime"));
    assert_true(resolver_function_bounds(changes_resolver, vdso_address + 2, &from, &bound));
    assert_int_equal(from, vdso_address);
}

/* Makes a root directory with all files that the program needs, at the same paths as here. */
static bool make_root(const char *root)
{
    return target_run("for f in %s $(ldd %s | grep -o '/[^ ]*'); do "
                      "mkdir -p %s/$(dirname $f) && cp -L $f %s/$f || exit 1; done",
                      target_path("planted"), target_path("planted"), root, root);
}

static void files_are_read_in_the_targets_root(void **state)
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
    /* Outside the root the path leads to another library. */
    assert_true(target_run("cp %s %s", target_path("two.so"), target_path("over.so")));
    changes_watch(root);
    assert_true(send_command("open", "over.so"));
    target_expect(changes_resolver, target_address(&changes_target, "library_global"),
                  "library_global", OBJECT_GLOBAL, 0);
    target_expect(changes_resolver, target_address(&changes_target, "global"), "planted_global",
                  OBJECT_GLOBAL, 20);
}

static void files_are_read_in_the_targets_mount_namespace(void **state)
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
    assert_true(target_start(&changes_target, target_path("start"), NULL));
    changes_resolver = target_watch(&changes_target);
    assert_true(send_command("open", "over.so"));
    target_expect(changes_resolver, target_address(&changes_target, "library_global"),
                  "library_global", OBJECT_GLOBAL, 0);
}

static enum reason reason_of(uint64_t ip, uint64_t address)
{
    struct access access = {
        .address = address, .ip = ip, .size = 4, .base = SREG_NONE, .index = SREG_NONE};
    struct place place;
    resolver_resolve(changes_resolver, &access, NULL, &place);
    return place.access.reason;
}

/* Accesses by its code to any data, and to its data by any code, are excluded. */
static void agent_library_accesses_are_excluded(void **state)
{
    (void)state;
    assert_true(target_build(target_path(AGENT_FILE), "-O1 -g -shared -fPIC", library));
    changes_watch(NULL);
    uint64_t own = target_address(&changes_target, "function");
    uint64_t global = target_address(&changes_target, "global");
    assert_true(send_command("open", "one.so"));
    uint64_t code = target_address(&changes_target, "library_function");
    uint64_t data = target_address(&changes_target, "library_global");
    assert_int_equal(reason_of(code, global), REASON_NONE);
    assert_int_equal(reason_of(own, data), REASON_NONE);
    changes_end(state);
    changes_watch(NULL);
    assert_true(send_command("open", AGENT_FILE));
    own = target_address(&changes_target, "function");
    global = target_address(&changes_target, "global");
    code = target_address(&changes_target, "library_function");
    data = target_address(&changes_target, "library_global");
    assert_int_equal(reason_of(code, global), REASON_AGENT);
    assert_int_equal(reason_of(own, data), REASON_AGENT);
    assert_int_equal(reason_of(own, global), REASON_NONE);
}

static int run_resolver_changes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(records_load_and_unload_libraries, changes_end),
        cmocka_unit_test_teardown(library_reloaded_at_another_address_is_found, changes_end),
        cmocka_unit_test_teardown(library_tls_variables_are_found, changes_end),
        cmocka_unit_test_teardown(tls_descriptor_variables_are_found, changes_end),
        cmocka_unit_test_teardown(preloaded_library_tls_variables_are_found, changes_end),
        cmocka_unit_test_teardown(stacks_of_all_threads_are_found, changes_end),
        cmocka_unit_test_teardown(vdso_functions_are_found, changes_end),
        cmocka_unit_test_teardown(files_are_read_in_the_targets_root, changes_end),
        cmocka_unit_test_teardown(agent_library_accesses_are_excluded, changes_end),
        cmocka_unit_test_teardown(files_are_read_in_the_targets_mount_namespace, changes_end),
    };
    return cmocka_run_group_tests_name("resolver_changes", tests, build, NULL);
}

/* Names of mappings without an ELF file, on mappings of this process. */

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

static struct resolver *mappings_resolver;

static int begin(void **state)
{
    struct target self = {.pid = getpid()};
    (void)state;
    mappings_resolver = target_watch(&self);
    return 0;
}

static int mappings_end(void **state)
{
    (void)state;
    resolver_close(mappings_resolver);
    return 0;
}

/* Maps memory with holes around it, so that the kernel does not merge it with a neighbour. */
static char *map_alone(size_t size, int flags, int fd)
{
    char *room = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *map = mmap(room + 4096, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    map[0] = 0;
    return map;
}

static const char *name_of(const void *at)
{
    mappings_resolver->space.reread_ns = 0;
    space_reread(&mappings_resolver->space, 1);
    return target_object(mappings_resolver, (uintptr_t)at);
}

static void prctl_names_of_mappings_are_used(void **state)
{
    (void)state;
    char *map = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, map, 1 << 16, "page pool")) {
        print_message("skipped: the kernel has no CONFIG_ANON_VMA_NAME\n");
        skip();
    }
    assert_string_equal(name_of(map + 5000), "[page pool]");
}

/* As the kernel would write it; this kernel may not have such names. */
static void mapping_names_are_sanitised(void **state)
{
    (void)state;
    struct record record = {
        .kind = RECORD_MAPPING,
        .pid = (uint32_t)getpid(),
        .mapping = {.start = 0x10000, .length = 0x10000, .path = "[anon:\033]0;title\a]"}};
    mappings_resolver->space.reread_ns = UINT64_MAX; /* /proc does not have it */
    resolver_record(mappings_resolver, &record);
    assert_string_equal(target_object(mappings_resolver, 0x12345), "[?]");
    record.mapping.start = 0x30000;
    record.mapping.path = "[anon:a\033b]";
    resolver_record(mappings_resolver, &record);
    assert_string_equal(target_object(mappings_resolver, 0x30000), "[a?b]");
}

static void unnamed_mapping_is_named_by_address(void **state)
{
    (void)state;
    char wanted[64];
    char *map = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    snprintf(wanted, sizeof wanted, "[anon %p]", (void *)map);
    assert_string_equal(name_of(map), wanted);
}

static void memfd_and_shared_memory_are_named_and_sanitised(void **state)
{
    (void)state;
    int fd = memfd_create("frame/buffer\033[2J", 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "memfd:frame/buffer?[2J");
    map = map_alone(1 << 16, MAP_SHARED | MAP_ANONYMOUS, -1);
    assert_string_equal(name_of(map), "shared memory");
    fd = shm_open("/misstop\033[1mtest", O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        skip();
    assert_int_equal(ftruncate(fd, 4096), 0);
    map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "misstop?[1mtest");
    shm_unlink("/misstop\033[1mtest");
    assert_string_equal(name_of(map), "misstop?[1mtest"); /* now deleted */
}

static char *shared_memory(const char *name)
{
    int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        skip();
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    shm_unlink(name);
    return map;
}

/* As in postgres, with new shared memory for each query. */
static void numbered_shared_memory_is_one_object(void **state)
{
    (void)state;
    assert_string_equal(name_of(shared_memory("/misstop_test.2564281842.a")), "misstop_test.*.a");
    assert_string_equal(name_of(shared_memory("/misstop_test.97.b")), "misstop_test.97.b");
    struct place one;
    struct place other;
    char *first = shared_memory("/misstop_test.1974817536.a");
    char *second = shared_memory("/misstop_test.225641.a");
    assert_string_equal(name_of(second), "misstop_test.*.a");
    struct access access = {.address = (uintptr_t)first, .how = ACCESS_RECORDED, .size = 8};
    resolver_resolve(mappings_resolver, &access, NULL, &one);
    access.address = (uintptr_t)second;
    resolver_resolve(mappings_resolver, &access, NULL, &other);
    assert_int_equal(one.object, other.object);
    assert_int_not_equal(one.base, other.base);
}

static void mapped_file_is_named_by_basename(void **state)
{
    (void)state;
    int fd = open(target_path("table of\nthings"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "table of\\012things"); /* as escaped in /proc */
}

/* A FIFO or device in place of a mapped file must not be opened. */
static void mapped_file_replaced_by_fifo_is_not_opened(void **state)
{
    (void)state;
    const char *path = target_path("file");
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_string_equal(name_of(map), "file");
}

static void mmapped_malloc_block_is_named(void **state)
{
    (void)state;
    char *block = malloc(64 << 20);
    block[0] = 1;
    const char *name = name_of(block + 4096);
    assert_true(!strncmp(name, "[malloc block", 13) || !strncmp(name, "[anon", 5));
    free(block);
}

/* A block header at the start of a mapping that extends far beyond the block. */
static void block_header_must_span_the_mapping(void **state)
{
    (void)state;
    const uint64_t mapped_chunk = 2;
    uint64_t *whole = (uint64_t *)map_alone(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    uint64_t *part = (uint64_t *)map_alone(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    whole[1] = (1 << 20) | mapped_chunk;
    part[1] = (1 << 16) | mapped_chunk;
    assert_int_equal(strncmp(name_of((char *)&whole[600]), "[malloc block", 13), 0);
    assert_int_equal(strncmp(name_of((char *)&part[600]), "[anon", 5), 0);
    assert_int_equal(strncmp(name_of((char *)&part[100000]), "[anon", 5), 0);
}

/* A coroutine's stack inside a large mapping does not make the whole mapping a stack. */
static void large_mapping_is_not_a_stack(void **state)
{
    (void)state;
    struct place place;
    struct object_desc desc;
    struct place_names names = resolver_names(mappings_resolver);
    char *large = map_alone(64 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    char *small = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    struct access access = {.address = (uintptr_t)large + 4096, .base = SREG_SP};
    name_of(large);
    resolver_resolve(mappings_resolver, &access, NULL, &place);
    assert_true(ask_object(&names, place.object, &desc));
    assert_int_not_equal(desc.kind, OBJECT_STACK);
    access.address = (uintptr_t)small + 4096;
    resolver_resolve(mappings_resolver, &access, NULL, &place);
    assert_true(ask_object(&names, place.object, &desc));
    assert_int_equal(desc.kind, OBJECT_STACK);
}

static int run_resolver_mappings(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(prctl_names_of_mappings_are_used, begin, mappings_end),
        cmocka_unit_test_setup_teardown(mapping_names_are_sanitised, begin, mappings_end),
        cmocka_unit_test_setup_teardown(unnamed_mapping_is_named_by_address, begin, mappings_end),
        cmocka_unit_test_setup_teardown(memfd_and_shared_memory_are_named_and_sanitised, begin,
                                        mappings_end),
        cmocka_unit_test_setup_teardown(numbered_shared_memory_is_one_object, begin, mappings_end),
        cmocka_unit_test_setup_teardown(mapped_file_is_named_by_basename, begin, mappings_end),
        cmocka_unit_test_setup_teardown(mapped_file_replaced_by_fifo_is_not_opened, begin,
                                        mappings_end),
        cmocka_unit_test_setup_teardown(mmapped_malloc_block_is_named, begin, mappings_end),
        cmocka_unit_test_setup_teardown(block_header_must_span_the_mapping, begin, mappings_end),
        cmocka_unit_test_setup_teardown(large_mapping_is_not_a_stack, begin, mappings_end),
    };
    return cmocka_run_group_tests_name("resolver_mappings", tests, NULL, NULL);
}

/* The resolver on programs that are linked, stripped, deleted and replaced in every way. */

static struct target programs_target;
static struct resolver *programs_resolver;

static bool start(const char *flags)
{
    const char *path = target_path("planted");
    unlink(path);
    return target_build(path, flags, target_program) && target_start(&programs_target, path, NULL);
}

static void programs_watch(const char *flags)
{
    if (!start(flags))
        skip(); /* no compiler, or not for this kind of program */
    programs_resolver = target_watch(&programs_target);
}

/* Constants are in the code's section if the linker puts them there. */
static void expect_program(enum object_kind constants)
{
    uint64_t function = target_address(&programs_target, "function");
    target_expect(programs_resolver, target_address(&programs_target, "global"), "planted_global",
                  OBJECT_GLOBAL, 20);
    target_expect(programs_resolver, target_address(&programs_target, "static"), "planted_static",
                  OBJECT_GLOBAL, 20);
    target_expect(programs_resolver, target_address(&programs_target, "const"), "planted_const",
                  constants, 20);
    target_expect(programs_resolver, target_address(&programs_target, "tls"), "planted_tls",
                  OBJECT_TLS, 8);
    assert_string_equal(target_function(programs_resolver, function + 3), "planted_function");
}

/* Checks that the bounds of the planted function begin at its start, whatever their source. */
static void expect_bounds(void)
{
    uint64_t start_at;
    uint64_t end;
    uint64_t function = target_address(&programs_target, "function");
    assert_true(resolver_function_bounds(programs_resolver, function + 3, &start_at, &end));
    assert_int_equal(start_at, function);
    assert_true(end > function + 8 && end < function + 512);
}

static int programs_end(void **state)
{
    (void)state;
    if (programs_resolver)
        resolver_close(programs_resolver);
    if (programs_target.pid > 0)
        target_end(&programs_target);
    programs_resolver = NULL;
    programs_target = (struct target){0};
    return 0;
}

static void position_independent_program_is_resolved(void **state)
{
    (void)state;
    programs_watch("-O1 -g -pie -fPIE -pthread");
    expect_program(OBJECT_GLOBAL);
    expect_bounds();
}

static void fixed_address_program_is_resolved(void **state)
{
    (void)state;
    programs_watch("-O1 -no-pie -fno-pie -pthread");
    expect_program(OBJECT_GLOBAL);
    assert_true(target_address(&programs_target, "global") < UINT64_C(1) << 32);
}

static void segments_sharing_pages_are_resolved(void **state)
{
    (void)state;
    programs_watch("-O1 -Wl,-z,noseparate-code -pthread");
    expect_program(OBJECT_CODE);
    expect_bounds();
}

/* Data is resolved before any code: its mapping alone must determine the file's bias. */
static void data_mapping_alone_determines_the_bias(void **state)
{
    (void)state;
    programs_watch("-O1 -g -pie -fPIE -pthread");
    target_expect(programs_resolver, target_address(&programs_target, "global"), "planted_global",
                  OBJECT_GLOBAL, 20);
}

static void dynamic_symbols_of_stripped_program_are_used(void **state)
{
    (void)state;
    programs_watch("-O1 -rdynamic -s -pthread");
    target_expect(programs_resolver, target_address(&programs_target, "global"), "planted_global",
                  OBJECT_GLOBAL, 20);
    assert_string_equal(
        target_object(programs_resolver, target_address(&programs_target, "static")),
        "planted .bss");
    assert_string_equal(
        target_function(programs_resolver, target_address(&programs_target, "function")),
        "planted_function");
}

static void sections_name_data_without_symbols(void **state)
{
    (void)state;
    programs_watch("-O1 -static -s -pthread");
    assert_string_equal(
        target_object(programs_resolver, target_address(&programs_target, "static")),
        "planted .bss");
    assert_string_equal(
        target_object(programs_resolver, target_address(&programs_target, "global")),
        "planted .data");
    assert_string_equal(target_object(programs_resolver, target_address(&programs_target, "const")),
                        "planted .rodata");
    expect_bounds();
    /* The name is the offset in the file, which is the same in every run. */
    assert_memory_equal(
        target_function(programs_resolver, target_address(&programs_target, "function")),
        "planted+0x", 10);
}

static void program_deleted_while_running_is_resolved(void **state)
{
    (void)state;
    if (!start("-O1 -g -pthread"))
        skip();
    assert_int_equal(unlink(target_path("planted")), 0);
    programs_resolver = target_watch(&programs_target);
    expect_program(OBJECT_GLOBAL);
    struct place_names names = resolver_names(programs_resolver);
    struct object_desc desc;
    struct access access = {.address = target_address(&programs_target, "global"),
                            .base = SREG_NONE};
    struct place place;
    resolver_resolve(programs_resolver, &access, NULL, &place);
    assert_true(ask_object(&names, place.object, &desc));
    assert_string_equal(desc.module, "planted");
}

/* Another file of that name must not provide symbols. */
static void program_replaced_while_running_is_resolved(void **state)
{
    (void)state;
    if (!start("-O1 -g -pthread"))
        skip();
    assert_true(target_build(target_path("other"), "-O1 -g",
                             "int wrong[1 << 20] = {1}; int main(void) { return wrong[1]; }"));
    /* The second file has the name that /proc/PID/maps will show for the first. */
    assert_true(
        target_run("cd %s && cp other 'planted (deleted)' && mv other planted", target_folder()));
    programs_resolver = target_watch(&programs_target);
    expect_program(OBJECT_GLOBAL);
}

static void exec_discards_names_of_old_program(void **state)
{
    (void)state;
    programs_watch("-O1 -no-pie -fno-pie -pthread");
    uint64_t global = target_address(&programs_target, "global");
    assert_string_equal(target_object(programs_resolver, global), "planted_global");
    /* After an exec, the same address belongs to another program. */
    struct record exec = {.kind = RECORD_COMM,
                          .pid = (uint32_t)programs_target.pid,
                          .tid = (uint32_t)programs_target.pid,
                          .comm = {.name = "new", .exec = true}};
    struct access access = {.address = global, .base = SREG_NONE};
    struct place before;
    struct place after;
    resolver_resolve(programs_resolver, &access, NULL, &before);
    resolver_record(programs_resolver, &exec);
    resolver_tick(programs_resolver, UINT64_MAX / 2);
    resolver_resolve(programs_resolver, &access, NULL, &after);
    assert_int_not_equal(before.object, after.object);
}

static int run_resolver_programs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(position_independent_program_is_resolved, programs_end),
        cmocka_unit_test_teardown(fixed_address_program_is_resolved, programs_end),
        cmocka_unit_test_teardown(segments_sharing_pages_are_resolved, programs_end),
        cmocka_unit_test_teardown(data_mapping_alone_determines_the_bias, programs_end),
        cmocka_unit_test_teardown(dynamic_symbols_of_stripped_program_are_used, programs_end),
        cmocka_unit_test_teardown(sections_name_data_without_symbols, programs_end),
        cmocka_unit_test_teardown(program_deleted_while_running_is_resolved, programs_end),
        cmocka_unit_test_teardown(program_replaced_while_running_is_resolved, programs_end),
        cmocka_unit_test_teardown(exec_discards_names_of_old_program, programs_end),
    };
    return cmocka_run_group_tests_name("resolver_programs", tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_resolver();
    failed += run_resolver_changes();
    failed += run_resolver_mappings();
    failed += run_resolver_programs();
    return failed;
}
