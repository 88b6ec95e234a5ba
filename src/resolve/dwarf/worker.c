/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/reader.h"
#include "resolve/dwarf/wire.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/module.h"

/* Limits the reads per call, and so the unread messages to a type or two. */
enum { WORKER_READS_MAX = 64 };

int worker_start(struct worker *worker, struct module *module, const struct serve_source *source,
                 const struct readers_limits *limits)
{
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return -errno;
    pid_t pid = fork();
    if (!pid)
        worker_serve(ends[1], parent, module, source, limits);
    int code = pid < 0 ? -errno : 0;
    close(ends[1]);
    if (code) {
        close(ends[0]);
        return code;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* only this end */
    *worker = (struct worker){.pid = pid, .channel = {.fd = ends[0]}};
    return 0;
}

pid_t worker_end(struct worker *worker)
{
    pid_t pid = worker->pid;
    if (!pid)
        return 0;
    kill(pid, SIGKILL);
    channel_fini(&worker->channel);
    worker->pid = 0;
    return pid;
}

bool worker_send(struct worker *worker, uint32_t number, const struct dwarf_question *question)
{
    struct wire_message message = {.number = number, .question = *question};
    return wire_put(&worker->channel.out, WIRE_QUESTION, &message);
}

int worker_exchange(struct worker *worker)
{
    int code = channel_write(&worker->channel);
    long got = 1;
    /* Messages sent before the process died are still read. */
    for (int i = 0; i < WORKER_READS_MAX && got > 0; i++)
        got = channel_read(&worker->channel);
    if (got > 0 || got == -EAGAIN)
        return code;
    return got ? (int)got : -EPIPE;
}

enum wire_kind worker_receive(struct worker *worker, struct wire_message *message,
                              struct arena *strings)
{
    enum wire_kind kind = wire_take(&worker->channel.in, message, strings);
    return kind == WIRE_QUESTION ? WIRE_BROKEN : kind;
}

uint64_t worker_cpu_ns(const struct worker *worker)
{
    clockid_t clock;
    struct timespec used;
    if (!worker->pid || clock_getcpuclockid(worker->pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}

bool worker_sleeps(const struct worker *worker)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)worker->pid);
    if (!worker->pid || text_read_file(path, text, sizeof text) <= 0)
        return false;
    const char *state = strrchr(text, ')'); /* the name may contain anything */
    return state && state[1] && strchr("SITt", state[2]);
}

uint64_t worker_resident_bytes(const struct worker *worker)
{
    char path[64];
    char text[128];
    char *end = text;
    if (!worker->pid)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)worker->pid);
    if (text_read_file(path, text, sizeof text) <= 0)
        return 0;
    strtoull(text, &end, 10); /* skips the address space */
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum { CONFINE_NICE = 5, CONFINE_FDS_MAX = 1 << 16 };

/* Exits without running misstop's exit handlers, which restore the terminal, even if libdw calls
 * exit() when out of memory. The handler registered last runs first. */
static void exit_at_once(void)
{
    _exit(EXIT_FAILURE);
}

static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
}

/* Resets signals. Ctrl-C, Ctrl-\ and Ctrl-Z at the terminal are for misstop. This process stays in
 * misstop's process group, and misstop ends it. */
static void reset_signals(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL); /* fails for SIGKILL and SIGSTOP */
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Returns true for regular files. Newer kernels have pathless descriptors of that mode. */
static bool is_file(int folder, const char *name, int fd)
{
    char start;
    struct stat status;
    return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
           readlinkat(folder, name, &start, 1) == 1 && start == '/';
}

/* Closes other descriptors: samplers, the agent's socket, the terminal and other readers' sockets
 * would stay open as long as a copy exists. Regular files are harmless, and some will be read. */
static void close_inherited_descriptors(int keep)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    if (!folder)
        _exit(EXIT_FAILURE);
    while ((entry = readdir(folder))) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != keep && fd != dirfd(folder) &&
            !is_file(dirfd(folder), entry->d_name, fd))
            close(fd);
    }
    closedir(folder);
}

/* Returns true if stderr stays open, for a sanitizer's reports: not on a terminal. */
static bool keeps_stderr(void)
{
#if defined __SANITIZE_ADDRESS__
    return !isatty(STDERR_FILENO);
#elif defined __has_feature
#if __has_feature(address_sanitizer)
    return !isatty(STDERR_FILENO);
#endif
#endif
    return false;
}

static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int last = keeps_stderr() ? STDOUT_FILENO : STDERR_FILENO;
    if (null < 0)
        _exit(EXIT_FAILURE);
    for (int fd = STDIN_FILENO; fd <= last; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

static void limit_resource(int resource, uint64_t most)
{
    struct rlimit limits;
    if (getrlimit(resource, &limits))
        return;
    if (limits.rlim_max == RLIM_INFINITY || limits.rlim_max > most)
        limits.rlim_max = most;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(resource, &limits);
}

static uint64_t address_space_bytes(void)
{
    char text[128];
    long got = text_read_file("/proc/self/statm", text, sizeof text);
    return got > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Makes this process the first victim of the OOM killer, before the target and misstop. */
static void raise_oom_score(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, "1000", 4) < 0)
        nice(0); /* best effort */
    close(fd);
}

/* Confines the process. `fd` is the only descriptor kept besides regular files; its possibly new
 * number is returned. Exits if confinement fails or `parent` is already gone. */
