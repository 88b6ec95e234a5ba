/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/play.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S       1e9
#define SLICE_FIRST_NS UINT64_C(50000000)
#define SLICE_MIN_NS   UINT64_C(1000000)

/* Assumed length of a pipe: 10 % forward means 10 s. */
#define LENGTH_NOT_KNOWN_NS UINT64_C(100000000000)

/* Target duration for reading one slice: too short to be noticed as a key delay. */
enum { READ_BRIEF_NS = 10000000, READ_LONG_NS = 40000000 };

static uint64_t time_after(uint64_t time_ns, uint64_t by_ns)
{
    return time_ns > PLAY_END - by_ns ? PLAY_END : time_ns + by_ns;
}

/* Invalid times and times outside the recording are clamped. */
static uint64_t ns_of(double seconds)
{
    double ns = seconds * NS_PER_S;
    return !(ns > 0) ? 0 : ns >= 0x1p63 ? PLAY_END : (uint64_t)ns;
}

void play_init(struct play *play, uint64_t length_ns, uint64_t now_ns)
{
    *play = (struct play){.length_ns = length_ns,
                          .wall_ns = now_ns,
                          .slice_ns = SLICE_FIRST_NS,
                          .pace = 1,
                          .paused = true};
}

bool play_seeks(const struct play *play)
{
    return !play->ended && play->goal_ns > play->position_ns;
}

bool play_hurries(const struct play *play)
{
    return play_seeks(play) || (!play->paused && !play->ended && isinf(play->pace));
}

uint64_t play_due(struct play *play, uint64_t now_ns)
{
    uint64_t most = time_after(play->position_ns, play->slice_ns);
    uint64_t wanted = play->position_ns;
    if (play_seeks(play))
        wanted = play->goal_ns;
    else if (!play->paused && !play->ended && isinf(play->pace))
        wanted = PLAY_END;
    else if (!play->paused && !play->ended && now_ns > play->wall_ns)
        wanted =
            time_after(wanted, ns_of((double)(now_ns - play->wall_ns) / NS_PER_S * play->pace));
    play->wall_ns = now_ns;
    uint64_t due = wanted < most ? wanted : most;
    /* Records after the last sample belong to the end. */
    return play->length_ns && due >= play->length_ns && due > play->position_ns ? PLAY_END : due;
}

/* Adapts the slice length to the time that reading a slice took; a partial slice never grows it. */
static void adapt_slice(struct play *play, uint64_t until_ns, uint64_t took_ns)
{
    bool whole = until_ns - play->position_ns >= play->slice_ns;
    if (took_ns > READ_LONG_NS && play->slice_ns / 2 >= SLICE_MIN_NS)
        play->slice_ns /= 2;
    else if (whole && took_ns < READ_BRIEF_NS && play->slice_ns < PLAY_END / 2)
        play->slice_ns *= 2;
}

void play_done(struct play *play, uint64_t until_ns, uint64_t now_ns, bool ended)
{
    uint64_t length_ns = play->length_ns;
    adapt_slice(play, until_ns, now_ns - play->wall_ns);
    bool sought = play_seeks(play);
    if (ended) {
        play->ended = play->paused = true;
        until_ns = PLAY_END;
    }
    if (length_ns && until_ns > length_ns)
        play->position_ns = length_ns;
    else if (until_ns < PLAY_END)
        play->position_ns = until_ns;
    if (ended)
        play->goal_ns = play->position_ns;
    if (sought)
        play->wall_ns = now_ns; /* continue from here, not from the time of the request */
    if (play->goal_ns < play->position_ns)
        play->goal_ns = play->position_ns;
}

bool play_go(struct play *play, uint64_t to_ns)
{
    if (play->length_ns && to_ns >= play->length_ns)
        to_ns = PLAY_END;
    if (to_ns >= play->position_ns || (play->ended && to_ns == PLAY_END)) {
        play->goal_ns = to_ns;
        return false;
    }
    play->position_ns = 0;
    play->slice_ns = SLICE_FIRST_NS; /* measure the speed again: names are no longer known */
    play->goal_ns = to_ns;
    play->ended = false;
    return true;
}

/* Returns the position `seconds` after the current position, or after the goal if seeking. */
static uint64_t play_from(const struct play *play, double seconds)
{
    uint64_t from_ns = play_seeks(play) ? play->goal_ns : play->position_ns;
    uint64_t by_ns = ns_of(fabs(seconds));
    if (seconds >= 0)
        return time_after(from_ns, by_ns);
    if (from_ns == PLAY_END)
        from_ns = play->length_ns ? play->length_ns : play->position_ns;
    return from_ns > by_ns ? from_ns - by_ns : 0;
}

bool play_step(struct play *play, double seconds)
{
    play->paused = true;
    return play_go(play, play_from(play, seconds));
}

bool play_pause(struct play *play, uint64_t now_ns)
{
    play->wall_ns = now_ns;
    play->paused = !play->paused;
    return play->ended && !play->paused && play_go(play, 0);
}

/* Parses "1:02:03": each part counts 60 times the next one. */
static bool parse_colons(const char *text, double *seconds)
{
    char *end;
    *seconds = 0;
    for (;;) {
        if (!isdigit((unsigned char)*text))
            return false;
        *seconds = *seconds * 60 + strtod(text, &end);
        if (*end != ':')
            return !*end;
        text = end + 1;
    }
}

/* Parses "1h2m3.5s"; a missing last unit means seconds. */
static bool parse_units(const char *text, double *seconds)
{
    *seconds = 0;
    do {
        char *end;
        if (!isdigit((unsigned char)*text) && *text != '.')
            return false;
        double value = strtod(text, &end);
        if (end == text)
            return false;
        *seconds += value * (*end == 'h' ? 3600 : *end == 'm' ? 60 : 1);
        text = end + (*end && strchr("hms", *end) ? 1 : 0);
    } while (*text);
    return true;
}

bool play_parse(const struct play *play, const char *text, uint64_t *to_ns)
{
    double seconds;
    char *end;
    text += strspn(text, " ");
    *to_ns = PLAY_END;
    if (!strcmp(text, "end"))
        return true;
    *to_ns = play->position_ns;
    if (!strcmp(text, "here"))
        return true;
    char sign = *text == '+' || *text == '-' ? *text++ : '\0';
    size_t length = strlen(text);
    /* strtod() would also accept "inf", "0x10" and "1e9". */
    if (text[strspn(text, "0123456789.:hms%")])
        return false;
    if (length && text[length - 1] == '%') {
        double part = isdigit((unsigned char)*text) ? strtod(text, &end) : NAN;
        if (isnan(part) || strcmp(end, "%") || (!sign && !play->length_ns))
            return false;
        uint64_t length_ns = play->length_ns ? play->length_ns : LENGTH_NOT_KNOWN_NS;
        seconds = part / 100 * (double)length_ns / NS_PER_S;
    } else if (strchr(text, ':') ? !parse_colons(text, &seconds) : !parse_units(text, &seconds)) {
        return false;
    }
    *to_ns = sign ? play_from(play, sign == '-' ? -seconds : seconds) : ns_of(seconds);
    return true;
}
