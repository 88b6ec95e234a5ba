/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes, and facts about one process, tested on children of this test. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/process/maps.h"
#include "resolve/process/memory_use.h"
#include "resolve/process/process.h"
#include "resolve/process/threads.h"
#include "resolve/resolver.h"
#include "unit.h"

static const struct resolver_process *entry_of(struct resolver_process_list *list, pid_t pid)
{
    const struct resolver_process *entries;
    size_t count = resolver_process_list_read(list, &entries);
    for (size_t i = 0; i < count; i++)
        if (entries[i].pid == pid)
            return &entries[i];
    return NULL;
}

/* Loops at full speed, with a name that contains terminal escapes. */
static pid_t start_busy(void)
{
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_NAME, "a) b(\033[2J");
        for (volatile unsigned i = 0;; i++)
            continue;
    }
    /* A process that has just started has no memory of its own yet. */
    struct process_stat stat;
    do
        assert_true(process_stat(child, &stat));
    while (!stat.cpu_ticks);
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void busy_process_is_listed_with_cpu_share(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    pid_t child = start_busy();
    const struct resolver_process *entry = entry_of(list, child);
    assert_non_null(entry);
    assert_true(isnan(entry->cpu_percent)); /* unknown is not zero */
    assert_true(entry->threads == 1 && entry->resident_bytes > 0);
    assert_non_null(strstr(entry->command, "test_process"));
    struct process_stat stat;
    do
        assert_true(process_stat(child, &stat));
    while (stat.cpu_ticks < 5);
    entry = entry_of(list, child);
    assert_true(entry->cpu_percent > 0);
    end_child(child);
    assert_null(entry_of(list, child));
    resolver_process_list_free(list);
}

static void misstop_and_kernel_threads_are_not_listed(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    assert_null(entry_of(list, getpid()));
    assert_null(entry_of(list, 2));
    const struct resolver_process *entries;
    size_t count = resolver_process_list_read(list, &entries);
    for (size_t i = 0; i + 1 < count; i++) {
        double left = isnan(entries[i].cpu_percent) ? 0 : entries[i].cpu_percent;
        double right = isnan(entries[i + 1].cpu_percent) ? 0 : entries[i + 1].cpu_percent;
        assert_true(left >= right);
    }
    resolver_process_list_free(list);
}

static void zombie_is_not_listed(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    siginfo_t info;
    pid_t child = fork();
    if (!child)
        _exit(0);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    assert_null(entry_of(list, child));
    waitpid(child, NULL, 0);
    resolver_process_list_free(list);
}

static void hostile_process_name_is_parsed(void **state)
{
    (void)state;
    struct process_stat stat;
    pid_t child = start_busy();
    do
        assert_true(process_stat(child, &stat));
    while (strncmp(stat.comm, "a) ", 3) != 0);
    assert_string_equal(stat.comm, "a) b(?[2J");
    assert_true(stat.state == 'R' || stat.state == 'S');
    assert_int_equal(stat.threads, 1);
    end_child(child);
    assert_false(process_stat(child, &stat));
}

static void process_memory_reads_stop_at_unmapped(void **state)
{
    (void)state;
    static char text[10000] = "text";
    char copy[10000];
    assert_true(process_read(getpid(), (uintptr_t)text, copy, sizeof copy));
    assert_memory_equal(copy, text, sizeof copy);
    assert_false(process_read(getpid(), 16, copy, 8));
    assert_int_equal(process_read_some(getpid(), 16, copy, 8), 0);
    assert_int_equal(process_read_some(1 << 30, (uintptr_t)text, copy, 8), 0);
    assert_false(process_read(getpid(), UINT64_MAX - 3, copy, 8));
}

static int run_process_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_process_is_listed_with_cpu_share),
        cmocka_unit_test(misstop_and_kernel_threads_are_not_listed),
        cmocka_unit_test(zombie_is_not_listed),
        cmocka_unit_test(hostile_process_name_is_parsed),
        cmocka_unit_test(process_memory_reads_stop_at_unmapped),
    };
    return cmocka_run_group_tests_name("process_list", tests, NULL, NULL);
}

/* The table of mappings: lines of /proc, records on top of them, and malformed lines. */

static struct maps maps;

static int maps_end(void **state)
{
    (void)state;
    maps_fini(&maps);
    return 0;
}

static int read_text(const char *text)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    int code = maps_read_file(&maps, in);
    fclose(in);
    return code;
}

