/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/record.h"

#include <errno.h>

/* PERF_RECORD_SAMPLE: every field of sample_type, in the order of the ABI. */

/* Newer than some uapi headers that this must compile with. */
#define SAMPLE_CGROUP         (UINT64_C(1) << 21)
#define SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)
#define BRANCH_HW_INDEX       (UINT64_C(1) << 17)
#define BRANCH_COUNTERS       (UINT64_C(1) << 19)
#define READ_LOST             (UINT64_C(1) << 4)

const uint8_t record_register_of_bit[RECORD_REGISTER_BITS] = {
    SREG_AX, SREG_BX,    SREG_CX,   SREG_DX,   SREG_SI,   SREG_DI,   SREG_BP,   SREG_SP,
    SREG_IP, SREG_FLAGS, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE, SREG_NONE,
    SREG_R8, SREG_R9,    SREG_R10,  SREG_R11,  SREG_R12,  SREG_R13,  SREG_R14,  SREG_R15,
};

static void skip_read(struct cursor *cursor, uint64_t format)
{
    uint64_t times =
        !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
    uint64_t count = format & PERF_FORMAT_GROUP ? cursor_u64(cursor) : 1;
    cursor_skip(cursor, times * 8);
    cursor_skip_items(cursor, count, each * 8);
}

static void skip_raw(struct cursor *cursor)
{
    uint64_t size = cursor_u32(cursor);
    /* The size word and the data are padded together to a multiple of 8 bytes. */
    cursor_skip(cursor, ((size + 4 + 7) & ~UINT64_C(7)) - 4);
}

static void skip_branches(struct cursor *cursor, uint64_t type)
{
    uint64_t count = cursor_u64(cursor);
    if (type & BRANCH_HW_INDEX)
        cursor_u64(cursor);
    cursor_skip_items(cursor, count, 24);
    if (type & BRANCH_COUNTERS)
        cursor_skip_items(cursor, count, 8);
}

/* The kernel numbers rax to flags and r8 to r15 in the same order as we do. */
enum {
    LOW_COUNT = SREG_R8,
    HIGH_COUNT = SREG_COUNT - SREG_R8,
    HIGH_FIRST_BIT = 16,
    LOW_MASK = (1 << LOW_COUNT) - 1,
    HIGH_MASK = (1 << HIGH_COUNT) - 1
};

/* Copies all known registers in two pieces, the usual case: perf record --intr-regs and misstop
 * itself request them all. */
static bool copy_all_registers(const struct cursor *values, uint64_t mask, uint64_t *regs)
{
    uint64_t between = mask >> LOW_COUNT & ((1 << (HIGH_FIRST_BIT - LOW_COUNT)) - 1);
    size_t skipped = LOW_COUNT + (size_t)__builtin_popcountll(between);
    if (values->swap || (mask & LOW_MASK) != LOW_MASK ||
        (mask >> HIGH_FIRST_BIT & HIGH_MASK) != HIGH_MASK)
        return false;
    memcpy(regs, values->at, LOW_COUNT * sizeof *regs);
    memcpy(regs + SREG_R8, values->at + skipped * sizeof *regs, HIGH_COUNT * sizeof *regs);
    return true;
}

/* Copies only registers that are still missing. */
static void copy_missing_registers(struct cursor *values, uint64_t mask, struct sample *sample)
{
    for (; mask; mask &= mask - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(mask);
        uint64_t value = cursor_u64(values);
        uint8_t reg = bit < RECORD_REGISTER_BITS ? record_register_of_bit[bit] : SREG_NONE;
        if (reg == SREG_NONE || !(sample->regs_missing >> reg & 1))
            continue;
        sample->regs[reg] = value;
        sample->regs_missing &= ~(1u << reg);
    }
}

/* Takes the registers in the mask, unless the sample carries none (ABI_NONE: it is shorter) or they
 * are not wanted. Skips registers of 32-bit code and of other architectures, and sets a flag. */
