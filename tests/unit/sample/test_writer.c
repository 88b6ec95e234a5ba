/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything written can be read back, record by record, however the recording ends.
 * tests/replay/test_write.sh checks the same with perf. */
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "sample/perfdata/writer_state.h"
#include "unit.h"
#include "unit/sample/perfdata_fixture.h"

#define WEIGHT_STRUCT (UINT64_C(1) << 24)
#define USUAL         (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static void written_records_are_read_back_unchanged(void **state)
{
    static const uint64_t fields[] = {
        PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_WEIGHT, WEIGHT_STRUCT,
        PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_DATA_SRC,  PERF_SAMPLE_CPU};
    (void)state;
    for (unsigned set = 0; set < 1u << 8; set++) {
        struct written written;
        uint64_t type = 0;
        for (unsigned i = 0; i < 7; i++)
            type |= set >> i & 1 ? fields[i] : 0;
        written_init(&written, type, set >> 7 & 1 ? 2 : 0);
        if (!(type & PERF_SAMPLE_DATA_SRC) && set & 1)
            written.attrs[0].type = PERF_TYPE_SOFTWARE;
        written_open(&written);
        written_records(&written, 200);
        written_close(&written);
        found_all(&written, written.path, 0, written.expected_count);
        written_fini(&written);
    }
}

