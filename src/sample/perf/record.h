/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses one perf_event record from a ring or a perf.data file. Every byte is untrusted: sizes are
 * checked before each read. Layout: include/uapi/linux/perf_event.h, enum perf_event_type. */
#ifndef MISSTOP_SAMPLE_PERF_RECORD_H
#define MISSTOP_SAMPLE_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sample.h"
#include "sample/cursor.h"

/* Offsets after the user registers assume that the sample has none. 0: the field is absent. */
struct record_places {
    uint16_t size; /* without registers; 0: fields vary in size, or bytes are swapped */
    uint16_t ip, pid, time, address, user_regs, data_src, regs;
    uint16_t user_regs_bytes; /* if the sample has them */
    uint16_t regs_bytes;
};

struct record_format {
    uint64_t sample_type; /* attr.sample_type */
    uint64_t read_format;
    uint64_t branch_type; /* attr.branch_sample_type */
    uint64_t regs_user;   /* mask */
    uint64_t regs_intr;
    uint64_t period; /* weight of a sample that has none */
    bool sample_id_all;
    bool exact_ip;               /* precise_ip >= 2: the sampled instruction itself */
    bool recorded_address;       /* ADDR is of a data access, not 0 or a breakpoint */
    bool no_data_source;         /* DATA_SRC is present and meaningless: a software event */
    bool by_writer;              /* ADDR is what misstop decoded when it recorded */
    bool has_skid_regs;          /* registers are not of the sampled instruction */
    bool counts_instructions;    /* counts instructions, whether or not they access memory */
    bool foreign_regs;           /* registers of another architecture: unusable */
    bool swap;                   /* recorded on a machine of the other byte order */
    uint16_t event;              /* index for struct sample */
    struct record_places places; /* from record_find_places() */
};

/* Finds the format of a record by its id; NULL: not known. */
typedef const struct record_format *(*record_lookup)(void *context, uint64_t id, bool has_id);

/* `bytes` are 8-aligned, header first. Strings in `out` point into them. Returns 1 if `out` is
 * filled, 0 for a record that is not needed, -EBADMSG if it is malformed. */
int record_parse(const void *bytes, size_t size, record_lookup lookup, void *context,
                 struct record *out);

/* Does the same with a known format. */
int record_parse_as(const void *bytes, size_t size, const struct record_format *format,
                    struct record *out);

/* Returns only the time of a record, or 0 if it has none. */
uint64_t record_time(const void *bytes, size_t size, record_lookup lookup, void *context);

/* Returns the header in our byte order, or all zero if `size` is too small. */
struct perf_event_header record_header(const void *bytes, size_t size, bool swap);

/* Reads the id at the offset at which records of `format` have it. Returns true if they have one.
 * All events of a recording that are distinguished by ids use the same offset. */
bool record_id(const void *bytes, size_t size, const struct record_format *format, uint64_t *id);

/* The part of a sample that is needed for sorting and filtering, for most records. */
struct record_brief {
    uint64_t time_ns; /* 0: none */
    uint32_t pid;
};

/* Reads the brief of a PERF_RECORD_SAMPLE. Returns false if it is too short. */
bool record_brief(const void *bytes, size_t size, const struct record_format *format,
                  struct record_brief *brief);

/* Does the same for a complete sample, by the offsets of its format. */
static inline struct record_brief record_fixed_brief(const unsigned char *bytes,
                                                     const struct record_format *format)
{
    struct record_brief brief = {0};
    if (format->places.pid)
        memcpy(&brief.pid, bytes + format->places.pid, sizeof brief.pid);
    if (format->places.time)
        memcpy(&brief.time_ns, bytes + format->places.time, sizeof brief.time_ns);
    return brief;
}

/* Computes the offsets from sample_type, the register masks and `swap`. */
void record_find_places(struct record_format *format);

struct record_survey {
    struct record_brief brief;
    uint64_t ip;
    bool address;   /* SAMPLE_HAS_ADDRESS */
    bool registers; /* SAMPLE_HAS_REGS */
};

/* Reads a PERF_RECORD_SAMPLE without parsing it. Returns false if it must be parsed. */
bool record_survey(const void *bytes, const struct perf_event_header *header,
                   const struct record_format *format, struct record_survey *survey);

/* Shared by record.c and writer.c, which writes the same layout. */

/* Maps enum perf_event_x86_regs to our numbers; SREG_NONE: segment registers, which are skipped. */
enum { RECORD_REGISTER_BITS = 24 };
extern const uint8_t record_register_of_bit[RECORD_REGISTER_BITS];

#endif
