/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/store/store_planned.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snapshot.h"
#include "unit/names.h"

/* Strings stay valid for some more calls, like those of the resolver. */
static const char *numbered_text(struct planned *planned, const char *what, unsigned id)
{
    char *text = planned->text[planned->next++ % 8];
    snprintf(text, sizeof planned->text[0], "%s_%u of %u", what, id, planned->generation);
    return text;
}

static bool object(void *context, uint32_t id, struct object_desc *desc)
{
    if (id >= PLANNED_OBJECTS)
        return false;
    *desc = (struct object_desc){.name = numbered_text(context, "object", id),
                                 .module = id % 3 ? "libthing.so" : "",
                                 .type = id % 2 ? "struct thing [3]" : NULL,
                                 .type_id = id % PLANNED_TYPES,
                                 .type_votes = id * 7,
                                 .type_votes_against = id % 5,
                                 .kind = (enum object_kind)(id % OBJECT_KIND_COUNT),
                                 .address = UINT64_C(0x7f0000000000) + id * 4096,
                                 .size_bytes = 64 + id,
                                 .blocks = 1};
    return true;
}

static bool function(void *context, uint32_t id, struct function_desc *desc)
{
    if (id >= PLANNED_FUNCTIONS)
        return false;
    *desc = (struct function_desc){.name = numbered_text(context, "function", id),
                                   .module = "program",
                                   .file = "/src/program.c",
                                   .line = id * 10,
                                   .start = 0x400000 + id * 256,
                                   .end = 0x400000 + id * 256 + 200};
    return true;
}

/* Stacks of three: nodes 1 to 3 are functions 1 to 3, nodes 4 to 6 are their callers, and so on. */
static bool caller(void *context, uint32_t node, struct caller_desc *desc)
{
    (void)context;
    *desc = (struct caller_desc){node > 3 ? node - 3 : 0, node % PLANNED_FUNCTIONS};
    return node && node <= PLANNED_CALLERS;
}

static bool type(void *context, uint32_t id, struct type_desc *desc)
{
    struct planned *planned = context;
    if (!id || id >= PLANNED_TYPES)
        return false;
    for (unsigned i = 0; i < 4; i++)
        planned->members[i] = (struct type_member){.name = i ? "part" : "",
                                                   .type = "double [3]",
                                                   .offset = i * 24,
                                                   .size = 24,
                                                   .count = 3,
                                                   .stride = 8,
                                                   .parent = i == 3 ? 2 : TYPE_NO_MEMBER,
                                                   .depth = i == 3,
                                                   .kind = MEMBER_FIELD,
                                                   .bit_size = (uint8_t)i};
    *desc = (struct type_desc){.name = "struct thing",
                               .raw = id % 2 ? "lib::thing<int>" : NULL,
                               .kind = TYPE_STRUCT,
                               .size = 96 + id,
                               .members = planned->members,
                               .managed = id % 3 == 0,
                               .member_count = 4};
    return true;
}

static bool instruction(void *context, uint64_t address, struct instruction_desc *desc)
{
    *desc = (struct instruction_desc){.file = "/src/program.c",
                                      .line = (uint32_t)address % 1000,
                                      .inlined = address & 1 ? numbered_text(context, "inlined", 1)
                                                             : NULL};
    return true;
}

static bool planned_instruction_text(void *context, uint64_t address, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "mov 0x%llx(%%rax),%%rdx", (unsigned long long)address & 0xff);
    return true;
}

static bool heap(void *context, struct heap_summary *summary)
{
    *summary = (struct heap_summary){.feed = HEAP_FEED_AGENT,
                                     .source = "agent",
                                     .note = numbered_text(context, "note", 0),
                                     .live_blocks = 77,
                                     .usable_bytes = 4096,
                                     .requested_bytes = 4000,
                                     .lost = 1,
                                     .failed = 2,
                                     .bins = PLANNED_BINS,
                                     .mark_age_s = NAN};
    return true;
}

static bool heap_bin(void *context, uint32_t index, struct heap_bin *bin)
{
    struct planned *planned = context;
    if (index >= PLANNED_BINS)
        return false;
    planned->site[0] = "xmalloc (xmalloc.c:7)";
    planned->site[1] = numbered_text(planned, "caller", index);
    *bin = (struct heap_bin){.id = index + 100,
                             .object = index + 1,
                             .name = numbered_text(planned, "bin", index),
                             .path = "xmalloc < main",
                             .site = planned->site,
                             .site_count = index % 3,
                             .type_id = index % PLANNED_TYPES,
                             .is_size_class = index % 2,
                             .live_blocks = index * 10 + planned->generation,
                             .usable_bytes = index * 1000,
                             .allocations_per_s = index ? 2.5 * index : NAN,
                             .frees_per_s = NAN,
                             .lifetime_s = 0.1,
                             .age_s = index == 1 ? NAN : 3.25 + planned->generation,
                             .quiet_s = index == 2 ? NAN : 0.000000001,
                             .growth_blocks = -3,
                             .growth_bytes = NAN};
    bin->sizes[index] = index;
    return true;
}

