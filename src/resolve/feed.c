/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed.h"

#include "agent_abi.h"
#include "base/clock.h"
#include "resolve/feed_paths.h"
#include "resolve/feed_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * 6.8 MB, and at most 8.9 MB of the program's own: 2 MB for the hashes of paths, 256 KB of
 * unwinding rules, and what threads keep (src/agent/thread.c). No more than 16 MB in all, of memory
 * and of address space, which the program may have limited.
 */
static const struct agent_sizes usual_sizes = {
    .ring_count = 320,
    .chunk_count = 1536,
    .path_count = 1 << 17,
    .word_count = 1 << 16,
};

enum { TRIM_NS = 1000000000 };

/* As the kernel walks it when the thread ends: set_robust_list(2). */
struct reader_mark {
    struct robust_list_head head;
    struct robust_list node;
    struct robust_list_head *before;
    bool is_set;
};

struct feed {
    int fd;
    char *memory;
    struct agent_sizes sizes; /* ours; those in the memory are for the agent */
    struct agent_header *header;
    struct feed_rings rings;
    struct stamp_clock clock;
    struct feed_paths paths;
    uint64_t last_ns;
    uint64_t trimmed_ns;
    struct reader_mark mark;
    char *why; /* WHY_BYTES: a sentence for feed_state() */
};

enum { WHY_BYTES = 256 };

