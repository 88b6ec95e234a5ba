/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the Valgrind tool, for src/sim/tool only.
 *
 * Translated code writes the addresses of a sequence of accesses and calls access_sequence() once:
 * the model gets them, the exact counts and the ring what follows (instrument.c, access.c).
 */
#ifndef MISSTOP_SIM_TOOL_TOOL_H
#define MISSTOP_SIM_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "sim/model/model.h"
#include "sim_abi.h"

/* A thread's cache; all have caches of one shape. NULL: there is no model. */
const struct model_thread *access_cache(void);

/* How many the program has made so far. */
ULong access_number(void);

void access_start(void);

/* From here on thread `number` (of tool.c) runs; `totals` are its counts. Called now and then
 * for the running thread, too: then the user's pause takes effect. */
void access_runs(UInt number, struct sim_thread *totals);

/* Brings the counts of instructions up to date: now and then, or if `all` at once. */
void access_report(Bool all);

/* Misses there are not the program's: of libc's functions that the allocation agent calls on memory
 * of its own. */
void access_leave_out(Addr start, SizeT length);
Bool access_is_left_out(Addr address);

/* Whether what follows counts. */
void access_count(Bool on);

/* At the program's end, once: lines that are still in the caches count as used so far. */
void access_finish(void);

/* Called at the entry of a function that begins (ends) the counting. */
VG_REGPARM(1) void access_turn(UWord on);

/*
 * Exports of Valgrind's libraries that its public headers leave out, declared here once. Checked
 * against valgrind 3.19 (Debian 12); configure links with each, so that a version without them
 * fails there. For src/sim/tool only.
 */
/* Maps a file shared, where Valgrind keeps its own memory. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);

/* A system call as it is. */
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

/* --trace-children: whether the next exec of this process stays under the tool. */
extern Bool VG_(clo_trace_children);

/*
 * The tool's side of the memory shared with misstop (sim_abi.h): mapped once, written by whichever
 * thread runs (Valgrind lets one at a time). Everyone in src/sim/tool may use it.
 */
/* NULL: there is none, and the program runs on unwatched. */
extern struct sim_shared *shared;

/* Maps the file `path`. False, and nothing is watched: it is not there, is no memory of misstop's,
 * or belongs to a process that this one was forked from. */
Bool shared_open(const HChar *path);

/* In a forked child: its accesses are not reported, but written to memory of its own. */
void shared_leave(void);

/* Now, by the clock that misstop named. */
ULong shared_stamp(void);

/*
 * Room for `count` units behind each other in the order of the ring, NULL: there is none.
 * `may_wait`: misses, which leave the reserve to records that are not repeated.
 */
Bool shared_room(UInt count, Bool may_wait);
/* Unit `index` of those; to be filled and then published all at once. */
union sim_unit *shared_unit(UInt index);
void shared_publish(UInt count);

/* Units that misstop has not read yet. */
UInt shared_waiting(void);

/* Memory of the tool's own: for good, and for a question, all of it given back at once.
 * Both are as struct model_host wants them: zeroed, aligned to 64; NULL: none left. */
void *pages_keep(void *context, size_t size_bytes);

/* State of a question, begun with zeros: the context of pages_take(). */
struct pages {
    struct pages_slab *slabs;
    Addr next_free;
    SizeT left_bytes;
};

void *pages_take(void *pages, size_t size_bytes);
void pages_give_back(struct pages *pages);

/*
 * Events of the allocation agent in the program (agent_abi.h), read where it writes them: an
 * allocation is known here before the program's next access. For whatif.c; misstop reads the same
 * rings for itself (src/resolve/heap/feed.c).
 */
struct agent_event {
    Addr address;
    ULong bytes; /* 0: it was freed */
    UInt path;
};

/* Code of the agent runs: there may be something to read. Set by translated code. */
extern UChar agent_rings_ran;

/* Where the agent's memory is mapped. */
void agent_rings_mapped(Addr start, SizeT length);

/* Begins to read from here. False: there is no agent. */
Bool agent_rings_begin(void);

/* Reports all blocks of malloc and its kin since the last time. False: some were missed. */
Bool agent_rings_follow(void (*sink)(const struct agent_event *event));

/*
 * Accesses that the program makes equally often, because no exit of the block is between them. The
 * sequence is counted, and the counts of instructions are computed from it when they are read.
 */
enum { SEQUENCE_MAX = 64 };