static void take_registers(struct cursor *cursor, uint64_t mask, bool wanted, bool foreign,
                           struct sample *sample)
{
    uint64_t abi = cursor_u64(cursor);
    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return;
    struct cursor values = *cursor;
    cursor_skip_items(cursor, (uint64_t)__builtin_popcountll(mask), 8);
    if (!wanted || cursor->bad)
        return;
    if (foreign || abi != PERF_SAMPLE_REGS_ABI_64) {
        sample->has |= SAMPLE_HAS_FOREIGN_REGS;
        return;
    }
    bool first = !(sample->has & SAMPLE_HAS_REGS);
    sample->has |= SAMPLE_HAS_REGS;
    if (first && copy_all_registers(&values, mask, sample->regs))
        return;
    if (first) {
        memset(sample->regs, 0, sizeof sample->regs);
        sample->regs_missing = (1u << SREG_COUNT) - 1;
    }
    if (sample->regs_missing)
        copy_missing_registers(&values, mask, sample);
}

static void take_stack(struct cursor *cursor, bool foreign, struct sample *sample)
{
    uint64_t size = cursor_u64(cursor);
    const unsigned char *stack = cursor->at;
    cursor_skip(cursor, size);
    uint64_t filled = size ? cursor_u64(cursor) : 0;
    if (cursor->bad || foreign || cursor->swap || filled > size)
        return;
    sample->stack = stack;
    sample->stack_bytes = (uint32_t)filled;
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

/* Reads the part of a sample before the variable-sized fields, with a local cursor that the
 * compiler keeps in registers. */
static void take_sample_head(struct cursor *at, const struct record_format *format,
                             struct record *out)
{
    struct cursor cursor = *at;
    struct sample *sample = &out->sample;
    uint64_t type = format->sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER)
        cursor_u64(&cursor);
    if (type & PERF_SAMPLE_IP)
        sample->ip = cursor_u64(&cursor);
    if (type & PERF_SAMPLE_TID) {
        sample->pid = out->pid = cursor_u32(&cursor);
        sample->tid = out->tid = cursor_u32(&cursor);
    }
    if (type & PERF_SAMPLE_TIME)
        sample->time_ns = out->time_ns = cursor_u64(&cursor);
    if (type & PERF_SAMPLE_ADDR)
        sample->address = cursor_u64(&cursor);
    if (type & PERF_SAMPLE_ID)
        cursor_u64(&cursor);
    if (type & PERF_SAMPLE_STREAM_ID)
        cursor_u64(&cursor);
    sample->cpu = SAMPLE_NO_CPU;
    if (type & PERF_SAMPLE_CPU) {
        sample->cpu = cursor_u32(&cursor);
        cursor_u32(&cursor);
    }
    sample->weight = type & PERF_SAMPLE_PERIOD ? cursor_u64(&cursor) : format->period;
    *at = cursor;
}

/* After the user marker come the sampled instruction and the return addresses, up to the next
 * marker. Source: include/uapi/linux/perf_event.h, PERF_CONTEXT_USER. */
static void take_chain(struct cursor *cursor, struct sample *sample)
{
    uint64_t count = cursor_u64(cursor);
    struct cursor entries = *cursor;
    bool users = false;
    cursor_skip_items(cursor, count, 8);
    if (cursor->bad || cursor->swap)
        return;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *at = entries.at;
        uint64_t entry = cursor_u64(&entries);
        bool marker = entry >= (uint64_t)PERF_CONTEXT_MAX;
        if (marker && sample->chain)
            return;
        if (users && !marker) {
            sample->chain = sample->chain ? sample->chain : at;
            sample->chain_count++;
        }
        if (marker)
            users = entry == (uint64_t)PERF_CONTEXT_USER;
    }
}

