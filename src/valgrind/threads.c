/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/threads.h"

#include "valgrind/access.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "valgrind/shared.h"

enum { NUMBERS_MAX = 4096 };

static struct sim_thread *places[NUMBERS_MAX]; /* by ThreadId; NULL: not seen yet */

static void tell(UInt kind, UInt tid)
{
    if (!shared_room(1, False)) {
        shared->header.lost++;
        return;
    }
    union sim_unit *unit = shared_unit(0);
    unit->miss = (struct sim_miss){.stamp = shared_stamp(), .kind = (UChar)kind, .tid = tid};
    shared_publish(1);
}

static struct sim_thread *new_place(void)
{
    struct sim_header *header = &shared->header;
    UInt index = header->threads_used;
    if (index >= SIM_THREADS_MAX)
        return &shared->threads[SIM_THREADS_MAX - 1];
    struct sim_thread *place = &shared->threads[index];
    place->tid = (UInt)VG_(gettid)();
    __atomic_store_n(&header->threads_used, index + 1, __ATOMIC_RELEASE);
    return place;
}

static void on_run(ThreadId id, ULong blocks)
{
    UInt number = id % NUMBERS_MAX;
    (void)blocks;
    if (!shared)
        return;
    if (!places[number]) {
        places[number] = new_place();
        tell(SIM_THREAD, places[number]->tid);
    }
    access_runs(number, places[number]);
}

static void on_exit(ThreadId id)
{
    UInt number = id % NUMBERS_MAX;
    if (shared && places[number])
        tell(SIM_EXIT, places[number]->tid);
    places[number] = NULL;
}

void threads_start(void)
{
    VG_(track_start_client_code)(on_run);
    VG_(track_pre_thread_ll_exit)(on_exit);
}
