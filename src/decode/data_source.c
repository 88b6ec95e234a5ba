/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/perf_event.h>
#include <stddef.h>

#include "access.h"

/* Newer than some uapi headers that this must compile with. */
enum {
    LVLNUM_L2_MHB = 0x05,
    LVLNUM_MSC = 0x06,
    LVLNUM_L0 = 0x07,
    LVLNUM_UNC = 0x08,
    LVLNUM_CXL = 0x09,
    LVLNUM_IO = 0x0a,
    LVLNUM_ANY_CACHE = 0x0b,
    LVLNUM_LFB = 0x0c,
    LVLNUM_RAM = 0x0d,
    LVLNUM_PMEM = 0x0e,
    LVLNUM_NA = 0x0f,
    SNOOPX_FORWARD = 0x01,
    SNOOPX_PEER = 0x02,
    HOPS_OTHER_CORE = 1
};

/* The fields, extracted by shifts: the kernel's union depends on the host's byte order, and headers
 * define different numbers of fields. */
struct fields {
    unsigned op, level, snoop, lock, tlb, number, remote, snoopx, block, hops;
};

static struct fields data_source_split(uint64_t data_src)
{
    return (struct fields){
        .op = data_src & 0x1f,
        .level = data_src >> 5 & 0x3fff,
        .snoop = data_src >> 19 & 0x1f,
        .lock = data_src >> 24 & 0x3,
        .tlb = data_src >> 26 & 0x7f,
        .number = data_src >> 33 & 0xf,
        .remote = data_src >> 37 & 0x1,
        .snoopx = data_src >> 38 & 0x3,
        .block = data_src >> 40 & 0x7,
        .hops = data_src >> 43 & 0x7,
    };
}

/* Returns the level of a cache of unknown level, or of another node. */
static enum data_level cache_at(const struct fields *fields, enum data_level here)
{
    if (fields->hops == HOPS_OTHER_CORE)
        return DATA_PEER_CACHE;
    return fields->remote || fields->hops ? DATA_REMOTE_CACHE : here;
}

/* Decodes the newer field: one number, with a separate field for the node of the cache. */
static enum data_level level_of_number(const struct fields *fields)
{
    static const uint8_t levels[16] = {
        [PERF_MEM_LVLNUM_L1] = DATA_L1,  [PERF_MEM_LVLNUM_L2] = DATA_L2,
        [PERF_MEM_LVLNUM_L3] = DATA_L3,  [PERF_MEM_LVLNUM_L4] = DATA_L4,
        [LVLNUM_L2_MHB] = DATA_L2_MHB,   [LVLNUM_MSC] = DATA_MSC,
        [LVLNUM_L0] = DATA_L0,           [LVLNUM_UNC] = DATA_UNCACHED,
        [LVLNUM_CXL] = DATA_CXL,         [LVLNUM_IO] = DATA_IO,
        [LVLNUM_ANY_CACHE] = DATA_CACHE, [LVLNUM_LFB] = DATA_LFB,
        [LVLNUM_RAM] = DATA_DRAM,        [LVLNUM_PMEM] = DATA_PMEM,
    };
    enum data_level level = levels[fields->number];
    if (level == DATA_DRAM)
        return fields->remote ? DATA_REMOTE_DRAM : DATA_DRAM;
    bool cache = level >= DATA_L0 && level <= DATA_CACHE;
    return cache ? cache_at(fields, level) : level;
}

/* Decodes the older field: a bit per level. Several bits are ambiguous. */
static enum data_level level_of_bits(unsigned bits)
{
    switch (bits & ~(unsigned)(PERF_MEM_LVL_NA | PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)) {
    case PERF_MEM_LVL_L1:
        return DATA_L1;
    case PERF_MEM_LVL_LFB:
        return DATA_LFB;
    case PERF_MEM_LVL_L2:
        return DATA_L2;
    case PERF_MEM_LVL_L3:
        return DATA_L3;
    case PERF_MEM_LVL_LOC_RAM:
        return DATA_DRAM;
    case PERF_MEM_LVL_REM_RAM1:
    case PERF_MEM_LVL_REM_RAM2:
        return DATA_REMOTE_DRAM;
    case PERF_MEM_LVL_REM_CCE1:
    case PERF_MEM_LVL_REM_CCE2:
        return DATA_REMOTE_CACHE;
    case PERF_MEM_LVL_IO:
        return DATA_IO;
    case PERF_MEM_LVL_UNC:
        return DATA_UNCACHED;
    default:
        return DATA_UNKNOWN;
    }
}

static enum data_level level_beyond(enum data_level level)
{
    return level == DATA_L1   ? DATA_BEYOND_L1
           : level == DATA_L2 ? DATA_BEYOND_L2
           : level == DATA_L3 ? DATA_BEYOND_L3
                              : DATA_UNKNOWN;
}

