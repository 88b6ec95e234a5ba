/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/typing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "resolve/elf/module.h"
#include "resolve/library_types.h"
#include "resolve/members.h"

enum { STRINGS_MAX = 64 << 20, ANSWERS_MAX = 1 << 18, ANSWERS_BLOCK = 1 << 10 };

/* Found by a hash of the question. Among 250,000 questions a collision has probability 10^-8. */
struct cached_answer {
    uint32_t serial; /* serial of the module */
    bool has_answer; /* false: asked, but not answered yet */
    union {
        struct typed_answer answer;
        struct typed_line line; /* of DWARF_LINE */
    };
};

/* A cached question about a stack slot. If the answer is a variable, it is valid for all slots of
 * the variable; slots of an array are rarely asked twice. */
struct cached_slot {
    uint64_t pc;
    int64_t slot;
    uint32_t serial; /* 0: empty */
    const struct cached_answer *known;
};

enum { SLOT_SETS = 1 << 8, SLOT_WAYS = 4, SLOTS_WAITING = 2 /* pending per pc */ };

struct typing {
    struct readers *readers;
    struct types types;
    struct arena strings;    /* strings of the answers */
    struct hash of_question; /* hash of the question -> index of the answer */
    /* Allocated as needed, so answers never move. */
    struct cached_answer *blocks[ANSWERS_MAX / ANSWERS_BLOCK];
    uint32_t count;
    uint64_t patience_ns;
    struct cached_slot slots[SLOT_SETS][SLOT_WAYS];
    unsigned next_way;
    struct typed_answer slot; /* last result of typing_slot() for another slot of a variable */
};

static struct cached_answer *answered_at(const struct typing *typing, uint32_t index)
{
    return &typing->blocks[index / ANSWERS_BLOCK][index % ANSWERS_BLOCK];
}

/* Returns the key of a question. For a fixed variable the code that accesses it is left out,
 * because it only helps the search. */
static uint64_t answers_key_of(uint32_t serial, const struct dwarf_question *question)
{
    bool fixed = question->ask == DWARF_VARIABLE || question->ask == DWARF_TLS;
    uint64_t pc = fixed ? 0 : question->pc;
    uint64_t operand = (uint64_t)question->displacement << 24 ^ (uint64_t)question->base << 16 ^
                       (uint64_t)question->index << 8 ^ question->size;
    return hash_mix(pc ^ hash_mix(question->address ^ (uint64_t)question->slot)) ^
           hash_mix(operand + question->ask) ^ (uint64_t)serial << 40;
}

static const char *answers_keep_text(struct typing *typing, const char *text)
{
    return typing->strings.used_bytes < STRINGS_MAX ? arena_string(&typing->strings, text) : NULL;
}

static struct cached_answer *answers_find(const struct typing *typing, uint32_t serial,
                                          const struct dwarf_question *question)
{
    const uint32_t *index = hash_find(&typing->of_question, answers_key_of(serial, question));
    return index ? answered_at(typing, *index) : NULL;
}

/* Adds an entry for a question that was asked; at most ANSWERS_MAX. NULL: out of memory. */
static struct cached_answer *answers_expect(struct typing *typing, uint32_t serial,
                                            const struct dwarf_question *question)
{
    struct cached_answer **block = &typing->blocks[typing->count / ANSWERS_BLOCK];
    uint64_t key = answers_key_of(serial, question);
    if (!*block)
        *block = malloc(ANSWERS_BLOCK * sizeof **block);
    uint32_t *slot = *block ? hash_insert(&typing->of_question, key, NULL) : NULL;
    if (!slot)
        return NULL;
    *slot = typing->count;
    struct cached_answer *expected = answered_at(typing, typing->count++);
    *expected = (struct cached_answer){.serial = serial};
    return expected;
}

/* Formats the functions inlined at an instruction, as in "min < clamp". */
static const char *format_inlined(struct typing *typing, const struct dwarf_answer *answer)
{
    char text[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < answer->inlined_count && i < DWARF_INLINED_MAX; i++) {
        int more = snprintf(text + used, sizeof text - used, "%s%s", i ? " < " : "",
                            answer->inlined[i] ? answer->inlined[i] : "?");
        if (more < 0 || used + (size_t)more >= sizeof text)
            break;
        used += (size_t)more;
    }
    return used ? answers_keep_text(typing, text) : NULL;
}

