/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/bins.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "resolve/heap/blocks.h"
#include "resolve/library_types.h"

struct bins {
    struct bin *at; /* [id]; 0 is unused */
    uint32_t count; /* the highest id */
    size_t room;
    uint32_t max;
    uint32_t named;  /* bins up to this id have names */
    uint32_t unsure; /* number of named bins with `name_may_improve` set */
    bool has_pending;
    uint64_t *words; /* concatenated paths */
    uint64_t words_count;
    size_t words_room;
    struct hash by_path; /* hash of a path -> the newest bin with that hash */
    uint64_t tick_ns;
    uint64_t mark_ns;
};

unsigned bins_size_class(uint64_t bytes)
{
    unsigned class = bytes < 32 ? 0 : 59 - (unsigned)__builtin_clzll(bytes);
    return class < HEAP_SIZES ? class : HEAP_SIZES - 1;
}

/* Returns a zeroed bin; 0: the table is full, or out of memory. */
static uint32_t bins_make(struct bins *bins)
{
    if (bins->count >= bins->max)
        return 0;
    if (bins->count + 1 >= bins->room &&
        !array_reserve_exact(&bins->at, &bins->room, bins->room * 2, sizeof *bins->at))
        return 0;
    uint32_t id = ++bins->count;
    bins->at[id] = (struct bin){.lead_bin = id};
    bins->at[id].stats.allocations_per_s = bins->at[id].stats.frees_per_s = NAN;
    return id;
}

int bins_new(struct bins **bins, uint32_t most)
{
    *bins = NULL;
    struct bins *made = calloc(1, sizeof *made);
    struct bin *at = calloc(64, sizeof *at);
    if (!made || !at) {
        free(made);
        free(at);
        return -ENOMEM;
    }
    made->at = at;
    made->room = 64;
    made->max = most ? most : BINS_MAX_DEFAULT;
    if (made->max >= BLOCKS_BINS_END)
        made->max = BLOCKS_BINS_END - 1;
    hash_init(&made->by_path);
    bins_make(made); /* BINS_REST */
    *bins = made;
    return 0;
}

void bins_free(struct bins *bins)
{
    if (!bins)
        return;
    for (uint32_t id = 1; id <= bins->count; id++) {
        free(bins->at[id].full_name);
        free(bins->at[id].short_name);
        free(bins->at[id].new_name);
    }
    hash_fini(&bins->by_path);
    free(bins->words);
    free(bins->at);
    free(bins);
}

static bool bins_reserve_words(struct bins *bins, unsigned depth)
{
    return bins->words_count + depth <= bins->words_room ||
           array_reserve_exact(&bins->words, &bins->words_room,
                               bins->words_room * 2 + BINS_DEPTH_MAX, sizeof *bins->words);
}

static bool bin_has_path(const struct bins *bins, uint32_t id, const uint64_t *path, unsigned depth)
{
    const struct bin *bin = &bins->at[id];
    return bin->depth == depth && !memcmp(bins_path(bins, bin), path, depth * sizeof path[0]);
}

static uint32_t bins_make_path(struct bins *bins, const uint64_t *path, unsigned depth,
                               uint64_t hash)
{
    if (bins->count >= bins->max || !bins_reserve_words(bins, depth))
        return 0;
    uint32_t *newest = hash_insert(&bins->by_path, hash, NULL);
    uint32_t id = newest ? bins_make(bins) : 0;
    if (!id)
        return 0;
    struct bin *bin = &bins->at[id];
    bin->path_at = bins->words_count;
    bin->depth = (uint16_t)depth;
    bin->next_same_hash = *newest;
    *newest = id;
    memcpy(&bins->words[bins->words_count], path, depth * sizeof path[0]);
    bins->words_count += depth;
    return id;
}

uint32_t bins_of_path(struct bins *bins, const uint64_t *path, unsigned depth)
{
    if (!depth)
        return BINS_REST;
    if (depth > BINS_DEPTH_MAX)
        depth = BINS_DEPTH_MAX;
    uint64_t hash = depth;
    for (unsigned i = 0; i < depth; i++)
        hash = hash_mix(hash ^ path[i]);
    const uint32_t *newest = hash_find(&bins->by_path, hash);
    for (uint32_t id = newest ? *newest : 0; id; id = bins->at[id].next_same_hash)
        if (bin_has_path(bins, id, path, depth))
            return id;
    uint32_t id = bins_make_path(bins, path, depth, hash);
    return id ? id : BINS_REST;
}

struct bin *bins_at(const struct bins *bins, uint32_t id)
{
    return id && id <= bins->count ? &bins->at[id] : NULL;
}

