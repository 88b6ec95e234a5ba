/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): a share and how sure it is. */
#ifndef MISSTOP_SNAPSHOT_SHARE_H
#define MISSTOP_SNAPSHOT_SHARE_H

/* A share, or a rate or ratio, with its 95 % interval (src/profile/interval.h: how it is got). */
struct snapshot_share {
    double value; /* 0..1, but for ratios */
    double low;
    double high;
};

#endif
