/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which lines are watched and how each watch ends, with fake registers and a fake clock; and the
 * budget. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/kernel.h"
#include "sample/perf/watch.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"

#define MS UINT64_C(1000000)

enum { TRAP_NS = 2000, ARM_NS = 1000 };

/* Fake registers of the kernel, and how often they were set. */
static struct {
    uint64_t address[WATCH_SLOTS]; /* 0: off */
    uint64_t now_ns;
    uint64_t ran_ns; /* since any register was armed */
    uint64_t ip;     /* of the touching instruction */
    unsigned armings;
    int refuse; /* negative errno */
} machine;

static struct watch_lines lines;
static struct watch_budget budget;

static double arm(void *context, unsigned slot, uint64_t address, uint64_t *from_ns)
{
    (void)context;
    assert_true(slot < WATCH_SLOTS);
    if (machine.refuse)
        return machine.refuse;
    machine.address[slot] = address;
    machine.armings++;
    *from_ns = machine.now_ns;
    return ARM_NS;
}

static double disarm(void *context, unsigned slot, uint32_t tid, uint64_t *ran_ns)
{
    (void)context;
    (void)tid;
    *ran_ns = machine.ran_ns;
    machine.address[slot] = 0;
    return 0;
}

static uint64_t now_ns(void *context)
{
    (void)context;
    return machine.now_ns;
}

static void begin(unsigned slots, double part)
{
    const struct watch_operations arms = {NULL, arm, disarm, now_ns};
    memset(&machine, 0, sizeof machine);
    machine.now_ns = 1000 * MS;
    machine.ip = 0x1000;
    watch_budget_init(&budget, part);
    watch_lines_init(&lines, &arms, slots, &budget, TRAP_NS, 42);
    /* The first refill starts the account, the second fills it. */
    watch_budget_refill(&budget, 0, 0);
    watch_budget_refill(&budget, 1000 * MS, 1000 * MS);
}

static void offer_sample(uint64_t address, uint32_t object)
{
    struct watch_offer offered = {
        .address = address, .base = address, .time_ns = machine.now_ns, .object = object, .tid = 1};
    watch_lines_offer(&lines, &offered);
}

/* The target touches a word: reported if a register watches it, which is then disarmed. */
static bool touch_by(uint64_t address, uint32_t tid)
{
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        if (machine.address[slot] == address) {
            struct watch_touch touch = {address, machine.now_ns, machine.ip, machine.ran_ns, tid};
            machine.address[slot] = 0;
            watch_lines_touch(&lines, &touch);
            return true;
        }
    return false;
}

static void pass_time(uint64_t ns)
{
    machine.now_ns += ns;
    watch_budget_refill(&budget, machine.now_ns, machine.now_ns);
    watch_lines_step(&lines);
}

static size_t take_results(struct watch_result out[WATCH_RESULTS])
{
    return watch_lines_results(&lines, machine.now_ns, out, WATCH_RESULTS);
}

static unsigned count_armed(void)
{
    unsigned count = 0;
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        count += machine.address[slot] != 0;
    return count;
}

/* ---- a complete watch ---- */

static void watch_measures_two_legs_and_a_visit(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(2, 1);
    offer_sample(0x10048, 7);
    pass_time(2 * MS);
    assert_int_equal(count_armed(), 2);
    assert_int_equal(machine.address[0], 0x10048);
    uint64_t other = machine.address[1];
    assert_true(other / 64 == 0x10048 / 64 && other != 0x10048 && other % 8 == 0);
    pass_time(10 * MS);
    assert_true(touch_by(0x10048, 1));
    assert_int_equal(machine.address[0], 0x10048); /* the second leg starts at once */
    machine.now_ns += MS / 2;
    assert_true(touch_by(other, 1));
    pass_time(5 * MS);
    assert_true(touch_by(0x10048, 9));
    pass_time(MS);
    assert_int_equal(count_armed(), 0);
    assert_int_equal(take_results(out), 3);
    assert_int_equal(out[0].kind, WATCH_FIRST);
    assert_int_equal(out[0].end, WATCH_TOUCHED);
    assert_int_equal(out[0].object, 7);
    assert_int_equal(out[0].armed_ns - out[0].origin_ns, 2 * MS);
    assert_int_equal(out[0].end_ns - out[0].armed_ns, 10 * MS);
    assert_int_equal(out[1].kind, WATCH_VISIT);
    assert_int_equal(out[1].end, WATCH_TOUCHED);
    assert_int_equal(out[2].kind, WATCH_AGAIN);
    assert_int_equal(out[2].origin_ns, out[0].end_ns);
    assert_int_equal(out[2].end_ns - out[2].origin_ns, 5 * MS + MS / 2);
    assert_int_equal(out[2].toucher_tid, 9);
}

