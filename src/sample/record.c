/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/record.h"

#include <errno.h>
#include <string.h>

/* Later than some uapi headers this must compile with. */
enum { RECORD_SAMPLE_WEIGHT_STRUCT_BIT = 24, RECORD_MISC_MMAP_BUILD_ID = 1 << 14 };
#define RECORD_WEIGHT_STRUCT   (UINT64_C(1) << RECORD_SAMPLE_WEIGHT_STRUCT_BIT)
#define RECORD_BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define RECORD_BRANCH_COUNTERS (UINT64_C(1) << 19)
#define RECORD_READ_LOST       (UINT64_C(1) << 4)

/* enum perf_event_x86_regs to ours; segments are skipped. */
static const uint8_t register_of_bit[] = {
    SREG_AX, SREG_BX,    SREG_CX,   SREG_DX,   SREG_SI,   SREG_DI,   SREG_BP,   SREG_SP,
    SREG_IP, SREG_FLAGS, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE,
    SREG_R8, SREG_R9,    SREG_R10,  SREG_R11,  SREG_R12,  SREG_R13,  SREG_R14,  SREG_R15,
};

/* What is left of a record. Reading past the end marks it bad and yields zeros. */
struct cursor {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static uint64_t take_u64(struct cursor *cursor)
{
    uint64_t value = 0;
    if (cursor->left < sizeof value) {
        cursor->bad = true;
        return 0;
    }
    memcpy(&value, cursor->at, sizeof value);
    cursor->at += sizeof value;
    cursor->left -= sizeof value;
    return value;
}

static void skip_bytes(struct cursor *cursor, uint64_t size)
{
    if (size > cursor->left) {
        cursor->bad = true;
        return;
    }
    cursor->at += size;
    cursor->left -= size;
}

static void skip_words(struct cursor *cursor, uint64_t count)
{
    if (count > cursor->left / 8)
        cursor->bad = true;
    else
        skip_bytes(cursor, count * 8);
}

static void skip_read(struct cursor *cursor, uint64_t format)
{
    uint64_t times =
        !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & RECORD_READ_LOST);
    if (!(format & PERF_FORMAT_GROUP)) {
        skip_words(cursor, times + each);
        return;
    }
    uint64_t count = take_u64(cursor);
    skip_words(cursor, times);
    if (count > cursor->left / 8)
        cursor->bad = true;
    else
        skip_words(cursor, count * each);
}

static void skip_raw(struct cursor *cursor)
{
    uint32_t size = 0;
    if (cursor->left < sizeof size) {
        cursor->bad = true;
        return;
    }
    memcpy(&size, cursor->at, sizeof size);
    /* The size word and the data together fill whole words. */
    skip_bytes(cursor, ((uint64_t)size + sizeof size + 7) & ~UINT64_C(7));
}

static void skip_branches(struct cursor *cursor, uint64_t type)
{
    uint64_t count = take_u64(cursor);
    if (type & RECORD_BRANCH_HW_INDEX)
        take_u64(cursor);
    if (count > cursor->left / 24)
        cursor->bad = true;
    else
        skip_bytes(cursor, count * 24);
    if (type & RECORD_BRANCH_COUNTERS)
        skip_words(cursor, count);
}

/* Registers the mask names; false when the sample carries none (ABI_NONE: it is shorter). */
static bool take_registers(struct cursor *cursor, uint64_t mask, uint64_t *regs)
{
    uint64_t abi = take_u64(cursor);
    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return false;
    for (; mask; mask &= mask - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(mask);
        uint64_t value = take_u64(cursor);
        uint8_t reg = bit < sizeof register_of_bit ? register_of_bit[bit] : SREG_NONE;
        if (regs && reg != SREG_NONE)
            regs[reg] = value;
    }
    return abi == PERF_SAMPLE_REGS_ABI_64 && !cursor->bad;
}

static void skip_stack(struct cursor *cursor)
{
    uint64_t size = take_u64(cursor);
    skip_bytes(cursor, size);
    if (size)
        take_u64(cursor);
}

static enum sample_mode mode_of(uint16_t misc)
{
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_USER:
        return SAMPLE_USER;
    case PERF_RECORD_MISC_KERNEL:
        return SAMPLE_KERNEL;
    default:
        return SAMPLE_OTHER_MODE;
    }
}

/* The part of a sample before the variable-sized fields, in the order of the ABI. */
static void take_head(struct cursor *cursor, const struct record_format *format, struct record *out)
{
    struct sample *sample = &out->sample;
    uint64_t type = format->sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER)
        take_u64(cursor);
    if (type & PERF_SAMPLE_IP)
        sample->ip = take_u64(cursor);
    if (type & PERF_SAMPLE_TID) {
        uint64_t both = take_u64(cursor);
        sample->pid = out->pid = (uint32_t)both;
        sample->tid = out->tid = (uint32_t)(both >> 32);
    }
    if (type & PERF_SAMPLE_TIME)
        sample->time_ns = out->time_ns = take_u64(cursor);
    if (type & PERF_SAMPLE_ADDR)
        sample->address = take_u64(cursor);
    if (type & PERF_SAMPLE_ID)
        take_u64(cursor);
    if (type & PERF_SAMPLE_STREAM_ID)
        take_u64(cursor);
    if (type & PERF_SAMPLE_CPU)
        sample->cpu = (uint32_t)take_u64(cursor);
    sample->weight = type & PERF_SAMPLE_PERIOD ? take_u64(cursor) : format->period;
}

