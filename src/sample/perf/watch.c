/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "sample/kernel.h"

static bool watch_event_next(struct ring *ring, struct watch_touch *touch);

enum { CALIBRATION_ROUNDS = 15 };

/* Address 0: a dummy event, which only holds a ring. Returns a descriptor or -errno. */
static int watch_event_open(const struct watch_registers *registers, pid_t tid, uint64_t address)
{
    struct perf_event_attr attr = {.type = address ? PERF_TYPE_BREAKPOINT : PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = address ? 0 : PERF_COUNT_SW_DUMMY,
                                   .sample_period = 1,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                                                  PERF_SAMPLE_READ,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
                                   .disabled = 1,
                                   .exclude_kernel = !registers->counts_kernel,
                                   .exclude_hv = 1,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC,
                                   .wakeup_events = 1};
    if (address) {
        attr.bp_type = HW_BREAKPOINT_RW;
        attr.bp_addr = address;
        attr.bp_len = HW_BREAKPOINT_LEN_8;
    }
    return registers->kernel->perf_event_open(&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Reports one touch to another event's ring. *from_ns: about when it is armed. 0 or -errno. */
static int watch_event_arm(int fd, int ring_fd, uint64_t *from_ns)
{
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd))
        return -errno;
    if (ioctl(fd, PERF_EVENT_IOC_REFRESH, 1))
        return -errno;
    /* The call interrupts the thread's CPU shortly before it returns. */
    *from_ns = clock_now_ns();
    return 0;
}

/* ---- cost of a trap ---- */

/* Time of one touch: until it is recorded, and until the event is switched off. */
struct trap_cost {
    double entry_ns;
    double all_ns;
};

/* Touches a word of our own once and measures the trap. Returns 0 or -errno. */
static int measure_trap(const struct watch_registers *registers, int ring_fd, struct ring *ring,
                        volatile uint64_t *word, struct trap_cost *trap)
{
    uint64_t from_ns;
    struct watch_touch touch = {.time_ns = 0};
    int fd = watch_event_open(registers, 0, (uint64_t)(uintptr_t)word);
    int code = fd < 0 ? fd : watch_event_arm(fd, ring_fd, &from_ns);
    uint64_t start_ns = clock_now_ns();
    *word = start_ns;
    uint64_t between_ns = clock_now_ns();
    *word = between_ns;
    /* The second touch does not trap: its time is the overhead of the clock. */
    trap->all_ns = (double)(between_ns - start_ns) - (double)(clock_now_ns() - between_ns);
    if (!code && !watch_event_next(ring, &touch))
        code = -ENODATA;
    trap->entry_ns = (double)touch.time_ns - (double)start_ns;
    if (fd >= 0)
        close(fd);
    return code;
}

/* Takes the medians of several touches. Returns 0 or -errno. */
static int measure_traps(struct watch_registers *registers, int ring_fd, struct ring *ring)
{
    static _Alignas(WATCH_LINE_BYTES) volatile uint64_t word;
    struct trap_cost traps[CALIBRATION_ROUNDS];
    for (int i = 0; i < CALIBRATION_ROUNDS; i++) {
        int code = measure_trap(registers, ring_fd, ring, &word, &traps[i]);
        if (code)
            return code;
    }
    SORT_BY(traps, CALIBRATION_ROUNDS, entry_ns);
    registers->entry_ns = traps[CALIBRATION_ROUNDS / 2].entry_ns;
    SORT_BY(traps, CALIBRATION_ROUNDS, all_ns);
    registers->trap_ns = traps[CALIBRATION_ROUNDS / 2].all_ns;
    return 0;
}

static int calibrate_registers(struct watch_registers *registers)
{
    struct ring ring = {.memory = NULL};
    int ring_fd = watch_event_open(registers, 0, 0);
    int code = ring_fd < 0 ? ring_fd : ring_open(&ring, ring_fd, (size_t)sysconf(_SC_PAGESIZE));
    if (!code)
        code = measure_traps(registers, ring_fd, &ring);
    ring_close(&ring);
    if (ring_fd >= 0)
        close(ring_fd);
    registers->arm_ns = registers->trap_ns;
    return code;
}

/* ---- number of free registers ---- */

