/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of a running process without an object: the reasons, and the instructions with the
 * preceding code.
 *
 *   bench_unattributed NAME PID [SECONDS [INSTRUCTIONS [STEPS]]]
 *
 * Prints one line, "NAME attributed reasons", then the requested number of most frequent
 * instructions, each with four before it (the last one is at the IP). With STEPS the process is
 * then single-stepped: at each step the decoder must find the last access, which is known. Shares
 * are weighted by the samples of each IP. LATE=N asks N steps later, with the stack of the sample,
 * like real samples; WRONG=1 prints the wrong cases. Figures only.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "decode/decoder.h"
#include "decode/insn.h"
#include "resolve/resolver.h"
#include "resolve/resolver_state.h"
#include "sample/sampler.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { MET_MAX = 1 << 16, BEFORE = 4, READ_MS = 20 };

struct met {
    uint64_t ip;
    uint64_t count;
    enum reason reason;
};

/* Per IP: samples, and the decoder's answers during single-stepping. */
struct stepped {
    uint64_t ip;
    uint64_t samples;
    uint64_t steps; /* steps with a known last access */
    uint64_t right;
    uint64_t same_line; /* wrong, but on the same line */
    uint64_t wrong;
    uint64_t of[REASON_COUNT];
};

static struct {
    struct sampler *sampler;
    struct resolver *resolver;
    struct decoder *decoder;
    uint64_t samples;
    uint64_t of[REASON_COUNT];
    struct hash index;
    struct met met[MET_MAX];
    size_t count;
    struct hash ips;
    struct stepped stepped[MET_MAX];
    size_t ip_count;
} run;

static bool segment(void *context, uint32_t tid, enum decode_segment which, uint64_t *base)
{
    return resolver_segment(context, tid, which == DECODE_GS, base);
}

static void count_unattributed(uint64_t ip, enum reason reason)
{
    bool created = false;
    uint32_t *slot = run.count < MET_MAX ? hash_insert(&run.index, hash_mix(ip) + reason, &created)
                                         : hash_find(&run.index, hash_mix(ip) + reason);
    if (slot && created) {
        *slot = (uint32_t)run.count;
        run.met[run.count++] = (struct met){.ip = ip, .reason = reason};
    }
    if (slot)
        run.met[*slot].count++;
}

static struct stepped *stepped_at(uint64_t ip)
{
    bool created = false;
    uint32_t *slot =
        run.ip_count < MET_MAX ? hash_insert(&run.ips, ip, &created) : hash_find(&run.ips, ip);
    if (slot && created) {
        *slot = (uint32_t)run.ip_count;
        run.stepped[run.ip_count++] = (struct stepped){.ip = ip};
    }
    return slot ? &run.stepped[*slot] : NULL;
}

static void take(void *context, const struct record *record)
{
    struct access access;
    struct place place;
    (void)context;
    if (record->kind != RECORD_SAMPLE) {
        resolver_record(run.resolver, record);
        return;
    }
    const struct sample *sample = &record->sample;
    decoder_decode(run.decoder, sample, &access);
    resolver_resolve(run.resolver, &access, sample->has & SAMPLE_HAS_REGS ? sample->regs : NULL,
                     &place);
    /* Kernel samples are not samples of the program's data. */
    if (place.access.reason == REASON_KERNEL)
        return;
    run.samples++;
    run.of[place.access.reason]++;
    struct stepped *stepped = stepped_at(sample->ip);
    if (stepped)
        stepped->samples++;
    if (place.access.reason != REASON_NONE)
        count_unattributed(sample->ip, place.access.reason);
}

static int open_all(pid_t pid, struct error *error)
{
    struct sampler_options sampling = {.pid = pid, .source = "clock", .rate = 4000};
    struct resolver_options naming = {.pid = pid, .live = true, .walk = true};
    int code = sampler_open(&run.sampler, &sampling, error);
    if (!code)
        code = resolver_open(&run.resolver, &naming, error);
    struct decode_target target = {.context = run.resolver,
                                   .code = resolver_code,
                                   .function = resolver_function_bounds,
                                   .memory = resolver_memory,
                                   .segment = segment,
                                   .mapped = resolver_mapped};
    run.decoder = code ? NULL : decoder_new(&target);
    return code || run.decoder ? code : error_set(error, -1, "no decoder");
}

