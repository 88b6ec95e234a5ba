/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/screen/pages.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_DECLARATION(id, it, its_keys, its_place) extern const struct page it;
PAGES(PAGE_DECLARATION)

#define PAGE_ROW(id, it, its_keys, its_place)                                                      \
    [PAGE_##id] = {.page = &(it),                                                                  \
                   .keys = (its_keys),                                                             \
                   .key = {(its_keys)[0]},                                                         \
                   .place = PAGE_IS_##its_place},
const struct page_row pages[PAGE_COUNT] = {PAGES(PAGE_ROW)};

bool page_filled(enum page_id id, const struct snapshot *snapshot)
{
    const struct page *page = pages[id].page;
    return !page->filled || (snapshot && page->filled(snapshot));
}

int page_states_init(void *states[PAGE_COUNT])
{
    for (int i = 0; i < PAGE_COUNT; i++) {
        const struct page *page = pages[i].page;
        if (!page->state_size)
            continue;
        states[i] = calloc(1, page->state_size);
        if (!states[i])
            return -ENOMEM;
        for (const struct page_table *table = page->tables; table->columns; table++)
            table_init((struct table *)((char *)states[i] + table->at), table->columns);
        if (page->init)
            page->init(states[i]);
    }
    return 0;
}

void page_states_fini(void *states[PAGE_COUNT])
{
    for (int i = 0; i < PAGE_COUNT; i++) {
        const struct page *page = pages[i].page;
        if (!states[i])
            continue;
        for (const struct page_table *table = page->tables; table->columns; table++)
            table_fini((struct table *)((char *)states[i] + table->at));
        if (page->fini)
            page->fini(states[i]);
        free(states[i]);
        states[i] = NULL;
    }
}
