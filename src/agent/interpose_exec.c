/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec in the watched process itself (a shell's last command, env, a wrapper script): the new
 * program is the one the user wants watched, so the variables that were taken out of the
 * environment go along, if that program can load the agent. Children are processes of their own:
 * what they exec is left alone.
 */
#include "agent/interpose.h"
#include "agent/session.h"
#include "agent_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NUMBER_BYTES = 32 };

static const char preload_name[] = "LD_PRELOAD=";
static const char number_name[] = AGENT_VARIABLE "=";

static int (*real_execve)(const char *, char *const *, char *const *);
static int (*real_execvpe)(const char *, char *const *, char *const *);
static int (*real_fexecve)(int, char *const *, char *const *);

/* Looked up early: in a child of a program with threads, dlsym() might wait for ever. */
__attribute__((constructor)) static void find_exec(void)
{
    *(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
    *(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
}

/* An environment of our own making, or the caller's. */
struct handed {
    char **variables;
    void *pages;
    size_t size_bytes;
    int fd;       /* of the shared memory, for the new program; -1: none */
    bool is_left; /* the new program will not load the agent, and misstop was told */
};

static bool starts(const char *variable, const char *name)
{
    return !strncmp(variable, name, strlen(name));
}

/* A vfork child shares the gate, but is another process. */
static bool is_ours(void)
{
    return session_on() && *session.library && session.header->pid == (uint32_t)getpid();
}

/* The end of it. */
static char *write_number(char *out, unsigned number)
{
    char digits[16];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *out++ = digits[--count];
    *out = '\0';
    return out;
}

/*
 * The shared memory once more, through misstop: the agent keeps no descriptor that the program
 * could see, close or replace. -1: misstop is gone, or another user's.
 */
static int open_memory(void)
{
    char path[64] = "/proc/";
    struct stat status;
    char *end = write_number(path + strlen(path), session.header->owner);
    write_number(stpcpy(end, "/fd/"), session.header->owner_fd);
    int fd = open(path, O_RDWR);
    if (fd < 0)
        return -1;
    if (!fstat(fd, &status) && status.st_dev == session.memory.device &&
        status.st_ino == session.memory.inode)
        return fd;
    close(fd);
    return -1;
}

static size_t count_variables(char *const *environment, const char **preload)
{
    size_t count = 0;
    for (; environment[count]; count++)
        if (starts(environment[count], preload_name))
            *preload = environment[count] + sizeof preload_name - 1;
    return count;
}

/* What may have changed since the start: root, user and filters. */
static enum agent_load look_around(struct agent_load_work *work)
{
    struct stat status;
    if (stat(session.library, &status) || access(session.library, R_OK) ||
        status.st_dev != session.file.device || status.st_ino != session.file.inode)
        return AGENT_LOAD_NO_AGENT;
    return agent_load_filters(work) > session.header->filters ? AGENT_LOAD_FILTERED
                                                              : AGENT_LOADABLE;
}

static enum agent_load look(const char *name, bool is_searched, const char *preload)
{
    struct agent_load_work *work = session_pages(sizeof *work);
    enum agent_load why = AGENT_LOAD_UNREADABLE;
    if (!work)
        return why;
    if (!is_searched || strchr(name, '/') || agent_load_find(work, name, getenv("PATH")))
        why = agent_load_look(work, is_searched && !strchr(name, '/') ? work->path : name,
                              &session.header->linker, preload);
    if (why == AGENT_LOADABLE)
        why = look_around(work);
    session_unmap(work, sizeof *work);
    return why;
}

/* The variables in pages of their own: a child of vfork() may be using the caller's. */
static bool write_variables(struct handed *handed, char *const *environment, size_t count,
                            const char *preload)
{
    size_t kept = 0;
    size_t preload_bytes = sizeof preload_name + strlen(session.library) + 1 + strlen(preload);
    handed->size_bytes =
        (count + 3) * sizeof(char *) + preload_bytes + sizeof number_name + NUMBER_BYTES;
    handed->pages = session_pages(handed->size_bytes);
    if (!handed->pages)
        return false;
    handed->variables = handed->pages;
    for (size_t i = 0; i < count; i++)
        if (!starts(environment[i], number_name))
            handed->variables[kept++] = environment[i];
    char *text = (char *)(handed->variables + count + 3);
    handed->variables[kept++] = text;
    text = stpcpy(stpcpy(text, preload_name), session.library);
    if (*preload)
        text = stpcpy(stpcpy(text, ":"), preload);
    handed->variables[kept++] = ++text;
    write_number(stpcpy(text, number_name), (unsigned)handed->fd);
    handed->variables[kept] = NULL;
    return true;
}

static void tell(enum agent_state state, enum agent_reason reason, enum agent_load why)
{
    session.header->load = why;
    session.header->reason = reason;
    __atomic_store_n(&session.header->state, state, __ATOMIC_RELEASE);
}

/* `name`: what is to run; `is_searched`: as execvp() does. */
static struct handed hand_on(const char *name, bool is_searched, char *const *environment)
{
    struct handed handed = {.variables = (char **)(uintptr_t)environment, .fd = -1};
    const char *preload = "";
    int saved = errno;
    if (!name || !environment || !is_ours())
        return handed;
    size_t count = count_variables(environment, &preload);
    enum agent_load why =
        session.header->flags & AGENT_HAND_ON ? AGENT_LOADABLE : look(name, is_searched, preload);
    if (why == AGENT_LOADABLE && (handed.fd = open_memory()) < 0)
        why = AGENT_LOAD_NO_MEMORY;
    if (why == AGENT_LOADABLE && !write_variables(&handed, environment, count, preload))
        why = AGENT_LOAD_NO_MEMORY;
    handed.is_left = why != AGENT_LOADABLE;
    if (handed.is_left)
        tell(AGENT_GAVE_UP, AGENT_NOT_FOLLOWED, why);
    errno = saved;
    return handed;
}

/* exec came back: all is as before. */
static int take_back(const struct handed *handed, int result)
{
    int saved = errno;
    if (handed->fd >= 0)
        close(handed->fd);
    if (handed->pages)
        session_unmap(handed->pages, handed->size_bytes);
    if (handed->is_left)
        tell(AGENT_RUNNING, AGENT_NO_REASON, AGENT_LOADABLE);
    errno = saved;
    return result;
}

static int failed(long result)
{
    errno = (int)-result;
    return -1;
}

static int exec_path(const char *path, char *const *words, char *const *environment)
{
    struct handed handed = hand_on(path, false, environment);
    int result = real_execve ? real_execve(path, words, handed.variables)
                             : failed(raw_syscall(SYS_execve, (long)path, (long)words,
                                                  (long)handed.variables, 0, 0, 0));
    return take_back(&handed, result);
}

static int exec_found(const char *file, char *const *words, char *const *environment)
{
    struct handed handed = hand_on(file, true, environment);
    int result = real_execvpe ? real_execvpe(file, words, handed.variables)
                              : failed(raw_syscall(SYS_execve, (long)file, (long)words,
                                                   (long)handed.variables, 0, 0, 0));
    return take_back(&handed, result);
}

INTERPOSED int execve(const char *path, char *const *words, char *const *environment)
{
    return exec_path(path, words, environment);
}

INTERPOSED int execv(const char *path, char *const *words)
{
    return exec_path(path, words, environ);
}

INTERPOSED int execvp(const char *file, char *const *words)
{
    return exec_found(file, words, environ);
}

INTERPOSED int execvpe(const char *file, char *const *words, char *const *environment)
{
    return exec_found(file, words, environment);
}

INTERPOSED int fexecve(int fd, char *const *words, char *const *environment)
{
    if (!real_fexecve) {
        errno = ENOSYS;
        return -1;
    }
    char path[64] = "/proc/self/fd/";
    write_number(path + strlen(path), fd < 0 ? 0 : (unsigned)fd);
    struct handed handed = hand_on(path, false, environment);
    return take_back(&handed, real_fexecve(fd, words, handed.variables));
}

static size_t count_words(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

#define WITH_WORDS(first, list)                                                                    \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t count = count_words(list);                                                              \
    va_end(list);                                                                                  \
    char **words = __builtin_alloca((count + 1) * sizeof *words);                                  \
    va_start(list, first);                                                                         \
    words[0] = (char *)(uintptr_t)first;                                                           \
    for (size_t i = 1; i <= count; i++)                                                            \
    words[i] = va_arg(list, char *)

INTERPOSED int execl(const char *path, const char *first, ...)
{
    WITH_WORDS(first, list);
    va_end(list);
    return exec_path(path, words, environ);
}

INTERPOSED int execlp(const char *file, const char *first, ...)
{
    WITH_WORDS(first, list);
    va_end(list);
    return exec_found(file, words, environ);
}

INTERPOSED int execle(const char *path, const char *first, ...)
{
    WITH_WORDS(first, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return exec_path(path, words, environment);
}
