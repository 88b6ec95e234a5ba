/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"

enum { STREAM_STEP_BYTES = 65536, STREAM_KEPT_BYTES = 1 << 20 };

static void bytes_fini(struct channel_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct channel_bytes){0};
}

void channel_fini(struct channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = -1;
    bytes_fini(&channel->in);
    bytes_fini(&channel->out);
}

/* Moves the used bytes to the front. Frees a large buffer once it is empty. */
static void compact_bytes(struct channel_bytes *bytes)
{
    if (bytes->start == bytes->end && bytes->room > STREAM_KEPT_BYTES)
        bytes_fini(bytes);
    if (!bytes->start)
        return;
    memmove(bytes->at, bytes->at + bytes->start, bytes->end - bytes->start);
    bytes->end -= bytes->start;
    bytes->start = 0;
}

/* Makes room for more bytes at the end; NULL: out of memory. channel_grown() marks them as used. */
static unsigned char *channel_room(struct channel_bytes *bytes, size_t more)
{
    if (bytes->room - bytes->end < more)
        compact_bytes(bytes);
    if (bytes->room - bytes->end < more &&
        !array_reserve_exact(&bytes->at, &bytes->room, (bytes->end + more) * 2, 1))
        return NULL;
    return bytes->at + bytes->end;
}

static void channel_grown(struct channel_bytes *bytes, size_t more)
{
    bytes->end += more;
}

