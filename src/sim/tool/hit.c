/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_machine.h"
#include "sim/model/model.h"
#include "sim/tool/tool.h"

static IRExpr *word(UWord value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *let(struct hit_block *block, IRType type, IRExpr *value)
{
    IRTemp temp = newIRTemp(block->out->tyenv, type);
    addStmtToIRSB(block->out, IRStmt_WrTmp(temp, value));
    return IRExpr_RdTmp(temp);
}

static IRExpr *load(struct hit_block *block, IRExpr *address)
{
    return let(block, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static void store(struct hit_block *block, IRExpr *address, IRExpr *value)
{
    addStmtToIRSB(block->out, IRStmt_Store(Iend_LE, address, value));
}

static IRExpr *compute(struct hit_block *block, IROp op, IRExpr *left, IRExpr *right)
{
    return let(block, Ity_I64, IRExpr_Binop(op, left, right));
}

static IRExpr *plus(struct hit_block *block, IRExpr *value, UWord more)
{
    return more ? compute(block, Iop_Add64, value, word(more)) : value;
}

static void increase(struct hit_block *block, IRExpr *address, UWord by)
{
    store(block, address, plus(block, load(block, address), by));
}

void hit_begin(struct hit_block *block, UInt accesses)
{
    const struct access_shape *shape = access_shape();
    if (!accesses || !shape->clock || access_now.next == ACCESS_NEVER)
        return;
    IRExpr *end =
        plus(block, load(block, word((UWord)shape->clock)), (UWord)accesses * MODEL_CLOCK_STEP);
    IRExpr *next = load(block, word((UWord)&access_now.next));
    IRDirty *due =
        unsafeIRDirty_0_N(0, "access_due", VG_(fnptr_to_fnentry)(access_due), mkIRExprVec_0());
    due->guard = let(block, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, next, end));
    addStmtToIRSB(block->out, IRStmt_Dirty(due));
}

static void call(struct hit_block *block, void (*function)(void), const HChar *name,
                 IRExpr **arguments, IRExpr *guard)
{
    IRDirty *dirty = unsafeIRDirty_0_N(3, name, VG_(fnptr_to_fnentry)((void *)function), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(block->out, IRStmt_Dirty(dirty));
}

static IRExpr *what(UInt kind, Int size_bytes, UInt before)
{
    return word((UWord)before << ACCESS_BEFORE_SHIFT |
                (UWord)(UInt)size_bytes << ACCESS_SIZE_SHIFT | kind);
}

/* So that a line's number counts places of the table. */
static IRExpr *compute_shift(struct hit_block *block, IRExpr *address, UInt line_shift)
{
    UInt right = line_shift > MODEL_FAST_SHIFT ? line_shift - MODEL_FAST_SHIFT : 0;
    UInt left = line_shift < MODEL_FAST_SHIFT ? MODEL_FAST_SHIFT - line_shift : 0;
    IRExpr *by = IRExpr_Const(IRConst_U8((UChar)(right + left)));
    return right + left ? compute(block, left ? Iop_Shl64 : Iop_Shr64, address, by) : address;
}

/* Where the line of `address` is in the table. */
static IRExpr *hit_find_line(struct hit_block *block, const struct access_shape *shape,
                             IRExpr *address)
{
    if (!block->table) {
        block->table = load(block, word((UWord)&access_now.table));
        block->clock = load(block, word((UWord)shape->clock));
        block->since = 0;
    }
    /* The line's number, masked, times the size of a place. */
    IRExpr *shifted = compute_shift(block, address, shape->line_shift);
    IRExpr *offset = compute(block, Iop_And64, shifted, word(shape->mask << MODEL_FAST_SHIFT));
    return compute(block, Iop_Add64, block->table, offset);
}

/* Use of its line by a hit, as model_count_hit() has it; without a line it is written to memory
 * that is not read. `inside` is the access's place in the line. */
static void count_hit(struct hit_block *block, const struct access_shape *shape, UInt kind,
                      Int size_bytes, IRExpr *found, IRExpr *inside, IRExpr *missed)
{
    UWord bytes = ~(UWord)0 >> (64 - (UInt)size_bytes);
    IRExpr *line = load(block, plus(block, found, offsetof(struct model_fast, line)));
    line = let(block, Ity_I64, IRExpr_ITE(missed, word((UWord)&shape->unread->line), line));
    IRExpr *by = let(block, Ity_I8, IRExpr_Unop(Iop_64to8, inside));
    IRExpr *grains = let(block, Ity_I64, IRExpr_Binop(Iop_Shl64, word(bytes), by));
    UWord which = kind & MODEL_STORE ? offsetof(struct model_line, hits.stored)
                                     : offsetof(struct model_line, hits.loaded);
    IRExpr *used = plus(block, line, which);
    store(block, used, compute(block, Iop_Or64, load(block, used), grains));
    increase(block,
             plus(block, line, offsetof(struct model_line, hits.uses[0]) + model_class(kind) * 8),
             ((UWord)1 << MODEL_USES_SHIFT) + (UInt)size_bytes);
}

void hit_access(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                Int size_bytes)
{
    const struct access_shape *shape = access_shape();
    IRExpr *guard = NULL, *found = NULL;
    if ((UInt)size_bytes <= shape->line_bytes) {
        found = hit_find_line(block, shape, address);
        IRExpr *line = load(block, plus(block, found,
                                        kind & MODEL_STORE ? offsetof(struct model_fast, stores)
                                                           : offsetof(struct model_fast, loads)));
        IRExpr *inside = compute(block, Iop_Sub64, address, line);
        guard = let(block, Ity_I1,
                    IRExpr_Binop(Iop_CmpLT64U, word(shape->line_bytes - (UInt)size_bytes), inside));
        if (shape->use)
            count_hit(block, shape, kind, size_bytes, found, inside, guard);
    }
    IRExpr *which = word(0); /* known when the sequence is whole */
    call(block, (void (*)(void))access_memory, "access_memory",
         mkIRExprVec_3(which, address, what(kind, size_bytes, block->pending)), guard);
    block->sequence[block->pending] = (struct sequence_access){place, 0, kind & MODEL_MODIFY};
    block->calls[block->pending++] = which;
    block->since++;
    /* After a call the line is there, or nothing does. */
    if (found && shape->timed)
        store(block, load(block, plus(block, found, offsetof(struct model_fast, stamp))),
              plus(block, block->clock, (UWord)block->since * MODEL_CLOCK_STEP));
    if (block->pending == SEQUENCE_MAX)
        hit_flush(block);
}

void hit_guarded(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                 Int size_bytes, IRExpr *guard)
{
    hit_flush(block);
    call(block, (void (*)(void))access_guarded, "access_guarded",
         mkIRExprVec_3(word((UWord)place), address, what(kind, size_bytes, 0)), guard);
    hit_reload(block);
}

void hit_flush(struct hit_block *block)
{
    UInt counts[SIM_OPS] = {0};
    if (!block->pending)
        return;
    struct sequence *sequence = sequence_of(block->sequence, block->pending);
    for (UInt i = 0; i < block->pending; i++) {
        block->calls[i]->Iex.Const.con->Ico.U64 = (UWord)&sequence->accesses[i];
        counts[block->sequence[i].op]++;
    }
    increase(block, word((UWord)&sequence->passes), 1);
    increase(block, word((UWord)access_shape()->clock), (UWord)block->pending * MODEL_CLOCK_STEP);
    /* Loads are the rest. */
    for (UInt op = SIM_STORE; op < SIM_OPS; op++)
        if (counts[op])
            increase(block, word((UWord)&access_now.counts[op]), counts[op]);
    block->pending = 0;
}

void hit_reload(struct hit_block *block)
{
    block->table = NULL;
}
