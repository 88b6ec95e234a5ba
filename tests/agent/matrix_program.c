/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs that tests/launch-matrix runs bare and under misstop, by name. Each does something
 * that an agent in the process could disturb, and prints what it observes. Standard C and Linux
 * only, because it is also built static, with musl and with sanitizers.
 *
 *   matrix_program NAME [ARGUMENT]
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

static const char *self;
static const char *argument;
static __thread void *volatile kept;

static void work(int pairs)
{
    for (int i = 0; i < pairs; i++) {
        kept = malloc(16 + (size_t)(i % 3000));
        free(kept);
    }
}

static int print_status(pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        return 1;
    printf("child ended with %x\n", (unsigned)status);
    return 0;
}

static int descriptors(void)
{
    char name[64];
    char target[256];
    for (int fd = 0; fd < 4096; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0)
            continue;
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t got = readlink(name, target, sizeof target - 1);
        target[got > 0 ? got : 0] = '\0';
        /* The descriptors that the harness redirects have different names in the two runs. */
        printf("descriptor %d flags %d mode %d %s\n", fd, flags, fcntl(fd, F_GETFL),
               fd < 3 ? "" : target);
    }
    return 0;
}

static int environment(void)
{
    char block[1 << 16];
    for (char **variable = environ; *variable; variable++)
        printf("%s\n", *variable);
    int fd = open("/proc/self/environ", O_RDONLY);
    ssize_t got = fd < 0 ? 0 : read(fd, block, sizeof block);
    close(fd);
    /* Zeroes at the end remain if the kernel does not let the agent set the end. */
    while (got > 1 && !block[got - 1] && !block[got - 2])
        got--;
    for (ssize_t i = 0; i < got; i++)
        putchar(block[i] ? block[i] : '\n');
    printf("%zd bytes\n", got);
    return 0;
}

static int limits(void)
{
    struct rlimit limit;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (!getrlimit(i, &limit))
            printf("limit %d %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
                   (unsigned long long)limit.rlim_max);
    printf("nice %d, scheduler %d, dumpable %d, no new rights %d, slack %d\n",
           getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), prctl(PR_GET_DUMPABLE, 0, 0, 0, 0),
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
    mode_t mask = umask(0);
    printf("umask %o, users %d %d, groups %d %d\n", mask, getuid(), geteuid(), getgid(), getegid());
    return 0;
}

static int dispositions(void)
{
    sigset_t mask;
    struct sigaction action;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < 65; i++)
        if (!sigaction(i, NULL, &action))
            printf("signal %d blocked %d ignored %d handled %d\n", i, sigismember(&mask, i),
                   action.sa_handler == SIG_IGN,
                   action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL);
    return 0;
}

static int functions(void)
{
    void *block = NULL;
    free(calloc(10, 100));
    free(realloc(malloc(10), 5000));
    free(aligned_alloc(64, 640));
    if (posix_memalign(&block, 4096, 10000))
        return 1;
    free(block);
    free(strdup("text"));
    errno = 0;
    kept = malloc(PTRDIFF_MAX);
    printf("too much: %d %d\n", kept != NULL, errno == ENOMEM);
    errno = 77;
    work(1000);
    printf("errno stays %d\n", errno);
    return 0;
}

static pthread_key_t key;

static void at_thread_end(void *data)
{
    work(10);
    if (data == &key)
        pthread_setspecific(key, &self);
}

static void *short_thread(void *data)
{
    pthread_setspecific(key, &key);
    work(100);
    return data;
}

static int run_threads(int count, int rounds)
{
    pthread_t threads[64];
    pthread_key_create(&key, at_thread_end);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++)
            if (pthread_create(&threads[i], NULL, short_thread, NULL))
                return 1;
        for (int i = 0; i < count; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d threads\n", count * rounds);
    return 0;
}

static int threads(void)
{
    return run_threads(16, 100);
}

static void *last_thread(void *data)
{
    work(1000);
    printf("the last thread\n");
    fflush(stdout);
    return data;
}

static int thread_exit(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, last_thread, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}

/* Writes the resident kilobytes to a separate file: they may differ between the two runs. */
static void note_memory(const char *when)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    FILE *out = fopen("memory.txt", "a");
    while (status && out && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmRSS:", 6) || !strncmp(line, "VmSize:", 7))
            fprintf(out, "%s %s", when, line);
    if (status)
        fclose(status);
    if (out)
        fclose(out);
}

static pthread_barrier_t barrier;

static void *resting_thread(void *data)
{
    work(2000);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return data;
}

static int hundred_threads(void)
{
    enum { COUNT = 100 };
    pthread_t all[COUNT];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    pthread_barrier_init(&barrier, NULL, COUNT + 1);
    for (int i = 0; i < COUNT; i++)
        if (pthread_create(&all[i], &small, resting_thread, NULL))
            return 1;
    pthread_barrier_wait(&barrier);
    note_memory("busy");
    usleep(1500000);
    note_memory("rest");
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < COUNT; i++)
        pthread_join(all[i], NULL);
    usleep(1500000);
    note_memory("end");
    return 0;
}

