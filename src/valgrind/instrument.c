/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/instrument.h"

#include "valgrind/access.h"
#include "valgrind/floating.h"
#include "valgrind/agent_rings.h"
#include "valgrind/fetch.h"
#include "valgrind/hit.h"
#include "valgrind/instructions.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "valgrind/shared.h"
#include "sim/model.h"

/* One block on its way. */
struct work {
    IRSB *in;
    IRSB *out;
    struct hit_block hits;
    UWord fetched;                 /* of instructions: line + 1 of the last; 0: none */
    struct sim_instruction *place; /* of the instruction; NULL: it is not the program's */
    IRExpr *loaded;                /* a load that waits for its store: a modify is one access */
    Int loaded_bytes;
    UInt float_bit;
};

static void call(struct work *work, UInt kind, IRExpr *address, Int size, IRExpr *guard)
{
    if (!work->place || size <= 0)
        return;
    kind |= work->float_bit;
    if (guard)
        hit_guarded(&work->hits, work->place, kind, address, size, guard);
    else
        hit_access(&work->hits, work->place, kind, address, size);
}

static void flush(struct work *work)
{
    if (work->loaded)
        call(work, MODEL_LOAD, work->loaded, work->loaded_bytes, NULL);
    work->loaded = NULL;
}

static void load(struct work *work, IRExpr *address, IRType type)
{
    flush(work);
    work->loaded = address;
    work->loaded_bytes = sizeofIRType(type);
}

static void store(struct work *work, IRExpr *address, IRType type)
{
    UInt kind = MODEL_STORE;
    Int size = sizeofIRType(type);
    if (work->loaded && work->loaded_bytes == size && eqIRAtom(work->loaded, address)) {
        work->loaded = NULL;
        kind |= MODEL_LOAD;
    }
    flush(work);
    call(work, kind, address, size, NULL);
}

static IRType type_of(const struct work *work, IRExpr *expression)
{
    return typeOfIRExpr(work->in->tyenv, expression);
}

static void take_guarded_load(struct work *work, const IRLoadG *guarded)
{
    IRType result;
    IRType loaded;
    typeOfIRLoadGOp(guarded->cvt, &result, &loaded);
    call(work, MODEL_LOAD, guarded->addr, sizeofIRType(loaded), guarded->guard);
}

static void take_guarded_store(struct work *work, const IRStoreG *guarded)
{
    IRType type = type_of(work, guarded->data);
    call(work, MODEL_STORE, guarded->addr, sizeofIRType(type), guarded->guard);
}

/* The store of a compare-and-swap that fails is none, but the line is owned all the same. */
static void take_swap(struct work *work, const IRCAS *swap)
{
    Int size = sizeofIRType(type_of(work, swap->dataLo)) * (swap->dataHi ? 2 : 1);
    call(work, MODEL_MODIFY, swap->addr, size, NULL);
}

static void take_linked(struct work *work, const IRStmt *statement)
{
    IRExpr *stored = statement->Ist.LLSC.storedata;
    IRType type =
        stored ? type_of(work, stored) : typeOfIRTemp(work->in->tyenv, statement->Ist.LLSC.result);
    call(work, stored ? MODEL_STORE : MODEL_LOAD, statement->Ist.LLSC.addr, sizeofIRType(type),
         NULL);
}

static void take_helper(struct work *work, const IRDirty *dirty)
{
    static const UInt kinds[] = {MODEL_LOAD, MODEL_STORE, MODEL_MODIFY};
    if (dirty->mFx != Ifx_None)
        call(work, kinds[dirty->mFx - Ifx_Read], dirty->mAddr, dirty->mSize, dirty->guard);
}

/* Code of the agent, and what the user wants to begin or end counting. */
static Bool is_agent(Addr ip)
{
    const HChar *agent = shared->header.agent;
    const NSegment *segment = agent[0] ? VG_(am_find_nsegment)(ip) : NULL;
    const HChar *name = segment ? VG_(am_get_filename)(segment) : NULL;
    return name && !VG_(strcmp)(name, agent);
}

