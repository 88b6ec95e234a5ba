/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of synthetic snapshots: well-formed, complete, escaped, bounded; and the file. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/answer.h"
#include "view/export/files.h"
#include "view/export/writers.h"
#include "view/findings.h"
#include "view/widget/columns.h"

static char folder[64];

static const struct html_run nothing = {.command = "", .host = "", .date = "", .version = ""};

static bool hot_source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    (void)context;
    (void)file;
    snprintf(out, size, "if (a < b && line == %u) return \"%s\";", line, "</script>");
    return true;
}

static const struct view_sources readable = {.source = hot_source};
static const struct view_sources unreadable;

static char *page_of(const struct snapshot *snapshot, const struct view_sources *sources,
                     const struct html_run *run, size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    assert_int_equal(html_print(out, snapshot, sources, run), 0);
    fclose(out);
    return text;
}

/* Checks with an XML and an HTML parser if python3 is available. */
static void check_well_formed(const char *text, const char *name)
{
    char path[128];
    char command[512];
    const char *source = getenv("srcdir");
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    FILE *out = fopen(path, "we");
    fputs(text, out);
    fclose(out);
    snprintf(command, sizeof command,
             "if command -v python3 >/dev/null; then python3 %s/tests/screen/check-page %s; "
             "else echo 'not tested here: well-formed (python3 is not installed)'; fi",
             source ? source : ".", path);
    int status = system(command);
    unlink(path);
    assert_int_equal(status, 0);
}

static unsigned occurrences(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void html_of_every_fixture_is_well_formed(void **state)
{
    static const struct {
        enum fixture_kind kind;
        const char *name;
    } kinds[] = {{FIXTURE_USUAL, "usual"},     {FIXTURE_EMPTY, "empty"}, {FIXTURE_ONE, "one"},
                 {FIXTURE_HOSTILE, "hostile"}, {FIXTURE_HUGE, "huge"},   {FIXTURE_TYPED, "typed"},
                 {FIXTURE_LEVELS, "levels"}};
    enum { BYTES_MAX = 4 << 20 };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size;
        const struct snapshot *snapshot = fixture_new(kinds[i].kind, 3);
        char *text = page_of(snapshot, i % 2 ? &readable : &unreadable, &nothing, &size);
        assert_true(size < BYTES_MAX);
        assert_int_equal(occurrences(text, "<script"), 1);
        check_well_formed(text, kinds[i].name);
        free(text);
        fixture_release(snapshot);
    }
    assert_int_equal(fixture_alive(), 0);
}

/* Escapes text in the same way as the page. */
static char *escaped(const char *text)
{
    size_t size;
    char *out;
    FILE *stream = open_memstream(&out, &size);
    struct html_writer writer = {.out = stream};
    html_text(&writer, text);
    fclose(stream);
    return out;
}

/* Not inline, because gcc 12 then takes the page for the address of a local variable. */
__attribute__((noinline)) static bool section_has(const char *page, const char *id,
                                                  const char *what)
{
    char begin[64];
    snprintf(begin, sizeof begin, "<section id=\"%s\">", id);
    const char *section = strstr(page, begin);
    const char *found = section ? strstr(section, what) : NULL;
    return found && found < strstr(section, "</section>");
}

static void html_names_every_object_with_its_share(void **state)
{
    (void)state;
    size_t size;
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    char *text = page_of(snapshot, &readable, &nothing, &size);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        char share[32];
        char *name = escaped(snapshot->objects[i].name);
        format_percent(share, sizeof share, value_number(snapshot->objects[i].share.value));
        assert_non_null(strstr(text, name));
        assert_non_null(strstr(text, share));
        free(name);
    }
    for (size_t i = 0; i < snapshot->objects[0].field_count; i++)
        assert_non_null(strstr(text, snapshot->objects[0].fields[i].name));
    /* Source lines, including characters that could be taken for markup. */
    assert_non_null(strstr(text, "if (a &lt; b &amp;&amp; line == "));
    assert_non_null(strstr(text, "2 of 64 sets take 40% of the "));
    /* Reused lines link to their object. */
    assert_true(section_has(text, "again", "<a href=\"#o"));
    free(text);
    fixture_release(snapshot);
}

