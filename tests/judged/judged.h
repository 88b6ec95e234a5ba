/*
 * Small programs with one known memory problem, or with none, for run-judged. Each was written from
 * the description of the problem, not from the rules in src/profile/findings.
 */
#ifndef JUDGED_H
#define JUDGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct judged_program {
    const char *name;
    /* The correct answer: finding kinds separated by |, or "none". */
    const char *right;
    /* Other kinds that are also correct, although not the purpose of the program. */
    const char *also;
    /* Substring of the object's name that a correct finding must have; NULL: any. */
    const char *object;
    void (*set_up)(bool fixed);
    /* Does one unit of work, the same amount plain and fixed; called until the time is up. */
    void (*work)(bool fixed);
};

extern const struct judged_program judged_problems[], judged_sound[], judged_cpp[], judged_unseen[],
    judged_unseen_cpp[];

/* A sink that keeps the compiler from removing computations. */
extern volatile uint64_t judged_sink;

static inline uint64_t judged_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

void *judged_alloc(size_t size);
void judged_shuffle(uint32_t *order, size_t count);
/* Runs `body` in two threads, 0 and 1, and waits for both. */
void judged_two(void (*body)(int thread, bool fixed), bool fixed);

#endif
