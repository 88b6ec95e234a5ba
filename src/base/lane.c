/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lane.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

struct lane {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    lane_work work;
    void *context;
    unsigned char *buffers;
    size_t batch_bytes;
    unsigned batches;
    unsigned submitted; /* since the start; wraps */
    unsigned finished;
    unsigned returned;
    bool is_stopping;
};

static void *lane_buffer(const struct lane *lane, unsigned number)
{
    return lane->buffers + number % lane->batches * lane->batch_bytes;
}

static void *lane_run(void *context)
{
    struct lane *lane = context;
    pthread_mutex_lock(&lane->mutex);
    for (;;) {
        while (lane->submitted == lane->finished && !lane->is_stopping)
            pthread_cond_wait(&lane->changed, &lane->mutex);
        if (lane->submitted == lane->finished)
            break;
        void *batch = lane_buffer(lane, lane->finished);
        pthread_mutex_unlock(&lane->mutex);
        lane->work(lane->context, batch);
        pthread_mutex_lock(&lane->mutex);
        lane->finished++;
        pthread_cond_broadcast(&lane->changed);
    }
    pthread_mutex_unlock(&lane->mutex);
    return NULL;
}

/* Blocks all signals in the thread: another thread reads them. */
static int start_thread(struct lane *lane)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int code = pthread_create(&lane->thread, NULL, lane_run, lane);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -code;
}

int lane_open(struct lane **out, unsigned batches, size_t batch_bytes, lane_work work,
              void *context)
{
    struct lane *lane = calloc(1, sizeof *lane);
    *out = NULL;
    if (!lane)
        return -ENOMEM;
    *lane = (struct lane){
        .work = work, .context = context, .batches = batches, .batch_bytes = batch_bytes};
    lane->buffers = calloc(batches, batch_bytes);
    pthread_mutex_init(&lane->mutex, NULL);
    pthread_cond_init(&lane->changed, NULL);
    int code = lane->buffers ? start_thread(lane) : -ENOMEM;
    if (code) {
        free(lane->buffers);
        free(lane);
        return code;
    }
    *out = lane;
    return 0;
}

void lane_close(struct lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lane->mutex);
    lane->is_stopping = true;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->mutex);
    pthread_join(lane->thread, NULL);
    pthread_mutex_destroy(&lane->mutex);
    pthread_cond_destroy(&lane->changed);
    free(lane->buffers);
    free(lane);
}

/* Waits until at most `open` of the batches given are unfinished. */
static void wait_until(struct lane *lane, unsigned open)
{
    pthread_mutex_lock(&lane->mutex);
    while (lane->submitted - lane->finished > open)
        pthread_cond_wait(&lane->changed, &lane->mutex);
    pthread_mutex_unlock(&lane->mutex);
}

void *lane_next(struct lane *lane)
{
    wait_until(lane, lane->batches - 1);
    return lane_buffer(lane, lane->submitted);
}

void lane_submit(struct lane *lane)
{
    pthread_mutex_lock(&lane->mutex);
    lane->submitted++;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->mutex);
}

void lane_settle(struct lane *lane)
{
    if (lane)
        wait_until(lane, 0);
}

void *lane_take(struct lane *lane)
{
    if (lane->returned == lane->submitted)
        return NULL;
    wait_until(lane, lane->submitted - lane->returned - 1);
    return lane_buffer(lane, lane->returned++);
}

void *lane_take_within(struct lane *lane, uint64_t ns)
{
    uint64_t at_ns = clock_now_ns() + ns;
    struct timespec until = {.tv_sec = (time_t)(at_ns / CLOCK_NS_PER_S),
                             .tv_nsec = (long)(at_ns % CLOCK_NS_PER_S)};
    int code = 0;
    if (lane->returned == lane->submitted)
        return NULL;
    pthread_mutex_lock(&lane->mutex);
    while (lane->finished == lane->returned && !code)
        code = pthread_cond_clockwait(&lane->changed, &lane->mutex, CLOCK_MONOTONIC, &until);
    bool worked_on = lane->finished != lane->returned;
    pthread_mutex_unlock(&lane->mutex);
    return worked_on ? lane_buffer(lane, lane->returned++) : NULL;
}
