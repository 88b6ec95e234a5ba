/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/decoder.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "base/array.h"
#include "base/hash.h"
#include "decode/culprit.h"
#include "decode/function.h"

enum {
    DECODER_IPS_MAX = 1 << 17,
    DECODER_BYTES_MAX = 156 << 20, /* functions and culprits; above this the oldest are evicted */
    DECODER_PARTS_KEPT = 2,        /* thirds of both limits that an eviction keeps */
    DECODER_TEXT_BYTES = 16
};

struct decoder {
    struct decode_target target;
    csh handle;                 /* for text output only */
    struct hash culprits_of_ip; /* index into culprits */
    struct culprits *culprits;
    size_t culprits_count;
    size_t culprits_room;
    struct function **functions;
    size_t function_count;
    size_t function_room;
    struct hash function_of_start; /* index in functions, by start; complete functions only */
    struct calls calls;
    struct culprit_leaf leaves[CULPRIT_LEAVES_MAX];
    size_t kept_bytes;
    uint32_t clock; /* counts samples that were decoded from registers or described */
};

struct decoder *decoder_new(const struct decode_target *target)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder)
        return NULL;
    decoder->target = *target;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

static void index_function_start(struct decoder *decoder, size_t index)
{
    const struct function *function = decoder->functions[index];
    uint32_t *slot = function->is_complete
                         ? hash_insert(&decoder->function_of_start, function->start, NULL)
                         : NULL;
    if (slot)
        *slot = (uint32_t)index;
}

static void decoder_clear(struct decoder *decoder)
{
    for (size_t i = 0; i < decoder->culprits_count; i++)
        culprits_fini(&decoder->culprits[i]);
    for (size_t i = 0; i < decoder->function_count; i++)
        function_free(decoder->functions[i]);
    decoder->culprits_count = decoder->function_count = 0;
    decoder->kept_bytes = 0;
    hash_clear(&decoder->culprits_of_ip);
    hash_clear(&decoder->function_of_start);
    memset(&decoder->calls, 0, sizeof decoder->calls);
    memset(decoder->leaves, 0, sizeof decoder->leaves);
}

static int compare_last_use(const void *left, const void *right)
{
    const struct function *one = *(struct function *const *)left;
    const struct function *other = *(struct function *const *)right;
    return one->last_used == other->last_used                 ? 0
           : (int32_t)(one->last_used - other->last_used) > 0 ? -1
                                                              : 1;
}

/* Sorts functions by their last sample, latest first. Returns how many to keep. */
static size_t count_functions_to_keep(struct decoder *decoder)
{
    size_t ips = 0;
    size_t bytes = 0;
    size_t kept = 0;
    qsort(decoder->functions, decoder->function_count, sizeof(struct function *), compare_last_use);
    for (; kept < decoder->function_count; kept++) {
        const struct function *function = decoder->functions[kept];
        ips += function->ips;
        bytes += function_bytes(function) + function->ips_bytes;
        if (ips > DECODER_IPS_MAX / 3 * DECODER_PARTS_KEPT ||
            bytes > DECODER_BYTES_MAX / 3 * DECODER_PARTS_KEPT)
            break;
    }
    return kept;
}

/* Evicts the functions that were not sampled for the longest time, and the culprits of their IPs.
 * Also drops IPs without code, because finding that out again is cheap. */
static void forget_oldest(struct decoder *decoder)
{
    size_t count = 0;
    size_t kept = count_functions_to_keep(decoder);
    for (size_t i = kept; i < decoder->function_count; i++)
        decoder->functions[i]->was_evicted = true;
    hash_clear(&decoder->culprits_of_ip);
    hash_clear(&decoder->function_of_start);
    decoder->kept_bytes = 0;
    for (size_t i = 0; i < decoder->culprits_count; i++) {
        struct culprits *culprits = &decoder->culprits[i];
        uint32_t *slot = culprits->function && !culprits->function->was_evicted
                             ? hash_insert(&decoder->culprits_of_ip, culprits->ip, NULL)
                             : NULL;
        if (!slot) {
            culprits_fini(culprits);
            continue;
        }
        *slot = (uint32_t)count;
        decoder->kept_bytes += sizeof *culprits + culprits->bytes;
        decoder->culprits[count++] = *culprits;
    }
    decoder->culprits_count = count;
    while (decoder->function_count > kept)
        function_free(decoder->functions[--decoder->function_count]);
    /* If two functions have the same start, the later one is found. */
    for (size_t i = kept; i-- > 0;) {
        decoder->kept_bytes += function_bytes(decoder->functions[i]);
        index_function_start(decoder, i);
    }
}

static void decoder_make_room(struct decoder *decoder)
{
    if (decoder->culprits_count >= DECODER_IPS_MAX || decoder->kept_bytes >= DECODER_BYTES_MAX)
        forget_oldest(decoder);
}

void decoder_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    decoder_clear(decoder);
    hash_fini(&decoder->culprits_of_ip);
    hash_fini(&decoder->function_of_start);
    free(decoder->culprits);
    free(decoder->functions);
    cs_close(&decoder->handle);
    free(decoder);
}

