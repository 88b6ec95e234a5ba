/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the Valgrind tool, for src/sim/tool only.
 *
 * What an access of the program does: to the model, to the exact counts, and to the ring. The
 * functions are called from translated code (hit.c), after access_start(). A plain hit is done by
 * the translated code itself, which looks into `access_now` and writes the counts.
 */
#ifndef MISSTOP_SIM_TOOL_TOOL_H
#define MISSTOP_SIM_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "sim/model/model.h"
#include "sim_abi.h"

struct model_fast;
struct model_thread;
struct sequence_access;

/* State that translated code reads. */
struct access_now {
    struct model_fast
        *table; /* of who runs; nothing is found in it while every access is to call */
    struct model_thread *fetcher; /* the running thread; NULL: nothing counts */
    const uint64_t *fetched;      /* as in the model_thread of who runs */
    uint64_t next;                /* time on the model's clock, at which an access is reported */
    Long counts[SIM_OPS];         /* not in the thread's totals yet: stores and modifies */
};
extern struct access_now access_now;
#define ACCESS_NEVER UINT64_MAX

/* State that is the same for all threads while the program runs. */
struct access_shape {
    uint64_t *clock; /* of the model */
    uint64_t mask;   /* places of the table - 1 */
    UInt line_shift;
    UInt line_bytes;
    Bool timed; /* hits write down when they were */
    Bool use;   /* hits write down what they used: each access may have one bit a byte */
    struct model_unread *unread;
    uint64_t fetch_sets; /* of the cache of instructions; 0: there is none */
};
const struct access_shape *access_shape(void);

void access_start(void);

/* From here on thread `number` (of threads.c) runs; `totals` are its counts. Called now and then
 * for the running thread, too: then the user's pause takes effect. */
void access_runs(UInt number, struct sim_thread *totals);

/* Brings the exact counts up to date, also those of instructions if `all`. */
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

/* Bits of `what`: enum model_kind, the size in bytes, and how many accesses there were since the
 * clock was put forward. */
enum { ACCESS_SIZE_SHIFT = 8, ACCESS_BEFORE_SHIFT = 32 };

/* One access at `address`, which translated code counts. */
VG_REGPARM(3) void access_memory(struct sequence_access *access, Addr address, UWord what);
/* The same by the instruction of `place`, counted here. */
VG_REGPARM(3) void access_guarded(struct sim_instruction *place, Addr address, UWord what);

/* The time for an access to be reported is near: each has to call. */
void access_due(void);

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
 * Accesses that the program makes equally often, because no exit of the block is between them:
 * translated code counts their sequence, and the counts of instructions are computed from it when
 * they are read. hit.c finds sequences while translating; access.c reports them.
 */
enum { SEQUENCE_MAX = 64 };

struct sequence_access {
    struct sim_instruction *place;
    uint64_t left_out; /* passes on which it did not count */
    UInt op;           /* enum sim_op */
};

/* The first two members are those of VgHashNode. */
struct sequence {
    struct sequence *next;
    UWord hash;
    uint64_t passes; /* not reported yet */
    UInt count;
    struct sequence_access accesses[];
};

void sequence_start(void);

/* The one of these accesses, 1 to SEQUENCE_MAX, in this order: it may be there already. */
struct sequence *sequence_of(const struct sequence_access *accesses, UInt count);

/*
 * The hit of an access in translated code: it looks into the model's table of lines that need no
 * report (struct model_fast) and calls access_memory() only where the line is not there. Work
 * common to all accesses of a sequence without an exit is done once, at its end. Used by
 * instrument.c.
 */
/* A block of code being translated; all 0 at first, except for `out`. */
struct hit_block {
    IRSB *out;
    IRExpr *table; /* of who runs, or the one where nothing is; NULL: to be loaded */
    IRExpr *clock; /* when that was loaded */
    UInt since;    /* accesses since then */
    UInt fetches;  /* of lines of instructions, so far */
    UInt pending;  /* ... since the clock was put forward: those of the sequence */
    struct sequence_access sequence[SEQUENCE_MAX];
    IRExpr *calls[SEQUENCE_MAX]; /* the argument of each call that says which of them it is */
};

/* Once, before the first statement: `accesses` is how many there are at most. */
void hit_begin(struct hit_block *block, UInt accesses);

/* One access; `kind`: enum model_kind. */
void hit_access(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                Int size_bytes);

/* The same where `guard` says whether it takes place. */
void hit_guarded(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                 Int size_bytes, IRExpr *guard);

/* Before whatever may leave the block, or call what looks at the counts. */
void hit_flush(struct hit_block *block);

/* After a call that may have begun or ended the counting. */
void hit_reload(struct hit_block *block);

/*
 * Where the counts of each instruction are in the shared memory: one place for an address,
 * however often it is translated. Used by instrument.c, while translating only.
 */
void instructions_start(void);

/*
 * Puts calls of access.h before every access to memory in a block of the program's code: loads,
 * stores, guarded ones, compare-and-swap, load-linked and store-conditional, and accesses of
 * Valgrind's helpers for one instruction. Instructions of the allocation agent are left as they
 * are, because they are not the program's. Used by tool.c.
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