static void copy_file(const char *from, const char *to, size_t size_max)
{
    static char bytes[16 << 20];
    FILE *in = fopen(from, "re");
    unlink(to); /* faster: closing a truncated file flushes it to disk */
    FILE *out = fopen(to, "we");
    assert_non_null(in);
    assert_non_null(out);
    size_t size = fread(bytes, 1, sizeof bytes < size_max ? sizeof bytes : size_max, in);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* The file as a kill leaves it: the writer is not called again. */
static void synced_records_survive_a_kill(void **state)
{
    struct written written;
    char copy[160];
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(copy, sizeof copy, "%s/copy", written.folder);
    written_open(&written);
    for (int refresh = 0; refresh < 5; refresh++) {
        size_t synced = written.expected_count;
        /* More than the buffer holds, so some records are written without a sync. */
        written_records(&written, refresh == 3 ? 8000 : 100);
        struct found found;
        copy_file(written.path, copy, SIZE_MAX);
        if (refresh && !found_read(&found, copy)) {
            assert_true(found.count >= synced);
            found_is(&found, &written, 0);
            assert_false(found.killed || found.damaged);
            found_fini(&found);
        }
        assert_int_equal(perfdata_writer_sync(written.writer, NULL), 0);
        copy_file(written.path, copy, SIZE_MAX);
        found_all(&written, copy, 0, written.expected_count);
    }
    written_close(&written);
    written_fini(&written);
}

static void truncated_recording_is_read_until_the_cut(void **state)
{
    struct written written;
    char copy[160];
    size_t before = 0;
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(copy, sizeof copy, "%s/copy", written.folder);
    written_open(&written);
    written_sample(&written);
    written_records(&written, 20);
    written_close(&written);
    for (size_t size = 0; size < written_size(written.path); size++) {
        struct found found;
        copy_file(written.path, copy, size);
        if (found_read(&found, copy))
            continue;
        /* Not known before which events have samples. */
        if (found.samples > 8)
            found_is(&found, &written, 0);
        assert_true(found.count >= before);
        before = found.count;
        found_fini(&found);
    }
    assert_int_equal(before, written.expected_count);
    written_fini(&written);
}

/* If the kernel is sampled too, the recording contains its mappings, if they are readable. */
static void live_recording_begins_with_existing_mappings(void **state)
{
    struct written written;
    struct found found;
    bool kernel = false, has_mapping = false;
    char line[64] = "";
    (void)state;
    FILE *kallsyms = fopen("/proc/kallsyms", "re");
    bool shown = kallsyms && fgets(line, sizeof line, kallsyms) && strtoull(line, NULL, 16);
    if (kallsyms)
        fclose(kallsyms);
    written_init(&written, USUAL, 0);
    written.info.live = true;
    written.info.pid = getpid();
    written.options.machine = NULL;
    written_open(&written);
    written_close(&written);
    assert_int_equal(found_read(&found, written.path), 0);
    for (size_t i = 0; i < found.count; i++) {
        const struct record *record = &found.records[i];
        uint64_t code = (uint64_t)(uintptr_t)live_recording_begins_with_existing_mappings;
        bool mapped = record->kind == RECORD_MAPPING;
        kernel |= mapped && !strcmp(record->mapping.path, "[kernel.kallsyms]_text");
        has_mapping |= mapped && record->pid == (uint32_t)getpid() &&
                       code - record->mapping.start < record->mapping.length;
    }
    assert_true(has_mapping);
    assert_int_equal(kernel, shown);
    found_fini(&found);
    written_fini(&written);
}

static int run_perfdata_write(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_records_are_read_back_unchanged),
        cmocka_unit_test(synced_records_survive_a_kill),
        cmocka_unit_test(truncated_recording_is_read_until_the_cut),
        cmocka_unit_test(live_recording_begins_with_existing_mappings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef USUAL

/* The files of a recording: older files, links and folders, a full disk, the limit. */

#define USUAL (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static void full_disk_is_reported_and_survived(void **state)
{
    struct rlimit usual, small;
    struct written written;
    struct error error = {0};
    (void)state;
    written_init(&written, USUAL, 0);
    written_open(&written);
    written_records(&written, 500);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    size_t before = written.expected_count;
    getrlimit(RLIMIT_FSIZE, &usual);
    small = usual;
    small.rlim_cur = written_size(written.path) + 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    written_records(&written, 100);
    size_t count_before = written.expected_count;
    assert_int_equal(perfdata_writer_sync(written.writer, &error), -EFBIG);
    assert_non_null(strstr(error.text, "ulimit -f"));
    found_all(&written, written.path, 0, before);
    /* The buffer fills up, and further records are lost. */
    struct record lost = {
        .kind = RECORD_SAMPLE, .time_ns = written.time_ns, .sample = {.time_ns = written.time_ns}};
    while (!perfdata_writer_add(written.writer, &lost, NULL))
        continue;
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    written_close(&written);
    struct found found;
    uint64_t reported = 0;
    assert_int_equal(found_read(&found, written.path), 0);
    assert_true(found.count > count_before);
    for (size_t i = count_before; i < found.count; i++)
        reported += found.records[i].kind == RECORD_LOST ? found.records[i].count : 0;
    assert_int_equal(reported, 1);
    struct found before_it = found;
    before_it.count = count_before;
    found_is(&before_it, &written, 0);
    found_fini(&found);
    written_fini(&written);
}

/* Returns how many records at the start describe the earlier state. */
static size_t reported_before(const struct found *found)
{
    size_t count = 0;
    while (count < found->count && (found->records[count].kind == RECORD_MAPPING ||
                                    found->records[count].kind == RECORD_COMM))
        count++;
    return count;
}

static void files_rotated_at_limit_are_self_contained(void **state)
{
    struct written written;
    struct found found;
    char path[160];
    uint64_t mark;
    size_t first;
    (void)state;
    written_init(&written, USUAL, 0);
    written.options.limit_bytes = PERFDATA_WRITER_LIMIT_MIN;
    written.options.files = 3;
    written_open(&written);
    mark = perfdata_writer_mark(written.writer);
    struct record mapping = {
        .kind = RECORD_MAPPING,
        .time_ns = written.time_ns,
        .pid = WRITTEN_PID,
        .tid = WRITTEN_PID,
        .mapping = {.start = 0x1000, .length = 0x1000, .executable = true, .path = "//anon"}};
    written_add(&written, &mapping, NULL, &mapping);
    while (written.expected_count + 1 < WRITTEN_RECORDS)
        written_sample(&written);
    assert_true(mark != perfdata_writer_mark(written.writer));
    mark = perfdata_writer_mark(written.writer);
    written_close(&written);
    first = written.expected_count;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, i ? "%s.%d" : "%s", written.path, i);
        assert_int_equal(found_read(&found, path), 0);
        assert_true(written_size(path) <= PERFDATA_WRITER_LIMIT_MIN);
        assert_int_equal(found.mark, mark - (uint64_t)i);
        assert_int_equal(reported_before(&found), 1);
        assert_int_equal(found.records[0].mapping.start, 0x1000);
        first -= found.samples;
        for (size_t k = 1; k < found.count; k++)
            assert_int_equal(found.records[k].time_ns, written.expected[first + k - 1].time_ns);
        found_fini(&found);
    }
    assert_true(first > 1); /* the oldest files are gone */
    snprintf(path, sizeof path, "%s.3", written.path);
    assert_int_equal(written_size(path), 0);
    written_fini(&written);
}