static struct function *add_function(struct decoder *decoder, uint64_t ip, bool part,
                                     enum reason *reason)
{
    struct function *function = function_new(&decoder->target, ip, part, reason);
    if (!function)
        return NULL;
    if (!array_reserve_next(&decoder->functions, &decoder->function_room, decoder->function_count,
                            sizeof *decoder->functions, ARRAY_UNBOUNDED)) {
        function_free(function);
        return NULL;
    }
    decoder->functions[decoder->function_count] = function;
    index_function_start(decoder, decoder->function_count++);
    function->kept_bytes = &decoder->kept_bytes;
    function->last_used = decoder->clock;
    decoder->kept_bytes += function_bytes(function);
    return function;
}

static struct function *find_function(struct decoder *decoder, uint64_t ip, enum reason *reason)
{
    uint64_t start;
    uint64_t end;
    bool part = false;
    if (decoder->target.function &&
        decoder->target.function(decoder->target.context, ip, &start, &end)) {
        uint32_t *known = hash_find(&decoder->function_of_start, start);
        struct function *function = known ? decoder->functions[*known] : NULL;
        if (function && function_index(function, ip) != SIZE_MAX)
            return function;
        part = function && ip >= function->start && ip < function->end;
    }
    struct function *function = add_function(decoder, ip, part, reason);
    /* After a table in the function, decoding may have lost the boundaries. */
    bool again = !function && !part && *reason == REASON_BAD_CODE;
    return again ? add_function(decoder, ip, true, reason) : function;
}

bool decoder_function(struct decoder *decoder, uint64_t ip, struct insn **insns, size_t *count)
{
    enum reason reason;
    decoder_make_room(decoder);
    struct function *function = find_function(decoder, ip, &reason);
    *insns = function ? malloc((function->count + 1) * sizeof **insns) : NULL;
    *count = *insns ? function->count : 0;
    for (size_t i = 0; i < *count; i++)
        (*insns)[i] = *function_insn(function, i);
    if (function)
        function->last_used = ++decoder->clock;
    return *insns;
}

static struct culprits *add_culprits(struct decoder *decoder, uint64_t ip)
{
    enum reason reason = REASON_NO_CODE;
    decoder_make_room(decoder);
    if (!array_reserve_next(&decoder->culprits, &decoder->culprits_room, decoder->culprits_count,
                            sizeof *decoder->culprits, ARRAY_UNBOUNDED))
        return NULL;
    struct culprits *culprits = &decoder->culprits[decoder->culprits_count];
    struct function *function = find_function(decoder, ip, &reason);
    if (!function)
        *culprits = (struct culprits){.ip = ip, .reason = (uint8_t)reason};
    else if (culprits_init(culprits, function, ip))
        return NULL;
    uint32_t *slot = hash_insert(&decoder->culprits_of_ip, ip, NULL);
    if (!slot) {
        culprits_fini(culprits);
        return NULL;
    }
    *slot = (uint32_t)decoder->culprits_count++;
    decoder->kept_bytes += sizeof *culprits + culprits->bytes;
    if (function) {
        function->ips++;
        function->ips_bytes += sizeof *culprits + culprits->bytes;
    }
    return culprits;
}

static const struct culprits *culprits_at(struct decoder *decoder, uint64_t ip)
{
    const uint32_t *index = hash_find(&decoder->culprits_of_ip, ip);
    struct culprits *culprits = index ? &decoder->culprits[*index] : add_culprits(decoder, ip);
    decoder->clock++;
    if (!culprits)
        return NULL;
    if (culprits->function)
        culprits->function->last_used = decoder->clock;
    return culprits;
}

/* Partial functions are not cached: they would be disassembled again for every sample. */
static const struct function *function_around(void *context, uint64_t ip)
{
    struct decoder *decoder = context;
    enum reason reason;
    uint64_t start;
    uint64_t end;
    if (!decoder->target.function ||
        !decoder->target.function(decoder->target.context, ip, &start, &end) || ip < start ||
        ip >= end || end - start > FUNCTION_BYTES_MAX)
        return NULL;
    uint32_t *known = hash_find(&decoder->function_of_start, start);
    if (known) {
        decoder->functions[*known]->last_used = decoder->clock;
        return decoder->functions[*known];
    }
    return decoder->kept_bytes < DECODER_BYTES_MAX ? add_function(decoder, ip, false, &reason)
                                                   : NULL;
}

/* Describes an address recorded by hardware: the instruction adds size, kind and registers. */
static void describe_recorded(struct decoder *decoder, const struct sample *sample,
                              struct access *access)
{
    const struct culprits *culprits = culprits_at(decoder, sample->ip);
    access->address = sample->address;
    access->how = ACCESS_RECORDED;
    access->kind = data_source_decode(access->data_src).kind;
    if (!culprits || !culprits->at_ip)
        return;
    if (sample->has & SAMPLE_HAS_EXACT_IP)
        culprit_describe(culprits->function, culprits->at_ip, access);
    else if (culprits->candidate_count == 1 && !culprits->reason && culprits->candidates->culprit)
        culprit_describe(culprits->function, culprits->candidates->culprit, access);
}