static int count_free(struct watch_registers *registers)
{
    int fds[WATCH_SLOTS];
    int code = 0;
    /* Any address in user space will do, because the event is never enabled. */
    for (registers->slots = 0; registers->slots < WATCH_SLOTS; registers->slots++) {
        code = watch_event_open(registers, registers->pid, 4096);
        if (code < 0)
            break;
        fds[registers->slots] = code;
    }
    for (unsigned i = 0; i < registers->slots; i++)
        close(fds[i]);
    return registers->slots ? 0 : code;
}

static int explain_watch_failure(const struct watch_registers *registers, int code,
                                 struct error *error)
{
    long paranoid = kernel_number(registers->kernel->procfs, "sys/kernel/perf_event_paranoid", 2);
    switch (-code) {
    case ENOSPC:
    case EBUSY:
        return error_set(error, code,
                         "--watch: all debug registers of process %d are taken: detach the "
                         "debugger or other tool that watches its memory, or leave --watch out",
                         (int)registers->pid);
    case EACCES:
    case EPERM:
        return error_set(error, code,
                         "--watch: permission denied (perf_event_paranoid is %ld): watch your own "
                         "process, sudo sysctl kernel.perf_event_paranoid=2, or leave --watch out",
                         paranoid);
    case ENODATA:
        return error_set(error, code,
                         "--watch: hardware breakpoints are accepted here, but never report: the "
                         "virtual machine does not pass them on; leave --watch out");
    case ESRCH:
        return error_set(error, code, "--watch: process %d is gone", (int)registers->pid);
    default:
        return error_set(error, code,
                         "--watch: the kernel refuses hardware breakpoints here (%s), as some "
                         "virtual machines and sandboxes do; leave --watch out",
                         strerror(-code));
    }
}

int watch_registers_open(struct watch_registers *registers, pid_t pid, const struct kernel *kernel,
                         struct error *error)
{
    *registers = (struct watch_registers){
        .kernel = kernel, .pid = pid, .counts_kernel = true, .epoll_fd = -1};
    /* A trap in the kernel costs the same, and recurs if it is not reported. */
    int code = count_free(registers);
    if (code == -EACCES || code == -EPERM) {
        registers->counts_kernel = false;
        code = count_free(registers);
    }
    if (!code)
        code = calibrate_registers(registers);
    return code ? explain_watch_failure(registers, code, error) : 0;
}

/* include/uapi/linux/perf_event.h, with the fields that watch_event_open() requests. */
struct touch_record {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t address;
    uint64_t touches;
    uint64_t ran_ns; /* clock of a thread's events; stops while the thread is off CPU */
};

void watch_registers_close(struct watch_registers *registers)
{
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        watch_registers_disarm(registers, slot, 0, NULL);
    for (size_t i = 0; i < registers->thread_count; i++) {
        ring_close(&registers->threads[i].ring);
        close(registers->threads[i].ring_fd);
    }
    if (registers->epoll_fd >= 0)
        close(registers->epoll_fd);
    free(registers->threads);
    free(registers->touches);
    *registers = (struct watch_registers){.epoll_fd = -1};
}

/* ---- threads ---- */

static bool has_room(struct watch_registers *registers)
{
    if (registers->epoll_fd < 0)
        registers->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (!registers->threads)
        registers->threads = calloc(WATCH_THREADS_MAX, sizeof *registers->threads);
    return registers->epoll_fd >= 0 && registers->threads &&
           registers->thread_count < WATCH_THREADS_MAX;
}

static int open_ring(struct watch_registers *registers, struct watch_thread *thread)
{
    /* Edge-triggered: otherwise a thread that has ended would report its hang-up forever. */
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
    int code = ring_open(&thread->ring, thread->ring_fd, (size_t)sysconf(_SC_PAGESIZE));
    if (!code && epoll_ctl(registers->epoll_fd, EPOLL_CTL_ADD, thread->ring_fd, &wanted))
        code = -errno;
    if (code)
        ring_close(&thread->ring);
    return code;
}

static int add_thread(struct watch_registers *registers, pid_t tid)
{
    if (!has_room(registers))
        return -ENOSPC;
    struct watch_thread *thread = &registers->threads[registers->thread_count];
    *thread = (struct watch_thread){.tid = tid};
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        thread->fds[slot] = -1;
    thread->ring_fd = watch_event_open(registers, tid, 0);
    if (thread->ring_fd < 0)
        return thread->ring_fd;
    int code = open_ring(registers, thread);
    if (code)
        close(thread->ring_fd);
    else
        registers->thread_count++;
    return code;
}

