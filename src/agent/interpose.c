/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that the agent interposes: allocation, mappings, exec, and giving up rights. C++'s
 * operator new, strdup and the like call the allocation functions. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "agent/path.h"
#include "agent/real.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent_load.h"

/*
 * Writes events to the calling thread's ring: the hot path, inlined into the wrappers. These
 * functions return at once if no chunk is free; nothing here blocks, allocates or changes errno.
 * `frame` is __builtin_frame_address(0) of the wrapper: it points to the caller's frame pointer and
 * the return address, with the caller's stack above them.
 */
static inline uint64_t record_stamp(void)
{
    struct timespec now;
    if (LIKELY(!gate.monotonic))
        return __rdtsc();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the thread, with room for a record and its owner reported. NULL: counted as lost. */
static inline struct thread *record_begin(void)
{
    struct thread *thread = thread_current;
    if (UNLIKELY(!thread) && !(thread = thread_take()))
        return NULL;
    if (UNLIKELY(thread->head > thread->chunk_full_at) && !thread_make_room(thread)) {
        if (thread->is_passing)
            thread_give_back(thread);
        return NULL;
    }
    if (UNLIKELY(!thread->owner_is_known))
        thread_report_owner(thread);
    return thread;
}

/* Publishes the written units: a reader that sees the new head sees the units. */
static inline void record_end(struct thread *thread, unsigned units)
{
    thread->head += units;
    __atomic_store_n(&thread->ring->head, thread->head, __ATOMIC_RELEASE);
    if (UNLIKELY(thread->is_passing))
        thread_give_back(thread);
}

static inline void record_put(struct thread *thread, unsigned at, uint64_t first, uint64_t second)
{
    thread->units[(thread->head + at) & THREAD_MASK] = (struct agent_unit){first, second};
}

static inline uint64_t pack_kind_and_address(enum agent_kind kind, const void *address)
{
    return ((uint64_t)(uintptr_t)address & AGENT_ADDRESS_MASK) | (uint64_t)kind << AGENT_KIND_SHIFT;
}

static inline void record_long(struct thread *thread, enum agent_kind kind, uint64_t stamp,
                               const void *address, uint64_t bytes, uint64_t slack, uint64_t path)
{
    record_put(thread, 0, stamp, pack_kind_and_address(kind, address));
    record_put(thread, 1, bytes, path | (slack > UINT32_MAX ? UINT32_MAX : slack) << 32);
    record_end(thread, 2);
}

static inline bool has_single_recorder(const struct thread *thread)
{
    return __atomic_load_n(&gate.single_recorder, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)thread;
}

static void record_mapping(enum agent_kind kind, const void *address, uint64_t bytes,
                           uint64_t usable_bytes, void *const *frame)
{
    uint64_t stamp = record_stamp();
    struct thread *thread = record_begin();
    if (UNLIKELY(!thread))
        return;
    if (!has_single_recorder(thread))
        thread_end_single(thread);
    record_long(thread, kind, stamp, address, bytes, usable_bytes - bytes,
                frame ? path_find(&thread->paths, frame) : 0);
}

/* Records an allocation, after the real call. */
static inline void record_alloc(void *block, size_t size_bytes, void *const *frame)
{
    struct thread *thread = record_begin();
    if (UNLIKELY(!thread))
        return;
    uint64_t usable_bytes = real_usable(block);
    uint64_t slack = usable_bytes > size_bytes ? usable_bytes - size_bytes : 0;
    if (LIKELY(has_single_recorder(thread) && thread->untimed_left &&
               !thread->settling_allocations && size_bytes <= UINT32_MAX &&
               slack < 1 << (64 - AGENT_BRIEF_SLACK) && thread->unmaps == gate.unmaps)) {
        thread->untimed_left--;
        uint64_t path = path_find(&thread->paths, frame);
        record_put(thread, 0, size_bytes | path << AGENT_BRIEF_PATH | slack << AGENT_BRIEF_SLACK,
                   pack_kind_and_address(AGENT_BRIEF, block));
        record_end(thread, 1);
        return;
    }
    uint64_t stamp = record_stamp();
    if (!has_single_recorder(thread))
        thread_end_single(thread);
    else if (thread->settling_allocations)
        thread->settling_allocations--;
    uint32_t mark = thread->untimed_left ? AGENT_NOT_TIMED : 0;
    thread->untimed_left = mark ? thread->untimed_left - 1 : thread_random_gap(stamp);
    thread->unmaps = gate.unmaps;
    record_long(thread, AGENT_ALLOC, stamp, block, size_bytes, slack,
                path_find(&thread->paths, frame) | mark);
}

/* Records a free, before the real call. */
static inline void record_free(const void *block)
{
    uint64_t stamp = record_stamp();
    struct thread *thread = record_begin();
    if (UNLIKELY(!thread))
        return;
    if (!has_single_recorder(thread))
        thread_end_single(thread);
    record_put(thread, 0, stamp, pack_kind_and_address(AGENT_FREE, block));
    record_end(thread, 1);
}

/*
 * The agent's wrappers of libc's functions: the only symbols it exports.
 *
 * If a program defines malloc itself, its malloc takes precedence over the agent's: the agent sees
 * only the program's direct calls to libc, and misstop reports that. A malloc of another library
 * (jemalloc, tcmalloc) comes after the agent and is called by it, wherever it was preloaded. The
 * operator new of such a library does not call malloc and is not recorded. To record it, the agent
 * would have to export operator new, which would then also take precedence over that of a libstdc++
 * that is loaded later and that the agent could not find to call.
 *
 * The environment is cleaned, so programs that children exec are not recorded; a program that the
 * process itself execs is.
 */
#define INTERPOSED __attribute__((visibility("default")))

/* The wrapper's own frame: the path starts at its return address. */
#define OWN_FRAME ((void *const *)__builtin_frame_address(0))

/* Records a block from the real function and returns it. */
static inline __attribute__((always_inline)) void *record_allocated(void *block, size_t size,
                                                                    void *const *frame)
{
    if (LIKELY(block) && session_on())
        record_alloc(block, size, frame);
    return block;
}

INTERPOSED void *malloc(size_t size)
{
    return record_allocated(real.malloc(size), size, OWN_FRAME);
}

INTERPOSED void *calloc(size_t count, size_t size)
{
    /* If there is a block, the product did not overflow. */
    return record_allocated(real.calloc(count, size), count * size, OWN_FRAME);
}

INTERPOSED void free(void *block)
{
    if (UNLIKELY(!block || real_is_early(block)))
        return;
    if (session_on())
        record_free(block);
    real.free(block);
}

static void *move_early_block(void *old, size_t size)
{
    size_t rest = (size_t)(real_early + REAL_EARLY_BYTES - (char *)old);
    void *block = real.malloc(size);
    if (block)
        memcpy(block, old, size < rest ? size : rest);
    return block;
}

/* Records the free first, because another thread may get the old address immediately. */
static void *reallocate_block(void *old, size_t size, void *const *frame)
{
    if (UNLIKELY(old && real_is_early(old)))
        return move_early_block(old, size);
    if (!session_on())
        return real.realloc(old, size);
    if (old)
        record_free(old);
    void *block = real.realloc(old, size);
    if (LIKELY(block))
        record_alloc(block, size, frame);
    else if (old && size)
        record_alloc(old, real.usable(old), frame); /* failed: the old block still exists */
    return block;
}

INTERPOSED void *realloc(void *old, size_t size)
{
    return reallocate_block(old, size, OWN_FRAME);
}

/* Does not call the real function: libc's would call our realloc, and jemalloc has none. */
INTERPOSED void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate_block(old, bytes, OWN_FRAME);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t size)
{
    return record_allocated(real.aligned_alloc(alignment, size), size, OWN_FRAME);
}

