/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the agent's unwinder with libgcc's, on stacks built for the test, and checks that it
 * does not read outside the stack. */
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/unwind.h"
#include "unit.h"

enum { THEIRS_MAX = 128 };

struct gate gate = {.is_recording = 1};

void *session_pages(size_t size_bytes)
{
    return calloc(1, size_bytes);
}

static struct unwind state;
static unsigned deepest;

/* Both unwinders must agree from the caller of this function on, as deep as both go. */
static __attribute__((noinline)) void compare_unwinders(void)
{
    void *glibc_frames[THEIRS_MAX];
    void *const *frame = (void *const *)__builtin_frame_address(0);
    int count = backtrace(glibc_frames, THEIRS_MAX);
    int skip = 0;
    while (skip < count && glibc_frames[skip] != frame[1])
        skip++;
    count -= skip;
    const struct unwound *result = unwind(&state, frame);
    assert_int_equal(result->count, count < AGENT_DEPTH_MAX ? count : AGENT_DEPTH_MAX);
    for (unsigned i = 0; i < result->count; i++)
        assert_int_equal(result->frames[i].address,
                         (uint64_t)(uintptr_t)glibc_frames[skip + (int)i]);
    if (result->count > deepest)
        deepest = result->count;
}

static __attribute__((noinline)) int recurse(int depth, unsigned seed)
{
    /* A frame of variable size: the CFA is relative to rbp. */
    char *frame = seed & 1 ? alloca(16 + seed % 300) : NULL;
    if (frame)
        memset(frame, 1, 16);
    compare_unwinders();
    int below = depth ? recurse(depth - 1, seed * 7 + (unsigned)depth) : 0;
    __asm__ volatile("" : "+r"(below) : "r"(frame) : "memory");
    return below + 1;
}

static void unwinds_recursion_and_frames_of_varying_size(void **unused)
{
    (void)unused;
    for (unsigned seed = 1; seed < 40; seed++)
        recurse((int)(seed % 20), seed);
    assert_true(deepest > 20);
}

static void depth_is_limited_to_agent_depth_max(void **unused)
{
    (void)unused;
    recurse(100, 1);
    assert_int_equal(deepest, AGENT_DEPTH_MAX);
}

static int compare_numbers(const void *a, const void *b)
{
    compare_unwinders();
    return *(const int *)a - *(const int *)b;
}

static void unwinds_library_without_frame_pointers(void **unused)
{
    int numbers[20];
    (void)unused;
    for (int i = 0; i < 20; i++)
        numbers[i] = i * 7 % 20;
    qsort(numbers, 20, sizeof *numbers, compare_numbers);
}

/* A realigned stack: the CFA is in memory. */
static __attribute__((noinline)) int realigned(int depth)
{
    _Alignas(64) volatile char buffer[128];
    buffer[0] = (char)depth;
    compare_unwinders();
    int below = depth ? realigned(depth - 1) : 0;
    return below + buffer[0];
}

static void unwinds_realigned_stack(void **unused)
{
    (void)unused;
    realigned(5);
    realigned(3);
}

static void *in_thread(void *data)
{
    recurse(5, 3);
    return data;
}

static void unwinds_in_another_thread(void **unused)
{
    pthread_t thread;
    (void)unused;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
    pthread_join(thread, NULL);
}

/* A fake frame: the word above it is the return address, and then the mapping ends. */
static void unwinding_never_reads_past_the_stack_mapping(void **unused)
{
    (void)unused;
    char *map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(munmap(map + 2 * 4096, 4096), 0);
    uint64_t *top = (uint64_t *)(map + 2 * 4096);
    uint64_t *frame = top - 4;
    frame[0] = (uint64_t)(uintptr_t)(top - 1); /* rbp: its return address would be outside */
    frame[1] = (uint64_t)(uintptr_t)frame;     /* not code: unwound by rbp */
    const struct unwound *stack = unwind(&state, (void *const *)frame);
    assert_int_equal(stack->count, 1);
    frame[0] = UINT64_MAX - 7;
    assert_int_equal(unwind(&state, (void *const *)frame)->count, 1);
    frame[0] = 12345;
    assert_int_equal(unwind(&state, (void *const *)frame)->count, 1);
    /* A code address with a frame larger than the rest of the stack. */
    frame[1] = (uint64_t)(uintptr_t)&backtrace + 64;
    assert_true(unwind(&state, (void *const *)frame)->count <= 2);
    munmap(map, 2 * 4096);
    gate.unmaps++;
}

static void address_outside_code_has_no_rule(void **unused)
{
    (void)unused;
    assert_int_equal(rule_find(1).cfa, RULE_UNKNOWN);
    assert_int_equal(rule_find(0).cfa, RULE_UNKNOWN);
    assert_int_equal(rule_find((uint64_t)(uintptr_t)&state).cfa, RULE_UNKNOWN);
    assert_int_equal(rule_find(UINT64_MAX).cfa, RULE_UNKNOWN);
    assert_int_not_equal(rule_find((uint64_t)(uintptr_t)&compare_unwinders + 40).cfa, RULE_UNKNOWN);
}

/* Every address in the C library: no rule crashes or hangs, and most are supported. */
static void most_addresses_of_libc_have_a_rule(void **unused)
{
    unsigned known = 0;
    unsigned queries = 0;
    uint64_t start = (uint64_t)(uintptr_t)&qsort & ~UINT64_C(0xfff);
    (void)unused;
    for (uint64_t address = start; address < start + 0x40000; address += 13) {
        struct rule rule = rule_find(address);
        known += rule.cfa == RULE_STACK || rule.cfa == RULE_FRAME;
        queries++;
    }
    assert_true(known > queries / 2);
}

static int start(void **unused)
{
    void *first[2];
    (void)unused;
    backtrace(first, 2);
    rule_start();
    unwind_start();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwinds_recursion_and_frames_of_varying_size),
        cmocka_unit_test(depth_is_limited_to_agent_depth_max),
        cmocka_unit_test(unwinds_library_without_frame_pointers),
        cmocka_unit_test(unwinds_realigned_stack),
        cmocka_unit_test(unwinds_in_another_thread),
        cmocka_unit_test(unwinding_never_reads_past_the_stack_mapping),
        cmocka_unit_test(address_outside_code_has_no_rule),
        cmocka_unit_test(most_addresses_of_libc_have_a_rule),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
