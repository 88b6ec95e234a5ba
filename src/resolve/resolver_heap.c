/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the heap and the types are told from outside: how far to follow, and the user's bins. */
#include "resolve/resolver_state.h"

#include <errno.h>

long resolver_follow(struct resolver *resolver, uint64_t until_ns)
{
    return resolver->allocations ? allocations_follow(resolver->allocations, until_ns) : 0;
}

void resolver_settle(struct resolver *resolver, uint64_t now_ns)
{
    /* After an exec: records tell of mappings, but not of what became read-only later. */
    if (resolver->distrusted && resolver->options.live && space_reread(&resolver->space, now_ns))
        resolver->distrusted = false;
    if (typing_run(resolver->typing, now_ns) && resolver->allocations)
        allocations_ask_again(resolver->allocations);
    if (resolver->allocations)
        allocations_settle(resolver->allocations, now_ns);
}

void resolver_heap_mark(struct resolver *resolver, uint64_t now_ns)
{
    if (resolver->allocations)
        allocations_mark(resolver->allocations, now_ns);
}

int resolver_bin_rename(struct resolver *resolver, uint32_t bin, const char *name)
{
    return resolver->allocations ? allocations_rename(resolver->allocations, bin, name) : -ENOENT;
}

int resolver_bin_combine(struct resolver *resolver, const uint32_t *bins, uint32_t count)
{
    return resolver->allocations ? allocations_combine(resolver->allocations, bins, count)
                                 : -ENOENT;
}

int resolver_bin_undo(struct resolver *resolver)
{
    return resolver->allocations ? allocations_undo(resolver->allocations) : -ENOENT;
}