struct sequence_access {
    union {
        struct sim_instruction *place;
        Addr address; /* MODEL_INSTRUCTION: constant */
    };
    uint64_t left_out; /* passes on which it did not take place */
    UShort size_bytes;
    UChar kind; /* enum model_kind */
};

/* The first two members are those of VgHashNode. */
struct sequence {
    struct sequence *next;
    UWord hash;
    uint64_t passes;   /* not reported yet */
    UInt ops[SIM_OPS]; /* accesses by operation; [0]: fetches of instructions */
    UInt count;
    struct sequence_access accesses[];
};

void sequence_start(void);

/* The one of these accesses, 1 to SEQUENCE_MAX, in this order: it may be there already. */
struct sequence *sequence_of(const struct sequence_access *accesses, UInt count);

/* Where translated code writes the address of each access of a sequence: ACCESS_NONE if it does
 * not take place. */
extern Addr access_addresses[SEQUENCE_MAX];
#define ACCESS_NONE ((Addr)-1)

/* At the end of a sequence. */
VG_REGPARM(1) void access_sequence(struct sequence *sequence);

/*
 * Where the counts of each instruction are in the shared memory: one place for an address,
 * however often it is translated. Used by instrument.c, while translating only.
 */
void instructions_start(void);

/*
 * Adds to a block of the program's code what reports its accesses to memory: loads, stores, guarded
 * ones, compare-and-swap, load-linked and store-conditional, and accesses of Valgrind's helpers for
 * one instruction. Instructions of the allocation agent are left as they are, because they are not
 * the program's. Used by tool.c.
 */
IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

/*
 * Line events of the model, reported to misstop: how lines were used before they left a cache,
 * their reuse distances, and the instructions that used and evicted lines fetched by another one.
 * For access.c, which owns the model.
 */
/* Sets the model's hooks for it, if misstop wants it. */
void lines_want(struct model_spec *spec, struct model_host *host);

/* Whom the model's next words are of. */
void lines_runs(UInt tid);

/*
 * A miss, or a sampled access, on its way from the model to the exact counts and to report.c. One
 * access is under way at a time. For access.c.
 */
/* The callbacks of struct model_host: `miss` and `asks_causes`. Causes are counted only where
 * misses are reported. */
void missed_by_model(void *context, const struct model_miss *miss);
bool missed_asks_causes(void *context, uint32_t served);

/* An access that missed, after the model said why. `kind`: enum model_kind. */
void missed_take(struct sim_thread *thread, struct sim_instruction *place, uint64_t address,
                 uint32_t size_bytes, uint32_t kind, uint32_t served);

/* An access that represents `weight`, whether it missed or not. */
void missed_sample(const struct sim_thread *thread, const struct sim_instruction *place,
                   uint64_t address, uint32_t size_bytes, uint32_t kind, uint32_t served,
                   uint32_t weight);

/*
 * Misses, sampled accesses and lines on their way to misstop: all of them while it keeps up and
 * they are not too many for the program's speed, else one in N, with N apart for each level that
 * served (that a line left) and drawn about a prime, so that it does not resonate with the program.
 * Weights include those left out: they add up to the misses.
 */
void report_start(void);

/* A miss: its kind, weight and stamp are filled in here. */
void report_miss(struct sim_miss *miss);

/* One that is, standing for so many lines or uses: its weight and stamp are filled in here. */
void report_line(struct sim_line *line, unsigned long weight);

/* The next access to be reported, in accesses from now; 0: none ever. */
unsigned report_access_next(void);

/*
 * Questions about other layouts, each of one object (struct sim_question): taken from misstop,
 * answered by src/sim/whatif, several at a time, each by a model of its own. Between access.c,
 * which says what happens, and the shared memory.
 */
/* Drops the questions about the program that the process ran before. */
void whatif_start(void);

/* Now and then, while the program is stopped: takes a new question and updates the answer; where a
 * question is awaited, the program waits for it, after some `accesses`. `first` and `spec`: the
 * model that counts anyway; `thread` runs. True: accesses are to be reported. */
Bool whatif_look(const struct model *first, const struct model_spec *spec, UInt thread,
                 ULong accesses);

/* An access that level `served` had. */
void whatif_take(Addr address, UInt size, UInt kind, UInt ip, UInt served);

/* The last figures, when the program ends. */
void whatif_finish(void);

#endif
