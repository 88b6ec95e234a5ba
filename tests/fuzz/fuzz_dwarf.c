/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hostile debugging information through every kind of question. Seeds are small libraries of C and
 * C++ units, compiled here with DWARF 4 and 5 by the build's compiler and by clang; each is
 * truncated and changed in its debugging information:
 *   fuzz_dwarf [COUNT [SEED [FOR_READERS]]], or fuzz_dwarf FILE for a failing input.
 *
 * First in forks of this process, where a sanitizer checks our own code; a fault or an endless loop
 * inside libdw, libelf, or libc called by them is only counted, because reader processes contain
 * these. Then through readers: every question must be answered, and this process must not grow. A
 * failing input is left in ./fuzz_dwarf.last. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_dwarf.c
 */
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/reader.h"
#include "resolve/elf/module.h"

#include "base/clock.h"
#include "base/hash.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_BASE = 0x10000000, FUZZ_PLACES = 24, FUZZ_KINDS = 6 };

/* Addresses that the questions are about. */
struct ground {
    uint64_t code;
    uint64_t code_step;
    uint64_t data;
    uint64_t data_step;
};

static size_t sum; /* prevents reads from being optimised away */

static struct module *open_bytes(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    const struct module_source source = {.fd = fd,
                                         .path = "/nowhere/fuzz",
                                         .mapping = &(struct map){.start = FUZZ_BASE},
                                         .serial = 1,
                                         .from = {.debug_root = "/nowhere"}};
    return module_new(&source);
}

static void find_section(const struct module *module, const char *name, uint64_t *at,
                         uint64_t *step)
{
    uint64_t start;
    uint64_t end;
    module_range(module, &start, &end);
    for (uint64_t look = start; look < end && look - start < 1 << 20; look += 4) {
        uint64_t section_end;
        const char *found = module_section(module, look, at, &section_end);
        *step = found ? (section_end - *at) / FUZZ_PLACES + 1 : 0;
        if (found && !strcmp(found, name))
            return;
    }
    *at = start;
    *step = (end - start) / FUZZ_PLACES;
}

static struct ground ground_of(const struct module *module)
{
    struct ground ground = {0};
    find_section(module, ".text", &ground.code, &ground.code_step);
    find_section(module, ".bss", &ground.data, &ground.data_step);
    return ground;
}

static struct dwarf_question question_of(const struct ground *ground, unsigned i)
{
    unsigned place = i / FUZZ_KINDS;
    return (struct dwarf_question){.ask = i % FUZZ_KINDS,
                                   .pc = ground->code + place * ground->code_step,
                                   .address = i % FUZZ_KINDS == DWARF_TLS
                                                  ? place * 4
                                                  : ground->data + place * ground->data_step,
                                   .slot = (int64_t)place * 8 - 128,
                                   .displacement = (int64_t)place * 4,
                                   .base = (uint8_t)(place % 17),
                                   .index = (uint8_t)(place % 5 ? SREG_NONE : 1),
                                   .size = 8};
}

static void touch(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ')
            abort(); /* not sanitised */
}

static void touch_type(const struct type_desc *desc)
{
    touch(desc->name);
    for (uint32_t i = 0; i < desc->member_count; i++) {
        touch(desc->members[i].name);
        touch(desc->members[i].type);
    }
}

