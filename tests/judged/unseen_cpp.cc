/* Programs in C++ that no rule was tuned with: three with a problem, three without. */
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "judged.h"
}

/*
 * Objects with virtual functions in separate blocks, in random order of address. Fixed: in order
 * of address.
 */
struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};
struct circle : shape {
    double radius = 1;
    double area() const override { return 3.14159 * radius * radius; }
};
struct box : shape {
    double width = 2, height = 3;
    double area() const override { return width * height; }
};
static std::vector<std::unique_ptr<shape>> shapes;

static void shapes_set_up(bool fixed)
{
    for (uint32_t i = 0; i < 1u << 20; i++)
        if (i % 3)
            shapes.push_back(std::make_unique<box>());
        else
            shapes.push_back(std::make_unique<circle>());
    if (fixed)
        return;
    std::vector<uint32_t> order(shapes.size());
    for (uint32_t i = 0; i < order.size(); i++)
        order[i] = i;
    judged_shuffle(order.data(), order.size());
    std::vector<std::unique_ptr<shape>> mixed;
    for (uint32_t i : order)
        mixed.push_back(std::move(shapes[i]));
    shapes = std::move(mixed);
}

static void shapes_work(bool)
{
    double sum = 0;

    for (const auto &one : shapes)
        sum += one->area();
    judged_sink = judged_sink + uint64_t(sum);
}

/* A log line built from strings that exist only for that line. Fixed: one string is reused. */
static std::string log_kept;

static void log_set_up(bool) {}

__attribute__((noinline)) static std::string log_part(const char *name, unsigned value)
{
    std::string part(name);

    part += "=a long enough value to need a block of its own ";
    part += char('0' + value % 10);
    return part;
}

static void log_work(bool fixed)
{
    size_t length = 0;

    for (unsigned i = 0; i < 2000; i++) {
        if (fixed) {
            log_kept.clear();
            for (int n = 0; n < 4; n++) {
                log_kept += "key=a long enough value to need a block of its own ";
                log_kept += char('0' + i % 10);
            }
            length += log_kept.size();
        } else {
            std::string line = log_part("key", i) + log_part("key", i) + log_part("key", i) + log_part("key", i);
            length += line.size();
        }
    }
    judged_sink = judged_sink + length;
}

/*
 * Two threads copy one shared_ptr per step and thus write its count. Fixed: one copy per thread.
 */
static std::shared_ptr<const std::vector<int>> settings;

static void settings_set_up(bool)
{
    settings = std::make_shared<const std::vector<int>>(16, 7);
}

static void settings_body(int, bool fixed)
{
    uint64_t sum = 0;
    std::shared_ptr<const std::vector<int>> own_copy = settings;

    for (int i = 0; i < 100000; i++) {
        if (fixed) {
            sum += uint64_t((*own_copy)[unsigned(i) & 15]);
        } else {
            std::shared_ptr<const std::vector<int>> now = settings;
            sum += uint64_t((*now)[unsigned(i) & 15]);
        }
    }
    judged_sink = judged_sink + sum;
}

static void settings_work(bool fixed)
{
    judged_two(settings_body, fixed);
}

/* A queue of at most 4,000 jobs. Fixed: a ring buffer that is allocated once. */
struct job {
    uint64_t id, size, due;
};
static std::deque<job> jobs;
static std::vector<job> jobs_ring;
static size_t jobs_first, jobs_end;

static void jobs_set_up(bool)
{
    jobs_ring.resize(4096);
    jobs_end = 4000;
    for (uint64_t i = 0; i < 4000; i++) {
        jobs.push_back({i, i, i});
        jobs_ring[i] = {i, i, i};
    }
}

static void jobs_work(bool fixed)
{
    uint64_t sum = 0;

    for (int n = 0; n < 20000; n++) {
        job next = fixed ? jobs_ring[jobs_first++ & 4095] : jobs.front();
        if (!fixed)
            jobs.pop_front();
        next.due += next.size * 31;
        for (int k = 0; k < 6; k++)
            next.size = next.size * 6364136223846793005u + 1442695040888963407u;
        sum += next.due;
        if (fixed)
            jobs_ring[jobs_end++ & 4095] = next;
        else
            jobs.push_back(next);
    }
    judged_sink = judged_sink + sum;
}

/* Binary searches in a sorted vector of 160 KiB. */
static std::vector<uint64_t> dates;

static void dates_set_up(bool)
{
    for (uint64_t i = 0; i < 20000; i++)
        dates.push_back(i * 97);
}

static void dates_work(bool)
{
    static uint64_t state = 9;
    uint64_t sum = 0;

    for (int n = 0; n < 20000; n++)
        sum += uint64_t(std::lower_bound(dates.begin(), dates.end(), judged_next(&state) % (20000 * 97)) - dates.begin());
    judged_sink = judged_sink + sum;
}

/* Two threads that each sort their own numbers. */
static std::vector<uint32_t> piles[2];

static void piles_set_up(bool)
{
    for (auto &pile : piles)
        pile.resize(50000);
}

static void piles_body(int thread, bool)
{
    uint64_t state = uint64_t(thread) + 1;

    for (int n = 0; n < 10; n++) {
        for (auto &number : piles[thread])
            number = uint32_t(judged_next(&state));
        std::sort(piles[thread].begin(), piles[thread].end());
    }
}

static void piles_work(bool fixed)
{
    judged_two(piles_body, fixed);
}

const struct judged_program judged_unseen_cpp[] = {
    {"shuffled-shapes", "scattered|chasing", "tlb-reach|straddling", nullptr, shapes_set_up, shapes_work},
    {"log-of-strings", "churn", nullptr, nullptr, log_set_up, log_work},
    {"copied-shared-ptr", "true-sharing", nullptr, nullptr, settings_set_up, settings_work},
    {"job-queue", "churn", nullptr, nullptr, jobs_set_up, jobs_work},
    {"dates", "none", nullptr, nullptr, dates_set_up, dates_work},
    {"two-sorters", "none", nullptr, nullptr, piles_set_up, piles_work},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
};
