/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encodes questions, answers and types as messages between misstop and the process that reads debug
 * information. Both run the same binary, so numbers have their in-memory form. Messages from that
 * process are as untrusted as the file it reads: sizes, counts, kinds and strings are checked here,
 * and strings are sanitised again.
 */
#ifndef MISSTOP_RESOLVE_DWARF_WIRE_H
#define MISSTOP_RESOLVE_DWARF_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "resolve/dwarf/question.h"

/* One end of a socket pair, with the bytes received but not taken, and the bytes not yet sent. The
 * descriptor itself may be blocking or not. */

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

/* Reads the available bytes once: > 0 bytes, 0 end, or a negative errno (-EAGAIN: nothing now). */
long channel_read(struct channel *channel);

/* Writes all pending bytes, or as many as possible without blocking (possibly none). A negative
 * errno: the connection has ended. */
int channel_write(struct channel *channel);

enum wire_kind {
    WIRE_NOTHING, /* no complete message yet */
    WIRE_BROKEN,  /* an invalid message; nothing after it can be trusted */
    WIRE_QUESTION,
    WIRE_OPENED, /* the file was opened, or has no debug information: see `number` */
    WIRE_TYPE,
    WIRE_ANSWER
};

enum { WIRE_MESSAGE_MAX = 1 << 20, WIRE_TEXT_MAX = 4095 };

struct wire_message {
    uint32_t number; /* number of the question; OPENED: 1 usable, 0 not */
    union {
        struct dwarf_question question;
        struct dwarf_answer answer; /* without the question */
        struct dwarf_type type;
    };
};

/* Appends a message; drops members of a type that is too large. Returns false if out of memory. */
bool wire_put(struct channel_bytes *out, enum wire_kind kind, struct wire_message *message);

/* Takes the next complete message; its strings and members are in the arena. */
enum wire_kind wire_take(struct channel_bytes *in, struct wire_message *message,
                         struct arena *strings);

#endif
