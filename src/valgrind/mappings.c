/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/mappings.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "valgrind/access.h"
#include "valgrind/agent_rings.h"
#include "valgrind/shared.h"

/* The path of what stands in `mapping`, in units behind it. */
static void tell(struct sim_mapping *mapping, const HChar *path)
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
    tell(&mapping, path ? path : "//anon");
}

static void on_break(Addr start, SizeT length, ThreadId id)
{
    struct sim_mapping mapping = {.kind = SIM_MAPPING,
                                  .protection = VKI_PROT_READ | VKI_PROT_WRITE,
                                  .start = start,
                                  .length = length};
    (void)id;
    if (shared && length)
        tell(&mapping, "[heap]");
}

void mappings_start(void)
{
    VG_(track_new_mem_startup)(on_map);
    VG_(track_new_mem_mmap)(on_map);
    VG_(track_new_mem_brk)(on_break);
}

void mappings_program(void)
{
    HChar path[SIM_PATH_UNITS_MAX * sizeof(union sim_unit)] = "";
    struct sim_mapping program = {.kind = SIM_EXEC};
    VG_(client_fname)(path, sizeof path, False);
    /* Else the process is called after the tool, in misstop and in ps. */
    VG_(prctl)(VKI_PR_SET_NAME, (ULong)VG_(basename)(path), 0, 0, 0);
    tell(&program, path);
}