INTERPOSED int posix_memalign(void **block, size_t alignment, size_t size)
{
    int code = real.posix_memalign(block, alignment, size);
    if (LIKELY(!code && *block) && session_on())
        record_alloc(*block, size, OWN_FRAME);
    return code;
}

INTERPOSED void *memalign(size_t alignment, size_t size)
{
    return record_allocated(real.memalign(alignment, size), size, OWN_FRAME);
}

INTERPOSED void *valloc(size_t size)
{
    return record_allocated(real.valloc(size), size, OWN_FRAME);
}

INTERPOSED void *pvalloc(size_t size)
{
    return record_allocated(real.pvalloc(size), size, OWN_FRAME);
}

/* Mappings that the program makes itself; libc's own (stacks, large blocks, libraries) do not go
 * through these wrappers. Also dlclose(), after which code addresses may have another meaning. */

enum { PAGE = 4096 };

static uint64_t round_up_to_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void record_map(void *address, size_t length, void *const *frame)
{
    record_mapping(AGENT_MAP, address, length, round_up_to_pages(length), frame);
}

/* Counts the unmap, because the range may include stack that was found readable. */
static void record_unmap(void *address, size_t length)
{
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    record_mapping(AGENT_UNMAP, address, length, round_up_to_pages(length), NULL);
}

INTERPOSED void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *mapping = real.mmap(address, length, protection, flags, fd, offset);
    if (mapping != MAP_FAILED && session_on()) {
        if (flags & MAP_FIXED) /* may have replaced a mapping */
            __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
        record_map(mapping, length, OWN_FRAME);
    }
    return mapping;
}

INTERPOSED void *mmap64(void *address, size_t length, int protection, int flags, int fd,
                        off64_t offset) __attribute__((alias("mmap")));

