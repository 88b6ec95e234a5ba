/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decoder against the truth: a child is single-stepped (in this test only) through code
 * of libc and of this file. Before each step the address its instruction is about to touch is
 * taken from the registers as they are; after it, the decoder gets the registers as a sample
 * would show them and must find that address again, or name a reason.
 */
#include "unit.h"

#include "decode/decoder.h"

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

/* What is stepped through: sorting, strings, a list, a switch. */
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
        case 0: sum += numbers[i]; break;
        case 1: sum ^= node->value; break;
        case 2: sum -= numbers[node->value]; break;
        case 3: sum *= 3; break;
        case 4: sum += text[i] = (char)sum; break;
        default: sum++;
        }
    memset(text, 'x', 255);
    text[255] = '\0';
    return sum + (long)strlen(text) + (strchr(text, 'y') != NULL);
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

/* Bounds of exported functions; libc's internal ones are not known here. */
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
    unsigned wrong_sure; /* wrong though direct, undone or branched */
    unsigned reasons[REASON_COUNT];
};

static void judge(struct tally *tally, const struct access *truth, const struct access *found)
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
        /* A repeated string instruction that is not done shows its next element. */
        if (truth.reason != REASON_NONE || regs.rip == truth.ip)
            continue;
        fill_sample(&sample, &regs, false);
        decoder_decode(decoder, &sample, &found);
        judge(tally, &truth, &found);
    }
}

static void addresses_are_those_that_were_touched(void **state)
{
    (void)state;
    struct decode_target target = {.code = read_code, .function = bounds, .memory = read_memory, .segment = segment};
    struct tally tally = {0};
    int status;
    child = fork();
    if (!child) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(77);
        raise(SIGSTOP);
        for (long i = 1; i < 100; i++)
            work(i);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) {
        print_message("ptrace is not permitted here\n");
        skip();
    }
    struct decoder *decoder = decoder_new(&target);
    assert_non_null(decoder);
    step_through(decoder, &tally);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    print_message("%u instructions touched memory: %u found, %u wrong (%u of them not inferred)\n",
                  tally.touched, tally.right, tally.wrong, tally.wrong_sure);
    for (int i = 1; i < REASON_COUNT; i++)
        if (tally.reasons[i])
            print_message("  %s %u\n", access_reason_name(i), tally.reasons[i]);
    decoder_free(decoder);
    assert_true(tally.touched > 5000);
    /* Bounds of libc's internal functions are not known, so their calls cannot be told. */
    unsigned inside = tally.touched - tally.reasons[REASON_CALL_BOUNDARY];
    assert_true(tally.right >= inside * 80 / 100);
    /* A few ways that cannot be told apart remain; a broken rule would make many. */
    assert_true(tally.wrong_sure <= tally.touched / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_those_that_were_touched),
    };
    return cmocka_run_group_tests_name("decoder against the truth", tests, NULL, NULL);
}
