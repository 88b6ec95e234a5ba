/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other unit of d_units.c. */
#include "d_shared.h"

struct hidden {
    int secret;
    struct shared inner;
};

struct shared there = {.number = 2};
static struct hidden hidden;
struct twin {
    int same_name, other_members;
} twin;

struct hidden *make_hidden(void)
{
    hidden.secret = twin.same_name;
    return &hidden;
}