static void untouched_word_gives_an_expired_visit(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(2, 1);
    offer_sample(0x10048, 7);
    pass_time(MS);
    assert_true(touch_by(0x10048, 1));
    pass_time(WATCH_VISIT_NS);
    assert_int_equal(machine.address[1], 0); /* no longer waited for */
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[1].kind, WATCH_VISIT);
    assert_int_equal(out[1].end, WATCH_EXPIRED);
}

/* The other word was touched in an earlier visit: the visit in question has no result. */
static void touch_in_an_earlier_visit_gives_no_result(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(2, 1);
    offer_sample(0x10048, 7);
    pass_time(MS);
    assert_true(touch_by(machine.address[1], 1));
    pass_time(10 * MS);
    assert_true(touch_by(0x10048, 1));
    pass_time(2 * MS);
    assert_int_equal(take_results(out), 1);
    assert_int_equal(out[0].kind, WATCH_FIRST);
}

static void untouched_watch_expires(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(4, 1);
    offer_sample(0x10000, 1);
    pass_time(0);
    pass_time(WATCH_ENOUGH_NS - 1);
    assert_int_equal(count_armed(), 2);
    pass_time(1);
    assert_int_equal(count_armed(), 0);
    assert_int_equal(take_results(out), 1);
    assert_int_equal(out[0].end, WATCH_EXPIRED);
    assert_int_equal(out[0].end_ns - out[0].armed_ns, WATCH_ENOUGH_NS);
}

/* The time that the target ran counts, up to a limit. */
static void watch_of_idle_target_expires_later(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(4, 1);
    offer_sample(0x10000, 1);
    pass_time(0);
    machine.now_ns += WATCH_LONGEST_NS - 1;
    watch_budget_refill(&budget, budget.cpu_ns + WATCH_ENOUGH_NS - 1, machine.now_ns);
    watch_lines_step(&lines);
    assert_int_equal(count_armed(), 2);
    machine.now_ns++;
    watch_lines_step(&lines);
    assert_int_equal(take_results(out), 1);
    assert_int_equal(out[0].end_ns - out[0].armed_ns, WATCH_LONGEST_NS);
}

/* Touches by an instruction, within the shortest observable time. */
static void touch_at(uint64_t ip)
{
    machine.now_ns += ARM_NS;
    machine.ip = ip;
    assert_true(touch_by(0x10048, 1));
}

/* A load, and soon after the store of the sum, are one visit; the next visit is measured. */
static void several_touches_form_one_visit(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    offer_sample(0x10048, 7);
    pass_time(10 * MS);
    touch_at(0x1000);
    touch_at(0x1004);
    touch_at(0x1008);
    uint64_t left_ns = machine.now_ns;
    pass_time(20 * MS);
    touch_at(0x1000);
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[1].kind, WATCH_AGAIN);
    assert_int_equal(out[1].origin_ns, left_ns);
    assert_int_equal(out[1].end_ns - out[1].origin_ns, 20 * MS + ARM_NS);
}

/* An instruction that repeats, another thread, or more instructions than are distinguished: each is
 * a reuse. */
static void repeated_instruction_or_other_thread_is_reuse(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    offer_sample(0x10048, 7);
    pass_time(10 * MS);
    touch_at(0x1000);
    touch_at(0x1004);
    touch_at(0x1000);
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[1].end_ns - out[1].origin_ns, ARM_NS);
    pass_time(2 * MS);
    offer_sample(0x10048, 7);
    pass_time(10 * MS);
    touch_at(0x1000);
    machine.now_ns += ARM_NS;
    machine.ip = 0x1004;
    touch_by(0x10048, 2);
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[1].toucher_tid, 2);
    pass_time(2 * MS);
    offer_sample(0x10048, 7);
    pass_time(10 * MS);
    for (uint64_t i = 0; i <= WATCH_CODES; i++)
        touch_at(0x1000 + i);
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[1].end_ns - out[1].origin_ns, ARM_NS);
}