static bool thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    const struct planned *planned = context;
    snprintf(out, out_size, "thread-%u-%u", tid, planned->generation);
    return tid % 2;
}

/* Two tables of them. */
static bool pair(const struct planned *planned, uint64_t number, struct line_pair *pair)
{
    uint32_t place = (uint32_t)number ? (uint32_t)number : 1;
    uint64_t table = number >> 32 << 32;
    *pair = planned_pair(place, planned->pairs_ns);
    return place <= planned->pairs && (table == line_pair_number(LINE_USED_BY, 1, 0) ||
                                       table == line_pair_number(LINE_EVICTED_BY, 0, 0));
}

static bool planned_answer(void *context, enum place_question question, uint64_t number,
                           union place_answer *answer)
{
    struct planned *planned = context;
    struct fake_names fake = {.context = planned,
                              .object = object,
                              .function = function,
                              .caller = caller,
                              .type = type,
                              .instruction = instruction,
                              .thread = thread,
                              .heap = heap,
                              .heap_bin = heap_bin};
    if (question == PLACE_PAIR)
        return pair(planned, number, &answer->pair);
    if (question == PLACE_CODE) {
        answer->code = (uint32_t)number % PLANNED_FUNCTIONS;
        return true;
    }
    if (planned->of_memory && question != PLACE_THREAD && question >= PLACE_EXTENT &&
        question != PLACE_HEAP && question != PLACE_BIN) {
        *answer = *planned->of_memory;
        return true;
    }
    return fake_names_answer(&fake, question, number, answer);
}

struct place_names planned_names(struct planned *planned)
{
    return (struct place_names){planned_answer, planned};
}

void planned_facts(struct store_facts *facts, uint64_t period)
{
    *facts = (struct store_facts){
        .info = {.source = "clock",
                 .weight_unit = "time stalled",
                 .exact_ip = true,
                 .has_lines = true,
                 .event_count = 2,
                 .events = {{"cpu-clock", EVENT_TIME, "time", period, 1, 2},
                            {"page-faults", EVENT_OTHER, "", 1, NAN, 0}}},
        .target =
            {.pid = 4711, .threads = 3, .comm = "program", .exe = "/bin/program", .alive = true},
        .cache_level = "L1d",
        .cache_size_bytes = 32768,
        .cache_ways = 8,
        .cache_line_bytes = 64,
        .host = "here"};
    facts->simulation = (struct snapshot_simulation){
        .level_count = 2,
        .level = {{32768, 8, 64, period * 7, period}, {1 << 20, 16, 64, period * 3, 1}},
        .loads = period << 40,
        .stores = period * 50,
        .accesses = (period << 40) + period * 49,
        .miss_period = 23,
        .dropped = period * 9,
        .counting = true};
    facts->watch = (struct snapshot_watch){.is_on = true,
                                           .registers = 4,
                                           .threads = 3,
                                           .threads_left_out = 1,
                                           .offered = period * 5,
                                           .armed = period,
                                           .over_budget = 2,
                                           .touches = period / 2,
                                           .trap_ns = 2500.5,
                                           .arm_ns = 51000,
                                           .budget = 0.01,
                                           .overhead = NAN,
                                           .failure = "one register is taken"};
    facts->whatif = (struct snapshot_whatifs){
        .list = {{.state = WHATIF_COUNTING,
                  .object = "particles",
                  .object_id = 3,
                  .question = "hot=key",
                  .layout = "Of 40 bytes, 8 apart.",
                  .settled = period % 2,
                  .blocks = 1,
                  .blocks_small = (double)period,
                  .accesses = 1e12,
                  .object_accesses = (double)period * 3,
                  .split_accesses = 0.5,
                  .level_count = 2,
                  .level = {{8000, 6000, 7000, 5000, 10}, {(double)period, 1, 0.25, 900, NAN}},
                  .stall_before = 824000,
                  .stall_after = (double)period,
                  .number = 2},
                 {.state = WHATIF_REFUSED, .question = "pad", .object = "", .reason = "no room"}},
        .count = 2,
        .past = {{"queue", 4, "never", -0.25}},
        .past_count = 1};
    memcpy(facts->cache_lines, (uint64_t[]){512, 16384, 0}, sizeof facts->cache_lines);
}