static void compute_access(struct decoder *decoder, const struct sample *sample,
                           struct access *access)
{
    const struct culprits *culprits = culprits_at(decoder, sample->ip);
    const struct culprit_context world = {.target = &decoder->target,
                                          .calls = &decoder->calls,
                                          .leaves = decoder->leaves,
                                          .code = {function_around, decoder}};
    if (!culprits)
        access->reason = REASON_NO_CODE;
    else if (sample->has & SAMPLE_HAS_EXACT_IP && culprits->at_ip)
        culprit_apply_exact(culprits, &world, sample, access);
    else
        culprits_apply(culprits, &world, sample, access);
    /* If all instructions are sampled, an earlier instruction is not the culprit by skid: it has
     * samples of its own. */
    bool called = culprits && culprits->candidate_count == 1 && culprits->candidates->is_at_entry;
    bool own = sample->has & SAMPLE_HAS_EXACT_IP || !culprits || called ||
               access->ip == culprits->ran_last;
    if (sample->has & SAMPLE_HAS_ANY_INSTRUCTION && access->reason == REASON_NONE && !own)
        access->reason = REASON_NO_MEMORY;
    bool wrong = access->reason == REASON_NONE && decoder->target.mapped &&
                 !decoder->target.mapped(decoder->target.context, access->address);
    /* The inferred next iteration does not exist: the loop reached the end of the list. */
    bool ended = wrong && access->how == ACCESS_INFERRED;
    if (wrong)
        access->reason = ended ? REASON_OVERWRITTEN : REASON_BAD_ADDRESS;
}

/* Prefers an address decoded during recording over one decoded now, without the memory of the
 * process. If both agree, the present decoding also shows how. */
static void prefer_recorded(const struct sample *sample, struct access *access)
{
    if (access->reason != REASON_NONE || access->address != sample->address)
        access->how = ACCESS_RECORDED;
    if (access->kind == ACCESS_UNKNOWN_KIND)
        access->kind = data_source_decode(sample->data_src).kind;
    access->reason = REASON_NONE;
    access->address = sample->address;
}

void decoder_decode(struct decoder *decoder, const struct sample *sample, struct access *access)
{
    *access = (struct access){
        .time_ns = sample->time_ns,
        .ip = sample->ip,
        .weight = sample->weight,
        .latency = sample->has & SAMPLE_HAS_LATENCY ? sample->latency : 0,
        .data_src = sample->has & SAMPLE_HAS_DATA_SRC ? sample->data_src : 0,
        .physical = sample->has & SAMPLE_HAS_PHYSICAL ? sample->physical : 0,
        .pid = sample->pid,
        .tid = sample->tid,
        .cpu = sample->cpu,
        .event = sample->event,
        .cause = sample->cause,
        .evictor_ip = sample->evictor_ip,
        .evictor_tid = sample->evictor_tid,
        .evictor_address = sample->evictor_address,
        .base = SREG_NONE,
        .index = SREG_NONE,
    };
    if (sample->mode != SAMPLE_USER)
        access->reason = REASON_KERNEL;
    else if (sample->has & SAMPLE_HAS_ADDRESS && !(sample->has & SAMPLE_HAS_WRITER_ADDRESS))
        describe_recorded(decoder, sample, access);
    else if (sample->has & SAMPLE_HAS_SKID_REGS)
        access->reason = REASON_NO_ADDRESS;
    else if (!(sample->has & SAMPLE_HAS_REGS))
        access->reason =
            sample->has & SAMPLE_HAS_FOREIGN_REGS ? REASON_NOT_X86_64 : REASON_NO_REGISTERS;
    else
        compute_access(decoder, sample, access);
    if (sample->has & SAMPLE_HAS_WRITER_ADDRESS && sample->mode == SAMPLE_USER)
        prefer_recorded(sample, access);
}

void decoder_forget(struct decoder *decoder, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < decoder->function_count; i++)
        if (decoder->functions[i]->start < end && decoder->functions[i]->end > start) {
            decoder_clear(decoder);
            return;
        }
    /* Entries for "no code" have no function. */
    for (size_t i = 0; i < decoder->culprits_count; i++)
        if (decoder->culprits[i].ip >= start && decoder->culprits[i].ip < end) {
            decoder_clear(decoder);
            return;
        }
}

bool decoder_text(struct decoder *decoder, uint64_t ip, char *out, size_t out_size)
{
    uint8_t bytes[DECODER_TEXT_BYTES];
    cs_insn *insn;
    size_t size = decoder->target.code(decoder->target.context, ip, bytes, sizeof bytes);
    size_t count = size ? cs_disasm(decoder->handle, bytes, size, ip, 1, &insn) : 0;
    if (!count)
        return false;
    snprintf(out, out_size, "%s %s", insn->mnemonic, insn->op_str);
    cs_free(insn, count);
    return true;
}
