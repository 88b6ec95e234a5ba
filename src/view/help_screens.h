/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the help says: what each screen shows, how to read it and where to go from there; keys and
 * columns. For the help page.
 */
#ifndef MISSTOP_VIEW_HELP_SCREENS_H
#define MISSTOP_VIEW_HELP_SCREENS_H

#include "view/browser.h"
#include "view/help_writer.h"

/* A few sentences on a screen; NULL where there is none to give. */
const char *help_screen_shows(enum page_id page);
/* What to look for on it, and what then. The same. */
const char *help_screen_next(enum page_id page);

/* All that the help says on the screen that it was asked on. (help_text.c) */
void help_text_write(struct help_writer *writer, struct browser *browser);

#endif