long channel_read(struct channel *channel)
{
    unsigned char *into = channel_room(&channel->in, STREAM_STEP_BYTES);
    ssize_t got;
    if (!into)
        return -ENOMEM;
    do
        got = read(channel->fd, into, STREAM_STEP_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        channel_grown(&channel->in, (size_t)got);
    return got < 0 ? -errno : got;
}

int channel_write(struct channel *channel)
{
    struct channel_bytes *out = &channel->out;
    while (out->start < out->end) {
        ssize_t gone = send(channel->fd, out->at + out->start, out->end - out->start, MSG_NOSIGNAL);
        if (gone < 0 && errno == EAGAIN)
            return 0;
        if (gone < 0 && errno != EINTR)
            return -errno;
        if (gone > 0)
            out->start += (size_t)gone;
    }
    compact_bytes(out);
    return 0;
}

struct head {
    uint32_t size; /* size of the message after the head */
    uint32_t kind;
    uint32_t number;
};

/* Walks over the fields of a message. Writing and reading share the code, so they cannot differ. */
struct walk {
    struct channel_bytes *out; /* writing */
    const unsigned char *in;   /* reading */
    size_t left;
    struct arena *strings;
    bool is_malformed; /* sticky: all later reads give 0 */
};

static void wire_bytes(struct walk *walk, void *value, size_t size)
{
    if (!size)
        return;
    unsigned char *room = walk->out && !walk->is_malformed ? channel_room(walk->out, size) : NULL;
    walk->is_malformed |= walk->out ? !room : walk->left < size;
    if (walk->out) {
        if (walk->is_malformed)
            return;
        memcpy(room, value, size);
        channel_grown(walk->out, size);
    } else if (walk->is_malformed) {
        memset(value, 0, size);
    } else {
        memcpy(value, walk->in, size);
        walk->in += size;
        walk->left -= size;
    }
}

#define FIELD(walk, field) wire_bytes(walk, &(field), sizeof(field))

/* A byte or word with an exclusive upper bound. */
#define BOUNDED(walk, field, bound)                                                                \
    do {                                                                                           \
        FIELD(walk, field);                                                                        \
        if ((uint64_t)(field) >= (uint64_t)(bound)) {                                              \
            (walk)->is_malformed = true;                                                           \
            (field) = 0;                                                                           \
        }                                                                                          \
    } while (0)

static void wire_flag(struct walk *walk, bool *value)
{
    uint8_t byte = *value;
    BOUNDED(walk, byte, 2);
    *value = byte;
}

static char *take_text(struct walk *walk, size_t length)
{
    char *copy = walk->left >= length ? arena_alloc(walk->strings, length + 1) : NULL;
    if (!copy || memchr(walk->in, 0, length)) {
        walk->is_malformed = true;
        return NULL;
    }
    wire_bytes(walk, copy, length);
    text_sanitise(copy, length + 1, copy, length);
    return copy;
}

/* A string: its length + 1, then its characters. Length 0: NULL. */
static void wire_string(struct walk *walk, const char **string)
{
    size_t length = walk->out && *string ? strnlen(*string, WIRE_TEXT_MAX) : 0;
    uint32_t size = walk->out && *string ? (uint32_t)length + 1 : 0;
    BOUNDED(walk, size, WIRE_TEXT_MAX + 2);
    if (walk->out)
        wire_bytes(walk, (void *)(uintptr_t)*string, length);
    else
        *string = size ? take_text(walk, size - 1) : NULL;
}

static void wire_question(struct walk *walk, struct dwarf_question *asked)
{
    uint8_t ask = asked->ask;
    BOUNDED(walk, ask, DWARF_ASKS);
    asked->ask = ask;
    FIELD(walk, asked->pc);
    FIELD(walk, asked->address);
    FIELD(walk, asked->slot);
    FIELD(walk, asked->displacement);
    FIELD(walk, asked->base);
    FIELD(walk, asked->index);
    FIELD(walk, asked->size);
}

static void wire_answer(struct walk *walk, struct dwarf_answer *given)
{
    BOUNDED(walk, given->untyped, UNTYPED_COUNT);
    BOUNDED(walk, given->how, DWARF_HOW_FOLLOWED);
    BOUNDED(walk, given->slot, DWARF_SLOT_DYNAMIC + 1);
    FIELD(walk, given->type);
    FIELD(walk, given->count);
    FIELD(walk, given->offset);
    wire_flag(walk, &given->indexed);
    FIELD(walk, given->bit_field_offset);
    FIELD(walk, given->unit);
    FIELD(walk, given->size);
    wire_string(walk, &given->name);
    wire_string(walk, &given->file);
    FIELD(walk, given->line);
    BOUNDED(walk, given->inlined_count, DWARF_INLINED_MAX + 1);
    for (uint32_t i = 0; i < given->inlined_count; i++) {
        wire_string(walk, &given->inlined[i]);
        wire_string(walk, &given->inlined_file[i]);
        FIELD(walk, given->inlined_line[i]);
    }
}

static void wire_member(struct walk *walk, struct type_member *part)
{
    wire_string(walk, &part->name);
    wire_string(walk, &part->type);
    FIELD(walk, part->offset);
    FIELD(walk, part->size);
    FIELD(walk, part->count);
    FIELD(walk, part->stride);
    FIELD(walk, part->parent);
    FIELD(walk, part->depth);
    FIELD(walk, part->kind);
    FIELD(walk, part->bit_offset);
    FIELD(walk, part->bit_size);
}

/* Returns true if a member's position fits a depth-first list, and its numbers are in range. */
static bool member_fits(const struct type_member *members, uint32_t i)
{
    const struct type_member *part = &members[i];
    bool top = part->parent == TYPE_NO_MEMBER;
    if (!part->name || !part->type || part->kind > MEMBER_WRAPPER || part->depth > TYPE_DEPTH_MAX ||
        part->offset + part->size < part->offset || (part->count && !part->stride))
        return false;
    return top ? !part->depth : part->parent < i && part->depth == members[part->parent].depth + 1;
}

/* Returns an upper bound of the bytes of a member, including its strings. */
static size_t member_bytes(const struct type_member *part)
{
    return sizeof *part + (part->name ? strnlen(part->name, WIRE_TEXT_MAX) : 0) +
           (part->type ? strnlen(part->type, WIRE_TEXT_MAX) : 0);
}

static uint32_t count_fitting_members(const struct type_desc *desc)
{
    size_t size = 2 * WIRE_TEXT_MAX + sizeof *desc;
    uint32_t count = 0;
    while (count < desc->member_count && count < TYPE_MEMBERS_MAX &&
           (size += member_bytes(&desc->members[count])) < WIRE_MESSAGE_MAX)
        count++;
    return count;
}

static void put_members(struct walk *walk, const struct type_desc *desc, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct type_member part = desc->members[i];
        wire_member(walk, &part);
    }
}

