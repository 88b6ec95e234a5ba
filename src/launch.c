/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent_abi.h"
#include "resolve/heap/feed.h"
#include "terminal.h"

static void redirect_terminal(int fd, const char *path, int flags)
{
    if (!isatty(fd))
        return;
    int file = open(path, flags, 0600);
    if (file >= 0) {
        dup2(file, fd);
        close(file);
    }
}

/* Variables that make the dynamic linker load the agent, and lead it to the shared memory. */
struct agent_variables {
    char preload[4096];
    char memory[64];
};

/* Builds the child's environment with the agent's variables last. The user's LD_PRELOAD stays:
 * ld.so uses the last one, and the agent removes its two variables. NULL: out of memory. */
static char **make_environment(struct agent_variables *variables)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **made = malloc((count + 3) * sizeof *made);
    if (!made)
        return NULL;
    memcpy(made, environ, count * sizeof *made);
    made[count] = variables->preload;
    made[count + 1] = variables->memory;
    made[count + 2] = NULL;
    return made;
}

int launch_find(char *path, size_t size, const char *built, const char *installed,
                struct error *error)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        snprintf(path, size, "%.*s/%s", (int)(strrchr(self, '/') - self), self, built);
        if (!access(path, R_OK))
            return 0;
    }
    snprintf(path, size, PKGLIBDIR "/%s", installed);
    return access(path, R_OK)
               ? error_set(error, -ENOENT, "%s is missing; make install puts it there", path)
               : 0;
}

static int launch_agent(char *path, size_t size, struct error *error)
{
    return launch_find(path, size, "agent/" AGENT_FILE, AGENT_FILE, error);
}

static int prepare_agent(const struct feed *feed, struct agent_variables *variables,
                         struct error *error)
{
    char path[PATH_MAX + 64];
    int code = launch_agent(path, sizeof path, error);
    return code ? code
                : feed_environment(feed, path, variables->preload, sizeof variables->preload,
                                   variables->memory, sizeof variables->memory, error);
}

static void child_wait_and_exec(const struct launch *launch, const struct launch_options *options,
                                struct agent_variables *variables, int gate, int report)
{
    char byte;
    char *const *command = options->command;
    if (options->signals)
        signals_restore(options->signals);
    char **environment =
        options->feed && !feed_inherit(options->feed) ? make_environment(variables) : NULL;
    if (launch->output[0]) {
        redirect_terminal(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect_terminal(STDOUT_FILENO, launch->output, O_WRONLY | O_APPEND);
        redirect_terminal(STDERR_FILENO, launch->output, O_WRONLY | O_APPEND);
    }
    if (options->stdout_to_stderr)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    /* A byte means go; end of file means that misstop died before sending it. */
    if (read(gate, &byte, 1) != 1)
        _exit(127);
    execvpe(command[0], command, environment ? environment : environ);
    int code = errno;
    if (write(report, &code, sizeof code) != sizeof code)
        _exit(127);
    _exit(127);
}

static int make_output(struct launch *launch)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || strlen(folder) > 32)
        folder = "/tmp";
    snprintf(launch->output, sizeof launch->output, "%s/misstop-output-XXXXXX", folder);
    int fd = mkostemp(launch->output, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return close(fd);
}

int launch_prepare(struct launch *launch, const struct launch_options *options, struct error *error)
{
    char *const *command = options->command;
    struct agent_variables variables;
    int gate[2] = {-1, -1};
    int report[2] = {-1, -1};
    *launch = (struct launch){.gate = -1, .exec_error_fd = -1};
    if (options->feed && prepare_agent(options->feed, &variables, error))
        return -ENOENT;
    if (options->is_redirected && make_output(launch))
        return error_set(error, -EIO, "no temporary file for the output of %s; set TMPDIR",
                         command[0]);
    if (pipe2(gate, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
        goto failed;
    launch->pid = fork();
    if (launch->pid < 0)
        goto failed;
    if (!launch->pid) {
        close(gate[1]);
        child_wait_and_exec(launch, options, &variables, gate[0], report[1]);
    }
    close(gate[0]);
    close(report[1]);
    launch->gate = gate[1];
    launch->exec_error_fd = report[0];
    return 0;

failed:
    launch->pid = 0;
    for (int i = 0; i < 2; i++) {
        if (gate[i] >= 0)
            close(gate[i]);
        if (report[i] >= 0)
            close(report[i]);
    }
    return error_set(error, -errno, "cannot start %s: %s", command[0], strerror(errno));
}

int launch_exec(struct launch *launch, const char *name, struct error *error)
{
    int code = 0;
    if (write(launch->gate, "", 1) != 1)
        return error_set(error, -errno, "%s exited before it could be started", name);
    close(launch->gate);
    launch->gate = -1;
    /* exec closes the report pipe; if exec failed, the pipe has its errno. */
    ssize_t got = read(launch->exec_error_fd, &code, sizeof code);
    close(launch->exec_error_fd);
    launch->exec_error_fd = -1;
    if (got != sizeof code)
        return 0;
    waitpid(launch->pid, &launch->status, 0);
    launch->ended = true;
    return error_set(error, -code, "cannot run %s: %s", name, strerror(code));
}

bool launch_ended(struct launch *launch)
{
    if (launch->pid && !launch->ended &&
        waitpid(launch->pid, &launch->status, WNOHANG) == launch->pid)
        launch->ended = true;
    return launch->ended;
}

void launch_end_text(struct launch *launch, char *out, size_t size)
{
    *out = '\0';
    if (!launch_ended(launch))
        return;
    if (WIFSIGNALED(launch->status))
        snprintf(out, size, "by signal %d (%s)", WTERMSIG(launch->status),
                 strsignal(WTERMSIG(launch->status)));
    else
        snprintf(out, size, "with status %d", WEXITSTATUS(launch->status));
}

void launch_fini(struct launch *launch)
{
    enum { TRIES = 40 };
    if (launch->gate >= 0)
        close(launch->gate);
    if (launch->exec_error_fd >= 0)
        close(launch->exec_error_fd);
    if (launch->pid && !launch_ended(launch)) {
        kill(launch->pid, SIGTERM);
        for (int i = 0; i < TRIES && !launch_ended(launch); i++)
            nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
    }
    launch->gate = launch->exec_error_fd = -1;
}

/* Opens the feed and sets `path` to the agent if it is to be loaded. */
static void open_feed(struct command *command, const struct options *options, char *path,
                      size_t size)
{
    struct error *note = &command->heap_note;
    if (!(options->heap & OPTIONS_HEAP_AGENT) || launch_agent(path, size, note) ||
        feed_refusal(options->command[0], note) != AGENT_LOADABLE)
        return;
    if (feed_new(&command->feed, note))
        command->feed = NULL;
    else if (options->sim)
        feed_allow_exec(command->feed);
}

int command_open(struct command *command, const struct options *options, struct error *error)
{
    char agent[PATH_MAX + 64];
    *command = (struct command){.argv = options->command};
    open_feed(command, options, agent, sizeof agent);
    if (!options->sim)
        return 0;
    int code = simulation_open(&command->simulation, options, command->feed ? agent : NULL, error);
    command->argv = command->simulation.command;
    return code;
}

void command_close(struct command *command)
{
    feed_free(command->feed);
    simulation_close(&command->simulation);
    command->feed = NULL;
}
