/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "sim/model/model.h"
#include "sim/tool/tool.h"

/* Starts with the members of VgHashNode. */
struct node {
    struct node *next;
    UWord ip;
    struct sim_instruction *place;
};

static VgHashTable *nodes;
static struct sim_instruction crowded;

void instructions_start(void)
{
    nodes = VG_(HT_construct)("misstop.instructions");
}

static struct sim_instruction *new_place(Addr ip)
{
    struct sim_header *header = &shared->header;
    if (header->instructions_used >= SIM_INSTRUCTIONS_MAX)
        return &crowded;
    struct sim_instruction *place = &shared->instructions[header->instructions_used];
    place->ip = ip;
    __atomic_store_n(&header->instructions_used, header->instructions_used + 1, __ATOMIC_RELEASE);
    return place;
}

/* Returns the counts of an instruction, never NULL: if the table is full, a shared entry that is
 * reported as lost. */
static struct sim_instruction *instructions_place(Addr ip)
{
    struct node *node = VG_(HT_lookup)(nodes, ip);
    if (!node) {
        node = VG_(malloc)("misstop.instruction", sizeof *node);
        node->ip = ip;
        node->place = new_place(ip);
        VG_(HT_add_node)(nodes, node);
    }
    return node->place;
}

enum { PLAIN = 0, P66 = 1, PF3 = 2, PF2 = 3 }; /* as encoded in VEX prefixes */
enum { MAP_0F = 1, MAP_0F38 = 2 };

static Bool is_prefix(UChar byte)
{
    return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
           byte == 0x65 || byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
           byte == 0xf3;
}

static UInt merge_prefix(UChar prefix, UInt before)
{
    return prefix == 0xf2 ? PF2 : prefix == 0xf3 ? PF3 : prefix == 0x66 && !before ? P66 : before;
}

/* True for floating-point instructions: Intel SDM volume 2, tables. movups and movaps
 * without a prefix copy any data: compilers and libraries move structures with them. */
static Bool is_floating_opcode(UInt map, UInt prefix, UChar opcode)
{
    if (map == MAP_0F38)
        return opcode >= 0x96 && opcode <= 0xbf && (opcode & 0xf) >= 6; /* fused multiply-add */
    if (map != MAP_0F)
        return False;
    if (opcode == 0x10 || opcode == 0x11 || opcode == 0x28 || opcode == 0x29)
        return prefix != PLAIN;
    return (opcode >= 0x12 && opcode <= 0x17) || (opcode >= 0x2a && opcode <= 0x2f) ||
           (opcode >= 0x50 && opcode <= 0x5f) || opcode == 0x7c || opcode == 0x7d ||
           opcode == 0xc2 || opcode == 0xc6 || opcode == 0xd0;
}

/* Returns True if an instruction works on floating-point data. `code`: the whole instruction,
 * `length` readable bytes. */
static Bool is_floating_instruction(const UChar *code, UInt length)
{
    UInt prefix = PLAIN, at = 0;
    while (at < length && is_prefix(code[at]))
        prefix = merge_prefix(code[at++], prefix);
    if (at < length && (code[at] & 0xf0) == 0x40)
        at++;
    if (at + 1 < length && code[at] >= 0xd8 && code[at] <= 0xdf)
        return True; /* x87 */
    if (at + 2 < length && code[at] == 0xc5)
        return is_floating_opcode(MAP_0F, code[at + 1] & 3, code[at + 2]);
    if (at + 3 < length && code[at] == 0xc4)
        return is_floating_opcode(code[at + 1] & 0x1f, code[at + 2] & 3, code[at + 3]);
    return at + 1 < length && code[at] == 0x0f && is_floating_opcode(MAP_0F, prefix, code[at + 1]);
}

struct work {
    IRSB *in;
    IRSB *out;
    UWord fetched;                 /* last fetched line of instructions, + 1; 0: none */
    struct sim_instruction *place; /* counts of the instruction; NULL: not the program's */
    IRExpr *loaded;                /* pending load: with its store it is one access, a modify */
    Int loaded_bytes;
    UInt float_bit;
    UInt pending; /* accesses in the sequence */
    struct sequence_access sequence[SEQUENCE_MAX];
};