void bins_count_alloc(struct bins *bins, const struct block *block, uint64_t now_ns)
{
    struct bin *bin = bins_at(bins, block->bin);
    if (!bin)
        return;
    struct bin_stats *stats = &bin->stats;
    stats->live_blocks++;
    stats->live_usable_bytes += block->usable_bytes;
    stats->live_requested_bytes += blocks_kept_requested(block);
    stats->sizes[bins_size_class(block->usable_bytes)]++;
    stats->allocations++;
    if (now_ns && (!stats->first_ns || now_ns < stats->first_ns))
        stats->first_ns = now_ns;
    if (now_ns > stats->last_ns)
        stats->last_ns = now_ns;
}

void bins_count_free(struct bins *bins, const struct block *block, uint64_t now_ns)
{
    struct bin *bin = bins_at(bins, block->bin);
    if (!bin)
        return;
    struct bin_stats *stats = &bin->stats;
    assert(stats->live_blocks && stats->sizes[bins_size_class(block->usable_bytes)]);
    stats->live_blocks--;
    stats->live_usable_bytes -= block->usable_bytes;
    stats->live_requested_bytes -= blocks_kept_requested(block);
    stats->sizes[bins_size_class(block->usable_bytes)]--;
    stats->frees++;
    if (!block->born_ns)
        return;
    stats->lifetime_sum_ns += now_ns > block->born_ns ? now_ns - block->born_ns : 0;
    stats->lifetime_count++;
}

void bins_tick(struct bins *bins, uint64_t now_ns)
{
    if (now_ns <= bins->tick_ns)
        return;
    double seconds = (double)(now_ns - bins->tick_ns) / 1e9;
    for (uint32_t id = 1; id <= bins->count; id++) {
        struct bin *bin = &bins->at[id];
        if (bins->tick_ns) {
            uint64_t allocations = bin->stats.allocations - bin->tick_allocations;
            uint64_t frees = bin->stats.frees - bin->tick_frees;
            bin->stats.allocations_per_s = (double)allocations / seconds;
            bin->stats.frees_per_s = (double)frees / seconds;
        }
        bin->tick_allocations = bin->stats.allocations;
        bin->tick_frees = bin->stats.frees;
    }
    bins->tick_ns = now_ns;
}

void bins_mark(struct bins *bins, uint64_t now_ns)
{
    bins->mark_ns = now_ns;
    for (uint32_t id = 1; id <= bins->count; id++)
        bin_stats_mark(&bins->at[id].stats);
}

uint64_t bins_mark_ns(const struct bins *bins)
{
    return bins->mark_ns;
}

uint32_t bins_count(const struct bins *bins)
{
    return bins->count;
}

const uint64_t *bins_path(const struct bins *bins, const struct bin *bin)
{
    return bins->words + bin->path_at;
}

/* Groups bins by the user's rules, and sums over a group. */

/* Inserts a bin after the group's first bin, or makes it the first. */
static void group_join(struct bins *bins, uint32_t *lead, uint32_t id)
{
    struct bin *bin = &bins->at[id];
    if (!*lead) {
        *lead = id;
        return;
    }
    bin->lead_bin = *lead;
    bin->next = bins->at[*lead].next;
    bins->at[*lead].next = id;
}

/* Adds a bin to its group. `leads`: for each rule that combines, the first bin of its group. */
static void group_bin(struct bins *bins, const struct bin_rules *rules, uint32_t *leads,
                      uint32_t id, bool eponymous)
{
    const struct bin *bin = &bins->at[id];
    uint32_t rule;
    const char *group = bin_rules_group(rules, bin->full_name, bin->full_name_hash, &rule);
    if (rule != BIN_RULES_NONE && eponymous == (group == bin->full_name))
        group_join(bins, &leads[rule], id);
}

static int rename_all(struct bins *bins, const struct bin_rules *rules)
{
    for (uint32_t id = 1; id <= bins->named; id++) {
        struct bin *bin = &bins->at[id];
        const char *name = bin_rules_name(rules, bin->full_name, bin->full_name_hash);
        free(bin->new_name);
        bin->new_name = name ? strdup(name) : NULL;
        if (name && !bin->new_name)
            return -ENOMEM;
    }
    return 0;
}

int bins_regroup(struct bins *bins, const struct bin_rules *rules)
{
    uint32_t *leads = calloc(rules->count + 1, sizeof *leads);
    if (!leads)
        return -ENOMEM;
    for (uint32_t id = 1; id <= bins->named; id++) {
        bins->at[id].lead_bin = id;
        bins->at[id].next = 0;
    }
    /* Bins with the group's own name come first, so that one of them leads if there is one. */
    for (int eponymous = 1; rules->count && eponymous >= 0; eponymous--)
        for (uint32_t id = 1; id <= bins->named; id++)
            group_bin(bins, rules, leads, id, eponymous);
    free(leads);
    return rename_all(bins, rules);
}

