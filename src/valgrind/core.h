/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Valgrind's libraries export and its public headers leave out, declared here once. Checked
 * against valgrind 3.19 (Debian 12); configure links with each, so that a version without them is
 * told there. For src/valgrind only.
 */
#ifndef MISSTOP_VALGRIND_CORE_H
#define MISSTOP_VALGRIND_CORE_H

#include "pub_tool_basics.h"

/* Maps a file shared, where Valgrind keeps its own memory. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);

/* A system call as it is. */
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

/* --trace-children: whether the next exec of this process stays under the tool. */
extern Bool VG_(clo_trace_children);

#endif
