/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a process uses memory: figures between two looks, huge pages in smaps, what processors tell
 * of their TLBs (register values worked out from their manuals). */
#include "unit.h"

#include "base/clock.h"
#include "resolve/process/memory_use.h"
#include "resolve/process/tlb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t parse(const char *text, struct memory_use_mapping *mappings)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    size_t count = memory_use_parse(in, mappings);
    fclose(in);
    return count;
}

static void huge_pages_are_told_by_mapping(void **state)
{
    static const char text[] = "7f0000000000-7f0004000000 rw-p 00000000 00:00 0\n"
                               "Size:              65536 kB\n"
                               "Rss:               40960 kB\n"
                               "AnonHugePages:     20480 kB\n"
                               "VmFlags: rd wr mr\n"
                               "7f0010000000-7f0010200000 rw-s 00000000 00:0f 5 /anon_hugepage\n"
                               "Rss:                   0 kB\n"
                               "Shared_Hugetlb:     2048 kB\n"
                               "7f0020000000-7f0020001000 ---p 00000000 00:00 0\n"
                               "Rss:                   0 kB\n";
    struct memory_use_mapping mappings[MEMORY_USE_MAPPINGS];
    (void)state;
    assert_int_equal(parse(text, mappings), 2);
    assert_true(mappings[0].start == UINT64_C(0x7f0000000000));
    assert_int_equal(mappings[0].resident_kib, 40960);
    assert_int_equal(mappings[0].huge_kib, 20480);
    assert_int_equal(mappings[1].resident_kib, mappings[1].huge_kib);
}

/* A path longer than a line of ours must not be read as a line of its own. */
static void long_paths_are_no_lines(void **state)
{
    enum { BEFORE = 255 };
    struct memory_use_mapping mappings[MEMORY_USE_MAPPINGS];
    char text[2048] = "1000-2000 r--p 00000000 00:00 0 /";
    (void)state;
    memset(text + strlen(text), 'x', BEFORE - strlen(text));
    text[BEFORE] = '\0';
    strcat(text, "Rss: 99 kB\nRss: 4 kB\nAnonHugePages: 0 kB\n");
    assert_int_equal(parse(text, mappings), 1);
    assert_int_equal(mappings[0].resident_kib, 4);
}

static void the_largest_are_kept(void **state)
{
    enum { ALL = MEMORY_USE_MAPPINGS + 100, LINE = 64 };
    struct memory_use_mapping mappings[MEMORY_USE_MAPPINGS];
    char *text = calloc(ALL, LINE);
    size_t used = 0;
    (void)state;
    assert_non_null(text);
    for (int i = 1; i <= ALL; i++)
        used += (size_t)snprintf(text + used, LINE, "%x000-%x000 rw-p\nRss: %d kB\n", i, i + 1, i);
    assert_int_equal(parse(text, mappings), MEMORY_USE_MAPPINGS);
    for (int i = 0; i < MEMORY_USE_MAPPINGS; i++)
        assert_true(mappings[i].resident_kib > ALL - MEMORY_USE_MAPPINGS);
    free(text);
}

static void figures_are_of_the_time_between_two_looks(void **state)
{
    struct memory_use_of use;
    struct memory_use out;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    struct process_stat stat = {.minor_faults = 100, .cpu_ticks = 50, .system_ticks = 10};
    (void)state;
    memory_use_init(&use, getpid());
    memory_use_tick(&use, &stat, CLOCK_NS_PER_S);
    memory_use_read(&use, 0, CLOCK_NS_PER_S, &out);
    assert_true(isnan(out.faults_per_s) && isnan(out.cpus) && isnan(out.kernel_share));
    stat = (struct process_stat){.minor_faults = 1100,
                                 .cpu_ticks = 50 + (uint64_t)ticks,
                                 .system_ticks = 10 + (uint64_t)ticks / 4};
    memory_use_tick(&use, &stat, 3 * CLOCK_NS_PER_S);
    memory_use_read(&use, 0, 3 * CLOCK_NS_PER_S, &out);
    assert_true(fabs(out.faults_per_s - 500) < 1e-9);
    assert_true(fabs(out.cpus - 0.5) < 1e-9);
    assert_true(fabs(out.kernel_share - 0.25) < 1e-9);
    assert_true(isnan(out.huge_share));
}

