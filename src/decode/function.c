/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/function.h"

#include "decode/waiting.h"

#include <stdlib.h>
#include <string.h>

enum {
    FUNCTION_BEFORE = 192, /* bytes before the IP in such a part */
    FUNCTION_AFTER = 64,
    FUNCTION_STARTS = 48, /* points from which an unknown boundary is sought */
    INSN_BYTES_MAX = 15
};

struct code {
    unsigned char *bytes;
    size_t size;
    uint64_t start;
};

size_t function_index(const struct function *function, uint64_t address)
{
    size_t low = 0;
    size_t high = function->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (function->insns[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < function->count && function->insns[low].address == address ? low : SIZE_MAX;
}

void function_free(struct function *function)
{
    if (function)
        free(function->insns);
    free(function);
}

/* Decodes from `from` to the end of the code; after bytes that are none, one byte on. */
static int disassemble(const struct code *code, uint64_t from, struct function *function)
{
    size_t room = (code->size - (from - code->start)) / 3 + 16;
    size_t at = from - code->start;
    function->insns = malloc(room * sizeof *function->insns);
    while (function->insns && at < code->size) {
        if (function->count == room) {
            struct insn *more = realloc(function->insns, (room *= 2) * sizeof *more);
            if (!more)
                break;
            function->insns = more;
        }
        struct insn *insn = &function->insns[function->count];
        bool known = insn_decode(insn, code->start + at, code->bytes + at, code->size - at);
        function->count += known;
        at += known ? insn->length : 1;
    }
    return function->insns ? 0 : -1;
}

static void mark_targets(struct function *function)
{
    for (size_t i = 0; i < function->count; i++) {
        const struct insn *insn = &function->insns[i];
        bool jump = insn->flow == INSN_JUMP || insn->flow == INSN_CONDITIONAL;
        size_t target = jump && insn->target ? function_index(function, insn->target) : SIZE_MAX;
        if (target != SIZE_MAX)
            function->insns[target].is_target = true;
    }
}

/* Whether decoding from an offset arrives exactly at the IP. */
static bool arrives(const struct code *code, size_t offset, size_t wanted, size_t *before)
{
    struct insn insn;
    while (offset < wanted) {
        *before = offset;
        if (!insn_decode(&insn, offset, code->bytes + offset, code->size - offset))
            return false;
        offset += insn.length;
    }
    return offset == wanted;
}

/*
 * Without bounds, boundaries are found by decoding from many points: x86 code falls into step
 * after a few instructions, so the step most of them agree on is right. The farthest start
 * that agrees is returned, SIZE_MAX when fewer than three quarters do.
 */
static size_t find_boundary(const struct code *code, size_t wanted)
{
    size_t last[FUNCTION_STARTS];
    size_t tried = 0;
    size_t best = SIZE_MAX;
    size_t agree = 0;
    for (size_t start = 0; tried < FUNCTION_STARTS && start + INSN_BYTES_MAX < wanted;
         start++, tried++)
        if (!arrives(code, start, wanted, &last[tried]))
            last[tried] = SIZE_MAX;
    for (size_t i = 0; i < tried; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < tried; j++)
            votes += last[j] == last[i];
        if (last[i] != SIZE_MAX && votes > agree) {
            agree = votes;
            best = i;
        }
    }
    return agree * 4 >= tried * 3 && tried ? best : SIZE_MAX;
}

static int read_code(const struct decode_target *target, uint64_t start, uint64_t end,
                     struct code *code)
{
    code->bytes = malloc(end - start);
    code->start = start;
    code->size = code->bytes ? target->code(target->context, start, code->bytes, end - start) : 0;
    return code->size ? 0 : -1;
}

/* The part around an IP when bounds are unknown or too far apart. */
static uint64_t choose_start(const struct decode_target *target, uint64_t ip, struct code *code)
{
    uint64_t start = ip > FUNCTION_BEFORE ? ip - FUNCTION_BEFORE : 0;
    if (!read_code(target, start, ip + FUNCTION_AFTER, code) && code->size > ip - start) {
        size_t boundary = find_boundary(code, ip - start);
        return boundary == SIZE_MAX ? ip : start + boundary;
    }
    /* What stands before may be unmapped: at least the instruction itself. */
    free(code->bytes);
    return read_code(target, ip, ip + FUNCTION_AFTER, code) ? UINT64_MAX : ip;
}

static struct function *make(const struct decode_target *target, uint64_t ip, bool bounded,
                             enum reason *reason)
{
    struct code code = {0};
    struct function *function = calloc(1, sizeof *function);
    uint64_t start = 0;
    uint64_t end = 0;
    *reason = REASON_NO_CODE;
    if (!function)
        return NULL;
    function->whole = bounded && target->function &&
                      target->function(target->context, ip, &start, &end) && start <= ip &&
                      ip < end && end - start <= FUNCTION_BYTES_MAX;
    if (!function->whole)
        start = choose_start(target, ip, &code);
    else if (read_code(target, start, end, &code))
        start = UINT64_MAX;
    if (start == UINT64_MAX || ip - code.start >= code.size)
        goto failed;
    *reason = REASON_BAD_CODE;
    function->start = start;
    function->end = code.start + code.size;
    if (disassemble(&code, start, function) || function_index(function, ip) == SIZE_MAX)
        goto failed;
    mark_targets(function);
    waiting_mark(function->insns, function->count);
    waiting_mark_kept(function->insns, function->count);
    free(code.bytes);
    return function;

failed:
    free(code.bytes);
    function_free(function);
    return NULL;
}

struct function *function_new(const struct decode_target *target, uint64_t ip, enum reason *reason)
{
    return make(target, ip, true, reason);
}

struct function *function_part(const struct decode_target *target, uint64_t ip, enum reason *reason)
{
    return make(target, ip, false, reason);
}