static void drop_thread(struct watch_registers *registers, size_t index)
{
    struct watch_thread *thread = &registers->threads[index];
    for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
        if (thread->fds[slot] >= 0)
            close(thread->fds[slot]);
    ring_close(&thread->ring);
    close(thread->ring_fd);
    *thread = registers->threads[--registers->thread_count];
}

static bool has_watch_thread(const struct watch_registers *registers, pid_t tid)
{
    for (size_t i = 0; i < registers->thread_count; i++)
        if (registers->threads[i].tid == tid)
            return true;
    return false;
}

/* Adds a sampled thread at once if it is new. */
static void watch_registers_add_thread(struct watch_registers *registers, pid_t tid)
{
    if (!has_watch_thread(registers, tid) && registers->thread_count < WATCH_THREADS_MAX)
        add_thread(registers, tid);
}

void watch_registers_follow(struct watch_registers *registers)
{
    struct threads threads = {0};
    if (threads_read(&threads, registers->kernel, registers->pid)) {
        threads_fini(&threads);
        return;
    }
    for (size_t i = registers->thread_count; i-- > 0;)
        if (!threads_has(&threads, registers->threads[i].tid))
            drop_thread(registers, i);
    registers->threads_left_out = 0;
    for (size_t i = 0; i < threads.count; i++)
        if (!has_watch_thread(registers, threads.tids[i])) {
            int code = add_thread(registers, threads.tids[i]);
            registers->threads_left_out += code && code != -ESRCH;
        }
    threads_fini(&threads);
}

/* ---- arming ---- */

static int arm_thread(struct watch_registers *registers, struct watch_thread *thread, unsigned slot,
                      uint64_t address, uint64_t *from_ns)
{
    int fd = watch_event_open(registers, thread->tid, address);
    int code = fd < 0 ? fd : watch_event_arm(fd, thread->ring_fd, from_ns);
    if (code && fd >= 0)
        close(fd);
    thread->fds[slot] = code ? -1 : fd;
    return code;
}

/* Limits outliers: an arming that was preempted took longer, but did not cost the target more. */
static double typical_arm_ns(struct watch_registers *registers, double took_ns)
{
    enum { OUTLIER = 4, MEMORY = 32 };
    double most = registers->arm_ns * OUTLIER;
    registers->arm_ns += ((took_ns < most ? took_ns : most) - registers->arm_ns) / MEMORY;
    return took_ns < most ? took_ns : registers->arm_ns;
}

double watch_registers_arm(struct watch_registers *registers, unsigned slot, uint64_t address,
                           uint64_t *from_ns)
{
    double cost = 0;
    uint64_t first_ns = 0;
    size_t armed = 0;
    int refused = -ESRCH;
    watch_registers_disarm(registers, slot, 0, NULL);
    registers->armed[slot] = address;
    for (size_t i = 0; i < registers->thread_count; i++) {
        uint64_t start_ns = clock_now_ns();
        int code = arm_thread(registers, &registers->threads[i], slot, address, from_ns);
        first_ns = !code && !armed ? *from_ns : first_ns;
        cost += typical_arm_ns(registers, (double)(clock_now_ns() - start_ns));
        armed += !code;
        if (code && code != -ESRCH)
            refused = code;
    }
    *from_ns = armed ? first_ns + (*from_ns - first_ns) / 2 : *from_ns;
    return armed ? cost : refused;
}

/* Reads the layout of read_format in watch_event_open(). */
static void read_running_time(int fd, uint64_t *ran_ns)
{
    uint64_t values[2];
    if (read(fd, values, sizeof values) == sizeof values)
        *ran_ns = values[1];
}

double watch_registers_disarm(struct watch_registers *registers, unsigned slot, uint32_t tid,
                              uint64_t *ran_ns)
{
    double cost = 0;
    for (size_t i = 0; i < registers->thread_count; i++) {
        int *fd = &registers->threads[i].fds[slot];
        if (*fd < 0)
            continue;
        if (ran_ns && registers->threads[i].tid == (pid_t)tid)
            read_running_time(*fd, ran_ns);
        uint64_t start_ns = clock_now_ns();
        close(*fd);
        *fd = -1;
        cost += typical_arm_ns(registers, (double)(clock_now_ns() - start_ns));
    }
    return cost;
}

