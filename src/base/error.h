/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of an error: set where the cause is known, printed by main or the status line. Never
 * allocated; any layer may use it. */
#ifndef MISSTOP_BASE_ERROR_H
#define MISSTOP_BASE_ERROR_H

struct error {
    int code;       /* negative errno; 0: no error */
    char text[512]; /* cause and remedy, one line, no newline */
};

/* Sets code (a negative errno) and text, and returns code. `error` may be NULL. */
int error_set(struct error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Names the limit and the command that raises it, or reports a full disk. */
enum { ERROR_CAUSE = 256 };
const char *error_cause(int code, char out[ERROR_CAUSE]);

/* Returns the remedy for a refused inspection: "try sudo", or what root itself lacks. */
const char *error_rights_remedy(void);

#endif
