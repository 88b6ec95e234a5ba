/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With time samples, no screen, help, text, HTML page or reading in JSON claims a miss, a stall, a
 * conflict or a lack of capacity, because a clock measures none of these. */
#include <ctype.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tables/rates.h"
#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "unit/view/snapshot_fixture.h"
#include "view/export/files.h"
#include "view/display/browser.h"
#include "view/words.h"

static const char *const claims[] = {"miss",     "misses",    "missed",  "stall",
                                     "stalls",   "stalled",   "evicted", "evicts",
                                     "conflict", "conflicts", "capacity"};

/* Returns true if the text has the word on its own: not as part of misstop or of an event name such
 * as l1-miss. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        bool inside = at > text && (isalnum((unsigned char)at[-1]) || strchr("-_,.", at[-1]));
        bool goes_on = isalnum((unsigned char)at[length < strlen(at) ? length : strlen(at)]) ||
                       (strlen(at) > length && strchr("-_", at[length]));
        if (!inside && !strncasecmp(at, word, length) && !goes_on)
            return true;
    }
    return false;
}

enum { CLAIMS_IN_HELP = 6 };

static unsigned claimed;

/* In the help "conflict" is also a reason for a sample without a type; in JSON "stall" is also the
 * name of a kind of event. */
static void check_text(const char *where, const char *text)
{
    size_t count = strcmp(where, "help") ? sizeof claims / sizeof *claims : CLAIMS_IN_HELP;
    if (!strcmp(text, "stall"))
        return;
    for (size_t i = 0; i < count; i++)
        if (has_word(text, claims[i])) {
            printf("%s of time samples mentions '%s': %s\n", where, claims[i], text);
            claimed++;
            return;
        }
}

static void check_canvas(const char *where)
{
    for (int row = 0; row < screen_canvas.rows; row++)
        check_text(where, screen_row(row));
}

static bool recorded; /* a replayed perf recording */

static const struct snapshot *timed(enum fixture_kind kind)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(kind, 0);
    snapshot->source = (struct snapshot_source){
        .name = recorded ? "replay" : "clock",
        .weight_unit = recorded ? "cycles at the access" : "time at the access",
        .live = !recorded,
        .event_count = 1,
        .events = {{recorded ? "cycles:u" : "cpu-clock", EVENT_TIME, 500009, 41000, 2e10, NAN}}};
    snapshot->timeline.ranking_measure = MEASURE_WAITING;
    return snapshot;
}

static const enum fixture_kind kinds[] = {FIXTURE_USUAL, FIXTURE_EMPTY, FIXTURE_ONE, FIXTURE_TYPED};

static void screens_of_time_samples_claim_no_miss(void **state)
{
    (void)state;
    claimed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        screen_open_on(timed(kinds[i]), 60, 240, false, "");
        for (int screen = 0; screen < SCREEN_PICKER; screen++) {
            if (screen == SCREEN_HELP || !screens[screen].screen->draw)
                continue;
            browser_go(&screen_browser, (enum screen_id)screen);
            screen_draw();
            for (int pane = 0; pane < 4; pane++) {
                check_canvas(screens[screen].screen->name);
                screen_press(KEYS_RIGHT);
            }
            browser_return(&screen_browser);
        }
        screen_close();
    }
    assert_int_equal(claimed, 0);
}

static void opened_rows_of_time_samples_claim_no_miss(void **state)
{
    static const char *const keys[] = {"\n",  "\n\n", "\n\n\n", "2\n", "2\n\n",
                                       "m\n", "f\n",  "4\n",    "5\n", "8\n"};
    (void)state;
    claimed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            screen_open_on(timed(kinds[i]), 60, 240, false, keys[k]);
            check_canvas(keys[k]);
            screen_close();
        }
    assert_int_equal(claimed, 0);
}

