/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/serve.h"

#include "base/files.h"
#include "resolve/debuginfo.h"
#include "resolve/dwarf/confine.h"
#include "resolve/dwarf/landlock.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/wire.h"
#include "resolve/module.h"

#include <stdlib.h>
#include <unistd.h>

static bool program_present(struct module *module)
{
    struct debuginfo *debuginfo = module_debuginfo(module);
    return debuginfo && debuginfo_present(debuginfo);
}

/* From here on libdw opens files by itself, those that split DWARF names: as the target's user, who
 * could open them anyway, and below the target's root. */
static void drop_rights(const struct files_client *files)
{
    bool elsewhere = files && files->pid && files->elsewhere;
    int root = elsewhere ? files_root(files->pid) : -1;
    if (elsewhere)
        files_enter(root);
    landlock_confine();
    if (files)
        files_become(files);
}

static void *open_program(struct module *module)
{
    struct debuginfo *debuginfo = module_debuginfo(module);
    debuginfo_confined(debuginfo);
    /* With all its files open it needs nothing else: not the target's root, nor to run what asks
     * servers. */
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

/* Sends before the next question is looked at: should that one kill us, the parent knows. */
static void send_out(struct channel *channel)
{
    if (channel_write(channel))
        _exit(EXIT_SUCCESS);
}

static void put(struct channel *channel, enum wire_kind kind, struct wire_message *message)
{
    if (!wire_put(&channel->out, kind, message))
        _exit(EXIT_FAILURE);
}

static void answer(struct channel *channel, void *opened, const struct serve_source *source,
                   const struct wire_message *asked)
{
    struct wire_message told = {.number = asked->number};
    const struct dwarf_type *type;
    struct dwarf_answer given;
    source->answer(opened, &asked->question, &given);
    while ((type = source->next_type(opened))) {
        told.type = *type;
        put(channel, WIRE_TYPE, &told);
    }
    told.answer = given;
    put(channel, WIRE_ANSWER, &told);
    send_out(channel);
}

void serve(int fd, pid_t parent, struct module *module, const struct serve_source *source,
           const struct readers_limits *limits)
{
    struct channel channel = {.fd = confine(fd, parent, limits->memory_bytes)};
    struct wire_message message = {.number = 0};
    confine_cpu((uint64_t)limits->patience_ms * READERS_OPENING_PATIENCE);
    void *opened = source->open(module);
    message.number = opened != NULL;
    put(&channel, WIRE_OPENED, &message);
    send_out(&channel);
    while (opened && channel_read(&channel) > 0) {
        enum wire_kind kind;
        while ((kind = wire_take(&channel.in, &message, NULL)) == WIRE_QUESTION) {
            confine_cpu(limits->patience_ms);
            answer(&channel, opened, source, &message);
        }
        if (kind == WIRE_BROKEN)
            break;
    }
    _exit(EXIT_SUCCESS);
}