/* It ran for 3 of 10 ms; another thread's run time does not show that. */
static void time_off_cpu_is_reported(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    machine.ran_ns = 3 * MS;
    offer_sample(0x10000, 1);
    pass_time(0);
    pass_time(10 * MS);
    assert_true(touch_by(0x10000, 1));
    pass_time(10 * MS);
    assert_true(touch_by(0x10000, 2));
    pass_time(2 * MS);
    offer_sample(0x20000, 1);
    pass_time(0);
    pass_time(10 * MS);
    watch_lines_drop(&lines);
    assert_int_equal(take_results(out), 3);
    assert_int_equal(out[0].off_cpu_ns, 7 * MS);
    assert_int_equal(out[1].off_cpu_ns, 0);
    assert_int_equal(out[2].off_cpu_ns, 7 * MS);
}

static void watch_results_wait_for_their_samples(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    offer_sample(0x10000, 1);
    pass_time(MS);
    assert_true(touch_by(0x10000, 1));
    assert_int_equal(watch_lines_results(&lines, machine.now_ns - 1, out, WATCH_RESULTS), 0);
    assert_int_equal(watch_lines_results(&lines, machine.now_ns, out, WATCH_RESULTS), 1);
}

/* ---- error cases ---- */

/* A record from before the watch was armed, of a register on the same word. */
static void stale_touches_are_ignored(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    offer_sample(0x10000, 1);
    pass_time(MS);
    struct watch_touch early_touch = {0x10000, machine.now_ns - 1, 0x1000, 0, 1};
    struct watch_touch stale_touch = {0x20000, machine.now_ns, 0x1000, 0, 1};
    watch_lines_touch(&lines, &early_touch);
    watch_lines_touch(&lines, &stale_touch);
    assert_int_equal(take_results(out), 0);
    assert_int_equal(count_armed(), 1);
}

static void exec_drops_all_watches(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(4, 1);
    offer_sample(0x10000, 1);
    offer_sample(0x20000, 1);
    pass_time(MS);
    watch_lines_drop(&lines);
    assert_int_equal(count_armed(), 0);
    assert_int_equal(take_results(out), 2);
    assert_int_equal(out[0].end, WATCH_DROPPED);
}

static void refused_watch_leaves_no_state(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(4, 1);
    machine.refuse = -ENOSPC;
    offer_sample(0x10000, 1);
    pass_time(MS);
    assert_int_equal(lines.arm_error, -ENOSPC);
    assert_int_equal(take_results(out), 0);
    machine.refuse = 0;
    offer_sample(0x10000, 1);
    pass_time(MS);
    assert_int_equal(count_armed(), 2);
}

static void each_line_is_watched_once(void **state)
{
    (void)state;
    begin(4, 1);
    for (uint64_t i = 0; i < 8; i++)
        offer_sample(0x10000 + i * 8, 1);
    pass_time(MS);
    assert_int_equal(count_armed(), 2);
}

static void watching_works_with_one_register(void **state)
{
    struct watch_result out[WATCH_RESULTS];
    (void)state;
    begin(1, 1);
    offer_sample(0x10000, 1);
    pass_time(MS);
    assert_int_equal(count_armed(), 1);
    assert_true(touch_by(0x10000, 1));
    pass_time(2 * MS);
    assert_int_equal(take_results(out), 1); /* and no visit: no register is free for it */
    assert_int_equal(count_armed(), 1);
}

/* ---- choice of samples ---- */

/* 200 samples without a touch: each is equally likely to be watched at the end. */
static void every_sample_is_equally_likely_watched(void **state)
{
    enum { ROUNDS = 4000, SAMPLES = 200, PARTS = 4 };
    unsigned kept[PARTS] = {0};
    unsigned all = 0;
    (void)state;
    begin(1, 1);
    for (int round = 0; round < ROUNDS; round++) {
        watch_lines_drop(&lines);
        for (uint64_t i = 0; i < SAMPLES; i++) {
            offer_sample((i + 1) * 64, 1);
            pass_time(10000);
        }
        for (unsigned slot = 0; slot < 1; slot++)
            kept[(machine.address[slot] / 64 - 1) * PARTS / SAMPLES]++;
        all++;
    }
    /* Four standard deviations for a probability of 1/4 and 4000 trials. */
    for (int i = 0; i < PARTS; i++)
        assert_in_range(kept[i], all / PARTS - 110, all / PARTS + 110);
}