static int forks(void)
{
    for (int i = 0; i < 5; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            work(1000);
            printf("child %d\n", i);
            exit(i);
        }
        work(1000);
        if (print_status(pid))
            return 1;
    }
    return 0;
}

static int vforks(void)
{
    pid_t pid = vfork();
    if (!pid) {
        execl(self, self, "environment", NULL);
        _exit(9);
    }
    work(1000);
    return print_status(pid);
}

static int spawns(void)
{
    pid_t pid;
    char *words[] = {(char *)(uintptr_t)self, (char *)"environment", NULL};
    return posix_spawn(&pid, self, NULL, NULL, words, environ) || print_status(pid);
}

static int clones(void)
{
    fflush(stdout);
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!pid) {
        work(1000);
        _exit(5);
    }
    return print_status(pid);
}

static int exec_self(void)
{
    work(100);
    execl("/nowhere", "nowhere", NULL);
    printf("exec failed: %d\n", errno);
    fflush(stdout);
    execl(self, self, "environment", NULL);
    return 1;
}

static int exec_descriptors(void)
{
    fflush(stdout);
    execl(self, self, "descriptors", NULL);
    return 1;
}

static int exec_open(void)
{
    int fd = open(self, O_RDONLY | O_CLOEXEC);
    char *words[] = {(char *)(uintptr_t)self, (char *)"functions", NULL};
    fflush(stdout);
    fexecve(fd, words, environ);
    return 1;
}

/* Executes the program in the argument, which cannot load the agent. */
static int exec_other(void)
{
    work(100);
    fflush(stdout);
    execl(argument, argument, "environment", NULL);
    return 1;
}

static int exec_in_chroot(void)
{
    char name[] = "root/program";
    mkdir("root", 0700);
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        execlp("cp", "cp", argument, name, NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    if (chroot("root") || chdir("/"))
        return 77;
    execl("/program", "program", "functions", NULL);
    return 1;
}

/* glibc's linker and library in another root, which lacks the agent. */
static int exec_in_copy(void)
{
    static const char script[] =
        "mkdir -p copy/lib64 && cp $(ldd \"$0\" | grep -o '/[^ ]*') copy/lib64 && "
        "cp \"$0\" copy/program";
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        execlp("sh", "sh", "-c", script, self, NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    if (chroot("copy") || chdir("/"))
        return 77;
    setenv("LD_LIBRARY_PATH", "/lib64", 1);
    execl("/program", "program", "functions", NULL);
    return 1;
}

static int exec_as_other_user(void)
{
    if (setgid(65534) || setuid(65534))
        return 77;
    fflush(stdout);
    execlp("id", "id", "-u", NULL);
    return 1;
}

static int loads(void)
{
    for (int i = 0; i < 50; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW);
        if (!library)
            return 77;
        double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
        work(10);
        if (cosine && cosine(0) != 1)
            return 1;
        dlclose(library);
    }
    return 0;
}

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    ticks += number == SIGALRM;
}

static int interrupts(void)
{
    static char other_stack[64 << 10];
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval rate = {{0, 100}, {0, 100}};
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &rate, NULL);
    work(300000);
    rate = (struct itimerval){0};
    setitimer(ITIMER_REAL, &rate, NULL);
    printf("interrupted: %d\n", ticks > 0);
    return 0;
}

static jmp_buf back;

static void jump(int depth)
{
    volatile char frame[300];
    frame[0] = (char)depth;
    work(3);
    if (depth)
        jump(depth - 1);
    longjmp(back, frame[0] + 1);
}

static int jumps(void)
{
    for (volatile int i = 0; i < 300; i++)
        if (!setjmp(back))
            jump(i % 20);
    return 0;
}

#ifndef NO_CONTEXTS /* musl has none */
static ucontext_t main_context;
static ucontext_t other_context;

static void other_function(void)
{
    for (int i = 0; i < 10; i++) {
        work(100);
        swapcontext(&other_context, &main_context);
    }
}

static int contexts(void)
{
    enum { STACK = 256 << 10 };
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = STACK;
    other_context.uc_link = &main_context;
    makecontext(&other_context, other_function, 0);
    for (int i = 0; i < 11; i++)
        swapcontext(&main_context, &other_context);
    return munmap(stack, STACK);
}
#endif

static int ends_by_signal(void)
{
    work(1000);
    fflush(stdout);
    raise(argument ? atoi(argument) : SIGSEGV);
    return 0;
}

static int ends_with_status(void)
{
    work(1000);
    _exit(123);
}