struct store_watch planned_watch(uint64_t time_ns)
{
    return (struct store_watch){.result = {.kind = (uint8_t)(time_ns % (WATCH_VISIT + 1)),
                                           .end = (uint8_t)(time_ns % (WATCH_DROPPED + 1)),
                                           .object = (uint32_t)(time_ns % PLANNED_OBJECTS),
                                           .origin_tid = 11,
                                           .toucher_tid = 4711,
                                           .address = time_ns * 8,
                                           .base = time_ns,
                                           .origin_ns = time_ns - 900,
                                           .armed_ns = time_ns - 800,
                                           .end_ns = time_ns,
                                           .off_cpu_ns = 17},
                                .function = (uint32_t)(time_ns % PLANNED_FUNCTIONS),
                                .ip = 0x500000 + time_ns % 4096};
}

struct line_place planned_line(uint64_t time_ns)
{
    struct line_place line = {
        .line = {.ip = 0x500000 + time_ns % 64,
                 .address = time_ns * 24,
                 .weight = 1 + time_ns % 3,
                 .distance = time_ns % 5 ? time_ns : LINE_NO_DISTANCE,
                 .event = (uint16_t)(time_ns % 2),
                 .kind = time_ns % 4 == 0,
                 .level = (uint8_t)(time_ns % 3),
                 .line_bytes = 64,
                 .used_bytes = (uint16_t)(time_ns % 65),
                 .touched_bytes = (uint32_t)(time_ns % 9999),
                 .uses = {(uint32_t)(time_ns % 7), 0, UINT32_MAX, (uint32_t)(time_ns % 11)}},
        .place = {.object = (uint32_t)(time_ns % PLANNED_OBJECTS),
                  .function = (uint32_t)(time_ns % PLANNED_FUNCTIONS),
                  .base = time_ns * 24 - time_ns % 96,
                  .type = (uint32_t)(time_ns % PLANNED_TYPES),
                  .type_offset = (uint32_t)(time_ns % 96),
                  .by_member = time_ns % 2,
                  .unit = (uint8_t)(time_ns % 3 ? 0 : 4)}};
    line.place.access = (struct access){.time_ns = time_ns,
                                        .address = line.line.address,
                                        .ip = line.line.ip,
                                        .weight = line.line.weight,
                                        .event = line.line.event};
    return line;
}

struct line_pair planned_pair(uint32_t place, uint64_t time_ns)
{
    return (struct line_pair){0x500000 + place % 7, 0x500000 + place, 1 + time_ns % 1000 * place,
                              place};
}

static void write_lines(struct planned *planned, struct store_writer *writer, uint64_t time_ns)
{
    struct line_place line = planned_line(time_ns);
    union place_answer answer;
    store_writer_line(writer, &line);
    planned->pairs = 2;
    planned->pairs_ns = time_ns;
    store_writer_begin_refresh(writer);
    for (uint32_t place = 1; place <= 2; place++)
        store_writer_answer(writer, PLACE_CODE, planned_pair(place, 0).second, &answer);
}

static struct place wild_place(struct prng *prng)
{
    struct place place = {.access = {.address = prng_next(prng),
                                     .ip = prng_next(prng),
                                     .weight = prng_next(prng),
                                     .latency = prng_next(prng),
                                     .data_src = prng_next(prng),
                                     .physical = prng_next(prng),
                                     .pid = (uint32_t)prng_next(prng),
                                     .tid = (uint32_t)prng_next(prng),
                                     .cpu = (uint32_t)prng_next(prng),
                                     .event = (uint16_t)prng_below(prng, 2),
                                     .size = (uint8_t)prng_next(prng),
                                     .kind = (uint8_t)prng_below(prng, ACCESS_PREFETCH + 1),
                                     .how = (uint8_t)prng_below(prng, ACCESS_HOW_COUNT),
                                     .reason = (uint8_t)prng_below(prng, REASON_COUNT),
                                     .base = (uint8_t)prng_below(prng, SREG_COUNT),
                                     .index = SREG_NONE,
                                     .displacement = (int32_t)prng_next(prng),
                                     .locked = prng_below(prng, 2),
                                     .cause = (uint8_t)prng_below(prng, CAUSE_COUNT),
                                     .evictor_tid = (uint32_t)prng_below(prng, 5000),
                                     .is_spinning = prng_below(prng, 2),
                                     .is_spill_slot = prng_below(prng, 2),
                                     .is_stored_in_loop = prng_below(prng, 2),
                                     .is_pointer_chase = prng_below(prng, 2),
                                     .line_was_accessed = prng_below(prng, 2),
                                     .flushes_line = prng_below(prng, 2),
                                     .per_line_log2 = (uint8_t)prng_below(prng, 8)},
                          .object = (uint32_t)prng_below(prng, PLANNED_OBJECTS),
                          .bin_object = (uint32_t)prng_below(prng, PLANNED_OBJECTS),
                          .function = (uint32_t)prng_below(prng, PLANNED_FUNCTIONS),
                          .size_bytes = prng_next(prng),
                          .type = (uint32_t)prng_below(prng, PLANNED_TYPES),
                          .type_offset = (uint32_t)prng_next(prng),
                          .by_member = prng_below(prng, 2),
                          .unit = (uint8_t)(prng_below(prng, 2) ? 0 : 8),
                          .typed = (uint8_t)prng_below(prng, TYPED_COUNT),
                          .untyped = (uint8_t)prng_below(prng, UNTYPED_COUNT)};
    place.base = place.access.address - prng_below(prng, 1000);
    if (place.base > place.access.address)
        place.base = 0;
    return place;
}

