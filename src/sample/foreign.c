/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/foreign.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *bytes;
    size_t size;
    const char *text;
} marks[] = {
    {"\x1f\x8b", 2, "is packed by gzip; unpack it: zcat FILE | misstop -i -"},
    {"\xfd"
     "7zXZ",
     5, "is packed by xz; unpack it: xzcat FILE | misstop -i -"},
    {"\x28\xb5\x2f\xfd", 4, "is packed by zstd; unpack it: zstdcat FILE | misstop -i -"},
    {"BZh", 3, "is packed by bzip2; unpack it: bzcat FILE | misstop -i -"},
    {"PK\x03\x04", 4, "is packed by zip; unpack it first"},
    {"\x7f"
     "ELF",
     4, "is a program, no recording; misstop -- FILE starts and watches it"},
    {"{", 1, "is JSON, no recording; misstop's own reports cannot be played, what -o writes can"},
    {"# ", 2, "is text, no recording; give the perf.data that it was made from"},
    {"misstop ", 8, "is a report of misstop, no recording; what -o writes can be played"},
    {"\x17\x08\x44trac", 7, "is a recording of trace-cmd, not a perf.data; record with perf"},
    {"heaptrac", 8, "is a recording of heaptrack, not a perf.data; record with perf"},
};

const char *foreign_file(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (size >= marks[i].size && !memcmp(bytes, marks[i].bytes, marks[i].size))
            return marks[i].text;
    return "is not a perf.data file; make one with perf mem record or perf record --user-regs";
}

/* perf's folders: tools/perf/Documentation/perf.data-directory-format.txt. */
const char *foreign_folder(int fd)
{
    bool data = !faccessat(fd, "data", F_OK, 0);
    if (data && !faccessat(fd, "data.0", F_OK, 0))
        return "is a folder of perf record --threads, whose files cannot be put together; record "
               "without --threads";
    if (data)
        return "is a folder of perf record --kcore; give the file data in it";
    return "is a folder; give the path of a recording, as perf.data";
}
