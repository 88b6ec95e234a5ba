/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by both units of twins.c. */
#ifndef MISSTOP_TESTS_TYPES_TWINS_H
#define MISSTOP_TESTS_TYPES_TWINS_H

struct left {
    double weight;
    int id;
};

struct right {
    int id;
    double weight;
};

struct shared {
    struct shared *next;
    int count;
};

struct right *second_make(int count);
double second_total(const struct shared *shared);

#endif