static void skip_middle(struct cursor *cursor, const struct record_format *format)
{
    uint64_t type = format->sample_type;
    if (type & PERF_SAMPLE_READ)
        skip_read(cursor, format->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        skip_words(cursor, take_u64(cursor));
    if (type & PERF_SAMPLE_RAW)
        skip_raw(cursor);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        skip_branches(cursor, format->branch_type);
}

static void take_weight(struct cursor *cursor, uint64_t type, struct sample *sample)
{
    uint64_t weight = take_u64(cursor);
    /* WEIGHT_STRUCT: var1_dw, the low half, is the latency. */
    sample->latency = type & RECORD_WEIGHT_STRUCT ? (uint32_t)weight : weight;
    if (sample->latency)
        sample->has |= SAMPLE_HAS_LATENCY;
}

static void take_tail(struct cursor *cursor, const struct record_format *format,
                      struct sample *sample)
{
    uint64_t type = format->sample_type;
    if (type & PERF_SAMPLE_REGS_USER && take_registers(cursor, format->regs_user, sample->regs))
        sample->has |= SAMPLE_HAS_REGS;
    if (type & PERF_SAMPLE_STACK_USER)
        skip_stack(cursor);
    if (type & (PERF_SAMPLE_WEIGHT | RECORD_WEIGHT_STRUCT))
        take_weight(cursor, type, sample);
    if (type & PERF_SAMPLE_DATA_SRC) {
        sample->data_src = take_u64(cursor);
        sample->has |= SAMPLE_HAS_DATA_SRC;
    }
    if (type & PERF_SAMPLE_TRANSACTION)
        take_u64(cursor);
    if (type & PERF_SAMPLE_REGS_INTR)
        take_registers(cursor, format->regs_intr, NULL);
    if (type & PERF_SAMPLE_PHYS_ADDR) {
        sample->physical = take_u64(cursor);
        sample->has |= sample->physical ? SAMPLE_HAS_PHYSICAL : 0;
    }
}

/*
 * Address 0 means none, and an operation that touches no memory leaves an old one behind: IBS
 * says so by "not available" (FACTS.md). A data source of 0 was not recorded and says nothing.
 */
static bool address_valid(const struct record_format *format, const struct sample *sample)
{
    uint64_t accesses = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) | PERF_MEM_S(OP, PFETCH);
    bool no_access = sample->data_src && !(sample->data_src & accesses);
    return format->recorded_address && sample->address && !no_access;
}

static int parse_sample(struct cursor *cursor, uint16_t misc, const struct record_format *format,
                        struct record *out)
{
    struct sample *sample = &out->sample;
    *sample = (struct sample){.event = format->event};
    out->kind = RECORD_SAMPLE;
    take_head(cursor, format, out);
    skip_middle(cursor, format);
    if (cursor->bad)
        return -EBADMSG;
    take_tail(cursor, format, sample);
    if (cursor->bad)
        return -EBADMSG;
    sample->mode = (uint8_t)mode_of(misc);
    if (address_valid(format, sample))
        sample->has |= SAMPLE_HAS_ADDRESS;
    if (format->exact_ip || misc & PERF_RECORD_MISC_EXACT_IP)
        sample->has |= SAMPLE_HAS_EXACT_IP;
    if (format->alien_regs)
        sample->has |= SAMPLE_HAS_ALIEN_REGS;
    return 1;
}

/* The trailer that sample_id_all adds to other records: cut off, its time and ids read. */
static void strip_trailer(struct cursor *cursor, const struct record_format *format,
                          struct record *out)
{
    uint64_t type = format->sample_type;
    size_t words = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
                   !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
                   !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);
    if (!format->sample_id_all || cursor->left < words * 8)
        return;
    struct cursor tail = {cursor->at + cursor->left - words * 8, words * 8, false};
    cursor->left -= words * 8;
    if (type & PERF_SAMPLE_TID) {
        uint64_t both = take_u64(&tail);
        out->pid = (uint32_t)both;
        out->tid = (uint32_t)(both >> 32);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time_ns = take_u64(&tail);
}

static void take_ids(struct cursor *cursor, struct record *out)
{
    uint64_t both = take_u64(cursor);
    out->pid = (uint32_t)both;
    out->tid = (uint32_t)(both >> 32);
}

/* The rest of the record as a string; bad unless it ends within the record. */
static const char *take_string(struct cursor *cursor)
{
    if (!memchr(cursor->at, '\0', cursor->left))
        cursor->bad = true;
    return (const char *)cursor->at;
}