/* ---- reading ---- */

static bool watch_event_next(struct ring *ring, struct watch_touch *touch)
{
    unsigned char bytes[256];
    struct touch_record record;
    long size;
    while ((size = ring_next(ring, bytes, sizeof bytes)) > 0) {
        memcpy(&record, bytes, sizeof record);
        if ((size_t)size != sizeof record || record.header.type != PERF_RECORD_SAMPLE)
            continue;
        *touch = (struct watch_touch){.address = record.address,
                                      .time_ns = record.time_ns,
                                      .ip = record.ip,
                                      .ran_ns = record.ran_ns,
                                      .tid = record.tid};
        return true;
    }
    ring_release(ring);
    return false;
}

/* The record is written late in the trap. */
static uint64_t time_before_trap(const struct watch_registers *registers, uint64_t recorded_ns)
{
    uint64_t entry_ns = registers->entry_ns > 0 ? (uint64_t)registers->entry_ns : 0;
    return recorded_ns > entry_ns ? recorded_ns - entry_ns : 0;
}

static void watch_registers_add_touch(struct watch_registers *registers, struct watch_touch touch,
                                      size_t *count)
{
    if (!array_reserve_next(&registers->touches, &registers->touch_room, *count,
                            sizeof *registers->touches, ARRAY_UNBOUNDED))
        return;
    touch.time_ns = time_before_trap(registers, touch.time_ns);
    touch.ran_ns = time_before_trap(registers, touch.ran_ns);
    registers->touches[(*count)++] = touch;
}

size_t watch_registers_read(struct watch_registers *registers, const struct watch_touch **touches)
{
    struct epoll_event ready[16];
    struct watch_touch touch;
    size_t count = 0;
    /* Clears the edge; the rings themselves show the available bytes. */
    while (registers->epoll_fd >= 0 && epoll_wait(registers->epoll_fd, ready, 16, 0) == 16)
        continue;
    for (size_t i = 0; i < registers->thread_count; i++)
        while (watch_event_next(&registers->threads[i].ring, &touch))
            watch_registers_add_touch(registers, touch, &count);
    SORT_BY(registers->touches, count, time_ns);
    *touches = registers->touches;
    return count;
}

uint64_t watch_registers_cpu_ns(const struct watch_registers *registers)
{
    struct timespec used;
    clockid_t clock;
    if (clock_getcpuclockid(registers->pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}

struct watch {
    struct watch_registers registers;
    struct watch_lines lines;
    struct watch_budget budget;
    int epoll_fd; /* of the registers and the sampler */
};

static double arm_register(void *context, unsigned slot, uint64_t address, uint64_t *from_ns)
{
    return watch_registers_arm(context, slot, address, from_ns);
}

static double disarm_register(void *context, unsigned slot, uint32_t tid, uint64_t *ran_ns)
{
    return watch_registers_disarm(context, slot, tid, ran_ns);
}

static uint64_t now_ns(void *context)
{
    (void)context;
    return clock_now_ns();
}

int watch_open(struct watch **out, pid_t pid, double part, struct error *error)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return error_set(error, -ENOMEM, "out of memory");
    int code = watch_registers_open(&watch->registers, pid, kernel_host(), error);
    if (code) {
        free(watch);
        return code;
    }
    struct watch_operations arms = {&watch->registers, arm_register, disarm_register, now_ns};
    watch->epoll_fd = -1;
    watch_budget_init(&watch->budget, part);
    watch_lines_init(&watch->lines, &arms, watch->registers.slots, &watch->budget,
                     watch->registers.trap_ns, clock_now_ns());
    watch_registers_follow(&watch->registers);
    *out = watch;
    return 0;
}

void watch_close(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->epoll_fd >= 0)
        close(watch->epoll_fd);
    watch_registers_close(&watch->registers);
    free(watch);
}

int watch_fd(struct watch *watch, int beside)
{
    struct epoll_event wanted = {.events = EPOLLIN};
    int own = watch->registers.epoll_fd;
    if (watch->epoll_fd >= 0)
        return watch->epoll_fd;
    watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (watch->epoll_fd < 0 || own < 0 || epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, own, &wanted) ||
        epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, beside, &wanted))
        return beside;
    return watch->epoll_fd;
}

