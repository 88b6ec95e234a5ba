/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the writer: what is remembered of tasks, a process as it is found, build-ids. */
#include "unit.h"

#include "base/hash.h"
#include "sample/perfdata/writer_state.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct told {
    size_t mappings, names, forks;
    bool here; /* a mapping around `around` */
    uint64_t around;
    uint32_t tid;
    char name[32]; /* of `tid` */
    uint64_t starts[8];
};

static void tell(void *context, const struct record *record)
{
    struct told *told = context;
    const struct sample_mapping *mapping = &record->mapping;
    if (record->kind == RECORD_MAPPING) {
        told->starts[told->mappings++ % 8] = mapping->start;
        told->here |= told->around - mapping->start < mapping->length && mapping->executable &&
                      mapping->protection & PROT_EXEC && mapping->flags == MAP_PRIVATE;
    }
    told->names += record->kind == RECORD_COMM;
    told->forks += record->kind == RECORD_FORK;
    if (record->kind == RECORD_COMM && record->tid == told->tid)
        snprintf(told->name, sizeof told->name, "%s", record->comm.name);
}

static struct told all(const struct perfdata_tasks *tasks, uint32_t tid)
{
    struct told told = {.tid = tid};
    perfdata_tasks_write(tasks, 0, tell, &told);
    return told;
}

static void map(struct perfdata_tasks *tasks, uint64_t start, uint64_t length)
{
    struct record record = {.kind = RECORD_MAPPING,
                            .pid = 1,
                            .tid = 1,
                            .mapping = {.start = start, .length = length, .path = "//anon"}};
    assert_int_equal(perfdata_tasks_note(tasks, &record, false), 0);
}

static void task(struct perfdata_tasks *tasks, enum record_kind kind, uint32_t tid,
                 const char *name, bool exec)
{
    struct record record = {.kind = kind, .pid = 1, .tid = tid};
    if (kind == RECORD_COMM) {
        record.comm.name = name;
        record.comm.exec = exec;
    }
    assert_int_equal(perfdata_tasks_note(tasks, &record, false), 0);
}

static void what_is_mapped_over_is_forgotten(void **state)
{
    struct perfdata_tasks tasks = {0};
    (void)state;
    map(&tasks, 0x1000, 0x1000);
    map(&tasks, 0x4000, 0x2000);
    map(&tasks, 0x1000, 0x2000);
    map(&tasks, 0x5000, 0x1000); /* in part: both, the newer later */
    struct told told = all(&tasks, 1);
    assert_int_equal(told.mappings, 3);
    assert_int_equal(told.starts[0], 0x4000);
    assert_int_equal(told.starts[1], 0x1000);
    assert_int_equal(told.starts[2], 0x5000);
    map(&tasks, 0, UINT64_MAX);
    assert_int_equal(all(&tasks, 1).mappings, 1);
    /* A program that maps and unmaps for ever. */
    for (int i = 0; i < 100000; i++)
        map(&tasks, 0x10000 + (uint64_t)(i % 3) * 0x1000, 0x1000);
    assert_int_equal(all(&tasks, 1).mappings, 4);
    assert_in_range(tasks.count, 1, 1000);
    perfdata_tasks_fini(&tasks);
}

