/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "resolve/process/process.h"

enum {
    TCB_ALIGN = 64,
    TCB_SMALL_MAP = 2 << 20,   /* searched completely: ld.so's block for the first thread */
    TCB_STACK_TOP = 64 * 1024, /* searched end of larger maps, such as the stack of a pthread */
    TCB_SCAN_MAX = 64 << 20,   /* limit of bytes read per scan */
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

/* Returns the thread id in a block: at the known offset, or the first word that is one. */
static uint32_t find_tid_in_block(struct tcbs *tcbs, const unsigned char *block, size_t size,
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

/* Returns the index of the first thread with this id or a higher one. */
static size_t tcbs_place_of(const struct tcbs *tcbs, uint32_t tid)
{
    return SORTED_BELOW(tcbs->tcbs, tcbs->count, tid, tid);
}

const struct tcb *tcbs_of_thread(const struct tcbs *tcbs, uint32_t tid)
{
    size_t at = tcbs_place_of(tcbs, tid);
    return at < tcbs->count && tcbs->tcbs[at].tid == tid ? &tcbs->tcbs[at] : NULL;
}

static const struct tcb *add_tcb(struct tcbs *tcbs, pid_t pid, uint64_t base, uint32_t tid)
{
    unsigned char bytes[TCB_BYTES];
    size_t at = tcbs_place_of(tcbs, tid);
    bool known = at < tcbs->count && tcbs->tcbs[at].tid == tid;
    if (!known) {
        if (!array_reserve_next(&tcbs->tcbs, &tcbs->room, tcbs->count, sizeof *tcbs->tcbs,
                                ARRAY_UNBOUNDED))
            return NULL;
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

/* Returns the block around the head of the robust list: the nearest one below. 0: none. */
static uint64_t find_tcb_below(struct tcbs *tcbs, pid_t pid, uint64_t head)
{
    unsigned char bytes[TCB_BYTES + TCB_ALIGN];
    uint64_t first = tcbs->list_offset ? head - tcbs->list_offset
                                       : (head - TCB_BYTES) & ~(uint64_t)(TCB_ALIGN - 1);
    size_t size = tcbs->list_offset ? 24 : head - first;
    if (head < TCB_PAGE || first & (TCB_ALIGN - 1))
        return 0;
    /* The addresses below the block may be unmapped: retry from the next page. */
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

const struct tcb *tcbs_find_or_ask(struct tcbs *tcbs, pid_t pid, uint32_t tid)
{
    void *head = NULL;
    size_t size = 0;
    const struct tcb *known = tcbs_of_thread(tcbs, tid);
    if (known || syscall(SYS_get_robust_list, (pid_t)tid, &head, &size) || !head)
        return known;
    uint64_t base = find_tcb_below(tcbs, pid, (uint64_t)(uintptr_t)head);
    return base ? add_tcb(tcbs, pid, base, tid) : NULL;
}

static void tcbs_forget_ended(struct tcbs *tcbs, const struct tids *tids)
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
    tcbs_forget_ended(tcbs, tids);
    for (size_t i = 0; i < tids->count; i++)
        tcbs_find_or_ask(tcbs, pid, tids->tids[i]);
    free(tids);
}

void tcbs_tick(struct tcbs *tcbs, pid_t pid, uint64_t now_ns)
{
    uint64_t began_ns = clock_now_ns();
    if (tcbs->count >= TCBS_MANY && now_ns < tcbs->next_listing_ns)
        return;
    tcbs_refresh(tcbs, pid);
    tcbs->next_listing_ns = now_ns + (uint64_t)((double)(clock_now_ns() - began_ns) / TCBS_COST);
}

static void scan_bytes(struct tcbs *tcbs, pid_t pid, const unsigned char *bytes, size_t size,
                       uint64_t start, const struct tids *tids)
{
    for (size_t at = 0; at + 24 <= size; at += TCB_ALIGN) {
        uint32_t tid = is_block(bytes + at, start + at)
                           ? find_tid_in_block(tcbs, bytes + at, size - at, tids)
                           : 0;
        if (tid)
            add_tcb(tcbs, pid, start + at, tid);
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

enum { STACK_PAGE = 4096, STACK_HEADER = 3 * 8 };

#define STACK_BYTES_MAX (UINT64_C(1) << 40)

/* Returns true if the words describe a stack: below the struct are only the stack, padding and
 * thread-local data, above it nothing. */
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

enum {
    STACKS_MAX = 1 << 16,
    STACKS_PAGE = 4096,
    STACKS_TOP_MIN = 64 * 1024, /* memory below a control block; less is not a stack */
    STACKS_STEP = 64 * 1024,    /* granularity of the memory that stack pointers reached */
    STACKS_FRAMES = 1 << 20     /* above a stack pointer, for frames of the callers */
};

void stacks_fini(struct stacks *stacks)
{
    free(stacks->stacks);
    *stacks = (struct stacks){0};
}

/* Returns the index of the first stack that ends after the address. */
static size_t stack_after(const struct stacks *stacks, uint64_t address)
{
    return SORTED_UP_TO(stacks->stacks, stacks->count, end, address);
}

const struct stack *stacks_find(const struct stacks *stacks, uint64_t address)
{
    size_t at = stack_after(stacks, address);
    return at < stacks->count && stacks->stacks[at].start <= address ? &stacks->stacks[at] : NULL;
}

bool stacks_within(const struct stacks *stacks, uint64_t start, uint64_t end)
{
    size_t at = stack_after(stacks, start);
    return at < stacks->count && stacks->stacks[at].start < end;
}

void stacks_gap(const struct stacks *stacks, uint64_t address, uint64_t *start, uint64_t *end)
{
    size_t next = stack_after(stacks, address);
    size_t before = next;
    /* A guessed stack may grow; its neighbours keep their bounds. */
    while (before && !stacks->stacks[before - 1].tid && stacks->stacks[before - 1].start >= *start)
        before--;
    while (next < stacks->count && !stacks->stacks[next].tid && stacks->stacks[next].start < *end)
        next++;
    if (before && stacks->stacks[before - 1].tid && stacks->stacks[before - 1].end > *start)
        *start = stacks->stacks[before - 1].end;
    if (next < stacks->count && stacks->stacks[next].tid && stacks->stacks[next].start < *end)
        *end = stacks->stacks[next].start;
}

static void remove_stack(struct stacks *stacks, size_t at)
{
    memmove(&stacks->stacks[at], &stacks->stacks[at + 1],
            (stacks->count - at - 1) * sizeof *stacks->stacks);
    stacks->count--;
    stacks->changes++;
}

/* Makes room for a stack. Guessed stacks are removed. Two threads' stacks are split at the end of
 * the lower one, because the end of a stack is known better than its start. */
static void make_room_for_stack(struct stacks *stacks, struct stack *stack)
{
    size_t at = stack_after(stacks, stack->start);
    while (at < stacks->count && stacks->stacks[at].start < stack->end) {
        struct stack *other = &stacks->stacks[at];
        bool within = other->end <= stack->end;
        if (!other->tid || (within && other->end == stack->end)) {
            remove_stack(stacks, at);
            continue;
        }
        if (within)
            stack->start = other->end;
        else
            other->start = stack->end;
        at++;
    }
}

static void stacks_put(struct stacks *stacks, struct stack stack)
{
    make_room_for_stack(stacks, &stack);
    if (stack.start >= stack.end)
        return;
    if (!array_reserve_next(&stacks->stacks, &stacks->room, stacks->count, sizeof *stacks->stacks,
                            STACKS_MAX))
        return;
    size_t at = stack_after(stacks, stack.start);
    memmove(&stacks->stacks[at + 1], &stacks->stacks[at],
            (stacks->count - at) * sizeof *stacks->stacks);
    stacks->stacks[at] = stack;
    stacks->count++;
    stacks->changes++;
}

void stacks_forget(struct stacks *stacks, uint64_t start, uint64_t end)
{
    for (size_t at = stack_after(stacks, start);
         at < stacks->count && stacks->stacks[at].start < end;)
        remove_stack(stacks, at);
}

void stacks_of_thread(struct stacks *stacks, const struct tcb *tcb, const struct maps *maps)
{
    struct stack stack = {tcb->stack_start, tcb->stack_end, tcb->tid};
    const struct map *map = maps_find(maps, tcb->base);
    if (!stack.end) {
        if (!map || map->kind != MAPPING_ANON || tcb->base - map->start <= STACKS_TOP_MIN)
            return;
        stack.start = map->start;
        stack.end = (tcb->base + TCB_BYTES + STACKS_PAGE - 1) & ~(uint64_t)(STACKS_PAGE - 1);
    }
    stacks_put(stacks, stack);
}

static void stacks_forget_unmapped(struct stacks *stacks, const struct maps *maps)
{
    size_t kept = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        const struct stack *stack = &stacks->stacks[i];
        const struct map *map = stack->tid ? NULL : maps_find(maps, stack->start);
        if (map && map->kind == MAPPING_ANON && map->end >= stack->end)
            stacks->stacks[kept++] = *stack;
    }
    stacks->count = kept;
    stacks->changes++;
}

void stacks_refresh(struct stacks *stacks, const struct tcbs *tcbs, const struct maps *maps,
                    uint32_t first_tid)
{
    stacks_forget_unmapped(stacks, maps);
    for (size_t i = 0; i < tcbs->count; i++)
        if (tcbs->tcbs[i].tid != first_tid)
            stacks_of_thread(stacks, &tcbs->tcbs[i], maps);
}

/* Returns the guessed stack just above or below, if it is so near that both are probably one. */
static struct stack *find_near_guess(struct stacks *stacks, uint64_t address)
{
    size_t next = stack_after(stacks, address);
    struct stack *above = next < stacks->count ? &stacks->stacks[next] : NULL;
    struct stack *below = next ? &stacks->stacks[next - 1] : NULL;
    if (above && !above->tid && above->start - address <= STACKS_FRAMES)
        return above;
    return below && !below->tid && address - below->end <= STACKS_FRAMES ? below : NULL;
}

void stacks_note_access(struct stacks *stacks, const struct map *map, uint64_t address)
{
    uint64_t start = map->start;
    uint64_t end = map->end;
    if (stacks_find(stacks, address))
        return;
    stacks_gap(stacks, address, &start, &end);
    uint64_t step = address & ~(uint64_t)(STACKS_STEP - 1);
    struct stack stack = {step > start ? step : start,
                          end - address > STACKS_FRAMES ? step + STACKS_FRAMES : end, 0};
    struct stack *known = find_near_guess(stacks, address);
    if (known && known->start >= map->start && known->end <= map->end) {
        stack.start = known->start < stack.start ? known->start : stack.start;
        stack.end = known->end > stack.end ? known->end : stack.end;
    }
    stacks_put(stacks, stack);
}

void thread_names_fini(struct thread_names *names)
{
    hash_fini(&names->of_tid);
    free(names->list);
}

static char *thread_names_make(struct thread_names *names, uint32_t tid)
{
    if (!array_reserve_next(&names->list, &names->room, names->count, sizeof *names->list,
                            THREAD_NAMES_MAX))
        return NULL;
    uint32_t *index = hash_insert(&names->of_tid, tid, NULL);
    if (!index)
        return NULL;
    *index = (uint32_t)names->count;
    return names->list[names->count++];
}

void thread_names_put(struct thread_names *names, uint32_t tid, const char *name)
{
    const uint32_t *index = hash_find(&names->of_tid, tid);
    char *place = index ? names->list[*index] : thread_names_make(names, tid);
    if (place)
        text_sanitise(place, THREAD_NAME_MAX, name, strlen(name));
}

/* Clears the name. Its slot stays until the same id is used again: there are few ids. */
void thread_names_forget(struct thread_names *names, uint32_t tid)
{
    const uint32_t *index = hash_find(&names->of_tid, tid);
    if (index)
        names->list[*index][0] = '\0';
}

void thread_names_forget_all(struct thread_names *names)
{
    hash_clear(&names->of_tid);
    names->count = 0;
}

static bool read_name(pid_t pid, uint32_t tid, char *out, size_t out_size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%u/comm", (int)pid, tid);
    FILE *in = fopen(path, "re");
    size_t got = in ? fread(out, 1, out_size - 1, in) : 0;
    if (in)
        fclose(in);
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return got > 0;
}

bool thread_names_get(struct thread_names *names, pid_t pid, uint32_t tid, bool live, char *out,
                      size_t out_size)
{
    char text[THREAD_NAME_MAX];
    const uint32_t *index = hash_find(&names->of_tid, tid);
    if ((!index || !names->list[*index][0]) && live && read_name(pid, tid, text, sizeof text)) {
        thread_names_put(names, tid, text);
        index = hash_find(&names->of_tid, tid);
    }
    if (!index || !names->list[*index][0])
        return false;
    snprintf(out, out_size, "%s", names->list[*index]);
    return true;
}