static void skip_sample_middle(struct cursor *cursor, const struct record_format *format,
                               struct sample *sample)
{
    uint64_t type = format->sample_type;
    const uint64_t any =
        PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
    if (!(type & any))
        return;
    if (type & PERF_SAMPLE_READ)
        skip_read(cursor, format->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        take_chain(cursor, sample);
    if (type & PERF_SAMPLE_RAW)
        skip_raw(cursor);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        skip_branches(cursor, format->branch_type);
}

static void take_weight(struct cursor *cursor, uint64_t type, struct sample *sample)
{
    uint64_t weight = cursor_u64(cursor);
    /* WEIGHT_STRUCT: the latency is var1_dw, the low half in either byte order. */
    sample->latency = type & SAMPLE_WEIGHT_STRUCT ? (uint32_t)weight : weight;
    if (sample->latency)
        sample->has |= SAMPLE_HAS_LATENCY;
}

/* Takes the interrupted registers, which are the user's if user code was interrupted. perf record
 * --intr-regs records no others. */
static void take_intr_registers(struct cursor *cursor, const struct record_format *format,
                                struct sample *sample)
{
    take_registers(cursor, format->regs_intr, sample->mode == SAMPLE_USER, format->foreign_regs,
                   sample);
}

/* Skips the last fields, in order to detect a record that is cut off inside them. */
static void skip_last_fields(struct cursor *cursor, uint64_t type)
{
    cursor_skip(cursor, 8u * (!!(type & SAMPLE_CGROUP) + !!(type & SAMPLE_DATA_PAGE_SIZE) +
                              !!(type & SAMPLE_CODE_PAGE_SIZE)));
    if (type & PERF_SAMPLE_AUX)
        cursor_skip(cursor, cursor_u64(cursor));
}

static void take_sample_tail(struct cursor *cursor, const struct record_format *format,
                             struct sample *sample)
{
    uint64_t type = format->sample_type;
    if (type & PERF_SAMPLE_REGS_USER)
        take_registers(cursor, format->regs_user, true, format->foreign_regs, sample);
    if (type & PERF_SAMPLE_STACK_USER)
        take_stack(cursor, format->foreign_regs, sample);
    if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
        take_weight(cursor, type, sample);
    if (type & PERF_SAMPLE_DATA_SRC) {
        sample->data_src = cursor_u64(cursor);
        sample->has |= format->no_data_source ? 0 : SAMPLE_HAS_DATA_SRC;
    }
    if (type & PERF_SAMPLE_TRANSACTION)
        cursor_u64(cursor);
    if (type & PERF_SAMPLE_REGS_INTR)
        take_intr_registers(cursor, format, sample);
    if (type & PERF_SAMPLE_PHYS_ADDR) {
        sample->physical = cursor_u64(cursor);
        sample->has |= sample->physical ? SAMPLE_HAS_PHYSICAL : 0;
    }
    if (type & (SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX))
        skip_last_fields(cursor, type);
}

/* Address 0 means none. An operation that accesses no memory leaves an old address; IBS marks it
 * "not available" (doc/facts.md). A data source of 0 was not recorded and excludes nothing. */
static bool address_valid(const struct record_format *format, uint64_t address, uint64_t data_src)
{
    uint64_t accesses = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) | PERF_MEM_S(OP, PFETCH);
    bool no_access = !format->no_data_source && data_src && !(data_src & accesses);
    return format->recorded_address && address && !no_access;
}

/* Clears all members except the registers, most of a record: this runs for every sample. */
static void clear_record(struct record *out)
{
    struct sample *sample = &out->sample;
    out->kind = RECORD_SAMPLE;
    out->time_ns = 0;
    out->pid = out->tid = 0;
    sample->time_ns = sample->ip = sample->address = sample->physical = 0;
    sample->weight = sample->latency = sample->data_src = 0;
    sample->evictor_ip = sample->evictor_address = sample->evictor_tid = 0;
    sample->pid = sample->tid = sample->cpu = 0;
    sample->event = sample->has = sample->mode = sample->cause = 0;
    sample->regs_missing = sample->stack_bytes = sample->chain_count = 0;
    sample->stack = sample->chain = NULL;
}

/* These functions return 1 if `out` is filled, 0 for a record that is not needed, or -EBADMSG. */
static int record_take_sample(struct cursor *cursor, uint16_t misc,
                              const struct record_format *format, struct record *out)
{
    struct sample *sample = &out->sample;
    clear_record(out);
    sample->event = format->event;
    sample->mode = (uint8_t)mode_of(misc);
    take_sample_head(cursor, format, out);
    skip_sample_middle(cursor, format, sample);
    if (cursor->bad)
        return -EBADMSG;
    take_sample_tail(cursor, format, sample);
    if (cursor->bad)
        return -EBADMSG;
    if (address_valid(format, sample->address, sample->data_src))
        sample->has |= SAMPLE_HAS_ADDRESS | (format->by_writer ? SAMPLE_HAS_WRITER_ADDRESS : 0);
    if (format->exact_ip || misc & PERF_RECORD_MISC_EXACT_IP)
        sample->has |= SAMPLE_HAS_EXACT_IP;
    if (format->has_skid_regs)
        sample->has |= SAMPLE_HAS_SKID_REGS;
    if (format->counts_instructions)
        sample->has |= SAMPLE_HAS_ANY_INSTRUCTION;
    /* The IP is known even if it was not requested as a register. */
    if (sample->regs_missing >> SREG_IP & 1) {
        sample->regs[SREG_IP] = sample->ip;
        sample->regs_missing &= ~(1u << SREG_IP);
    }
    return 1;
}