static void touch_answer(const struct dwarf_answer *answer)
{
    if (answer->untyped >= UNTYPED_COUNT || answer->inlined_count > DWARF_INLINED_MAX)
        abort();
    touch(answer->name);
    touch(answer->file);
    for (uint32_t i = 0; i < answer->inlined_count; i++) {
        touch(answer->inlined[i]);
        touch(answer->inlined_file[i]);
    }
    sum += answer->line + answer->type;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct module *module = open_bytes(data, size);
    struct program *program = module ? program_new(module) : NULL;
    struct ground ground = {0};
    if (program)
        ground = ground_of(module);
    for (unsigned i = 0; program && i < FUZZ_PLACES * FUZZ_KINDS; i++) {
        const struct dwarf_question question = question_of(&ground, i);
        const struct dwarf_type *type;
        struct dwarf_answer answer;
        program_answer(program, &question, &answer);
        while ((type = program_next_type(program)))
            touch_type(&type->desc);
        touch_answer(&answer);
    }
    program_free(program);
    module_free(module);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum {
    FUZZ_EXECUTIONS = 1000,
    FUZZ_FOR_READERS = 150,
    FUZZ_CUTS = 40,
    FUZZ_SEEDS = 8,
    FUZZ_PARTS = 16,
    FUZZ_CPU_S = 10,
    FUZZ_ANSWERS_S = 120,
    FUZZ_GROWS_KB = 128 << 10,
};

struct seed {
    uint8_t *bytes;
    size_t size;
    struct {
        size_t offset;
        size_t size;
    } parts[FUZZ_PARTS]; /* debugging information */
    size_t part_count;
};

/* ---- seeds ---- */

static const char source_c[] =
    "struct point { double x, y; union { int a; float b[3]; } u; unsigned f : 3, g : 7; };\n"
    "struct list { struct list *next; struct point at[4]; char name[]; };\n"
    "typedef const struct list *listp; enum color { RED, BLUE };\n"
    "struct list *head; struct point table[8]; static __thread int mine; enum color c;\n"
    "static inline double get(const struct point *p) { return p->x + p->u.b[1]; }\n"
    "double walk(listp l, int n) { double s = 0; while (l && n--) { s += get(&l->at[n & 3]);\n"
    "  l = l->next; } mine++; return s; }\n"
    "int fill(int n) { struct point here[5]; int vla[n & 15]; for (int i = 0; i < 5; i++)\n"
    "  { here[i].x = i; table[i] = here[i]; vla[0] = i; } return vla[0] + table[2].u.a; }\n"
    "void *alloc(unsigned long); struct list *make(int n) { struct list *l = alloc(n + 99ul);\n"
    "  l->next = head; l->at[1].y = fill(n); head = l; return l; }\n";

static const char source_cpp[] =
    "template <class T, int N> struct array { T at[N]; T &get(int i) { return at[i]; } };\n"
    "struct base { virtual int size() const; long id; virtual ~base(); };\n"
    "struct mixin { int flags; }; namespace deep { struct leaf : base, virtual mixin {\n"
    "  array<double, 3> values; leaf *next; static int count; int size() const override; };\n"
    "int leaf::count; int leaf::size() const { return next ? next->size() + id : flags; } }\n"
    "int base::size() const { return 1; } base::~base() {} deep::leaf *all;\n"
    "double sum() { double s = 0; for (auto p = all; p; p = p->next) s += p->values.get(1);\n"
    "  auto f = [&](int i) { return s * i; }; return f(3); }\n";

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "we");
    bool good = out && fputs(text, out) >= 0;
    return out && !fclose(out) && good;
}

static bool is_debugging(const char *name)
{
    return !strncmp(name, ".debug_", 7) || !strcmp(name, ".eh_frame");
}

static void find_parts(struct seed *seed)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(void *)seed->bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(void *)(seed->bytes + header->e_shoff);
    const char *names = (const char *)seed->bytes + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum && seed->part_count < FUZZ_PARTS; i++)
        if (sections[i].sh_size && is_debugging(names + sections[i].sh_name)) {
            seed->parts[seed->part_count].offset = sections[i].sh_offset;
            seed->parts[seed->part_count++].size = sections[i].sh_size;
        }
}

static bool take_file(struct seed *seed, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    *seed = (struct seed){.bytes = size > 0 ? malloc((size_t)size) : NULL, .size = (size_t)size};
    bool good = seed->bytes && pread(fd, seed->bytes, seed->size, 0) == size;
    if (fd >= 0)
        close(fd);
    return good;
}

