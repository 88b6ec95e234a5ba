/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many small heap blocks: scattered, in pairs, short-lived, mostly overhead. */
#include "findings_planted.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 1 << 19, WIDTH = 3, PEOPLE = 1 << 21, WORDS = 1 << 21, REQUEST = 64 };

struct account {
    uint64_t number;
    double balance;
};
struct person {
    uint64_t id;
    struct account *account;
    struct account own;
};
struct item {
    uint64_t key;
    uint64_t value;
};

static double ***matrix; /* like equake's K: each row is a separate vector */
static double (*flat)[WIDTH][WIDTH];
static struct person **people;
static struct account **accounts;
static struct item *items[REQUEST];
static uint64_t **words;
static uint64_t *flat_words;

/* Allocates no faster than misstop can read the agent's events on a busy machine. */
static void *block(size_t bytes)
{
    static unsigned made_so_far;
    void *new_block = malloc(bytes);
    if (++made_so_far % 4096 == 0)
        usleep(400);
    if (!new_block)
        exit(3);
    memset(new_block, 1, bytes);
    return new_block;
}

/* ---- the work ---- */

__attribute__((noinline)) static size_t multiply(void)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (int k = 0; k < WIDTH; k++) {
            const double *v = matrix[i][k];
            sum += v[0] + v[1] * 2 + v[2] * 3;
        }
    planted_sink = sum;
    return ROWS;
}

__attribute__((noinline)) static size_t multiply_flat(void)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (int k = 0; k < WIDTH; k++) {
            const double *v = flat[i][k];
            sum += v[0] + v[1] * 2 + v[2] * 3;
        }
    planted_sink = sum;
    return ROWS;
}

__attribute__((noinline)) static size_t multiply_some(void)
{
    double sum = 0;
    for (size_t i = 0; i < PLANTED_BATCH; i++)
        for (int k = 0; k < WIDTH; k++) {
            const double *v = matrix[planted_random() % ROWS][k];
            sum += v[0] + v[1] * 2 + v[2] * 3;
        }
    planted_sink = sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t multiply_some_flat(void)
{
    double sum = 0;
    for (size_t i = 0; i < PLANTED_BATCH; i++)
        for (int k = 0; k < WIDTH; k++) {
            const double *v = flat[planted_random() % ROWS][k];
            sum += v[0] + v[1] * 2 + v[2] * 3;
        }
    planted_sink = sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t add_balances(void)
{
    double sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++)
        sum += people[planted_random() % PEOPLE]->account->balance;
    planted_sink = sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static void look_at_people(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH * 16; i++)
        sum += people[planted_random() % PEOPLE]->account != NULL;
    planted_sink = (double)sum;
}

__attribute__((noinline)) static void look_at_accounts(void)
{
    double sum = 0;
    for (int i = 0; i < PLANTED_BATCH * 16; i++)
        sum += accounts[planted_random() % PEOPLE]->balance;
    planted_sink = sum;
}

/* One after the other, some tenths of a second each. */
static size_t look_by_turns(void)
{
    look_at_people();
    look_at_accounts();
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t serve(void)
{
    uint64_t sum = 0;
    for (int again = 0; again < 256; again++) {
        for (int i = 0; i < REQUEST; i++) {
            items[i] = malloc(sizeof *items[i]);
            items[i]->key = (uint64_t)i;
        }
        for (int i = 0; i < REQUEST; i++)
            sum += items[i]->key;
        for (int i = 0; i < REQUEST; i++)
            free(items[i]);
    }
    planted_sink = (double)sum;
    return 256 * REQUEST;
}

__attribute__((noinline)) static size_t serve_kept(void)
{
    uint64_t sum = 0;
    for (int again = 0; again < 256; again++) {
        for (int i = 0; i < REQUEST; i++)
            *(volatile uint64_t *)&items[i]->key = (uint64_t)i;
        for (int i = 0; i < REQUEST; i++)
            sum += items[i]->key;
    }
    planted_sink = (double)sum;
    return 256 * REQUEST;
}

/* Allocates for each request, and works on it for a long time. */
__attribute__((noinline)) static size_t serve_slowly(void)
{
    for (int i = 0; i < REQUEST; i++) {
        struct item *item = block(sizeof *item);
        double sum = 0;
        for (int k = 0; k < 1 << 14; k++)
            sum += *(volatile double *)&planted_sink + (double)item->key;
        planted_sink = sum;
        free(item);
    }
    return REQUEST;
}

__attribute__((noinline)) static size_t add_words(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < WORDS; i++)
        sum += *words[i];
    planted_sink = (double)sum;
    return WORDS;
}

__attribute__((noinline)) static size_t add_flat_words(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < WORDS; i++)
        sum += flat_words[i];
    planted_sink = (double)sum;
    return WORDS;
}

