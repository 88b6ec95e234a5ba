/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that takes rights from itself: system calls (seccomp) or the processor's clock
 * (PR_SET_TSC). The agent reads that clock and makes system calls, for either of which the program
 * would then be killed; so it stops before. Programs ask for it through prctl() or, as libseccomp
 * does, through syscall().
 */
#include "agent/interpose.h"

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void look_at_prctl(long option, unsigned long value)
{
    bool takes = option == PR_SET_SECCOMP || (option == PR_SET_TSC && value == PR_TSC_SIGSEGV);
    /* A child of vfork() shares the gate, but is another process. */
    if (takes && session_on() &&
        raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == (long)session.header->pid)
        session_give_up(AGENT_SANDBOXED);
}

INTERPOSED int prctl(int option, ...)
{
    va_list rest;
    unsigned long words[4];
    va_start(rest, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(rest, unsigned long);
    va_end(rest);
    look_at_prctl(option, words[0]);
    return real.prctl(option, words[0], words[1], words[2], words[3]);
}

/* Called by syscall() below with the first of its arguments. */
__attribute__((used)) static void look_at_call(long number, long first, long second)
{
    if (number == SYS_prctl)
        look_at_prctl(first, (unsigned long)second);
    else if (first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER)
        look_at_prctl(PR_SET_SECCOMP, 0);
}

/* What is called until libc's is known; errno is not set, but there is nobody yet to look at it. */
__attribute__((used)) static long early_syscall(long number, long a, long b, long c, long d, long e,
                                                long f)
{
    long result = raw_syscall(number, a, b, c, d, e, f);
    return result < 0 && result >= -4095 ? -1 : result;
}

__attribute__((used)) static long (*real_syscall)(long, long, long, long, long, long,
                                                  long) = early_syscall;

__attribute__((constructor)) static void find_syscall(void)
{
    void *found = dlsym(RTLD_NEXT, "syscall");
    if (found)
        *(void **)&real_syscall = found;
}

/*
 * Without a frame of its own: the caller may pass any number of arguments, and may come back twice
 * (clone).
 */
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    cmpq $317, %rdi\n" /* SYS_seccomp */
        "    je 1f\n"
        "    cmpq $157, %rdi\n" /* SYS_prctl */
        "    je 1f\n"
        "    jmp *real_syscall(%rip)\n"
        "1:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r8\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r9\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call look_at_call\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r9\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r8\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *real_syscall(%rip)\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n");