/* ---- the budget ---- */

/* A line that is touched as soon as it is watched, offered all the time, for ten seconds of CPU
 * time. */
static double spent_on_a_hot_line(double part)
{
    begin(4, part);
    double before = budget.spent_ns;
    for (int i = 0; i < 10000; i++) {
        offer_sample(0x10000, 1);
        pass_time(MS);
        while (touch_by(0x10000, 1))
            machine.now_ns += 100;
    }
    return (budget.spent_ns - before) / 1e10;
}

static void watch_overhead_stays_within_budget(void **state)
{
    static const double parts[] = {0.0005, 0.002};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double spent = spent_on_a_hot_line(parts[i]);
        printf("  hot line, budget %g%%: %.3f%% of the time spent\n", parts[i] * 100, spent * 100);
        /* Earlier savings may be spent once, and the last watch may overdraw. */
        assert_true(spent > parts[i] * 0.9 && spent < parts[i] * 1.06);
    }
}

static void idle_target_gets_no_watch(void **state)
{
    (void)state;
    begin(4, 0.01);
    budget.tokens_ns = 0;
    offer_sample(0x10000, 1);
    machine.now_ns += MS;
    watch_budget_refill(&budget, budget.cpu_ns, machine.now_ns);
    watch_lines_step(&lines);
    assert_int_equal(count_armed(), 0);
    assert_int_equal(lines.over_budget, 1);
}

/* A target with 100 threads earns no more than the share of one CPU. */
static void budget_is_limited_to_one_cpu(void **state)
{
    (void)state;
    watch_budget_init(&budget, 0.01);
    watch_budget_refill(&budget, 0, 0);
    assert_true(isnan(watch_budget_share(&budget)));
    watch_budget_refill(&budget, 10000 * MS, 100 * MS);
    assert_true(fabs(budget.granted_ns - 100e6) < 1);
    watch_budget_spend(&budget, 1e6);
    assert_true(fabs(watch_budget_share(&budget) - 0.01) < 1e-9);
}

static int run_watch_lines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watch_measures_two_legs_and_a_visit),
        cmocka_unit_test(untouched_word_gives_an_expired_visit),
        cmocka_unit_test(touch_in_an_earlier_visit_gives_no_result),
        cmocka_unit_test(untouched_watch_expires),
        cmocka_unit_test(watch_of_idle_target_expires_later),
        cmocka_unit_test(several_touches_form_one_visit),
        cmocka_unit_test(repeated_instruction_or_other_thread_is_reuse),
        cmocka_unit_test(time_off_cpu_is_reported),
        cmocka_unit_test(watch_results_wait_for_their_samples),
        cmocka_unit_test(stale_touches_are_ignored),
        cmocka_unit_test(exec_drops_all_watches),
        cmocka_unit_test(refused_watch_leaves_no_state),
        cmocka_unit_test(each_line_is_watched_once),
        cmocka_unit_test(watching_works_with_one_register),
        cmocka_unit_test(every_sample_is_equally_likely_watched),
        cmocka_unit_test(watch_overhead_stays_within_budget),
        cmocka_unit_test(idle_target_gets_no_watch),
        cmocka_unit_test(budget_is_limited_to_one_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Debug registers of a fake kernel: the requests, and the message if it refuses. With the running
 * kernel, a touch by the test itself; skipped by name if it refuses. */

static struct {
    int code; /* result for breakpoints; 0: they open */
    int most; /* open at the same time */
    int open;
    int kernel_too; /* number of requests including the kernel */
} answers;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                      unsigned long flags)
{
    (void)pid;
    (void)flags;
    assert_int_equal(cpu, -1);
    assert_int_equal(group_fd, -1);
    assert_false(attr->inherit);
    if (!attr->exclude_kernel)
        return answers.kernel_too++, -EACCES;
    if (attr->type != PERF_TYPE_BREAKPOINT)
        return fake_kernel_descriptor();
    assert_int_equal(attr->bp_type, HW_BREAKPOINT_RW);
    assert_int_equal(attr->bp_len, HW_BREAKPOINT_LEN_8);
    assert_int_equal(attr->sample_period, 1);
    assert_int_equal(attr->disabled, 1);
    if (answers.code)
        return answers.code;
    return answers.open++ < answers.most ? fake_kernel_descriptor() : -ENOSPC;
}

