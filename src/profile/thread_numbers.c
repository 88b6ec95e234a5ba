/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/thread_numbers.h"

#include <string.h>

void thread_numbers_fini(struct thread_numbers *numbers)
{
    hash_fini(&numbers->known);
}

void thread_numbers_clear(struct thread_numbers *numbers)
{
    hash_clear(&numbers->known);
    memset(numbers->recent, 0, sizeof numbers->recent);
}

static uint32_t look_up(struct thread_numbers *numbers, uint32_t tid)
{
    uint32_t *number = hash_find(&numbers->known, tid);
    if (!number && numbers->known.count < THREADS_MAX) {
        number = hash_insert(&numbers->known, tid, NULL);
        if (number) {
            *number = (uint32_t)numbers->known.count - 1;
            numbers->tids[*number] = tid;
        }
    }
    return number ? *number : THREADS_MAX;
}

/* Few threads run at a time: the hash is asked only for one that is not among the last. */
uint32_t thread_numbers_of(struct thread_numbers *numbers, uint32_t tid)
{
    size_t at = tid % THREADS_RECENT;
    if (numbers->recent[at].tid == tid && numbers->recent[at].known)
        return numbers->recent[at].number;
    numbers->recent[at].tid = tid;
    numbers->recent[at].number = look_up(numbers, tid);
    numbers->recent[at].known = true;
    return numbers->recent[at].number;
}