static bool build(struct seed *seed, const char *folder, const char *c, const char *cpp,
                  const char *flags)
{
    char command[1024];
    char path[128];
    snprintf(command, sizeof command,
             "cd %s && rm -f *.o so && %s %s -fPIC -c a.c && { %s %s -fPIC -c b.cc || true; } "
             "2>/dev/null && %s -shared -nostdlib -o so *.o 2>/dev/null",
             folder, c, flags, cpp, flags, c);
    snprintf(path, sizeof path, "%s/so", folder);
    bool good = !system(command) && take_file(seed, path);
    if (good)
        find_parts(seed);
    return good;
}

static size_t build_seeds(struct seed *seeds)
{
    static const char *const flags[] = {"-g -gdwarf-5 -O2", "-g -gdwarf-4 -O0",
                                        "-g -gdwarf-4 -O2 -fdebug-types-section"};
    char folder[] = "/tmp/misstop-fuzz-XXXXXX";
    char command[64];
    const char *own = getenv("CC");
    size_t count = 0;
    if (!mkdtemp(folder))
        return 0;
    if (write_text(folder, "a.c", source_c) && write_text(folder, "b.cc", source_cpp))
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            count += build(&seeds[count], folder, own ? own : "cc", "c++", flags[i]);
            count += build(&seeds[count], folder, "clang 2>/dev/null", "clang++", flags[i]);
        }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 0 : count;
}

/* ---- one input ---- */

static void change(uint8_t *bytes, const struct seed *seed, struct prng *prng)
{
    static const uint64_t telling[] = {0,        1,          0x7f,       0x80,       0xff,
                                       1u << 31, UINT32_MAX, 1ull << 47, 1ull << 63, UINT64_MAX};
    for (uint64_t changes = 1 + prng_below(prng, 6); changes; changes--) {
        size_t part = prng_below(prng, (uint32_t)seed->part_count);
        size_t at = seed->parts[part].offset + prng_below(prng, (uint32_t)seed->parts[part].size);
        uint64_t value = prng_below(prng, 2) ? telling[prng_below(prng, 10)] : prng_next(prng);
        size_t width = (size_t)1 << (prng_below(prng, 2) ? 0 : prng_below(prng, 4));
        if (at + width <= seed->size)
            memcpy(bytes + at, &value, width);
    }
}

/* Makes the i-th input, the same for both parts: truncated ones first. */
static uint8_t *make_input(const struct seed *seeds, size_t seed_count, uint64_t i, uint64_t state,
                           size_t *size)
{
    const struct seed *seed = &seeds[i % seed_count];
    struct prng prng = {.state = state + i * 1000003};
    uint8_t *bytes = malloc(seed->size);
    if (!bytes)
        abort();
    memcpy(bytes, seed->bytes, seed->size);
    *size = seed->size;
    if (i < FUZZ_CUTS)
        *size = seed->size * i / FUZZ_CUTS;
    else
        change(bytes, seed, &prng);
    return bytes;
}

static void keep(const uint8_t *bytes, size_t size)
{
    int fd = open("fuzz_dwarf.last", O_RDWR | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* ---- in forks ---- */

enum { OURS = 3, THEIRS = 4, ENDLESS = 5 };

/* Recognises libraries by name; a fault in the program itself is ours. */
static void fault(int number, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    Dl_info found;
    void *ip = (void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
    (void)info;
    bool theirs = dladdr(ip, &found) && found.dli_fname &&
                  (strstr(found.dli_fname, "libdw") || strstr(found.dli_fname, "libelf") ||
                   strstr(found.dli_fname, "libc.so"));
    _exit(number == SIGPROF ? ENDLESS : theirs ? THEIRS : OURS);
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allocator_may_return_null=1:quarantine_"
           "size_mb=8";
}

static void run_here(const uint8_t *bytes, size_t size)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGPROF};
    const struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
    const struct itimerval timer = {.it_value = {.tv_sec = FUZZ_CPU_S}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
    LLVMFuzzerTestOneInput(bytes, size);
}

struct counts {
    unsigned long good;
    unsigned long theirs;
    unsigned long endless;
};

/* Returns false if our own code is at fault. */
static bool run_forked(const uint8_t *bytes, size_t size, struct counts *counts)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        run_here(bytes, size);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : OURS;
    counts->good += !code;
    counts->theirs += code == THEIRS;
    counts->endless += code == ENDLESS;
    return !code || code == THEIRS || code == ENDLESS;
}

/* ---- through readers ---- */

static size_t answers;

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    (void)context, (void)serial;
    touch_type(&type->desc);
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    (void)context, (void)serial;
    touch_answer(answer);
    answers++;
}

