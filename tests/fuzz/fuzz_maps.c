/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of /proc/PID/maps and of JIT maps, and mapping records, from hostile bytes; after each the
 * tables must be sorted and without overlaps. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_maps.c
 * Without it, a fixed number of pseudo-random changes to built-in lines: fuzz_maps [COUNT].
 */
#include "resolve/runtime/runtime.h"
#include "resolve/process/maps.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum;

static void check_maps(const struct maps *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        const struct map *map = &maps->maps[i];
        if (map->start >= map->end || (i && maps->maps[i - 1].end > map->start) ||
            maps_find(maps, map->start) != map || maps_find(maps, map->end - 1) != map)
            abort();
        sum += strlen(maps_name(maps, map));
    }
}

static void try_maps(const uint8_t *data, size_t size)
{
    struct maps maps = {0};
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    if (in)
        maps_read_file(&maps, in);
    if (in)
        fclose(in);
    check_maps(&maps);
    /* The same bytes as records on top of the parsed lines: start, length and offset in pages. */
    for (size_t at = 0; at + 4 <= size && at < 256; at += 4) {
        struct sample_mapping mapping = {.start = 0x1000u * data[at],
                                         .length = 0x1000u * data[at + 1] + (data[at + 2] & 1),
                                         .file_offset = 0x1000u * data[at + 3],
                                         .path = data[at + 2] & 2 ? "//anon" : "/x"};
        if (data[at + 2] == 0xff)
            mapping.length = UINT64_MAX;
        maps_add(&maps, &mapping);
        check_maps(&maps);
    }
    maps_fini(&maps);
}

/* In two pieces, like a file that grows between two readings. */
static void try_jitmap(const uint8_t *data, size_t size)
{
    struct jitmap jitmap;
    size_t half = size ? data[0] % size : 0;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    jitmap_init(&jitmap);
    if (fd < 0 || write(fd, data, half) != (ssize_t)half)
        abort();
    jitmap_read(&jitmap, fd);
    if (write(fd, data + half, size - half) != (ssize_t)(size - half))
        abort();
    jitmap_read(&jitmap, fd);
    for (size_t i = 0; i < jitmap.count; i++) {
        const struct jit_symbol *symbol = &jitmap.lines[i];
        const struct jit_symbol *found = jitmap_find(&jitmap, symbol->start);
        if (symbol->start >= symbol->end || (i && jitmap.lines[i - 1].start > symbol->start) ||
            !found || found->line < symbol->line || symbol->start - found->start >= found->end)
            abort();
        sum += strlen(jitmap_name(&jitmap, symbol));
    }
    jitmap_fini(&jitmap);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_maps(data, size);
    try_jitmap(data, size);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { FUZZ_BYTES = 2048, FUZZ_EXECUTIONS = 20000 };

static size_t make_lines(char *at, struct prng *prng)
{
    static const char *const names[] = {"",
                                        "[heap]",
                                        "[stack]",
                                        "/lib/x.so",
                                        "[anon:pool]",
                                        "[vdso]",
                                        "//anon",
                                        "/memfd:\033[2J (deleted)"};
    size_t used = 0;
    for (uint64_t lines = prng_below(prng, 12); lines; lines--) {
        unsigned start = (unsigned)prng_below(prng, 64);
        unsigned size = (unsigned)prng_below(prng, 8);
        const char *name = names[prng_below(prng, 8)];
        used += (size_t)(prng_below(prng, 2)
                             ? snprintf(at + used, FUZZ_BYTES - used,
                                        "%x000-%x000 r%c%cp %x 08:01 %u     %s\n", start,
                                        start + size, prng_below(prng, 2) ? 'w' : '-',
                                        prng_below(prng, 2) ? 'x' : '-', start, size, name)
                             : snprintf(at + used, FUZZ_BYTES - used, "%x00 %x %s\n", start,
                                        size * 100, name));
    }
    return used;
}

static size_t change(char *at, size_t size, struct prng *prng)
{
    static const char telling[] = "\n\0 -:[]/0fx\xff\t";
    for (uint64_t changes = prng_below(prng, 5); size && changes; changes--)
        at[prng_below(prng, (uint32_t)size)] =
            prng_below(prng, 2) ? telling[prng_below(prng, sizeof telling)] : (char)prng_next(prng);
    return prng_below(prng, 4) ? size : prng_below(prng, (uint32_t)size + 1);
}

int main(int count, char **arguments)
{
    struct prng prng = {.state = 21};
    unsigned long executions = count > 1 ? strtoul(arguments[1], NULL, 10) : FUZZ_EXECUTIONS;
    for (unsigned long i = 0; i < executions; i++) {
        static char lines[FUZZ_BYTES];
        size_t size = make_lines(lines, &prng);
        size = change(lines, size, &prng);
        uint8_t *copy = malloc(size + !size);
        memcpy(copy, lines, size);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
    }
    printf("%lu executions (%zu)\n", executions, sum);
    return 0;
}
#endif
