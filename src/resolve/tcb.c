/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/tcb.h"

#include "base/array.h"
#include "resolve/process.h"
#include "resolve/tcb_stack.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    TCB_ALIGN = 64,
    TCB_SMALL_MAP = 2 << 20,   /* searched whole: ld.so's block for the first thread */
    TCB_STACK_TOP = 64 * 1024, /* of larger maps the end: a pthread's stack has it there */
    TCB_SCAN_MAX = 64 << 20,   /* bytes read in one scan at most */
    TCB_PAGE = 4096
};

struct tids {
    uint32_t tids[65536];
    size_t count;
};

void tcbs_fini(struct tcbs *tcbs)
{
    free(tcbs->tcbs);
    *tcbs = (struct tcbs){0};
}

static int compare_tids(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;
    return (*x > *y) - (*x < *y);
}

static void read_tids(struct tids *tids, pid_t pid)
{
    char path[64];
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    tids->count = 0;
    while (folder && (entry = readdir(folder)) &&
           tids->count < sizeof tids->tids / sizeof *tids->tids)
        if (entry->d_name[0] != '.')
            tids->tids[tids->count++] = (uint32_t)atoi(entry->d_name);
    if (folder)
        closedir(folder);
    qsort(tids->tids, tids->count, sizeof *tids->tids, compare_tids);
}

static bool is_tid(const struct tids *tids, uint32_t value)
{
    return bsearch(&value, tids->tids, tids->count, sizeof value, compare_tids);
}

/* The thread id inside a block: at the known place, or the first that is one. */
static uint32_t tid_in(struct tcbs *tcbs, const unsigned char *block, size_t size,
                       const struct tids *tids)
{
    uint32_t value;
    if (tcbs->tid_offset) {
        if (tcbs->tid_offset + 4 > size)
            return 0;
        memcpy(&value, block + tcbs->tid_offset, 4);
        return is_tid(tids, value) ? value : 0;
    }
    for (size_t at = 64; at + 4 <= size && at < TCB_BYTES; at += 4) {
        memcpy(&value, block + at, 4);
        if (value && is_tid(tids, value)) {
            tcbs->tid_offset = at;
            return value;
        }
    }
    return 0;
}

/* Index of the first thread with this id or a higher one. */
static size_t place_of(const struct tcbs *tcbs, uint32_t tid)
{
    size_t low = 0;
    size_t high = tcbs->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tcbs->tcbs[middle].tid < tid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid)
{
    size_t at = place_of(tcbs, tid);
    return at < tcbs->count && tcbs->tcbs[at].tid == tid ? &tcbs->tcbs[at] : NULL;
}

static const struct tcb *add(struct tcbs *tcbs, pid_t pid, uint64_t base, uint32_t tid)
{
    unsigned char bytes[TCB_BYTES];
    size_t at = place_of(tcbs, tid);
    bool known = at < tcbs->count && tcbs->tcbs[at].tid == tid;
    if (!known) {
        struct tcb *more =
            array_more(tcbs->tcbs, &tcbs->room, tcbs->count, sizeof *more, ARRAY_UNBOUNDED);
        if (!more)
            return NULL;
        tcbs->tcbs = more;
        memmove(&tcbs->tcbs[at + 1], &tcbs->tcbs[at], (tcbs->count - at) * sizeof *tcbs->tcbs);
        tcbs->count++;
    }
    tcbs->tcbs[at] = (struct tcb){.base = base, .tid = tid};
    size_t got = process_read_some(pid, base, bytes, sizeof bytes);
    tcb_stack(bytes, got, base, &tcbs->tcbs[at].stack_start, &tcbs->tcbs[at].stack_end);
    return &tcbs->tcbs[at];
}

static bool is_block(const unsigned char *bytes, uint64_t base)
{
    uint64_t words[3];
    memcpy(words, bytes, sizeof words);
    return words[0] == base && words[2] == base;
}