static bool is_program_source(const char *file)
{
    return file && *file && !library_source(file);
}

/* Finds the innermost line outside inlined library functions, or the library's own line. */
static void find_own_line(struct typing *typing, const struct dwarf_answer *answer,
                          struct typed_line *line)
{
    uint32_t count =
        answer->inlined_count < DWARF_INLINED_MAX ? answer->inlined_count : DWARF_INLINED_MAX;
    uint32_t outer = 0; /* index + 1 */
    for (uint32_t i = 0;
         i < count && !is_program_source(outer ? answer->inlined_file[outer - 1] : answer->file);
         i++)
        outer = answer->inlined_file[i] ? i + 1 : outer;
    line->own_file =
        outer ? answers_keep_text(typing, answer->inlined_file[outer - 1]) : line->file;
    line->own_line = outer ? answer->inlined_line[outer - 1] : line->line;
}

static void answers_fill(struct typing *typing, struct cached_answer *known,
                         const struct dwarf_answer *answer)
{
    uint32_t type = types_of_file(&typing->types, known->serial, answer->type);
    if (answer->question.ask == DWARF_LINE) {
        known->line = (struct typed_line){.file = answers_keep_text(typing, answer->file),
                                          .inlined = format_inlined(typing, answer),
                                          .line = answer->line};
        find_own_line(typing, answer, &known->line);
        return;
    }
    known->answer =
        (struct typed_answer){.type = type,
                              .untyped = type              ? 0
                                         : answer->type    ? (uint8_t)UNTYPED_GAVE_UP
                                         : answer->untyped ? answer->untyped
                                                           : (uint8_t)UNTYPED_NO_VARIABLE,
                              .how = answer->how,
                              .slot = answer->slot,
                              .indexed = answer->indexed,
                              .bit_field_offset = answer->bit_field_offset,
                              .unit = answer->unit,
                              .offset = answer->offset,
                              .count = answer->count,
                              .size = answer->size,
                              .name = answers_keep_text(typing, answer->name)};
}

static void typing_take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    struct typing *typing = context;
    types_add(&typing->types, serial, type->type, &type->desc);
}

/* Stores an answer; unexpected or repeated answers are ignored. */
static void typing_take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    struct typing *typing = context;
    struct cached_answer *expected = answers_find(typing, serial, &answer->question);
    if (!expected || expected->has_answer)
        return;
    expected->has_answer = true;
    answers_fill(typing, expected, answer);
}

struct typing *typing_new(void)
{
    struct typing *typing = calloc(1, sizeof *typing);
    if (!typing)
        return NULL;
    struct readers_take take = {
        .context = typing, .type = typing_take_type, .answer = typing_take_answer};
    types_init(&typing->types);
    typing->readers = readers_new(&readers_usual, &take);
    if (!typing->readers) {
        typing_free(typing);
        return NULL;
    }
    return typing;
}

void typing_free(struct typing *typing)
{
    if (!typing)
        return;
    if (typing->readers)
        readers_free(typing->readers);
    types_fini(&typing->types);
    arena_fini(&typing->strings);
    hash_fini(&typing->of_question);
    for (size_t i = 0; i < sizeof typing->blocks / sizeof *typing->blocks; i++)
        free(typing->blocks[i]);
    free(typing);
}

size_t typing_run(struct typing *typing, uint64_t now_ns)
{
    return readers_run(typing->readers, now_ns);
}

void typing_expect(struct typing *typing, const struct module *module)
{
    readers_expect(typing->readers, module);
    readers_run(typing->readers, clock_now_ns());
}

void typing_forget(struct typing *typing)
{
    readers_forget(typing->readers);
    hash_clear(&typing->of_question);
    typing->count = 0;
    memset(typing->slots, 0, sizeof typing->slots);
}

void typing_set_patience(struct typing *typing, uint64_t patience_ns)
{
    typing->patience_ns = patience_ns;
}

/* Waits for an answer. A recording has no real-time limit, so its samples can wait for answers. */
static void typing_wait_for(struct typing *typing, const struct cached_answer *known)
{
    uint64_t start_ns = clock_now_ns();
    uint64_t passed_ns = 0;
    while (!known->has_answer && passed_ns < typing->patience_ns) {
        readers_run(typing->readers, start_ns + passed_ns);
        if (!known->has_answer)
            readers_wait(typing->readers);
        passed_ns = clock_now_ns() - start_ns;
    }
    typing->patience_ns -= passed_ns < typing->patience_ns ? passed_ns : typing->patience_ns;
}

