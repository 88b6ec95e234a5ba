/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the keys that play a recording do; declared in browser.h. */
#include "view/browser.h"

#include <stdio.h>

static struct request play_request(enum request_kind kind, int direction, const char *to)
{
    struct request request = {.kind = kind, .direction = direction};
    snprintf(request.name, sizeof request.name, "%s", to);
    return request;
}

struct request play_act(struct browser *browser, enum action action)
{
    if (!browser->replays) {
        browser_message(browser, "this key plays a recording: misstop -i FILE");
        return play_request(REQUEST_NONE, 0, "");
    }
    switch (action) {
    case ACTION_PLAY_STEP:
        return play_request(REQUEST_PLAY_STEP, 1, "");
    case ACTION_PLAY_STEP_BACK:
        return play_request(REQUEST_PLAY_STEP, -1, "");
    case ACTION_PLAY_FASTER:
        return play_request(REQUEST_PLAY_PACE, 1, "");
    case ACTION_PLAY_SLOWER:
        return play_request(REQUEST_PLAY_PACE, -1, "");
    case ACTION_PLAY_FORWARD:
        return play_request(REQUEST_PLAY_JUMP, 1, "");
    case ACTION_PLAY_BACK:
        return play_request(REQUEST_PLAY_JUMP, -1, "");
    case ACTION_PLAY_START:
        return play_request(REQUEST_PLAY_GO, 0, "0");
    case ACTION_PLAY_END:
        return play_request(REQUEST_PLAY_GO, 0, "end");
    case ACTION_PLAY_GO:
        prompt_ask(browser, PROMPT_TIME, "");
        return play_request(REQUEST_NONE, 0, "");
    case ACTION_PROCESSES:
        return play_request(REQUEST_PROCESSES, 0, "");
    default:
        return play_request(REQUEST_PLAY_PAUSE, 0, "");
    }
}