/*
 * Uses the bits if they name a level: for remote DRAM that is shared by other nodes, Intel's number
 * is L3 (ds.c, pebs_data_source[0x0b]). Uses the number for what the bits cannot express: other
 * kinds of memory, a fourth level, and whether a cache belongs to another core of the same node.
 */
static enum data_level data_level_of(const struct fields *fields)
{
    enum data_level bits = level_of_bits(fields->level);
    enum data_level number = level_of_number(fields);
    bool missed = fields->level & PERF_MEM_LVL_MISS && !(fields->level & PERF_MEM_LVL_HIT);
    if (missed)
        return level_beyond(bits != DATA_UNKNOWN ? bits : number);
    bool refined = bits == DATA_REMOTE_CACHE && number == DATA_PEER_CACHE;
    return bits != DATA_UNKNOWN && !refined ? bits : number;
}

static enum data_snoop snoop_of(const struct fields *fields)
{
    if (fields->snoop & PERF_MEM_SNOOP_HITM)
        return SNOOP_HITM;
    if (fields->snoopx & SNOOPX_PEER)
        return SNOOP_PEER;
    if (fields->snoopx & SNOOPX_FORWARD)
        return SNOOP_FORWARD;
    if (fields->snoop & PERF_MEM_SNOOP_HIT)
        return SNOOP_HIT;
    if (fields->snoop & PERF_MEM_SNOOP_MISS)
        return SNOOP_MISS;
    return fields->snoop & PERF_MEM_SNOOP_NONE ? SNOOP_NONE : SNOOP_UNKNOWN;
}

/* Intel reports "hit in L1 or L2" by both bits, and a page walk as "missed in L2". */
static enum data_tlb tlb_of(const struct fields *fields)
{
    unsigned both = PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2;
    if (fields->tlb & PERF_MEM_TLB_OS)
        return TLB_FAULT;
    if (fields->tlb & PERF_MEM_TLB_WK)
        return TLB_MISS;
    if (fields->tlb & PERF_MEM_TLB_HIT)
        return (fields->tlb & both) == PERF_MEM_TLB_L1   ? TLB_L1
               : (fields->tlb & both) == PERF_MEM_TLB_L2 ? TLB_L2
                                                         : TLB_HIT;
    return fields->tlb & PERF_MEM_TLB_MISS ? TLB_MISS : TLB_UNKNOWN;
}

static enum access_kind data_kind_of(const struct fields *fields)
{
    bool load = fields->op & PERF_MEM_OP_LOAD;
    bool store = fields->op & PERF_MEM_OP_STORE;
    if (load || store)
        return load && store ? ACCESS_LOAD_STORE : load ? ACCESS_LOAD : ACCESS_STORE;
    return fields->op & PERF_MEM_OP_PFETCH ? ACCESS_PREFETCH : ACCESS_UNKNOWN_KIND;
}

/* Kernels set the bit or leave the field 0; only "not available" means not known. */
static enum data_answer locked_of(const struct fields *fields)
{
    if (fields->lock & PERF_MEM_LOCK_LOCKED)
        return ANSWER_YES;
    return fields->lock & PERF_MEM_LOCK_NA ? ANSWER_UNKNOWN : ANSWER_NO;
}

/* Decodes one reason for blocking. A kernel or CPU without the field reports 0. If nothing blocked,
 * kernels report "not available" too, so "no" is certain only if the other reason is set. */
static enum data_answer blocked_of(const struct fields *fields, unsigned bit)
{
    unsigned known = PERF_MEM_BLK_DATA | PERF_MEM_BLK_ADDR;
    if (fields->block & bit)
        return ANSWER_YES;
    return fields->block & known ? ANSWER_NO : ANSWER_UNKNOWN;
}

static enum data_answer remote_of(const struct fields *fields, enum data_level level)
{
    if (level == DATA_UNKNOWN || level >= DATA_UNCACHED)
        return ANSWER_UNKNOWN;
    return fields->remote || level == DATA_REMOTE_CACHE || level == DATA_REMOTE_DRAM ? ANSWER_YES
                                                                                     : ANSWER_NO;
}

struct data_source data_source_decode(uint64_t data_src)
{
    struct fields fields = data_source_split(data_src);
    if (!data_src)
        return (struct data_source){0};
    enum data_level level = data_level_of(&fields);
    return (struct data_source){
        .level = (uint8_t)level,
        .snoop = (uint8_t)snoop_of(&fields),
        .tlb = (uint8_t)tlb_of(&fields),
        .hops = (uint8_t)fields.hops,
        .kind = (uint8_t)data_kind_of(&fields),
        .remote = (uint8_t)remote_of(&fields, level),
        .locked = (uint8_t)locked_of(&fields),
        .blocked_data = (uint8_t)blocked_of(&fields, PERF_MEM_BLK_DATA),
        .blocked_address = (uint8_t)blocked_of(&fields, PERF_MEM_BLK_ADDR),
    };
}

