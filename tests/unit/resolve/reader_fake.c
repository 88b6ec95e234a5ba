/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/resolve/reader_fake.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

/* AWAIT_S ends a hanging test, even on a slow machine. */
enum { AWAIT_S = 300, EAT_STEP = 1 << 20, STARVED_NS = 300 * 1000000 };

struct fake fake;
struct fake_behaviour fake_behaviour;
const struct readers_limits fake_limits = {
    .processes = 2, .memory_bytes = 256 << 20, .idle_ms = 60000, .patience_ms = 60000};

/* In the forked process */

static struct {
    struct dwarf_type type;
    char name[32];
    uint32_t reported;
    bool waits;
    char text[256];
} source;

static bool present(struct module *module)
{
    (void)module;
    return !fake_behaviour.absent;
}

static void *open_fake(struct module *module)
{
    if (fake_behaviour.crashes)
        abort();
    return fake_behaviour.unusable ? NULL : module;
}

static uint32_t allocate_all_memory(void)
{
    uint32_t steps = 0;
    while (mmap(NULL, EAT_STEP, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        steps++;
    return steps;
}

static unsigned open_others(void)
{
    unsigned count = 0;
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
        char path[64];
        char start = '/';
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        count += readlink(path, &start, 1) == 1 && start != '/';
    }
    return count;
}

static const char *describe_state(void)
{
    struct rlimit core;
    struct stat out;
    struct stat null;
    sigset_t blocked;
    char name[32] = "";
    getrlimit(RLIMIT_CORE, &core);
    fstat(STDOUT_FILENO, &out);
    stat("/dev/null", &null);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    prctl(PR_GET_NAME, name);
    snprintf(source.text, sizeof source.text,
             "%s nice=%d core=%lu int=%d term=%d blocked=%d null=%d others=%u", name,
             getpriority(PRIO_PROCESS, 0), (unsigned long)core.rlim_cur,
             signal(SIGINT, SIG_IGN) == SIG_IGN, signal(SIGTERM, SIG_DFL) == SIG_DFL,
             sigismember(&blocked, SIGTERM), out.st_rdev == null.st_rdev, open_others());
    return source.text;
}

/* Starts a process that competes for the same CPU forever. */
static pid_t start_rival(atomic_bool *runs)
{
    pid_t parent = getpid();
    pid_t rival = fork();
    if (rival)
        return rival;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    atomic_store(runs, true);
    while (getppid() == parent)
        continue;
    _exit(0);
}

/* Gets little CPU time until it is late by the clock, without ever sleeping. Works whatever the
 * load of the machine. */
static void use_little_cpu_time(void)
{
    cpu_set_t here;
    atomic_bool *runs =
        mmap(NULL, sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    pid_t rival = runs == MAP_FAILED ? -1 : start_rival(runs);
    if (rival < 0)
        abort();
    setpriority(PRIO_PROCESS, 0, 19);
    while (!atomic_load(runs))
        continue;
    for (uint64_t since_ns = clock_now_ns(); clock_now_ns() - since_ns < STARVED_NS;)
        continue;
    kill(rival, SIGKILL); /* not waited for, because waiting would be sleep */
}

static void overrun_buffer(void)
{
    char *volatile bytes = malloc(8);
    volatile size_t behind = 8;
    bytes[behind] = 1;
    free(bytes);
}

static void fake_type_of(uint64_t address, struct dwarf_answer *answer)
{
    snprintf(source.name, sizeof source.name, "struct t%lu", (unsigned long)address);
    source.type =
        (struct dwarf_type){.type = ++source.reported,
                            .desc = {.name = source.name, .kind = TYPE_STRUCT, .size = address}};
    source.waits = true;
    answer->type = source.type.type;
}

static void answer_fake(void *opened, const struct dwarf_question *question,
                        struct dwarf_answer *answer)
{
    (void)opened;
    *answer = (struct dwarf_answer){.line = (uint32_t)question->address};
    switch ((enum fake_order)question->pc) {
    case FAKE_TYPES:
        fake_type_of(question->address, answer);
        break;
    case FAKE_LIE: /* far too many */
        fake_type_of(question->address, answer);
        source.type.type = answer->type = UINT32_MAX;
        break;
    case FAKE_CRASH:
        signal(SIGABRT, SIG_DFL);
        abort();
    case FAKE_OVERRUN:
        overrun_buffer();
        break;
    case FAKE_EXIT:
        exit(0);
    case FAKE_HANG:
        for (;;)
            pause();
    case FAKE_SPIN:
        for (;;)
            signal(SIGUSR1, SIG_DFL); /* a call, so that the compiler keeps the loop */
    case FAKE_SLOW:
        use_little_cpu_time();
        break;
    case FAKE_EAT:
        answer->line = allocate_all_memory();
        break;
    case FAKE_STATE:
        answer->name = describe_state();
        break;
    default:
        break;
    }
}

static const struct dwarf_type *next_type(void *opened)
{
    (void)opened;
    bool waits = source.waits;
    source.waits = false;
    return waits ? &source.type : NULL;
}

static const struct serve_source fake_source = {present, open_fake, answer_fake, next_type};

/* In the test */

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    (void)context, (void)serial;
    assert_in_range(type->type, 1, 255);
    snprintf(fake.types[type->type], sizeof fake.types[0], "%s", type->desc.name);
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    (void)context;
    assert_true(fake.seen_count < FAKE_SEEN_MAX);
    struct fake_seen *seen = &fake.seen[fake.seen_count++];
    seen->answer = *answer;
    seen->serial = serial;
    snprintf(seen->name, sizeof seen->name, "%s", answer->name ? answer->name : "");
    snprintf(seen->type, sizeof seen->type, "%s", fake.types[answer->type % 256]);
}

void fake_start(const struct readers_limits *limits)
{
    static const struct readers_take take = {.type = take_type, .answer = take_answer};
    fake = (struct fake){.seen = calloc(FAKE_SEEN_MAX, sizeof *fake.seen)};
    fake_behaviour = (struct fake_behaviour){.absent = false};
    for (uint32_t i = 0; i < FAKE_MODULES; i++) {
        struct module_source from = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
                                     .path = "/nowhere/exe",
                                     .mapping = &(struct map){.start = 0x10000000},
                                     .serial = i + 1,
                                     .from = {.debug_root = "/nowhere"}};
        fake.modules[i] = module_new(&from);
        assert_non_null(fake.modules[i]);
    }
    fake.readers = readers_new_from(limits, &take, &fake_source);
    assert_non_null(fake.readers);
}

