/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/resolve/elf/unwind.c: a chain of functions, each with an array. Each prints the address of
 * its array and its canonical frame address from the compiler (__builtin_dwarf_cfa()). Both must be
 * found from the registers of the innermost function.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "resolve/elf/unwind.h"
#include "resolve/process/process.h"
#include "unit.h"
#include "unit/resolve/target.h"

static const char chain[] =
    "#include <alloca.h>\n"
    "#include <signal.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <unistd.h>\n"
    "#define NOINLINE __attribute__((noinline, noclone))\n"
    "#define PRINT_AT(name, at) print_at(name, (void *)(at), __builtin_dwarf_cfa())\n"
    "#define STAY __asm__ volatile(\"\" ::: \"memory\")\n"
    "static char command[16];\n"
    "static volatile long sink;\n"
    "static void print_at(const char *name, const void *at, const void *cfa)\n"
    "{ printf(\"%s %p\\n%s.cfa %p\\n\", name, at, name, cfa); }\n"
    "NOINLINE void leaf(void)\n"
    "{\n"
    "    volatile long mark[4] = {1, 2, 3, 4};\n"
    "    PRINT_AT(\"leaf\", mark + 1);\n"
    "    puts(\"ready\");\n"
    "    fflush(stdout);\n"
    "    if (*command == 's') for (;;) mark[2]++;\n"
    "    read(0, command, sizeof command);\n"
    "    sink = mark[1];\n"
    "}\n"
    "static int compare(const void *a, const void *b)\n"
    "{\n"
    "    volatile char mark[100] = {1};\n"
    "    if (sink++) return *(int *)a - *(int *)b;\n"
    "    PRINT_AT(\"compare\", mark + 50);\n"
    "    leaf();\n"
    "    STAY;\n"
    "    return mark[3];\n"
    "}\n"
    "NOINLINE void sorting(int n)\n"
    "{\n"
    "    int items[64] = {n, 3, 2, 1};\n"
    "    PRINT_AT(\"sorting\", items + 7);\n"
    "    qsort(items, 64, sizeof *items, compare);\n"
    "    sink += items[3];\n"
    "}\n"
    "NOINLINE void many_registers(long a, long b, long c, long d, long e, long f, long g)\n"
    "{\n"
    "    volatile long mark[6] = {a, b, c, d, e, f};\n"
    "    PRINT_AT(\"many_registers\", mark + 5);\n"
    "    sorting((int)g);\n"
    "    sink = a * b + c * d + e * f + g + mark[2];\n"
    "}\n"
    "NOINLINE void aligned(long n)\n"
    "{\n"
    "    volatile double mark[8] __attribute__((aligned(64))) = {n};\n"
    "    volatile double *deep = alloca(n * 8);\n"
    "    PRINT_AT(\"aligned\", mark + 7);\n"
    "    deep[0] = 1;\n"
    "    many_registers(n, 2, 3, 4, 5, 6, n);\n"
    "    sink = mark[1] + deep[0];\n"
    "}\n"
    "NOINLINE void large(void)\n"
    "{\n"
    "    volatile char mark[1000000];\n"
    "    mark[5] = 1;\n"
    "    PRINT_AT(\"large\", mark + 999999);\n"
    "    printf(\"large_start %p\\nlarge_start.cfa %p\\n\", mark, __builtin_dwarf_cfa());\n"
    "    aligned(mark[5]);\n"
    "    sink = mark[5];\n"
    "}\n"
    "NOINLINE void dynamic(int n)\n"
    "{\n"
    "    volatile char *mark = alloca(n);\n"
    "    mark[n - 1] = 1;\n"
    "    PRINT_AT(\"dynamic\", mark + n / 2);\n"
    "    large();\n"
    "    sink = mark[1];\n"
    "}\n"
    "NOINLINE int recurse(int depth)\n"
    "{\n"
    "    volatile long mark[3] = {depth};\n"
    "    char name[16] = \"recurse0\";\n"
    "    name[7] = '0' + depth;\n"
    "    PRINT_AT(name, mark + 1);\n"
    "    if (depth) recurse(depth - 1); else dynamic(3001);\n"
    "    STAY;\n"
    "    return mark[0];\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    char line[100] = \"\";\n"
    "    setvbuf(stdout, 0, _IOFBF, 16384);\n"
    "    puts(\"ready\");\n"
    "    fflush(stdout);\n"
    "    read(0, command, 2);\n"
    "    alarm(30);\n"
    "    PRINT_AT(\"main\", line + 50);\n"
    "    return recurse(9) + line[50];\n"
    "}\n";

