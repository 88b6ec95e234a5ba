/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translated code writes the addresses of a sequence of accesses and calls access_sequence() once,
 * which passes them to the model and updates the exact counts and the ring (instrument.c,
 * access.c).
 */
#ifndef MISSTOP_SIM_TOOL_TOOL_H
#define MISSTOP_SIM_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "sim/model/model.h"
#include "sim_abi.h"

/* Returns the cache of a thread; all threads have caches of the same shape. NULL: no model. */
const struct model_thread *access_cache(void);

/* Returns the number of accesses of the program so far. */
ULong access_number(void);

void access_start(void);

/* Records that thread `number` (of tool.c) runs; `totals` are its counts. Also called repeatedly
 * for the running thread, so that the user's pause takes effect. */
void access_runs(UInt number, struct sim_thread *totals);

/* Updates the counts of instructions: if enough accesses were made, or immediately if `all`. */
void access_report(Bool all);

/* Ignores misses in a range of memory: they are those of libc functions that the allocation agent
 * calls on its own memory, not the program's. */
void access_leave_out(Addr start, SizeT length);
Bool access_is_left_out(Addr address);

void access_count(Bool on);

/* Counts the lines still in the caches as evicted, once, at the end of the program. */
void access_finish(void);

/* Called at the entry of a function that starts or ends the counting. */
VG_REGPARM(1) void access_turn(UWord on);

/* Exports of Valgrind's libraries that its public headers omit. Checked against valgrind 3.19
 * (Debian 12); configure links with each of them, so that a version without one fails there. */

/* Maps a file shared, in Valgrind's own address range. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);

extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

/* --trace-children: whether the next exec of this process runs under the tool. */
extern Bool VG_(clo_trace_children);

/* Mapped once; the running thread writes (Valgrind runs one at a time). */

/* NULL: none; the program runs without simulation. */
extern struct sim_shared *shared;

/* Maps the file `path`. Returns False, without simulation, if the file does not exist, is not
 * misstop's, or belongs to the parent of a fork. */
Bool shared_open(const HChar *path);

/* Detaches a forked child: its counts go to private memory and are not reported. */
void shared_leave(void);

/* Returns the current time of the clock that misstop selected. */
ULong shared_stamp(void);

/* Returns True if the ring has room for `count` consecutive units. `may_wait`: for misses, which
 * leave the reserve to records that are not repeated. */
Bool shared_room(UInt count, Bool may_wait);
/* Returns unit `index` of these; fill in all units, then publish them together. */
union sim_unit *shared_unit(UInt index);
void shared_publish(UInt count);

/* Returns the number of units that misstop has not read yet. */
UInt shared_waiting(void);

/* Memory of the tool: permanent, or of a question and freed as a whole. Both functions meet the
 * requirements of struct model_host: zeroed, aligned to 64; NULL: no memory. */
void *pages_keep(void *context, size_t size_bytes);

struct pages {
    struct pages_slab *slabs;
    Addr next_free;
    SizeT left_bytes;
};

void *pages_take(void *pages, size_t size_bytes);
void pages_give_back(struct pages *pages);

/* Events of the allocation agent, read where it writes them: an allocation is known before the
 * program's next access. misstop reads the same rings separately (src/resolve/heap/feed.c). */
struct agent_event {
    Addr address;
    ULong bytes; /* 0: freed */
    UInt path;
};

/* Code of the agent ran: there may be events. Set by translated code. */
extern UChar agent_rings_ran;

/* Sets where the agent's memory is mapped. */
void agent_rings_mapped(Addr start, SizeT length);

/* Starts reading at the current positions. Returns False if there is no agent. */
Bool agent_rings_begin(void);

/* Reports all heap blocks since the last call. Returns False if events were lost. */
Bool agent_rings_follow(void (*sink)(const struct agent_event *event));

/* Accesses that are made equally often, because no exit of the block is between them. The sequence
 * is counted, and the counts of instructions are derived from it when they are read. */
enum { SEQUENCE_MAX = 64 };

