/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment's programs without its instruments, to be observed from outside.
 *
 *   alone PROGRAM [PARTS]     PARTS time steps; default: a whole run
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct sc_program *const programs[] = {&tomcatv, &swim,     &su2cor, &mgrid,
                                                        &applu,   &compress, &ijpeg};
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(argv[1], programs[i]->name))
            continue;
        uint32_t parts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : programs[i]->parts;
        programs[i]->prepare();
        for (uint32_t part = 0; part < parts; part++)
            programs[i]->run(part);
        return 0;
    }
    fprintf(stderr, "usage: alone tomcatv|swim|su2cor|mgrid|applu|compress|ijpeg [PARTS]\n");
    return 2;
}
