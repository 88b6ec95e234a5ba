/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/insn_part.h"

/* Register families by their names in every width. */
static const struct {
    uint8_t reg;
    x86_reg wide, dword, word, byte, high;
} families[] = {
    {SREG_AX, X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {SREG_BX, X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {SREG_CX, X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {SREG_DX, X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {SREG_SI, X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_INVALID},
    {SREG_DI, X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_INVALID},
    {SREG_BP, X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_INVALID},
    {SREG_SP, X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_INVALID},
    {SREG_R8, X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_INVALID},
    {SREG_R9, X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_INVALID},
    {SREG_R10, X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_INVALID},
    {SREG_R11, X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_INVALID},
    {SREG_R12, X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_INVALID},
    {SREG_R13, X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_INVALID},
    {SREG_R14, X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_INVALID},
    {SREG_R15, X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_INVALID},
};

struct insn_part insn_part(unsigned reg)
{
    for (size_t i = 0; reg && i < sizeof families / sizeof *families; i++) {
        if (reg == families[i].wide)
            return (struct insn_part){families[i].reg, 8};
        if (reg == families[i].dword)
            return (struct insn_part){families[i].reg, 4};
        if (reg == families[i].word)
            return (struct insn_part){families[i].reg, 2};
        if (reg == families[i].byte)
            return (struct insn_part){families[i].reg, 1};
        if (reg == families[i].high)
            return (struct insn_part){families[i].reg, 0};
    }
    return (struct insn_part){SREG_NONE, 0};
}

bool insn_is_vector(unsigned reg)
{
    return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) ||
           (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) ||
           (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31);
}
