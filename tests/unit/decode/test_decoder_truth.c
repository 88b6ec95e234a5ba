/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the decoder with the truth: single-steps a child (in this test only) through code of
 * libc and of this file. Before each step the address that the instruction is about to access is
 * computed from the registers. After the step, the decoder gets the registers as in a sample and
 * must find that address again, or give a reason.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/decoder.h"
#include "decode/function.h"
#include "unit.h"

enum { STEPS = 60000, NODES = 64 };

struct node {
    struct node *next;
    long value;
};

int compare(const void *a, const void *b);
long work(long seed);

int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The code to step through: sorting, strings, a list, a switch. */
__attribute__((noinline)) long work(long seed)
{
    static struct node nodes[NODES];
    static int numbers[256];
    char text[256];
    long sum = seed;
    for (int i = 0; i < 256; i++)
        numbers[i] = (int)((seed * 7919 + i * 104729) % 1000);
    qsort(numbers, 256, sizeof *numbers, compare);
    for (int i = 0; i < NODES; i++)
        nodes[i] = (struct node){&nodes[(i + 7) % NODES], i};
    const struct node *node = nodes;
    for (int i = 0; i < 200; i++, node = node->next)
        switch (node->value % 6) {
        case 0:
            sum += numbers[i];
            break;
        case 1:
            sum ^= node->value;
            break;
        case 2:
            sum -= numbers[node->value];
            break;
        case 3:
            sum *= 3;
            break;
        case 4:
            sum += text[i] = (char)sum;
            break;
        default:
            sum++;
        }
    memset(text, 'x', 255);
    text[255] = '\0';
    return sum + (long)strlen(text) + (strchr(text, 'y') != NULL);
}

/* Not optimised: every address is in a slot of the frame, and elements come from functions. */
#ifdef __clang__
#define PLAIN __attribute__((noinline, optnone, no_sanitize("address"), no_sanitize("undefined")))
#else
#define PLAIN                                                                                      \
    __attribute__((noinline, optimize("O0"), no_sanitize("address"), no_sanitize("undefined")))
#endif

enum { ROWS = 128 };

struct row {
    long weight;
    struct node *node;
};

static struct node plain_nodes[NODES];
static struct row plain_rows[ROWS];
static long plain_numbers[512];

long plain_work(long seed);
long *plain_element(long *numbers, long index);
const struct row *plain_row(const struct row *rows, long index);
bool plain_equal(const long *left, const long *right);
long plain_walk(const struct node *node, long steps);
long plain_sum(const long *numbers, long count);
long plain_rows_sum(const struct row *rows, long count);

PLAIN long *plain_element(long *numbers, long index)
{
    return &numbers[index];
}

PLAIN const struct row *plain_row(const struct row *rows, long index)
{
    return rows + (index & (ROWS - 1));
}

PLAIN bool plain_equal(const long *left, const long *right)
{
    return *left == *right;
}

PLAIN long plain_walk(const struct node *node, long steps)
{
    long sum = 0;
    for (long i = 0; i < steps; i++) {
        sum += node->value;
        node = node->next;
    }
    return sum;
}

PLAIN long plain_sum(const long *numbers, long count)
{
    long sum = 0;
    while (count-- > 0)
        sum += *numbers++;
    return sum;
}

PLAIN long plain_rows_sum(const struct row *rows, long count)
{
    long sum = 0;
    for (long i = 0; i < count; i++)
        sum += plain_row(rows, i * 7)->node->value;
    return sum;
}

PLAIN long plain_work(long seed)
{
    long sum = seed;
    for (int i = 0; i < NODES; i++)
        plain_nodes[i] = (struct node){&plain_nodes[(i + 7) % NODES], i};
    for (int i = 0; i < ROWS; i++)
        plain_rows[i] = (struct row){i, &plain_nodes[i % NODES]};
    sum +=
        plain_walk(plain_nodes, 60) + plain_rows_sum(plain_rows, 60) + plain_sum(plain_numbers, 80);
    for (long i = 0; i < 60; i++) {
        long *element = plain_element(plain_numbers, (i * 31) & 511);
        sum += *plain_element(plain_numbers, (i * 17) & 511);
        sum += plain_equal(element, plain_element(plain_numbers, i));
    }
    return sum;
}

static pid_t child;