static void html_reports_every_finding_in_full(void **state)
{
    (void)state;
    size_t size;
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    char *text = page_of(snapshot, &readable, &nothing, &size);
    assert_true(snapshot->findings.count > 0);
    for (size_t i = 0; i < snapshot->findings.count; i++) {
        const struct snapshot_finding *finding = &snapshot->findings.list[i];
        struct finding_words words;
        finding_words(finding, &words);
        const char *const reported[] = {words.evidence, words.advice, words.gain_method,
                                        words.evidence_limits, finding->name};
        char gain[96];
        finding_gain(finding, gain, sizeof gain);
        assert_non_null(strstr(text, gain));
        for (size_t k = 0; k < sizeof reported / sizeof *reported; k++) {
            char *found = escaped(reported[k]);
            assert_non_null(strstr(text, found));
            free(found);
        }
    }
    char first[256];
    answer_finding(&snapshot->findings.list[0], first, sizeof first);
    assert_true(section_has(text, "short", "<a href=\"#findings\">"));
    char *found = escaped(first);
    assert_true(section_has(text, "short", found));
    free(found);
    free(text);
    fixture_release(snapshot);
    snapshot = fixture_new(FIXTURE_ONE, 0);
    text = page_of(snapshot, &readable, &nothing, &size);
    assert_non_null(strstr(text, "No known problem found"));
    free(text);
    fixture_release(snapshot);
}

/* Each cell that is hot enough is shown with its heat; the first also in words. */
static void html_matrix_cells_show_heat(void **state)
{
    (void)state;
    size_t size;
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    char *text = page_of(snapshot, &readable, &nothing, &size);
    char cell[64];
    unsigned hot = 0;
    for (size_t i = 0; i <= matrix->row_count; i++)
        for (size_t k = 0; k <= matrix->column_count; k++)
            hot += matrix->row_totals[i].share >= 0.001 &&
                   matrix->column_totals[k].share >= 0.001 &&
                   snapshot_matrix_at(matrix, i, k)->share >= 0.0005;
    assert_true(hot > 20);
    assert_int_equal(occurrences(text, "<td class=\"num on h"), hot);
    snprintf(cell, sizeof cell, "<td class=\"num on %s\">20.0%%</td>", html_class(paint_heat(0.2)));
    assert_non_null(strstr(text, cell));
    assert_non_null(strstr(text, "<li>lines: loop.c:1 25% (written)</li>"));
    free(text);
    fixture_release(snapshot);
}

static void html_has_simulation_and_watch_if_known(void **state)
{
    struct snapshot_watch_object watched = {
        .object = UINT32_MAX,
        .id = 1,
        .name = "<ring>",
        .watched = 77,
        .verdict = WATCH_CAPACITY,
        .touched_again_share = {1, 1, 1},
        .reuse_s = {NAN, NAN, NAN},
        .codes = {{.text = "walk<int> (walk.c:12)", .share = 0.75}},
        .code_count = 1};
    (void)state;
    size_t size;
    const struct snapshot *fixture = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot snapshot = *fixture;
    char *text = page_of(&snapshot, &unreadable, &nothing, &size);
    assert_null(strstr(text, "id=\"simulation\""));
    assert_null(strstr(text, "id=\"watch\""));
    free(text);
    snapshot.simulation = (struct snapshot_simulation){
        .level_count = 2,
        .level = {{32 << 10, 8, 64, 123456789, 5}, {1 << 20, 16, 64, 61728397, 0}},
        .loads = 900000000,
        .accesses = 1234567940,
        .miss_period = 1,
        .counting = true};
    snapshot.watch = (struct snapshot_watch){.is_on = true,
                                             .registers = 4,
                                             .counts_misses = true,
                                             .level = 2,
                                             .level_lines = 16384,
                                             .objects = &watched,
                                             .count = 1};
    text = page_of(&snapshot, &unreadable, &nothing, &size);
    assert_int_equal(occurrences(text, "href=\"#simulation\""), 1);
    assert_int_equal(occurrences(text, "href=\"#watch\""), 1);
    assert_non_null(strstr(text, ">123456789<"));
    assert_non_null(strstr(text, ">10.0%<")); /* of all */
    assert_non_null(strstr(text, ">50.0%<")); /* of the L1 misses */
    assert_non_null(strstr(text, "<summary><b>&lt;ring&gt;</b></summary>"));
    assert_non_null(strstr(text, ">Its lines are accessed again: L2 has 16384 lines and was filled "
                                 "meanwhile. Process less at a time (blocking), or make it "
                                 "smaller.</dd>"));
    assert_non_null(strstr(text, "<dt>Touched by</dt>\n<dd class=\"says\"> 75.0%  "
                                 "walk&lt;int&gt; (walk.c:12)</dd>"));
    check_well_formed(text, "simulated");
    free(text);
    fixture_release(fixture);
}