static void names_and_threads_are_those_of_now(void **state)
{
    struct perfdata_tasks tasks = {0};
    (void)state;
    task(&tasks, RECORD_COMM, 1, "first", false);
    task(&tasks, RECORD_FORK, 2, NULL, false);
    task(&tasks, RECORD_COMM, 2, "worker", false);
    task(&tasks, RECORD_COMM, 2, "renamed", false);
    map(&tasks, 0x1000, 0x1000);
    struct told told = all(&tasks, 2);
    assert_int_equal(told.names, 2);
    assert_int_equal(told.forks, 1);
    assert_string_equal(told.name, "renamed");
    task(&tasks, RECORD_EXIT, 2, NULL, false);
    task(&tasks, RECORD_EXIT, 1, NULL, false);
    told = all(&tasks, 1);
    assert_int_equal(told.names, 1);
    assert_int_equal(told.forks, 0);
    assert_int_equal(told.mappings, 1);
    assert_string_equal(told.name, "first");
    task(&tasks, RECORD_COMM, 1, "second", true);
    told = all(&tasks, 1);
    assert_int_equal(told.mappings, 0);
    assert_string_equal(told.name, "second");
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

static void a_process_is_told_as_it_is(void **state)
{
    struct told told = {.around = (uint64_t)(uintptr_t)a_process_is_told_as_it_is};
    pthread_t thread;
    (void)state;
    pthread_barrier_init(&barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, worker, &told.tid), 0);
    pthread_barrier_wait(&barrier);
    perfdata_process_write(kernel_host(), getpid(), true, tell, &told);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    assert_true(told.here);
    assert_true(told.names >= 2 && told.forks + 1 == told.names);
    assert_string_equal(told.name, "a worker)");
    struct told gone = {0};
    perfdata_process_write(kernel_host(), 0x7ffffff0, true, tell, &gone);
    assert_int_equal(gone.names + gone.mappings + gone.forks, 0);
    struct told stub = {0};
    perfdata_process_write(kernel_host(), getpid(), false, tell, &stub);
    assert_int_equal(stub.mappings, 0);
    assert_int_not_equal(stub.names, 0);
}

/* An ELF file with a note of another kind before the one that counts. */
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

static void a_build_id_is_found_and_damage_is_not_believed(void **state)
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
    /* Whatever it says, no more than 20 bytes. */
    for (int i = 0; i < 3000; i++) {
        memcpy(bad, good, sizeof bad);
        for (int k = 0; k < 4; k++)
            bad[prng_below(&prng, (uint32_t)size)] = (unsigned char)prng_next(&prng);
        if (read_id(bad, size, &id))
            assert_in_range(id.size, 1, 20);
    }
}

/* What is listed is what this reader takes for the section. */
static void files_are_listed_once(void **state)
{
    struct perfdata_build_ids ids = {0};
    struct build_ids taken = {0};
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    (void)state;
    assert_true(length > 0);
    path[length] = '\0';
    struct sample_mapping mapping = {.path = path};
    struct sample_mapping told = {.path = "/no/such/file", .build_id_size = 3, .build_id = "xyz"};
    struct sample_mapping none[] = {{.path = "/no/other"},
                                    {.path = "//anon"},
                                    {.path = "[heap]"},
                                    {.path = "/dev/null"},
                                    {.path = "/etc/passwd"}};
    for (int i = 0; i < 2; i++) {
        perfdata_build_ids_note(&ids, &told, kernel_host(), getpid());
        perfdata_build_ids_note(&ids, &mapping, kernel_host(), getpid());
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        perfdata_build_ids_note(&ids, &none[i], kernel_host(), getpid());
    struct cursor cursor = {ids.section.at, ids.section.used, false, false};
    while (cursor.left)
        assert_int_equal(build_ids_add(&taken, &cursor), 0);
    assert_in_range(taken.count, 1, 2); /* a linker may be told to leave ours out */
    told.build_id_size = 0;
    build_ids_complete(&taken, &told);
    assert_int_equal(told.build_id_size, 3);
    perfdata_build_ids_fini(&ids);
    build_ids_fini(&taken);
}

static void this_machine_is_described(void **state)
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
    assert_non_null(strstr(machine.command, "test_perfdata_write_parts"));
    assert_true(machine.memory_kb > 0);
    struct perfdata_sections copied = {0};
    perfdata_host_copy(&copied, &machine);
    assert_memory_equal(copied.of[FEATURE_HOSTNAME].at, sections.of[FEATURE_HOSTNAME].at,
                        sections.of[FEATURE_HOSTNAME].used);
    assert_int_equal(copied.of[FEATURE_CPU_TOPOLOGY].used, 0);
    perfdata_sections_fini(&sections);
    perfdata_sections_fini(&copied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_mapped_over_is_forgotten),
        cmocka_unit_test(names_and_threads_are_those_of_now),
        cmocka_unit_test(a_process_is_told_as_it_is),
        cmocka_unit_test(a_build_id_is_found_and_damage_is_not_believed),
        cmocka_unit_test(files_are_listed_once),
        cmocka_unit_test(this_machine_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
