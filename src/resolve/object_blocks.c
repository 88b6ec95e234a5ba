/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks that an object consists of now, and by which call paths more come; declared in
 * resolver.h. */
#include "resolve/resolver_state.h"

#include <errno.h>

static const char *refusal(enum object_kind kind)
{
    switch (kind) {
    case OBJECT_HEAP:
        return "its blocks are not told one by one: that takes the allocation agent (--heap)";
    case OBJECT_STACK:
        return "it is on a stack, where the place of a variable changes with the calls";
    case OBJECT_TLS:
        return "each thread has its own in its own place";
    default:
        return "where it begins and ends is not known";
    }
}

int resolver_blocks(struct resolver *resolver, uint32_t object, resolver_block *told, void *context,
                    bool *follows, struct error *error)
{
    struct object_desc desc;
    uint32_t bin = object < resolver->names.object_count ? resolver->bin_of_object[object] : 0;
    struct place_names names = resolver_names(resolver);
    *follows = false;
    if (!names.object(resolver, object, &desc))
        return error_set(error, -ENOENT, "it is gone");
    if (bin && !allocations_blocks(resolver->allocations, bin, told, context)) {
        *follows = true;
        return 0;
    }
    if (desc.kind != OBJECT_GLOBAL || !desc.size_bytes)
        return error_set(error, -ENOTSUP, "%s", refusal(desc.kind));
    told(context, desc.address, desc.size_bytes);
    return 0;
}

enum allocation_path resolver_path(const struct resolver *resolver, uint32_t object, uint32_t path)
{
    uint32_t bin = object < resolver->names.object_count ? resolver->bin_of_object[object] : 0;
    return bin ? allocations_path(resolver->allocations, bin, path) : ALLOCATION_PATH_OTHER;
}
