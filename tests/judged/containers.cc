/* Programs with C++ containers: three with a problem, two without. */
#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

extern "C" {
#include "judged.h"
}

/*
 * A map of a million keys that is only read. Fixed: a sorted table with a custom index (a hash
 * table).
 */
static std::map<uint64_t, uint64_t> price_map;
static std::vector<uint64_t> price_table;

static void map_set_up(bool fixed)
{
    std::vector<uint32_t> keys(1u << 20);

    for (uint32_t i = 0; i < keys.size(); i++)
        keys[i] = i;
    judged_shuffle(keys.data(), keys.size());
    if (fixed)
        price_table.resize(keys.size());
    for (uint32_t key : keys)
        if (fixed)
            price_table[key] = key;
        else
            price_map[key] = key;
}

static void map_work(bool fixed)
{
    static uint64_t state = 21;
    uint64_t sum = 0;

    for (int n = 0; n < 3000; n++) {
        uint64_t key = judged_next(&state) & ((1u << 20) - 1);

        sum += fixed ? price_table[key] : price_map.find(key)->second;
    }
    judged_sink = judged_sink + sum;
}

/* A list that was sorted, so that its nodes are in random order. Fixed: copied into a vector. */
struct order_entry {
    uint64_t when, amount;
};
static std::list<order_entry> order_list;
static std::vector<order_entry> order_vector;

static void orders_set_up(bool fixed)
{
    uint64_t state = 13;

    for (int i = 0; i < 1 << 20; i++)
        order_list.push_back({judged_next(&state), uint64_t(i)});
    order_list.sort([](const order_entry &a, const order_entry &b) { return a.when < b.when; });
    if (fixed)
        order_vector.assign(order_list.begin(), order_list.end());
}

static void orders_work(bool fixed)
{
    uint64_t sum = 0;

    if (fixed)
        for (const order_entry &order : order_vector)
            sum += order.amount;
    else
        for (const order_entry &order : order_list)
            sum += order.amount;
    judged_sink = judged_sink + sum;
}

/* Rows in separate vectors, summed by columns. Fixed: by rows. */
static std::vector<std::vector<double>> image_rows;

static void image_set_up(bool)
{
    image_rows.assign(2000, std::vector<double>(2100, 1.5));
}

static void image_work(bool fixed)
{
    double sum = 0;

    if (fixed)
        for (const std::vector<double> &row : image_rows)
            for (double cell : row)
                sum += cell;
    else
        for (size_t j = 0; j < 2100; j++)
            for (size_t i = 0; i < 2000; i++)
                sum += image_rows[i][j];
    judged_sink = judged_sink + uint64_t(sum);
}

/* A small unordered_map. */
static std::unordered_map<uint32_t, uint32_t> small_map;

static void small_map_set_up(bool)
{
    for (uint32_t i = 0; i < 500; i++)
        small_map[i * 37] = i;
}

static void small_map_work(bool)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n < 100000; n++)
        sum += small_map.find(n % 500 * 37)->second;
    judged_sink = judged_sink + sum;
}

/* A vector that is filled and sorted. */
static void vector_set_up(bool)
{
}

static void vector_work(bool)
{
    static uint64_t state = 77;
    std::vector<uint32_t> numbers;

    numbers.reserve(100000);
    for (int i = 0; i < 100000; i++)
        numbers.push_back(uint32_t(judged_next(&state)));
    std::sort(numbers.begin(), numbers.end());
    judged_sink = judged_sink + numbers[5];
}

extern "C" const struct judged_program judged_cpp[] = {
    {"map", "chasing", "scattered|tlb-reach|straddling", nullptr, map_set_up, map_work},
    {"sorted-list", "chasing|scattered", "tlb-reach", nullptr, orders_set_up, orders_work},
    {"vectors-down-the-columns", "columns", "tlb-reach", nullptr, image_set_up, image_work},
    {"small-unordered-map", "none", nullptr, nullptr, small_map_set_up, small_map_work},
    {"filled-vector", "none", nullptr, nullptr, vector_set_up, vector_work},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
};