/* Every reading of shared memory: one access, whatever the other side is doing. */
static uint32_t look32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t look64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static int make_memory(struct feed *feed, uint64_t size_bytes, struct error *error)
{
    feed->fd = memfd_create("misstop-agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (feed->fd < 0)
        return error_set(error, -errno, "no memory for the allocation agent: %s", strerror(errno));
    /* Sealed: else the target could shrink it, and a read of ours would be a SIGBUS. */
    if (fchmod(feed->fd, 0600) || ftruncate(feed->fd, (off_t)size_bytes) ||
        fcntl(feed->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return error_set(error, -errno, "cannot set up memory for the allocation agent: %s",
                         strerror(errno));
    /* Touched by misstop first, so that it is misstop's: where there is too little it is not. */
    fallocate(feed->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size_bytes);
    void *memory =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, feed->fd, 0);
    if (memory == MAP_FAILED)
        return error_set(error, -errno,
                         "cannot map %llu MiB for the allocation agent: %s; is there a ulimit -v?",
                         (unsigned long long)(size_bytes >> 20), strerror(errno));
    feed->memory = memory;
    feed->header = memory;
    return 0;
}

/*
 * The agent goes on only as long as the header has the number of this thread, and the kernel takes
 * it out when the thread ends, even by SIGKILL. The list is in memory of our own: the target can
 * write to the word, but not to what the kernel follows.
 */
static void sign_header(struct feed *feed)
{
    struct reader_mark *mark = &feed->mark;
    size_t length;
    syscall(SYS_get_robust_list, 0, &mark->before, &length);
    mark->node.next = &mark->head.list;
    mark->head.list.next = &mark->node;
    mark->head.futex_offset = (long)((char *)&feed->header->reader - (char *)&mark->node);
    syscall(SYS_set_robust_list, &mark->head, sizeof mark->head);
    mark->is_set = true;
    feed->header->reader = (uint32_t)syscall(SYS_gettid);
}

/* Whatever of the memory is still mapped by the program, or by children of it, takes no room. */
static void withdraw(struct feed *feed)
{
    struct robust_list_head *now = NULL;
    size_t length;
    __atomic_store_n(&feed->header->reader, 0, __ATOMIC_RELAXED);
    syscall(SYS_get_robust_list, 0, &now, &length);
    if (now == &feed->mark.head)
        syscall(SYS_set_robust_list, feed->mark.before, sizeof *feed->mark.before);
    fallocate(feed->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              (off_t)agent_total_bytes(&feed->sizes));
}

/* What an exec of the program is compared with. */
static int describe_self(struct feed *feed)
{
    struct agent_load_work *work = malloc(sizeof *work);
    if (!work)
        return -ENOMEM;
    feed->header->linker = agent_load_linker(work, "/proc/self/exe");
    feed->header->filters = agent_load_filters(work);
    free(work);
    return 0;
}

static void fill_header(struct feed *feed)
{
    feed->header->version = AGENT_VERSION;
    feed->header->clock = feed->clock.is_tsc ? AGENT_TSC : AGENT_MONOTONIC;
    feed->header->sizes = feed->sizes;
    feed->header->owner = (uint32_t)getpid();
    feed->header->owner_fd = (uint32_t)feed->fd;
    feed->header->total_bytes = agent_total_bytes(&feed->sizes);
    sign_header(feed);
    feed->header->magic = AGENT_MAGIC;
}

int feed_new_sized(struct feed **out, const struct agent_sizes *sizes, struct error *error)
{
    if (!agent_sizes_valid(sizes))
        return error_set(error, -EINVAL, "no such sizes for the allocation agent");
    struct feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return error_set(error, -ENOMEM, "out of memory");
    feed->fd = -1;
    feed->sizes = *sizes;
    int code = make_memory(feed, agent_total_bytes(sizes), error);
    if (code)
        goto failed;
    feed->why = calloc(1, WHY_BYTES);
    if (!feed->why || describe_self(feed) ||
        feed_rings_init(&feed->rings, feed->memory, &feed->sizes) ||
        feed_paths_init(&feed->paths, feed->memory, &feed->sizes)) {
        code = error_set(error, -ENOMEM, "out of memory");
        goto failed;
    }
    stamp_clock_init(&feed->clock);
    fill_header(feed);
    *out = feed;
    return 0;

failed:
    feed_free(feed);
    return code;
}

int feed_new(struct feed **feed, struct error *error)
{
    return feed_new_sized(feed, &usual_sizes, error);
}

void feed_free(struct feed *feed)
{
    if (!feed)
        return;
    if (feed->mark.is_set)
        withdraw(feed);
    if (feed->memory)
        munmap(feed->memory, agent_total_bytes(&feed->sizes));
    if (feed->fd >= 0)
        close(feed->fd);
    feed_paths_fini(&feed->paths);
    feed_rings_fini(&feed->rings);
    free(feed->why);
    free(feed);
}

int feed_fd(const struct feed *feed)
{
    return feed->fd;
}

void feed_check_paths(struct feed *feed)
{
    feed->header->flags |= AGENT_CHECK_PATHS;
}

void feed_hand_on(struct feed *feed)
{
    feed->header->flags |= AGENT_HAND_ON;
}

static void hand_out(struct feed *feed, const struct feed_cursor *cursor, feed_callback *callback,
                     void *context)
{
    struct feed_event event = cursor->event;
    event.time_ns = stamp_clock_ns(&feed->clock, cursor->stamp);
    if (event.time_ns < feed->last_ns)
        event.time_ns = feed->last_ns;
    feed->last_ns = event.time_ns;
    if (event.path >= feed->sizes.path_count || !feed->paths.known[event.path])
        event.path = 0;
    callback(context, &event);
}

static void look_at_rings(struct feed *feed)
{
    feed_rings_look(&feed->rings, look32(&feed->header->rings_used));
    feed_paths_learn(&feed->paths);
}

static void trim(struct feed *feed)
{
    uint64_t now_ns = stamp_clock_ns(&feed->clock, feed->clock.latest.stamp);
    if (now_ns - feed->trimmed_ns < TRIM_NS)
        return;
    feed->trimmed_ns = now_ns;
    feed_rings_trim(&feed->rings, feed->fd);
}

long feed_read(struct feed *feed, uint64_t until_ns, feed_callback *callback, void *context)
{
    long count = 0;
    /*
     * The time first, then how far the rings are written: what led to an event stamped before
     * now was published before it, so it is seen too.
     */
    stamp_clock_update(&feed->clock);
    uint64_t limit = stamp_clock_stamp(&feed->clock, until_ns);
    if (limit > feed->clock.latest.stamp)
        limit = feed->clock.latest.stamp;
    look_at_rings(feed);
    /* Ends: no ring is looked at again, and none holds more than all chunks. */
    const struct feed_cursor *first;
    while ((first = feed_rings_first(&feed->rings)) && first->stamp <= limit) {
        hand_out(feed, first, callback, context);
        feed_rings_next(&feed->rings);
        count++;
    }
    trim(feed);
    return count;
}

uint32_t feed_path(const struct feed *feed, uint32_t path, const uint64_t **frames)
{
    return feed_paths_get(&feed->paths, path, frames);
}

struct feed_counts feed_counts(const struct feed *feed)
{
    const struct agent_header *header = feed->header;
    return (struct feed_counts){
        .ring_full = feed_rings_lost(&feed->rings),
        .no_ring = look64(&header->lost_no_ring),
        .damaged = feed->rings.damaged,
        .no_path = look64(&header->lost_paths),
        .paths = look64(&header->path_top) >> AGENT_PATH_SHIFT,
        .unwound = look64(&header->unwound),
        .checked = look64(&header->checked),
        .wrong = look64(&header->wrong),
    };
}

uint64_t feed_lost(const struct feed *feed)
{
    struct feed_counts counts = feed_counts(feed);
    return counts.ring_full + counts.no_ring + counts.damaged;
}

enum feed_state feed_state(const struct feed *feed, const char **why)
{
    static const char *const reasons[] = {
        [AGENT_NO_REASON] = "the agent gave no reason",
        [AGENT_NO_MEMORY] = "no address space for the agent's memory (ulimit -v?)",
        [AGENT_NO_WIPE] = "the kernel has no MADV_WIPEONFORK (Linux 4.14)",
        [AGENT_NO_MALLOC] = "no malloc found behind the agent",
        [AGENT_OTHER_SIZES] = "the agent is of another version than misstop",
        [AGENT_NO_CLOCK] = "the program may not read the processor's clock (PR_SET_TSC)",
        [AGENT_SANDBOXED] =
            "the program forbade itself system calls or the clock (seccomp, PR_SET_TSC)",
    };
    uint32_t state = look32(&feed->header->state);
    uint32_t reason = look32(&feed->header->reason);
    const char *text = NULL;
    if (state == AGENT_GAVE_UP && reason == AGENT_NOT_FOLLOWED) {
        snprintf(feed->why, WHY_BYTES, "the program was replaced by exec; the one that runs now %s",
                 agent_load_words((uint32_t)look64(&feed->header->load)));
        text = feed->why;
    } else if (state == AGENT_GAVE_UP)
        text = reasons[reason <= AGENT_SANDBOXED ? reason : 0];
    else if (state == AGENT_RUNNING && look32(&feed->header->own_malloc))
        text = "the program brings its own malloc: blocks show only if it asks libc for them";
    if (why)
        *why = text;
    return state == AGENT_RUNNING   ? FEED_RUNNING
           : state == AGENT_GAVE_UP ? FEED_GAVE_UP
                                    : FEED_NOT_STARTED;
}