static void target_controlled_text_is_never_markup(void **state)
{
    static const char evil[] = "</title><script>alert('1')</script>\"><img src=x onerror=y>&amp;"
                               "\x1b[31m\xff\xfe\xef\xbf\xbf\xe2\x80\xae";
    (void)state;
    size_t size;
    const struct snapshot *fixture = fixture_new(FIXTURE_TYPED, 0);
    struct snapshot snapshot = *fixture;
    const struct html_run run = {.command = evil, .host = evil, .date = evil, .version = evil};
    snapshot.target.comm = snapshot.target.exe = snapshot.status = evil;
    snapshot.objects[0].name = snapshot.objects[0].module = snapshot.objects[0].type = evil;
    snapshot.objects[0].fields[0].name = snapshot.objects[0].fields[0].type = evil;
    snapshot.objects[0].layouts[0].name = snapshot.objects[0].layouts[0].rows[0].member.name = evil;
    snapshot.objects[0].layouts[0].rows[0].member.type = evil;
    snapshot.code[0].function = snapshot.code[0].file = evil;
    snapshot.sharing.groups[0].name = evil;
    char *text = page_of(&snapshot, &readable, &run, &size);
    assert_int_equal(occurrences(text, "<script"), 1);
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "\x1b"));
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_non_null(strstr(text, "&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)"));
    check_well_formed(text, "evil");
    free(text);
    fixture_release(fixture);
}

static void html_text_is_cut_between_characters(void **state)
{
    enum { CHARACTERS = 50000 };
    char *text = malloc(CHARACTERS * 2 + 1);
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', shift);
        for (size_t i = 0; i < CHARACTERS - 4; i++)
            memcpy(text + shift + i * 2, "\xc3\xa9", 3);
        char *out = escaped(text);
        assert_true(strlen(out) < 5000);
        assert_null(strchr(out, '?'));
        free(out);
    }
    free(text);
}

