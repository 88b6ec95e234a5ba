/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of a replay: up to which recorded time to read, and at which speed. The caller passes
 * in wall time. All times of the recording are ns since its start. */
#ifndef MISSTOP_ENGINE_PLAY_H
#define MISSTOP_ENGINE_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#define PLAY_END UINT64_MAX /* as a time: the end of the recording */

struct play {
    uint64_t position_ns; /* everything before this has been read */
    uint64_t goal_ns;     /* position to reach before playback continues; position_ns: none */
    uint64_t length_ns;   /* 0: not known */
    uint64_t wall_ns;     /* wall time up to which playback has advanced */
    uint64_t slice_ns; /* recorded time that one read may cover; bounded so that keys are handled */
    double pace; /* recorded seconds per second during playback; INFINITY: as fast as possible */
    bool paused;
    bool ended; /* the end of the recording was reached */
};

/* Initialises the clock: paused at the start, with a speed of 1. */
void play_init(struct play *play, uint64_t length_ns, uint64_t now_ns);

/* Returns the time up to which to read now; position_ns: nothing is due. A long way may be divided
 * into several calls: if play_hurries() is true, call again without waiting. */
uint64_t play_due(struct play *play, uint64_t now_ns);
bool play_hurries(const struct play *play);

/* Reports that the slice has been read, at wall time now_ns; `ended`: end of the recording. */
void play_done(struct play *play, uint64_t until_ns, uint64_t now_ns, bool ended);

bool play_seeks(const struct play *play);

/* Return true if the recording must be read again from its start; the clock is set accordingly. */
bool play_go(struct play *play, uint64_t to_ns);
bool play_step(struct play *play, double seconds);   /* also pauses */
bool play_pause(struct play *play, uint64_t now_ns); /* or resumes; at the end: restarts */

/* Parses 80, 80s, 1m20s, 1h2m, 1:20, 1:02:03, 50%; with + or -, relative to the current position or
 * goal; "here", "end". Returns false if invalid, or a percentage of an unknown length. */
bool play_parse(const struct play *play, const char *text, uint64_t *to_ns);

#endif
