/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fifteen kinds of loops, for bench_unattributed: entered in the middle, rotated, with continue,
 * nested, short and called repeatedly, over a list, with a switch. Runs until it is killed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t state = 88172645463325252u;
static inline uint64_t drawn(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
struct node {
    struct node *next;
    long value;
    long pad[6];
};
static struct node *nodes;
static long *a, *b;
static unsigned char *text;
static uint32_t *idx;
enum { N = 1 << 17 };
#define F __attribute__((noinline)) static long
/* plain short sums, called repeatedly */
F sum_short(const long *p, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
F sum_while(const long *p, const long *e)
{
    long s = 1;
    while (p != e) {
        s = s * 3 + *p++;
    }
    return s;
}
F with_continue(const long *p, const long *q, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] & 1)
            continue;
        s += q[i & 4095];
        if (s & 2)
            continue;
        s ^= p[i] >> 3;
    }
    return s;
}
F branchy(const long *p, const long *q, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        long v;
        if (p[i] % 3 == 0)
            v = q[(p[i] >> 4) & (N - 1)];
        else
            v = q[(p[i] >> 9) & 1023] ^ i;
        s = s * 5 + v;
    }
    return s;
}
F chain(struct node *p, int n)
{
    long s = 0;
    while (n-- > 0) {
        s += p->value;
        p = p->next;
    }
    return s;
}
F find(struct node *p, long key)
{
    long c = 0;
    while (p && p->value != key) {
        p = p->next;
        if (++c > 40)
            break;
    }
    return p ? p->value : c;
}
F nested(const long *p, int rows, int cols)
{
    long s = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            s = s * 3 + p[i * cols + j];
    return s;
}
F sw(const unsigned char *t, const long *p, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        switch (t[i] % 8) {
        case 0:
            s += p[s & 1023];
            break;
        case 1:
            s ^= p[i];
            break;
        case 2:
            s -= t[s & 4095];
            break;
        case 3:
            s *= 3;
            break;
        case 4:
            s += b[s & (N - 1)];
            break;
        case 5:
            s = -s;
            break;
        case 6:
            s += i;
            break;
        default:
            s++;
        }
    return s;
}
F str(const unsigned char *t)
{
    const unsigned char *e = t;
    while (*e & 0x7f)
        e++;
    return e - t;
}
F bsearch_(const long *p, int n, long key)
{
    int l = 0, h = n;
    while (l < h) {
        int m = (l + h) / 2;
        if (p[m] < key)
            l = m + 1;
        else
            h = m;
    }
    return l;
}
F hist(const unsigned char *t, int n, long *o)
{
    for (int i = 0; i < n; i++)
        o[t[i]]++;
    return o[3];
}
F do_loop(const uint32_t *x, const long *p, int n)
{
    long s = 0;
    int i = 0;
    do {
        s += p[x[i]];
    } while (++i < n);
    return s;
}
F two_entry(const long *p, int n, int m)
{
    long s = 0;
    int i = 0;
    if (m & 1)
        goto in;
    while (i < n) {
        s += p[i * 2];
    in:
        s ^= p[i + 77];
        i++;
    }
    return s;
}
F copyback(long *o, const long *p, int n)
{
    for (int i = n - 1; i >= 0; i--)
        o[i] = p[i] * 3;
    return o[0];
}
F partition(long *p, int n)
{
    long k = p[n / 2];
    int i = 0, j = n - 1;
    while (i < j) {
        while (p[i] < k)
            i++;
        while (p[j] > k)
            j--;
        if (i < j) {
            long t = p[i];
            p[i] = p[j];
            p[j] = t;
            i++;
            j--;
        }
    }
    return i;
}
int main(int c, char **v)
{
    nodes = malloc(N * sizeof *nodes);
    a = malloc(N * 16);
    b = malloc(N * 16);
    text = malloc(N);
    idx = malloc(N * 4);
    for (int i = 0; i < N; i++) {
        nodes[i].value = (long)(drawn() >> 8);
        nodes[i].next = &nodes[drawn() % N];
        a[i] = (long)(drawn() >> 8);
        b[i] = (long)(drawn() >> 8);
        a[i + N] = b[i + N] = i;
        text[i] = (unsigned char)drawn();
        idx[i] = (uint32_t)(drawn() % N);
    }
    long sum = 0, o[256] = {0};
    for (long r = 0;; r++) {
        int at = (int)(drawn() % (N - 8192));
        sum += sum_short(a + at, 12);
        sum += sum_while(b + at, b + at + 9);
        sum += with_continue(a + at, b, 60);
        sum += branchy(a + at, b, 60);
        sum += chain(nodes + at, 20);
        sum += find(nodes + at, b[at]);
        sum += nested(a + at, 6, 7);
        sum += sw(text + at, a, 80);
        sum += str(text + at);
        sum += bsearch_(a, N, b[at]);
        sum += hist(text + at, 70, o);
        sum += do_loop(idx + at, b, 40);
        sum += two_entry(a + at, 11, (int)r);
        sum += copyback(b + 2 * N - 100, a + at, 30);
        sum += partition(a + at, 40);
        if (r == -1)
            printf("%ld\n", sum);
    }
}