void watch_offer(struct watch *watch, const struct watch_offer *offer)
{
    watch_registers_add_thread(&watch->registers, (pid_t)offer->tid);
    watch_lines_offer(&watch->lines, offer);
}

void watch_pump(struct watch *watch)
{
    const struct watch_touch *touches;
    size_t count = watch_registers_read(&watch->registers, &touches);
    watch_budget_refill(&watch->budget, watch_registers_cpu_ns(&watch->registers), clock_now_ns());
    for (size_t i = 0; i < count; i++)
        watch_lines_touch(&watch->lines, &touches[i]);
    watch_lines_step(&watch->lines);
}

size_t watch_results(struct watch *watch, uint64_t until_ns, struct watch_result *out, size_t most)
{
    return watch_lines_results(&watch->lines, until_ns, out, most);
}

void watch_tick(struct watch *watch)
{
    watch_registers_follow(&watch->registers);
}

void watch_exec(struct watch *watch)
{
    watch_lines_drop(&watch->lines);
}

struct snapshot_watch watch_state(const struct watch *watch, int *refused)
{
    const struct watch_registers *registers = &watch->registers;
    const struct watch_lines *lines = &watch->lines;
    *refused = lines->arm_error;
    return (struct snapshot_watch){.is_on = true,
                                   .registers = registers->slots,
                                   .threads = registers->thread_count,
                                   .threads_left_out = registers->threads_left_out,
                                   .offered = lines->offered,
                                   .armed = lines->armed,
                                   .over_budget = lines->over_budget,
                                   .touches = lines->touches,
                                   .trap_ns = registers->trap_ns,
                                   .arm_ns = registers->arm_ns,
                                   .budget = watch->budget.cpu_share,
                                   .overhead = watch_budget_share(&watch->budget)};
}

void watch_doctor(FILE *out)
{
    struct watch_registers registers;
    struct error error = {0};
    fprintf(out, "watchpoints (--watch)\n");
    if (watch_registers_open(&registers, getpid(), kernel_host(), &error)) {
        fprintf(out, "  no   %s\n", error.text);
        return;
    }
    fprintf(out, "  yes  %u debug registers; a touch takes %.1f us\n", registers.slots,
            registers.trap_ns / 1000);
    watch_registers_close(&registers);
}

/* Upper bound of savings in s: a target that wakes up must not pay at once for a long idle time. */
static const double saved_s = 0.5;

void watch_budget_init(struct watch_budget *budget, double part)
{
    *budget = (struct watch_budget){.cpu_share = part};
}

void watch_budget_refill(struct watch_budget *budget, uint64_t cpu_ns, uint64_t wall_ns)
{
    double used = cpu_ns > budget->cpu_ns ? (double)(cpu_ns - budget->cpu_ns) : 0;
    double passed = wall_ns > budget->wall_ns ? (double)(wall_ns - budget->wall_ns) : 0;
    double most = budget->cpu_share * saved_s * CLOCK_NS_PER_S;
    budget->cpu_ns = cpu_ns;
    budget->wall_ns = wall_ns;
    if (!budget->started) {
        budget->started = true;
        return;
    }
    used = fmin(used, passed);
    budget->granted_ns += used;
    budget->tokens_ns = fmin(budget->tokens_ns + used * budget->cpu_share, most);
}

static bool watch_budget_allows(const struct watch_budget *budget, double cost_ns)
{
    return budget->tokens_ns >= cost_ns;
}

void watch_budget_spend(struct watch_budget *budget, double cost_ns)
{
    budget->tokens_ns -= cost_ns;
    budget->spent_ns += cost_ns;
}

double watch_budget_share(const struct watch_budget *budget)
{
    return budget->granted_ns > 0 ? budget->spent_ns / budget->granted_ns : NAN;
}

/* ---- registers ---- */

static unsigned slot_of(const struct watch_lines *lines, const struct watch_line *line,
                        const struct watch_word *word)
{
    return (unsigned)(line - lines->at) * 2 + (word == &line->second_word);
}

/* Arms the register of a word if there is one, and pays for it; sets lines->refused on error. */
static void watch_leg_arm(struct watch_lines *lines, struct watch_line *line,
                          struct watch_word *word)
{
    unsigned slot = slot_of(lines, line, word);
    if (slot >= lines->slots)
        return;
    word->arming_ns = word->armed_ns = lines->operations.now_ns(lines->operations.context);
    double cost =
        lines->operations.arm(lines->operations.context, slot, word->address, &word->armed_ns);
    word->touched_ns = 0;
    word->armed = cost >= 0;
    if (cost < 0) {
        lines->arm_error = (int)cost;
        return;
    }
    lines->armed++;
    lines->arm_ns += (cost - lines->arm_ns) / 16;
    watch_budget_spend(lines->budget, cost);
}