static void help_of_time_samples_claims_no_miss(void **state)
{
    (void)state;
    claimed = 0;
    screen_open_on(timed(FIXTURE_TYPED), 1200, 160, false, "");
    for (int screen = 0; screen < SCREEN_PICKER; screen++) {
        if (screen == SCREEN_HELP || !screens[screen].screen->draw)
            continue;
        browser_go(&screen_browser, (enum screen_id)screen);
        screen_press('?');
        check_canvas("help");
        screen_press('?');
        browser_return(&screen_browser);
    }
    screen_close();
    assert_int_equal(claimed, 0);
}

static void check_lines(const char *where, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        check_text(where, line);
}

static void text_of_time_samples_claims_no_miss(void **state)
{
    (void)state;
    claimed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *text = fixture_printed(fixture_text, timed(kinds[i]));
        check_lines("text", text);
        free(text);
    }
    assert_int_equal(claimed, 0);
}

/* Removes tags and style sheet. */
static void strip_markup(char *text)
{
    char *to = text;
    for (char *from = text; *from;) {
        if (!strncmp(from, "<style", 6)) {
            char *end = strstr(from, "</style>");
            from = end ? end + 8 : from + strlen(from);
        } else if (*from == '<') {
            from += strcspn(from, ">");
            from += *from == '>';
            *to++ = '\n';
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static void html_of_time_samples_claims_no_miss(void **state)
{
    (void)state;
    claimed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *text = fixture_printed(fixture_page, timed(kinds[i]));
        strip_markup(text);
        check_lines("html", text);
        free(text);
    }
    assert_int_equal(claimed, 0);
}

/* Checks only values: the names of members are fixed. */
static void check_values(json_t *value)
{
    const char *key;
    json_t *inner;
    size_t index;
    if (json_is_string(value))
        check_text("json", json_string_value(value));
    json_array_foreach(value, index, inner) check_values(inner);
    json_object_foreach(value, key, inner) check_values(inner);
}

static void json_of_time_samples_claims_no_miss(void **state)
{
    (void)state;
    claimed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *text = fixture_printed(json_print, timed(kinds[i]));
        json_t *value = json_loads(text, 0, NULL);
        assert_non_null(value);
        check_values(value);
        json_decref(value);
        free(text);
    }
    assert_int_equal(claimed, 0);
}

static void measured_word_follows_the_event(void **state)
{
    static const struct {
        const char *event;
        enum event_role role;
        const char *weighs;
        const char *word;
    } known[] = {
        {"mem-fill", EVENT_MEM_FILL, "fills from memory", "misses"},
        {"l1-miss", EVENT_MISS_L1, "L1 data cache misses", "misses"},
        {"access", EVENT_ACCESS, "loads", "accesses"},
        {"stall", EVENT_STALL, "stalled cycles", "stall time"},
        {"cycles", EVENT_TIME, "cycles at the access", "time"},
        {"cpu-clock", EVENT_TIME, "time at the access", "time"},
        {"cpu-clock:u", EVENT_TIME, "time stalled at the access", "time"}, /* older recordings */
        {"cpu-clock", EVENT_TIME, NULL, "time"},
        {"page-faults", EVENT_OTHER, "page-faults", "samples"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct snapshot_source source = {
            .weight_unit = known[i].weighs,
            .event_count = 1,
            .events = {{.name = known[i].event, .role = known[i].role}}};
        assert_string_equal(measured_word(&source), known[i].word);
    }
    assert_string_equal(measured_word(&(struct snapshot_source){0}), "samples");
}

static int replay(void **state)
{
    (void)state;
    recorded = true;
    return 0;
}

static int run_measured_words(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_word_follows_the_event),
        cmocka_unit_test(screens_of_time_samples_claim_no_miss),
        cmocka_unit_test(opened_rows_of_time_samples_claim_no_miss),
        cmocka_unit_test(help_of_time_samples_claims_no_miss),
        cmocka_unit_test(text_of_time_samples_claims_no_miss),
        cmocka_unit_test(html_of_time_samples_claims_no_miss),
        cmocka_unit_test(json_of_time_samples_claims_no_miss),
        cmocka_unit_test_setup(screens_of_time_samples_claim_no_miss, replay),
        cmocka_unit_test_setup(opened_rows_of_time_samples_claim_no_miss, replay),
        cmocka_unit_test_setup(help_of_time_samples_claims_no_miss, replay),
        cmocka_unit_test_setup(text_of_time_samples_claims_no_miss, replay),
        cmocka_unit_test_setup(html_of_time_samples_claims_no_miss, replay),
        cmocka_unit_test_setup(json_of_time_samples_claims_no_miss, replay),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The sentences on the binaries of a recording: on the screen, in the help, at the end of a batch;
 * none if nothing is missing. */

static struct binary_desc list[] = {
    {.path = "/opt/x/server", .build_id = "12ab", .samples = 600, .state = BINARY_MISSING},
    {.path = "/lib/libz.so",
     .build_id = "34cd",
     .found = "/lib/libz.so",
     .found_id = "56ef",
     .samples = 100,
     .state = BINARY_OTHER},
    {.path = "/lib/libc.so",
     .build_id = "78ab",
     .found = "/sym/lib/libc.so",
     .samples = 200,
     .state = BINARY_FOUND},
    {.path = "/lib/libm.so", .found = "/lib/libm.so", .samples = 100, .state = BINARY_UNVERIFIED},
};

static struct snapshot_binaries binaries_from(size_t from, size_t count)
{
    return (struct snapshot_binaries){.list = list + from, .count = count, .samples = 1000};
}

static const char *print_binaries(const struct snapshot_binaries *binaries)
{
    static char text[4096];
    text[0] = '\0'; /* empty if nothing is written */
    FILE *out = fmemopen(text, sizeof text, "w");
    binary_report(out, binaries);
    fclose(out);
    return text;
}

static void missing_binaries_share_is_of_all_samples(void **state)
{
    char text[128];
    (void)state;
    struct snapshot_binaries all = binaries_from(0, 4);
    assert_true(binary_missing(&all) == 0.7);
    binary_note(&all, text, sizeof text);
    assert_string_equal(text,
                        "70.0% of the samples are in programs or libraries that were not found");
    struct snapshot_binaries found = binaries_from(2, 2);
    assert_true(binary_missing(&found) == 0);
    binary_note(&found, text, sizeof text);
    assert_string_equal(text, "");
    struct snapshot_binaries none = {0};
    assert_true(binary_missing(&none) == 0);
}

static void each_binary_state_is_described(void **state)
{
    static const char *const fates[] = {
        "not found: build-id 12ab",
        "found another build: /lib/libz.so has build-id 56ef; recorded was 34cd",
        "/sym/lib/libc.so", "not verified, no build-id was recorded"};
    char text[512];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        binary_fate(&list[i], text, sizeof text);
        assert_string_equal(text, fates[i]);
    }
}

static void binary_report_names_missing_files_and_remedy(void **state)
{
    (void)state;
    struct snapshot_binaries all = binaries_from(0, 4);
    const char *text = print_binaries(&all);
    assert_non_null(strstr(text, "600 samples  /opt/x/server: not found"));
    assert_non_null(strstr(text, "100 samples  /lib/libz.so: found another build"));
    assert_null(strstr(text, "libc.so"));
    assert_non_null(strstr(text, "perf archive"));
    assert_non_null(strstr(text, "not verified"));
    struct snapshot_binaries found = binaries_from(2, 1);
    assert_string_equal(print_binaries(&found), "");
}

static void missing_binaries_are_shown_on_screen(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    screen_open_on(snapshot, 36, 120, false, "");
    assert_false(screen_has("are not here"));
    snapshot->binaries = binaries_from(0, 4);
    screen_draw();
    assert_true(screen_has("binaries missing"));
    screen_press('i');
    assert_true(screen_has("70.0% of the samples"));
    assert_true(screen_has("/opt/x/server: not found"));
    assert_true(screen_has("/lib/libc.so: /sym/lib/libc.so"));
    assert_true(screen_has("perf archive"));
    screen_close();
}

static int run_binary_words(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_binaries_share_is_of_all_samples),
        cmocka_unit_test(each_binary_state_is_described),
        cmocka_unit_test(binary_report_names_missing_files_and_remedy),
        cmocka_unit_test(missing_binaries_are_shown_on_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sentences on the exact totals of a simulated run. */

static struct snapshot_simulation two_levels(void)
{
    return (struct snapshot_simulation){
        .level_count = 2,
        .level = {{32 << 10, 8, 64, 15, 5}, {1 << 20, 16, 64, 0, 1}},
        .loads = 900,
        .stores = 150,
        .accesses = 1000,
        .miss_period = 1,
        .counting = true,
    };
}

static void simulation_sentence_has_counts_and_rates(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation_sentence(&simulation, text, sizeof text);
    assert_string_equal(text, "simulated: 900 loads, 150 stores; missed L1 32.0K 2.00%, "
                              "L2 1.0M 0.10%; every miss is a sample");
}

static void simulation_sentence_describes_sampling_and_pauses(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.miss_period = 23;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "samples are 1 in 23 misses"));
    simulation.counting = false;
    simulation.pause = SIMULATION_OUTSIDE;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "simulated (not counting after --sim-to): 900 loads"));
    simulation.pause = SIMULATION_PAUSED;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "T resumes"));
    simulation.pause = SIMULATION_BEFORE;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "--sim-from was not reached"));
    /* Thinned earlier: not every miss is reported. */
    simulation = two_levels();
    simulation.dropped = 1;
    simulation_sentence(&simulation, text, sizeof text);
    assert_null(strstr(text, "every miss"));
}

