/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/stretch.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static VgHashTable *stretches;

void stretch_start(void)
{
    stretches = VG_(HT_construct)("misstop.stretches");
}

static Word compare(const void *left, const void *right)
{
    const struct stretch *one = left, *other = right;
    if (one->count != other->count)
        return 1;
    for (UInt i = 0; i < one->count; i++)
        if (one->accesses[i].place != other->accesses[i].place ||
            one->accesses[i].op != other->accesses[i].op)
            return 1;
    return 0;
}

static struct stretch *make(const struct stretch_access *accesses, UInt count)
{
    SizeT size_bytes = sizeof(struct stretch) + count * sizeof *accesses;
    struct stretch *made = VG_(calloc)("misstop.stretch", 1, size_bytes);
    made->count = count;
    for (UInt i = 0; i < count; i++) {
        made->accesses[i] = accesses[i];
        made->hash = (made->hash ^ (UWord)accesses[i].place ^ accesses[i].op) * 0x9e3779b97f4a7c15;
    }
    return made;
}

struct stretch *stretch_of(const struct stretch_access *accesses, UInt count)
{
    struct stretch *made = make(accesses, count);
    struct stretch *known = VG_(HT_gen_lookup)(stretches, made, compare);
    if (known) {
        VG_(free)(made);
        return known;
    }
    VG_(HT_add_node)(stretches, made);
    return made;
}

static void tell(struct stretch *stretch)
{
    for (UInt i = 0; i < stretch->count; i++) {
        struct stretch_access *access = &stretch->accesses[i];
        /* A block that was left by a signal has not counted its last stretch. */
        uint64_t left_out = access->left_out < stretch->passes ? access->left_out : stretch->passes;
        access->place->counts[access->op - 1] += stretch->passes - left_out;
        access->left_out -= left_out;
    }
    stretch->passes = 0;
}

void stretch_tell(void)
{
    struct stretch *stretch;
    VG_(HT_ResetIter)(stretches);
    while ((stretch = VG_(HT_Next)(stretches)))
        if (stretch->passes)
            tell(stretch);
}
