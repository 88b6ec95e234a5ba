/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_record.h"

#include "sample/perfdata_write_process.h"
#include "sample/record_part.h"
#include "sample/tape.h"

#include <string.h>

enum { PATH_BYTES_MAX = 4096, COMM_BYTES_MAX = 64 };

/* Later than some uapi headers this must compile with. */
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define BLK_NA               (UINT64_C(0x01) << 40)

static uint64_t kept_registers(const struct perf_event_attr *attr)
{
    uint64_t asked = attr->sample_type & PERF_SAMPLE_REGS_USER   ? attr->sample_regs_user
                     : attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr
                                                                 : 0;
    uint64_t kept = 0;
    for (unsigned bit = 0; bit < RECORD_REGISTER_BITS; bit++)
        if (record_register_of_bit[bit] != SREG_NONE)
            kept |= asked & UINT64_C(1) << bit;
    return kept;
}

void perfdata_layout_init(struct perfdata_layout *layout, struct perf_event_attr *attr, uint64_t id)
{
    uint64_t latency = PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT;
    layout->id = id;
    layout->regs = kept_registers(attr);
    layout->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                          PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
                          PERF_SAMPLE_DATA_SRC |
                          (attr->sample_type & (PERF_SAMPLE_CPU | PERF_SAMPLE_PHYS_ADDR));
    if (layout->regs)
        layout->sample_type |= PERF_SAMPLE_REGS_USER;
    if (attr->sample_type & latency)
        layout->sample_type |= PERF_SAMPLE_WEIGHT;
    attr->size = sizeof *attr;
    attr->sample_type = layout->sample_type;
    attr->sample_regs_user = layout->regs;
    attr->sample_regs_intr = attr->read_format = attr->branch_sample_type = 0;
    attr->sample_stack_user = 0;
    attr->sample_id_all = 1;
}

struct pen {
    unsigned char *start;
    unsigned char *at;
};

static void put_u32(struct pen *pen, uint32_t value)
{
    memcpy(pen->at, &value, sizeof value);
    pen->at += sizeof value;
}

static void put_u64(struct pen *pen, uint64_t value)
{
    memcpy(pen->at, &value, sizeof value);
    pen->at += sizeof value;
}

/* With its NUL, filled up to whole words. */
static void put_text(struct pen *pen, const char *text, size_t size_max)
{
    size_t length = strnlen(text, size_max - 1);
    size_t filled = (length + 8) & ~(size_t)7;
    memcpy(pen->at, text, length);
    memset(pen->at + length, 0, filled - length);
    pen->at += filled;
}

static struct pen begin(unsigned char *out)
{
    return (struct pen){out, out + sizeof(struct perf_event_header)};
}

static size_t end(const struct pen *pen, uint32_t type, uint16_t misc)
{
    size_t size = (size_t)(pen->at - pen->start);
    struct perf_event_header header = {.type = type, .misc = misc, .size = (uint16_t)size};
    memcpy(pen->start, &header, sizeof header);
    return size;
}

size_t perfdata_write_round(unsigned char out[PERFDATA_WRITE_RECORD_MAX])
{
    struct pen pen = begin(out);
    return end(&pen, TAPE_FINISHED_ROUND, 0);
}

/* What sample_id_all puts behind records that are no samples. */
static void put_trailer(struct pen *pen, const struct perfdata_layout *layout,
                        const struct record *record)
{
    put_u32(pen, record->pid);
    put_u32(pen, record->tid);
    put_u64(pen, record->time_ns);
    if (layout->sample_type & PERF_SAMPLE_CPU) {
        put_u32(pen, SAMPLE_NO_CPU);
        put_u32(pen, 0);
    }
    put_u64(pen, layout->id);
}

static uint16_t mode_misc(const struct sample *sample)
{
    uint16_t exact = sample->has & SAMPLE_HAS_EXACT_IP ? PERF_RECORD_MISC_EXACT_IP : 0;
    switch (sample->mode) {
    case SAMPLE_USER:
        return exact | PERF_RECORD_MISC_USER;
    case SAMPLE_KERNEL:
        return exact | PERF_RECORD_MISC_KERNEL;
    default:
        return exact | PERF_RECORD_MISC_HYPERVISOR;
    }
}

static uint64_t address_of(const struct sample *sample, const struct perfdata_written *told)
{
    return sample->has & SAMPLE_HAS_ADDRESS ? sample->address : told ? told->address : 0;
}

/* What misstop knows, with "not available" in every field that it says nothing of. */
static uint64_t complete(uint64_t data_src)
{
    enum { FIELDS = 6 };
    static const struct {
        uint64_t bits;
        uint64_t na;
    } fields[FIELDS] = {
        {UINT64_C(0x1f), PERF_MEM_S(OP, NA)},
        {UINT64_C(0x3fff) << 5 | UINT64_C(0xf) << 33, PERF_MEM_S(LVL, NA)},
        {UINT64_C(0x1f) << 19, PERF_MEM_S(SNOOP, NA)},
        {UINT64_C(0x3) << 24, PERF_MEM_S(LOCK, NA)},
        {UINT64_C(0x7f) << 26, PERF_MEM_S(TLB, NA)},
        {UINT64_C(0x7) << 40, BLK_NA},
    };
    for (unsigned i = 0; i < FIELDS; i++)
        if (!(data_src & fields[i].bits))
            data_src |= fields[i].na;
    return data_src;
}

