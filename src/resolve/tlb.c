/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/tlb.h"

#include <stdbool.h>

enum { AMD_CACHES = (int)0x80000006, INTEL_TRANSLATIONS = 0x18, SUBLEAVES_MAX = 16 };
enum { KIND_DATA = 1, KIND_UNIFIED = 3 };

uint32_t tlb_entries_amd(uint32_t ebx)
{
    return ebx >> 28 ? ebx >> 16 & 0xfff : 0;
}

uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    uint32_t kind = edx & 0x1f;
    bool data = kind == KIND_DATA || kind == KIND_UNIFIED;
    uint64_t entries = (uint64_t)(ebx >> 16) * ecx;
    return data && ebx & 1 && entries < 1 << 20 ? (uint32_t)entries : 0;
}

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>

uint32_t tlb_entries(void)
{
    unsigned eax, ebx, ecx, edx;
    uint32_t most = 0;
    if (__get_cpuid((unsigned)AMD_CACHES, &eax, &ebx, &ecx, &edx))
        most = tlb_entries_amd(ebx);
    for (unsigned i = 0;
         i < SUBLEAVES_MAX && __get_cpuid_count(INTEL_TRANSLATIONS, i, &eax, &ebx, &ecx, &edx);
         i++) {
        uint32_t entries = tlb_entries_intel(ebx, ecx, edx);
        most = entries > most ? entries : most;
    }
    return most;
}
#else
uint32_t tlb_entries(void)
{
    return 0;
}
#endif
