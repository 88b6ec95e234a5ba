/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file is that is no recording, and what to do with it instead. For input.c and
 * perfdata_header.c. */
#ifndef MISSTOP_SAMPLE_FOREIGN_H
#define MISSTOP_SAMPLE_FOREIGN_H

#include <stddef.h>

/* By its first bytes: "is ...; remedy", to follow the path. Never NULL. */
const char *foreign_file(const unsigned char *bytes, size_t size);

/* The same of an open folder. */
const char *foreign_folder(int fd);

#endif