static void expect_ordered_maps(void)
{
    for (size_t i = 0; i < maps.count; i++) {
        assert_true(maps.maps[i].start < maps.maps[i].end);
        assert_true(!i || maps.maps[i - 1].end <= maps.maps[i].start);
        assert_true(strlen(maps_name(&maps, &maps.maps[i])) < maps.names_used);
    }
}

static void maps_of_own_process_are_read(void **state)
{
    (void)state;
    static int variable;
    long local = 1;
    assert_int_equal(maps_read(&maps, getpid()), 0);
    expect_ordered_maps();
    struct map *map = maps_find(&maps, (uint64_t)(uintptr_t)&variable);
    assert_true(map && map->readable && map->writable && !map->executable);
    map = maps_find(&maps, (uint64_t)(uintptr_t)&local);
    assert_true(map && map->kind == MAPPING_STACK);
    map = maps_find(&maps, (uint64_t)(uintptr_t)&read_text);
    assert_true(map && map->kind == MAPPING_FILE && map->executable && map->inode);
    assert_non_null(strstr(maps_name(&maps, map), "test_process"));
    assert_int_equal(maps_read(&maps, 1 << 30), -ENOENT);
    expect_ordered_maps(); /* the old contents are kept */
    assert_true(maps.count);
}

static void mapping_kinds_are_recognised_by_name(void **state)
{
    (void)state;
    assert_int_equal(read_text("1000-2000 r--p 00000000 08:01 77 /a file\n"
                               "2000-3000 rw-p 00000000 00:00 0 \n"
                               "3000-4000 rw-p 00000000 00:00 0                  [heap]\n"
                               "4000-5000 rw-p 00000000 00:00 0  [anon:pool]\n"
                               "5000-6000 rw-s 00000000 00:01 9  [anon_shmem:queue]\n"
                               "6000-7000 rw-p 00000000 00:00 0  [stack]\n"
                               "7000-8000 r-xp 00000000 00:00 0  [vdso]\n"
                               "8000-9000 r--p 00000000 00:00 0  [vvar]\n"),
                     0);
    static const uint8_t kinds[] = {MAPPING_FILE, MAPPING_ANON,  MAPPING_HEAP, MAPPING_ANON,
                                    MAPPING_ANON, MAPPING_STACK, MAPPING_VDSO, MAPPING_SPECIAL};
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(maps.maps[i].kind, kinds[i]);
    assert_string_equal(maps_name(&maps, &maps.maps[0]), "/a file");
    assert_string_equal(maps_name(&maps, &maps.maps[1]), "");
    assert_int_equal(maps.maps[0].inode, 77);
    assert_int_equal(maps.maps[0].major, 8);
    assert_null(maps_find(&maps, 0xfff));
    assert_null(maps_find(&maps, 0x9000));
    assert_int_equal(maps_after(&maps, 0x1fff), 0);
    assert_int_equal(maps_after(&maps, 0x2000), 1);
}

static void invalid_maps_lines_are_skipped(void **state)
{
    (void)state;
    assert_int_equal(read_text("5000-6000 r--p 0 0:0 0 /a\n"
                               "1000-2000 r--p 0 0:0 0 /before\n"
                               "5800-7000 r--p 0 0:0 0 /overlaps\n"
                               "9000-8000 r--p 0 0:0 0 /backwards\n"
                               "9000-9000 r--p 0 0:0 0 /empty\n"
                               "nonsense\n"
                               "\n"
                               "a000-b000 rwxrwxrwxrwx 0 0:0 0 /rights\n"
                               "b000-c000 r--p 0 0:0 0 /last"),
                     0);
    expect_ordered_maps();
    assert_int_equal(maps.count, 2);
    assert_string_equal(maps_name(&maps, &maps.maps[1]), "/last");
    assert_int_equal(read_text("nonsense\n"), -ESRCH);
}

static void heap_of_a_mapping_survives_rereading(void **state)
{
    (void)state;
    const char *text = "1000-2000 rw-p 0 0:0 0 \n3000-4000 rw-p 0 0:0 0 \n";
    assert_int_equal(read_text(text), 0);
    maps.maps[1].heap = 2;
    maps.maps[1].module = 3;
    assert_int_equal(read_text(text), 0);
    assert_int_equal(maps.maps[0].heap, 0);
    assert_int_equal(maps.maps[1].heap, 2);
    assert_int_equal(maps.maps[1].module, -2); /* searched for again: it may be another file */
}

