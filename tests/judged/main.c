/*
 * judged NAME plain|fixed SECONDS: works for that time and prints the units of work, their CPU
 * time and their wall time. judged list: prints the table of programs.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "judged.h"

volatile uint64_t judged_sink;

static const struct judged_program *const tables[] = {judged_problems, judged_sound, judged_cpp,
                                                      judged_unseen, judged_unseen_cpp};

void *judged_alloc(size_t size)
{
    void *block = malloc(size);

    if (!block) {
        perror("judged");
        exit(1);
    }
    memset(block, 1, size);
    return block;
}

void judged_shuffle(uint32_t *order, size_t count)
{
    uint64_t state = 88172645463325252u;

    for (size_t i = count; i > 1; i--) {
        size_t j = judged_next(&state) % i;
        uint32_t other = order[i - 1];

        order[i - 1] = order[j];
        order[j] = other;
    }
}

struct half {
    void (*body)(int thread, bool fixed);
    int thread;
    bool fixed;
};

static void *run_half(void *data)
{
    struct half *half = data;

    half->body(half->thread, half->fixed);
    return NULL;
}

void judged_two(void (*body)(int thread, bool fixed), bool fixed)
{
    struct half halves[2] = {{body, 0, fixed}, {body, 1, fixed}};
    pthread_t other;

    if (pthread_create(&other, NULL, run_half, &halves[1])) {
        fprintf(stderr, "judged: no thread\n");
        exit(1);
    }
    run_half(&halves[0]);
    pthread_join(other, NULL);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const struct judged_program *program_named(const char *name)
{
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct judged_program *p = tables[t]; p->name; p++)
            if (!strcmp(p->name, name))
                return p;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
            for (const struct judged_program *p = tables[t]; p->name; p++)
                printf("%s\t%s\t%s\t%s\n", p->name, p->right, p->also ? p->also : "-",
                       p->object ? p->object : "-");
        return 0;
    }
    const struct judged_program *program = argc == 4 ? program_named(argv[1]) : NULL;

    if (!program) {
        fprintf(stderr, "usage: judged list | judged NAME plain|fixed SECONDS\n");
        return 2;
    }
    bool fixed = !strcmp(argv[2], "fixed");
    double length = strtod(argv[3], NULL);

    program->set_up(fixed);

    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    double wall = seconds_of(CLOCK_MONOTONIC), now = wall;
    unsigned long units = 0;

    while (now - wall < length) {
        program->work(fixed);
        units++;
        now = seconds_of(CLOCK_MONOTONIC);
    }
    printf("units %lu cpu %.6f wall %.6f\n", units, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
           now - wall);
    return 0;
}