/* The seconds before the program runs do not count as a pause. */
static void simulation_sentence_says_program_has_not_started(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.accesses = simulation.loads = simulation.stores = 0;
    simulation.counting = false;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "Valgrind starts the program"));
    assert_null(strstr(text, "0 loads"));
    simulation.counting = true;
    simulation_sentence(&simulation, text, sizeof text);
    assert_null(strstr(text, "Valgrind starts the program"));
    assert_string_equal(simulation_pause_name(SIMULATION_BEFORE), "before");
}

/* No rate without accesses, and no sentence without a simulation. */
static void simulation_sentence_is_empty_without_simulation(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.accesses = 0;
    simulation_sentence(&simulation, text, sizeof text);
    assert_null(strstr(text, "missed"));
    simulation.level_count = 0;
    simulation_sentence(&simulation, text, sizeof text);
    assert_string_equal(text, "");
}

static void simulation_sentence_fits_any_buffer(void **state)
{
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    for (size_t size = 1; size < 120; size++) {
        char text[120];
        memset(text, 'x', sizeof text);
        simulation_sentence(&simulation, text, size);
        assert_true(strlen(text) < size);
    }
}

static int run_simulation_words(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulation_sentence_has_counts_and_rates),
        cmocka_unit_test(simulation_sentence_describes_sampling_and_pauses),
        cmocka_unit_test(simulation_sentence_says_program_has_not_started),
        cmocka_unit_test(simulation_sentence_is_empty_without_simulation),
        cmocka_unit_test(simulation_sentence_fits_any_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void whatif_layouts_are_described(void **state)
{
    static const struct {
        struct whatif_plan plan;
        const char *words;
    } known[] = {
        {{.kind = WHATIF_HOT, .element = 48, .sizes = {16, 32}, .count = 2, .members = {"x", ""}},
         "Of 48 bytes, 16 apart: x, (unnamed); the other 32 elsewhere."},
        {{.kind = WHATIF_SPLIT, .sizes = {16, 32}, .members = {"count"}},
         "Split before count: 16 bytes in one array, 32 in another."},
        {{.kind = WHATIF_ORDER, .element = 48, .sizes = {40}, .members = {"x"}},
         "Hottest members first, from x on: 40 bytes instead of 48."},
        {{.kind = WHATIF_PAD, .element = 48, .sizes = {64}},
         "Elements padded from 48 to 64 bytes."},
        {{.kind = WHATIF_ALIGN, .element = 48, .sizes = {64}, .to = 64},
         "Each element starts at a multiple of 64; the stride is 64 bytes (48 now)."},
        {{.kind = WHATIF_ARRAYS, .count = 5}, "An array for each of its 5 members."},
    };
    char text[192];
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        whatif_plan_words(&known[i].plan, text, sizeof text);
        assert_string_equal(text, known[i].words);
    }
    /* As many names as fit, and then the end of the sentence. */
    struct whatif_plan many = {.kind = WHATIF_HOT, .count = WHATIF_MEMBERS_NAMED};
    for (int i = 0; i < WHATIF_MEMBERS_NAMED; i++)
        many.members[i] = "a_name_that_is_cut_after_24_bytes";
    whatif_plan_words(&many, text, sizeof text);
    assert_non_null(strstr(text, "; the other 0 elsewhere."));
}

