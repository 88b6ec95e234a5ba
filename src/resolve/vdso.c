/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/vdso.h"

#include "resolve/process.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VDSO_BYTES_MAX = 1 << 20 };

int vdso_open(const struct map *map, pid_t pid)
{
    size_t size = map->end - map->start;
    unsigned char *bytes = size <= VDSO_BYTES_MAX ? malloc(size) : NULL;
    int fd = bytes && process_read(pid, map->start, bytes, size)
                 ? memfd_create("misstop-vdso", MFD_CLOEXEC)
                 : -1;
    if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    free(bytes);
    return fd;
}

int vdso_open_own(void)
{
    struct maps maps = {0};
    int fd = -1;
    if (!maps_read(&maps, getpid()))
        for (size_t i = 0; i < maps.count && fd < 0; i++)
            if (maps.maps[i].kind == MAPPING_VDSO)
                fd = vdso_open(&maps.maps[i], getpid());
    maps_fini(&maps);
    return fd;
}
