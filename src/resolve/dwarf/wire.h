/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions, answers and types as messages between misstop and the process that reads debugging
 * information. Both are the same program, so numbers are as they are in memory. Messages of that
 * process are as hostile as the file it read: sizes, counts, kinds and strings are checked here,
 * strings sanitised once more.
 */
#ifndef MISSTOP_RESOLVE_DWARF_WIRE_H
#define MISSTOP_RESOLVE_DWARF_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "resolve/dwarf/question.h"

/*
 * One end of a socket pair with bytes received but not taken and bytes not sent yet. Whether it
 * waits is the descriptor's own setting.
 */
/* A buffer with its used part [start, end). */
struct channel_bytes {
    unsigned char *at;
    size_t start;
    size_t end;
    size_t room;
};

struct channel {
    int fd; /* owned; -1: closed */
    struct channel_bytes in;
    struct channel_bytes out;
};

void channel_fini(struct channel *channel);

/* One read of the available bytes: > 0 bytes, 0 end, or a negative errno (-EAGAIN: nothing now). */
long channel_read(struct channel *channel);

/* Writes all, or as much as goes without waiting (0 too); a negative errno: the end. */
int channel_write(struct channel *channel);

enum wire_kind {
    WIRE_NOTHING, /* no whole message yet */
    WIRE_BROKEN,  /* an invalid message; nothing after it can be trusted */
    WIRE_QUESTION,
    WIRE_OPENED, /* the file was opened, or has no debug information: see number */
    WIRE_TYPE,
    WIRE_ANSWER
};

enum { WIRE_MESSAGE_MAX = 1 << 20, WIRE_TEXT_MAX = 4095 };

struct wire_message {
    uint32_t number; /* of the question; OPENED: 1 usable, 0 not */
    union {
        struct dwarf_question question;
        struct dwarf_answer answer; /* without its question */
        struct dwarf_type type;
    };
};

/* Appends one message. False: out of memory. Of a type too large members are left out. */
bool wire_put(struct channel_bytes *out, enum wire_kind kind, struct wire_message *message);

/* Takes the next whole message; its strings and members live in the arena. */
enum wire_kind wire_take(struct channel_bytes *in, struct wire_message *message,
                         struct arena *strings);

#endif