/* Records other than samples: mappings, names, tasks, losses. */

/* Newer than some uapi headers that this must compile with. */
enum { RECORD_MISC_MMAP_BUILD_ID = 1 << 14 };

/* Removes the trailer that sample_id_all adds to other records, and reads its time and ids. */
static void strip_trailer(struct cursor *cursor, const struct record_format *format,
                          struct record *out)
{
    uint64_t type = format->sample_type;
    size_t words = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
                   !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
                   !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);
    if (!format->sample_id_all || cursor->left < words * 8)
        return;
    struct cursor tail = *cursor;
    cursor_skip(&tail, cursor->left - words * 8);
    cursor->left -= words * 8;
    if (type & PERF_SAMPLE_TID) {
        out->pid = cursor_u32(&tail);
        out->tid = cursor_u32(&tail);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time_ns = cursor_u64(&tail);
}

static void take_ids(struct cursor *cursor, struct record *out)
{
    out->pid = cursor_u32(cursor);
    out->tid = cursor_u32(cursor);
}

/* Marks the cursor bad if the string does not end within the record. */
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
    cursor_skip(cursor, 24);
}

static void take_file_identity(struct cursor *cursor, struct sample_mapping *mapping)
{
    mapping->device_major = cursor_u32(cursor);
    mapping->device_minor = cursor_u32(cursor);
    mapping->inode = cursor_u64(cursor);
    cursor_u64(cursor); /* generation */
}

/* Kernels 3.12 to 3.15 wrote neither protection nor flags: the path is where other kernels
 * write the protection. The first byte of a protection is not printable in either byte order. */
static bool lacks_protection(const struct cursor *cursor)
{
    enum { PROTECTION_BYTES = 8 };
    return cursor->left <= PROTECTION_BYTES || cursor->at[0] >= ' ';
}

static void take_mapping(struct cursor *cursor, const struct perf_event_header *header,
                         struct record *out)
{
    struct sample_mapping *mapping = &out->mapping;
    *mapping = (struct sample_mapping){.executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA)};
    out->kind = RECORD_MAPPING;
    take_ids(cursor, out);
    mapping->start = cursor_u64(cursor);
    mapping->length = cursor_u64(cursor);
    mapping->file_offset = cursor_u64(cursor);
    if (header->type == PERF_RECORD_MMAP2) {
        if (header->misc & RECORD_MISC_MMAP_BUILD_ID)
            take_build_id(cursor, mapping);
        else
            take_file_identity(cursor, mapping);
        bool brief = !(header->misc & RECORD_MISC_MMAP_BUILD_ID) && lacks_protection(cursor);
        mapping->protection = brief ? 0 : cursor_u32(cursor);
        mapping->flags = brief ? 0 : cursor_u32(cursor);
    }
    mapping->path = take_string(cursor);
}

static void take_task(struct cursor *cursor, uint32_t type, struct record *out)
{
    out->kind = type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
    out->pid = cursor_u32(cursor);
    out->fork.parent_pid = cursor_u32(cursor);
    out->tid = cursor_u32(cursor);
    out->fork.parent_tid = cursor_u32(cursor);
    uint64_t time_ns = cursor_u64(cursor);
    if (!out->time_ns)
        out->time_ns = time_ns;
}

static void take_comm(struct cursor *cursor, uint16_t misc, struct record *out)
{
    out->kind = RECORD_COMM;
    take_ids(cursor, out);
    out->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
    out->comm.exe = NULL;
    out->comm.name = take_string(cursor);
}

static void take_lost(struct cursor *cursor, uint32_t type, struct record *out)
{
    out->kind = RECORD_LOST;
    if (type == PERF_RECORD_LOST)
        cursor_u64(cursor); /* id */
    out->count = cursor_u64(cursor);
}

static int record_take_other(struct cursor *cursor, const struct perf_event_header *header,
                             const struct record_format *format, struct record *out)
{
    strip_trailer(cursor, format, out);
    switch (header->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        take_mapping(cursor, header, out);
        break;
    case PERF_RECORD_COMM:
        take_comm(cursor, header->misc, out);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        take_task(cursor, header->type, out);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        take_lost(cursor, header->type, out);
        break;
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
        out->kind = header->type == PERF_RECORD_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
        break;
    default:
        return 0;
    }
    return cursor->bad ? -EBADMSG : 1;
}

