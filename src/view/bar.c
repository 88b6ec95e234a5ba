/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/bar.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8 };

static const char *const lying[STEPS + 1] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const standing[STEPS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_steps[STEPS] = {"_", ".", ":", "-", "=", "+", "*", "#"};

static size_t append(char *out, size_t size, size_t used, const char *text)
{
    size_t length = strlen(text);
    if (used + length >= size)
        return used;
    memcpy(out + used, text, length + 1);
    return used + length;
}

void bar_fill(char *out, size_t size, int columns, double fraction, bool ascii)
{
    size_t used = 0;
    double filled = fraction > 0 ? fmin(fraction, 1) * columns * STEPS : 0;
    int eighths = filled > 0 && filled < 1 ? 1 : (int)lround(filled);
    *out = '\0';
    for (int i = 0; i < columns; i++) {
        int here = eighths - i * STEPS;
        here = here < 0 ? 0 : here > STEPS ? STEPS : here;
        /* In ASCII a half counts; the first character shows whatever there is. */
        bool mark = here >= STEPS / 2 || (i == 0 && here > 0);
        used = append(out, size, used, !ascii ? lying[here] : mark ? "#" : " ");
    }
}

const char *bar_step(double fraction, bool ascii)
{
    if (isnan(fraction))
        return " ";
    long step = lround(fmin(fmax(fraction, 0), 1) * (STEPS - 1));
    return ascii ? ascii_steps[step] : standing[step];
}

static double largest(const float *values, size_t count)
{
    double top = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > top)
            top = values[i];
    return top;
}

void bar_spark(char *out, size_t size, int columns, const float *values, size_t count, double top,
               bool ascii)
{
    size_t used = 0;
    size_t shown = columns < 0 ? 0 : (size_t)columns;
    *out = '\0';
    for (; shown > count; shown--)
        used = append(out, size, used, " ");
    if (!(top > 0))
        top = largest(values, count);
    for (size_t i = count - shown; i < count; i++)
        used = append(out, size, used, bar_step(top > 0 ? values[i] / top : values[i], ascii));
}