int fake_end(void **state)
{
    (void)state;
    readers_free(fake.readers);
    for (size_t i = 0; i < FAKE_MODULES; i++)
        module_free(fake.modules[i]);
    free(fake.seen);
    fake = (struct fake){0};
    return 0;
}

bool fake_ask(size_t module, enum fake_order order, uint64_t address)
{
    const struct dwarf_question question = {.ask = DWARF_VARIABLE, .pc = order, .address = address};
    return readers_ask(fake.readers, fake.modules[module], &question);
}

static void run_once(uint64_t since_ns)
{
    readers_run(fake.readers, clock_now_ns());
    assert_true(clock_now_ns() - since_ns < AWAIT_S * CLOCK_NS_PER_S);
    usleep(1000);
}

void fake_await(size_t answers)
{
    uint64_t since_ns = clock_now_ns();
    while (fake.seen_count < answers)
        run_once(since_ns);
    assert_int_equal(fake.seen_count, answers);
}

void fake_await_processes(uint32_t count)
{
    uint64_t since_ns = clock_now_ns();
    while (readers_status(fake.readers).processes != count)
        run_once(since_ns);
}

void fake_expect(size_t i, uint64_t address)
{
    assert_int_equal(fake.seen[i].answer.question.address, address);
    assert_int_equal(fake.seen[i].answer.untyped, UNTYPED_NO_REASON);
    assert_int_equal(fake.seen[i].answer.line, address);
}

void fake_expect_untyped(size_t i, uint64_t address, enum untyped untyped)
{
    assert_int_equal(fake.seen[i].answer.question.address, address);
    assert_int_equal(fake.seen[i].answer.untyped, untyped);
    assert_int_equal(fake.seen[i].answer.type, 0);
}
