/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample -> decode: records delivered by the kernel, in time order. Plain values, except for the
 * strings of mappings and comms, which are valid only during the callback.
 *
 * Source: include/uapi/linux/perf_event.h, "struct perf_event_mmap_page" and "enum
 * perf_event_type"; arch/x86/include/uapi/asm/perf_regs.h.
 */
#ifndef MISSTOP_SAMPLE_H
#define MISSTOP_SAMPLE_H

#include "simulated_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Maximum number of events that a session samples at once. Event 0 is the ranking event. */
#define SAMPLE_EVENTS_MAX 8

/* General registers of x86-64, in the order of the perf ABI without segment registers. The prefix
 * is SREG_ because <sys/ucontext.h> defines REG_R8 etc. in another order. */
enum sample_register {
    SREG_AX,
    SREG_BX,
    SREG_CX,
    SREG_DX,
    SREG_SI,
    SREG_DI,
    SREG_BP,
    SREG_SP,
    SREG_IP,
    SREG_FLAGS,
    SREG_R8,
    SREG_R9,
    SREG_R10,
    SREG_R11,
    SREG_R12,
    SREG_R13,
    SREG_R14,
    SREG_R15,
    SREG_COUNT,
    SREG_NONE = 0xff
};

/* Valid parts of a sample. Unknown is not zero: test before reading. */
enum sample_has {
    SAMPLE_HAS_ADDRESS = 1 << 0,  /* data address recorded by the hardware */
    SAMPLE_HAS_REGS = 1 << 1,     /* user registers at `ip` */
    SAMPLE_HAS_LATENCY = 1 << 2,  /* PERF_SAMPLE_WEIGHT or WEIGHT_STRUCT var1, cycles */
    SAMPLE_HAS_DATA_SRC = 1 << 3, /* PERF_SAMPLE_DATA_SRC */
    SAMPLE_HAS_PHYSICAL = 1 << 4, /* PERF_SAMPLE_PHYS_ADDR */
    SAMPLE_HAS_EXACT_IP = 1 << 5, /* `ip` is the culprit itself (PEBS precise, IBS) */
    /* Registers are not those of the culprit (IBS): never compute an address from them. */
    SAMPLE_HAS_SKID_REGS = 1 << 6,
    /* Registers of 32-bit code or another architecture were recorded, and left out. */
    SAMPLE_HAS_FOREIGN_REGS = 1 << 7,
    /* With HAS_ADDRESS: misstop computed the address when it recorded. */
    SAMPLE_HAS_WRITER_ADDRESS = 1 << 8,
    /* The event counts instructions: an access only if the sampled instruction is one. */
    SAMPLE_HAS_ANY_INSTRUCTION = 1 << 9
};

#define SAMPLE_NO_CPU UINT32_MAX

enum sample_mode { SAMPLE_USER, SAMPLE_KERNEL, SAMPLE_OTHER_MODE /* hypervisor, guest */ };

struct sample {
    uint64_t time_ns; /* CLOCK_MONOTONIC when live; the recording's clock in replay */
    uint64_t ip;
    uint64_t address;         /* HAS_ADDRESS */
    uint64_t physical;        /* HAS_PHYSICAL */
    uint64_t weight;          /* events this sample represents: the period it was taken with */
    uint64_t latency;         /* HAS_LATENCY, core cycles */
    uint64_t data_src;        /* HAS_DATA_SRC, union perf_mem_data_src */
    uint64_t evictor_ip;      /* instruction that evicted the line; 0: not known */
    uint64_t evictor_address; /* address accessed by evictor_ip; 0: not known */
    uint32_t evictor_tid;     /* thread that evicted the line; 0: not known */
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;          /* SAMPLE_NO_CPU: not recorded */
    uint16_t event;        /* index into the session's events; 0: ranking event */
    uint16_t has;          /* enum sample_has */
    uint8_t mode;          /* enum sample_mode */
    uint8_t cause;         /* enum miss_cause */
    uint32_t regs_missing; /* HAS_REGS: bits of enum sample_register that were not recorded */
    /* User stack from the stack pointer upwards, as of the sample. Points into the record's bytes
     * and is valid as long as the record. NULL: not recorded. */
    const unsigned char *stack;
    uint32_t stack_bytes;
    /* The instruction, then the return addresses of its callers, innermost first, found by the
     * kernel through frame pointers. 8 bytes each, unaligned, in the record's bytes. NULL: none. */
    const unsigned char *chain;
    uint32_t chain_count;
    /* HAS_REGS; regs[SREG_IP] can differ from ip under PEBS. This is the last member, so that
     * samples without registers need not write it. */
    uint64_t regs[SREG_COUNT];
};

