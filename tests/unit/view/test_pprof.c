/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles for pprof, read back with the library. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "unit.h"
#include "view/export/files.h"
#include "view/pprof.pb-c.h"

static struct mapping_desc program = {0x400000, 0x500000, 0x1000, "/usr/bin/prog", "abcd01"};
static struct mapping_desc library = {0x7f0000000000, 0x7f0000100000, 0, "/lib/libz.so", ""};

static struct snapshot_access access_at(uint64_t address, const char *function,
                                        const struct mapping_desc *code, const char *object,
                                        const char *field, double samples)
{
    return (struct snapshot_access){.address = address,
                                    .function = function,
                                    .function_file = "prog.c",
                                    .function_line = 10,
                                    .file = "prog.c",
                                    .line = 12,
                                    .code = code,
                                    .object = object,
                                    .kind = OBJECT_GLOBAL,
                                    .module = "prog",
                                    .field = field,
                                    .samples = samples,
                                    .weight = samples * 1000.25,
                                    .cycles = NAN};
}

/* Fractional samples, one location on two objects, a row without an instruction. */
static size_t make_snapshot(struct snapshot *snapshot, struct snapshot_access rows[8])
{
    size_t count = 0;
    *snapshot = (struct snapshot){.counted_s = 2.5};
    snapshot->source.event_count = 1;
    snapshot->source.events[0] =
        (struct snapshot_event){.name = "cache-misses", .period = 1009, .samples = 110};
    snapshot->target.comm = "prog";
    snapshot->totals.samples = 120;
    snapshot->totals.attributed = 100;
    rows[count++] = access_at(0x7f0000000100, "inflate", &library, "table", NULL, 20);
    rows[count++] = access_at(0x400100, "visit", &program, "table", "entry.key", 30);
    rows[count++] = access_at(0x400100, "visit", &program, "list", "node.next", 25);
    rows[count++] = access_at(0x400200, "visit", &program, "list", NULL, 15);
    rows[count - 1].inlined = "min < clamp";
    rows[count++] = access_at(0, NULL, NULL, "list", NULL, 10);
    snapshot->accesses = rows;
    snapshot->access_count = count;
    return count;
}

static Pprof__Profile *pack_and_unpack(const struct snapshot *snapshot)
{
    unsigned char *bytes;
    size_t size;
    assert_int_equal(pprof_pack(snapshot, UINT64_C(1700000000000000000), &bytes, &size), 0);
    Pprof__Profile *profile = pprof__profile__unpack(NULL, size, bytes);
    assert_non_null(profile);
    free(bytes);
    return profile;
}

static const char *text(const Pprof__Profile *profile, int64_t index)
{
    assert_in_range(index, 0, profile->n_strings - 1);
    return profile->strings[index];
}

static const char *label(const Pprof__Profile *profile, const Pprof__Sample *sample,
                         const char *key)
{
    for (size_t i = 0; i < sample->n_labels; i++)
        if (!strcmp(text(profile, sample->labels[i]->key), key))
            return text(profile, sample->labels[i]->text);
    return NULL;
}

static int64_t sum(const Pprof__Profile *profile, size_t value)
{
    int64_t all = 0;
    for (size_t i = 0; i < profile->n_samples; i++)
        all += profile->samples[i]->values[value];
    return all;
}