static void existing_file_is_replaced(void **state)
{
    struct written written;
    struct error error = {0};
    struct stat status;
    char other[160];
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(other, sizeof other, "%s/other", written.folder);
    FILE *file = fopen(other, "we");
    fputs("not to be touched", file);
    fclose(file);
    assert_int_equal(symlink(other, written.path), 0);
    written_open(&written);
    written_close(&written);
    assert_int_equal(written_size(other), 17);
    assert_int_equal(lstat(written.path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0600);
    size_t size = written_size(written.path);
    written_open(&written);
    written_close(&written);
    snprintf(other, sizeof other, "%s.old", written.path);
    assert_int_equal(written_size(other), size);
    unlink(written.path);
    assert_int_equal(mkfifo(written.path, 0600), 0);
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -ENOTSUP);
    assert_non_null(strstr(error.text, "not a regular file"));
    written.options.path = written.folder;
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -EISDIR);
    written.options.path = "/nonexistent/perf.data";
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -ENOENT);
    assert_non_null(strstr(error.text, "no such directory"));
    written.options.limit_bytes = 1000;
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -EINVAL);
    written_fini(&written);
}

static int run_perfdata_write_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disk_is_reported_and_survived),
        cmocka_unit_test(files_rotated_at_limit_are_self_contained),
        cmocka_unit_test(existing_file_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef USUAL

/* Parts of the writer: stored tasks, an existing process, build-ids. */

struct reported {
    size_t mappings, names, forks;
    bool has_mapping; /* has a mapping around `around` */
    uint64_t around;
    uint32_t tid;
    char name[32]; /* of `tid` */
    uint64_t starts[8];
};

static void count_record(void *context, const struct record *record)
{
    struct reported *reported = context;
    const struct sample_mapping *mapping = &record->mapping;
    if (record->kind == RECORD_MAPPING) {
        reported->starts[reported->mappings++ % 8] = mapping->start;
        reported->has_mapping |= reported->around - mapping->start < mapping->length &&
                                 mapping->executable && mapping->protection & PROT_EXEC &&
                                 mapping->flags == MAP_PRIVATE;
    }
    reported->names += record->kind == RECORD_COMM;
    reported->forks += record->kind == RECORD_FORK;
    if (record->kind == RECORD_COMM && record->tid == reported->tid)
        snprintf(reported->name, sizeof reported->name, "%s", record->comm.name);
}

static struct reported describe_tasks(const struct perfdata_tasks *tasks, uint32_t tid)
{
    struct reported reported = {.tid = tid};
    perfdata_tasks_write(tasks, 0, count_record, &reported);
    return reported;
}

static void add_mapping(struct perfdata_tasks *tasks, uint64_t start, uint64_t length)
{
    struct record record = {.kind = RECORD_MAPPING,
                            .pid = 1,
                            .tid = 1,
                            .mapping = {.start = start, .length = length, .path = "//anon"}};
    assert_int_equal(perfdata_tasks_note(tasks, &record, false), 0);
}

static void add_task_record(struct perfdata_tasks *tasks, enum record_kind kind, uint32_t tid,
                            const char *name, bool exec)
{
    struct record record = {.kind = kind, .pid = 1, .tid = tid};
    if (kind == RECORD_COMM) {
        record.comm.name = name;
        record.comm.exec = exec;
    }
    assert_int_equal(perfdata_tasks_note(tasks, &record, false), 0);
}

static void overwritten_mappings_are_dropped(void **state)
{
    struct perfdata_tasks tasks = {0};
    (void)state;
    add_mapping(&tasks, 0x1000, 0x1000);
    add_mapping(&tasks, 0x4000, 0x2000);
    add_mapping(&tasks, 0x1000, 0x2000);
    add_mapping(&tasks, 0x5000, 0x1000); /* partial overlap: both stay, the newer one later */
    struct reported reported = describe_tasks(&tasks, 1);
    assert_int_equal(reported.mappings, 3);
    assert_int_equal(reported.starts[0], 0x4000);
    assert_int_equal(reported.starts[1], 0x1000);
    assert_int_equal(reported.starts[2], 0x5000);
    add_mapping(&tasks, 0, UINT64_MAX);
    assert_int_equal(describe_tasks(&tasks, 1).mappings, 1);
    /* A program that maps and unmaps forever. */
    for (int i = 0; i < 100000; i++)
        add_mapping(&tasks, 0x10000 + (uint64_t)(i % 3) * 0x1000, 0x1000);
    assert_int_equal(describe_tasks(&tasks, 1).mappings, 4);
    assert_in_range(tasks.count, 1, 1000);
    perfdata_tasks_fini(&tasks);
}

static void task_names_and_threads_are_current(void **state)
{
    struct perfdata_tasks tasks = {0};
    (void)state;
    add_task_record(&tasks, RECORD_COMM, 1, "first", false);
    add_task_record(&tasks, RECORD_FORK, 2, NULL, false);
    add_task_record(&tasks, RECORD_COMM, 2, "worker", false);
    add_task_record(&tasks, RECORD_COMM, 2, "renamed", false);
    add_mapping(&tasks, 0x1000, 0x1000);
    struct reported reported = describe_tasks(&tasks, 2);
    assert_int_equal(reported.names, 2);
    assert_int_equal(reported.forks, 1);
    assert_string_equal(reported.name, "renamed");
    add_task_record(&tasks, RECORD_EXIT, 2, NULL, false);
    add_task_record(&tasks, RECORD_EXIT, 1, NULL, false);
    reported = describe_tasks(&tasks, 1);
    assert_int_equal(reported.names, 1);
    assert_int_equal(reported.forks, 0);
    assert_int_equal(reported.mappings, 1);
    assert_string_equal(reported.name, "first");
    add_task_record(&tasks, RECORD_COMM, 1, "second", true);
    reported = describe_tasks(&tasks, 1);
    assert_int_equal(reported.mappings, 0);
    assert_string_equal(reported.name, "second");
    perfdata_tasks_fini(&tasks);
}

static pthread_barrier_t barrier;

static void *worker(void *tid)
{
    *(uint32_t *)tid = (uint32_t)syscall(SYS_gettid);
    prctl(PR_SET_NAME, "a worker)");
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void running_process_is_described(void **state)
{
    struct reported reported = {.around = (uint64_t)(uintptr_t)running_process_is_described};
    pthread_t thread;
    (void)state;
    pthread_barrier_init(&barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, worker, &reported.tid), 0);
    pthread_barrier_wait(&barrier);
    perfdata_process_write(kernel_host(), getpid(), true, count_record, &reported);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    assert_true(reported.has_mapping);
    assert_true(reported.names >= 2 && reported.forks + 1 == reported.names);
    assert_string_equal(reported.name, "a worker)");
    struct reported of_missing_process = {0};
    perfdata_process_write(kernel_host(), 0x7ffffff0, true, count_record, &of_missing_process);
    assert_int_equal(
        of_missing_process.names + of_missing_process.mappings + of_missing_process.forks, 0);
    struct reported stub = {0};
    perfdata_process_write(kernel_host(), getpid(), false, count_record, &stub);
    assert_int_equal(stub.mappings, 0);
    assert_int_not_equal(stub.names, 0);
}

/* An ELF file with a note of another kind before the build-id. */
static size_t make_elf(unsigned char bytes[512])
{
    const Elf64_Nhdr other = {4, 3, 1};
    const Elf64_Nhdr note = {4, 20, NT_GNU_BUILD_ID};
    Elf64_Ehdr head = {.e_phoff = sizeof head, .e_phnum = 2, .e_phentsize = sizeof(Elf64_Phdr)};
    Elf64_Phdr segments[2] = {{.p_type = PT_LOAD},
                              {.p_type = PT_NOTE, .p_offset = 256, .p_filesz = 16 + 4 + 16 + 20}};
    memset(bytes, 0, 512);
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, segments, sizeof segments);
    memcpy(bytes + 256, &other, sizeof other);
    memcpy(bytes + 268, "abc", 4);
    memcpy(bytes + 276, &note, sizeof note);
    memcpy(bytes + 288, "GNU", 4);
    for (unsigned char i = 0; i < 20; i++)
        bytes[292 + i] = (unsigned char)(i + 1);
    return 312;
}