struct sample_mapping {
    uint64_t start;
    uint64_t length;
    uint64_t file_offset;
    uint64_t inode;
    uint32_t device_major;
    uint32_t device_minor;
    uint32_t protection;   /* PROT_*; 0 if not in the record */
    uint32_t flags;        /* MAP_SHARED, MAP_PRIVATE etc.; 0 if not in the record */
    bool executable;       /* false: PERF_RECORD_MISC_MMAP_DATA */
    uint8_t build_id_size; /* 0: none in the record */
    uint8_t build_id[20];
    const char *path; /* as the kernel wrote it: "//anon", "[heap]" or a path; untrusted */
};

enum record_kind {
    RECORD_SAMPLE,
    RECORD_LINE, /* line report of a simulated cache; not a sample */
    RECORD_MAPPING,
    RECORD_COMM,     /* name change; `exec`: the process now runs another program */
    RECORD_FORK,     /* new thread or process: pid, tid are the child's */
    RECORD_EXIT,     /* thread tid of pid is gone */
    RECORD_LOST,     /* `count` records were dropped because the ring was full */
    RECORD_THROTTLE, /* the kernel stopped sampling for the rest of a tick */
    RECORD_UNTHROTTLE
};

struct record {
    enum record_kind kind;
    uint64_t time_ns;
    uint32_t pid;
    uint32_t tid;
    union {
        struct sample sample;
        struct line_event line;
        struct sample_mapping mapping;
        struct {
            const char *name; /* untrusted */
            bool exec;
            const char *exe; /* with exec: path of the program, untrusted; NULL: read from /proc */
        } comm;
        struct {
            uint32_t parent_pid;
            uint32_t parent_tid;
        } fork;
        uint64_t count; /* LOST */
    };
};

enum event_role {
    EVENT_MISS_L1,
    EVENT_MISS_L2,
    EVENT_MEM_FILL,
    EVENT_STALL, /* cycles stalled while a load that missed L1 is outstanding */
    EVENT_ACCESS,
    EVENT_OTHER,
    EVENT_TIME, /* a timer, or cycles whether stalled or not */
    EVENT_ROLES
};

struct sampler_event {
    char name[64]; /* as the user would write it */
    enum event_role role;
    char weight_unit[64]; /* meaning of its samples; "": not known */
    uint64_t period;      /* current period; 0: not known */
    double running_share; /* share of the time that it was counted; NAN: not known, as in replay */
    uint64_t open_count;  /* kernel events open for it (threads x CPUs); 0: could not be opened */
};

/* Properties of a session, live or replayed. Stable but for events[].period and counts. */
struct sampler_info {
    const char *source;      /* "counter", ..., "replay" */
    const char *weight_unit; /* meaning of a sample, for the header line */
    bool live;
    bool is_foreign_arch; /* recorded on another architecture */
    bool exact_address;
    bool exact_ip;
    bool has_latency;
    bool has_data_source;
    bool has_lines; /* also reports lines: RECORD_LINE */
    unsigned event_count;
    struct sampler_event events[SAMPLE_EVENTS_MAX];
    pid_t pid;             /* the sampled process; in replay the chosen one */
    uint64_t records_bad;  /* malformed records, dropped */
    double rate;           /* live: target of samples per second; below requested_rate if */
    double requested_rate; /* digested */
    /* switches per second of CPU time, if the rate is lowered because of them */
    double switches_per_cpu_s;
    char note[512]; /* note for the user ("auto took clock: ..."), or "" */
};

#endif
