/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function bounds from .eh_frame, beside the symbols of the same file. */
#include "unit.h"

#include "resolve/elf/cfi.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *image;
static size_t image_size;

/* This test program itself, in memory. */
static int read_self(void **state)
{
    (void)state;
    int fd = open("/proc/self/exe", O_RDONLY);
    off_t size = lseek(fd, 0, SEEK_END);
    image = malloc((size_t)size);
    image_size = (size_t)size;
    elf_version(EV_CURRENT);
    bool good = image && pread(fd, image, image_size, 0) == size;
    close(fd);
    return !good;
}

static int free_self(void **state)
{
    (void)state;
    free(image);
    return 0;
}

static Elf_Scn *section_named(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    size_t names;
    Elf_Scn *section = NULL;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, header))
        if (!strcmp(elf_strptr(elf, names, header->sh_name), wanted))
            return section;
    return NULL;
}

static void every_function_of_ours_has_its_bounds(void **state)
{
    (void)state;
    GElf_Shdr header;
    GElf_Sym symbol;
    struct frames frames = {0};
    Elf *elf = elf_memory(image, image_size);
    frames_read(&frames, elf);
    assert_true(frames.count > 5);
    Elf_Scn *section = section_named(elf, ".symtab", &header);
    assert_non_null(section);
    Elf_Data *data = elf_getdata(section, NULL);
    int functions = 0;
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size || *name == '_')
            continue;
        const struct frame *frame = frames_find(&frames, symbol.st_value + symbol.st_size / 2);
        assert_non_null(frame);
        assert_int_equal(frame->start, symbol.st_value);
        assert_int_equal(frame->end, symbol.st_value + symbol.st_size);
        functions++;
    }
    assert_true(functions > 5);
    frames_fini(&frames);
    elf_end(elf);
}

static void nothing_lies_outside(void **state)
{
    (void)state;
    struct frames frames = {0};
    assert_null(frames_find(&frames, 0x1000));
    Elf *elf = elf_memory(image, image_size);
    frames_read(&frames, elf);
    assert_null(frames_find(&frames, 0));
    assert_null(frames_find(&frames, UINT64_MAX));
    assert_null(frames_find(&frames, frames.frames[frames.count - 1].end));
    for (size_t i = 0; i + 1 < frames.count; i++)
        assert_true(frames.frames[i].start <= frames.frames[i + 1].start);
    frames_fini(&frames);
    elf_end(elf);
}

/* Cut at any place, the section gives the entries before the cut, or none. */
static void a_damaged_section_gives_fewer(void **state)
{
    (void)state;
    GElf_Shdr header;
    struct frames whole = {0};
    Elf *elf = elf_memory(image, image_size);
    frames_read(&whole, elf);
    assert_non_null(section_named(elf, ".eh_frame", &header));
    elf_end(elf);
    char *copy = malloc(image_size);
    for (uint64_t cut = 0; cut < header.sh_size; cut += 1 + cut / 16) {
        struct frames frames = {0};
        memcpy(copy, image, image_size);
        memset(copy + header.sh_offset + cut, 0xff, header.sh_size - cut);
        elf = elf_memory(copy, image_size);
        frames_read(&frames, elf);
        assert_true(frames.count <= whole.count);
        frames_fini(&frames);
        elf_end(elf);
    }
    free(copy);
    frames_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_ours_has_its_bounds),
        cmocka_unit_test(nothing_lies_outside),
        cmocka_unit_test(a_damaged_section_gives_fewer),
    };
    return cmocka_run_group_tests_name("frames", tests, read_self, free_self);
}