static bool run_reader(const uint8_t *bytes, size_t size, unsigned long *given_up)
{
    static const struct readers_take take = {.type = take_type, .answer = take_answer};
    static const struct readers_limits limits = {
        .processes = 1, .memory_bytes = 1 << 30, .idle_ms = 1000, .patience_ms = 5000};
    struct module *module = open_bytes(bytes, size);
    struct readers *readers = module ? readers_new(&limits, &take) : NULL;
    struct ground ground = {0};
    uint64_t since_ns = clock_now_ns();
    size_t asked = 0;
    if (module)
        ground = ground_of(module);
    answers = 0;
    for (unsigned i = 0; readers && i < FUZZ_PLACES * FUZZ_KINDS; i++) {
        const struct dwarf_question question = question_of(&ground, i);
        asked += readers_ask(readers, module, &question);
    }
    while (answers < asked && clock_now_ns() - since_ns < FUZZ_ANSWERS_S * CLOCK_NS_PER_S) {
        readers_run(readers, clock_now_ns());
        usleep(500);
    }
    *given_up += readers ? readers_status(readers).given_up : 0;
    readers_free(readers);
    module_free(module);
    return answers == asked;
}

static long most_resident_kb(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

static int fuzz(const struct seed *seeds, size_t seed_count, unsigned long executions,
                uint64_t state, unsigned long for_readers)
{
    struct counts counts = {0};
    unsigned long given_up = 0;
    long before_kb = most_resident_kb();
    bool good = true;
    for (unsigned long i = 0; good && i < executions + for_readers; i++) {
        size_t size;
        uint8_t *bytes =
            make_input(seeds, seed_count, i < executions ? i : i - executions, state, &size);
        keep(bytes, size);
        good =
            i < executions ? run_forked(bytes, size, &counts) : run_reader(bytes, size, &given_up);
        free(bytes);
    }
    long grown_kb = most_resident_kb() - before_kb;
    printf("%zu seeds; in forks: %lu good, %lu faults in libdw, %lu without end in %d s; "
           "through readers: %lu, %lu files given up, %ld KiB more (%zu)\n",
           seed_count, counts.good, counts.theirs, counts.endless, FUZZ_CPU_S, for_readers,
           given_up, grown_kb, sum);
    if (!good)
        printf("see fuzz_dwarf.last\n");
    else
        unlink("fuzz_dwarf.last");
    return good && grown_kb < FUZZ_GROWS_KB ? 0 : 1;
}

int main(int count, char **arguments)
{
    unsigned long executions = count > 1 ? strtoul(arguments[1], NULL, 10) : FUZZ_EXECUTIONS;
    uint64_t state = count > 2 ? strtoul(arguments[2], NULL, 10) : 4;
    unsigned long for_readers = count > 3 ? strtoul(arguments[3], NULL, 10) : FUZZ_FOR_READERS;
    struct seed seeds[FUZZ_SEEDS];
    if (count == 2 && !executions) {
        if (take_file(&seeds[0], arguments[1]))
            LLVMFuzzerTestOneInput(seeds[0].bytes, seeds[0].size);
        return 0;
    }
    size_t seed_count = build_seeds(seeds);
    if (!seed_count) {
        printf("SKIP: no compiler\n");
        return 77;
    }
    int code = fuzz(seeds, seed_count, executions, state, for_readers);
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    return code;
}
#endif
