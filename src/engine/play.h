/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock of a replay: up to which time of the recording it is to be read, at which pace. It has
 * no access to recording or screen, and wall time is passed in. All times of the recording are ns
 * since its start.
 */
#ifndef MISSTOP_ENGINE_PLAY_H
#define MISSTOP_ENGINE_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#define PLAY_END UINT64_MAX /* as a time: all that there is */

struct play {
    uint64_t position_ns; /* read up to here */
    uint64_t goal_ns;     /* to be reached before playing goes on; position_ns: nothing to reach */
    uint64_t length_ns;   /* 0: not known */
    uint64_t wall_ns;     /* up to which wall time has been played */
    uint64_t slice_ns;    /* recorded time that one read may take in, so that keys are heard */
    double pace;          /* recorded seconds a second, while it plays; INFINITY: all it can */
    bool paused;
    bool ended; /* the recording has no more */
};

/* Paused at the start, with a pace of 1. */
void play_init(struct play *play, uint64_t length_ns, uint64_t now_ns);

/*
 * The time up to which to read now; position_ns: nothing is due. The whole way there need not be
 * due at once: play_hurries() says whether to ask again without waiting.
 */
uint64_t play_due(struct play *play, uint64_t now_ns);
bool play_hurries(const struct play *play);

/* Reports that the slice of play_due() has been read, which took until now_ns; `ended`: there is no
 * more. */
void play_done(struct play *play, uint64_t until_ns, uint64_t now_ns, bool ended);

/* Still on the way to a time that was asked for. */
bool play_seeks(const struct play *play);

/*
 * Each may turn back. True: the recording must be read again from its start, and the clock
 * counts on that.
 */
bool play_go(struct play *play, uint64_t to_ns);
bool play_step(struct play *play, double seconds);   /* and pauses */
bool play_pause(struct play *play, uint64_t now_ns); /* or on; at the end: from the start */

/*
 * A time as people write it: 80, 80s, 1m20s, 1h2m, 1:20, 1:02:03, 50%, or with + or - from where
 * it is, or is going; "here", "end". False: none of these, or a part of a length that is not known.
 */
bool play_parse(const struct play *play, const char *text, uint64_t *to_ns);

#endif