static size_t read_code(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    struct iovec local = {out, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(child, &local, 1, &remote, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t size)
{
    return read_code(context, address, out, size) == size;
}

/* Bounds of exported functions; libc's internal functions are not known here. */
static bool bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    (void)context;
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (!dladdr1((void *)(uintptr_t)ip, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return false;
    *start = (uint64_t)(uintptr_t)info.dli_saddr;
    *end = *start + symbol->st_size;
    return ip < *end;
}

static uint64_t fs_base;

static bool segment(void *context, uint32_t tid, enum decode_segment which, uint64_t *base)
{
    (void)context;
    (void)tid;
    *base = fs_base;
    return which == DECODE_FS;
}

static void fill_sample(struct sample *sample, const struct user_regs_struct *regs, bool exact)
{
    const uint64_t values[SREG_COUNT] = {regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi,
                                         regs->rdi, regs->rbp, regs->rsp, regs->rip, regs->eflags,
                                         regs->r8,  regs->r9,  regs->r10, regs->r11, regs->r12,
                                         regs->r13, regs->r14, regs->r15};
    *sample = (struct sample){.ip = regs->rip, .weight = 1, .mode = SAMPLE_USER};
    memcpy(sample->regs, values, sizeof values);
    sample->has = SAMPLE_HAS_REGS | (exact ? SAMPLE_HAS_EXACT_IP : 0);
}

struct tally {
    unsigned touched;
    unsigned right;
    unsigned wrong;
    unsigned wrong_sure; /* wrong although direct, undone or branched */
    unsigned reasons[REASON_COUNT];
};

static void compare_access(struct tally *tally, const struct access *truth,
                           const struct access *found)
{
    tally->touched++;
    tally->reasons[found->reason]++;
    if (found->reason != REASON_NONE)
        return;
    if (found->address == truth->address) {
        tally->right++;
        return;
    }
    tally->wrong++;
    tally->wrong_sure += found->how <= ACCESS_BRANCHED;
}

static void step_through(struct decoder *decoder, struct tally *tally)
{
    struct user_regs_struct regs;
    struct sample sample;
    struct access truth;
    struct access found;
    int status;
    for (int i = 0; i < STEPS; i++) {
        if (ptrace(PTRACE_GETREGS, child, NULL, &regs))
            return;
        fs_base = regs.fs_base;
        fill_sample(&sample, &regs, true);
        decoder_decode(decoder, &sample, &truth);
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) != child ||
            !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, child, NULL, &regs))
            return;
        /* An unfinished repeated string instruction shows its next element. */
        if (truth.reason != REASON_NONE || regs.rip == truth.ip)
            continue;
        fill_sample(&sample, &regs, false);
        decoder_decode(decoder, &sample, &found);
        compare_access(tally, &truth, &found);
    }
}

/* A sample that is decoded after the program has continued. */
struct late {
    struct sample sample;
    struct access truth;
    unsigned char stack[512];
};

static bool within(uint64_t address, const void *object, size_t size)
{
    return address - (uint64_t)(uintptr_t)object < size;
}

static int object_of(uint64_t address)
{
    return within(address, plain_nodes, sizeof plain_nodes)       ? 1
           : within(address, plain_rows, sizeof plain_rows)       ? 2
           : within(address, plain_numbers, sizeof plain_numbers) ? 3
                                                                  : 0;
}

/* Compares objects: an inferred address may be that of a neighbour. */
static void compare_late_access(struct decoder *decoder, struct late *late, struct tally *tally)
{
    struct access found;
    late->sample.stack = late->stack;
    late->sample.stack_bytes = sizeof late->stack;
    decoder_decode(decoder, &late->sample, &found);
    tally->touched++;
    tally->reasons[found.reason]++;
    if (found.reason)
        return;
    bool right = object_of(late->truth.address)
                     ? object_of(found.address) == object_of(late->truth.address)
                     : found.address == late->truth.address;
    tally->right += right;
    tally->wrong += !right;
}

static bool is_plain(uint64_t ip)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)ip, &info) && info.dli_sname &&
           !strncmp(info.dli_sname, "plain_", 6);
}

enum { LATE_STEPS = 150 };

/* Judges data only, because samples of the stack are certain. */
static void step_and_decode_later(struct decoder *decoder, struct tally *tally)
{
    static struct late queue[LATE_STEPS];
    static bool filled[LATE_STEPS];
    struct user_regs_struct regs;
    struct access truth;
    int status;
    for (int i = 0; i < STEPS; i++) {
        struct late *late = &queue[i % LATE_STEPS];
        if (filled[i % LATE_STEPS])
            compare_late_access(decoder, late, tally);
        filled[i % LATE_STEPS] = false;
        if (ptrace(PTRACE_GETREGS, child, NULL, &regs))
            return;
        fs_base = regs.fs_base;
        fill_sample(&late->sample, &regs, true);
        decoder_decode(decoder, &late->sample, &truth);
        bool plain = is_plain(regs.rip);
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) != child ||
            !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, child, NULL, &regs))
            return;
        fill_sample(&late->sample, &regs, false);
        late->truth = truth;
        filled[i % LATE_STEPS] = plain && !truth.reason && object_of(truth.address) &&
                                 read_memory(NULL, regs.rsp, late->stack, sizeof late->stack);
    }
}

static struct decoder *start(struct decode_target *target, long (*work_of)(long))
{
    int status;
    child = fork();
    if (!child) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(77);
        raise(SIGSTOP);
        for (long i = 1; i < 100; i++)
            work_of(i);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) {
        print_message("skipped: ptrace is not permitted\n");
        skip();
    }
    struct decoder *decoder = decoder_new(target);
    assert_non_null(decoder);
    return decoder;
}

static void stop(struct decoder *decoder, const struct tally *tally)
{
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    print_message(
        "%u instructions accessed memory: %u addresses right, %u wrong (%u not inferred)\n",
        tally->touched, tally->right, tally->wrong, tally->wrong_sure);
    for (int i = 1; i < REASON_COUNT; i++)
        if (tally->reasons[i])
            print_message("  %s %u\n", access_reason_name(i), tally->reasons[i]);
    decoder_free(decoder);
}