/* The block around the robust list's head: the nearest one below. 0: there is none. */
static uint64_t block_below(struct tcbs *tcbs, pid_t pid, uint64_t head)
{
    unsigned char bytes[TCB_BYTES + TCB_ALIGN];
    uint64_t first = tcbs->list_offset ? head - tcbs->list_offset
                                       : (head - TCB_BYTES) & ~(uint64_t)(TCB_ALIGN - 1);
    size_t size = tcbs->list_offset ? 24 : head - first;
    if (head < TCB_PAGE || first & (TCB_ALIGN - 1))
        return 0;
    /* What stands below the block may be no memory: then the read starts at its page. */
    while (size >= 24 && !process_read(pid, first, bytes, size)) {
        uint64_t next = (first | (TCB_PAGE - 1)) + 1;
        size = next < head ? head - next : 0;
        first = next;
    }
    for (size_t at = size < 24 ? 0 : (size - 24) / TCB_ALIGN + 1; at-- > 0;)
        if (is_block(bytes + at * TCB_ALIGN, first + at * TCB_ALIGN)) {
            tcbs->list_offset = head - first - at * TCB_ALIGN;
            return first + at * TCB_ALIGN;
        }
    return 0;
}

const struct tcb *tcbs_ask(struct tcbs *tcbs, pid_t pid, uint32_t tid)
{
    void *head = NULL;
    size_t size = 0;
    const struct tcb *known = tcbs_of_thread(tcbs, tid);
    if (known || syscall(SYS_get_robust_list, (pid_t)tid, &head, &size) || !head)
        return known;
    uint64_t base = block_below(tcbs, pid, (uint64_t)(uintptr_t)head);
    return base ? add(tcbs, pid, base, tid) : NULL;
}

static void forget_gone(struct tcbs *tcbs, const struct tids *tids)
{
    size_t kept = 0;
    for (size_t i = 0; i < tcbs->count; i++)
        if (is_tid(tids, tcbs->tcbs[i].tid))
            tcbs->tcbs[kept++] = tcbs->tcbs[i];
    tcbs->count = kept;
}

void tcbs_refresh(struct tcbs *tcbs, pid_t pid)
{
    struct tids *tids = malloc(sizeof *tids);
    if (!tids)
        return;
    read_tids(tids, pid);
    forget_gone(tcbs, tids);
    for (size_t i = 0; i < tids->count; i++)
        tcbs_ask(tcbs, pid, tids->tids[i]);
    free(tids);
}

static void scan_bytes(struct tcbs *tcbs, pid_t pid, const unsigned char *bytes, size_t size,
                       uint64_t start, const struct tids *tids)
{
    for (size_t at = 0; at + 24 <= size; at += TCB_ALIGN) {
        uint32_t tid =
            is_block(bytes + at, start + at) ? tid_in(tcbs, bytes + at, size - at, tids) : 0;
        if (tid)
            add(tcbs, pid, start + at, tid);
    }
}

void tcbs_scan(struct tcbs *tcbs, pid_t pid, const struct maps *maps)
{
    struct tids *tids = malloc(sizeof *tids);
    unsigned char *bytes = malloc(TCB_SMALL_MAP);
    size_t scanned = 0;
    if (tids && bytes)
        read_tids(tids, pid);
    for (size_t i = 0; tids && bytes && i < maps->count && scanned < TCB_SCAN_MAX; i++) {
        const struct map *map = &maps->maps[i];
        if (map->kind != MAPPING_ANON || !map->writable || !map->readable)
            continue;
        uint64_t size = map->end - map->start;
        uint64_t part = size <= TCB_SMALL_MAP / 4 ? size : TCB_STACK_TOP;
        uint64_t start = map->end - part;
        size_t got = process_read_some(pid, start, bytes, part);
        scan_bytes(tcbs, pid, bytes, got, start, tids);
        scanned += got;
    }
    free(bytes);
    free(tids);
}