static double sum_rates(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

void bin_stats_add(struct bin_stats *sum, const struct bin_stats *more)
{
    sum->live_blocks += more->live_blocks;
    sum->live_usable_bytes += more->live_usable_bytes;
    sum->live_requested_bytes += more->live_requested_bytes;
    sum->allocations += more->allocations;
    sum->frees += more->frees;
    sum->lifetime_sum_ns += more->lifetime_sum_ns;
    sum->lifetime_count += more->lifetime_count;
    sum->mark_blocks += more->mark_blocks;
    sum->mark_usable_bytes += more->mark_usable_bytes;
    sum->allocations_per_s = sum_rates(sum->allocations_per_s, more->allocations_per_s);
    sum->frees_per_s = sum_rates(sum->frees_per_s, more->frees_per_s);
    if (more->first_ns && (!sum->first_ns || more->first_ns < sum->first_ns))
        sum->first_ns = more->first_ns;
    if (more->last_ns > sum->last_ns)
        sum->last_ns = more->last_ns;
    for (int i = 0; i < HEAP_SIZES; i++)
        sum->sizes[i] += more->sizes[i];
}

bool bins_stats(const struct bins *bins, uint32_t lead, struct bin_stats *stats)
{
    const struct bin *bin = bins_at(bins, lead);
    if (!bin)
        return false;
    *stats = bin->stats;
    if (bin->lead_bin == lead)
        for (uint32_t id = bin->next; id; id = bins->at[id].next)
            bin_stats_add(stats, &bins->at[id].stats);
    return true;
}

double bin_stats_lifetime_ns(const struct bin_stats *stats)
{
    if (!stats->lifetime_count)
        return NAN;
    return (double)stats->lifetime_sum_ns / (double)stats->lifetime_count;
}

void bin_stats_mark(struct bin_stats *stats)
{
    stats->mark_blocks = stats->live_blocks;
    stats->mark_usable_bytes = stats->live_usable_bytes;
}

/* Returns the seconds since `then_ns`; NAN: never. */
static double age_of(uint64_t then_ns, uint64_t now_ns)
{
    return then_ns && now_ns >= then_ns ? (double)(now_ns - then_ns) / CLOCK_NS_PER_S : NAN;
}

void bin_stats_show(const struct bin_stats *stats, uint64_t now_ns, bool marked,
                    struct heap_bin *bin)
{
    bin->live_blocks = stats->live_blocks;
    bin->usable_bytes = stats->live_usable_bytes;
    bin->requested_bytes = stats->live_requested_bytes;
    bin->allocations = stats->allocations;
    bin->frees = stats->frees;
    bin->allocations_per_s = stats->allocations_per_s;
    bin->frees_per_s = stats->frees_per_s;
    bin->lifetime_s = bin_stats_lifetime_ns(stats) / CLOCK_NS_PER_S;
    bin->age_s = now_ns > stats->first_ns ? age_of(stats->first_ns, now_ns) : NAN;
    bin->quiet_s = age_of(stats->last_ns, now_ns);
    bin->growth_blocks = marked ? (double)stats->live_blocks - (double)stats->mark_blocks : NAN;
    bin->growth_bytes =
        marked ? (double)stats->live_usable_bytes - (double)stats->mark_usable_bytes : NAN;
    memcpy(bin->sizes, stats->sizes, sizeof bin->sizes);
}

/*
 * Names of bins. The full name has the whole path and is the same in every run, so it has no
 * addresses. The short name is the first frame that is not an allocator's wrapper.
 *
 * A frame without a name inside a wrapper (a static function of a stripped library) is part of the
 * allocator too. Outside a wrapper, a frame with a name replaces an inner frame without one, but
 * only if both are in the same module: main() is no name for a library's allocations.
 */

enum { FRAME_NAME_BYTES = 512, FRAME_MODULE_BYTES = 128 };

struct frame {
    char text[FRAME_NAME_BYTES]; /* function, [module] or ? */
    bool known;                  /* the function is known */
    uint64_t address;            /* return address; 0: not an allocation */
    char module[FRAME_MODULE_BYTES];
    bool nameless; /* has only an offset in its module as its name */
    enum wrapper wraps;
    char place[FRAME_NAME_BYTES]; /* " file:line", or empty */
    bool place_is_pending;
};

struct bin_naming {
    struct wrappers *wrappers;
    bins_namer *namer;
    bins_assigned *assigned;
    void *context;
    uint32_t type;   /* type of the blocks; 0: not known */
    bool is_pending; /* an answer is pending */
};

/* Returns true for names like "libx.so.1+0x1230". */
static bool is_module_offset(const char *function, const char *module)
{
    size_t length = module ? strlen(module) : 0;
    return length && !strncmp(function, module, length) && !strncmp(function + length, "+0x", 3);
}

static void frame_name(struct frame *frame, struct bin_naming *naming, uint64_t return_address)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    bool found =
        naming->namer(naming->context, return_address - 1, &function, &module, &file, &line);
    frame->known = found && function && *function;
    frame->place[0] = '\0';
    frame->address = return_address;
    snprintf(frame->module, sizeof frame->module, "%s", found && module ? module : "");
    frame->nameless = !frame->known || is_module_offset(function, module);
    frame->wraps = frame->known ? wrappers_match(naming->wrappers, function) : WRAPPER_NO_RULE;
    if (frame->known)
        snprintf(frame->text, sizeof frame->text, "%s", function);
    else if (found && module && *module)
        snprintf(frame->text, sizeof frame->text, "[%s]", text_base_name(module));
    else
        snprintf(frame->text, sizeof frame->text, "?");
    frame->place_is_pending = found && line == BINS_LINE_LATER;
    if (found && file && line && !frame->place_is_pending)
        snprintf(frame->place, sizeof frame->place, " %s:%u", text_base_name(file), line);
    /* Sanitise again: the text may be cut inside a character, or may not be clean. */
    text_sanitise(frame->text, sizeof frame->text, frame->text, sizeof frame->text);
    text_sanitise(frame->place, sizeof frame->place, frame->place, sizeof frame->place);
}