struct sequence_access {
    union {
        struct sim_instruction *place;
        Addr address; /* for MODEL_INSTRUCTION: constant */
    };
    uint64_t left_out; /* passes without this access */
    UShort size_bytes;
    UChar kind; /* enum model_kind */
};

/* Starts with the members of VgHashNode. */
struct sequence {
    struct sequence *next;
    UWord hash;
    uint64_t passes;   /* not reported yet */
    UInt ops[SIM_OPS]; /* accesses by operation; [0]: instruction fetches */
    UInt count;
    struct sequence_access accesses[];
};

void sequence_start(void);

/* Returns the sequence of 1 to SEQUENCE_MAX accesses in this order; equal ones share one. */
struct sequence *sequence_of(const struct sequence_access *accesses, UInt count);

/* Addresses of a sequence's accesses, by translated code; ACCESS_NONE: access not made. */
extern Addr access_addresses[SEQUENCE_MAX];
#define ACCESS_NONE ((Addr)-1)

/* Called at the end of a sequence. */
VG_REGPARM(1) void access_sequence(struct sequence *sequence);

/* The counts of each instruction in the shared memory: one entry per address, however often it is
 * translated. Used by instrument.c, only while translating. */
void instructions_start(void);

/*
 * Reports loads, stores, guarded ones, compare-and-swap, load-linked and store-conditional, and
 * accesses of Valgrind's helpers for single instructions; not those of the allocation agent,
 * because they are not the program's.
 */
IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

/* The use of lines before eviction, their reuse distances, and the instructions that used and
 * evicted lines fetched by others. */

/* Sets the model's hooks for line events if misstop requested them. */
void lines_set_hooks(struct model_spec *spec, struct model_host *host);

/* Sets the thread of the model's next events. */
void lines_runs(UInt tid);

/* From the model to the exact counts and to report.c. One access is in progress at a time. */

/* Callbacks of struct model_host. Causes are computed only for reported misses. */
void missed_by_model(void *context, const struct model_miss *miss);
bool missed_asks_causes(void *context, uint32_t served);

/* Handles a miss, after the model has reported its causes. `kind`: enum model_kind. */
void missed_take(struct sim_thread *thread, struct sim_instruction *place, uint64_t address,
                 uint32_t size_bytes, uint32_t kind, uint32_t served);

/* Reports a sampled access of weight `weight`, with or without a miss. */
void missed_sample(const struct sim_thread *thread, const struct sim_instruction *place,
                   uint64_t address, uint32_t size_bytes, uint32_t kind, uint32_t served,
                   uint32_t weight);

/*
 * Reports of misses, sampled accesses and lines to misstop: all of them while it keeps up and they
 * do not slow the program down, otherwise one in N. N is separate for each level that served a miss
 * or evicted a line, and intervals are random around a prime, so that they do not resonate with the
 * program. Weights include the omitted units and add up to the misses.
 */
void report_start(void);

/* Reports a miss; fills in kind, weight and stamp. */
void report_miss(struct sim_miss *miss);

/* Reports a line event that represents `weight` lines or uses; fills in weight and stamp. */
void report_line(struct sim_line *line, unsigned long weight);

/* Returns the number of accesses until the next one to report; 0: never. */
unsigned report_access_next(void);

/* Questions (struct sim_question), each of one object, received from misstop, answered by
 * src/sim/model/whatif.c, several at a time, each with its own model. */

/* Drops the questions about the program that ran in this process before. */
void whatif_start(void);

/*
 * Called repeatedly while the program is stopped: accepts a new question and updates the answers.
 * If a question is awaited, the program waits for it after some `accesses`. `first` and `spec`: the
 * model that counts anyway; `thread` runs. Returns True if accesses have to be reported.
 */
Bool whatif_poll(const struct model *first, const struct model_spec *spec, UInt thread,
                 ULong accesses);

/* Handles an access that level `served` had. */
void whatif_take(Addr address, UInt size, UInt kind, UInt ip, UInt served);

/* Publishes the final figures when the program ends. */
void whatif_finish(void);

#endif
