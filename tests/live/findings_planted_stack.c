/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables on the stack. */
#include "findings_planted.h"

enum { VALUES = 1 << 10, CLASSES = 256 };

static double values[VALUES];

__attribute__((noinline)) static size_t add_in_memory(void)
{
    volatile double sum = 0; /* as if its address were known elsewhere */
    for (int i = 0; i < PLANTED_BATCH; i++)
        sum += values[i % VALUES];
    planted_sink = sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t add_in_register(void)
{
    double sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++)
        sum += values[i % VALUES];
    planted_sink = sum;
    return PLANTED_BATCH;
}

static void make_values(size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(planted_random() % 100);
}

/* A table on the stack, which does not fit in registers. */
__attribute__((noinline)) static size_t count_classes(void)
{
    volatile uint32_t classes[CLASSES] = {0};
    for (int i = 0; i < PLANTED_BATCH; i++)
        classes[planted_random() % CLASSES]++;
    planted_sink = classes[1];
    return PLANTED_BATCH;
}

const struct planted_mode planted_stack_modes[] = {
    {"stack", make_values, VALUES, add_in_memory, 1},
    {"stack-fixed", make_values, VALUES, add_in_register, 1},
    {"stack-table", NULL, 0, count_classes, 1},
    {NULL, NULL, 0, NULL, 0},
};
