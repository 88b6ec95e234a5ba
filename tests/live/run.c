/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 40, MOST_S = 300 };

/* Forks and executes a program with standard output to fd; the child dies with the test. */
static pid_t start(const char *const *arguments, int output)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    execv(arguments[0], (char *const *)arguments);
    _exit(127);
}

static bool read_more(struct planted *planted)
{
    ssize_t got = read(planted->output, planted->text + planted->used,
                       sizeof planted->text - 1 - planted->used);
    if (got <= 0)
        return false;
    planted->used += (size_t)got;
    planted->text[planted->used] = '\0';
    return true;
}

bool planted_start(struct planted *planted, const char *mode, double seconds)
{
    return planted_start_program(planted, getenv("PLANTED"), mode, seconds);
}

bool planted_start_program(struct planted *planted, const char *program, const char *mode,
                           double seconds)
{
    int pipes[2];
    char limit[32];
    *planted = (struct planted){0};
    snprintf(limit, sizeof limit, "%g", seconds);
    const char *arguments[] = {program, mode, limit, NULL};
    if (!arguments[0] || pipe2(pipes, O_CLOEXEC))
        return false;
    planted->pid = start(arguments, pipes[1]);
    planted->output = pipes[0];
    close(pipes[1]);
    while (!strstr(planted->text, "ready 1"))
        if (!read_more(planted))
            return false;
    return true;
}

int planted_finish(struct planted *planted)
{
    int status = 0;
    while (read_more(planted))
        continue;
    close(planted->output);
    waitpid(planted->pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *value_after(const char *from, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = from; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && line[length] == ' ')
            return line + length + 1;
    }
    return NULL;
}

const char *planted_first(const struct planted *planted, const char *name)
{
    return value_after(planted->text, name);
}

const char *planted_last(const struct planted *planted, const char *name)
{
    const char *last = NULL;
    for (const char *at = value_after(planted->text, name); at; at = value_after(at, name))
        last = at;
    return last;
}

static pid_t start_misstop(pid_t pid, const char *const *more, int output)
{
    char target[16];
    const char *arguments[ARGUMENTS_MAX] = {getenv("MISSTOP"), "-j", "-p", target};
    snprintf(target, sizeof target, "%d", (int)pid);
    for (int i = 4; *more && i < ARGUMENTS_MAX - 1; i++)
        arguments[i] = *more++;
    return arguments[0] ? start(arguments, output) : -1;
}

pid_t misstop_start(pid_t pid, const char *const *more)
{
    int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t started = start_misstop(pid, more, output);
    close(output);
    return started;
}

/* A program that waits, and when to end it; pid 0: a program that runs by itself. */
struct guided {
    pid_t pid;
    report_has_enough enough;
    double until_s;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void control_program(struct guided *guided, json_t *report, bool first)
{
    if (first)
        kill(guided->pid, SIGCONT);
    else if (guided->enough && (guided->enough(report) || now_s() > guided->until_s)) {
        guided->enough = NULL;
        kill(guided->pid, SIGTERM);
    }
}

static json_t *read_reports(FILE *in, struct guided *guided)
{
    char *line = NULL;
    size_t size = 0;
    json_t *last = NULL;
    for (bool first = true; getline(&line, &size, in) > 0; first = false) {
        json_t *report = json_loads(line, 0, NULL);
        if (!report)
            fprintf(stderr, "not JSON: %.200s\n", line);
        else if (guided)
            control_program(guided, report, first);
        json_decref(last);
        last = report;
    }
    free(line);
    return last;
}

static json_t *last_report(pid_t pid, const char *const *more, struct guided *guided)
{
    int pipes[2];
    int status = 0;
    json_t *last = NULL;
    if (pipe2(pipes, O_CLOEXEC))
        return NULL;
    pid_t misstop = start_misstop(pid, more, pipes[1]);
    close(pipes[1]);
    FILE *in = fdopen(pipes[0], "r");
    if (in) {
        last = read_reports(in, guided);
        fclose(in);
    }
    waitpid(misstop, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return last;
    fprintf(stderr, "misstop ended with status %x\n", (unsigned)status);
    json_decref(last);
    return NULL;
}

json_t *misstop_last_report(pid_t pid, const char *const *more)
{
    return last_report(pid, more, NULL);
}

json_t *misstop_until(pid_t pid, const char *const *more, report_has_enough enough)
{
    struct guided guided = {pid, enough, now_s() + MOST_S};
    json_t *last = last_report(pid, more, &guided);
    if (!last)
        kill(pid, SIGKILL);
    return last;
}

bool source_works(const char *source)
{
    const char *const arguments[] = {"-s", source, "-n", "1", "-d", "0.1", NULL};
    int status = 0;
    waitpid(misstop_start(getpid(), arguments), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

json_t *report_object(json_t *report, const char *name)
{
    size_t i;
    json_t *object;
    json_array_foreach(json_object_get(report, "objects"), i,
                       object) if (!strcmp(json_string_value(json_object_get(object, "name")),
                                           name)) return object;
    return NULL;
}

double report_number(json_t *object, const char *member)
{
    json_t *value = json_object_get(object, member);
    return json_is_number(value) ? json_number_value(value) : NAN;
}
