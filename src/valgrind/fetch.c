/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/fetch.h"

#include "pub_tool_machine.h"
#include "sim/model.h"
#include "valgrind/access.h"

/* Times between two accesses, after all that the first one did; a fetch has two lines at most, at
 * four levels. */
enum { FETCHES_AT = MODEL_CLOCK_STEP * 3 / 4, FETCH_STEP = 16 };
enum { FETCHES_MAX = (MODEL_CLOCK_STEP - FETCHES_AT) / FETCH_STEP };

static VG_REGPARM(3) void fetch(Addr ip, UWord length, UWord after)
{
    uint64_t *clock = access_shape()->clock;
    uint64_t start = *clock;
    if (!access_now.fetcher)
        return;
    *clock = start + after;
    model_access_slow(access_now.fetcher, ip, (UInt)length, MODEL_INSTRUCTION, MODEL_NOBODY);
    *clock = start;
}

static IRExpr *let(IRSB *out, IRType type, IRExpr *value)
{
    IRTemp temp = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(temp, value));
    return IRExpr_RdTmp(temp);
}

/* 0: the line was fetched last in its set, so that fetching it again changes nothing. */
static IRExpr *differs(IRSB *out, IRExpr *fetched, UWord line)
{
    UWord offset = line % access_shape()->fetch_sets * sizeof *access_now.fetched;
    IRExpr *at = let(out, Ity_I64, IRExpr_Binop(Iop_Add64, fetched, mkIRExpr_HWord(offset)));
    IRExpr *last = let(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, at));
    return let(out, Ity_I64, IRExpr_Binop(Iop_Xor64, last, mkIRExpr_HWord(line + 1)));
}

static IRExpr *is_new(IRSB *out, UWord first, UWord last)
{
    IRExpr *now = mkIRExpr_HWord((HWord)&access_now.fetched);
    IRExpr *fetched = let(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, now));
    IRExpr *new = differs(out, fetched, first);
    if (first != last)
        new = let(out, Ity_I64, IRExpr_Binop(Iop_Or64, new, differs(out, fetched, last)));
    return let(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, new, mkIRExpr_HWord(0)));
}

void fetch_instruction(struct hit_block *block, UWord *fetched, Addr ip, UInt length)
{
    UWord first = ip >> access_shape()->line_shift;
    UWord last = (ip + length - 1) >> access_shape()->line_shift;
    UInt turn = block->fetches % FETCHES_MAX;
    if (!access_shape()->fetch_sets || (first == last && *fetched == last + 1))
        return;
    UWord after = (UWord)block->untold * MODEL_CLOCK_STEP + FETCHES_AT + turn * FETCH_STEP;
    IRDirty *call = unsafeIRDirty_0_N(
        3, "fetch", VG_(fnptr_to_fnentry)(fetch),
        mkIRExprVec_3(mkIRExpr_HWord(ip), mkIRExpr_HWord(length), mkIRExpr_HWord(after)));
    call->guard = is_new(block->out, first, last);
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
    block->fetches++;
    *fetched = last + 1;
}
