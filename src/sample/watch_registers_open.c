/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug registers: whether there are any to be had, and what a trap costs. */
#include "sample/watch_registers.h"

#include "base/clock.h"
#include "sample/kernel.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { CALIBRATION_ROUNDS = 15 };

int watch_event_open(const struct kernel *kernel, pid_t tid, uint64_t address)
{
    struct perf_event_attr attr = {.type = address ? PERF_TYPE_BREAKPOINT : PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = address ? 0 : PERF_COUNT_SW_DUMMY,
                                   .sample_period = 1,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC,
                                   .wakeup_events = 1};
    if (address) {
        attr.bp_type = HW_BREAKPOINT_RW;
        attr.bp_addr = address;
        attr.bp_len = HW_BREAKPOINT_LEN_8;
    }
    return kernel->perf_event_open(&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int watch_event_arm(int fd, int ring_fd, uint64_t *from_ns)
{
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd))
        return -errno;
    if (ioctl(fd, PERF_EVENT_IOC_REFRESH, 1))
        return -errno;
    /* The thread's CPU was interrupted for it just before: most of the call is the way there. */
    *from_ns = clock_now_ns();
    return 0;
}

/* ---- what a trap costs ---- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* What one touch takes: until it is recorded, and with the switching off that follows. */
struct trap {
    double entry_ns;
    double all_ns;
};

/* One touch of our own. 0 or -errno. */
static int one_trap(const struct kernel *kernel, int ring_fd, struct ring *ring,
                    volatile uint64_t *word, struct trap *trap)
{
    uint64_t from_ns;
    struct watch_touch touch = {.time_ns = 0};
    int fd = watch_event_open(kernel, 0, (uint64_t)(uintptr_t)word);
    int code = fd < 0 ? fd : watch_event_arm(fd, ring_fd, &from_ns);
    uint64_t start_ns = clock_now_ns();
    *word = start_ns;
    uint64_t between_ns = clock_now_ns();
    *word = between_ns;
    /* The second touch does not trap: it is what the clock itself takes. */
    trap->all_ns = (double)(between_ns - start_ns) - (double)(clock_now_ns() - between_ns);
    if (!code && !watch_event_next(ring, &touch))
        code = -ENODATA;
    trap->entry_ns = (double)touch.time_ns - (double)start_ns;
    if (fd >= 0)
        close(fd);
    return code;
}

/* The medians over some touches of a word of our own. 0 or -errno. */
static int measure_traps(struct watch_registers *registers, int ring_fd, struct ring *ring)
{
    static _Alignas(WATCH_LINE_BYTES) volatile uint64_t word;
    double entry[CALIBRATION_ROUNDS];
    double all[CALIBRATION_ROUNDS];
    struct trap trap;
    int code = 0;
    for (int i = 0; !code && i < CALIBRATION_ROUNDS; i++) {
        code = one_trap(registers->kernel, ring_fd, ring, &word, &trap);
        entry[i] = trap.entry_ns;
        all[i] = trap.all_ns;
    }
    if (code)
        return code;
    qsort(entry, CALIBRATION_ROUNDS, sizeof *entry, by_size);
    qsort(all, CALIBRATION_ROUNDS, sizeof *all, by_size);
    registers->entry_ns = entry[CALIBRATION_ROUNDS / 2];
    registers->trap_ns = all[CALIBRATION_ROUNDS / 2];
    return 0;
}

static int calibrate(struct watch_registers *registers)
{
    struct ring ring = {.memory = NULL};
    int ring_fd = watch_event_open(registers->kernel, 0, 0);
    int code = ring_fd < 0 ? ring_fd : ring_open(&ring, ring_fd, (size_t)sysconf(_SC_PAGESIZE));
    if (!code)
        code = measure_traps(registers, ring_fd, &ring);
    ring_close(&ring);
    if (ring_fd >= 0)
        close(ring_fd);
    registers->arm_ns = registers->trap_ns;
    return code;
}

/* ---- how many there are ---- */

static int count_free(struct watch_registers *registers)
{
    int fds[WATCH_SLOTS];
    int code = 0;
    /* Any address of user space will do, for it is never enabled. */
    for (registers->slots = 0; registers->slots < WATCH_SLOTS; registers->slots++) {
        code = watch_event_open(registers->kernel, registers->pid, 4096);
        if (code < 0)
            break;
        fds[registers->slots] = code;
    }
    for (unsigned i = 0; i < registers->slots; i++)
        close(fds[i]);
    return registers->slots ? 0 : code;
}

static int explain(const struct watch_registers *registers, int code, struct error *error)
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
    *registers = (struct watch_registers){.kernel = kernel, .pid = pid, .epoll_fd = -1};
    int code = count_free(registers);
    if (!code)
        code = calibrate(registers);
    return code ? explain(registers, code, error) : 0;
}