/* A few instructions that walk over some heap blocks, like real programs. */
static struct place usual_place(struct prng *prng)
{
    uint32_t site = (uint32_t)prng_below(prng, 50);
    uint32_t block = (uint32_t)prng_below(prng, 100000);
    uint64_t base = UINT64_C(0x555555560000) + (uint64_t)block * 112;
    return (struct place){.access = {.address = base + site % 12 * 8,
                                     .ip = 0x400000 + site * 16,
                                     .weight = 500009,
                                     .pid = 4711,
                                     .tid = 4711 + (uint32_t)prng_below(prng, 4),
                                     .cpu = (uint32_t)prng_below(prng, 4),
                                     .size = 8,
                                     .kind = ACCESS_LOAD,
                                     .how = ACCESS_DIRECT,
                                     .base = SREG_AX,
                                     .index = SREG_NONE,
                                     .displacement = (int32_t)site},
                          .object = site % PLANNED_OBJECTS,
                          .function = site % PLANNED_FUNCTIONS,
                          .base = base,
                          .size_bytes = 96,
                          .type = 1 + site % (PLANNED_TYPES - 1),
                          .type_offset = site % 12 * 8,
                          .by_member = true,
                          .typed = TYPED_CODE};
}

struct place planned_place(struct prng *prng, uint64_t time_ns, bool wild)
{
    struct place place = wild ? wild_place(prng) : usual_place(prng);
    place.access.time_ns = time_ns + prng_below(prng, 1000000);
    /* Outermost nodes: the nodes below are recorded with them. */
    uint32_t stack = (uint32_t)place.access.time_ns % 4;
    place.caller = stack ? PLANNED_CALLERS - 3 + stack : 0;
    return place;
}

int planned_write(struct planned *planned, const char *path, unsigned places, unsigned every)
{
    struct store_writer *writer;
    struct store_facts facts;
    struct error error = {0};
    struct prng prng = {7};
    uint64_t time_ns = 1000;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct store_writer_options options = {.fd = dup(fd),
                                           .path = path,
                                           .perfdata_mark = 99,
                                           .names = planned_names(planned),
                                           .instruction_text = planned_instruction_text,
                                           .start_ns = time_ns};
    planned_facts(&facts, 1);
    if (fd < 0 || store_writer_open(&writer, &options, &facts, &error))
        abort();
    for (unsigned i = 0; i < places; i++) {
        struct place place = planned_place(&prng, time_ns, i % 4 == 3);
        time_ns = place.access.time_ns;
        store_writer_place(writer, &place);
        if ((i + 1) % every)
            continue;
        planned->generation++;
        struct store_watch watch = planned_watch(time_ns);
        store_writer_watch(writer, &watch);
        write_lines(planned, writer, time_ns);
        planned_facts(&facts, i + 1);
        if (store_writer_sync(writer, &facts, time_ns + 1, 0.5, &error))
            abort();
    }
    if (store_writer_close(writer, &error))
        abort();
    return fd;
}

struct place *planned_places(unsigned count, bool wild)
{
    struct place *places = calloc(count, sizeof *places);
    struct prng prng = {11};
    uint64_t time_ns = 1000;
    for (unsigned i = 0; places && i < count; i++) {
        places[i] = planned_place(&prng, time_ns, wild);
        time_ns = places[i].access.time_ns;
    }
    return places;
}
