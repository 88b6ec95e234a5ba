/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Creates one hazard for the agent, selected by name. Each hazard allocates blocks of MARK bytes
 * (victim.h), which the test counts in the record. The status is 0 unless the program itself saw an
 * error.
 *
 *   victim HAZARD [FILE]
 */
#include "victim.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *hazard = "";
static const char *file = "";
static const char *self = "";

/* Taken by code that is not position-independent, so the address of malloc is in this program. */
static void *(*volatile address_of_malloc)(size_t);

/* Hides the pair from the compiler, which would otherwise remove it. */
static __attribute__((noinline)) void mark(size_t size)
{
    void *volatile block = malloc(size);
    free(block);
}

static void mark_many(size_t size, int count)
{
    for (int i = 0; i < count; i++)
        mark(size);
}

static int wait_for(pid_t pid)
{
    int status = 1;
    waitpid(pid, &status, 0);
    return status;
}

/* Children by fork, by a bare clone (which runs no fork handlers) and by exec. */
static int hazard_fork(void)
{
    mark_many(MARK, 10);
    pid_t pid = fork();
    if (!pid) {
        mark_many(MARK_CHILD, 10);
        _exit(0);
    }
    int bad = wait_for(pid);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!pid) {
        mark_many(MARK_CHILD, 10);
        _exit(0);
    }
    bad |= wait_for(pid);
    pid = fork();
    if (!pid) {
        execl(self, self, "child", NULL);
        _exit(1);
    }
    bad |= wait_for(pid);
    mark_many(MARK, 10);
    return bad;
}

/* Executes itself again in the same process, by each exec function; the first exec fails. */
static int hazard_exec(void)
{
    static const char own[] = "/proc/self/exe";
    const char *step = getenv("STEP") ? getenv("STEP") : "0";
    char next[] = {"STEP="
                   "0"};
    char *words[] = {(char *)own, (char *)"exec", NULL};
    char *environment[] = {next, NULL};
    mark_many(MARK, 10);
    next[5] = (char)(*step + 1);
    if (getenv("MISSTOP_AGENT") || execve("/nowhere", words, environment) != -1)
        return 1;
    mark_many(MARK_LATE, 1); /* still recorded after a failed exec */
    putenv(next);
    switch (*step) {
    case '0':
        execve(own, words, environment);
        break;
    case '1':
        execv(own, words);
        break;
    case '2':
        execvp(own, words);
        break;
    case '3':
        execl(own, own, "exec", NULL);
        break;
    case '4':
        execle(own, own, "exec", NULL, environment);
        break;
    case '5':
        execlp(own, own, "exec", NULL);
        break;
    default:
        return 0;
    }
    return 1;
}

static int hazard_child(void)
{
    mark_many(MARK_CHILD, 10);
    return getenv("MISSTOP_AGENT") || getenv("LD_PRELOAD");
}

static void *short_thread(void *data)
{
    mark(MARK);
    return data;
}

/* Also allocates in other destructors, after the agent's own has run. */
static pthread_key_t key;

static void late_destructor(void *data)
{
    mark(MARK_LATE);
    if (data != &key)
        return;
    pthread_setspecific(key, &hazard); /* again, in the next round of destructors */
}

static void *destructed_thread(void *data)
{
    mark(MARK);
    pthread_setspecific(key, &key);
    return data;
}

static int run_threads(void *(*function)(void *), int count)
{
    pthread_t threads[4];
    for (int i = 0; i < count; i += 4) {
        for (int j = 0; j < 4; j++)
            if (pthread_create(&threads[j], NULL, function, NULL))
                return 1;
        for (int j = 0; j < 4; j++)
            pthread_join(threads[j], NULL);
    }
    return 0;
}

static int hazard_threads(void)
{
    return run_threads(short_thread, THREADS);
}

static int hazard_destructors(void)
{
    return pthread_key_create(&key, late_destructor) || run_threads(destructed_thread, THREADS);
}

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    ticks += number == SIGALRM;
}

/* Interrupts malloc and its recording repeatedly. */
static int hazard_signals(void)
{
    struct itimerval rate = {{0, 50}, {0, 50}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &rate, NULL);
    for (int i = 0; i < SIGNAL_PAIRS; i++)
        mark(MARK);
    rate = (struct itimerval){0};
    setitimer(ITIMER_REAL, &rate, NULL);
    return ticks < 10;
}

static int hazard_dlopen(void)
{
    for (int i = 0; i < 50; i++) {
        void *library = dlopen(file, RTLD_NOW);
        if (!library)
            return 1;
        void (*allocate)(size_t) = (void (*)(size_t))dlsym(library, "plugin_allocate");
        if (!allocate)
            return 1;
        allocate(MARK);
        dlclose(library);
    }
    return 0;
}

static jmp_buf back;
static volatile int may_jump = 1;