/* Reads the members; the first invalid member ends the list. */
static void take_members(struct walk *walk, struct type_desc *desc, uint32_t count)
{
    struct type_member *members = arena_array(walk->strings, count, sizeof *members);
    uint32_t good = 0;
    walk->is_malformed |= !members;
    for (uint32_t i = 0; i < count && !walk->is_malformed; i++) {
        wire_member(walk, &members[i]);
        if (!walk->is_malformed && good == i && member_fits(members, i))
            good = i + 1;
    }
    desc->is_truncated |= good < count;
    desc->members = members;
    desc->member_count = good;
}

static void wire_type(struct walk *walk, struct dwarf_type *type)
{
    struct type_desc *desc = &type->desc;
    uint32_t count = walk->out ? count_fitting_members(desc) : 0;
    bool cut = desc->is_truncated || (walk->out && count < desc->member_count);
    uint8_t kind = desc->kind;
    wire_string(walk, &desc->name);
    wire_string(walk, &desc->raw);
    BOUNDED(walk, kind, TYPE_POINTER + 1);
    FIELD(walk, desc->size);
    wire_flag(walk, &cut);
    BOUNDED(walk, count, TYPE_MEMBERS_MAX + 1);
    if (walk->out) {
        put_members(walk, desc, count);
        return;
    }
    desc->kind = kind;
    desc->is_truncated = cut;
    desc->managed = false;
    desc->name = desc->name ? desc->name : "";
    walk->is_malformed |= count > walk->left;
    if (!walk->is_malformed)
        take_members(walk, desc, count);
}

static void wire_body(struct walk *walk, enum wire_kind kind, struct wire_message *message)
{
    if (kind == WIRE_QUESTION) {
        wire_question(walk, &message->question);
    } else if (kind == WIRE_ANSWER) {
        wire_answer(walk, &message->answer);
    } else if (kind == WIRE_TYPE) {
        FIELD(walk, message->type.type);
        wire_type(walk, &message->type);
    } else {
        walk->is_malformed |= kind != WIRE_OPENED;
    }
}

bool wire_put(struct channel_bytes *out, enum wire_kind kind, struct wire_message *message)
{
    struct head head = {.kind = kind, .number = message->number};
    struct walk walk = {.out = out};
    size_t before = out->end - out->start; /* start moves when the buffer is full */
    wire_bytes(&walk, &head, sizeof head);
    wire_body(&walk, kind, message);
    if (walk.is_malformed) {
        out->end = out->start + before;
        return false;
    }
    head.size = (uint32_t)(out->end - out->start - before - sizeof head);
    memcpy(out->at + out->start + before, &head, sizeof head);
    return true;
}

enum wire_kind wire_take(struct channel_bytes *in, struct wire_message *message,
                         struct arena *strings)
{
    struct head head;
    size_t there = in->end - in->start;
    if (there < sizeof head)
        return WIRE_NOTHING;
    memcpy(&head, in->at + in->start, sizeof head);
    if (head.size > WIRE_MESSAGE_MAX || head.kind < WIRE_QUESTION || head.kind > WIRE_ANSWER)
        return WIRE_BROKEN;
    if (there - sizeof head < head.size)
        return WIRE_NOTHING;
    struct walk walk = {
        .in = in->at + in->start + sizeof head, .left = head.size, .strings = strings};
    *message = (struct wire_message){.number = head.number};
    wire_body(&walk, head.kind, message);
    in->start += sizeof head + head.size;
    return walk.is_malformed || walk.left ? WIRE_BROKEN : (enum wire_kind)head.kind;
}