/* ---- preparing the data ---- */

static void make_row(size_t row, size_t between)
{
    matrix[row] = block(WIDTH * sizeof *matrix[row]);
    for (int k = 0; k < WIDTH; k++) {
        matrix[row][k] = block(WIDTH * sizeof(double));
        if (between)
            block(between);
    }
}

static void make_matrix(size_t between)
{
    uint32_t *order = planted_shuffled(ROWS);
    matrix = block(ROWS * sizeof *matrix);
    for (size_t i = 0; i < ROWS; i++)
        make_row(order[i], between);
    free(order);
}

static void make_matrix_in_order(size_t between)
{
    matrix = block(ROWS * sizeof *matrix);
    for (size_t i = 0; i < ROWS; i++)
        make_row(i, between);
}

static void make_flat(size_t count)
{
    flat = planted_memory(count * sizeof *flat);
}

/* Accounts in their own blocks, or in the person; the latter in random order. */
static void make_people(size_t apart)
{
    uint32_t *order = planted_shuffled(PEOPLE);
    people = block(PEOPLE * sizeof *people);
    accounts = block(PEOPLE * sizeof *accounts);
    for (size_t i = 0; i < PEOPLE; i++) {
        people[order[i]] = block(sizeof **people);
        people[order[i]]->account = &people[order[i]]->own;
    }
    for (size_t i = 0; i < PEOPLE; i++) {
        if (apart)
            people[i]->account = block(sizeof **accounts);
        accounts[i] = people[i]->account;
    }
    free(order);
}

static void make_items(size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i] = block(sizeof *items[i]);
}

static void make_words(size_t bytes)
{
    words = block(WORDS * sizeof *words);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = block(bytes);
}

static void make_flat_words(size_t count)
{
    flat_words = planted_memory(count * sizeof *flat_words);
}

const struct planted_mode planted_block_modes[] = {
    {"scattered", make_matrix, 40, multiply, 1},
    {"scattered-fixed", make_flat, ROWS, multiply_flat, 1},
    {"scattered-random", make_matrix, 40, multiply_some, 1},
    {"scattered-random-fixed", make_flat, ROWS, multiply_some_flat, 1},
    {"scattered-dense", make_matrix, 0, multiply_some, 1}, /* nothing between them */
    {"scattered-ordered", make_matrix_in_order, 0, multiply, 1},
    {"together", make_people, 1, add_balances, 1},
    {"together-fixed", make_people, 0, add_balances, 1},
    {"together-turns", make_people, 1, look_by_turns, 1}, /* only one at a time */
    {"churn", NULL, 0, serve, 1},
    {"churn-fixed", make_items, REQUEST, serve_kept, 1},
    {"churn-slow", NULL, 0, serve_slowly, 1},
    {"waste", make_words, 8, add_words, 1},
    {"waste-fixed", make_flat_words, WORDS, add_flat_words, 1},
    {"waste-little", make_words, 56, add_words, 1}, /* the blocks fill their chunks */
    {NULL, NULL, 0, NULL, 0},
};
