/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ELF files from hostile bytes, through all queries of a module. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_elf.c
 * Without it: seeds are this program, the vdso and, if there is a compiler, a small library; each
 * is truncated at many lengths, then changed at random in headers and tables: fuzz_elf [COUNT
 * [SEED]]. A failing input is left in ./fuzz_elf.last; fuzz_elf FILE tries one.
 */
#include "resolve/elf/module.h"

#include "base/hash.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_BASE = 0x10000000 };

static size_t sum; /* prevents reads from being optimised away */

static void touch(const struct symbol *symbol)
{
    if (symbol && symbol->end < symbol->start)
        abort();
    sum += symbol ? strlen(symbol->name) : 0;
}

/* Queries call frame information like src/resolve/elf/unwind.c. */
static void ask_frames(struct module *module, uint64_t address)
{
    uint64_t bias = 0;
    Dwarf_CFI *frames = module_frames(module, &bias);
    Dwarf_Frame *frame = NULL;
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    if (!frames || dwarf_cfi_addrframe(frames, address - bias, &frame))
        return;
    if (!dwarf_frame_cfa(frame, &ops, &count) && count)
        sum += ops[0].atom;
    for (int i = 0; i <= 16; i++)
        if (!dwarf_frame_register(frame, i, memory, &ops, &count) && count)
            sum += ops[0].atom;
    free(frame);
}

static void ask(struct module *module, uint64_t address)
{
    uint64_t start = 0;
    uint64_t bound = UINT64_MAX;
    uint8_t bytes[64];
    ask_frames(module, address);
    touch(module_object(module, address));
    touch(module_function(module, address));
    touch(module_tls(module, address - FUZZ_BASE));
    module_gap(module, address, &start, &bound);
    if (module_frame(module, address, &start, &bound) && address - start >= bound - start)
        abort();
    const char *section = module_section(module, address, &start, &bound);
    sum += section ? strlen(section) : 0;
    sum += module_bytes(module, address, bytes, sizeof bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tlsslot_answer answer;
    uint64_t start;
    uint64_t bound;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    struct module_source source = {.fd = fd,
                                   .path = "/nowhere/fuzz",
                                   .mapping = &(struct map){.start = FUZZ_BASE},
                                   .from = {.debug_root = "/nowhere"}};
    struct module *module = module_new(&source);
    if (!module)
        return 0;
    module_range(module, &start, &bound);
    sum += module_fits(module, FUZZ_BASE, 0) + strlen(module_name(module));
    sum += (size_t)module_tls_answer(module, getpid(), &answer);
    ask(module, FUZZ_BASE);
    for (uint64_t part = 0; part < 16; part++)
        ask(module, start + (bound - start) / 16 * part + part);
    ask(module, UINT64_MAX);
    module_free(module);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { FUZZ_EXECUTIONS = 3000, FUZZ_CUTS = 300, FUZZ_SEEDS = 3, FUZZ_PARTS = 64 };

struct seed {
    uint8_t *bytes;
    size_t size;
    struct {
        size_t offset;
        size_t size;
    } parts[FUZZ_PARTS]; /* parts where a change matters most: headers, tables, notes */
    size_t part_count;
};

static void add_part(struct seed *seed, size_t offset, size_t size)
{
    if (size && offset < seed->size && size <= seed->size - offset &&
        seed->part_count < FUZZ_PARTS) {
        seed->parts[seed->part_count].offset = offset;
        seed->parts[seed->part_count++].size = size;
    }
}

static void find_parts(struct seed *seed)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(void *)seed->bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(void *)(seed->bytes + header->e_shoff);
    add_part(seed, 0, sizeof *header);
    add_part(seed, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
    add_part(seed, header->e_shoff, header->e_shnum * sizeof *sections);
    if (header->e_shoff + header->e_shnum * sizeof *sections > seed->size)
        return;
    const char *names = (const char *)seed->bytes + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const char *name = names + sections[i].sh_name;
        bool table = sections[i].sh_type != SHT_PROGBITS && sections[i].sh_type != SHT_NOBITS;
        if (table || !strcmp(name, ".eh_frame") || !strncmp(name, ".debug", 6) ||
            !strncmp(name, ".gnu_debug", 10))
            add_part(seed, sections[i].sh_offset, sections[i].sh_size);
    }
}

static bool take(struct seed *seed, const void *bytes, size_t size)
{
    *seed = (struct seed){.bytes = malloc(size), .size = size};
    if (!seed->bytes)
        return false;
    memcpy(seed->bytes, bytes, size);
    find_parts(seed);
    return true;
}

static bool take_file(struct seed *seed, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    bool good = bytes != MAP_FAILED && take(seed, bytes, (size_t)size);
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)size);
    if (fd >= 0)
        close(fd);
    return good;
}

