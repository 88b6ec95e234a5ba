/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/tcb.h"

#include "resolve/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TCB_ALIGN = 64,
    TCB_SMALL_MAP = 2 << 20,   /* searched whole: ld.so's block for the first thread */
    TCB_STACK_TOP = 64 * 1024, /* of larger maps the end: a pthread's stack has it there */
    TCB_BYTES = 2304,          /* struct pthread is not larger in any glibc so far */
    TCB_SCAN_MAX = 64 << 20    /* bytes read in one scan at most */
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
}

static bool is_tid(const struct tids *tids, uint32_t value)
{
    for (size_t i = 0; i < tids->count; i++)
        if (tids->tids[i] == value)
            return true;
    return false;
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

static void add(struct tcbs *tcbs, uint64_t base, uint32_t tid)
{
    if (tcbs->count == tcbs->room) {
        size_t room = tcbs->room ? tcbs->room * 2 : 32;
        struct tcb *more = realloc(tcbs->tcbs, room * sizeof *more);
        if (!more)
            return;
        tcbs->tcbs = more;
        tcbs->room = room;
    }
    tcbs->tcbs[tcbs->count++] = (struct tcb){base, tid};
}

static void scan_bytes(struct tcbs *tcbs, const unsigned char *bytes, size_t size, uint64_t start,
                       const struct tids *tids, struct map *map)
{
    for (size_t at = 0; at + 24 <= size; at += TCB_ALIGN) {
        uint64_t words[3];
        memcpy(words, bytes + at, sizeof words);
        if (words[0] != start + at || words[2] != start + at)
            continue;
        uint32_t tid = tid_in(tcbs, bytes + at, size - at, tids);
        if (!tid)
            continue;
        add(tcbs, start + at, tid);
        /* ld.so's block for the first thread stands in no stack. */
        map->thread_stack |= map->end - map->start > TCB_STACK_TOP;
    }
}

void tcbs_scan(struct tcbs *tcbs, pid_t pid, struct maps *maps)
{
    struct tids *tids = malloc(sizeof *tids);
    unsigned char *bytes = malloc(TCB_SMALL_MAP);
    size_t scanned = 0;
    tcbs->count = 0;
    if (tids && bytes)
        read_tids(tids, pid);
    for (size_t i = 0; tids && bytes && i < maps->count && scanned < TCB_SCAN_MAX; i++) {
        struct map *map = &maps->maps[i];
        if (map->kind != MAPPING_ANON || !map->writable || !map->readable)
            continue;
        uint64_t size = map->end - map->start;
        uint64_t part = size <= TCB_SMALL_MAP / 4 ? size : TCB_STACK_TOP;
        uint64_t start = map->end - part;
        size_t got = process_read_some(pid, start, bytes, part);
        scan_bytes(tcbs, bytes, got, start, tids, map);
        scanned += got;
    }
    free(bytes);
    free(tids);
}

const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid)
{
    for (size_t i = 0; i < tcbs->count; i++)
        if (tcbs->tcbs[i].tid == tid)
            return &tcbs->tcbs[i];
    return NULL;
}

const struct tcb *tcbs_around(const struct tcbs *tcbs, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < tcbs->count; i++)
        if (address < tcbs->tcbs[i].base && address >= tcbs->tcbs[i].base - bytes)
            return &tcbs->tcbs[i];
    return NULL;
}