/* Returns the answer to a question without room, or about a file without debug information. */
static const struct cached_answer *refused_answer(enum dwarf_ask ask, bool without)
{
    static const struct cached_answer known[] = {{.answer = {.untyped = UNTYPED_GAVE_UP}},
                                                 {.answer = {.untyped = UNTYPED_NO_DEBUG}}};
    static const struct cached_answer no_line;
    return ask == DWARF_LINE ? &no_line : &known[without];
}

/* Returns the answer, or NULL if there is none yet; asks the question if it is new. */
static const struct cached_answer *ask_question(struct typing *typing, const struct module *module,
                                                const struct dwarf_question *question)
{
    uint32_t serial = module_serial(module);
    struct cached_answer *known = answers_find(typing, serial, question);
    if (known)
        return known->has_answer ? known : NULL;
    bool without = readers_without(typing->readers, module);
    if (without || typing->count == ANSWERS_MAX)
        return refused_answer(question->ask, without);
    if (!readers_ask(typing->readers, module, question))
        return NULL;
    known = answers_expect(typing, serial, question);
    if (!known)
        return NULL;
    if (typing->patience_ns)
        typing_wait_for(typing, known);
    return known->has_answer ? known : NULL;
}

const struct typed_answer *typing_operand(struct typing *typing, const struct module *module,
                                          const struct access *access)
{
    static const struct typed_answer no_code = {.untyped = UNTYPED_NO_CODE};
    struct dwarf_question question = {.ask = DWARF_ACCESS,
                                      .pc = access->ip,
                                      .displacement = access->displacement,
                                      .base = access->base,
                                      .index = access->index,
                                      .size = access->size};
    if (!module)
        return &no_code;
    const struct cached_answer *known = ask_question(typing, module, &question);
    return known ? &known->answer : NULL;
}

const struct typed_answer *typing_answer(struct typing *typing, const struct module *module,
                                         enum dwarf_ask what, uint64_t pc, uint64_t address)
{
    const struct cached_answer *known = ask_question(
        typing, module, &(struct dwarf_question){.ask = what, .pc = pc, .address = address});
    return known ? &known->answer : NULL;
}

/* Returns true if the answer for one slot is valid for another slot of the same function. */
static bool answer_covers_slot(const struct cached_slot *asked, int64_t slot)
{
    const struct typed_answer *variable = &asked->known->answer;
    if (variable->slot != DWARF_SLOT_VARIABLE || !variable->size)
        return slot == asked->slot;
    return (uint64_t)(slot - (asked->slot - variable->offset)) < variable->size;
}

const struct typed_answer *typing_slot(struct typing *typing, const struct module *module,
                                       uint64_t pc, int64_t slot)
{
    struct dwarf_question question = {.ask = DWARF_SLOT, .pc = pc, .slot = slot};
    uint32_t serial = module_serial(module);
    struct cached_slot *set = typing->slots[hash_mix(pc + serial) % SLOT_SETS];
    unsigned waiting = 0;
    for (unsigned i = 0; i < SLOT_WAYS; i++) {
        bool same = set[i].known && set[i].serial == serial && set[i].pc == pc;
        if (same && set[i].known->has_answer && answer_covers_slot(&set[i], slot)) {
            typing->slot = set[i].known->answer;
            typing->slot.offset += slot - set[i].slot;
            return &typing->slot;
        }
        waiting += same && !set[i].known->has_answer;
    }
    if (waiting >= SLOTS_WAITING)
        return NULL;
    const struct cached_answer *answer = ask_question(typing, module, &question);
    const struct cached_answer *known = answers_find(typing, serial, &question);
    if (known)
        set[typing->next_way++ % SLOT_WAYS] =
            (struct cached_slot){.pc = pc, .slot = slot, .serial = serial, .known = known};
    return answer ? &answer->answer : NULL;
}

const struct typed_line *typing_line(struct typing *typing, const struct module *module,
                                     uint64_t pc)
{
    const struct cached_answer *known =
        ask_question(typing, module, &(struct dwarf_question){.ask = DWARF_LINE, .pc = pc});
    return known ? &known->line : NULL;
}

const struct types *typing_types(const struct typing *typing)
{
    return &typing->types;
}

