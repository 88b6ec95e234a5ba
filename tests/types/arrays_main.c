/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts arrays.f90; the test moves its code into the section of marked code. */
#include "truth.h"

enum { COUNT = 12 };

struct particle {
    double position[3], speed[3];
    int kind, flags;
};

void run(struct particle *all, int count);
double total(const double *numbers, const int *count);

volatile double sink;

int main(void)
{
    struct particle *all = zeroed(COUNT, sizeof *all);
    double *numbers = zeroed(COUNT, sizeof *numbers);
    int *count = zeroed(1, sizeof *count);
    *count = COUNT;
    for (int i = 0; i < COUNT; i++)
        all[i].kind = i;
    TYPE("arrays::particle", struct particle);
    PART("arrays::particle", struct particle, position, "double", double);
    PART("arrays::particle", struct particle, speed, "double", double);
    PART("arrays::particle", struct particle, kind, "int", int);
    PART("arrays::particle", struct particle, flags, "int", int);
    TYPE("double", double);
    TYPE("int", int);
    OBJECT("arrays::particle", all, COUNT);
    OBJECT("double", numbers, COUNT);
    OBJECT("int", count, 1);
    ready();
    run(all, COUNT);
    sink = total(numbers, count);
    return 0;
}
