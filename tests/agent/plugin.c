/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that victim loads and unloads repeatedly. */
#include <stddef.h>
#include <stdlib.h>

void plugin_allocate(size_t size);

void plugin_allocate(size_t size)
{
    void *volatile block = malloc(size);
    free(block);
}