static const char *const names[] = {"leaf",     "compare",  "sorting",     "many_registers",
                                    "aligned",  "large",    "large_start", "dynamic",
                                    "recurse0", "recurse1", "recurse2",    "recurse3",
                                    "recurse4", "recurse5", "recurse9",    "main"};
enum { NAMES = sizeof names / sizeof *names };

static void take_registers(const struct user_regs_struct *from, uint64_t regs[SREG_COUNT])
{
    memset(regs, 0xee, SREG_COUNT * sizeof *regs);
    regs[SREG_IP] = from->rip;
    regs[SREG_SP] = from->rsp;
    regs[SREG_BP] = from->rbp;
    regs[SREG_BX] = from->rbx;
    regs[SREG_R12] = from->r12;
    regs[SREG_R13] = from->r13;
    regs[SREG_R14] = from->r14;
    regs[SREG_R15] = from->r15;
}

/* Reads the registers of a process that is stopped only briefly. */
static bool read_registers(pid_t pid, uint64_t regs[SREG_COUNT])
{
    struct user_regs_struct from;
    int status;
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL))
        return false;
    bool good = waitpid(pid, &status, 0) == pid && !ptrace(PTRACE_GETREGS, pid, NULL, &from);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    take_registers(&from, regs);
    return good;
}

static const char *function_at(struct space *space, uint64_t pc)
{
    struct map *map = space_map(space, pc);
    struct module *module = map ? space_module(space, map) : NULL;
    const struct symbol *symbol = module ? module_function(module, pc) : NULL;
    return symbol ? symbol->name : "?";
}

/* gcc's __builtin_dwarf_cfa() differs from the CFA in its own .eh_frame in a function that aligns
 * its stack. The frames above are found, so the .eh_frame is right. */
static bool has_other_cfa(const char *name)
{
    return !strcmp(name, "aligned");
}

/* Counts the arrays found in their function's frame, with the compiler's frame address. */
static unsigned count_found(struct unwind *unwind, struct space *space, const uint64_t *regs,
                            const struct target *target, const char *flags)
{
    unsigned found = 0;
    for (size_t i = 0; i < NAMES; i++) {
        struct unwind_frame frame = {0};
        char name[32];
        char cfa[40];
        snprintf(cfa, sizeof cfa, "%s.cfa", names[i]);
        strcpy(name, names[i]);
        name[strcspn(name, !strncmp(name, "recurse", 7) ? "0123456789" : "_")] = 0;
        uint64_t address = target_address(target, names[i]);
        bool good = unwind_find(unwind, space, regs, address, &frame) &&
                    !strncmp(function_at(space, frame.pc), name, strlen(name)) &&
                    (frame.cfa == target_address(target, cfa) || has_other_cfa(names[i]));
        if (!good)
            print_message("%s: %s at %#lx: found in %s with CFA %#lx, expected CFA %#lx\n", flags,
                          names[i], (unsigned long)address, function_at(space, frame.pc),
                          (unsigned long)frame.cfa, (unsigned long)target_address(target, cfa));
        found += good;
    }
    return found;
}

/* Returns how many of the functions are among the callers, in order. */
static unsigned count_callers(struct unwind *unwind, struct space *space, const uint64_t *regs,
                              const struct unwind_copy *copy)
{
    static const char *const callers[] = {"leaf",           "compare", "sorting",
                                          "many_registers", "aligned", "large",
                                          "dynamic",        "recurse", "main"};
    uint64_t pcs[256];
    unsigned found = 0;
    size_t count = unwind_callers(unwind, space, regs, copy, pcs, 256);
    for (size_t i = 0; i < count && found < sizeof callers / sizeof *callers; i++)
        found += !strncmp(function_at(space, pcs[i]), callers[found], strlen(callers[found]));
    return found;
}

/* With only a copy of the stack, callers are found as far as the copy goes. With the process too,
 * all are found, unless its stack has changed. */
