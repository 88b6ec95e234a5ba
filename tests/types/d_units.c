/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of two units. A type defined in both is one; a type only declared here is defined there. */
#include "d_say.h"

#include "d_shared.h"

struct shared here;
struct hidden *opaque;
static struct twin {
    long other;
} own_twin;

int main(void)
{
    opaque = make_hidden();
    SAY_VARIABLE("here", here, 0, "struct shared");
    SAY_VARIABLE("there", there, 0, "struct shared");
    SAY_VARIABLE("own_twin", own_twin, 0, "struct twin");
    SAY_AT("other", 0, 8, "long");
    SAY_VARIABLE("opaque", opaque, 0, "struct hidden *");
    return 0;
}