/* Returns how long the thread in which the leg began has run, or UINT64_MAX if not known. */
static uint64_t watch_leg_disarm(struct watch_lines *lines, struct watch_line *line,
                                 struct watch_word *word)
{
    uint64_t ran_ns = UINT64_MAX;
    if (!word->armed)
        return ran_ns;
    double cost = lines->operations.disarm(lines->operations.context, slot_of(lines, line, word),
                                           line->origin_tid, &ran_ns);
    watch_budget_spend(lines->budget, cost > 0 ? cost : 0);
    word->armed = false;
    return ran_ns;
}

/* ---- results ---- */

static struct watch_result *watch_leg_result(struct watch_lines *lines,
                                             const struct watch_line *line, enum watch_kind kind,
                                             enum watch_end end)
{
    /* Full only if results have not been taken for a long time: drop the oldest. */
    if (lines->result_count == WATCH_RESULTS)
        memmove(lines->results, lines->results + 1, --lines->result_count * sizeof *lines->results);
    struct watch_result *result = &lines->results[lines->result_count++];
    *result = (struct watch_result){.kind = (uint8_t)kind,
                                    .end = (uint8_t)end,
                                    .object = line->offer.object,
                                    .origin_tid = line->origin_tid,
                                    .address = line->sampled.address,
                                    .base = line->offer.base,
                                    .origin_ns = line->origin_ns,
                                    .armed_ns = line->sampled.armed_ns};
    return result;
}

static uint64_t unscheduled_ns(const struct watch_result *result, uint64_t ran_ns)
{
    uint64_t passed_ns = result->end_ns > result->armed_ns ? result->end_ns - result->armed_ns : 0;
    return ran_ns < passed_ns ? passed_ns - ran_ns : 0;
}

/* Ends a leg without a touch; does nothing if it is not armed. */
static void watch_leg_end(struct watch_lines *lines, struct watch_line *line, enum watch_end end,
                          uint64_t end_ns)
{
    if (!line->sampled.armed)
        return;
    uint64_t ran_ns = watch_leg_disarm(lines, line, &line->sampled);
    struct watch_result *result = watch_leg_result(lines, line, (enum watch_kind)line->leg, end);
    result->end_ns = end_ns;
    result->off_cpu_ns = unscheduled_ns(result, ran_ns);
}

/* ---- legs ---- */

static void watch_leg_begin(struct watch_lines *lines, struct watch_line *line)
{
    line->cpu_ns = lines->budget->cpu_ns;
    watch_leg_arm(lines, line, &line->sampled);
}

static void watch_for_reuse(struct watch_lines *lines, struct watch_line *line,
                            const struct watch_touch *touch)
{
    line->leg = WATCH_AGAIN;
    line->origin_ns = touch->time_ns;
    line->origin_tid = touch->tid;
    if (line->code_count < WATCH_CODES)
        line->codes[line->code_count++] = touch->ip;
    if (watch_budget_allows(lines->budget, lines->arm_ns + lines->trap_ns))
        watch_leg_begin(lines, line);
}

/* Returns true if the visit continues: the touch follows within the shortest time that can be
 * observed, by an instruction that has not touched the word in this visit yet. */
static bool visit_continues(const struct watch_lines *lines, const struct watch_line *line,
                            const struct watch_touch *touch)
{
    double soon_ns = 2 * lines->arm_ns;
    if (line->leg != WATCH_AGAIN || touch->tid != line->origin_tid ||
        line->code_count == WATCH_CODES ||
        (double)touch->time_ns > (double)line->sampled.armed_ns + soon_ns)
        return false;
    for (unsigned i = 0; i < line->code_count; i++)
        if (line->codes[i] == touch->ip)
            return false;
    return true;
}