struct perf_event_header record_header(const void *bytes, size_t size, bool swap)
{
    struct perf_event_header header = {0};
    if (size < sizeof header)
        return header;
    memcpy(&header, bytes, sizeof header);
    if (swap)
        header = (struct perf_event_header){.type = __builtin_bswap32(header.type),
                                            .misc = __builtin_bswap16(header.misc),
                                            .size = __builtin_bswap16(header.size)};
    return header;
}

/* Returns the record between its header and the trailing sample_id. */
static struct cursor record_body(const void *bytes, const struct perf_event_header *header,
                                 bool swap)
{
    return (struct cursor){(const unsigned char *)bytes + sizeof *header,
                           header->size - sizeof *header, false, swap};
}

static bool header_fits(const struct perf_event_header *header, size_t size)
{
    return header->size >= sizeof *header && header->size <= size;
}

int record_parse_as(const void *bytes, size_t size, const struct record_format *format,
                    struct record *out)
{
    struct perf_event_header header = record_header(bytes, size, format->swap);
    if (!header_fits(&header, size))
        return -EBADMSG;
    struct cursor cursor = record_body(bytes, &header, format->swap);
    if (header.type == PERF_RECORD_SAMPLE)
        return record_take_sample(&cursor, header.misc, format, out);
    *out = (struct record){0};
    return record_take_other(&cursor, &header, format, out);
}

/* Reads the id in a ring that misstop opened: first in a sample, last in other records, because
 * misstop sets PERF_SAMPLE_IDENTIFIER. */
static uint64_t id_in_ring(const struct perf_event_header *header, struct cursor cursor)
{
    if (header->type != PERF_RECORD_SAMPLE && cursor.left >= 8)
        cursor_skip(&cursor, cursor.left - 8);
    return cursor_u64(&cursor);
}

static const struct record_format *format_of(const void *bytes,
                                             const struct perf_event_header *header,
                                             record_lookup lookup, void *context)
{
    struct cursor cursor = record_body(bytes, header, false);
    return lookup(context, id_in_ring(header, cursor), cursor.left >= 8);
}

int record_parse(const void *bytes, size_t size, record_lookup lookup, void *context,
                 struct record *out)
{
    struct perf_event_header header = record_header(bytes, size, false);
    if (!header_fits(&header, size))
        return -EBADMSG;
    const struct record_format *format = format_of(bytes, &header, lookup, context);
    return format ? record_parse_as(bytes, size, format, out) : 0;
}

uint64_t record_time(const void *bytes, size_t size, record_lookup lookup, void *context)
{
    struct perf_event_header header = record_header(bytes, size, false);
    struct record_brief brief = {0};
    struct record record;
    if (!header_fits(&header, size))
        return 0;
    const struct record_format *format = format_of(bytes, &header, lookup, context);
    if (!format)
        return 0;
    if (header.type == PERF_RECORD_SAMPLE)
        return record_brief(bytes, size, format, &brief) ? brief.time_ns : 0;
    return record_parse_as(bytes, size, format, &record) == 1 ? record.time_ns : 0;
}

bool record_id(const void *bytes, size_t size, const struct record_format *format, uint64_t *id)
{
    struct perf_event_header header = record_header(bytes, size, format->swap);
    uint64_t type = format->sample_type;
    bool identifier = type & PERF_SAMPLE_IDENTIFIER;
    if (!header_fits(&header, size) || !(identifier || type & PERF_SAMPLE_ID))
        return false;
    struct cursor cursor = record_body(bytes, &header, format->swap);
    if (header.type == PERF_RECORD_SAMPLE) {
        size_t before = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
                        !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
        cursor_skip(&cursor, identifier ? 0 : before * 8);
    } else {
        size_t after = !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU);
        size_t from_end = (identifier ? 1 : after + 1) * 8;
        if (!format->sample_id_all || cursor.left < from_end)
            return false;
        cursor_skip(&cursor, cursor.left - from_end);
    }
    *id = cursor_u64(&cursor);
    return !cursor.bad;
}

