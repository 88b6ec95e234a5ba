/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sampler_doctor() for any kernel, so that tests can put another in its place. */
#ifndef MISSTOP_SAMPLE_DOCTOR_H
#define MISSTOP_SAMPLE_DOCTOR_H

#include "sample/kernel.h"

#include <stdio.h>

void doctor_print(FILE *out, const struct kernel *kernel);

#endif
