/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the decoder asks of the target: code, bounds, memory, segment bases. */
#include "resolve/resolver_state.h"

#include "base/clock.h"
#include "resolve/process.h"

enum { RESOLVER_SCAN_PER_S = 1 };

bool resolver_function_bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    struct resolver *resolver = context;
    return functions_bounds(&resolver->functions, &resolver->space, ip, start, end);
}

size_t resolver_code(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    /* Memory is what runs: it has relocations and patches that the file has not. */
    size_t got =
        resolver->options.live ? process_read_some(resolver->options.pid, address, out, size) : 0;
    if (got)
        return got;
    struct map *map = space_map(&resolver->space, address);
    struct module *module = map ? space_module(&resolver->space, map) : NULL;
    return module ? module_bytes(module, address, out, size) : 0;
}

bool resolver_memory(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    if (resolver->options.live)
        return process_read(resolver->options.pid, address, out, size);
    /* The memory of a recording is gone; what was never written still stands in the file. */
    struct map *map = space_map(&resolver->space, address);
    struct module *module = map ? space_module(&resolver->space, map) : NULL;
    return module && module_constant(module, address, out, size);
}

bool resolver_segment(void *context, uint32_t tid, bool gs, uint64_t *base)
{
    struct resolver *resolver = context;
    if (gs || !resolver->options.live)
        return false;
    const struct tcb *tcb = tcbs_ask(&resolver->tcbs, resolver->options.pid, tid);
    uint64_t now = tcb ? 0 : clock_now_ns();
    if (!tcb && now >= resolver->scan_ns) {
        resolver->scan_ns = now + CLOCK_NS_PER_S / RESOLVER_SCAN_PER_S;
        space_reread(&resolver->space, now);
        tcbs_scan(&resolver->tcbs, resolver->options.pid, &resolver->space.maps);
        stacks_refresh(&resolver->space.stacks, &resolver->tcbs, &resolver->space.maps,
                       (uint32_t)resolver->options.pid);
        tcb = tcbs_of_thread(&resolver->tcbs, tid);
    }
    *base = tcb ? tcb->base : 0;
    return tcb;
}

bool resolver_mapped(void *context, uint64_t address)
{
    struct resolver *resolver = context;
    return space_map(&resolver->space, address) ||
           space_unrecorded(&resolver->space, address) != SPACE_NOTHING;
}
