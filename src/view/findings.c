/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings in sentences; see findings.h. The rules are in src/profile/findings. */
#include "view/findings.h"

#include <stdio.h>

#include "view/pages/sharing.h"

void finding_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    snprintf(words->evidence, sizeof words->evidence, "%s", finding->evidence);
    snprintf(words->advice, sizeof words->advice, "%s", finding->advice);
    if (finding->remedy.kind)
        sharing_remedy_words(&finding->remedy, words->advice, sizeof words->advice);
    snprintf(words->reckoned, sizeof words->reckoned, "%s", finding->reckoned);
    snprintf(words->how_sure, sizeof words->how_sure, "%s", finding->how_sure);
}