static int open_with(int code, int most, struct error *error)
{
    struct watch_registers registers;
    answers.code = code;
    answers.most = most;
    answers.open = 0;
    const struct kernel *kernel = fake_kernel_begin(open_event);
    fake_kernel_file("proc/sys/kernel/perf_event_paranoid", "3");
    int got = watch_registers_open(&registers, getpid(), kernel, error);
    watch_registers_close(&registers);
    fake_kernel_end();
    return got;
}

static void expect_refusal(int code, const char *cause, const char *remedy)
{
    struct error error = {0};
    assert_int_equal(open_with(code, 0, &error), code);
    if (!strstr(error.text, cause) || !strstr(error.text, remedy))
        fail_msg("error text '%s' lacks '%s' or '%s'", error.text, cause, remedy);
}

static void watch_errors_name_cause_and_remedy(void **state)
{
    (void)state;
    expect_refusal(-ENOSPC, "debug registers", "detach the debugger");
    expect_refusal(-EACCES, "perf_event_paranoid is 3", "kernel.perf_event_paranoid=2");
    expect_refusal(-EOPNOTSUPP, "refuses hardware breakpoints", "leave --watch out");
    expect_refusal(-ESRCH, "is gone", "process");
    /* Touches by the kernel are requested, and given up if refused. */
    assert_true(answers.kernel_too > 0);
}

/* Descriptors that are not events cannot be mapped: this must count as a failure, too. */
static void unmappable_watch_descriptors_are_refused(void **state)
{
    struct error error = {0};
    (void)state;
    assert_true(open_with(0, WATCH_SLOTS, &error) < 0);
    assert_true(error.text[0]);
}

static void watched_touch_is_reported_once(void **state)
{
    static _Alignas(64) volatile uint64_t word;
    struct watch_registers registers;
    struct error error = {0};
    const struct watch_touch *touches;
    uint64_t from_ns = 0;
    (void)state;
    if (watch_registers_open(&registers, getpid(), kernel_host(), &error)) {
        printf("  skipped: %s\n", error.text);
        skip();
    }
    printf("  %u debug registers; a touch takes %.0f ns, %.0f of them before it is recorded\n",
           registers.slots, registers.trap_ns, registers.entry_ns);
    watch_registers_follow(&registers);
    assert_int_equal(registers.thread_count, 1);
    double cost = watch_registers_arm(&registers, 0, (uint64_t)(uintptr_t)&word, &from_ns);
    assert_true(cost > 0);
    for (uint64_t i = 0; i < 1000; i++)
        word = i;
    assert_int_equal(watch_registers_read(&registers, &touches), 1);
    assert_int_equal(touches[0].address, (uintptr_t)&word);
    assert_int_equal(touches[0].tid, getpid());
    assert_true(touches[0].ran_ns < 1000000000);
    assert_true(touches[0].ip > 0 && touches[0].time_ns <= clock_now_ns());
    assert_int_equal(watch_registers_read(&registers, &touches), 0);
    assert_true(watch_registers_cpu_ns(&registers) > 0);
    /* And again, after the event has switched itself off. */
    assert_true(watch_registers_arm(&registers, 0, (uint64_t)(uintptr_t)&word, &from_ns) > 0);
    word = 1;
    assert_int_equal(watch_registers_read(&registers, &touches), 1);
    uint64_t ran_ns = 0;
    watch_registers_disarm(&registers, 0, (uint32_t)getpid(), &ran_ns);
    assert_true(ran_ns > 0);
    word = 2;
    assert_int_equal(watch_registers_read(&registers, &touches), 0);
    watch_registers_close(&registers);
}

static int run_watch_registers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watch_errors_name_cause_and_remedy),
        cmocka_unit_test(unmappable_watch_descriptors_are_refused),
        cmocka_unit_test(watched_touch_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_watch_lines();
    failed += run_watch_registers();
    return failed;
}