/* State of choosing the short name while the path is walked from the innermost frame out. */
struct name_choice {
    struct frame frame;
    uint64_t allocator; /* return address in an allocator function specific to one type; 0: none */
    char block[FRAME_NAME_BYTES]; /* name of that type; "": not known */
    bool chosen;
    bool in_library; /* passed over a library's function */
    bool settled;    /* no outer frame can be better */
};

/* Returns the node type that a library's allocator allocates; otherwise TYPE.VARIABLE, or the
 * blocks that a library's container allocates; otherwise function and line. */
static char *short_name(const struct name_choice *choice, struct bin_naming *naming)
{
    const struct frame *frame = &choice->frame;
    uint64_t address = choice->allocator ? choice->allocator : frame->address;
    char *name;
    char variable[FRAME_NAME_BYTES];
    int code = address && naming->assigned ? naming->assigned(naming->context, address, variable,
                                                              sizeof variable, &naming->type)
                                           : -ENOENT;
    naming->is_pending = code == -EAGAIN || (code && frame->place_is_pending);
    if (choice->block[0])
        return strdup(choice->block);
    if (!code && *variable) {
        text_sanitise(variable, sizeof variable, variable, strlen(variable));
        return strdup(variable);
    }
    if (library_symbol_block(frame->text, variable, sizeof variable))
        return strdup(variable);
    return asprintf(&name, "%s%s", frame->text, frame->place) < 0 ? NULL : name;
}

/*
 * Passes over a function that returns the block as plain memory, and over a library's function with
 * debug information that does not describe the block: their callers use it. A caller of the latter
 * gets another result, so it is not asked for a variable.
 */
static void pass_over(struct name_choice *choice, const struct bin_naming *naming)
{
    struct frame *frame = &choice->frame;
    char variable[FRAME_NAME_BYTES];
    uint32_t type;
    bool library = *frame->place && library_function(frame->text);
    if (choice->in_library && !library)
        frame->address = 0;
    if (frame->wraps != WRAPPER_NO_RULE || !frame->address || !naming->assigned)
        return;
    int code = naming->assigned(naming->context, frame->address, variable, sizeof variable, &type);
    choice->in_library |= library && code == -ENOENT;
    if ((!code && !*variable) || (library && code == -ENOENT))
        frame->wraps = WRAPPER_YES;
}

enum { WRAPPER_WITHIN = 16, NAME_WITHIN = 8 }; /* maximum depth of the frames that are considered */

