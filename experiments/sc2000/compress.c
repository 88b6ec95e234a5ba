/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compress: text is compressed by LZW, with codes of 16 bits in a hash table, and decompressed
 * again. Both buffers stream through the cache; the tables (552 and 138 kB) stay in it.
 */
#include "program.h"

enum {
    TEXT_BYTES = 12 << 20,
    SLICES = 64,
    SLICE = TEXT_BYTES / SLICES, /* one file: compressed, decompressed, dropped */
    TABLE = 69001,
    CODES = 65536,
    FIRST_CODE = 257
};

static uint8_t orig_text_buffer[TEXT_BYTES];
static uint16_t comp_text_buffer[TEXT_BYTES];
static int64_t htab[TABLE];
static uint16_t codetab[TABLE];

static uint32_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

/* Text with an uneven distribution of letters, and some noise. */
static void prepare(void)
{
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        orig_text_buffer[i] =
            draw() % 8 ? (uint8_t)('a' + draw() % (1 + draw() % 26)) : (uint8_t)(' ' + draw() % 64);
}

/* Double hashing; the table becomes almost full. */
static uint32_t find(int64_t key, uint32_t hash)
{
    uint32_t step = hash ? TABLE - hash : 1;
    for (;;) {
        int64_t there = READ(htab[hash]);
        WORK(5);
        if (there == key || there < 0)
            return hash;
        hash = hash >= step ? hash - step : hash + TABLE - step;
    }
}

static uint32_t pack(const uint8_t *text, uint32_t bytes, uint16_t *out)
{
    uint32_t next = FIRST_CODE;
    uint32_t written_codes = 0;
    for (uint32_t i = 0; i < TABLE; i++)
        WRITE(htab[i], -1);
    uint32_t code = READ(text[0]);
    for (uint32_t i = 1; i < bytes; i++) {
        uint32_t letter = READ(text[i]);
        int64_t key = (int64_t)letter << 16 | code;
        uint32_t at = find(key, ((letter << 8) ^ code) % TABLE);
        WORK(12);
        if (htab[at] == key) {
            code = READ(codetab[at]);
            continue;
        }
        WRITE(out[written_codes], (uint16_t)code);
        written_codes++;
        if (next < CODES) {
            WRITE(codetab[at], (uint16_t)next);
            WRITE(htab[at], key);
            next++;
        }
        code = letter;
    }
    WRITE(out[written_codes], (uint16_t)code);
    return written_codes + 1;
}

/* Uses the memory of htab for prefixes and that of codetab for last letters. */
static uint32_t unpack(const uint16_t *codes, uint32_t count, uint8_t *text)
{
    uint32_t next = FIRST_CODE;
    uint32_t at = 0;
    uint32_t before = READ(codes[0]);
    uint32_t first_letter = before;
    WRITE(text[at], (uint8_t)before);
    at++;
    for (uint32_t i = 1; i < count; i++) {
        uint8_t stack[SLICE / 64];
        uint32_t depth = 0;
        uint32_t code = READ(codes[i]);
        uint32_t walk = code;
        if (code >= next) { /* the code that is being added */
            stack[depth++] = (uint8_t)first_letter;
            walk = before;
        }
        while (walk >= FIRST_CODE && depth < sizeof stack - 1) {
            stack[depth++] = (uint8_t)READ(codetab[walk]);
            walk = (uint32_t)READ(htab[walk]);
            WORK(6);
        }
        first_letter = walk;
        stack[depth++] = (uint8_t)walk;
        while (depth) {
            WRITE(text[at], stack[--depth]);
            at++;
            WORK(3);
        }
        if (next < CODES) {
            WRITE(htab[next], (int64_t)before);
            WRITE(codetab[next], (uint16_t)first_letter);
            next++;
        }
        before = code;
        WORK(12);
    }
    return at;
}

static void run(uint32_t part)
{
    uint32_t at = part % SLICES * SLICE;
    uint32_t count = pack(&orig_text_buffer[at], SLICE, &comp_text_buffer[at]);
    unpack(&comp_text_buffer[at], count, &orig_text_buffer[at]);
}

static const struct sc_object objects[] = {OBJECT(orig_text_buffer), OBJECT(comp_text_buffer),
                                           OBJECT(htab), OBJECT(codetab)};

const struct sc_program compress = {"compress",  prepare, run,
                                    10 * SLICES, objects, COUNT_OF(objects)};
