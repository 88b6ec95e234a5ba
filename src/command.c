/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command.h"

#include "launch.h"
#include "resolve/feed.h"

/* Path of the agent in `path` where it is to be loaded. */
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
        feed_hand_on(command->feed);
}

int command_open(struct command *command, const struct options *options, struct error *error)
{
    char agent[PATH_MAX + 64];
    *command = (struct command){.words = options->command};
    open_feed(command, options, agent, sizeof agent);
    if (!options->sim)
        return 0;
    int code = simulation_open(&command->simulation, options, command->feed ? agent : NULL, error);
    command->words = command->simulation.command;
    return code;
}

void command_close(struct command *command)
{
    feed_free(command->feed);
    simulation_close(&command->simulation);
    command->feed = NULL;
}
