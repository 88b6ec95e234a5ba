/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as they stand in the store: seven bits a byte, the least significant first, the top bit
 * says that more follow; differences with their sign in bit 0. For src/store only.
 */
#ifndef MISSTOP_STORE_NUMBER_H
#define MISSTOP_STORE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { NUMBER_BYTES_MAX = 10 };

/* What is still to be read; `at` never passes `end`. */
struct numbers {
    const unsigned char *at;
    const unsigned char *end;
};

static inline unsigned char *number_put(unsigned char *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (unsigned char)(value | 0x80);
    *out++ = (unsigned char)value;
    return out;
}

/* false: the bytes end before the number, or it has more than 64 bits. */
static inline bool number_get(struct numbers *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        unsigned char byte = *from->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return shift < 63 || byte <= 1;
    }
    return false;
}

static inline uint64_t number_of_difference(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t number_to_difference(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* A double as the number with its bits, the exponent in the low ones: round values are short. */
static inline uint64_t number_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return __builtin_bswap64(bits);
}

static inline double number_to_double(uint64_t number)
{
    uint64_t bits = __builtin_bswap64(number);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