static int add(uint64_t start, uint64_t length, const char *path)
{
    struct sample_mapping mapping = {.start = start, .length = length, .path = path};
    return maps_add(&maps, &mapping);
}

static void mapping_record_replaces_what_it_covers(void **state)
{
    (void)state;
    assert_int_equal(add(0x1000, 0x1000, "/a"), 0);
    assert_int_equal(add(0x3000, 0x1000, "/b"), 0);
    assert_int_equal(add(0x5000, 0x1000, "/c"), 0);
    assert_int_equal(add(0x1800, 0x4000, "/over"), 0); /* half of a, all of b, half of c */
    expect_ordered_maps();
    assert_int_equal(maps.count, 3);
    assert_int_equal(maps.maps[0].end, 0x1800);
    assert_int_equal(maps.maps[2].start, 0x5800);
    assert_int_equal(maps.maps[2].offset, 0x800);
    assert_int_equal(add(0x2000, 0, "/empty"), -EINVAL);
    assert_int_equal(add(UINT64_MAX - 10, 100, "/wraps"), -EINVAL);
    assert_int_equal(maps.count, 3);
}

/* Compares many random records with a table of the owner of each page. */
static void random_mapping_records_match_plain_model(void **state)
{
    (void)state;
    enum { PAGES = 64 };
    char owner[PAGES] = {0};
    unsigned random = 7;
    for (int i = 0; i < 2000; i++) {
        char path[3] = {'/', (char)('a' + i % 26), 0};
        random = random * 1103515245 + 12345;
        unsigned start = (random >> 8) % PAGES;
        unsigned pages = 1 + (random >> 20) % 9;
        pages = start + pages > PAGES ? PAGES - start : pages;
        assert_int_equal(add(4096 * (1 + start), 4096 * pages, path), 0);
        memset(owner + start, path[1], pages);
        for (unsigned page = 0; page < PAGES; page++) {
            struct map *map = maps_find(&maps, 4096 * (1 + page) + 5);
            assert_int_equal(map ? maps_name(&maps, map)[1] : 0, owner[page]);
        }
    }
    expect_ordered_maps();
}

static int run_maps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(maps_of_own_process_are_read, maps_end),
        cmocka_unit_test_teardown(mapping_kinds_are_recognised_by_name, maps_end),
        cmocka_unit_test_teardown(invalid_maps_lines_are_skipped, maps_end),
        cmocka_unit_test_teardown(heap_of_a_mapping_survives_rereading, maps_end),
        cmocka_unit_test_teardown(mapping_record_replaces_what_it_covers, maps_end),
        cmocka_unit_test_teardown(random_mapping_records_match_plain_model, maps_end),
    };
    return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}

/* Memory use of a process: figures between two ticks, huge pages in smaps, TLB sizes reported by
 * processors (register values from their manuals). */

static size_t parse(const char *text, struct memory_use_mapping *mappings)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    size_t count = memory_use_parse(in, mappings);
    fclose(in);
    return count;
}

static void huge_pages_are_counted_per_mapping(void **state)
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

/* A path longer than the line buffer must not be read as another line. */
static void overlong_smaps_path_is_not_a_line(void **state)
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

static void largest_mappings_are_kept(void **state)
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

static void memory_use_rates_cover_the_last_interval(void **state)
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

static void own_small_pages_have_no_huge_share(void **state)
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
    memory_use_read(&use, 1, 2, &out); /* no mapping there */
    assert_true(isnan(out.huge_share));
    memory_use_init(&use, 0);
    memory_use_read(&use, (uint64_t)(uintptr_t)memory, 1, &out);
    assert_true(isnan(out.huge_share) && !out.tlb_entries);
    munmap(memory, BYTES);
}

static void amd_cpuid_gives_tlb_entries(void **state)
{
    (void)state;
    assert_int_equal(tlb_entries_amd(0x6c004000u, 0), 3072); /* 6: eight ways; C00h entries */
    assert_int_equal(tlb_entries_amd(0x0c004000u, 0), 0);    /* disabled */
    /* Zen 5: 80h times 32, by EAX[14]; a guest that does not see this bit. */
    assert_int_equal(tlb_entries_amd(0x60804040u, 1 << 14), 4096);
    assert_int_equal(tlb_entries_amd(0x60804040u, 0x204), 0);
    /* 8 ways of 128 sets, 4 KiB and more, unified, level 2; the same for instructions only. */
    assert_int_equal(tlb_entries_intel(8u << 16 | 7, 128, 2u << 5 | 3), 1024);
    assert_int_equal(tlb_entries_intel(8u << 16 | 7, 128, 2u << 5 | 2), 0);
    assert_int_equal(tlb_entries_intel(8u << 16 | 6, 128, 2u << 5 | 3), 0); /* large pages only */
    assert_int_equal(tlb_entries_intel(UINT32_MAX, UINT32_MAX, 3), 0);
}