/* Records the unmap before the call, because another thread may get the addresses immediately. */
INTERPOSED int munmap(void *address, size_t length)
{
    bool is_sane = length && !((uintptr_t)address & (PAGE - 1));
    bool is_recorded = session_on() && is_sane;
    if (is_recorded)
        record_unmap(address, length);
    int code = real.munmap(address, length);
    if (code && is_recorded)
        record_map(address, length, OWN_FRAME); /* too many mappings: it still exists */
    return code;
}

static void *remap_mapping(void *old, size_t old_length, size_t length, int flags, void *wanted,
                           void *const *frame)
{
    bool is_recorded = session_on();
    if (is_recorded && old_length)
        record_unmap(old, old_length);
    void *mapping = real.mremap(old, old_length, length, flags, wanted);
    if (!is_recorded)
        return mapping;
    if (mapping != MAP_FAILED)
        record_map(mapping, length, frame);
    else if (old_length && errno != EINVAL && errno != EFAULT)
        record_map(old, old_length, frame);
    return mapping;
}

INTERPOSED void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
    void *wanted = NULL;
    if (flags & MREMAP_FIXED) {
        va_list rest;
        va_start(rest, flags);
        wanted = va_arg(rest, void *);
        va_end(rest);
    }
    return remap_mapping(old, old_length, length, flags, wanted, OWN_FRAME);
}