/* The length of the vdso is the end of its last table. */
static bool take_vdso(struct seed *seed)
{
    const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *header = (const void *)vdso;
    return vdso && take(seed, vdso, header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr));
}

/* Has what the others lack: thread-local data, a debug link, an id, a compressed section. */
static bool take_library(struct seed *seed)
{
    char path[] = "/tmp/misstop-fuzz-XXXXXX";
    char command[512];
    const char *compiler = getenv("CC");
    int fd = mkstemp(path);
    if (fd < 0)
        return false;
    close(fd);
    snprintf(command, sizeof command,
             "echo 'static __thread int t[9]; int *f(int i) { return t + i; } int v[7];' | "
             "%s -x c -O1 -g -gz=zlib -shared -fPIC -nostdlib -Wl,--build-id -o %s - && "
             "cp %s %s.debug && objcopy --add-gnu-debuglink=%s.debug %s",
             compiler ? compiler : "cc", path, path, path, path, path);
    bool good = !system(command) && take_file(seed, path);
    unlink(path);
    snprintf(command, sizeof command, "%s.debug", path);
    unlink(command);
    return good;
}

static void change(uint8_t *bytes, const struct seed *seed, struct prng *prng)
{
    static const uint64_t telling[] = {0,        1,          0x7f,       0xff,       0x1000,
                                       1u << 31, UINT32_MAX, 1ull << 47, 1ull << 63, UINT64_MAX};
    for (uint64_t changes = 1 + prng_below(prng, 5); changes; changes--) {
        size_t part = prng_below(prng, (uint32_t)seed->part_count);
        size_t at = seed->parts[part].offset + prng_below(prng, (uint32_t)seed->parts[part].size);
        uint64_t value = prng_below(prng, 2) ? telling[prng_below(prng, 10)] : prng_next(prng);
        size_t width = (size_t)1 << prng_below(prng, 4);
        at &= ~(width - 1);
        if (at + width <= seed->size)
            memcpy(bytes + at, &value, width);
    }
}

static void run(const uint8_t *bytes, size_t size)
{
    static int last = -1;
    if (last < 0)
        last = open("fuzz_elf.last", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (ftruncate(last, 0) || pwrite(last, bytes, size, 0) != (ssize_t)size)
        abort();
    LLVMFuzzerTestOneInput(bytes, size);
}

int main(int count, char **arguments)
{
    unsigned long executions = count > 1 ? strtoul(arguments[1], NULL, 10) : FUZZ_EXECUTIONS;
    struct prng prng = {.state = count > 2 ? strtoul(arguments[2], NULL, 10) : 20};
    struct seed seeds[FUZZ_SEEDS];
    size_t seed_count = 0;
    unsigned long cuts = 0;
    if (count > 1 && !executions) {
        if (take_file(&seeds[0], arguments[1]))
            LLVMFuzzerTestOneInput(seeds[0].bytes, seeds[0].size);
        return 0;
    }
    seed_count += take_file(&seeds[seed_count], "/proc/self/exe");
    seed_count += take_vdso(&seeds[seed_count]);
    seed_count += take_library(&seeds[seed_count]);
    for (size_t i = 0; i < seed_count; i++)
        for (size_t cut = 0; cut <= seeds[i].size; cut += 1 + seeds[i].size / FUZZ_CUTS, cuts++)
            run(seeds[i].bytes, cut);
    for (unsigned long i = 0; i < executions; i++) {
        const struct seed *seed = &seeds[i % seed_count];
        uint8_t *bytes = malloc(seed->size);
        memcpy(bytes, seed->bytes, seed->size);
        change(bytes, seed, &prng);
        run(bytes, seed->size);
        free(bytes);
    }
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    unlink("fuzz_elf.last");
    printf("%zu seeds, %lu cuts, %lu executions (%zu)\n", seed_count, cuts, executions, sum);
    return 0;
}
#endif