bool data_level_is_far(enum data_level level)
{
    return level >= DATA_L3 && level < DATA_LEVEL_COUNT && level != DATA_CACHE &&
           level != DATA_BEYOND_L1;
}

const char *data_level_name(enum data_level level)
{
    static const char *const names[DATA_LEVEL_COUNT] = {
        [DATA_UNKNOWN] = "unknown",
        [DATA_L0] = "L0",
        [DATA_L1] = "L1",
        [DATA_LFB] = "LFB",
        [DATA_L2] = "L2",
        [DATA_L2_MHB] = "L2-MHB",
        [DATA_L3] = "L3",
        [DATA_L4] = "L4",
        [DATA_MSC] = "memory-side-cache",
        [DATA_CACHE] = "cache",
        [DATA_PEER_CACHE] = "peer-cache",
        [DATA_REMOTE_CACHE] = "remote-cache",
        [DATA_DRAM] = "DRAM",
        [DATA_REMOTE_DRAM] = "remote-DRAM",
        [DATA_MEMORY] = "memory",
        [DATA_PMEM] = "PMEM",
        [DATA_CXL] = "CXL",
        [DATA_UNCACHED] = "uncached",
        [DATA_IO] = "I/O",
        [DATA_BEYOND_L1] = "beyond-L1",
        [DATA_BEYOND_L2] = "beyond-L2",
        [DATA_BEYOND_L3] = "beyond-L3",
    };
    return (unsigned)level < DATA_LEVEL_COUNT ? names[level] : "unknown";
}

const char *data_snoop_name(enum data_snoop snoop)
{
    static const char *const names[SNOOP_COUNT] = {"unknown", "none", "miss", "hit",
                                                   "forward", "peer", "hitm"};
    return (unsigned)snoop < SNOOP_COUNT ? names[snoop] : "unknown";
}

const char *data_tlb_name(enum data_tlb tlb)
{
    static const char *const names[TLB_COUNT] = {"unknown", "hit-L1", "hit-L2",
                                                 "hit",     "miss",   "fault"};
    return (unsigned)tlb < TLB_COUNT ? names[tlb] : "unknown";
}

#define REASON_NAME(name) name, "object unknown: " name

static const struct {
    const char *name;
    const char *note; /* property of an instruction */
    const char *text;
} reasons[REASON_COUNT] = {
    [REASON_NONE] = {"attributed", NULL, "attributed"},
    [REASON_KERNEL] = {REASON_NAME("kernel"), "taken in the kernel: system calls, page faults"},
    [REASON_NO_REGISTERS] = {REASON_NAME("no-registers"), "the kernel delivered no registers"},
    [REASON_NO_CODE] = {REASON_NAME("no-code"), "the instruction cannot be read"},
    [REASON_BAD_CODE] = {REASON_NAME("bad-code"), "not a valid instruction"},
    [REASON_NO_MEMORY] = {REASON_NAME("no-memory"),
                          "no memory access nearby: the thread was computing"},
    [REASON_CALL_BOUNDARY] = {REASON_NAME("call-boundary"),
                              "the access is before a call or return"},
    [REASON_OVERWRITTEN] = {REASON_NAME("overwritten"), "the load overwrote its own base register"},
    [REASON_CLOBBERED] = {REASON_NAME("clobbered"),
                          "a register of the address was changed afterwards"},
    [REASON_AMBIGUOUS] = {REASON_NAME("ambiguous"), "several accesses may have come before"},
    [REASON_GATHER] = {REASON_NAME("gather"), "a vector gather or scatter with unknown addresses"},
    [REASON_SEGMENT] = {REASON_NAME("segment"), "the thread's fs or gs base is not known"},
    [REASON_BAD_ADDRESS] = {REASON_NAME("bad-address"), "the computed address is not mapped"},
    [REASON_FOREIGN] = {REASON_NAME("foreign"), "a sample of another process"},
    [REASON_NO_ADDRESS] = {REASON_NAME("no-address"), "the hardware recorded no address"},
    [REASON_AGENT] = {REASON_NAME("agent"), "misstop's own agent, not the program"},
    [REASON_NOT_X86_64] = {REASON_NAME("not-x86-64"),
                           "32-bit code or another architecture: not decoded"},
};

const char *access_reason_name(enum reason reason)
{
    return reason < REASON_COUNT ? reasons[reason].name : "?";
}

const char *access_reason_note(unsigned reason)
{
    return reason < REASON_COUNT ? reasons[reason].note : NULL;
}

const char *access_reason_text(enum reason reason)
{
    return reason < REASON_COUNT ? reasons[reason].text : "?";
}

const char *access_how_name(enum access_how how)
{
    static const char *const names[ACCESS_HOW_COUNT] = {
        "recorded", "direct", "undone", "branched", "reread", "inferred", "lane", "object"};
    return how < ACCESS_HOW_COUNT ? names[how] : "?";
}