static void small_pages_of_our_own_are_seen(void **state)
{
    enum { BYTES = 8 << 20 };
    static struct memory_use_of use;
    struct memory_use out;
    unsigned char *memory =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(memory != MAP_FAILED);
    madvise(memory, BYTES, MADV_NOHUGEPAGE);
    memset(memory, 1, BYTES);
    memory_use_init(&use, getpid());
    memory_use_read(&use, (uint64_t)(uintptr_t)memory + BYTES / 2, 1, &out);
    assert_true(out.huge_share == 0);
    memory_use_read(&use, 1, 2, &out); /* no mapping is there */
    assert_true(isnan(out.huge_share));
    memory_use_init(&use, 0);
    memory_use_read(&use, (uint64_t)(uintptr_t)memory, 1, &out);
    assert_true(isnan(out.huge_share) && !out.tlb_entries);
    munmap(memory, BYTES);
}

static void processors_tell_their_tlb(void **state)
{
    (void)state;
    assert_int_equal(tlb_entries_amd(0x6c004000u, 0), 3072); /* 6: eight ways; C00h entries */
    assert_int_equal(tlb_entries_amd(0x0c004000u, 0), 0);    /* disabled */
    /* Zen 5: 80h times 32, by EAX[14]; a guest of which the bit is hidden. */
    assert_int_equal(tlb_entries_amd(0x60804040u, 1 << 14), 4096);
    assert_int_equal(tlb_entries_amd(0x60804040u, 0x204), 0);
    /* 8 ways of 128 sets, 4 KiB and more, unified, level 2; the same of instructions only. */
    assert_int_equal(tlb_entries_intel(8u << 16 | 7, 128, 2u << 5 | 3), 1024);
    assert_int_equal(tlb_entries_intel(8u << 16 | 7, 128, 2u << 5 | 2), 0);
    assert_int_equal(tlb_entries_intel(8u << 16 | 6, 128, 2u << 5 | 3), 0); /* large pages only */
    assert_int_equal(tlb_entries_intel(UINT32_MAX, UINT32_MAX, 3), 0);
}

static void what_the_doctor_measured_is_kept(void **state)
{
    char text[] = "AuthenticAMD-b00f21 4096\nnonsense\nGenuineIntel-906ea 1536\n"
                  "AuthenticAMD-b00f21 3072\nHuge 99999999999999\n";
    (void)state;
    FILE *file = fmemopen(text, strlen(text), "r");
    assert_non_null(file);
    assert_int_equal(tlb_entries_kept(file, "GenuineIntel-906ea"), 1536);
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "AuthenticAMD-b00f21"), 3072); /* the last one */
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "AuthenticAMD"), 0);
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "Huge"), 0);
    fclose(file);
}

/* As measured on a Zen 5 guest, twice, and on one that shows no walks. */
static void walks_begin_at_the_knee(void **state)
{
    static const uint32_t pages[] = {512, 1024, 2048, 3072, 4096, 6144, 8192};
    static const double quiet[] = {1.86, 1.85, 3.97, 7.78, 8.99, 12.35, 16.93};
    static const double noisy[] = {1.88, 1.87, 4.56, 6.27, 10.41, 11.92, 17.49};
    static const double flat[] = {1.8, 1.8, 1.9, 1.8, 2.0, 2.1, 1.9};
    (void)state;
    assert_int_equal(tlb_knee(pages, quiet, 7), 4096);
    assert_int_equal(tlb_knee(pages, noisy, 7), 3072);
    assert_int_equal(tlb_knee(pages, flat, 7), 0);
    assert_int_equal(tlb_knee(pages, quiet, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_pages_are_told_by_mapping),
        cmocka_unit_test(long_paths_are_no_lines),
        cmocka_unit_test(the_largest_are_kept),
        cmocka_unit_test(figures_are_of_the_time_between_two_looks),
        cmocka_unit_test(small_pages_of_our_own_are_seen),
        cmocka_unit_test(processors_tell_their_tlb),
        cmocka_unit_test(what_the_doctor_measured_is_kept),
        cmocka_unit_test(walks_begin_at_the_knee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