static void pprof_has_every_listed_access(void **state)
{
    (void)state;
    struct snapshot snapshot;
    struct snapshot_access rows[8];
    size_t count = make_snapshot(&snapshot, rows);
    Pprof__Profile *profile = pack_and_unpack(&snapshot);
    assert_int_equal(profile->n_samples, count);
    assert_string_equal(profile->strings[0], "");
    assert_int_equal(profile->n_value_types, 2);
    assert_string_equal(text(profile, profile->value_types[1]->type), "cache-misses");
    assert_string_equal(text(profile, profile->value_types[1]->unit), "count");
    assert_string_equal(text(profile, profile->default_value_type), "cache-misses");
    assert_int_equal(profile->period, 1009);
    assert_int_equal(profile->duration_ns, 2500000000);
    assert_int_equal(profile->time_ns, 1700000000000000000 - 2500000000);
    for (size_t i = 0; i < count; i++) {
        const Pprof__Sample *sample = profile->samples[i];
        assert_string_equal(label(profile, sample, "object"), rows[i].object);
        assert_string_equal(label(profile, sample, "module"), "prog");
        assert_string_equal(label(profile, sample, "kind"), "global");
        if (rows[i].field)
            assert_string_equal(label(profile, sample, "field"), rows[i].field);
        else
            assert_null(label(profile, sample, "field"));
        assert_int_equal(sample->n_values, 2);
    }
    pprof__profile__free_unpacked(profile, NULL);
}

/* Values are integers; rounding errors are carried over. */
static void pprof_totals_equal_the_run(void **state)
{
    (void)state;
    struct snapshot snapshot;
    struct snapshot_access rows[8];
    make_snapshot(&snapshot, rows);
    Pprof__Profile *profile = pack_and_unpack(&snapshot);
    assert_int_equal(sum(profile, 0), 100);
    assert_int_equal(sum(profile, 1), 100025);
    pprof__profile__free_unpacked(profile, NULL);
    for (size_t i = 0; i < snapshot.access_count; i++)
        rows[i].samples = 1.0 / 3, rows[i].cycles = 7.5;
    profile = pack_and_unpack(&snapshot);
    assert_int_equal(sum(profile, 0), 2); /* 5/3 */
    assert_int_equal(profile->n_value_types, 3);
    assert_int_equal(sum(profile, 2), 38); /* 37.5 */
    pprof__profile__free_unpacked(profile, NULL);
}

static void pprof_locations_functions_and_mappings_are_consistent(void **state)
{
    (void)state;
    struct snapshot snapshot;
    struct snapshot_access rows[8];
    make_snapshot(&snapshot, rows);
    Pprof__Profile *profile = pack_and_unpack(&snapshot);
    /* An instruction that is listed twice is one location; all instructions that are not
     * distinguished share one. */
    assert_int_equal(profile->n_locations, 3 + 1);
    assert_int_equal(profile->samples[1]->locations[0], profile->samples[2]->locations[0]);
    for (size_t i = 0; i < profile->n_locations; i++)
        assert_int_equal(profile->locations[i]->id, i + 1);
    for (size_t i = 0; i < profile->n_functions; i++)
        assert_int_equal(profile->functions[i]->id, i + 1);
    /* The program comes first, whichever module was sampled first. */
    assert_int_equal(profile->n_mappings, 2);
    assert_string_equal(text(profile, profile->mappings[0]->file), "/usr/bin/prog");
    assert_string_equal(text(profile, profile->mappings[0]->build_id), "abcd01");
    assert_int_equal(profile->mappings[0]->offset, 0x1000);
    const Pprof__Location *location = profile->locations[profile->samples[3]->locations[0] - 1];
    static const char *const names[] = {"min", "clamp", "visit"};
    assert_int_equal(location->address, 0x400200);
    assert_int_equal(location->n_lines, 3);
    for (int i = 0; i < 3; i++) {
        const Pprof__Function *function = profile->functions[location->lines[i]->function - 1];
        assert_string_equal(text(profile, function->name), names[i]);
    }
    assert_int_equal(location->lines[0]->line, 12);
    assert_int_equal(location->lines[2]->line, 0);
    pprof__profile__free_unpacked(profile, NULL);
}

static void empty_snapshot_gives_a_valid_pprof(void **state)
{
    (void)state;
    struct snapshot snapshot = {.counted_s = NAN};
    Pprof__Profile *profile = pack_and_unpack(&snapshot);
    assert_int_equal(profile->n_samples, 0);
    assert_int_equal(profile->duration_ns, 0);
    pprof__profile__free_unpacked(profile, NULL);
}