struct readers_status typing_status(const struct typing *typing)
{
    return readers_status(typing->readers);
}

enum { TYPES_MAX = 1 << 16, TYPES_BYTES_MAX = 64 << 20 };

void types_init(struct types *types)
{
    *types = (struct types){0};
    arena_init(&types->memory);
}

uint32_t typing_declare(struct typing *typing, const struct type_desc *desc)
{
    return types_add(&typing->types, UINT32_MAX, 0, desc);
}

void types_fini(struct types *types)
{
    arena_fini(&types->memory);
    hash_fini(&types->of_content);
    hash_fini(&types->of_file);
    free(types->types);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_mix(hash ^ hash_bytes(text, strlen(text)));
}

static uint64_t content_of_member(uint64_t hash, const struct type_member *member)
{
    uint64_t place = (uint64_t)member->depth << 32 | (uint64_t)member->kind << 16 |
                     (uint64_t)member->bit_offset << 8 | member->bit_size;
    hash = hash_text(hash_text(hash, member->name), member->type);
    hash = hash_mix(hash + member->offset);
    hash = hash_mix(hash + member->size);
    hash = hash_mix(hash + member->count);
    hash = hash_mix(hash + ((uint64_t)member->parent << 32 | member->stride));
    return hash_mix(hash + place);
}

static uint64_t content_of(const struct type_desc *desc)
{
    uint64_t shape = desc->member_count | (uint64_t)desc->kind << 48 |
                     (uint64_t)desc->is_truncated << 56 | (uint64_t)desc->managed << 57;
    uint64_t hash = hash_text(hash_mix(desc->size) ^ shape, desc->name);
    hash = hash_text(hash, desc->raw ? desc->raw : "");
    for (uint32_t i = 0; i < desc->member_count; i++)
        hash = content_of_member(hash, &desc->members[i]);
    return hash;
}

static bool copy_members(struct types *types, struct type_desc *kept, const struct type_desc *desc)
{
    struct type_member *members =
        arena_array(&types->memory, desc->member_count, sizeof *desc->members);
    for (uint32_t i = 0; members && i < desc->member_count; i++) {
        members[i] = desc->members[i];
        members[i].name = arena_string(&types->memory, desc->members[i].name);
        members[i].type = arena_string(&types->memory, desc->members[i].type);
        if (!members[i].name || !members[i].type)
            return false;
    }
    kept->members = members;
    return members;
}

static bool types_make_room(struct types *types)
{
    return array_reserve_next(&types->types, &types->room, types->count + 1, sizeof *types->types,
                              ARRAY_UNBOUNDED);
}

static uint32_t add_type(struct types *types, const struct type_desc *desc, uint64_t content)
{
    if (types->count == TYPES_MAX || types->memory.used_bytes > TYPES_BYTES_MAX ||
        !types_make_room(types))
        return 0;
    struct type_desc *kept = &types->types[types->count + 1];
    *kept = *desc;
    kept->name = arena_string(&types->memory, desc->name);
    kept->raw = arena_string(&types->memory, desc->raw);
    uint32_t *slot = kept->name && copy_members(types, kept, desc)
                         ? hash_insert(&types->of_content, content, NULL)
                         : NULL;
    return slot ? *slot = ++types->count : 0;
}

static uint64_t file_key(uint32_t serial, uint32_t reference)
{
    return (uint64_t)serial << 32 | reference;
}

uint32_t types_add(struct types *types, uint32_t serial, uint32_t reference,
                   const struct type_desc *given)
{
    struct type_desc desc = *given;
    if (desc.member_count > TYPE_MEMBERS_MAX) {
        desc.member_count = TYPE_MEMBERS_MAX;
        desc.is_truncated = true;
    }
    uint64_t content = content_of(&desc);
    const uint32_t *known = hash_find(&types->of_content, content);
    uint32_t type = known ? *known : add_type(types, &desc, content);
    hash_put(&types->of_file, file_key(serial, reference), type);
    return type;
}

uint32_t types_of_file(const struct types *types, uint32_t serial, uint32_t reference)
{
    const uint32_t *type = hash_find(&types->of_file, file_key(serial, reference));
    return type ? *type : 0;
}

bool types_contains(const struct types *types, uint32_t outer, uint32_t inner)
{
    const struct type_desc *whole = types_at(types, outer);
    const struct type_desc *part = types_at(types, inner);
    return whole && part && type_has_part(whole, part);
}
