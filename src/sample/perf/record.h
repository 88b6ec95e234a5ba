/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One perf_event record, as it is in a ring or a perf.data file, into our own form.
 * Every byte is untrusted: sizes are checked before each read.
 * Layout: include/uapi/linux/perf_event.h, enum perf_event_type.
 */
#ifndef MISSTOP_SAMPLE_PERF_RECORD_H
#define MISSTOP_SAMPLE_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sample.h"
#include "sample/cursor.h"

/* Where a sample has what a survey counts: offsets in the record, of what follows the registers of
 * the user as if there were none. 0: it is not there. */
struct record_places {
    uint16_t size; /* of a sample without registers; 0: fields vary in size, or bytes are swapped */
    uint16_t ip, pid, time, address, user_regs, data_src, regs;
    uint16_t user_regs_bytes; /* where there are any */
    uint16_t regs_bytes;
};

/* How one event's records are laid out and what its samples mean. */
struct record_format {
    uint64_t sample_type; /* attr.sample_type */
    uint64_t read_format;
    uint64_t branch_type; /* attr.branch_sample_type */
    uint64_t regs_user;   /* mask */
    uint64_t regs_intr;
    uint64_t period; /* weight of a sample that carries none */
    bool sample_id_all;
    bool exact_ip;               /* precise_ip >= 2: the sampled instruction itself */
    bool recorded_address;       /* ADDR is that of a data access, not a breakpoint's or 0 */
    bool no_data_source;         /* DATA_SRC is there and says nothing: a software event's */
    bool by_writer;              /* ADDR is what misstop worked out when it recorded */
    bool alien_regs;             /* registers are not those of the sampled instruction */
    bool of_any;                 /* counts instructions, whether they access memory or not */
    bool foreign_regs;           /* registers of another architecture: of no use here */
    bool swap;                   /* recorded on a machine of the other byte order */
    uint16_t event;              /* index for struct sample */
    struct record_places places; /* of record_find_places() */
};

/* Finds the format a record belongs to by its id; NULL: not known. */
typedef const struct record_format *(*record_lookup)(void *context, uint64_t id, bool has_id);

/*
 * Parses one record of `size` bytes, 8-aligned, header first. Strings of `out` point into
 * `bytes` and end with NUL. Returns 1 when `out` is filled, 0 for a record of no interest,
 * -EBADMSG when it is malformed.
 */
int record_parse(const void *bytes, size_t size, record_lookup lookup, void *context,
                 struct record *out);

/* The same where the format is known already. */
int record_parse_as(const void *bytes, size_t size, const struct record_format *format,
                    struct record *out);

/* Time of a record without the rest; 0 when it carries none. */
uint64_t record_time(const void *bytes, size_t size, record_lookup lookup, void *context);

/* The header in our byte order; all zero where `size` cannot hold one. */
struct perf_event_header record_header(const void *bytes, size_t size, bool swap);

/*
 * The id of the event that a record belongs to, from where records of `format` carry it: true
 * if they do. Events of one recording that are distinguished by ids agree about the place.
 */
bool record_id(const void *bytes, size_t size, const struct record_format *format, uint64_t *id);

/* The part of a sample that sorting and choosing need, for most records. */
struct record_brief {
    uint64_t time_ns; /* 0: none */
    uint32_t pid;
};

/* Of a PERF_RECORD_SAMPLE; false if it is too short. */
bool record_brief(const void *bytes, size_t size, const struct record_format *format,
                  struct record_brief *brief);

/* The same of a whole one, by the places of its format. */
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

/* Looks for the places that sample_type, the masks of registers and `swap` lead to. */
void record_find_places(struct record_format *format);

/* All that a survey counts of a sample. */
struct record_survey {
    struct record_brief brief;
    uint64_t ip;
    bool address;   /* SAMPLE_HAS_ADDRESS */
    bool registers; /* SAMPLE_HAS_REGS */
};

/* Of a PERF_RECORD_SAMPLE, without parsing it; false: that has to be done. */
bool record_survey(const void *bytes, const struct perf_event_header *header,
                   const struct record_format *format, struct record_survey *survey);

/* Parsers of record bodies, for record.c, and for writer.c, which writes the same layout. */
/* enum perf_event_x86_regs to ours; SREG_NONE: segments, which are skipped. */
enum { RECORD_REGISTER_BITS = 24 };
extern const uint8_t record_register_of_bit[RECORD_REGISTER_BITS];

#endif
