/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ijpeg: a picture on the heap is compressed. Blocks of 8 x 8 are transformed, divided by the
 * quantisation table, and the remaining values are written as runs. Much arithmetic and few misses:
 * nearly all are on the picture, and some on the compressed data.
 */
#include "program.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 2048, HEIGHT = 1536, SIDE = 8, BLOCK = SIDE * SIDE, HEAP_TABLES = 16384 };

static uint8_t jpeg_compressed_data[WIDTH * HEIGHT];
static uint16_t std_chrominance_quant_tbl[BLOCK];
static double cosine[SIDE][SIDE];
static uint8_t (*picture)[WIDTH];
static int32_t *work;
static struct sc_object objects[] = {{"picture (heap)", NULL, (size_t)WIDTH *HEIGHT},
                                     {"work (heap)", NULL, HEAP_TABLES * sizeof(int32_t)},
                                     OBJECT(jpeg_compressed_data),
                                     OBJECT(std_chrominance_quant_tbl)};

static void prepare(void)
{
    picture = malloc((size_t)WIDTH * HEIGHT);
    work = calloc(HEAP_TABLES, sizeof *work);
    if (!picture || !work)
        abort();
    objects[0].base = picture;
    objects[1].base = work;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            picture[y][x] = (uint8_t)(128 + 60 * sin(0.01 * x + 0.004 * y) + 20 * cos(0.2 * y) +
                                      (x * 7919 + y * 104729) % 13);
    for (int i = 0; i < BLOCK; i++)
        std_chrominance_quant_tbl[i] = (uint16_t)(6 + i / SIDE + i % SIDE);
    for (int u = 0; u < SIDE; u++)
        for (int x = 0; x < SIDE; x++)
            cosine[u][x] = cos((2 * x + 1) * u * M_PI / 16) * (u ? 0.5 : M_SQRT1_2 / 2);
}

/* Transforms one dimension, with elements `step` apart; the block itself is in registers and L1. */
static void transform(double *line, int step)
{
    double out[SIDE];
    for (int u = 0; u < SIDE; u++) {
        out[u] = 0;
        for (int x = 0; x < SIDE; x++)
            out[u] += cosine[u][x] * line[x * step];
    }
    for (int u = 0; u < SIDE; u++)
        line[u * step] = out[u];
    WORK(150);
}

static uint32_t write_block(const double *block, uint32_t at)
{
    int run = 0;
    for (int i = 0; i < BLOCK; i++) {
        int value = (int)lrint(block[i] / READ(std_chrominance_quant_tbl[i]));
        WORK(12);
        if (!value && i < BLOCK - 1) {
            run++;
            continue;
        }
        WRITE(work[(uint32_t)(value + 8192) % HEAP_TABLES], run);
        WRITE(jpeg_compressed_data[at], (uint8_t)(run << 4 | (value & 15)));
        at++;
        run = 0;
    }
    return at;
}

static void run(uint32_t part)
{
    uint32_t at = 0;
    (void)part;
    for (int y = 0; y < HEIGHT; y += SIDE)
        for (int x = 0; x < WIDTH; x += SIDE) {
            double block[BLOCK];
            for (int i = 0; i < BLOCK; i++)
                block[i] = READ(picture[y + i / SIDE][x + i % SIDE]) - 128.0;
            for (int i = 0; i < SIDE; i++)
                transform(&block[i * SIDE], 1);
            for (int i = 0; i < SIDE; i++)
                transform(&block[i], SIDE);
            at = write_block(block, at);
        }
}

const struct sc_program ijpeg = {"ijpeg", prepare, run, 100, objects, COUNT_OF(objects)};
