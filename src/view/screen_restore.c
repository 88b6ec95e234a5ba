/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Giving the terminal back from a signal handler; declared in view.h and screen_part.h. */
#include "view/screen_part.h"
#include "view/view.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { RESTORE_BYTES = 512 };

/*
 * What a signal handler needs to give the terminal back. It cannot be handed a pointer,
 * so this is static; written by open, close, suspend and resume only.
 */
static struct {
    volatile sig_atomic_t armed;
    struct termios before;
    size_t length;
    char text[RESTORE_BYTES];
} emergency;

/* Appends a capability without its "$<5>" delays, which only curses can carry out. */
static void add_restore(const char *text)
{
    while (text && *text && emergency.length < RESTORE_BYTES) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            emergency.text[emergency.length++] = *text++;
    }
}

const char *screen_capability(const char *name)
{
    const char *text = tigetstr((char *)(uintptr_t)name);
    return text == (const char *)-1 ? NULL : text;
}

void screen_arm(const struct termios *before)
{
    static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
    emergency.before = *before;
    emergency.length = 0;
    if (screen_capability("kmous"))
        add_restore("\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_restore(screen_capability(names[i]));
    emergency.armed = 1;
}

void screen_emergency_restore(void)
{
    int saved = errno;
    if (emergency.armed) {
        emergency.armed = 0;
        if (write(STDOUT_FILENO, emergency.text, emergency.length) < 0)
            errno = 0; /* nothing more can be done for the picture; the modes still matter */
        tcsetattr(STDIN_FILENO, TCSANOW, &emergency.before);
    }
    errno = saved;
}

void screen_disarm(void)
{
    emergency.armed = 0;
}

void screen_rearm(void)
{
    emergency.armed = 1;
}