static void layout_readings_are_described(void **state)
{
    static const struct {
        struct snapshot_layout layout;
        const char *words;
    } known[] = {
        {{.reading = LAYOUT_TOO_FEW}, ""},
        {{.reading = LAYOUT_SHORT, .size = 24, .line_bytes = 64},
         "It takes 24 of the 64 bytes of a cache line; its neighbours are fetched with it."},
        {{.reading = LAYOUT_SPREAD, .hot_span = 2, .hot_lines = 1, .unused = 0.62},
         "90% of its samples are on members in 2 cache lines that would fit in 1: place them next "
         "to each other. Of the fetched bytes, 62% are never used."},
        {{.reading = LAYOUT_STRADDLES, .straddling = 0.12},
         "12% of the accesses cross a cache line boundary: align the elements."},
        {{.reading = LAYOUT_UNUSED, .unused = 0.5, .unused_is_lower_bound = true},
         "Of the fetched bytes, at least 50% are never used: members that are not needed together "
         "with the hot ones could be moved elsewhere."},
        {{.reading = LAYOUT_FITS, .unused = 0.1},
         "The hot members share their cache lines; 10% of the fetched bytes are never used."},
    };
    char text[LAYOUT_READING_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        layout_reading(&known[i].layout, text, sizeof text);
        assert_string_equal(text, known[i].words);
    }
}

