/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ending.h"

#include "resolve/feed.h"
#include "view/binary_words.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void ending_binaries(const struct options *options, const struct pipeline *pipeline)
{
    struct binary_desc list[BINARIES_SHOWN];
    if (!pipeline || !options->input || !options->batch)
        return;
    struct snapshot_binaries binaries = pipeline_binaries(pipeline, list);
    binary_report(stderr, &binaries);
}

int ending_status(const struct launch *launch)
{
    if (WIFEXITED(launch->status))
        return WEXITSTATUS(launch->status);
    int number = WTERMSIG(launch->status);
    signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    return 128 + number;
}

void ending_simulation(const struct simulation *simulation)
{
    char text[320];
    simulation_trouble(simulation, text, sizeof text);
    if (text[0])
        fprintf(stderr, "misstop: --sim: %s\n", text);
}

void ending_heap(const struct command *command)
{
    const char *why = NULL;
    if (command->feed && feed_state(command->feed, &why) == FEED_GAVE_UP)
        fprintf(stderr, "misstop: no allocations are recorded: %s\n", why);
}

void ending_output(const char *program, const char *output, bool started)
{
    if (output[0] && started)
        fprintf(stderr, "misstop: what %s printed is in %s\n", program, output);
    else if (output[0])
        unlink(output);
}
