/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FILE.misstop from hostile bytes, with its places and names passed on to the tables. With
 * libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_store.c
 * Without it: pseudo-random changes to files written here, most of them with corrected checksums,
 * because otherwise no code after the checksums would be reached.
 *
 *   FUZZ_EXECUTIONS=1000000 FUZZ_SEED=7 tests/fuzz/fuzz_store
 */
#include "unit/store/store_planned.h"

#include "profile/profile.h"
#include "store/form.h"
#include "store/store_read.h"
#include "unit/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct touched {
    struct store_reader *reader;
    struct profile *profile; /* NULL: only read */
    uint64_t last_ns;
    unsigned refreshes;
    unsigned renames;
    size_t sum;
};

static size_t length(const char *string)
{
    for (const char *at = string; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            abort(); /* all texts must be printable */
    return string ? strlen(string) : 0;
}

/* Only a frame starts above its bytes. */
static bool is_far_above(const struct place *place)
{
    return place->base > place->access.address &&
           place->base - place->access.address > PLACE_FRAME_MAX;
}

/* Asks all questions about a place. */
static void ask(struct touched *touched, const struct place *place)
{
    struct place_names names = store_reader_names(touched->reader);
    struct object_desc object;
    struct function_desc function;
    struct instruction_desc line;
    struct type_desc type;
    struct object_extent extent;
    char text[128];
    if (ask_object(&names, place->object, &object))
        touched->sum += length(object.name) + length(object.module) + length(object.type);
    if (ask_function(&names, place->function, &function))
        touched->sum += length(function.name) + length(function.module) + length(function.file);
    if (ask_instruction(&names, place->access.ip, &line))
        touched->sum += length(line.file) + length(line.inlined);
    if (store_reader_instruction_text(touched->reader, place->access.ip, text, sizeof text))
        touched->sum += length(text);
    if (ask_type(&names, place->type, &type))
        for (uint32_t i = 0; i < type.member_count; i++)
            if (type.members[i].parent != TYPE_NO_MEMBER && type.members[i].parent >= i)
                abort();
    if (ask_extent(&names, place->access.address, &extent) &&
        (extent.base > place->access.address || extent.bound <= place->access.address))
        abort();
}

static void take(void *context, const struct store_item *item)
{
    struct touched *touched = context;
    struct snapshot head = {.interval_s = 1, .watch = {.is_on = true}};
    if (item->time_ns < touched->last_ns)
        abort(); /* the reader guarantees time order */
    touched->last_ns = item->time_ns;
    if (item->kind == STORE_ITEM_PLACE) {
        if (is_far_above(&item->place))
            abort();
        ask(touched, &item->place);
    }
    if (touched->profile && item->kind == STORE_ITEM_PLACE)
        profile_add(touched->profile, &item->place);
    if (item->kind == STORE_ITEM_LINE) {
        if (is_far_above(&item->line.place))
            abort();
        ask(touched, &item->line.place);
    }
    if (touched->profile && item->kind == STORE_ITEM_LINE)
        profile_add_lines(touched->profile, &item->line, 1);
    if (touched->profile && item->kind == STORE_ITEM_WATCH)
        profile_watch(touched->profile, &item->watch.result, item->watch.function, item->watch.ip);
    if (touched->profile && item->kind == STORE_ITEM_RENAME && touched->renames++ < 16)
        profile_rename(touched->profile, &item->rename, 1);
    if (touched->profile && item->kind == STORE_ITEM_REFRESH && touched->refreshes++ < 4)
        snapshot_free(profile_snapshot(touched->profile, &head, item->time_ns));
}

static void ask_heap(struct touched *touched)
{
    struct place_names names = store_reader_names(touched->reader);
    union place_answer heap;
    struct heap_bin bin;
    struct store_facts facts;
    touched->sum += place_ask(&names, PLACE_HEAP, 0, &heap);
    struct heap_summary summary = heap.heap;
    for (uint32_t i = 0; ask_bin(&names, i, &bin); i++) {
        touched->sum += length(bin.name) + length(bin.path) + length(bin.type);
        for (uint32_t j = 0; j < bin.site_count; j++)
            touched->sum += length(bin.site[j]);
        if (i >= summary.bins)
            abort();
    }
    store_reader_facts(touched->reader, &facts);
    for (unsigned i = 0; i < facts.info.event_count; i++)
        touched->sum += length(facts.info.events[i].name);
    touched->sum += length(facts.target.comm) + length(summary.note) + length(facts.watch.failure);
    if (facts.simulation.level_count > SIMULATION_LEVELS_MAX || facts.whatif.count > WHATIF_MAX ||
        facts.whatif.past_count > WHATIF_PAST_MAX)
        abort();
    for (uint32_t i = 0; i < facts.whatif.count; i++) {
        const struct snapshot_whatif *answer = &facts.whatif.list[i];
        touched->sum += length(answer->object) + length(answer->question) + length(answer->layout) +
                        length(answer->reason);
        if (answer->level_count > SIMULATION_LEVELS_MAX || answer->number >= WHATIF_MAX)
            abort();
    }
}

static void ask_pairs(struct touched *touched)
{
    struct place_names names = store_reader_names(touched->reader);
    union place_answer answer;
    for (enum line_pairs kind = 0; kind < LINE_PAIRS; kind++)
        for (uint8_t level = 0; level < 4; level++)
            for (uint32_t at = 0;
                 place_ask(&names, PLACE_PAIR, line_pair_number(kind, level, at), &answer);) {
                at = answer.pair.slot + 1;
                touched->sum += answer.pair.count;
                touched->sum += place_ask(&names, PLACE_CODE, answer.pair.second, &answer);
            }
}

static struct profile *make_profile(struct store_reader *reader)
{
    struct profile *profile;
    struct profile_options options = {.names = store_reader_names(reader),
                                      .window_entries = 256,
                                      .ways = 4,
                                      .event_count = 2,
                                      .watch = true,
                                      .lines = true,
                                      .cache_lines = {512, 16384, 524288}};
    if (geometry_parse(&options.geometry, "L1=32K,8,64", "", NULL) ||
        profile_new(&profile, &options, NULL))
        abort();
    profile_search_start(profile, 0, UINT64_MAX, "all", store_reader_start_ns(reader));
    return profile;
}

static const char *written(const uint8_t *data, size_t size)
{
    static char path[] = "/tmp/misstop-fuzz-store-XXXXXX";
    static int fd = -1;
    static char name[64];
    if (fd < 0) {
        fd = mkstemp(path);
        unlink(path);
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, (off_t)size) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TABLES_EVERY = 64 };
    struct error error = {0};
    struct touched touched = {0};
    if (store_reader_open(&touched.reader, written(data, size), &error)) {
        if (!error.text[0] || strchr(error.text, '\n'))
            abort(); /* every refusal has a reason, in one line */
        return 0;
    }
    /* The tables cost more than reading: only sometimes. */
    if (size && data[size / 2] % TABLES_EVERY == 0)
        touched.profile = make_profile(touched.reader);
    while (store_reader_read(touched.reader, UINT64_MAX, take, &touched) >= 0)
        continue;
    ask_heap(&touched);
    ask_pairs(&touched);
    profile_free(touched.profile);
    store_reader_close(touched.reader);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { FUZZ_EXECUTIONS = 2000, SEEDS = 3, SEED_BYTES_MAX = 1 << 16 };

struct seed {
    uint8_t bytes[SEED_BYTES_MAX];
    size_t size;
};

static struct seed seeds[SEEDS];

static void make_seeds(void)
{
    static const unsigned places[SEEDS] = {12, 100, 400};
    char path[] = "/tmp/misstop-fuzz-seed-XXXXXX";
    close(mkstemp(path));
    for (unsigned i = 0; i < SEEDS; i++) {
        struct planned planned = {0};
        int fd = planned_write(&planned, path, places[i], 4 + i * 30);
        seeds[i].size = (size_t)pread(fd, seeds[i].bytes, SEED_BYTES_MAX, 0);
        close(fd);
    }
    unlink(path);
}

/* Corrects the checksums of consecutive blocks. */
static void mend_checksums(uint8_t *bytes, size_t size)
{
    struct store_header header;
    struct store_block block;
    if (size < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    header.checksum = store_form_header_sum(&header);
    memcpy(bytes, &header, sizeof header);
    for (size_t at = sizeof header; at + sizeof block <= size;) {
        memcpy(&block, bytes + at, sizeof block);
        if (block.payload_bytes > size - at - sizeof block)
            return;
        block.checksum = store_form_block_sum(&block, bytes + at + sizeof block);
        memcpy(bytes + at, &block, sizeof block);
        at += sizeof block + block.payload_bytes;
    }
}

static size_t mutate(uint8_t *at, size_t size, struct prng *prng)
{
    static const uint8_t telling[] = {0, 1, 2, 3, 0x3f, 0x40, 0x7f, 0x80, 0xff};
    for (uint64_t changes = 1 + prng_below(prng, 8); changes; changes--) {
        size_t where = prng_below(prng, (uint32_t)size);
        size_t from = prng_below(prng, (uint32_t)size);
        size_t many = prng_below(prng, 48);
        many = many > size - where ? size - where : many;
        many = many > size - from ? size - from : many;
        switch (prng_below(prng, 6)) {
        case 0:
            memmove(at + where, at + from, many);
            break;
        case 1:
            at[where] ^= (uint8_t)(1u << prng_below(prng, 8));
            break;
        default:
            at[where] = prng_below(prng, 2) ? telling[prng_below(prng, sizeof telling)]
                                            : (uint8_t)prng_next(prng);
        }
    }
    return prng_below(prng, 8) ? size : prng_below(prng, (uint32_t)size + 1);
}

static void change_one(struct prng *prng)
{
    static uint8_t bytes[SEED_BYTES_MAX];
    const struct seed *seed = &seeds[prng_below(prng, SEEDS)];
    memcpy(bytes, seed->bytes, seed->size);
    size_t size = mutate(bytes, seed->size, prng);
    if (prng_below(prng, 16))
        mend_checksums(bytes, size);
    LLVMFuzzerTestOneInput(bytes, size);
}

static unsigned long wanted(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

int main(void)
{
    struct prng prng = {.state = wanted("FUZZ_SEED", 5)};
    unsigned long executions = wanted("FUZZ_EXECUTIONS", FUZZ_EXECUTIONS);
    struct rusage usage;
    make_seeds();
    for (unsigned i = 0; i < SEEDS; i++)
        LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
    for (unsigned long i = 0; i < executions; i++)
        change_one(&prng);
    getrusage(RUSAGE_SELF, &usage);
    printf("%d seeds, %lu changed, peak %ld KiB\n", SEEDS, executions, usage.ru_maxrss);
    return 0;
}
#endif