static bool read_id(const void *bytes, size_t size, struct build_id *id)
{
    int fd = memfd_create("elf", MFD_CLOEXEC);
    assert_int_equal(write(fd, bytes, size), size);
    bool found = perfdata_build_id_read(fd, id);
    close(fd);
    return found;
}

static void build_id_is_found_and_damage_rejected(void **state)
{
    unsigned char good[512], bad[512];
    struct build_id id = {0};
    struct prng prng = {1};
    size_t size = make_elf(good);
    (void)state;
    assert_true(read_id(good, size, &id));
    assert_int_equal(id.size, 20);
    assert_int_equal(id.bytes[0], 1);
    assert_int_equal(id.bytes[19], 20);
    for (size_t cut = 0; cut < size; cut++)
        assert_false(read_id(good, cut, &id));
    /* Whatever its size field, no more than 20 bytes are used. */
    for (int i = 0; i < 3000; i++) {
        memcpy(bad, good, sizeof bad);
        for (int k = 0; k < 4; k++)
            bad[prng_below(&prng, (uint32_t)size)] = (unsigned char)prng_next(&prng);
        if (read_id(bad, size, &id))
            assert_in_range(id.size, 1, 20);
    }
}

/* The reader must accept the list as the section. */
static void build_id_list_has_each_file_once(void **state)
{
    struct perfdata_build_ids ids = {0};
    struct build_ids taken = {0};
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    (void)state;
    assert_true(length > 0);
    path[length] = '\0';
    struct sample_mapping mapping = {.path = path};
    struct sample_mapping reported = {
        .path = "/no/such/file", .build_id_size = 3, .build_id = "xyz"};
    struct sample_mapping none[] = {{.path = "/no/other"},
                                    {.path = "//anon"},
                                    {.path = "[heap]"},
                                    {.path = "/dev/null"},
                                    {.path = "/etc/passwd"}};
    for (int i = 0; i < 2; i++) {
        perfdata_build_ids_note(&ids, &reported, kernel_host(), getpid());
        perfdata_build_ids_note(&ids, &mapping, kernel_host(), getpid());
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        perfdata_build_ids_note(&ids, &none[i], kernel_host(), getpid());
    struct cursor cursor = {ids.section.at, ids.section.used, false, false};
    while (cursor.left)
        assert_int_equal(build_ids_add(&taken, &cursor), 0);
    assert_in_range(taken.count, 1, 2); /* a linker may be configured to omit ours */
    reported.build_id_size = 0;
    build_ids_complete(&taken, &reported);
    assert_int_equal(reported.build_id_size, 3);
    perfdata_build_ids_fini(&ids);
    build_ids_fini(&taken);
}

static void recording_describes_this_machine(void **state)
{
    struct perfdata_sections sections = {0};
    struct perfdata_machine machine = {0};
    struct features features = {.machine = &machine};
    char host[64];
    (void)state;
    perfdata_host_describe(&sections, kernel_host());
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        struct cursor cursor = {sections.of[i].at, sections.of[i].used, false, false};
        assert_false(sections.of[i].failed);
        if (cursor.left)
            features_take(&features, i, &cursor);
        assert_false(cursor.bad);
    }
    gethostname(host, sizeof host);
    assert_string_equal(machine.host, host);
    assert_int_equal(machine.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
    assert_non_null(strstr(machine.command, "test_writer"));
    assert_true(machine.memory_kb > 0);
    struct perfdata_sections copied = {0};
    perfdata_host_copy(&copied, &machine);
    assert_memory_equal(copied.of[FEATURE_HOSTNAME].at, sections.of[FEATURE_HOSTNAME].at,
                        sections.of[FEATURE_HOSTNAME].used);
    assert_int_equal(copied.of[FEATURE_CPU_TOPOLOGY].used, 0);
    perfdata_sections_fini(&sections);
    perfdata_sections_fini(&copied);
}

static int run_perfdata_write_parts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overwritten_mappings_are_dropped),
        cmocka_unit_test(task_names_and_threads_are_current),
        cmocka_unit_test(running_process_is_described),
        cmocka_unit_test(build_id_is_found_and_damage_rejected),
        cmocka_unit_test(build_id_list_has_each_file_once),
        cmocka_unit_test(recording_describes_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_perfdata_write();
    failed += run_perfdata_write_files();
    failed += run_perfdata_write_parts();
    return failed;
}