static void take_build_id(struct cursor *cursor, struct sample_mapping *mapping)
{
    if (cursor->left < 24) {
        cursor->bad = true;
        return;
    }
    mapping->build_id_size = cursor->at[0] <= 20 ? cursor->at[0] : 0;
    memcpy(mapping->build_id, cursor->at + 4, sizeof mapping->build_id);
    skip_bytes(cursor, 24);
}

static void take_file_identity(struct cursor *cursor, struct sample_mapping *mapping)
{
    uint64_t device = take_u64(cursor);
    mapping->device_major = (uint32_t)device;
    mapping->device_minor = (uint32_t)(device >> 32);
    mapping->inode = take_u64(cursor);
    take_u64(cursor);
}

static int parse_mapping(struct cursor *cursor, const struct perf_event_header *header,
                         struct record *out)
{
    struct sample_mapping *mapping = &out->mapping;
    *mapping = (struct sample_mapping){.executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA)};
    out->kind = RECORD_MAPPING;
    take_ids(cursor, out);
    mapping->start = take_u64(cursor);
    mapping->length = take_u64(cursor);
    mapping->file_offset = take_u64(cursor);
    if (header->type == PERF_RECORD_MMAP2) {
        if (header->misc & RECORD_MISC_MMAP_BUILD_ID)
            take_build_id(cursor, mapping);
        else
            take_file_identity(cursor, mapping);
        mapping->protection = (uint32_t)take_u64(cursor);
    }
    mapping->path = take_string(cursor);
    return cursor->bad ? -EBADMSG : 1;
}

static int parse_task(struct cursor *cursor, uint32_t type, struct record *out)
{
    uint64_t pids = take_u64(cursor);
    uint64_t tids = take_u64(cursor);
    uint64_t time_ns = take_u64(cursor);
    out->kind = type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
    out->pid = (uint32_t)pids;
    out->tid = (uint32_t)tids;
    out->fork.parent_pid = (uint32_t)(pids >> 32);
    out->fork.parent_tid = (uint32_t)(tids >> 32);
    if (!out->time_ns)
        out->time_ns = time_ns;
    return cursor->bad ? -EBADMSG : 1;
}

static int parse_comm(struct cursor *cursor, uint16_t misc, struct record *out)
{
    out->kind = RECORD_COMM;
    take_ids(cursor, out);
    out->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
    out->comm.name = take_string(cursor);
    return cursor->bad ? -EBADMSG : 1;
}

static int parse_lost(struct cursor *cursor, uint32_t type, struct record *out)
{
    out->kind = RECORD_LOST;
    if (type == PERF_RECORD_LOST)
        take_u64(cursor);
    out->count = take_u64(cursor);
    return cursor->bad ? -EBADMSG : 1;
}

/* Where the id stands: first with IDENTIFIER, and that at either end of the record. */
static uint64_t id_of(const struct perf_event_header *header, const struct cursor *cursor)
{
    struct cursor copy = *cursor;
    if (header->type != PERF_RECORD_SAMPLE && copy.left >= 8) {
        copy.at += copy.left - 8;
        copy.left = 8;
    }
    return take_u64(&copy);
}

int record_parse(const void *bytes, size_t size, record_lookup lookup, void *context,
                 struct record *out)
{
    struct perf_event_header header;
    if (size < sizeof header)
        return -EBADMSG;
    memcpy(&header, bytes, sizeof header);
    if (header.size < sizeof header || header.size > size)
        return -EBADMSG;
    struct cursor cursor = {(const unsigned char *)bytes + sizeof header,
                            header.size - sizeof header, false};
    const struct record_format *format = lookup(context, id_of(&header, &cursor), cursor.left >= 8);
    if (!format)
        return 0;
    *out = (struct record){0};
    if (header.type == PERF_RECORD_SAMPLE)
        return parse_sample(&cursor, header.misc, format, out);
    strip_trailer(&cursor, format, out);
    switch (header.type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return parse_mapping(&cursor, &header, out);
    case PERF_RECORD_COMM:
        return parse_comm(&cursor, header.misc, out);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return parse_task(&cursor, header.type, out);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        return parse_lost(&cursor, header.type, out);
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
        out->kind = header.type == PERF_RECORD_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
        return 1;
    default:
        return 0;
    }
}

uint64_t record_time(const void *bytes, size_t size, record_lookup lookup, void *context)
{
    struct perf_event_header header;
    struct record record;
    if (size < sizeof header)
        return 0;
    memcpy(&header, bytes, sizeof header);
    if (header.type != PERF_RECORD_SAMPLE || header.size > size || header.size < sizeof header)
        return record_parse(bytes, size, lookup, context, &record) == 1 ? record.time_ns : 0;
    /* Samples are most of what there is: their time stands at a fixed place. */
    struct cursor cursor = {(const unsigned char *)bytes + sizeof header,
                            header.size - sizeof header, false};
    const struct record_format *format = lookup(context, id_of(&header, &cursor), cursor.left >= 8);
    uint64_t type = format ? format->sample_type : 0;
    if (!(type & PERF_SAMPLE_TIME))
        return 0;
    skip_words(&cursor, (uint64_t)!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) +
                            !!(type & PERF_SAMPLE_TID));
    return take_u64(&cursor);
}
