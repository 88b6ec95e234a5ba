/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/tcb_stack.h"

#include "resolve/tcb.h"

#include <string.h>

enum { STACK_PAGE = 4096, STACK_HEADER = 3 * 8 };

#define STACK_BYTES_MAX (UINT64_C(1) << 40)

/* Below the struct are at most its alignment and what is thread-local; above, nothing. */
static bool is_stack(const uint64_t words[3], uint64_t base)
{
    uint64_t block = words[0];
    uint64_t bytes = words[1];
    uint64_t guard = words[2];
    return block && block < base && bytes > base - block + STACK_HEADER &&
           bytes - (base - block) <= TCB_BYTES + STACK_PAGE && bytes < STACK_BYTES_MAX &&
           guard < base - block && !(guard & (STACK_PAGE - 1));
}

bool tcb_stack(const unsigned char *bytes, size_t size, uint64_t base, uint64_t *start,
               uint64_t *end)
{
    uint64_t words[3];
    for (size_t at = STACK_HEADER; at + sizeof words <= size; at += sizeof *words) {
        memcpy(words, bytes + at, sizeof words);
        if (!is_stack(words, base))
            continue;
        *start = words[0] + words[2];
        *end = words[0] + words[1];
        return true;
    }
    return false;
}
