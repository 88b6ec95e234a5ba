/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/space.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "resolve/process/process.h"

enum { TLS_BLOCKS_MAX = 1 << 17, TLS_TABLE_MAX = 256, TLS_IMAGE_MAX = 1 << 30 };

/* Size of the words at the thread pointer, in glibc and musl alike: itself, the thread's table, the
 * stack guards (fs:0x28) and pointers. */
enum { TLS_CONTROL_BYTES = 0x40 };

/* An entry of a thread's table: glibc's dtv_t. The entry before the first holds their number. */
struct dtv_entry {
    uint64_t value;
    uint64_t to_free;
};

struct dtv {
    struct dtv_entry at[TLS_TABLE_MAX];
    size_t count; /* valid entries, from index 1 */
};

void tls_fini(struct tls *tls)
{
    free(tls->blocks);
    *tls = (struct tls){0};
}

static void tls_add(struct tls *tls, struct tls_block block)
{
    if (!array_reserve_next(&tls->blocks, &tls->room, tls->count, sizeof *tls->blocks,
                            TLS_BLOCKS_MAX))
        return;
    if (block.end > block.start)
        tls->blocks[tls->count++] = block;
}

static void read_dtv(struct dtv *dtv, pid_t pid, const struct tcb *tcb)
{
    uint64_t table = 0;
    uint64_t length = 0;
    dtv->count = 0;
    if (!process_read(pid, tcb->base + 8, &table, sizeof table) ||
        !process_read(pid, table - sizeof *dtv->at, &length, sizeof length))
        return;
    size_t count = length < TLS_TABLE_MAX ? length + 1 : TLS_TABLE_MAX;
    dtv->count = process_read_some(pid, table, dtv->at, count * sizeof *dtv->at) / sizeof *dtv->at;
}

/* Location of a module's images, found once for all threads. */
struct images {
    const struct module *module; /* NULL: not known */
    struct tlsslot_answer answer;
};

static struct images tls_ask_images(const struct module *module, bool is_program, pid_t pid)
{
    struct images images = {.module = module};
    uint64_t bytes = module_tls_bytes(module);
    if (!bytes || bytes > TLS_IMAGE_MAX)
        return (struct images){0};
    if (!module_tls_answer(module, pid, &images.answer))
        return images;
    /* The program's own image is directly below the block, and needs no relocation. */
    images.answer = (struct tlsslot_answer){.offset = -bytes};
    return is_program ? images : (struct images){0};
}

static bool needs_dtv(const struct images *images, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (images[i].module && images[i].answer.module)
            return true;
    return false;
}

static void add_thread(struct tls *tls, pid_t pid, const struct tcb *tcb,
                       const struct images *images, size_t count)
{
    struct dtv dtv;
    dtv.count = 0;
    tls_add(tls, (struct tls_block){tcb->base, tcb->base + TLS_CONTROL_BYTES, NULL, tcb->tid});
    if (needs_dtv(images, count))
        read_dtv(&dtv, pid, tcb);
    for (size_t i = 0; i < count; i++) {
        const struct tlsslot_answer *answer = &images[i].answer;
        uint64_t start = tcb->base + answer->offset;
        if (!images[i].module)
            continue;
        if (answer->module)
            start = answer->module < dtv.count ? dtv.at[answer->module].value : 0;
        /* 0 and ~0: this thread has not used the module yet. */
        if (start && start < UINT64_C(1) << 47)
            tls_add(tls, (struct tls_block){start, start + module_tls_bytes(images[i].module),
                                            images[i].module, tcb->tid});
    }
}

/* Returns the first mapped file in address order, which is the program: libraries are above. */
static const struct module *find_program_module(struct space *space)
{
    for (size_t i = 0; i < space->maps.count; i++)
        if (space->maps.maps[i].kind == MAPPING_FILE)
            return space_module(space, &space->maps.maps[i]);
    return NULL;
}

void tls_refresh(struct tls *tls, struct space *space, const struct tcbs *tcbs)
{
    const struct module *program = find_program_module(space);
    size_t count = space->modules.count;
    struct images *images = count ? calloc(count, sizeof *images) : NULL;
    tls->count = 0;
    if (!images)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct module *module = space->modules.entries[i].module;
        if (module)
            images[i] = tls_ask_images(module, module == program, space->from.pid);
    }
    for (size_t i = 0; i < tcbs->count; i++)
        add_thread(tls, space->from.pid, &tcbs->tcbs[i], images, count);
    free(images);
    SORT_BY(tls->blocks, tls->count, start);
}

const struct tls_block *tls_find(const struct tls *tls, uint64_t address)
{
    size_t low = SORTED_UP_TO(tls->blocks, tls->count, start, address);
    return low && address < tls->blocks[low - 1].end ? &tls->blocks[low - 1] : NULL;
}
