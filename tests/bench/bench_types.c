/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of reading debug information: for misstop's first screen (the module with its symbols),
 * for the first answer of a reader, per question for new and for known places, and the reader's
 * memory.
 *
 *   bench_types [FILE [DEBUG_ROOT]]    without: libc, python3 and a large library made here
 */
#include "resolve/dwarf/reader.h"
#include "resolve/elf/module.h"

#include "base/clock.h"
#include "base/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BASE = 0x10000000, QUESTIONS = 500, KINDS = DWARF_ASKS, PASSES = 3, COPIES = 120 };

struct bench {
    struct module *module;
    struct readers *readers;
    size_t answers;
    size_t reported; /* answers with a result */
    size_t types;
    uint64_t code_start;
    uint64_t code_end;
};

static const char *const kind_names[KINDS] = {"access", "variable", "tls", "slot", "line", "call"};

static double ms_since(uint64_t since_ns)
{
    return (double)(clock_now_ns() - since_ns) / 1e6;
}

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    struct bench *bench = context;
    (void)serial, (void)type;
    bench->types++;
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    struct bench *bench = context;
    (void)serial;
    bench->answers++;
    bench->reported += !answer->untyped;
}

static void find_code(struct bench *bench)
{
    uint64_t start;
    uint64_t end;
    module_range(bench->module, &start, &end);
    for (uint64_t at = start; at < end; at += 64) {
        const char *name = module_section(bench->module, at, &bench->code_start, &bench->code_end);
        if (name && !strcmp(name, ".text"))
            return;
    }
}

/* The same places for the same seed; asks about data if there are variables. */
static struct dwarf_question question_of(const struct bench *bench, enum dwarf_ask ask, uint64_t i)
{
    struct prng prng = {.state = i};
    uint64_t span = bench->code_end - bench->code_start;
    uint64_t start;
    uint64_t end;
    module_range(bench->module, &start, &end);
    struct dwarf_question question = {.ask = ask,
                                      .pc = bench->code_start + prng_below(&prng, (uint32_t)span),
                                      .base = (uint8_t)(i & 15),
                                      .index = SREG_NONE,
                                      .slot = -8 * (int64_t)(i & 31),
                                      .size = 8};
    for (int tries = 0; ask == DWARF_VARIABLE && tries < 1000; tries++) {
        question.address = end - 1 - prng_below(&prng, (uint32_t)((end - start) / 8));
        if (module_object(bench->module, question.address))
            break;
    }
    return question;
}

static void run_until(struct bench *bench, size_t answers)
{
    while (bench->answers < answers) {
        readers_run(bench->readers, clock_now_ns());
        usleep(100);
    }
}

static void first_answer(struct bench *bench)
{
    uint64_t since_ns = clock_now_ns();
    const struct dwarf_question question = question_of(bench, DWARF_ACCESS, 0);
    readers_ask(bench->readers, bench->module, &question);
    readers_run(bench->readers, clock_now_ns());
    printf("  check and fork, of misstop's own time: %.1f ms\n", ms_since(since_ns));
    run_until(bench, bench->answers + 1);
    printf("  to the first answer: %.0f ms\n", ms_since(since_ns));
}

static void per_question(struct bench *bench, enum dwarf_ask ask)
{
    double us[PASSES];
    size_t reported = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t since_ns = clock_now_ns();
        size_t before = bench->reported;
        for (uint64_t i = 0; i < QUESTIONS; i++) {
            const struct dwarf_question question = question_of(bench, ask, i);
            readers_ask(bench->readers, bench->module, &question);
        }
        run_until(bench, bench->answers + QUESTIONS);
        us[pass] = ms_since(since_ns) * 1000 / QUESTIONS;
        reported = bench->reported - before;
    }
    printf("  %-8s %9.1f us per query, repeated %6.1f us; %zu of %d with a type or name\n",
           kind_names[ask], us[0], us[PASSES - 1], reported, QUESTIONS);
}

