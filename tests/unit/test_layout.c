/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an ELF file's parts are, from headers made for the purpose. */
#include "unit.h"

#include "resolve/elf/module.h"

#include <elf.h>
#include <string.h>

/* Just headers: no section, so that libelf has nothing else to look at. */
static struct {
    Elf64_Ehdr header;
    Elf64_Phdr parts[24];
} file;

static Elf *elf;
static struct layout layout;

static int begin(void **state)
{
    (void)state;
    memset(&file, 0, sizeof file);
    memset(&layout, 0, sizeof layout);
    memcpy(file.header.e_ident, ELFMAG "\2\1\1", 7);
    file.header.e_type = ET_DYN;
    file.header.e_machine = EM_X86_64;
    file.header.e_version = EV_CURRENT;
    file.header.e_phoff = sizeof file.header;
    file.header.e_ehsize = sizeof file.header;
    file.header.e_phentsize = sizeof file.parts[0];
    elf_version(EV_CURRENT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    elf_end(elf);
    return 0;
}

static void add(uint32_t type, uint32_t rights, uint64_t offset, uint64_t address,
                uint64_t file_bytes, uint64_t bytes)
{
    file.parts[file.header.e_phnum++] = (Elf64_Phdr){.p_type = type,
                                                     .p_flags = rights,
                                                     .p_offset = offset,
                                                     .p_vaddr = address,
                                                     .p_filesz = file_bytes,
                                                     .p_memsz = bytes,
                                                     .p_align = 4096};
}

static bool read_at(uint64_t start, uint64_t offset, bool writable, bool executable)
{
    elf = elf_memory((char *)&file, sizeof file);
    return layout_read_segments(&layout, elf,
                                &(struct layout_mapping){start, offset, writable, executable});
}

/* As linked today: the data begins in the page of the file where the constants end. */
static void add_usual(void)
{
    add(PT_LOAD, PF_R, 0, 0, 0x600, 0x600);
    add(PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, 0x500, 0x500);
    add(PT_LOAD, PF_R, 0x2000, 0x2000, 0xdf0, 0xdf0);
    add(PT_LOAD, PF_R | PF_W, 0x2df0, 0x3df0, 0x250, 0x2000);
}

static void every_mapping_tells_the_same_place(void **state)
{
    (void)state;
    static const struct layout_mapping mappings[] = {{0x10000, 0, false, false},
                                                     {0x11000, 0x1000, false, true},
                                                     {0x12000, 0x2000, false, false},
                                                     {0x13000, 0x2000, true, false}};
    add_usual();
    for (size_t i = 0; i < 4; i++) {
        memset(&layout, 0, sizeof layout);
        assert_true(read_at(mappings[i].start, mappings[i].offset, mappings[i].writable,
                            mappings[i].executable));
        assert_int_equal(layout.bias, 0x10000);
        assert_true(layout_fits(&layout, mappings[i].start, mappings[i].offset));
        elf_end(elf);
    }
    elf = NULL;
    assert_false(layout_fits(&layout, 0x21000, 0x1000)); /* another copy */
    assert_false(layout_fits(&layout, 0x11000, 0));
}

static void the_range_has_the_part_without_file(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    add_usual();
    assert_true(read_at(0x10000, 0, false, false));
    layout_range(&layout, &start, &bound);
    assert_int_equal(start, 0x10000);
    assert_int_equal(bound, 0x10000 + 0x3df0 + 0x2000);
    assert_non_null(layout_segment(&layout, 0x13df0 + 0x24f));
    assert_null(layout_segment(&layout, 0x13df0 + 0x250)); /* .bss has no bytes in the file */
    assert_null(layout_segment(&layout, 0xffff));
}

static void a_mapping_of_no_segment_is_refused(void **state)
{
    (void)state;
    add_usual();
    assert_false(read_at(0x10000, 0x9000, false, false));
}

static void senseless_segments_are_left_out(void **state)
{
    (void)state;
    add_usual();
    add(PT_LOAD, PF_R, 0, UINT64_MAX - 10, 100, 100);    /* wraps */
    add(PT_LOAD, PF_R, 0x4000, 0x9000, UINT64_MAX, 100); /* more file than memory */
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.segment_count, 4);
}

static void too_many_segments_are_survived(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 24; i++)
        add(PT_LOAD, PF_R, i * 4096, i * 4096, 4096, 4096);
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.segment_count, LAYOUT_SEGMENTS_MAX);
}

static void thread_local_sizes_are_rounded_not_wrapped(void **state)
{
    (void)state;
    add_usual();
    add(PT_TLS, PF_R, 0x2df0, 0x3df0, 0x10, 0x51);
    file.parts[4].p_align = 64;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0x80);
    elf_end(elf);
    file.parts[4].p_memsz = UINT64_MAX;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0);
    elf_end(elf);
    file.parts[4].p_align = 0;
    file.parts[4].p_memsz = 0x51;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0x51);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_mapping_tells_the_same_place, begin, end),
        cmocka_unit_test_setup_teardown(the_range_has_the_part_without_file, begin, end),
        cmocka_unit_test_setup_teardown(a_mapping_of_no_segment_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(senseless_segments_are_left_out, begin, end),
        cmocka_unit_test_setup_teardown(too_many_segments_are_survived, begin, end),
        cmocka_unit_test_setup_teardown(thread_local_sizes_are_rounded_not_wrapped, begin, end),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
