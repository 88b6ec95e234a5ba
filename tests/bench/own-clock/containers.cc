/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Like objects.c, with standard containers. */
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace
{

constexpr unsigned count = 1 << 20;

struct Body {
    double x, y, z, m;
};

struct Link {
    Link *next;
    long id;
    long pad[6];
};

volatile std::sig_atomic_t stopped;

void stop(int)
{
    stopped = 1;
}

double cpu_s()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

unsigned long state = 88172645463325252ul;

unsigned next_random()
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<unsigned>(state >> 33);
}

} // namespace

int main()
{
    std::vector<Body> bodies(count * 2);
    std::vector<long> numbers(count * 4);
    std::map<long, long> tree;
    std::unordered_map<long, long> table;
    std::vector<std::unique_ptr<Link>> links;
    std::vector<unsigned> order;
    std::signal(SIGTERM, stop);
    for (unsigned i = 0; i < count; i++) {
        if (i % 2)
            tree[next_random() % (count * 4)] = i;
        else
            table[next_random() % (count * 4)] = i;
        links.emplace_back(new Link{});
        order.push_back(i);
    }
    for (unsigned i = count - 1; i > 0; i--)
        std::swap(order[i], order[next_random() % (i + 1)]);
    for (unsigned i = 0; i < count; i++)
        links[order[i]]->next = links[order[(i + 1) % count]].get();
    const char *const names[] = {"bodies", "numbers", "tree", "table", "links"};
    double spent_s[5] = {};
    double all_s = 0;
    double sum = 0;
    const Link *at = links[0].get();
    while (!stopped) {
        double times_s[6] = {cpu_s()};
        for (int i = 0; i < 30000; i++)
            sum += bodies[next_random() % bodies.size()].y;
        times_s[1] = cpu_s();
        for (int i = 0; i < 30000; i++)
            sum += static_cast<double>(numbers[next_random() % numbers.size()]);
        times_s[2] = cpu_s();
        for (int i = 0; i < 4000; i++) {
            auto found = tree.find(next_random() % (count * 4));
            sum += found != tree.end() ? static_cast<double>(found->second) : 0;
        }
        times_s[3] = cpu_s();
        for (int i = 0; i < 10000; i++) {
            auto found = table.find(next_random() % (count * 4));
            sum += found != table.end() ? static_cast<double>(found->second) : 0;
        }
        times_s[4] = cpu_s();
        for (int i = 0; i < 30000; i++) {
            sum += static_cast<double>(at->id);
            at = at->next;
        }
        times_s[5] = cpu_s();
        for (int i = 0; i < 5; i++)
            spent_s[i] += times_s[i + 1] - times_s[i];
    }
    for (double part_s : spent_s)
        all_s += part_s;
    for (int i = 0; i < 5; i++)
        std::fprintf(stderr, "%s%s %.1f", i ? ", " : "own clock: ", names[i],
                     spent_s[i] * 100 / all_s);
    std::fprintf(stderr, " %s\n", sum >= 0 ? "" : "-");
}
