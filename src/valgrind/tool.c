/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop's Valgrind tool: the program runs under it, and each access to memory goes through the
 * simulated cache (src/sim). Started by misstop --sim as `valgrind --tool=misstop
 * --memory=FILE CMD`. It prints nothing. A child that is forked goes on uncounted, and what it
 * execs runs without Valgrind; an exec of the program itself is followed.
 * Source: Valgrind's public tool headers, and "Writing a New Valgrind Tool" in its manual.
 */
#include "valgrind/access.h"
#include "valgrind/core.h"
#include "valgrind/instructions.h"
#include "valgrind/instrument.h"
#include "valgrind/mappings.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vkiscnums.h"
#include "valgrind/shared.h"
#include "valgrind/stretch.h"
#include "valgrind/threads.h"
#include "valgrind/whatif.h"

static const HChar *memory_path = "";

static Bool take_option(const HChar *argument)
{
    return VG_STR_CLO(argument, "--memory", memory_path);
}

static void print_usage(void)
{
    VG_(printf)("    --memory=FILE    what misstop made for the results\n");
}

static void print_debug_usage(void)
{
}

/* What exec leaves behind is counted before. */
static void before_call(ThreadId id, UInt number, UWord *arguments, UInt count)
{
    (void)id, (void)arguments, (void)count;
    if (number == __NR_execve || number == __NR_execveat)
        access_tell(True);
}

static void after_call(ThreadId id, UInt number, UWord *arguments, UInt count, SysRes result)
{
    (void)id, (void)number, (void)arguments, (void)count, (void)result;
}

static void leave(ThreadId id)
{
    (void)id;
    access_count(False);
    shared_leave();
    VG_(clo_trace_children) = False;
}

static void start(void)
{
    if (!shared_open(memory_path))
        return;
    instructions_start();
    stretch_start();
    access_start();
    mappings_program();
    VG_(atfork)(NULL, NULL, leave);
    __atomic_store_n(&shared->header.state, SIM_RUNNING, __ATOMIC_RELEASE);
}

static void finish(Int status)
{
    (void)status;
    if (!shared)
        return;
    whatif_finish();
    access_tell(True);
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
    VG_(basic_tool_funcs)(start, instrument, finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_syscall_wrapper)(before_call, after_call);
    threads_start();
    mappings_start();
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
