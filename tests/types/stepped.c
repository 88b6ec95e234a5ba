/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stepped.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTSIDE_MAX = 2000000 };

static void take_output(struct stepped *stepped)
{
    char byte;
    while (read(stepped->output, &byte, 1) == 1) {
        if (byte != '\n' && stepped->line_length < sizeof stepped->line - 1) {
            stepped->line[stepped->line_length++] = byte;
            continue;
        }
        stepped->line[stepped->line_length] = '\0';
        stepped->line_length = 0;
        if (!known_line(&stepped->known, stepped->line))
            fprintf(stderr, "not understood: %s\n", stepped->line);
    }
}

static bool wait_for(const struct stepped *stepped, int *signal)
{
    int status;
    if (waitpid(stepped->pid, &status, 0) != stepped->pid || !WIFSTOPPED(status))
        return false;
    *signal = WSTOPSIG(status);
    return true;
}

static void exec_traced(const char *path, int output)
{
    dup2(output, STDOUT_FILENO);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(77);
    execl(path, path, (char *)NULL);
    _exit(127);
}

bool stepped_start(struct stepped *stepped, const char *path)
{
    int ends[2];
    int signal = 0;
    memset(stepped, 0, sizeof *stepped);
    if (pipe2(ends, O_CLOEXEC))
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    stepped->output = ends[0];
    stepped->pid = fork();
    if (!stepped->pid)
        exec_traced(path, ends[1]);
    close(ends[1]);
    while (signal != SIGSTOP)
        if (!wait_for(stepped, &signal) ||
            (signal != SIGSTOP && ptrace(PTRACE_CONT, stepped->pid, NULL, NULL)))
            return false;
    take_output(stepped);
    return stepped->known.code_start;
}

/* Reads the program's output. Objects reported while it works are on the stack. */
static void take_reported(struct stepped *stepped, uint64_t stack_pointer)
{
    size_t before = stepped->known.object_count;
    take_output(stepped);
    for (size_t i = before; i < stepped->known.object_count; i++)
        stepped->known.objects[i].on_stack =
            stepped->known.objects[i].address - stack_pointer < 1 << 20;
}

/* Runs a called function outside the marked code to its end, with a breakpoint at the return to
 * marked code. Returns false if marked code did not call it. */
static bool finish_call(const struct stepped *stepped, struct user_regs_struct *regs)
{
    enum { BREAKPOINT = 0xcc, ONE_BYTE = 0xff };
    int signal;
    pid_t pid = stepped->pid;
    void *back = (void *)(uintptr_t)ptrace(PTRACE_PEEKDATA, pid, (void *)regs->rsp, NULL);
    if ((uintptr_t)back < stepped->known.code_start || (uintptr_t)back >= stepped->known.code_end)
        return false;
    long code = ptrace(PTRACE_PEEKTEXT, pid, back, NULL);
    if (ptrace(PTRACE_POKETEXT, pid, back, (code & ~(long)ONE_BYTE) | BREAKPOINT) ||
        ptrace(PTRACE_CONT, pid, NULL, NULL) || !wait_for(stepped, &signal) || signal != SIGTRAP ||
        ptrace(PTRACE_POKETEXT, pid, back, code) || ptrace(PTRACE_GETREGS, pid, NULL, regs))
        return false;
    regs->rip = (uintptr_t)back;
    return !ptrace(PTRACE_SETREGS, pid, NULL, regs);
}

bool stepped_next(struct stepped *stepped, struct user_regs_struct *regs)
{
    int signal;
    bool outside = false;
    for (unsigned i = 0; i < OUTSIDE_MAX; i++) {
        if (ptrace(PTRACE_SINGLESTEP, stepped->pid, NULL, NULL) || !wait_for(stepped, &signal) ||
            signal != SIGTRAP || ptrace(PTRACE_GETREGS, stepped->pid, NULL, regs))
            return false;
        if (regs->rip < stepped->known.code_start || regs->rip >= stepped->known.code_end) {
            bool just_left = !outside;
            outside = true;
            if (!just_left || !finish_call(stepped, regs))
                continue;
        }
        known_returned(&stepped->known, regs->rsp);
        if (outside)
            take_reported(stepped, regs->rsp);
        return true;
    }
    return false;
}

void stepped_end(struct stepped *stepped)
{
    int status;
    kill(stepped->pid, SIGKILL);
    waitpid(stepped->pid, &status, 0);
    close(stepped->output);
}

uint64_t stepped_base(const struct stepped *stepped, const char *path)
{
    char name[64];
    char line[1024];
    unsigned long start = 0;
    unsigned long offset;
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)stepped->pid);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        found =
            sscanf(line, "%lx-%*x %*s %lx", &start, &offset) == 2 && !offset && strstr(line, path);
    if (maps)
        fclose(maps);
    return found ? start : 0;
}
