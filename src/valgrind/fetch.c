/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/fetch.h"

#include "pub_tool_machine.h"
#include "sim/model.h"
#include "valgrind/access.h"
#include "valgrind/shared.h"

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

void fetch_instruction(struct hit_block *block, UWord *fetched, Addr ip, UInt length)
{
    UWord first = ip >> access_shape()->line_shift;
    UWord last = (ip + length - 1) >> access_shape()->line_shift;
    UInt turn = block->fetches % FETCHES_MAX;
    if (!(shared->header.flags & SIM_WANT_CODE) || (first == last && *fetched == last + 1))
        return;
    UWord after = (UWord)block->untold * MODEL_CLOCK_STEP + FETCHES_AT + turn * FETCH_STEP;
    addStmtToIRSB(block->out, IRStmt_Dirty(unsafeIRDirty_0_N(
                                  3, "fetch", VG_(fnptr_to_fnentry)(fetch),
                                  mkIRExprVec_3(mkIRExpr_HWord(ip), mkIRExpr_HWord(length),
                                                mkIRExpr_HWord(after)))));
    block->fetches++;
    *fetched = last + 1;
}
