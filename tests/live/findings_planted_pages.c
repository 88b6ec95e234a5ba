/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory by pages: more pages than the TLB reaches, new pages all the time, columns. */
#include "findings_planted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FRESH_BYTES = 32 << 20, COLUMNS = 2048, LINES_ROWS = 4096 };

static uint64_t *table;
static size_t many; /* elements in it */
static unsigned char *matrix;
static size_t row_bytes;

/* ---- the work ---- */

__attribute__((noinline)) static size_t probe(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++)
        sum += table[planted_random() % many];
    planted_sink = (double)sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t add_table(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < many; i++)
        sum += table[i];
    planted_sink = (double)sum;
    return many;
}

__attribute__((noinline)) static void fill(uint64_t *fresh)
{
    for (size_t i = 0; i < FRESH_BYTES / sizeof *fresh; i++)
        ((volatile uint64_t *)fresh)[i] = i;
}

static size_t fill_fresh(void)
{
    uint64_t *fresh =
        mmap(NULL, FRESH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        exit(3);
    madvise(fresh, FRESH_BYTES, MADV_NOHUGEPAGE);
    fill(fresh);
    munmap(fresh, FRESH_BYTES);
    return FRESH_BYTES;
}

static size_t fill_again(void)
{
    fill(table);
    return FRESH_BYTES;
}

__attribute__((noinline)) static size_t add_columns(void)
{
    double sum = 0;
    for (size_t column = 0; column < COLUMNS; column++)
        for (size_t row = 0; row < LINES_ROWS; row++)
            sum += *(const double *)(matrix + row * row_bytes + column * sizeof(double));
    planted_sink = sum;
    return (size_t)COLUMNS * LINES_ROWS;
}

__attribute__((noinline)) static size_t add_rows(void)
{
    double sum = 0;
    for (size_t row = 0; row < LINES_ROWS; row++)
        for (size_t column = 0; column < COLUMNS; column++)
            sum += *(const double *)(matrix + row * row_bytes + column * sizeof(double));
    planted_sink = sum;
    return (size_t)COLUMNS * LINES_ROWS;
}

/* ---- preparing the data ---- */

static void *pages(size_t bytes, int advice)
{
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(3);
    madvise(memory, bytes, advice);
    memset(memory, 1, bytes);
    return memory;
}

static void make_small_pages(size_t bytes)
{
    many = bytes / sizeof *table;
    table = pages(bytes, MADV_NOHUGEPAGE);
}

static void make_huge_pages(size_t bytes)
{
    many = bytes / sizeof *table;
    table = pages(bytes, MADV_HUGEPAGE);
}

static void make_matrix(size_t bytes)
{
    row_bytes = bytes;
    matrix = pages(bytes * LINES_ROWS, MADV_HUGEPAGE);
}

const struct planted_mode planted_page_modes[] = {
    {"tlb", make_small_pages, 256 << 20, probe, 1},
    {"tlb-fixed", make_huge_pages, 256 << 20, probe, 1},
    {"tlb-small", make_small_pages, 8 << 20, probe, 1},         /* within the reach of the TLB */
    {"tlb-ordered", make_small_pages, 256 << 20, add_table, 1}, /* one page after the other */
    {"first-touch", NULL, 0, fill_fresh, 1},
    {"first-touch-fixed", make_small_pages, FRESH_BYTES, fill_again, 1},
    {"columns", make_matrix, COLUMNS * 8, add_columns, 1},
    {"columns-fixed", make_matrix, COLUMNS * 8 + 64, add_columns, 1},
    {"columns-rows", make_matrix, COLUMNS * 8, add_rows, 1}, /* the same matrix, by rows */
    {NULL, NULL, 0, NULL, 0},
};