bool record_brief(const void *bytes, size_t size, const struct record_format *format,
                  struct record_brief *brief)
{
    uint64_t type = format->sample_type;
    struct cursor cursor = {bytes, size, false, format->swap};
    cursor_skip(&cursor, sizeof(struct perf_event_header) +
                             8u * (!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP)));
    brief->pid = 0;
    if (type & PERF_SAMPLE_TID) {
        brief->pid = cursor_u32(&cursor);
        cursor_skip(&cursor, 4); /* the thread */
    }
    brief->time_ns = type & PERF_SAMPLE_TIME ? cursor_u64(&cursor) : 0;
    return !cursor.bad;
}

/* Fields of one word each, in the order of the ABI: before the user registers, between the user and
 * the interrupted registers, and after these. */
static const uint64_t words_before[] = {
    PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
    PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
    PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD};
static const uint64_t words_between[] = {PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT,
                                         PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION};
static const uint64_t words_behind[] = {PERF_SAMPLE_PHYS_ADDR, SAMPLE_CGROUP, SAMPLE_DATA_PAGE_SIZE,
                                        SAMPLE_CODE_PAGE_SIZE};

/* Skips the fields, and stores the offset of the wanted field if it is present. */
static uint16_t field_offset(const uint64_t *words, size_t count, uint64_t type, uint16_t at,
                             uint64_t wanted, uint16_t *place)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] & wanted && type & wanted)
            *place = at;
        at += type & words[i] ? 8 : 0;
    }
    return at;
}

static uint16_t register_bytes(uint64_t mask)
{
    return (uint16_t)(8 * __builtin_popcountll(mask));
}

void record_find_places(struct record_format *format)
{
    enum { BEFORE = sizeof words_before / 8, BETWEEN = sizeof words_between / 8 };
    enum { BEHIND = sizeof words_behind / 8 };
    const uint64_t varying = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
                             PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX;
    struct record_places places = {0};
    uint64_t type = format->sample_type;
    uint16_t at = sizeof(struct perf_event_header);
    if (type & varying || format->swap || type >> 25)
        return;
    field_offset(words_before, BEFORE, type, at, PERF_SAMPLE_IP, &places.ip);
    field_offset(words_before, BEFORE, type, at, PERF_SAMPLE_TID, &places.pid);
    field_offset(words_before, BEFORE, type, at, PERF_SAMPLE_TIME, &places.time);
    at = field_offset(words_before, BEFORE, type, at, PERF_SAMPLE_ADDR, &places.address);
    if (type & PERF_SAMPLE_REGS_USER) {
        places.user_regs = at;
        places.user_regs_bytes = register_bytes(format->regs_user);
        at += 8;
    }
    at = field_offset(words_between, BETWEEN, type, at, PERF_SAMPLE_DATA_SRC, &places.data_src);
    if (type & PERF_SAMPLE_REGS_INTR) {
        places.regs = at;
        places.regs_bytes = register_bytes(format->regs_intr);
        at += 8;
    }
    places.size = field_offset(words_behind, BEHIND, type, at, 0, &places.size);
    format->places = places;
}

static uint64_t field_word(const unsigned char *bytes, uint16_t place)
{
    uint64_t word = 0;
    if (place)
        memcpy(&word, bytes + place, sizeof word);
    return word;
}

bool record_survey(const void *bytes, const struct perf_event_header *header,
                   const struct record_format *format, struct record_survey *survey)
{
    const struct record_places *places = &format->places;
    const unsigned char *at = bytes;
    if (!places->size || header->size < places->size)
        return false;
    *survey = (struct record_survey){
        .brief = {field_word(at, places->time), (uint32_t)field_word(at, places->pid)},
        .ip = field_word(at, places->ip)};
    uint64_t address = field_word(at, places->address);
    uint64_t user_abi = field_word(at, places->user_regs);
    size_t registers = user_abi ? places->user_regs_bytes : 0;
    if (header->size < places->size + registers)
        return false;
    at += registers;
    uint64_t abi = field_word(at, places->regs);
    if (header->size < places->size + registers + (abi ? places->regs_bytes : 0))
        return false;
    survey->address = address_valid(format, address, field_word(at, places->data_src));
    bool of_user = abi == PERF_SAMPLE_REGS_ABI_64 && mode_of(header->misc) == SAMPLE_USER;
    survey->registers = !format->foreign_regs && (user_abi == PERF_SAMPLE_REGS_ABI_64 || of_user);
    return true;
}
