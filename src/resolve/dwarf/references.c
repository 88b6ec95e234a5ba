/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/references.h"

void references_fini(struct references *references)
{
    hash_fini(&references->by_content);
    hash_fini(&references->by_told);
    *references = (struct references){0};
}

void references_restart(struct references *references)
{
    hash_clear(&references->by_told);
}

static uint32_t by_content(struct references *references, uint64_t content, bool *is_new)
{
    uint32_t *known = hash_find(&references->by_content, content);
    if (known)
        return *known;
    if (references->count == REFERENCES_MAX)
        return 0;
    known = hash_insert(&references->by_content, content, is_new);
    if (known)
        *known = ++references->count;
    return known ? *known : 0;
}

uint32_t references_add(struct references *references, uint32_t told, uint64_t content,
                        bool *is_new)
{
    bool created;
    *is_new = false;
    uint32_t own = by_content(references, content, is_new);
    /* As many as can be told at once, whatever a process makes up. */
    bool room = references->by_told.count < REFERENCES_MAX;
    uint32_t *slot = own && room ? hash_insert(&references->by_told, told, &created) : NULL;
    if (slot)
        *slot = own;
    return own;
}

uint32_t references_of(const struct references *references, uint32_t told)
{
    const uint32_t *own = hash_find(&references->by_told, told);
    return own ? *own : 0;
}