static void consider_frame(struct name_choice *choice, const struct frame *frame, unsigned depth,
                           const struct bin_naming *naming)
{
    bool empty = !choice->chosen;
    if (choice->settled)
        return;
    /* A mapping belongs to its direct caller: an allocator maps memory for all its callers. */
    if (empty && !strcmp(frame->text, BINS_MAPPING_NAME)) {
        choice->frame = *frame;
        choice->chosen = true;
        return;
    }
    if (!empty && !strcmp(choice->frame.text, BINS_MAPPING_NAME)) {
        choice->settled = true;
        choice->frame.address = 0;
        int used = snprintf(choice->frame.text, sizeof choice->frame.text,
                            BINS_MAPPING_NAME " in %.400s", frame->text);
        snprintf(choice->frame.place, sizeof choice->frame.place, "%s",
                 used > 0 ? frame->place : "");
        return;
    }
    bool related = *frame->module && !strcmp(frame->module, choice->frame.module);
    if (choice->in_library && related && frame->nameless)
        return;
    bool better = empty || choice->frame.wraps == WRAPPER_YES ||
                  (related && choice->frame.nameless &&
                   ((frame->wraps == WRAPPER_YES && depth < WRAPPER_WITHIN) ||
                    (!frame->nameless && depth < NAME_WITHIN)));
    if (better) {
        choice->frame = *frame;
        pass_over(choice, naming);
    }
    choice->chosen = true;
    choice->settled = !choice->frame.nameless && choice->frame.wraps != WRAPPER_YES;
}

static int name_bin_by_path(struct bin *bin, const uint64_t *path, struct bin_naming *naming)
{
    char full[BIN_RULES_NAME_BYTES] = "";
    struct name_choice choice = {.chosen = false};
    struct frame frame;
    size_t used = 0;
    for (unsigned i = 0; i < bin->depth; i++) {
        frame_name(&frame, naming, path[i]);
        size_t left = sizeof full - used;
        int wrote = snprintf(full + used, left, "%s%s", i ? " < " : "", frame.text);
        if ((size_t)wrote >= left) { /* keep whole frames only */
            full[used] = '\0';
            break;
        }
        used += (size_t)wrote;
        if (frame.wraps == WRAPPER_YES && !choice.settled && !choice.block[0] &&
            library_symbol_block(frame.text, choice.block, sizeof choice.block))
            choice.allocator = path[i];
        consider_frame(&choice, &frame, i, naming);
    }
    bin->full_name = strdup(full);
    bin->short_name = short_name(&choice, naming);
    return bin->full_name && bin->short_name ? 0 : -ENOMEM;
}

static int name_bin_without_path(struct bin *bin)
{
    bin->full_name = strdup("unknown call path");
    bin->short_name = bin->full_name ? strdup(bin->full_name) : NULL;
    return bin->short_name ? 0 : -ENOMEM;
}

static int name_bin(struct bins *bins, uint32_t id, struct bin_naming *naming)
{
    struct bin *bin = &bins->at[id];
    naming->is_pending = false;
    naming->type = 0;
    int result = bin->depth ? name_bin_by_path(bin, bins_path(bins, bin), naming)
                            : name_bin_without_path(bin);
    if (!result) {
        bin->full_name_hash = hash_bytes(bin->full_name, strlen(bin->full_name));
        bin->name_may_improve = naming->is_pending;
        bin->type = naming->type;
        bins->unsure += naming->is_pending;
        return 0;
    }
    free(bin->full_name);
    free(bin->short_name);
    bin->full_name = bin->short_name = NULL;
    return result;
}

/* Names unsure bins again: debug information arrives later than the blocks. */
static int name_unsure_bins(struct bins *bins, struct bin_naming *naming)
{
    int code = 0;
    bins->unsure = 0;
    for (uint32_t id = 1; id <= bins->named && !code; id++) {
        struct bin *bin = &bins->at[id];
        if (!bin->name_may_improve)
            continue;
        free(bin->full_name);
        free(bin->short_name);
        bin->full_name = bin->short_name = NULL;
        code = name_bin(bins, id, naming);
    }
    return code;
}

void bins_retry_names(struct bins *bins)
{
    bins->has_pending = true;
}

int bins_update_names(struct bins *bins, struct wrappers *wrappers, const struct bin_rules *rules,
                      bins_namer *namer, bins_assigned *assigned, void *context)
{
    struct bin_naming naming = {
        .wrappers = wrappers, .namer = namer, .assigned = assigned, .context = context};
    bool again = bins->unsure && bins->has_pending;
    bins->has_pending = false;
    if (bins->named == bins->count && !again)
        return 0;
    if (again && name_unsure_bins(bins, &naming))
        return -ENOMEM;
    for (; bins->named < bins->count; bins->named++)
        if (name_bin(bins, bins->named + 1, &naming))
            return -ENOMEM;
    return bins_regroup(bins, rules);
}