static int writes_to_closed_pipe(void)
{
    int ends[2];
    if (pipe(ends))
        return 1;
    close(ends[0]);
    errno = 0;
    printf("written %zd, errno %d\n", write(ends[1], "x", 1), errno);
    return 0;
}

static int closes_all(void)
{
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    work(1000);
    int fd = open("/dev/null", O_RDONLY);
    printf("next descriptor %d\n", fd);
    for (int i = fd + 1; i < 1000; i++)
        dup3(fd, i, O_CLOEXEC);
    work(1000);
    execl("/nowhere", "nowhere", NULL);
    int closing = 0;
    for (int i = 0; i < 1024; i++) {
        int flags = fcntl(i, F_GETFD);
        closing += flags >= 0 && flags & FD_CLOEXEC;
    }
    printf("%d close on exec\n", closing);
    fflush(stdout);
    execl(self, self, "descriptors", NULL);
    return 1;
}

static int forbids_clock(void)
{
    work(1000);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
        return 77;
    work(1000);
    return 0;
}

static int forbids_clock_and_execs(void)
{
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
        return 77;
    execl(self, self, "functions", NULL);
    return 1;
}

static int strict(void)
{
    work(1000);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
        return 77;
    work(10);
    syscall(SYS_write, 1, "strict\n", 7);
    syscall(SYS_exit, 0);
    return 1;
}

#define ALLOW(number)                                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int filter(int by_call)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_read),
        ALLOW(SYS_write),
        ALLOW(SYS_brk),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    work(1000);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        (by_call ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
                 : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
        return 77;
    work(10000);
    syscall(SYS_write, 1, "filtered\n", 9);
    syscall(SYS_exit_group, 4);
    return 1;
}

static int filter_by_prctl(void)
{
    return filter(0);
}

static int filter_by_call(void)
{
    return filter(1);
}

/* Sets the limit slightly above the memory in use: a higher limit would leave room for the agent's
 * mappings. */
static int limits_itself(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        return 77;
    fclose(file);
    rlim_t most = pages * 4096 + (24 << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    void *block = malloc(20 << 20);
    printf("20 MiB within a limit: %d\n", block != NULL);
    free(block);
    return 0;
}

static int limited(void)
{
    struct rlimit limit = {argument ? (rlim_t)atol(argument) << 20 : 0, RLIM_INFINITY};
    limit.rlim_max = limit.rlim_cur;
    setrlimit(RLIMIT_AS, &limit);
    fflush(stdout);
    execl(self, self, "functions", NULL);
    return 1;
}

static int few_descriptors(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){8, 8});
    fflush(stdout);
    execl(self, self, "descriptors", NULL);
    return 1;
}

static int maps(void)
{
    char *map = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map = mremap(map, 1 << 20, 2 << 20, MREMAP_MAYMOVE);
    printf("%d %d\n", map != MAP_FAILED, munmap(map, 2 << 20));
    errno = 0;
    printf("%d %d\n", munmap((char *)1, 10), errno);
    return 0;
}

static int writes_files(void)
{
    char name[32];
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "file%d", i);
        FILE *file = fopen(name, "w");
        fprintf(file, "%d\n", i);
        fclose(file);
    }
    return rename("file0", "renamed");
}

static const struct {
    const char *name;
    int (*run)(void);
} all[] = {
    {"descriptors", descriptors},
    {"environment", environment},
    {"limits", limits},
    {"dispositions", dispositions},
    {"functions", functions},
    {"threads", threads},
    {"thread-exit", thread_exit},
    {"hundred-threads", hundred_threads},
    {"forks", forks},
    {"vforks", vforks},
    {"spawns", spawns},
    {"clones", clones},
    {"exec-self", exec_self},
    {"exec-descriptors", exec_descriptors},
    {"exec-open", exec_open},
    {"exec-other", exec_other},
    {"exec-in-chroot", exec_in_chroot},
    {"exec-in-copy", exec_in_copy},
    {"exec-as-other-user", exec_as_other_user},
    {"loads", loads},
    {"interrupts", interrupts},
    {"jumps", jumps},
#ifndef NO_CONTEXTS
    {"contexts", contexts},
#endif
    {"ends-by-signal", ends_by_signal},
    {"ends-with-status", ends_with_status},
    {"writes-to-closed-pipe", writes_to_closed_pipe},
    {"closes-all", closes_all},
    {"forbids-clock", forbids_clock},
    {"forbids-clock-and-execs", forbids_clock_and_execs},
    {"strict", strict},
    {"filter-by-prctl", filter_by_prctl},
    {"filter-by-call", filter_by_call},
    {"limits-itself", limits_itself},
    {"limited", limited},
    {"few-descriptors", few_descriptors},
    {"maps", maps},
    {"writes-files", writes_files},
};

int main(int count, char **words)
{
    self = words[0];
    argument = count > 2 ? words[2] : NULL;
    for (size_t i = 0; count > 1 && i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, words[1]))
            return all[i].run();
    return 2;
}