/* A compiler's copies of a function (name.part.0) and one with its parameters (C++) are meant, too.
 */
static Bool is_named(const HChar *name, const HChar *wanted)
{
    SizeT length = VG_(strlen)(wanted);
    return length && !VG_(strncmp)(name, wanted, length) &&
           (!name[length] || name[length] == '.' || name[length] == '(');
}

static void turn_at(struct work *work, Addr ip)
{
    const struct sim_header *header = &shared->header;
    const HChar *name;
    if ((!header->from[0] && !header->to[0]) ||
        !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), ip, &name))
        return;
    Bool begins = is_named(name, header->from);
    if (!begins && !is_named(name, header->to))
        return;
    hit_flush(&work->hits);
    addStmtToIRSB(work->out, IRStmt_Dirty(unsafeIRDirty_0_N(
                                 1, "access_turn", VG_(fnptr_to_fnentry)(access_turn),
                                 mkIRExprVec_1(mkIRExpr_HWord(begins)))));
    hit_reload(&work->hits);
}

static void begin_instruction(struct work *work, Addr ip, UInt length)
{
    work->float_bit = floating_is((const UChar *)ip, length) ? MODEL_FLOAT : 0;
    Bool agent = is_agent(ip);
    work->place = agent ? NULL : instructions_place(ip);
    if (agent)
        addStmtToIRSB(work->out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&agent_rings_ran),
                                              IRExpr_Const(IRConst_U8(1))));
    turn_at(work, ip);
    if (!agent)
        fetch_instruction(&work->hits, &work->fetched, ip, length);
}

static void take_other(struct work *work, IRStmt *statement)
{
    flush(work);
    if (statement->tag == Ist_IMark)
        begin_instruction(work, statement->Ist.IMark.addr, statement->Ist.IMark.len);
    else if (statement->tag == Ist_StoreG)
        take_guarded_store(work, statement->Ist.StoreG.details);
    else if (statement->tag == Ist_LoadG)
        take_guarded_load(work, statement->Ist.LoadG.details);
    else if (statement->tag == Ist_CAS)
        take_swap(work, statement->Ist.CAS.details);
    else if (statement->tag == Ist_LLSC)
        take_linked(work, statement);
    else if (statement->tag == Ist_Dirty)
        take_helper(work, statement->Ist.Dirty.details);
    else if (statement->tag == Ist_Exit)
        hit_flush(&work->hits);
}

/* At most: a compare-and-swap, a helper's access, a load and a store are one each. */
static UInt count_accesses(const IRSB *block)
{
    UInt count = 0;
    for (Int i = 0; i < block->stmts_used; i++) {
        const IRStmt *statement = block->stmts[i];
        count += statement->tag != Ist_WrTmp || statement->Ist.WrTmp.data->tag == Iex_Load;
    }
    return count;
}

static void take(struct work *work, IRStmt *statement)
{
    const IRExpr *data;
    switch (statement->tag) {
    case Ist_WrTmp:
        data = statement->Ist.WrTmp.data;
        if (data->tag == Iex_Load)
            load(work, data->Iex.Load.addr, data->Iex.Load.ty);
        break;
    case Ist_Store:
        store(work, statement->Ist.Store.addr, type_of(work, statement->Ist.Store.data));
        break;
    case Ist_Put:
    case Ist_PutI:
    case Ist_NoOp:
    case Ist_AbiHint:
        break;
    default:
        take_other(work, statement);
    }
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word)
{
    struct work work = {.in = in};
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    if (!shared || !access_shape()->clock)
        return in;
    work.out = work.hits.out = deepCopyIRSBExceptStmts(in);
    hit_begin(&work.hits, count_accesses(in));
    for (Int i = 0; i < in->stmts_used; i++) {
        take(&work, in->stmts[i]);
        addStmtToIRSB(work.out, in->stmts[i]);
    }
    flush(&work);
    hit_flush(&work.hits);
    return work.out;
}
