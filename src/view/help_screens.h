/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each screen shows, how to read it and where to go from there, in words. For the help page.
 */
#ifndef MISSTOP_VIEW_HELP_SCREENS_H
#define MISSTOP_VIEW_HELP_SCREENS_H

#include "view/browser.h"

/* A few sentences on a screen; NULL where there is none to give. */
const char *help_screen_shows(enum page_id page);
/* What to look for on it, and what then. The same. */
const char *help_screen_next(enum page_id page);

#endif