static int confine_process(int fd, pid_t parent, uint64_t memory_bytes)
{
    int keep = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (keep < 0)
        _exit(EXIT_FAILURE);
    atexit(exit_at_once);
    end_with_parent(parent);
    reset_signals();
    close_inherited_descriptors(keep);
    leave_terminal();
    prctl(PR_SET_NAME, "misstop-types");
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    raise_oom_score();
    if (nice(CONFINE_NICE) == -1)
        setpriority(PRIO_PROCESS, 0, CONFINE_NICE);
    limit_resource(RLIMIT_CORE, 0);
    limit_resource(RLIMIT_AS, address_space_bytes() + memory_bytes);
    return keep;
}

/* Limits further CPU time of the process: a signal ends it after that. */
static void confine_cpu(uint64_t more_ms)
{
    struct rusage used;
    struct rlimit limits;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limits))
        return;
    limits.rlim_cur =
        (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2 + (more_ms + 999) / 1000;
    if (limits.rlim_cur > limits.rlim_max)
        limits.rlim_cur = limits.rlim_max;
    setrlimit(RLIMIT_CPU, &limits);
}

static bool program_present(struct module *module)
{
    struct debuginfo *debuginfo = module_debuginfo(module);
    return debuginfo && debuginfo_present(debuginfo);
}

/* Drops rights before libdw opens files named in split DWARF by itself. They are opened as the
 * target's user, who could open them anyway, and below the target's root. */
static void drop_rights(const struct files_client *files)
{
    bool is_other_root = files && files->pid && files->is_other_root;
    int root = is_other_root ? files_root(files->pid) : -1;
    if (is_other_root)
        files_change_root(root);
    landlock_confine();
    if (files)
        files_change_user(files);
}

static void *open_program(struct module *module)
{
    struct debuginfo *debuginfo = module_debuginfo(module);
    debuginfo_confined(debuginfo);
    /* All files are open, so neither the target's root nor a client for debuginfod is needed. */
    if (!debuginfo_module(debuginfo))
        return NULL;
    drop_rights(debuginfo_files(debuginfo));
    return program_new(module);
}

static void answer_program(void *opened, const struct dwarf_question *question,
                           struct dwarf_answer *answer)
{
    program_answer(opened, question, answer);
}

static const struct dwarf_type *next_type_of_program(void *opened)
{
    return program_next_type(opened);
}

const struct serve_source serve_program = {.present = program_present,
                                           .open = open_program,
                                           .answer = answer_program,
                                           .next_type = next_type_of_program};

/* Sends the answers before the next question is processed. If that question kills this process,
 * misstop knows which one it was. */
static void send_answers(struct channel *channel)
{
    if (channel_write(channel))
        _exit(EXIT_SUCCESS);
}

static void serve_put(struct channel *channel, enum wire_kind kind, struct wire_message *message)
{
    if (!wire_put(&channel->out, kind, message))
        _exit(EXIT_FAILURE);
}

static void answer_question(struct channel *channel, void *opened,
                            const struct serve_source *source, const struct wire_message *asked)
{
    struct wire_message message = {.number = asked->number};
    const struct dwarf_type *type;
    struct dwarf_answer given;
    source->answer(opened, &asked->question, &given);
    while ((type = source->next_type(opened))) {
        message.type = *type;
        serve_put(channel, WIRE_TYPE, &message);
    }
    message.answer = given;
    serve_put(channel, WIRE_ANSWER, &message);
    send_answers(channel);
}

void worker_serve(int fd, pid_t parent, struct module *module, const struct serve_source *source,
                  const struct readers_limits *limits)
{
    struct channel channel = {.fd = confine_process(fd, parent, limits->memory_bytes)};
    struct wire_message message = {.number = 0};
    confine_cpu((uint64_t)limits->patience_ms * READERS_OPENING_PATIENCE);
    void *opened = source->open(module);
    message.number = opened != NULL;
    serve_put(&channel, WIRE_OPENED, &message);
    send_answers(&channel);
    while (opened && channel_read(&channel) > 0) {
        enum wire_kind kind;
        while ((kind = wire_take(&channel.in, &message, NULL)) == WIRE_QUESTION) {
            confine_cpu(limits->patience_ms);
            answer_question(&channel, opened, source, &message);
        }
        if (kind == WIRE_BROKEN)
            break;
    }
    _exit(EXIT_SUCCESS);
}

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

/* All rights of the first Landlock version; later rights do not permit writing to files either. */
static const uint64_t handled =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool is_allowed(const char *name)
{
    static const char *const never[] = {"dev", "proc", "sys", ".", ".."};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (!strcmp(name, never[i]))
            return false;
    return true;
}

/* Allows reading below one entry of the root directory; a plain file there gets no rule. */
static void allow_reading_below(int ruleset, int root, const char *name)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = openat(root, name, O_PATH | O_CLOEXEC | O_DIRECTORY)};
    if (rule.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_root_entries(int ruleset)
{
    DIR *root = opendir("/");
    struct dirent *entry;
    while (root && (entry = readdir(root)))
        if (is_allowed(entry->d_name))
            allow_reading_below(ruleset, dirfd(root), entry->d_name);
    if (root)
        closedir(root);
}

bool landlock_confine(void)
{
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return false;
    allow_root_entries(ruleset);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    bool confined = !syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return confined;
}

#else
/* The headers are of a kernel without Landlock. */
bool landlock_confine(void)
{
    return false;
}
#endif