/* Two objects that alternate, the first with a name that is easy to find. */
static void html_draws_the_timeline(void **state)
{
    enum { PERIODS = 10 };
    double weights[3][PERIODS];
    struct snapshot_stream streams[2] = {
        {.name = "early_bird", .weight = weights[0], .share = 0.5, .volatility = NAN},
        {.name = "latecomer", .weight = weights[1], .share = 0.5, .volatility = NAN}};
    struct snapshot_phase phases[2] = {{.start_s = 2,
                                        .end_s = 7,
                                        .samples = 50,
                                        .name = "A",
                                        .distance = NAN,
                                        .leader = "early_bird",
                                        .leader_share = 1},
                                       {.start_s = 7,
                                        .end_s = 12,
                                        .samples = 50,
                                        .name = "B",
                                        .distance = 1,
                                        .leader = "latecomer",
                                        .leader_share = 1,
                                        .leader_changed = true}};
    struct snapshot_volatility profile[3] = {{1, 0.5}, {2, 0.25}, {4, 1}};
    struct snapshot_alternation turns = {.left = 0, .right = 1, .correlation = -0.75};
    (void)state;
    for (size_t i = 0; i < PERIODS; i++) {
        weights[0][i] = i < PERIODS / 2 ? 10 : 0;
        weights[1][i] = i < PERIODS / 2 ? 0 : 10;
        weights[2][i] = i == 3 ? 0 : 10;
    }
    size_t size;
    const struct snapshot *fixture = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot snapshot = *fixture;
    snapshot.timeline = (struct snapshot_timeline){
        .start_s = 2,
        .period_s = 1,
        .base_s = 1,
        .periods = PERIODS,
        .by_measure = {{.all = weights[2],
                        .objects = {streams, 2},
                        .functions = {streams, 2},
                        .threads = {streams, 1}},
                       {.all = weights[2], .objects = {streams, 2}, .fields = {streams, 2}}},
        .phases = phases,
        .phase_count = 2,
        .profile = profile,
        .profile_count = 3,
        .alternations = &turns,
        .alternation_count = 1,
        .distinct_phases = 2};
    char *text = page_of(&snapshot, &unreadable, &nothing, &size);
    assert_non_null(strstr(text, "early_bird 50.0%"));
    assert_non_null(strstr(text, "<summary>misses by function</summary>"));
    assert_null(strstr(text, "misses by thread"));
    assert_non_null(strstr(text, "<summary>accesses by object</summary>"));
    assert_non_null(strstr(text, "<summary>accesses by fields of early_bird</summary>"));
    assert_null(strstr(text, "waiting by"));
    assert_non_null(strstr(text, "latecomer 50.0%"));
    assert_non_null(strstr(text, "2 time ranges in 2 phases; "));
    /* The second phase starts in the middle of the chart. */
    assert_non_null(strstr(text, "<text class=\"warn\" x=\"400\""));
    assert_non_null(strstr(text, "Volatility 50% (calm: 25%) at periods of 1.0s"));
    assert_non_null(strstr(text, "<b>early_bird</b> has samples when <b>latecomer</b> has none"));
    check_well_formed(text, "time");
    free(text);
    profile[1].value = NAN;
    turns.right = 2;
    weights[0][1] = weights[1][2] = weights[2][4] = NAN;
    weights[2][0] = INFINITY;
    text = page_of(&snapshot, &unreadable, &nothing, &size);
    check_well_formed(text, "time-without");
    free(text);
    fixture_release(fixture);
}

static void html_file_is_written_atomically(void **state)
{
    struct error error;
    struct stat status;
    char path[128];
    char old[32] = "";
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    snprintf(path, sizeof path, "%s/out.html", folder);
    assert_int_equal(html_check(path, &error), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(html_write(path, snapshot, &unreadable, &nothing, &error), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(status.st_size > 10000);
    /* A full disk: the old contents stay. */
    FILE *out = fopen(path, "we");
    fputs("what stood there", out);
    fclose(out);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        const struct rlimit limit = {4096, 4096};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int code = html_write(path, snapshot, &unreadable, &nothing, &error);
        _exit(code == -EFBIG && strstr(error.text, "--html") ? 0 : 1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    out = fopen(path, "re");
    assert_non_null(fgets(old, sizeof old, out));
    fclose(out);
    assert_string_equal(old, "what stood there");
    unlink(path);
    snprintf(path, sizeof path, "%s/none/out.html", folder);
    assert_int_equal(html_check(path, &error), -ENOENT);
    assert_int_equal(html_write(path, snapshot, &unreadable, &nothing, &error), -ENOENT);
    assert_int_equal(html_check(folder, &error), -EEXIST);
    assert_non_null(strstr(error.text, "--html"));
    fixture_release(snapshot);
    /* No temporary file is left. */
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_of_every_fixture_is_well_formed),
        cmocka_unit_test(html_names_every_object_with_its_share),
        cmocka_unit_test(html_reports_every_finding_in_full),
        cmocka_unit_test(html_matrix_cells_show_heat),
        cmocka_unit_test(html_has_simulation_and_watch_if_known),
        cmocka_unit_test(target_controlled_text_is_never_markup),
        cmocka_unit_test(html_text_is_cut_between_characters),
        cmocka_unit_test(html_draws_the_timeline),
        cmocka_unit_test(html_file_is_written_atomically),
    };
    snprintf(folder, sizeof folder, "/tmp/misstop-html-XXXXXX");
    if (!mkdtemp(folder))
        return 99;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
