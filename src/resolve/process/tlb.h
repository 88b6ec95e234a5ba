/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Size of this machine's last data TLB: as 'misstop doctor' measured it on this CPU model, else as
 * the CPU reports it where that can be true, else not known.
 */
#ifndef MISSTOP_RESOLVE_PROCESS_TLB_H
#define MISSTOP_RESOLVE_PROCESS_TLB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Entries for pages of 4 KiB; 0: not known. Reads a file: not to be called per sample. */
uint32_t tlb_entries(void);

/* Measures it, prints it and keeps it for this CPU model in the file "tlb" (bin_rules.h). Takes
 * about 0.1 s and 32 MiB. */
void tlb_doctor(FILE *out);

/*
 * From the registers of AMD's leaf 0x80000006: EBX[27:16] is the number of entries of the L2 data
 * TLB for 4 KiB pages, EBX[31:28] not 0 if there is one (APM volume 3, E.4.5); in units of 32 where
 * leaf 0x80000021 has EAX[14] (L2TlbSizeX32, since Zen 5). Hypervisors that do not know that bit
 * hide it: fewer entries than any CPU with such a level has are not believed. 0: none, or not to be
 * believed.
 */
uint32_t tlb_entries_amd(uint32_t ebx, uint32_t eax_21);

/* From those of a subleaf of Intel's leaf 0x18: EDX[4:0] the kind (1 data, 3 unified), EBX[0]
 * pages of 4 KiB, EBX[31:16] ways, ECX sets (SDM volume 2A, CPUID). 0: none of these. */
uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx);

/* The entries for a CPU in the text of the file; 0: it has none. */
uint32_t tlb_entries_kept(FILE *file, const char *cpu);

/*
 * The most pages that are used without page walks: `ns` is the time that the translation of an
 * access takes, on so many pages in no order, rising. Where it has gone half of the way from the
 * level before to the last one, the walks have begun. 0: it does not rise by enough to show it.
 */
uint32_t tlb_knee(const uint32_t *pages, const double *ns, size_t count);

#endif
