/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages that a reader of debugging information could send if a hostile file had taken it over:
 * changed, truncated, joined and invented messages through wire_take(). Each accepted message must
 * be one that the rest of misstop can rely on.
 *
 *   FUZZ_EXECUTIONS=1000000 FUZZ_SEED=7 tests/fuzz/fuzz_wire
 *
 * With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_wire.c
 */
#include "resolve/dwarf/wire.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MESSAGES = 64 }; /* messages of a stream checked before the arena is emptied */

static void check_text(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ')
            abort(); /* not sanitised */
}

static void check_type(const struct type_desc *desc)
{
    check_text(desc->name);
    if (desc->kind > TYPE_POINTER || desc->member_count > TYPE_MEMBERS_MAX)
        abort();
    for (uint32_t i = 0; i < desc->member_count; i++) {
        const struct type_member *part = &desc->members[i];
        check_text(part->name);
        check_text(part->type);
        bool top = part->parent == TYPE_NO_MEMBER;
        if (!part->name || !part->type || part->kind > MEMBER_WRAPPER ||
            part->depth > TYPE_DEPTH_MAX || (!top && part->parent >= i) ||
            part->depth != (top ? 0 : desc->members[part->parent].depth + 1))
            abort();
    }
}

static void check_answer(const struct dwarf_answer *answer)
{
    if (answer->untyped >= UNTYPED_COUNT || answer->how >= DWARF_HOW_FOLLOWED ||
        answer->slot > DWARF_SLOT_DYNAMIC || answer->inlined_count > DWARF_INLINED_MAX)
        abort();
    check_text(answer->name);
    check_text(answer->file);
    for (uint32_t i = 0; i < answer->inlined_count; i++) {
        check_text(answer->inlined[i]);
        check_text(answer->inlined_file[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct channel_bytes in = {0};
    struct arena strings = {0};
    struct wire_message message;
    enum wire_kind kind = WIRE_QUESTION;
    /* Exact size on the heap, to detect a read past the end. */
    in.at = malloc(size + !size);
    memcpy(in.at, data, size);
    in.room = in.end = size;
    for (unsigned i = 0; i < FUZZ_MESSAGES && kind >= WIRE_QUESTION; i++) {
        size_t before = in.start;
        kind = wire_take(&in, &message, &strings);
        if (in.start > in.end || (kind >= WIRE_QUESTION && in.start == before))
            abort();
        if (kind == WIRE_TYPE)
            check_type(&message.type.desc);
        if (kind == WIRE_ANSWER)
            check_answer(&message.answer);
    }
    arena_fini(&strings);
    free(in.at);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { FUZZ_EXECUTIONS_USUAL = 100000, FUZZ_BYTES = 1 << 16 };

static const struct type_member members[] = {
    {.name = "at", .type = "struct point", .size = 16, .parent = TYPE_NO_MEMBER},
    {.name = "y", .type = "double", .offset = 8, .size = 8, .parent = 0, .depth = 1},
    {.name = "next", .type = "struct atom *", .offset = 16, .size = 8, .parent = TYPE_NO_MEMBER}};

/* Puts one message of each kind, one after the other. */
static void put_seed(struct channel_bytes *out)
{
    struct wire_message opened = {.number = 1};
    struct wire_message type = {
        .type = {.type = 3,
                 .desc = {.name = "struct atom",
                          .kind = TYPE_STRUCT,
                          .size = 24,
                          .members = members,
                          .member_count = sizeof members / sizeof *members}}};
    struct wire_message answer = {.number = 7,
                                  .answer = {.how = DWARF_HOW_STACK,
                                             .slot = DWARF_SLOT_SPILL,
                                             .type = 3,
                                             .count = 9,
                                             .size = 64,
                                             .name = "list",
                                             .file = "/src/a.c",
                                             .line = 77,
                                             .inlined_count = 2,
                                             .inlined = {"min", NULL},
                                             .inlined_file = {NULL, "b.h"}}};
    struct wire_message question = {.number = 8, .question = {.ask = DWARF_SLOT, .pc = 1}};
    if (!wire_put(out, WIRE_OPENED, &opened) || !wire_put(out, WIRE_TYPE, &type) ||
        !wire_put(out, WIRE_ANSWER, &answer) || !wire_put(out, WIRE_QUESTION, &question))
        abort();
}

static size_t mutate(uint8_t *at, size_t size, size_t room, struct prng *prng)
{
    static const uint8_t telling[] = {0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0xff};
    for (uint64_t changes = 1 + prng_below(prng, 8); changes && size; changes--) {
        size_t where = prng_below(prng, (uint32_t)size);
        size_t from = prng_below(prng, (uint32_t)size);
        size_t length = prng_below(prng, 64);
        uint64_t how = prng_below(prng, 6);
        length = length > size - from ? size - from : length;
        if (how == 0 && size + length <= room) { /* a piece repeated */
            memmove(at + where + length, at + where, size - where);
            memmove(at + where, at + from, length);
            size += length;
        } else if (how == 1) { /* a piece removed */
            memmove(at + from, at + from + length, size - from - length);
            size -= length;
        } else if (how == 2) {
            at[where] ^= (uint8_t)(1u << prng_below(prng, 8));
        } else {
            at[where] = prng_below(prng, 3) ? telling[prng_below(prng, sizeof telling)]
                                            : (uint8_t)prng_next(prng);
        }
    }
    return prng_below(prng, 8) || !size ? size : prng_below(prng, (uint32_t)size + 1);
}

int main(void)
{
    static uint8_t bytes[FUZZ_BYTES];
    const char *count = getenv("FUZZ_EXECUTIONS");
    const char *start = getenv("FUZZ_SEED");
    unsigned long executions = count ? strtoul(count, NULL, 10) : FUZZ_EXECUTIONS_USUAL;
    struct prng prng = {start ? strtoul(start, NULL, 10) : 1};
    struct channel_bytes seed = {0};
    put_seed(&seed);
    LLVMFuzzerTestOneInput(seed.at, seed.end);
    for (unsigned long i = 0; i < executions; i++) {
        memcpy(bytes, seed.at, seed.end);
        LLVMFuzzerTestOneInput(bytes, mutate(bytes, seed.end, sizeof bytes, &prng));
    }
    free(seed.at);
    printf("%lu changed streams of messages\n", executions);
    return 0;
}
#endif