/* Handles a touch of the sampled word: reports it, and starts the second leg after the first. */
static void watch_leg_touch(struct watch_lines *lines, struct watch_line *line,
                            const struct watch_touch *touch)
{
    if (visit_continues(lines, line, touch)) {
        watch_leg_disarm(lines, line, &line->sampled);
        watch_for_reuse(lines, line, touch);
        return;
    }
    struct watch_result *result =
        watch_leg_result(lines, line, (enum watch_kind)line->leg, WATCH_TOUCHED);
    result->end_ns = touch->time_ns;
    result->ip = touch->ip;
    result->toucher_tid = touch->tid;
    /* The run time of another thread does not show how long this thread was off CPU. */
    result->off_cpu_ns = touch->tid == line->origin_tid ? unscheduled_ns(result, touch->ran_ns) : 0;
    watch_leg_disarm(lines, line, &line->sampled);
    if (line->leg == WATCH_FIRST) {
        line->visit_ns = touch->time_ns;
        watch_for_reuse(lines, line, touch);
    }
}

static bool watch_leg_waited(const struct watch_lines *lines, const struct watch_line *line,
                             uint64_t now_ns)
{
    uint64_t armed_ns = line->sampled.armed_ns;
    return now_ns >= armed_ns + WATCH_LONGEST_NS ||
           (now_ns >= armed_ns + WATCH_ENOUGH_NS &&
            lines->budget->cpu_ns >= line->cpu_ns + WATCH_ENOUGH_NS);
}

/* Armings and traps of a complete watch. */
enum { WATCH_ARMINGS = 3, WATCH_TRAPS = 3 };

void watch_lines_init(struct watch_lines *lines, const struct watch_operations *arms,
                      unsigned slots, struct watch_budget *budget, double trap_ns, uint64_t seed)
{
    *lines = (struct watch_lines){.operations = *arms,
                                  .budget = budget,
                                  .trap_ns = trap_ns,
                                  .arm_ns = trap_ns,
                                  .prng = {seed},
                                  .slots = slots < WATCH_SLOTS ? slots : WATCH_SLOTS};
    lines->count = (lines->slots + 1) / 2;
}

/* ---- visits ---- */

/* Frees the line and resets its count of samples. */
static void release_line(struct watch_lines *lines, struct watch_line *line)
{
    watch_leg_disarm(lines, line, &line->second_word);
    line->busy = false;
    line->samples_seen = 0;
}

/* Reports the visit, unless the other word was touched earlier without the sampled word. */
static void report_visit(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    const struct watch_word *other = &line->second_word;
    if (line->visit_reported || !line->visit_ns || now_ns < line->visit_ns + WATCH_VISIT_NS)
        return;
    line->visit_reported = true;
    bool known = other->armed || other->touched_ns;
    bool before = other->touched_ns && other->touched_ns + WATCH_VISIT_NS < line->visit_ns;
    bool within = other->touched_ns && other->touched_ns <= line->visit_ns + WATCH_VISIT_NS;
    if (known && !before)
        watch_leg_result(lines, line, WATCH_VISIT, within ? WATCH_TOUCHED : WATCH_EXPIRED)->end_ns =
            line->visit_ns;
    watch_leg_disarm(lines, line, &line->second_word);
}

/* ---- samples ---- */

static bool is_watched(const struct watch_lines *lines, uint64_t address)
{
    uint64_t at = address / WATCH_LINE_BYTES;
    for (unsigned i = 0; i < lines->count; i++) {
        const struct watch_line *line = &lines->at[i];
        if ((line->busy && line->offer.address / WATCH_LINE_BYTES == at) ||
            (line->has_replacement && line->replacement.address / WATCH_LINE_BYTES == at))
            return true;
    }
    return false;
}

static void watch_line_offer(struct watch_line *line, const struct watch_offer *offer)
{
    line->has_replacement = true;
    line->samples_seen += !line->samples_seen;
    line->replacement = *offer;
}

void watch_lines_offer(struct watch_lines *lines, const struct watch_offer *offer)
{
    lines->offered++;
    if (is_watched(lines, offer->address))
        return;
    for (unsigned i = 0; i < lines->count; i++)
        if (!lines->at[i].busy && !lines->at[i].has_replacement) {
            watch_line_offer(&lines->at[i], offer);
            return;
        }
    /* The n-th sample since the line was free replaces the current one with probability 1/n. */
    for (unsigned i = 0, drawn = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        uint32_t bound =
            line->samples_seen < UINT32_MAX ? (uint32_t)++line->samples_seen : UINT32_MAX;
        if (!prng_below(&lines->prng, bound) && !drawn++)
            watch_line_offer(line, offer);
    }
}

