/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/frame_table.h"

#include <dlfcn.h>
#include <features.h>
#include <link.h>
#include <string.h>

/* Encodings of pointers (LSB Core, DWARF extensions). */
enum {
    FORM_MASK = 0x0f,
    FORM_ABSOLUTE = 0x00,
    FORM_UDATA4 = 0x03,
    FORM_UDATA8 = 0x04,
    FORM_SDATA4 = 0x0b,
    FORM_SDATA8 = 0x0c,
    APPLY_MASK = 0x70,
    APPLY_PCREL = 0x10,
    TABLE_ENCODING = 0x3b, /* sdata4, relative to the table's header: what every linker emits */
};

#if __GLIBC_PREREQ(2, 35)
static int (*find_object)(void *, struct dl_find_object *);
#endif

void frame_table_start(void)
{
#if __GLIBC_PREREQ(2, 35)
    /* By name, so that the agent also loads beside an older libc than it was built with. */
    find_object = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
}

struct search {
    uint64_t address;
    const uint8_t *header;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    const uint8_t *header = NULL;
    bool covers = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address - start < segment->p_memsz)
            covers = true;
        if (segment->p_type == PT_GNU_EH_FRAME)
            header = (const uint8_t *)start;
    }
    if (covers)
        search->header = header;
    return covers;
}

/*
 * The lock of dl_iterate_phdr() is also held while constructors run; one that waits for a lock
 * whose holder allocates from a place seen for the first time would wait for ever. So only where
 * libc has nothing better.
 */
static const uint8_t *table_header(uint64_t address)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object object;
    if (find_object)
        return find_object((void *)address, &object) ? NULL : object.dlfo_eh_frame;
#endif
    struct search search = {.address = address};
    dl_iterate_phdr(look_at_object, &search);
    return search.header;
}

/* __builtin_memcpy here and in rule.c: -fno-builtin would make calls of it. */
static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

static int32_t read_s32(const uint8_t *at)
{
    return (int32_t)read_u32(at);
}

uint64_t frame_table_uleb(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

int64_t frame_table_sleb(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (*at < end) {
        byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            break;
    }
    if (byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* Last entry of the sorted table that starts at or below the address; NULL: none. */
static const uint8_t *search_table(const uint8_t *header, uint64_t address)
{
    enum { PAIRS_AT = 12, PAIR_BYTES = 8 };
    if (header[0] != 1 || (header[1] & FORM_MASK) != FORM_SDATA4 || header[2] != FORM_UDATA4 ||
        header[3] != TABLE_ENCODING)
        return NULL;
    const uint8_t *pairs = header + PAIRS_AT;
    uint32_t low = 0;
    uint32_t high = read_u32(header + 8);
    int64_t wanted = (int64_t)(address - (uint64_t)(uintptr_t)header);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (read_s32(pairs + (uint64_t)middle * PAIR_BYTES) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? header + read_s32(pairs + (uint64_t)(low - 1) * PAIR_BYTES + 4) : NULL;
}

/* Width of an encoded pointer; 0: a form that is not used for code. */
static unsigned form_bytes(uint8_t encoding)
{
    switch (encoding & FORM_MASK) {
    case FORM_ABSOLUTE:
    case FORM_UDATA8:
    case FORM_SDATA8:
        return 8;
    case FORM_UDATA4:
    case FORM_SDATA4:
        return 4;
    default:
        return 0;
    }
}

static uint64_t read_form(const uint8_t *at, uint8_t encoding)
{
    uint64_t value;
    if (form_bytes(encoding) == 8)
        __builtin_memcpy(&value, at, sizeof value);
    else if ((encoding & FORM_MASK) == FORM_SDATA4)
        value = (uint64_t)(int64_t)read_s32(at);
    else
        value = read_u32(at);
    return (encoding & APPLY_MASK) == APPLY_PCREL ? value + (uint64_t)(uintptr_t)at : value;
}

/* What the letters of the augmentation announce; false: a letter unknown to us. */
static bool read_augmentation(const char *letters, const uint8_t *at, const uint8_t *end,
                              uint8_t *encoding, struct frame_entry *entry)
{
    for (; *letters && at < end; letters++) {
        if (*letters == 'R')
            *encoding = *at++;
        else if (*letters == 'L')
            at++;
        else if (*letters == 'P')
            at += 1 + form_bytes(*at);
        else if (*letters == 'S')
            entry->is_signal = true;
        else
            return false;
    }
    for (; *letters; letters++)
        entry->is_signal |= *letters == 'S';
    return at <= end;
}

static bool read_common(const uint8_t *at, uint8_t *encoding, struct frame_entry *entry)
{
    uint32_t length = read_u32(at);
    const uint8_t *end = at + 4 + length;
    if (length < 8 || length >= 0xfffffff0 || read_u32(at + 4))
        return false;
    at += 9; /* length, id, version */
    const char *letters = (const char *)at;
    at += strnlen(letters, (size_t)(end - at)) + 1;
    entry->code_align = frame_table_uleb(&at, end);
    entry->data_align = frame_table_sleb(&at, end);
    frame_table_uleb(&at, end); /* column of the return address: 16 */
    if (*letters == 'z') {
        uint64_t bytes = frame_table_uleb(&at, end);
        if (at > end || bytes > (uint64_t)(end - at) ||
            !read_augmentation(letters + 1, at, at + bytes, encoding, entry))
            return false;
        at += bytes;
    } else if (*letters) {
        return false;
    }
    entry->common = at;
    entry->common_end = end;
    return at <= end;
}

bool frame_table_find(uint64_t address, struct frame_entry *entry)
{
    const uint8_t *header = table_header(address);
    const uint8_t *at = header ? search_table(header, address) : NULL;
    uint8_t encoding = FORM_ABSOLUTE;
    *entry = (struct frame_entry){0};
    if (!at)
        return false;
    uint32_t length = read_u32(at);
    const uint8_t *end = at + 4 + length;
    if (length < 12 || length >= 0xfffffff0 ||
        !read_common(at + 4 - read_u32(at + 4), &encoding, entry))
        return false;
    at += 8;
    unsigned width = form_bytes(encoding);
    if (!width || at + 2 * width > end)
        return false;
    entry->start = read_form(at, encoding);
    uint64_t bytes = read_form(at + width, encoding & FORM_MASK);
    at += 2 * width;
    /* Language data: we were told 'z' by every compiler's common part; none has no length. */
    uint64_t skip = frame_table_uleb(&at, end);
    if (at > end || skip > (uint64_t)(end - at))
        return false;
    entry->own = at + skip;
    entry->own_end = end;
    return address - entry->start < bytes;
}
