/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

void line_answer(struct program *program, struct dwarf_answer *answer)
{
    (void)program;
    answer->untyped = UNTYPED_NO_VARIABLE;
}