static int more_often(const void *a, const void *b)
{
    const struct met *x = a;
    const struct met *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static double percent(uint64_t count)
{
    return run.samples ? 100 * (double)count / (double)run.samples : 0;
}

static void print_reasons(const char *name)
{
    bool printed[REASON_COUNT] = {[REASON_NONE] = true, [REASON_KERNEL] = true};
    printf("%-14s %6llu samples, %5.1f %% attributed;", name, (unsigned long long)run.samples,
           percent(run.of[REASON_NONE]));
    for (;;) {
        int best = -1;
        for (int i = 0; i < REASON_COUNT; i++)
            if (!printed[i] && run.of[i] && (best < 0 || run.of[i] > run.of[best]))
                best = i;
        if (best < 0)
            break;
        printed[best] = true;
        printf(" %s %.1f", access_reason_name((enum reason)best), percent(run.of[best]));
    }
    putchar('\n');
}

static void print_instruction(const struct met *met)
{
    struct insn *insns;
    size_t count = 0;
    size_t at = 0;
    const char *function, *module, *file;
    uint32_t line;
    char text[128];
    bool known = resolver_name_address(run.resolver, met->ip, &function, &module, &file, &line);
    printf("  %5.2f %%  %-14s %s (%s)\n", percent(met->count), access_reason_name(met->reason),
           known ? function : "?", known ? module : "?");
    if (!decoder_function(run.decoder, met->ip, &insns, &count))
        return;
    while (at < count && insns[at].address < met->ip)
        at++;
    for (size_t i = at > BEFORE ? at - BEFORE : 0; i <= at && i < count; i++)
        if (decoder_text(run.decoder, insns[i].address, text, sizeof text))
            printf("           %c%c 0x%llx %s\n", insns[i].is_target ? '>' : ' ',
                   i == at ? '*' : ' ', (unsigned long long)insns[i].address, text);
    free(insns);
}

static void fill_sample(struct sample *sample, const struct user_regs_struct *regs, pid_t pid,
                        bool exact)
{
    const uint64_t values[SREG_COUNT] = {regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi,
                                         regs->rdi, regs->rbp, regs->rsp, regs->rip, regs->eflags,
                                         regs->r8,  regs->r9,  regs->r10, regs->r11, regs->r12,
                                         regs->r13, regs->r14, regs->r15};
    *sample = (struct sample){.ip = regs->rip,
                              .weight = 1,
                              .mode = SAMPLE_USER,
                              .pid = (uint32_t)pid,
                              .tid = (uint32_t)pid};
    memcpy(sample->regs, values, sizeof values);
    sample->has = (uint16_t)(SAMPLE_HAS_REGS | (exact ? SAMPLE_HAS_EXACT_IP : 0));
}

enum { LAST_STEPS = 8, LINE = 64 };

static void judge(const struct sample *sample, uint64_t truth)
{
    struct access found;
    struct stepped *stepped = stepped_at(sample->ip);
    decoder_decode(run.decoder, sample, &found);
    if (!stepped)
        return;
    stepped->steps++;
    stepped->of[found.reason]++;
    if (found.reason)
        return;
    bool right = found.address == truth;
    bool near = found.address / LINE == truth / LINE;
    stepped->right += right;
    stepped->same_line += !right && near;
    stepped->wrong += !right && !near;
    if (!right && !near && getenv("WRONG")) {
        char text[128] = "?";
        decoder_text(run.decoder, found.ip, text, sizeof text);
        printf("wrong at %llx: %llx %s -> %llx (%s), was %llx\n", (unsigned long long)sample->ip,
               (unsigned long long)found.ip, text, (unsigned long long)found.address,
               access_how_name(found.how), (unsigned long long)truth);
    }
}

/* A sample that is decoded after the program has continued. */
struct late {
    struct sample sample;
    uint64_t truth;
    unsigned char stack[512];
    bool filled;
};

static void judge_late(struct late *late)
{
    if (late->filled)
        judge(&late->sample, late->truth);
    late->filled = false;
}

static void keep(struct late *late, const struct sample *sample, uint64_t truth)
{
    late->sample = *sample;
    late->truth = truth;
    late->sample.stack = late->stack;
    late->sample.stack_bytes = sizeof late->stack;
    late->filled =
        resolver_memory(run.resolver, sample->regs[SREG_SP], late->stack, sizeof late->stack);
}

static void step_through(pid_t pid, long steps)
{
    long delay = getenv("LATE") ? atol(getenv("LATE")) : 1;
    struct late *queue = calloc((size_t)delay, sizeof *queue);
    struct user_regs_struct regs;
    struct sample sample;
    struct access access;
    uint64_t truth = 0;
    long age = LAST_STEPS;
    int status;
    if (!queue || ptrace(PTRACE_ATTACH, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid)
        return;
    for (long i = 0; i < steps; i++) {
        judge_late(&queue[i % delay]);
        if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
            break;
        fill_sample(&sample, &regs, pid, true);
        decoder_decode(run.decoder, &sample, &access);
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid ||
            !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, NULL, &regs))
            break;
        age++;
        if (access.reason == REASON_NONE) {
            truth = access.address;
            age = 0;
        } else if (access.reason != REASON_NO_MEMORY) {
            age = LAST_STEPS; /* not known */
        }
        fill_sample(&sample, &regs, pid, false);
        if (age < LAST_STEPS && regs.rip != access.ip)
            keep(&queue[i % delay], &sample, truth);
    }
    free(queue);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void print_stepped(void)
{
    double all = 0;
    double right = 0, line = 0, wrong = 0;
    double of[REASON_COUNT] = {0};
    for (size_t i = 0; i < run.ip_count; i++) {
        const struct stepped *one = &run.stepped[i];
        if (!one->steps)
            continue;
        double part = (double)one->samples / (double)one->steps;
        all += (double)one->samples;
        right += part * (double)one->right;
        line += part * (double)one->same_line;
        wrong += part * (double)one->wrong;
        for (int k = 1; k < REASON_COUNT; k++)
            of[k] += part * (double)one->of[k];
    }
    printf("  stepped: IPs of %.1f %% of the samples; of these right %.1f, another address of the "
           "line %.2f, wrong %.2f",
           percent((uint64_t)all), 100 * right / all, 100 * line / all, 100 * wrong / all);
    for (int k = 1; k < REASON_COUNT; k++)
        if (of[k] >= all / 1000)
            printf(", %s %.2f", access_reason_name((enum reason)k), 100 * of[k] / all);
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct error error = {0};
    double seconds = argc > 3 ? atof(argv[3]) : 5;
    size_t shown = argc > 4 ? (size_t)atol(argv[4]) : 0;
    if (argc < 3 || open_all((pid_t)atoi(argv[2]), &error)) {
        fprintf(stderr, "bench_unattributed: %s\n", error.text[0] ? error.text : "NAME PID");
        return 1;
    }
    sampler_enable(run.sampler, true);
    uint64_t end_ns = clock_now_ns() + (uint64_t)(seconds * CLOCK_NS_PER_S);
    uint64_t tick_ns = 0;
    while (clock_now_ns() < end_ns) {
        struct pollfd ready = {.fd = sampler_fd(run.sampler), .events = POLLIN};
        poll(&ready, 1, READ_MS);
        uint64_t now_ns = clock_now_ns();
        sampler_read(run.sampler, now_ns - SAMPLER_SETTLES_NS, take, NULL);
        resolver_settle(run.resolver, now_ns);
        if (now_ns < tick_ns)
            continue;
        resolver_tick(run.resolver, now_ns);
        tick_ns = now_ns + CLOCK_NS_PER_S;
        if (sampler_tick(run.sampler, now_ns))
            break;
    }
    print_reasons(argv[1]);
    qsort(run.met, run.count, sizeof *run.met, more_often);
    for (size_t i = 0; i < shown && i < run.count; i++)
        print_instruction(&run.met[i]);
    if (argc > 5) {
        step_through((pid_t)atoi(argv[2]), atol(argv[5]));
        print_stepped();
    }
    hash_fini(&run.ips);
    decoder_free(run.decoder);
    resolver_close(run.resolver);
    sampler_close(run.sampler);
    hash_fini(&run.index);
    return 0;
}
