/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch.h"

#include "base/clock.h"
#include "sample/kernel.h"
#include "sample/watch_registers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct watch {
    struct watch_registers registers;
    struct watch_lines lines;
    struct watch_budget budget;
    int epoll_fd; /* ours and the sampler's */
};

static double arm(void *context, unsigned slot, uint64_t address, uint64_t *from_ns)
{
    return watch_registers_arm(context, slot, address, from_ns);
}

static double disarm(void *context, unsigned slot)
{
    return watch_registers_disarm(context, slot);
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
    struct watch_arms arms = {&watch->registers, arm, disarm, now_ns};
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
    watch_registers_meet(&watch->registers, (pid_t)offer->tid);
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

struct watch_state watch_state(const struct watch *watch)
{
    const struct watch_registers *registers = &watch->registers;
    const struct watch_lines *lines = &watch->lines;
    return (struct watch_state){.registers = registers->slots,
                                .threads = registers->thread_count,
                                .threads_left_out = registers->threads_left_out,
                                .offered = lines->offered,
                                .armed = lines->armed,
                                .unpaid = lines->unpaid,
                                .touches = lines->touches,
                                .trap_ns = registers->trap_ns,
                                .arm_ns = registers->arm_ns,
                                .budget = watch->budget.part,
                                .spent = watch_budget_share(&watch->budget),
                                .refused = lines->refused};
}
