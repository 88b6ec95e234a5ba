/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of two units. A type defined in both is one; a type only declared here is defined there. */
#include "d_print.h"

#include "d_shared.h"

struct shared here;
struct hidden *opaque;
static struct twin {
    long other;
} own_twin;

int main(void)
{
    opaque = make_hidden();
    PRINT_VARIABLE("here", here, 0, "struct shared");
    PRINT_VARIABLE("there", there, 0, "struct shared");
    PRINT_VARIABLE("own_twin", own_twin, 0, "struct twin");
    PRINT_AT("other", 0, 8, "long");
    PRINT_VARIABLE("opaque", opaque, 0, "struct hidden *");
    return 0;
}