/* One question at a time, with no others pending: the latency of an answer. */
static void round_trip(struct bench *bench)
{
    uint64_t since_ns = clock_now_ns();
    for (int i = 0; i < 100; i++) {
        const struct dwarf_question question = question_of(bench, DWARF_SLOT, 0);
        readers_ask(bench->readers, bench->module, &question);
        run_until(bench, bench->answers + 1);
    }
    printf("  one query until its answer, polled every 0.1 ms: %.2f ms\n",
           ms_since(since_ns) / 100);
}

static void bench_file(const char *path, const char *debug_root)
{
    const struct module_source source = {
        .fd = open(path, O_RDONLY | O_CLOEXEC),
        .path = path,
        .mapping = &(struct map){.start = BASE},
        .serial = 1,
        .from = {.debug_root = debug_root, .pid = getpid(), .live = true}};
    struct bench bench = {0};
    const struct readers_take take = {&bench, take_type, take_answer};
    struct stat status;
    if (source.fd < 0 || fstat(source.fd, &status)) {
        printf("skipped: %s does not exist\n", path);
        return;
    }
    uint64_t since_ns = clock_now_ns();
    bench.module = module_new(&source);
    printf("%s, %.1f MB:\n", path, (double)status.st_size / 1e6);
    if (!bench.module)
        return;
    printf("  symbols, read before the first screen: %.1f ms\n", ms_since(since_ns));
    find_code(&bench);
    bench.readers = readers_new(&readers_usual, &take);
    first_answer(&bench);
    for (int ask = 0; ask < KINDS; ask++)
        per_question(&bench, ask);
    round_trip(&bench);
    usleep(1100000); /* memory is measured once per second */
    readers_run(bench.readers, clock_now_ns());
    struct readers_status state = readers_status(bench.readers);
    printf("  reader: %.0f MB resident, %zu types received, %u readers given up\n",
           (double)state.resident_bytes / 1e6, bench.types, state.given_up);
    readers_free(bench.readers);
    module_free(bench.module);
}

/* One unit of C++ under many names: as large as the libraries of large programs. */
static bool make_large(const char *folder)
{
    static const char command[] =
        "cd %s && echo '#include <algorithm>\n#include <functional>\n#include <map>\n"
        "#include <regex>\n#include <string>\n#include <unordered_map>\n#include <vector>\n"
        "struct node { int key; double weight; std::vector<node *> next; std::string name; };\n"
        "std::map<std::string, node> *all; std::unordered_map<int, node *> *by_key;\n"
        "double sum(const std::string &s) { std::regex r(s); double d = 0;\n"
        "  for (auto &[name, n] : *all) if (std::regex_match(name, r)) { (*by_key)[n.key] = &n;\n"
        "    std::sort(n.next.begin(), n.next.end(), [](node *a, node *b)\n"
        "    { return a->weight < b->weight; }); for (auto p : n.next) d += p->weight; }\n"
        "  return d; }' >a.cc && c++ -std=c++17 -g -O1 -fPIC -c a.cc 2>/dev/null && "
        "for i in $(seq %d); do objcopy --prefix-symbols=u${i}_ a.o a$i.o || exit 1; done && "
        "rm a.o && c++ -shared -nostdlib -Wl,--unresolved-symbols=ignore-all -o large.so a*.o";
    char text[2048];
    snprintf(text, sizeof text, command, folder, COPIES);
    return !system(text);
}

static void bench_large(void)
{
    char folder[] = "/tmp/misstop-bench-XXXXXX";
    char text[64];
    if (!mkdtemp(folder))
        return;
    snprintf(text, sizeof text, "%s/large.so", folder);
    if (make_large(folder))
        bench_file(text, NULL);
    else
        printf("skipped: the large library cannot be compiled\n");
    snprintf(text, sizeof text, "rm -rf %s", folder);
    if (system(text))
        printf("%s could not be removed\n", folder);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        bench_file(arguments[1], count > 2 ? arguments[2] : NULL);
        return 0;
    }
    bench_file("/lib/x86_64-linux-gnu/libc.so.6", NULL);
    bench_file("/usr/bin/python3.11", NULL);
    bench_large();
    return 0;
}