static void unoptimised_code_is_attributed_despite_skid(void **state)
{
    (void)state;
    struct decode_target target = {
        .code = read_code, .function = bounds, .memory = read_memory, .segment = segment};
    struct tally tally = {0};
    struct decoder *decoder = start(&target, plain_work);
    step_and_decode_later(decoder, &tally);
    stop(decoder, &tally);
    assert_true(tally.touched > 1000);
    assert_true(tally.right >= tally.touched * 85 / 100);
    assert_true(tally.wrong <= tally.touched / 100);
}

static void decoded_addresses_match_single_stepping(void **state)
{
    (void)state;
    struct decode_target target = {
        .code = read_code, .function = bounds, .memory = read_memory, .segment = segment};
    struct tally tally = {0};
    struct decoder *decoder = start(&target, work);
    step_through(decoder, &tally);
    stop(decoder, &tally);
    assert_true(tally.touched > 5000);
    /* Bounds of libc's internal functions are not known, so their calls cannot be recognised. */
    unsigned inside = tally.touched - tally.reasons[REASON_CALL_BOUNDARY];
    assert_true(tally.right >= inside * 80 / 100);
    /* A few paths remain ambiguous; a broken rule would cause many errors. */
    assert_true(tally.wrong_sure <= tally.touched / 100);
}

static size_t own_code(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    memcpy(out, (const void *)(uintptr_t)address, size);
    return size;
}

/* Code without a symbol, like JIT code: around each instruction the decoder finds the same
 * instructions as from the start of the function. */
static void instruction_boundaries_are_found_without_function_bounds(void **state)
{
    static const char *const names[] = {"qsort_r",     "strtod",  "vfprintf",   "regcomp", "glob",
                                        "getaddrinfo", "fnmatch", "strftime_l", "mktime"};
    const struct decode_target target = {.code = own_code, .function = bounds};
    unsigned queries = 0;
    unsigned found = 0;
    /* A sanitizer replaces some of these functions by its own. */
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    (void)state;
    assert_non_null(libc);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum reason reason;
        uint64_t start = (uint64_t)(uintptr_t)dlsym(libc, names[i]);
        struct function *whole = start ? function_new(&target, start, false, &reason) : NULL;
        for (size_t at = 1; whole && whole->is_complete && at < whole->count; at++) {
            uint64_t address = function_address(whole, at);
            struct function *part = function_new(&target, address, true, &reason);
            size_t index = part ? function_index(part, address) : SIZE_MAX;
            assert_true(index != SIZE_MAX);
            if (address - start > 200) {
                queries++;
                found += index > 0;
                assert_true(!index ||
                            function_address(part, index - 1) == function_address(whole, at - 1));
            }
            function_free(part);
        }
        function_free(whole);
    }
    dlclose(libc);
    print_message("boundaries found at %u of %u instructions\n", found, queries);
    assert_true(queries > 1000);
    assert_true(found >= queries * 99 / 100);
}

/* Instructions and the loops around them are decoded on demand: the result must not depend on
 * earlier requests. */
static void decoding_does_not_depend_on_request_order(void **state)
{
    static const char *const names[] = {"qsort_r", "strtod", "vfprintf", "regcomp", "glob"};
    const struct decode_target target = {.code = own_code, .function = bounds};
    unsigned in_loops = 0;
    unsigned alone = 0;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    (void)state;
    assert_non_null(libc);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum reason reason;
        uint64_t start = (uint64_t)(uintptr_t)dlsym(libc, names[i]);
        struct function *upwards = start ? function_new(&target, start, false, &reason) : NULL;
        struct function *downwards = start ? function_new(&target, start, false, &reason) : NULL;
        for (size_t at = 0; upwards && at < upwards->count; at++)
            function_describe(upwards, function_insn(upwards, at));
        for (size_t at = downwards ? downwards->count : 0; at-- > 0;) {
            struct function *one = function_new(&target, start, false, &reason);
            const struct insn *insn = function_insn(upwards, at);
            in_loops += insn->in_loop;
            function_describe(downwards, function_insn(downwards, at));
            function_describe(one, function_insn(one, at));
            assert_memory_equal(function_insn(downwards, at), insn, sizeof *insn);
            assert_memory_equal(function_insn(one, at), insn, sizeof *insn);
            alone += !one->blocks[(at + one->count / 2) % one->count / FUNCTION_BLOCK];
            function_free(one);
        }
        function_free(upwards);
        function_free(downwards);
    }
    dlclose(libc);
    print_message("%u instructions in loops, %u decoded without the other half\n", in_loops, alone);
    assert_true(in_loops > 100 && alone > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_does_not_depend_on_request_order),
        cmocka_unit_test(instruction_boundaries_are_found_without_function_bounds),
        cmocka_unit_test(decoded_addresses_match_single_stepping),
        cmocka_unit_test(unoptimised_code_is_attributed_despite_skid),
    };
    return cmocka_run_group_tests_name("decoder against the truth", tests, NULL, NULL);
}