/* Ends the sequence before anything that may leave the block or change what counts. */
static void end_sequence(struct work *work)
{
    if (!work->pending)
        return;
    struct sequence *sequence = sequence_of(work->sequence, work->pending);
    addStmtToIRSB(work->out, IRStmt_Dirty(unsafeIRDirty_0_N(
                                 1, "access_sequence", VG_(fnptr_to_fnentry)(access_sequence),
                                 mkIRExprVec_1(mkIRExpr_HWord((HWord)sequence)))));
    work->pending = 0;
}

static UInt add_access(struct work *work, const struct sequence_access *access)
{
    if (work->pending == SEQUENCE_MAX)
        end_sequence(work);
    work->sequence[work->pending] = *access;
    return work->pending++;
}

static IRExpr *guarded_address(IRSB *out, IRExpr *guard, IRExpr *address)
{
    IRTemp temp = newIRTemp(out->tyenv, Ity_I64);
    IRExpr *none = mkIRExpr_HWord((HWord)ACCESS_NONE);
    addStmtToIRSB(out, IRStmt_WrTmp(temp, IRExpr_ITE(guard, address, none)));
    return IRExpr_RdTmp(temp);
}

/* Adds the fetch of an instruction before its execution. */
static void fetch_instruction(struct work *work, Addr ip, UInt length)
{
    const struct model_thread *cache = access_cache();
    UWord first = ip >> cache->line_shift;
    UWord last = (ip + length - 1) >> cache->line_shift;
    if (!cache->fetch_sets || (first == last && work->fetched == last + 1))
        return;
    add_access(work, &(struct sequence_access){
                         .address = ip, .kind = MODEL_INSTRUCTION, .size_bytes = (UShort)length});
    work->fetched = last + 1;
}

/* Adds an access: its address is stored, and used at the end of the sequence. */
static void store_access_address(struct work *work, UInt kind, IRExpr *address, Int size,
                                 IRExpr *guard)
{
    if (!work->place || size <= 0)
        return;
    UInt index = add_access(work, &(struct sequence_access){.place = work->place,
                                                            .kind = (UChar)(kind | work->float_bit),
                                                            .size_bytes = (UShort)size});
    if (guard && guard->tag != Iex_Const)
        address = guarded_address(work->out, guard, address);
    addStmtToIRSB(work->out,
                  IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&access_addresses[index]), address));
}

static void flush_pending_load(struct work *work)
{
    if (work->loaded)
        store_access_address(work, MODEL_LOAD, work->loaded, work->loaded_bytes, NULL);
    work->loaded = NULL;
}

static void defer_load(struct work *work, IRExpr *address, IRType type)
{
    flush_pending_load(work);
    work->loaded = address;
    work->loaded_bytes = sizeofIRType(type);
}

static void add_store(struct work *work, IRExpr *address, IRType type)
{
    UInt kind = MODEL_STORE;
    Int size = sizeofIRType(type);
    if (work->loaded && work->loaded_bytes == size && eqIRAtom(work->loaded, address)) {
        work->loaded = NULL;
        kind |= MODEL_LOAD;
    }
    flush_pending_load(work);
    store_access_address(work, kind, address, size, NULL);
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
    store_access_address(work, MODEL_LOAD, guarded->addr, sizeofIRType(loaded), guarded->guard);
}

/* A failing compare-and-swap does not store, but still takes ownership of the line. */
static void take_swap(struct work *work, const IRCAS *swap)
{
    Int size = sizeofIRType(type_of(work, swap->dataLo)) * (swap->dataHi ? 2 : 1);
    store_access_address(work, MODEL_MODIFY, swap->addr, size, NULL);
}

static void take_linked(struct work *work, const IRStmt *statement)
{
    IRExpr *stored = statement->Ist.LLSC.storedata;
    IRType type =
        stored ? type_of(work, stored) : typeOfIRTemp(work->in->tyenv, statement->Ist.LLSC.result);
    store_access_address(work, stored ? MODEL_STORE : MODEL_LOAD, statement->Ist.LLSC.addr,
                         sizeofIRType(type), NULL);
}

