/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends each memory access through the simulated cache (src/sim/model). Started by misstop --sim as
 * `valgrind --tool=misstop --memory=FILE CMD`. It prints nothing. A forked child continues
 * uncounted, and runs without Valgrind after an exec; an exec of the program itself is followed.
 * Source: Valgrind's public tool headers, and "Writing a New Valgrind Tool" in its manual.
 */
#include "sim/tool/tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { NUMBERS_MAX = 4096 };

static struct sim_thread *places[NUMBERS_MAX]; /* by ThreadId; NULL: not seen yet */

static void threads_report(UInt kind, UInt tid)
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
        threads_report(SIM_THREAD, places[number]->tid);
    }
    access_runs(number, places[number]);
}

static void on_exit(ThreadId id)
{
    UInt number = id % NUMBERS_MAX;
    if (shared && places[number])
        threads_report(SIM_EXIT, places[number]->tid);
    places[number] = NULL;
}

/* Reports a mapping, followed by units with its path. */
static void mappings_report(struct sim_mapping *mapping, const HChar *path)
{
    SizeT length = VG_(strlen)(path) + 1;
    UInt units = (UInt)((length + sizeof(union sim_unit) - 1) / sizeof(union sim_unit));
    if (units > SIM_PATH_UNITS_MAX || !shared_room(1 + units, False)) {
        shared->header.lost++;
        return;
    }
    mapping->stamp = shared_stamp();
    mapping->path_units = (UShort)units;
    shared_unit(0)->mapping = *mapping;
    for (UInt i = 0; i < units; i++)
        VG_(strncpy)
    (shared_unit(1 + i)->path, path + i * sizeof(union sim_unit), sizeof(union sim_unit));
    shared_publish(1 + units);
}

static void on_map(Addr start, SizeT length, Bool can_read, Bool can_write, Bool can_execute,
                   ULong debug_info)
{
    (void)debug_info;
    if (!shared || !length)
        return;
    const NSegment *segment = VG_(am_find_nsegment)(start);
    const HChar *path = segment ? VG_(am_get_filename)(segment) : NULL;
    struct sim_mapping mapping = {
        .kind = SIM_MAPPING,
        .protection = (UChar)((can_read ? VKI_PROT_READ : 0) | (can_write ? VKI_PROT_WRITE : 0) |
                              (can_execute ? VKI_PROT_EXEC : 0)),
        .start = start,
        .length = length,
    };
    if (path) {
        mapping.offset = (ULong)segment->offset + (start - segment->start);
        mapping.inode = segment->ino;
        mapping.major = (UInt)(segment->dev >> 8 & 0xfff);
        mapping.minor = (UInt)((segment->dev & 0xff) | (segment->dev >> 12 & 0xfff00));
    }
    if (path && VG_(strstr)(path, "memfd:misstop-agent")) {
        access_leave_out(start, length);
        agent_rings_mapped(start, length);
    }
    mappings_report(&mapping, path ? path : "//anon");
}

static void on_brk(Addr start, SizeT length, ThreadId id)
{
    struct sim_mapping mapping = {.kind = SIM_MAPPING,
                                  .protection = VKI_PROT_READ | VKI_PROT_WRITE,
                                  .start = start,
                                  .length = length};
    (void)id;
    if (shared && length)
        mappings_report(&mapping, "[heap]");
}

/* Reports that a new program starts, with the path of its file. */
static void mappings_program(void)
{
    HChar path[SIM_PATH_UNITS_MAX * sizeof(union sim_unit)] = "";
    struct sim_mapping program = {.kind = SIM_EXEC};
    VG_(client_fname)(path, sizeof path, False);
    /* Otherwise the process has the name of the tool in misstop and in ps. */
    VG_(prctl)(VKI_PR_SET_NAME, (ULong)VG_(basename)(path), 0, 0, 0);
    mappings_report(&program, path);
}

/* Replaces Valgrind's function (local.mk). Reading debugging information takes half of a short run,
 * and only --sim-from and --sim-to need names here. */
extern ULong __real_vgPlain_di_notify_mmap(Addr start, Bool allow_writable, Int fd);
extern ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool allow_writable, Int fd);

ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool allow_writable, Int fd)
{
    if (!shared || (!shared->header.count_from[0] && !shared->header.count_to[0]))
        return 0;
    return __real_vgPlain_di_notify_mmap(start, allow_writable, fd);
}

/* Likewise: VEX checks each instrumented block twice, which takes a tenth of the translation. */
extern void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat, IRType word);

void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat, IRType word)
{
    (void)block, (void)caller, (void)flat, (void)word;
}

static const HChar *memory_path = "";

static Bool take_option(const HChar *argument)
{
    return VG_STR_CLO(argument, "--memory", memory_path);
}

static void print_usage(void)
{
    VG_(printf)("    --memory=FILE    shared memory created by misstop\n");
}

static void print_debug_usage(void)
{
}

/* Reports all accesses before an exec. */
static void before_call(ThreadId id, UInt number, UWord *arguments, UInt count)
{
    (void)id, (void)arguments, (void)count;
    if (number == __NR_execve || number == __NR_execveat)
        access_report(True);
}

static void after_call(ThreadId id, UInt number, UWord *arguments, UInt count, SysRes result)
{
    (void)id, (void)number, (void)arguments, (void)count, (void)result;
}

static void tool_leave(ThreadId id)
{
    (void)id;
    access_count(False);
    shared_leave();
    VG_(clo_trace_children) = False;
}

static void tool_start(void)
{
    if (!shared_open(memory_path))
        return;
    instructions_start();
    sequence_start();
    access_start();
    mappings_program();
    VG_(atfork)(NULL, NULL, tool_leave);
    __atomic_store_n(&shared->header.state, SIM_RUNNING, __ATOMIC_RELEASE);
}

static void tool_finish(Int status)
{
    (void)status;
    if (!shared)
        return;
    whatif_finish();
    access_report(True);
    access_finish();
    __atomic_store_n(&shared->header.state, SIM_ENDED, __ATOMIC_RELEASE);
}

static void register_tool(void)
{
    VG_(details_name)("misstop");
    VG_(details_version)(NULL);
    VG_(details_description)("the simulated cache of misstop --sim");
    VG_(details_copyright_author)("");
    VG_(details_bug_reports_to)("the makers of misstop");
    VG_(basic_tool_funcs)(tool_start, instrument, tool_finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(track_start_client_code)(on_run);
    VG_(track_pre_thread_ll_exit)(on_exit);
    VG_(track_new_mem_startup)(on_map);
    VG_(track_new_mem_mmap)(on_map);
    VG_(track_new_mem_brk)(on_brk);
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