static void saved_tlb_measurement_is_read(void **state)
{
    char text[] = "AuthenticAMD-b00f21 4096\nnonsense\nGenuineIntel-906ea 1536\n"
                  "AuthenticAMD-b00f21 3072\nHuge 99999999999999\n";
    (void)state;
    FILE *file = fmemopen(text, strlen(text), "r");
    assert_non_null(file);
    assert_int_equal(tlb_entries_kept(file, "GenuineIntel-906ea"), 1536);
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "AuthenticAMD-b00f21"), 3072); /* the last one wins */
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "AuthenticAMD"), 0);
    rewind(file);
    assert_int_equal(tlb_entries_kept(file, "Huge"), 0);
    fclose(file);
}

/* Measured on a Zen 5 guest, twice, and on a machine without visible walks. */
static void tlb_size_is_the_latency_knee(void **state)
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

static int run_memory_use(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_pages_are_counted_per_mapping),
        cmocka_unit_test(overlong_smaps_path_is_not_a_line),
        cmocka_unit_test(largest_mappings_are_kept),
        cmocka_unit_test(memory_use_rates_cover_the_last_interval),
        cmocka_unit_test(own_small_pages_have_no_huge_share),
        cmocka_unit_test(amd_cpuid_gives_tlb_entries),
        cmocka_unit_test(saved_tlb_measurement_is_read),
        cmocka_unit_test(tlb_size_is_the_latency_knee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of threads: from records, from /proc, forgotten with their id. */

static struct thread_names names;
static char thread_names_out[THREAD_NAME_MAX];

static int begin(void **state)
{
    (void)state;
    names = (struct thread_names){.count = 0};
    return 0;
}

static int thread_names_end(void **state)
{
    (void)state;
    thread_names_fini(&names);
    return 0;
}

static void thread_names_are_taken_from_records(void **state)
{
    (void)state;
    assert_false(thread_names_get(&names, 1, 7, false, thread_names_out, sizeof thread_names_out));
    thread_names_put(&names, 7, "worker-1");
    thread_names_put(&names, 8, "\033[2Jevil");
    assert_true(thread_names_get(&names, 1, 7, false, thread_names_out, sizeof thread_names_out));
    assert_string_equal(thread_names_out, "worker-1");
    assert_true(thread_names_get(&names, 1, 8, false, thread_names_out, sizeof thread_names_out));
    assert_null(strchr(thread_names_out, '\033'));
    thread_names_put(&names, 7, "worker-2");
    thread_names_get(&names, 1, 7, false, thread_names_out, sizeof thread_names_out);
    assert_string_equal(thread_names_out, "worker-2");
    thread_names_forget(&names, 7);
    assert_false(thread_names_get(&names, 1, 7, false, thread_names_out, sizeof thread_names_out));
    thread_names_forget_all(&names);
    assert_false(thread_names_get(&names, 1, 8, false, thread_names_out, sizeof thread_names_out));
}

static void thread_names_are_read_from_proc(void **state)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    (void)state;
    prctl(PR_SET_NAME, "my\tname");
    assert_true(
        thread_names_get(&names, getpid(), tid, true, thread_names_out, sizeof thread_names_out));
    assert_true(!strncmp(thread_names_out, "my", 2) && !strchr(thread_names_out, '\t'));
    /* Read only once: a change is reported by a record. */
    prctl(PR_SET_NAME, "other");
    thread_names_get(&names, getpid(), tid, true, thread_names_out, sizeof thread_names_out);
    assert_string_not_equal(thread_names_out, "other");
    assert_false(thread_names_get(&names, getpid(), UINT32_MAX / 2, true, thread_names_out,
                                  sizeof thread_names_out));
}