static void pprof_file_is_written_atomically(void **state)
{
    (void)state;
    char folder[] = "/tmp/misstop-pprof-XXXXXX";
    char path[128];
    struct error error = {0};
    struct stat status;
    struct snapshot snapshot;
    struct snapshot_access rows[8];
    make_snapshot(&snapshot, rows);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.pb.gz", folder);
    FILE *old = fopen(path, "we");
    fputs("what stood there", old);
    fclose(old);
    assert_int_equal(pprof_check(path, &error), 0);
    assert_int_equal(pprof_write(path, &snapshot, 0, &error), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    /* Decompressed, the file equals the result of pprof_pack(). */
    unsigned char *bytes;
    size_t size;
    assert_int_equal(pprof_pack(&snapshot, 0, &bytes, &size), 0);
    unsigned char *back = malloc(size + 1);
    gzFile in = gzopen(path, "rb");
    assert_int_equal(gzread(in, back, (unsigned)size + 1), (int)size);
    gzclose(in);
    assert_memory_equal(back, bytes, size);
    free(back);
    free(bytes);
    unlink(path);
    /* If it cannot be written, no file is left. */
    snprintf(path, sizeof path, "%s/none/out.pb.gz", folder);
    assert_int_equal(pprof_check(path, &error), -ENOENT);
    assert_int_equal(pprof_write(path, &snapshot, 0, &error), -ENOENT);
    assert_non_null(strstr(error.text, "cannot write"));
    assert_int_equal(pprof_check(folder, &error), -EEXIST);
    assert_int_equal(rmdir(folder), 0);
}

static const char *location_name(const Pprof__Profile *profile, uint64_t id)
{
    const Pprof__Location *location = profile->locations[id - 1];
    const Pprof__Line *line = location->lines[location->n_lines - 1];
    return text(profile, profile->functions[line->function - 1]->name);
}

/* The instruction, then its callers; the values of a row are divided among its stacks. */
static void pprof_stacks_are_complete(void **state)
{
    (void)state;
    struct snapshot snapshot;
    struct snapshot_access rows[8];
    const struct snapshot_frame visit = {.function = "visit"};
    const struct snapshot_frame walk = {.function = "walk", .inner = &visit};
    const struct snapshot_frame main_of_walk = {
        .function = "main", .file = "m.c", .line = 3, .inner = &walk};
    const struct snapshot_frame main_alone = {
        .function = "main", .file = "m.c", .line = 3, .inner = &visit};
    const struct snapshot_stack stacks[] = {{&main_of_walk, 0.7}, {&main_alone, 0.3}};
    size_t count = make_snapshot(&snapshot, rows);
    rows[1].stacks = rows[2].stacks = stacks;
    rows[1].stack_count = rows[2].stack_count = 2;
    Pprof__Profile *profile = pack_and_unpack(&snapshot);
    assert_int_equal(profile->n_samples, count + 2);
    assert_int_equal(sum(profile, 0), 100);
    assert_int_equal(sum(profile, 1), 100025);
    static const char *const deep[] = {"visit", "walk", "main"};
    const Pprof__Sample *sample = profile->samples[1];
    assert_int_equal(sample->n_locations, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(location_name(profile, sample->locations[i]), deep[i]);
    assert_in_range(sample->values[0], 20, 22); /* 0.7 of 30 */
    assert_int_equal(profile->samples[2]->n_locations, 2);
    assert_string_equal(location_name(profile, profile->samples[2]->locations[1]), "main");
    assert_int_equal(profile->samples[2]->locations[1], sample->locations[2]); /* one location */
    assert_int_equal(profile->samples[0]->n_locations, 1);
    assert_int_equal(profile->n_locations, 3 + 1 + 2);
    pprof__profile__free_unpacked(profile, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pprof_has_every_listed_access),
        cmocka_unit_test(pprof_totals_equal_the_run),
        cmocka_unit_test(pprof_locations_functions_and_mappings_are_consistent),
        cmocka_unit_test(pprof_stacks_are_complete),
        cmocka_unit_test(empty_snapshot_gives_a_valid_pprof),
        cmocka_unit_test(pprof_file_is_written_atomically),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