static __attribute__((noinline)) void jump(int depth)
{
    char frame[200];
    memset(frame, depth, sizeof frame);
    mark(MARK);
    if (depth)
        jump(depth - 1);
    else if (may_jump)
        longjmp(back, 1);
    __asm__ volatile("" : : "r"(frame) : "memory");
}

static int hazard_longjmp(void)
{
    for (volatile int i = 0; i < 100; i++)
        if (!setjmp(back))
            jump(i % 10);
    return 0;
}

static int hazard_environment(void)
{
    const char *preload = getenv("LD_PRELOAD");
    mark(MARK);
    return getenv("MISSTOP_AGENT") || strcmp(preload ? preload : "", file) != 0;
}

/* Indirect calls of malloc. Calls C++'s operators without a C++ compiler. */
static int hazard_indirect(void)
{
    char text[MARK];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    free(strdup(text)); /* MARK bytes */
    free(strndup(text, sizeof text));
    free(reallocarray(reallocarray(NULL, MARK, 1), 1, MARK));
    void *library = dlopen("libstdc++.so.6", RTLD_NOW);
    if (!library)
        return 77;
    void *(*new)(size_t) = (void *(*)(size_t))dlsym(library, "_Znwm");
    void (*delete)(void *) = (void (*)(void *))dlsym(library, "_ZdlPv");
    delete (new (MARK));
    return 0;
}

/* Calls every function once; the sizes distinguish the calls. */
static int hazard_functions(void)
{
    void *block;
    free(aligned_alloc(64, FUNCTION_SIZE(0)));
    if (posix_memalign(&block, 4096, FUNCTION_SIZE(1)))
        return 1;
    free(block);
    free(memalign(128, FUNCTION_SIZE(2)));
    free(valloc(FUNCTION_SIZE(3)));
    free(pvalloc(FUNCTION_SIZE(4)));
    free(calloc(1, FUNCTION_SIZE(5)));
    free(realloc(realloc(NULL, FUNCTION_SIZE(6)), FUNCTION_SIZE(7)));
    void *volatile huge = realloc(malloc(FUNCTION_SIZE(8)), SIZE_MAX / 4); /* fails: block stays */
    return huge != NULL;
}

static int hazard_maps(void)
{
    char *map = mmap(NULL, MARK_MAP, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map = mremap(map, MARK_MAP, 2 * MARK_MAP, MREMAP_MAYMOVE);
    if (map == MAP_FAILED || munmap(map, 2 * MARK_MAP))
        return 1;
    return !(munmap(map + 1, 4096) == -1 && errno == EINVAL);
}

/* Stacks made by the program itself, unmapped between threads. */
static int hazard_stacks(void)
{
    pthread_t thread;
    enum { STACK = 1 << 20 };
    for (int i = 0; i < 20; i++) {
        pthread_attr_t attributes;
        char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, STACK - 4096 * (size_t)(i % 8));
        if (pthread_create(&thread, &attributes, short_thread, NULL))
            return 1;
        pthread_join(thread, NULL);
        munmap(stack, STACK);
    }
    return 0;
}

/* Allocates and frees until the end of standard input. */
static int hazard_reader(void)
{
    char byte;
    mark_many(MARK, 100000);
    if (write(STDOUT_FILENO, "", 1) != 1)
        return 1;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    mark_many(MARK, 1000000);
    return 0;
}

static int hazard_full(void)
{
    mark_many(MARK, FULL_PAIRS);
    return 0;
}

static int hazard_early(void)
{
    return 0; /* see the constructor and the functions called at exit */
}

static void at_exit(void)
{
    if (!strcmp(hazard, "early"))
        mark(MARK_LATE);
}

__attribute__((constructor(101))) static void before_main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "early"))
        mark(MARK);
}

__attribute__((destructor)) static void after_exit(void)
{
    if (!strcmp(hazard, "early"))
        mark(MARK_LATE);
}

static const struct {
    const char *name;
    int (*run)(void);
} hazards[] = {
    {"fork", hazard_fork},
    {"child", hazard_child},
    {"exec", hazard_exec},
    {"threads", hazard_threads},
    {"destructors", hazard_destructors},
    {"signals", hazard_signals},
    {"dlopen", hazard_dlopen},
    {"longjmp", hazard_longjmp},
    {"environment", hazard_environment},
    {"indirect", hazard_indirect},
    {"functions", hazard_functions},
    {"maps", hazard_maps},
    {"stacks", hazard_stacks},
    {"reader", hazard_reader},
    {"full", hazard_full},
    {"early", hazard_early},
};

int main(int count, char **words)
{
    self = words[0];
    hazard = count > 1 ? words[1] : "";
    file = count > 2 ? words[2] : "";
    atexit(at_exit);
    address_of_malloc = malloc;
    for (size_t i = 0; i < sizeof hazards / sizeof *hazards; i++)
        if (!strcmp(hazards[i].name, hazard))
            return hazards[i].run();
    return 2;
}
