/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers across calls: results, parameters in registers and memory, structs by value, tables of
 * functions, and more pointers at once than there are registers. */
#include "truth.h"

enum { COUNT = 12 };

struct account {
    long number;
    double balance;
    struct account *heir;
    long log[4];
};

struct pair {
    struct account *one;
    struct account *other;
};

struct report {
    double total;
    struct account *richest;
    long counts[6];
};

struct bank {
    struct account *(*find)(struct bank *bank, long number);
    void (*pay)(struct account *from, struct account *to, double amount);
    struct account *accounts;
    long count;
};

static struct account *accounts;
static struct bank *bank;
volatile double sink;
volatile long chosen = 5;

MARKED static struct account *find(struct bank *in, long number)
{
    for (long i = 0; i < in->count; i++)
        if (in->accounts[i].number == number)
            return &in->accounts[i];
    return NULL;
}

MARKED static void pay(struct account *from, struct account *to, double amount)
{
    from->balance -= amount;
    to->balance += amount;
    from->log[0]++;
    to->log[1]++;
}

MARKED static struct pair both(struct bank *in, long a, long b)
{
    struct pair pair = {find(in, a), find(in, b)};
    return pair;
}

MARKED static double worth(struct pair pair)
{
    return pair.one->balance + pair.other->balance;
}

MARKED static struct report audit(struct bank *in)
{
    struct report report = {0};
    for (long i = 0; i < in->count; i++) {
        struct account *account = find(in, i);
        report.total += account->balance;
        report.counts[i % 6]++;
        if (!report.richest || account->balance > report.richest->balance)
            report.richest = account;
    }
    return report;
}

MARKED static double inherit(struct bank *in, long number)
{
    struct account *account = in->find(in, number);
    in->pay(account, account->heir, 1.5);
    return in->find(in, number)->heir->balance;
}

MARKED static double many(struct account *a, struct account *b, double rate, struct account *c,
                          struct account *d, long unused, struct account *e, struct account *f,
                          struct account *g, double more)
{
    (void)unused;
    return (a->balance + b->balance + c->balance) * rate +
           (d->balance + e->balance + f->balance) * more + (double)g->number;
}

/* Fourteen pointers that are live across calls; some are spilled to the stack. */
MARKED static double spill(struct bank *in)
{
    struct account *a = find(in, 0), *b = find(in, 1), *c = find(in, 2), *d = find(in, 3);
    struct account *e = find(in, 4), *f = find(in, 5), *g = find(in, 6), *h = find(in, 7);
    struct account *i = find(in, 8), *j = find(in, 9), *k = find(in, 10), *l = find(in, 11);
    double sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        sum += a->balance + b->balance + c->balance + d->balance;
        pay(a, d, sum);
        sum += e->balance + f->balance + g->balance + h->balance;
        pay(e, h, sum);
        sum += i->balance + j->balance + k->balance + l->balance;
        pay(i, l, sum);
        a->log[2]++;
        f->log[3] += turn;
        l->log[2] = k->log[1];
    }
    return sum;
}

/* The type is known only from the result of the call. */
MARKED static long follow(struct bank *in, long number)
{
    return find(in, number)->heir->heir->log[number & 3] + find(in, number + 1)->number;
}

MARKED static double either(struct bank *in, long number)
{
    struct account *account = number & 1 ? find(in, number) : in->accounts[number].heir;
    return account->balance + (double)account->log[2];
}

MARKED static double choose(struct account *all, int what)
{
    switch (what) {
    case 0:
        return all[1].balance;
    case 1:
        return (double)all[2].number;
    case 2:
        return all[3].heir->balance;
    case 3:
        all[4].log[1] = 7;
        return 0;
    case 4:
        return all->heir->heir->balance;
    case 5:
        return (double)all[what].log[3];
    default:
        return 0;
    }
}

static void print_types(void)
{
    TYPE("struct account", struct account);
    PART("struct account", struct account, number, "long", long);
    PART("struct account", struct account, balance, "double", double);
    PART("struct account", struct account, heir, "struct account *", struct account *);
    PART("struct account", struct account, log, "long", long);
    TYPE("struct bank", struct bank);
    PLACE("struct bank", "function", 0, 8, 2);
    PART("struct bank", struct bank, accounts, "struct account *", struct account *);
    PART("struct bank", struct bank, count, "long", long);
    TYPE("struct report", struct report);
    PART("struct report", struct report, total, "double", double);
    PART("struct report", struct report, richest, "struct account *", struct account *);
    PART("struct report", struct report, counts, "long", long);
    OBJECT("struct account", accounts, COUNT);
    OBJECT("struct bank", bank, 1);
}

int main(void)
{
    static struct report report;
    struct account *a;
    accounts = zeroed(COUNT, sizeof *accounts);
    bank = zeroed(1, sizeof *bank);
    *bank = (struct bank){find, pay, accounts, COUNT};
    for (int i = 0; i < COUNT; i++)
        accounts[i] = (struct account){i, i * 10, &accounts[(i + 1) % COUNT], {0}};
    a = accounts;
    print_types();
    OBJECT("struct report", &report, 1);
    ready();
    sink = worth(both(bank, chosen, 3));
    report = audit(bank);
    sink = inherit(bank, chosen);
    sink = many(a, a + 1, 0.5, a + 2, a + 3, 1, a + 4, a + 5, a + 6, 0.25);
    sink = spill(bank);
    sink = (double)follow(bank, chosen);
    sink = either(bank, chosen) + either(bank, chosen + 1);
    for (int i = 0; i < 6; i++)
        sink = choose(accounts, i);
    return 0;
}
