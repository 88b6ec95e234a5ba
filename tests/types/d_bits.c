/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each function reads or writes the bit-field in its name. */
struct packed {
    unsigned lo : 10, hi : 22;
    unsigned a : 3, b : 3, c : 10, d : 16;
    unsigned long big : 40, rest : 24;
    signed s1 : 7, s2 : 25;
    _Bool f1 : 1, f2 : 1;
    long after;
    unsigned char u : 3, v : 5;
    char between;
    unsigned short w : 6, x : 10;
};

#define READ(name)                                                                                 \
    __attribute__((noinline)) long r_##name(const struct packed *all, int count)                   \
    {                                                                                              \
        long sum = 0;                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            sum += all[i].name;                                                                    \
        return sum;                                                                                \
    }
#define WRITE(name)                                                                                \
    __attribute__((noinline)) long w_##name(struct packed *all, int count)                         \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            all[i].name = i;                                                                       \
        return 0;                                                                                  \
    }
#define BOTH(name) READ(name) WRITE(name)

BOTH(lo)
BOTH(hi)
BOTH(a) BOTH(b) BOTH(c) BOTH(d) BOTH(big) BOTH(rest) BOTH(s1) BOTH(s2) BOTH(f2) BOTH(u) BOTH(v)
    BOTH(w) BOTH(x)

        int main(void)
{
    return 0;
}