static void heap_note_in_a_time_range_says_now(void **state)
{
    struct snapshot_time_range range = {0};
    struct snapshot snapshot = {.heap.summary.note = "own"};
    (void)state;
    assert_string_equal(heap_note(&snapshot), "own");
    snapshot.time_range = &range;
    assert_non_null(strstr(heap_note(&snapshot), "as it is now"));
}

/* Sentences on the excess in sets, not on which sets they are; with many samples hardly any program
 * is exactly even. */
static void sets_reading_describes_the_excess(void **state)
{
    (void)state;
    char words[256];
    struct snapshot snapshot = {.sets = {.verdict = SETS_CONCENTRATED,
                                         .content = SETS_HOT_LINES,
                                         .sets = 64,
                                         .ways = 12,
                                         .hot_sets = 18,
                                         .hot_share = 0.63,
                                         .fitting_share = 1}};
    sets_reading(&snapshot, words, sizeof words);
    assert_non_null(strstr(words, "hot lines: 100% of the excess is on at most 12 lines per set"));
    snapshot.sets.verdict = SETS_UNIFORM;
    snapshot.sets.excess = 0.05;
    sets_reading(&snapshot, words, sizeof words);
    assert_non_null(strstr(words, "nearly evenly (5% more than even)"));
}

static int run_layout_words(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatif_layouts_are_described),
        cmocka_unit_test(sets_reading_describes_the_excess),
        cmocka_unit_test(layout_readings_are_described),
        cmocka_unit_test(heap_note_in_a_time_range_says_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_layout_words();
    failed += run_measured_words();
    failed += run_binary_words();
    failed += run_simulation_words();
    return failed;
}