static void thread_name_count_is_bounded(void **state)
{
    (void)state;
    for (uint32_t tid = 1; tid <= THREAD_NAMES_MAX + 10; tid++)
        thread_names_put(&names, tid, "x");
    assert_int_equal(names.count, THREAD_NAMES_MAX);
    assert_true(thread_names_get(&names, 1, 1, false, thread_names_out, sizeof thread_names_out));
    assert_false(thread_names_get(&names, 1, THREAD_NAMES_MAX + 5, false, thread_names_out,
                                  sizeof thread_names_out));
}

static int run_thread_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(thread_names_are_taken_from_records, begin,
                                        thread_names_end),
        cmocka_unit_test_setup_teardown(thread_names_are_read_from_proc, begin, thread_names_end),
        cmocka_unit_test_setup_teardown(thread_name_count_is_bounded, begin, thread_names_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* NUMA nodes of CPUs and pages, on fake machines in a folder, and from the real kernel. */

static char folder[64];
static int node_queries;
static int refusal; /* errno of the fake; 0: success */

static void write_node(const char *node, const char *cpus)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, node);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/cpulist");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(cpus, out);
    fclose(out);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/misstop-nodes-XXXXXX");
    node_queries = refusal = 0;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Returns the page number modulo 3; 2 means "not present". */
static long fake_move_pages(pid_t pid, unsigned long count, void **pages, const int *nodes,
                            int *status, int flags)
{
    node_queries++;
    assert_int_equal(pid, 77);
    assert_null(nodes); /* otherwise pages would move */
    assert_int_equal(flags, 0);
    for (unsigned long i = 0; i < count; i++) {
        uintptr_t page = (uintptr_t)pages[i] >> 12;
        assert_int_equal((uintptr_t)pages[i] & 4095, 0);
        status[i] = page % 3 == 2 ? -ENOENT : (int)(page % 3);
    }
    errno = refusal;
    return refusal ? -1 : 0;
}

static struct nodes *open_nodes(void)
{
    static struct nodes nodes;
    struct nodes_system system = {.sysfs = folder, .move_pages = fake_move_pages};
    nodes_init(&nodes, 77, &system);
    return &nodes;
}

static void cpu_lists_map_cpus_to_nodes(void **state)
{
    (void)state;
    write_node("node0", "0-2,8\n");
    write_node("node3", "3-7,99999999999999999999\n"); /* node1 and node2 are empty sockets */
    write_node("node4", "\n");                         /* memory only */
    write_node("node5", "4000000000-4000000001,x\n");
    struct nodes *nodes = open_nodes();
    assert_int_equal(nodes->count, 4);
    assert_int_equal(nodes_cpu(nodes, 0), 0);
    assert_int_equal(nodes_cpu(nodes, 8), 0);
    assert_int_equal(nodes_cpu(nodes, 5), 3);
    assert_int_equal(nodes_cpu(nodes, 9), -1);
    assert_int_equal(nodes_cpu(nodes, UINT32_MAX), -1);
}

static void single_node_machine_has_no_nodes(void **state)
{
    (void)state;
    write_node("node0", "0-63\n");
    struct nodes *nodes = open_nodes();
    assert_int_equal(nodes_cpu(nodes, 1), -1);
    assert_int_equal(nodes_page(nodes, 0x1000), -1);
    assert_int_equal(node_queries, 0);
}

static void pages_are_mapped_to_nodes(void **state)
{
    (void)state;
    write_node("node0", "0\n");
    write_node("node1", "1\n");
    struct nodes *nodes = open_nodes();
    for (int i = 0; i < 6; i++)
        assert_int_equal(nodes_page(nodes, (uint64_t)i * 4096 + 100), i % 3 == 2 ? -1 : i % 3);
    refusal = EPERM;
    assert_int_equal(nodes_page(nodes, 0), -1);
}

/* move_pages() without nodes reports where our own page is, and does not move it. */
static void kernel_reports_the_node_of_a_page(void **state)
{
    (void)state;
    static char memory[8192];
    memory[4096] = 1;
    void *pages[] = {(void *)((uintptr_t)&memory[4096] & ~(uintptr_t)4095)};
    int status = -1;
    if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, &status, 0))
        skip();
    assert_true(status >= 0);
}

static int run_nodes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cpu_lists_map_cpus_to_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(single_node_machine_has_no_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_are_mapped_to_nodes, set_up, tear_down),
        cmocka_unit_test(kernel_reports_the_node_of_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_process_list();
    failed += run_maps();
    failed += run_memory_use();
    failed += run_thread_names();
    failed += run_nodes();
    return failed;
}