static void check_callers(struct unwind *unwind, struct space *space, const uint64_t *regs)
{
    enum { ALL = 9, COPIED = 1024 };
    static unsigned char bytes[COPIED];
    struct unwind_copy copy = {bytes, COPIED};
    assert_true(process_read(unwind->pid, regs[SREG_SP], bytes, sizeof bytes));
    assert_int_equal(count_callers(unwind, space, regs, &copy), ALL);
    pid_t pid = unwind->pid;
    unwind->pid = 0;
    unsigned alone = count_callers(unwind, space, regs, &copy);
    assert_in_range(alone, 2, ALL - 1); /* the frame of large() is a megabyte */
    unwind->pid = pid;
    bytes[COPIED - 1] ^= 1;
    assert_in_range(count_callers(unwind, space, regs, &copy), 2, ALL - 1);
    copy.size_bytes = 0;
    assert_int_equal(count_callers(unwind, space, regs, &copy), 0);
}

static void check_build(const char *flags, const char *command, unsigned allowed)
{
    struct target target;
    struct space space;
    struct unwind unwind;
    uint64_t regs[SREG_COUNT];
    char *path = strdup(target_path("chain"));
    assert_true(target_build(path, flags, chain));
    assert_true(target_start(&target, path, NULL));
    assert_true(target_send_line(&target, command));
    struct lookup_from from = {.pid = target.pid, .live = true};
    assert_int_equal(space_init(&space, &from), 0);
    unwind_init(&unwind, target.pid);
    usleep(20000); /* time between the line and the wait */
    assert_true(read_registers(target.pid, regs));
    unsigned found = count_found(&unwind, &space, regs, &target, flags);
    assert_int_equal(count_found(&unwind, &space, regs, &target, flags), found); /* cached rules */
    assert_true(found + allowed >= NAMES);
    if (*command == 'w')
        check_callers(&unwind, &space, regs);
    unwind_fini(&unwind);
    space_fini(&space);
    target_end(&target);
    free(path);
}

static const char *const builds[] = {
    "-O0",
    "-O1 -fno-omit-frame-pointer",
    "-O2",
    "-O2 -fno-omit-frame-pointer",
    "-O3 -fomit-frame-pointer -g",
    "-Os",
    "-O2 -static",
    "-O2 -fno-asynchronous-unwind-tables -funwind-tables",
};

/* The innermost function waits in the C library. */
static void frames_above_a_system_call_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        check_build(builds[i], "w", 0);
}

/* The process runs meanwhile. */
static void frames_of_a_running_process_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        check_build(builds[i], "s", 0);
}

static void frames_of_the_other_compiler_are_found(void **state)
{
    (void)state;
    const char *usual = getenv("CC");
    char *saved = usual ? strdup(usual) : NULL;
    bool clang = usual && strstr(usual, "clang");
    const char *other = clang ? "gcc" : "clang";
    if (target_run("command -v %s >/dev/null", other)) {
        setenv("CC", other, 1);
        for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
            check_build(builds[i], "w", 0);
        if (saved)
            setenv("CC", saved, 1);
        else
            unsetenv("CC");
    } else {
        print_message("skipped: %s is not installed\n", other);
    }
    free(saved);
}

/* On this process */

struct seen {
    uint64_t address;
    uint64_t cfa;
};

static struct space own_space;
static struct unwind own;
static uint64_t own_regs[SREG_COUNT];

static int start_own(void **state)
{
    (void)state;
    struct lookup_from from = {.pid = getpid(), .live = true};
    unwind_init(&own, getpid());
    return space_init(&own_space, &from);
}

static int end_own(void **state)
{
    (void)state;
    unwind_fini(&own);
    space_fini(&own_space);
    return 0;
}

static void own_registers(void)
{
    ucontext_t context;
    getcontext(&context);
    const greg_t *from = context.uc_mcontext.gregs;
    own_regs[SREG_IP] = (uint64_t)from[REG_RIP];
    own_regs[SREG_SP] = (uint64_t)from[REG_RSP];
    own_regs[SREG_BP] = (uint64_t)from[REG_RBP];
    own_regs[SREG_BX] = (uint64_t)from[REG_RBX];
    own_regs[SREG_R12] = (uint64_t)from[REG_R12];
    own_regs[SREG_R13] = (uint64_t)from[REG_R13];
    own_regs[SREG_R14] = (uint64_t)from[REG_R14];
    own_regs[SREG_R15] = (uint64_t)from[REG_R15];
}

