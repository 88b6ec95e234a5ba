/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of this machine's last data TLB, as its processor tells it. For memory_use.c. */
#ifndef MISSTOP_RESOLVE_TLB_H
#define MISSTOP_RESOLVE_TLB_H

#include <stdint.h>

/* Entries for pages of 4 KiB; 0: the processor does not tell. */
uint32_t tlb_entries(void);

/* From the registers of AMD's leaf 0x80000006: EBX[27:16] is the number of entries of the L2 data
 * TLB for 4 KiB pages, EBX[31:28] not 0 if there is one (APM volume 3, E.4.5). */
uint32_t tlb_entries_amd(uint32_t ebx);

/* From those of a subleaf of Intel's leaf 0x18: EDX[4:0] the kind (1 data, 3 unified), EBX[0]
 * pages of 4 KiB, EBX[31:16] ways, ECX sets (SDM volume 2A, CPUID). 0: none of these. */
uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx);

#endif
