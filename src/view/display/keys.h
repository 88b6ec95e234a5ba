/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys and their actions. The keyboard, the key bar and the help all use the table of screens
 * (screens.h) and, for all other keys, the table in keys.c. Terminal codes stay in display.c. */
#ifndef MISSTOP_VIEW_DISPLAY_KEYS_H
#define MISSTOP_VIEW_DISPLAY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys that are not characters; the values are above all of Unicode. */
enum key {
    KEYS_UP = 0x200000,
    KEYS_DOWN,
    KEYS_LEFT,
    KEYS_RIGHT,
    KEYS_PAGE_UP,
    KEYS_PAGE_DOWN,
    KEYS_HOME,
    KEYS_END,
    KEYS_ENTER,
    KEYS_ESCAPE,
    KEYS_BACKSPACE,
    KEYS_TAB,
    KEYS_BACK_TAB,
    KEYS_F1,
    KEYS_F2,
    KEYS_F3,
    KEYS_F4,
    KEYS_F5,
    KEYS_F6,
    KEYS_F7,
    KEYS_F8,
    KEYS_F9,
    KEYS_F10,
    KEYS_F12 = KEYS_F1 + 11
};

enum action {
    ACTION_NONE,
    ACTION_NEXT_SCREEN,
    ACTION_LAST_SCREEN,
    ACTION_UP,
    ACTION_DOWN,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_HOME,
    ACTION_END,
    ACTION_ENTER,
    ACTION_BACK,
    ACTION_FOLD,
    ACTION_FIND,
    ACTION_FIND_NEXT,
    ACTION_FILTER,
    ACTION_SORT_NEXT,
    ACTION_SORT_LAST,
    ACTION_INVERT,
    ACTION_FREEZE,
    ACTION_BASIS,
    ACTION_ZERO,
    ACTION_FASTER,
    ACTION_SLOWER,
    ACTION_NEXT_EVENT,
    ACTION_SEARCH_HERE,
    ACTION_SEARCH_ALL,
    ACTION_SEARCH_STOP,
    ACTION_WRITE,
    ACTION_STACK,
    ACTION_MARK,
    ACTION_RENAME,
    ACTION_TAG,
    ACTION_COMBINE,
    ACTION_UNDO,
    ACTION_SPAN,
    ACTION_NOW,
    ACTION_MEASURE,
    ACTION_ALL_OBJECTS,
    ACTION_PLAY_PAUSE, /* from here to ACTION_PROCESSES: only in a replay */
    ACTION_PLAY_STEP,
    ACTION_PLAY_STEP_BACK,
    ACTION_PLAY_FORWARD,
    ACTION_PLAY_BACK,
    ACTION_PLAY_START,
    ACTION_PLAY_END,
    ACTION_PLAY_GO,
    ACTION_PROCESSES,
    ACTION_COUNTING,
    ACTION_THREADS,
    ACTION_USER,
    ACTION_MOVE_UP, /* moves a column in Setup */
    ACTION_MOVE_DOWN,
    ACTION_NO_SIGNAL, /* key that kills a process in htop */
    ACTION_REFRESH,
    ACTION_SUSPEND,
    ACTION_QUIT,
    ACTION_SHOW /* ACTION_SHOW + n shows the screen with number n in screens.h */
};

struct key_binding {
    enum action action;
    uint32_t keys[4];  /* terminated by 0 */
    const char *shown; /* the keys as named in the help */
    const char *brief; /* one of them, for the key bar */
    const char *label; /* its effect in one word */
    const char *help;  /* NULL: explained by the previous entry */
};

/* Formats the name of a key: "F7", "Ctrl-K", "x". */
void keys_name(uint32_t key, char *out, size_t size);

/* Returns ACTION_NONE if the key has no action. */
enum action keys_action(uint32_t key);

/* Returns all bindings except those of the screens, in the order of the help screen. */
const struct key_binding *keys_all(size_t *count);
/* Returns the binding of any action, including screens; ACTION_NONE: there is no key. */
struct key_binding keys_binding(enum action action);

/* Returns true if the action is only useful in a replay. */
static inline bool keys_replays(enum action action)
{
    return action >= ACTION_PLAY_PAUSE && action <= ACTION_PROCESSES;
}

#endif
