/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any command under the agent, compares every cached path with a fresh unwind, and prints
 * figures. The status is 1 if more than one cached path in 200 was wrong, or nothing was recorded.
 *
 *   try_agent COMMAND [WORD...]       TRY_UNCHECKED=1: does not compare
 */
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void count_event(void *context, const struct feed_event *event)
{
    ((unsigned long *)context)[event->kind]++;
}

int main(int count, char **words)
{
    struct watch watch = {.check_paths = !getenv("TRY_UNCHECKED")};
    unsigned long events[4] = {0};
    struct error error;
    const char *why;
    if (count < 2)
        return 2;
    if (feed_refusal(words[1], &error) != AGENT_LOADABLE) {
        fprintf(stderr, "%s\n", error.text);
        return 77;
    }
    watch.by_path = true;
    watch_start(&watch, (const char *const *)(uintptr_t)(words + 1));
    while (!waitpid(watch.pid, &watch.status, WNOHANG)) {
        if (feed_read(watch.feed, UINT64_MAX, count_event, events) < 1000)
            usleep(500);
    }
    feed_read(watch.feed, UINT64_MAX, count_event, events);
    struct feed_counts counts = feed_counts(watch.feed);
    unsigned long asked = counts.paths_checked + counts.unwound;
    bool is_running = feed_state(watch.feed, &why) == FEED_RUNNING;
    printf("%lu allocations, %lu frees, %lu maps, %lu unmaps; %llu lost, %llu without path; "
           "%llu paths; %.2f %% unwound; %llu of %llu remembered paths wrong%s%s\n",
           events[FEED_ALLOC], events[FEED_FREE], events[FEED_MAP], events[FEED_UNMAP],
           (unsigned long long)feed_lost(watch.feed), (unsigned long long)counts.no_path,
           (unsigned long long)counts.paths,
           asked ? 100.0 * (double)counts.unwound / (double)asked : 0,
           (unsigned long long)counts.paths_wrong, (unsigned long long)counts.paths_checked,
           why ? "; " : "", why ? why : "");
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%.3f s of CPU in the program\n",
           (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6);
    bool is_bad = !is_running || watch.status || counts.paths_wrong * 200 > counts.paths_checked ||
                  !events[FEED_ALLOC];
    feed_free(watch.feed);
    return is_bad;
}