#define FIND(ADDRESS, FRAME)                                                                       \
    unwind_find(&own, &own_space, own_regs, (uint64_t)(uintptr_t)(ADDRESS), FRAME)

/* The frame of own_registers() is gone, but those of its callers are not. */
__attribute__((noinline)) static void inner(volatile char *outer_mark, uint64_t outer_cfa)
{
    volatile char mark[64] = {1};
    struct unwind_frame frame;
    own_registers();
    assert_true(FIND(mark + 31, &frame));
    assert_string_equal(function_at(&own_space, frame.pc), "inner");
    assert_true(frame.cfa == (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
    for (int i = 0; i < 9; i++) { /* also misaligned addresses */
        assert_true(FIND(outer_mark + i, &frame));
        assert_string_equal(function_at(&own_space, frame.pc), "frames_of_own_process_are_found");
        assert_true(frame.cfa == outer_cfa);
    }
}

static void frames_of_own_process_are_found(void **state)
{
    (void)state;
    volatile char mark[64] = {2};
    inner(mark + 20, (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
    assert_int_equal(mark[0], 2);
}

/* The frame of a function that realigns its stack is found by a word in it, which is read late. */
__attribute__((noinline)) static void realigned(size_t room)
{
    _Alignas(64) volatile uint64_t mark[8] = {3};
    volatile uint64_t *below = alloca(room);
    volatile uint64_t *slot = __builtin_frame_address(0);
    uint64_t lowest = (uint64_t)(uintptr_t)slot;
    struct unwind_frame frame;
    below[0] = 4;
    do
        slot--;
    while (*slot - lowest > 128 && lowest - (uint64_t)(uintptr_t)slot < 64);
    uint64_t cfa = *slot;
    own_registers();
    if (!FIND(mark, &frame) || frame.cfa != cfa) {
        print_message(
            "skipped: this compiler stores no frame address when it realigns the stack\n");
        skip();
    }
    *slot = cfa + (1 << 20);
    bool found = FIND(mark, &frame);
    *slot = cfa;
    assert_false(found);
}

static void changed_frame_address_is_refused(void **state)
{
    (void)state;
    realigned(64);
}

/* A lazily bound stub pushes a word between its two jumps. */
static void frame_in_a_plt_stub_is_found(void **state)
{
    (void)state;
    enum { STUB = 16, PUSHED = 11 };
    struct unwind_frame frame;
    uint64_t start = 0;
    uint64_t end = 0;
    const char *name = NULL;
    struct map *map = space_map(&own_space, (uint64_t)(uintptr_t)own_registers);
    struct module *module = space_module(&own_space, map);
    for (uint64_t at = map->start; at < map->end && (!name || strcmp(name, ".plt")); at += STUB)
        name = module_section(module, at, &start, &end);
    if (!name || strcmp(name, ".plt") || end - start < 3 * STUB) {
        print_message("skipped: this compiler generates no PLT stubs\n");
        skip();
    }
    own_registers();
    uint64_t sp = own_regs[SREG_SP];
    own_regs[SREG_IP] = start + STUB;
    assert_true(FIND(sp, &frame));
    assert_true(frame.cfa == sp + 8);
    own_regs[SREG_IP] = start + STUB + PUSHED;
    assert_true(FIND(sp, &frame));
    assert_true(frame.cfa == sp + 16);
}

static void addresses_outside_frames_are_refused(void **state)
{
    (void)state;
    struct unwind_frame frame;
    own_registers();
    uint64_t sp = own_regs[SREG_SP];
    static char global;
    assert_true(FIND(sp - 100, &frame)); /* a leaf may use 128 bytes below */
    assert_false(FIND(sp - 129, &frame));
    assert_false(FIND(sp - 100000, &frame));
    assert_false(FIND(sp + (64ull << 20), &frame));
    assert_false(FIND(&global, &frame));
    assert_false(FIND(0, &frame));
    assert_false(FIND(UINT64_MAX, &frame));
    assert_false(FIND(UINT64_MAX - 64, &frame));
    assert_false(FIND(1ull << 63, &frame));
    struct map *stack = space_map(&own_space, sp);
    assert_non_null(stack);
    assert_false(FIND(stack->end - 8, &frame)); /* above the first function: names, environment */
}

/* Random registers: any answer, but no crash. */
static void random_registers_are_harmless(void **state)
{
    (void)state;
    struct unwind_frame frame;
    uint64_t good[SREG_COUNT];
    own_registers();
    memcpy(good, own_regs, sizeof good);
    static const uint64_t bad[] = {
        0, 1, 8, 0xfff, UINT64_MAX, 1ull << 47, 1ull << 63, UINT64_MAX - 7, 0x4141414141414141};
    static const uint8_t which[] = {SREG_IP, SREG_SP, SREG_BP};
    for (size_t k = 0; k < sizeof which; k++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            memcpy(own_regs, good, sizeof good);
            own_regs[which[k]] = bad[i];
            for (uint64_t at = 0; at < 4096; at += 264)
                FIND(good[SREG_SP] + at, &frame);
            FIND(bad[i], &frame);
            FIND(bad[i] + 4096, &frame);
        }
    /* Code outside any file. */
    memcpy(own_regs, good, sizeof good);
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own_regs[SREG_IP] = (uint64_t)(uintptr_t)code + 16;
    assert_false(FIND(good[SREG_SP] + 64, &frame));
    munmap(code, 4096);
}

/* The stack may contain anything when it is read. */
static void hostile_stack_contents_are_harmless(void **state)
{
    (void)state;
    static uint64_t stack[4096];
    struct unwind_frame frame;
    own_registers();
    uint64_t ip = own_regs[SREG_IP];
    for (unsigned pattern = 0; pattern < 6; pattern++) {
        uint64_t base = (uint64_t)(uintptr_t)stack;
        for (size_t i = 0; i < sizeof stack / sizeof *stack; i++)
            stack[i] = pattern == 0   ? base + 8 * i
                       : pattern == 1 ? ip
                       : pattern == 2 ? base
                       : pattern == 3 ? UINT64_MAX - i
                       : pattern == 4 ? (i % 2 ? ip : base + 8 * i + 16)
                                      : 0;
        own_regs[SREG_SP] = base;
        own_regs[SREG_BP] = base + 16;
        for (size_t i = 0; i < sizeof stack; i += 40)
            if (FIND(base + i, &frame))
                assert_true(frame.cfa > base + i && frame.cfa - base < 64u << 20);
        uint64_t pcs[64];
        const struct unwind_copy copy = {(unsigned char *)stack, sizeof stack};
        size_t count = unwind_callers(&own, &own_space, own_regs, &copy, pcs, 64);
        for (size_t i = 0; i < count; i++) /* each after a call */
            assert_true(unwind_is_call(&own, &own_space, pcs[i]));
    }
}

/* More instructions than the rule cache can hold: the oldest are evicted, answers stay correct. */
static void unwind_rule_cache_is_bounded(void **state)
{
    (void)state;
    struct unwind_frame frame;
    own_registers();
    struct map *map = space_map(&own_space, own_regs[SREG_IP]);
    assert_non_null(map);
    uint64_t ip = own_regs[SREG_IP];
    for (uint64_t i = 0; i < 70000; i++) {
        own_regs[SREG_IP] = map->end + i; /* not in any file: no rule, but cached */
        FIND(own_regs[SREG_SP], &frame);
    }
    own_regs[SREG_IP] = ip;
    assert_true(FIND(own_regs[SREG_SP], &frame));
    assert_string_equal(function_at(&own_space, frame.pc), "own_registers");
    unwind_forget(&own);
    assert_true(FIND(own_regs[SREG_SP], &frame));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start_own, end_own)
    const struct CMUnitTest tests[] = {
        TEST(frames_of_own_process_are_found),
        TEST(changed_frame_address_is_refused),
        TEST(frame_in_a_plt_stub_is_found),
        TEST(addresses_outside_frames_are_refused),
        TEST(random_registers_are_harmless),
        TEST(hostile_stack_contents_are_harmless),
        TEST(unwind_rule_cache_is_bounded),
        cmocka_unit_test(frames_above_a_system_call_are_found),
        cmocka_unit_test(frames_of_a_running_process_are_found),
        cmocka_unit_test(frames_of_the_other_compiler_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