/* Counts before and after: another thread may be unwinding through the library meanwhile. */
INTERPOSED int dlclose(void *handle)
{
    __atomic_fetch_add(&gate.unloads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    int code = real.dlclose(handle);
    __atomic_fetch_add(&gate.unloads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&gate.unmaps, 1, __ATOMIC_RELAXED);
    return code;
}

/*
 * exec in the watched process itself (a shell's last command, env, a wrapper script): the user
 * wants to watch the new program, so the variables removed from the environment are passed on if
 * that program can load the agent. The exec of a child process is not changed.
 */

enum { NUMBER_BYTES = 32 };

static const char preload_name[] = "LD_PRELOAD=";
static const char number_name[] = AGENT_VARIABLE "=";

static int (*real_execve)(const char *, char *const *, char *const *);
static int (*real_execvpe)(const char *, char *const *, char *const *);
static int (*real_fexecve)(int, char *const *, char *const *);

/* Finds libc's exec early: in a child of a multithreaded program dlsym() could block forever. */
__attribute__((constructor)) static void find_exec(void)
{
    *(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
    *(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
}

/* An environment made by the agent, or the caller's. */
struct exec_environment {
    char **variables;
    void *pages;
    size_t size_bytes;
    int fd;            /* shared memory for the new program; -1: none */
    bool is_unwatched; /* the new program will not load the agent, and misstop has been informed */
};

static bool variable_starts_with(const char *variable, const char *name)
{
    return !strncmp(variable, name, strlen(name));
}

/* Returns false in a vfork child: it shares the gate, but is another process. */
static bool session_is_own(void)
{
    return session_on() && *session.library && session.header->pid == (uint32_t)getpid();
}

/* Writes a decimal number. Returns its end. */
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

/* Opens the shared memory again, through misstop: the agent keeps no descriptor that the program
 * could see, close or replace. Returns -1 if misstop is gone or belongs to another user. */
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
        if (variable_starts_with(environment[count], preload_name))
            *preload = environment[count] + sizeof preload_name - 1;
    return count;
}

/* Checks root directory, user and filters, which may have changed since the start. */
static enum agent_load check_agent_loadable(struct agent_load_work *work)
{
    struct stat status;
    if (stat(session.library, &status) || access(session.library, R_OK) ||
        status.st_dev != session.file.device || status.st_ino != session.file.inode)
        return AGENT_LOAD_NO_AGENT;
    return agent_load_filters(work) > session.header->seccomp_filters ? AGENT_LOAD_FILTERED
                                                                      : AGENT_LOADABLE;
}

static enum agent_load exec_loadable(const char *name, bool is_searched, const char *preload)
{
    struct agent_load_work *work = session_pages(sizeof *work);
    enum agent_load why = AGENT_LOAD_UNREADABLE;
    if (!work)
        return why;
    if (!is_searched || strchr(name, '/') || agent_load_find(work, name, getenv("PATH")))
        why = agent_load_check(work, is_searched && !strchr(name, '/') ? work->path : name,
                               &session.header->linker, preload);
    if (why == AGENT_LOADABLE)
        why = check_agent_loadable(work);
    session_unmap(work, sizeof *work);
    return why;
}

/* Writes to new pages, because a child of vfork() may be using the caller's memory. */
static bool write_variables(struct exec_environment *handed, char *const *environment, size_t count,
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
        if (!variable_starts_with(environment[i], number_name))
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

static void exec_report(enum agent_state state, enum agent_reason reason, enum agent_load why)
{
    session.header->not_followed_reason = why;
    session.header->reason = reason;
    __atomic_store_n(&session.header->state, state, __ATOMIC_RELEASE);
}

/* Makes the environment for an exec of `name`; `is_searched`: in PATH as by execvp(). */
static struct exec_environment make_exec_environment(const char *name, bool is_searched,
                                                     char *const *environment)
{
    struct exec_environment handed = {.variables = (char **)(uintptr_t)environment, .fd = -1};
    const char *preload = "";
    int saved = errno;
    if (!name || !environment || !session_is_own())
        return handed;
    size_t count = count_variables(environment, &preload);
    enum agent_load why = session.header->flags & AGENT_PASS_VARIABLES
                              ? AGENT_LOADABLE
                              : exec_loadable(name, is_searched, preload);
    if (why == AGENT_LOADABLE && (handed.fd = open_memory()) < 0)
        why = AGENT_LOAD_NO_MEMORY;
    if (why == AGENT_LOADABLE && !write_variables(&handed, environment, count, preload))
        why = AGENT_LOAD_NO_MEMORY;
    handed.is_unwatched = why != AGENT_LOADABLE;
    if (handed.is_unwatched)
        exec_report(AGENT_GAVE_UP, AGENT_NOT_FOLLOWED, why);
    errno = saved;
    return handed;
}

/* Cleans up after a failed exec. */
static int undo_exec_environment(const struct exec_environment *handed, int result)
{
    int saved = errno;
    if (handed->fd >= 0)
        close(handed->fd);
    if (handed->pages)
        session_unmap(handed->pages, handed->size_bytes);
    if (handed->is_unwatched)
        exec_report(AGENT_RUNNING, AGENT_NO_REASON, AGENT_LOADABLE);
    errno = saved;
    return result;
}

static int set_errno(long result)
{
    errno = (int)-result;
    return -1;
}

static int exec_program(const char *name, bool is_searched, char *const *words,
                        char *const *environment)
{
    struct exec_environment handed = make_exec_environment(name, is_searched, environment);
    int (*real_exec)(const char *, char *const *, char *const *) =
        is_searched ? real_execvpe : real_execve;
    int result = real_exec ? real_exec(name, words, handed.variables)
                           : set_errno(raw_syscall(SYS_execve, (long)name, (long)words,
                                                   (long)handed.variables, 0, 0, 0));
    return undo_exec_environment(&handed, result);
}

INTERPOSED int execve(const char *path, char *const *words, char *const *environment)
{
    return exec_program(path, false, words, environment);
}

INTERPOSED int execv(const char *path, char *const *words)
{
    return exec_program(path, false, words, environ);
}

INTERPOSED int execvp(const char *file, char *const *words)
{
    return exec_program(file, true, words, environ);
}

INTERPOSED int execvpe(const char *file, char *const *words, char *const *environment)
{
    return exec_program(file, true, words, environment);
}

INTERPOSED int fexecve(int fd, char *const *words, char *const *environment)
{
    if (!real_fexecve) {
        errno = ENOSYS;
        return -1;
    }
    char path[64] = "/proc/self/fd/";
    write_number(path + strlen(path), fd < 0 ? 0 : (unsigned)fd);
    struct exec_environment handed = make_exec_environment(path, false, environment);
    return undo_exec_environment(&handed, real_fexecve(fd, words, handed.variables));
}

static size_t count_exec_arguments(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

#define WITH_WORDS(first, list)                                                                    \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t count = count_exec_arguments(list);                                                     \
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
    return exec_program(path, false, words, environ);
}

INTERPOSED int execlp(const char *file, const char *first, ...)
{
    WITH_WORDS(first, list);
    va_end(list);
    return exec_program(file, true, words, environ);
}

INTERPOSED int execle(const char *path, const char *first, ...)
{
    WITH_WORDS(first, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return exec_program(path, false, words, environment);
}

/*
 * A program that restricts itself: system calls (seccomp) or the time stamp counter (PR_SET_TSC).
 * The agent reads that counter and makes system calls; either would kill the program, so the agent
 * stops first. Programs restrict themselves through prctl() or, like libseccomp, through syscall().
 */

static void check_prctl(long option, unsigned long value)
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
    check_prctl(option, words[0]);
    return real.prctl(option, words[0], words[1], words[2], words[3]);
}

/* Looks for calls by which the program restricts itself, with syscall()'s first arguments. */
__attribute__((used)) static void check_restricting_syscall(long number, long first, long second)
{
    if (number == SYS_prctl)
        check_prctl(first, (unsigned long)second);
    else if (first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER)
        check_prctl(PR_SET_SECCOMP, 0);
}

/* Calls the kernel until libc's function is known. Leaves errno: no caller reads it that early. */
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

/* No frame of its own: the caller may pass any number of arguments, and clone returns twice. */
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
        "    call check_restricting_syscall\n"
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