/*
 * That of the hardware as it is. An address whose operation is not known keeps 0, which is "not
 * recorded": an operation that is not available would deny the address (record_sample.c).
 */
static uint64_t data_src_of(const struct sample *sample, const struct perfdata_written *told)
{
    if (sample->has & SAMPLE_HAS_DATA_SRC && sample->data_src)
        return sample->data_src;
    if (told && told->data_src)
        return complete(told->data_src);
    return address_of(sample, told) ? 0 : complete(0);
}

static void put_registers(struct pen *pen, uint64_t mask, const struct sample *sample)
{
    if (!(sample->has & SAMPLE_HAS_REGS)) {
        put_u64(pen, PERF_SAMPLE_REGS_ABI_NONE);
        return;
    }
    put_u64(pen, PERF_SAMPLE_REGS_ABI_64);
    for (; mask; mask &= mask - 1)
        put_u64(pen, sample->regs[record_register_of_bit[__builtin_ctzll(mask)]]);
}

/* In the order of the ABI. */
static size_t put_sample(struct pen *pen, const struct perfdata_layout *layout,
                         const struct sample *sample, const struct perfdata_written *told)
{
    put_u64(pen, layout->id);
    put_u64(pen, sample->ip);
    put_u32(pen, sample->pid);
    put_u32(pen, sample->tid);
    put_u64(pen, sample->time_ns);
    put_u64(pen, address_of(sample, told));
    if (layout->sample_type & PERF_SAMPLE_CPU) {
        put_u32(pen, sample->cpu);
        put_u32(pen, 0);
    }
    put_u64(pen, sample->weight);
    if (layout->sample_type & PERF_SAMPLE_REGS_USER)
        put_registers(pen, layout->regs, sample);
    if (layout->sample_type & PERF_SAMPLE_WEIGHT)
        put_u64(pen, sample->has & SAMPLE_HAS_LATENCY ? sample->latency : 0);
    put_u64(pen, data_src_of(sample, told));
    if (layout->sample_type & PERF_SAMPLE_PHYS_ADDR)
        put_u64(pen, sample->has & SAMPLE_HAS_PHYSICAL ? sample->physical : 0);
    return end(pen, PERF_RECORD_SAMPLE, mode_misc(sample));
}

static void put_mapping(struct pen *pen, const struct sample_mapping *mapping)
{
    put_u64(pen, mapping->start);
    put_u64(pen, mapping->length);
    put_u64(pen, mapping->file_offset);
    put_u32(pen, mapping->device_major);
    put_u32(pen, mapping->device_minor);
    put_u64(pen, mapping->inode);
    put_u64(pen, 0); /* generation */
    put_u32(pen, mapping->protection);
    put_u32(pen, mapping->flags);
    put_text(pen, mapping->path, PATH_BYTES_MAX);
}

static void put_ids(struct pen *pen, const struct record *record)
{
    put_u32(pen, record->pid);
    put_u32(pen, record->tid);
}

static void put_task(struct pen *pen, const struct record *record)
{
    put_u32(pen, record->pid);
    put_u32(pen, record->fork.parent_pid);
    put_u32(pen, record->tid);
    put_u32(pen, record->fork.parent_tid);
    put_u64(pen, record->time_ns);
}

/* The body of a record that is no sample; its type and misc. */
static uint32_t put_body(struct pen *pen, const struct perfdata_layout *layout,
                         const struct record *record, uint16_t *misc)
{
    *misc = 0;
    switch (record->kind) {
    case RECORD_MAPPING:
        *misc =
            record->pid == PERFDATA_KERNEL_PID ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
        *misc |= record->mapping.executable ? 0 : PERF_RECORD_MISC_MMAP_DATA;
        put_ids(pen, record);
        put_mapping(pen, &record->mapping);
        return PERF_RECORD_MMAP2;
    case RECORD_COMM:
        *misc = record->comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
        put_ids(pen, record);
        put_text(pen, record->comm.name, COMM_BYTES_MAX);
        return PERF_RECORD_COMM;
    case RECORD_FORK:
    case RECORD_EXIT:
        put_task(pen, record);
        return record->kind == RECORD_FORK ? PERF_RECORD_FORK : PERF_RECORD_EXIT;
    case RECORD_LOST:
        put_u64(pen, layout->id);
        put_u64(pen, record->count);
        return PERF_RECORD_LOST;
    default:
        put_u64(pen, record->time_ns);
        put_u64(pen, layout->id);
        put_u64(pen, 0); /* stream_id */
        return record->kind == RECORD_THROTTLE ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;
    }
}

size_t perfdata_write_record(unsigned char out[PERFDATA_WRITE_RECORD_MAX],
                             const struct perfdata_layout *layout, const struct record *record,
                             const struct perfdata_written *told)
{
    struct pen pen = begin(out);
    uint16_t misc;
    if (record->kind == RECORD_SAMPLE)
        return put_sample(&pen, layout, &record->sample, told);
    uint32_t type = put_body(&pen, layout, record, &misc);
    put_trailer(&pen, layout, record);
    return end(&pen, type, misc);
}