static uint64_t random_word_of_line(struct watch_lines *lines, uint64_t sampled)
{
    uint32_t words = WATCH_LINE_BYTES / WATCH_WORD_BYTES;
    uint64_t first = sampled / WATCH_LINE_BYTES * WATCH_LINE_BYTES;
    uint64_t at = sampled % WATCH_LINE_BYTES / WATCH_WORD_BYTES;
    uint64_t further = 1 + prng_below(&lines->prng, words - 1);
    return first + (at + further) % words * WATCH_WORD_BYTES;
}

static void watch_line_begin(struct watch_lines *lines, struct watch_line *line)
{
    struct watch_offer offer = line->replacement;
    uint64_t word = offer.address / WATCH_WORD_BYTES * WATCH_WORD_BYTES;
    *line = (struct watch_line){.busy = true,
                                .samples_seen = line->samples_seen,
                                .offer = offer,
                                .leg = WATCH_FIRST,
                                .origin_ns = offer.time_ns,
                                .origin_tid = offer.tid,
                                .sampled = {.address = word},
                                .second_word = {.address = random_word_of_line(lines, word)}};
    /* Arm the sampled word last: interrupting the target after that would delay its touch. */
    watch_leg_arm(lines, line, &line->second_word);
    watch_leg_begin(lines, line);
    if (!line->sampled.armed)
        release_line(lines, line);
}

static void begin_wanted_line(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    line->has_replacement = false;
    if (!watch_budget_allows(lines->budget,
                             WATCH_ARMINGS * lines->arm_ns + WATCH_TRAPS * lines->trap_ns)) {
        lines->over_budget++;
        return;
    }
    if (line->busy) {
        watch_leg_end(lines, line, WATCH_REPLACED, now_ns);
        watch_leg_disarm(lines, line, &line->second_word);
    }
    watch_line_begin(lines, line);
}

/* ---- touches ---- */

static bool touch_is_of_word(const struct watch_word *word, const struct watch_touch *touch)
{
    /* A record of an earlier watch of this word may still arrive. */
    return word->armed && word->address == touch->address && touch->time_ns >= word->arming_ns;
}

void watch_lines_touch(struct watch_lines *lines, const struct watch_touch *touch)
{
    lines->touches++;
    watch_budget_spend(lines->budget, lines->trap_ns);
    for (unsigned i = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        if (touch_is_of_word(&line->sampled, touch)) {
            watch_leg_touch(lines, line, touch);
        } else if (touch_is_of_word(&line->second_word, touch)) {
            line->second_word.touched_ns = touch->time_ns;
            watch_leg_disarm(lines, line, &line->second_word);
        }
    }
}

/* ---- time ---- */

static void watch_line_step(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    if (line->busy && line->sampled.armed && watch_leg_waited(lines, line, now_ns))
        watch_leg_end(lines, line, WATCH_EXPIRED, now_ns);
    if (line->busy)
        report_visit(lines, line, now_ns);
    if (line->busy && !line->sampled.armed && (line->visit_reported || !line->visit_ns))
        release_line(lines, line);
    if (line->has_replacement)
        begin_wanted_line(lines, line, now_ns);
}

void watch_lines_step(struct watch_lines *lines)
{
    uint64_t now_ns = lines->operations.now_ns(lines->operations.context);
    for (unsigned i = 0; i < lines->count; i++)
        watch_line_step(lines, &lines->at[i], now_ns);
}

void watch_lines_drop(struct watch_lines *lines)
{
    uint64_t now_ns = lines->operations.now_ns(lines->operations.context);
    for (unsigned i = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        line->has_replacement = false;
        if (!line->busy)
            continue;
        watch_leg_end(lines, line, WATCH_DROPPED, now_ns);
        release_line(lines, line);
    }
}

size_t watch_lines_results(struct watch_lines *lines, uint64_t until_ns, struct watch_result *out,
                           size_t most)
{
    size_t taken = 0;
    size_t kept = 0;
    for (size_t i = 0; i < lines->result_count; i++)
        if (taken < most && lines->results[i].end_ns <= until_ns)
            out[taken++] = lines->results[i];
        else
            lines->results[kept++] = lines->results[i];
    lines->result_count = kept;
    return taken;
}