static void take_helper(struct work *work, const IRDirty *dirty)
{
    static const UInt kinds[] = {MODEL_LOAD, MODEL_STORE, MODEL_MODIFY};
    if (dirty->mFx != Ifx_None)
        store_access_address(work, kinds[dirty->mFx - Ifx_Read], dirty->mAddr, dirty->mSize,
                             dirty->guard);
}

static Bool is_agent(Addr ip)
{
    const HChar *agent = shared->header.agent_path;
    const NSegment *segment = agent[0] ? VG_(am_find_nsegment)(ip) : NULL;
    const HChar *name = segment ? VG_(am_get_filename)(segment) : NULL;
    return name && !VG_(strcmp)(name, agent);
}

/* Clones made by compilers (name.part.0) and names with parameters (C++) match too. */
static Bool instrument_function_named(const HChar *name, const HChar *wanted)
{
    SizeT length = VG_(strlen)(wanted);
    return length && !VG_(strncmp)(name, wanted, length) &&
           (!name[length] || name[length] == '.' || name[length] == '(');
}

static void add_access_turn(struct work *work, Addr ip)
{
    const struct sim_header *header = &shared->header;
    const HChar *name;
    if ((!header->count_from[0] && !header->count_to[0]) ||
        !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), ip, &name))
        return;
    Bool begins = instrument_function_named(name, header->count_from);
    if (!begins && !instrument_function_named(name, header->count_to))
        return;
    end_sequence(work);
    addStmtToIRSB(work->out, IRStmt_Dirty(unsafeIRDirty_0_N(
                                 1, "access_turn", VG_(fnptr_to_fnentry)(access_turn),
                                 mkIRExprVec_1(mkIRExpr_HWord(begins)))));
}

static void begin_instruction(struct work *work, Addr ip, UInt length)
{
    work->float_bit = is_floating_instruction((const UChar *)ip, length) ? MODEL_FLOAT : 0;
    Bool agent = is_agent(ip);
    work->place = agent ? NULL : instructions_place(ip);
    if (agent) {
        end_sequence(work);
        addStmtToIRSB(work->out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&agent_rings_ran),
                                              IRExpr_Const(IRConst_U8(1))));
    }
    add_access_turn(work, ip);
    if (!agent)
        fetch_instruction(work, ip, length);
}

static void take_statement(struct work *work, IRStmt *statement)
{
    flush_pending_load(work);
    if (statement->tag == Ist_IMark)
        begin_instruction(work, statement->Ist.IMark.addr, statement->Ist.IMark.len);
    else if (statement->tag == Ist_StoreG) {
        IRType type = type_of(work, statement->Ist.StoreG.details->data);
        store_access_address(work, MODEL_STORE, statement->Ist.StoreG.details->addr,
                             sizeofIRType(type), statement->Ist.StoreG.details->guard);
    } else if (statement->tag == Ist_LoadG)
        take_guarded_load(work, statement->Ist.LoadG.details);
    else if (statement->tag == Ist_CAS)
        take_swap(work, statement->Ist.CAS.details);
    else if (statement->tag == Ist_LLSC)
        take_linked(work, statement);
    else if (statement->tag == Ist_Dirty)
        take_helper(work, statement->Ist.Dirty.details);
    else if (statement->tag == Ist_Exit)
        end_sequence(work);
}

static void instrument_statement(struct work *work, IRStmt *statement)
{
    const IRExpr *data;
    switch (statement->tag) {
    case Ist_WrTmp:
        data = statement->Ist.WrTmp.data;
        if (data->tag == Iex_Load)
            defer_load(work, data->Iex.Load.addr, data->Iex.Load.ty);
        break;
    case Ist_Store:
        add_store(work, statement->Ist.Store.addr, type_of(work, statement->Ist.Store.data));
        break;
    case Ist_Put:
    case Ist_PutI:
    case Ist_NoOp:
    case Ist_AbiHint:
        break;
    default:
        take_statement(work, statement);
    }
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word)
{
    struct work work = {.in = in};
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    if (!shared || !access_cache())
        return in;
    work.out = deepCopyIRSBExceptStmts(in);
    for (Int i = 0; i < in->stmts_used; i++) {
        instrument_statement(&work, in->stmts[i]);
        addStmtToIRSB(work.out, in->stmts[i]);
    }
    flush_pending_load(&work);
    end_sequence(&work);
    return work.out;
}
