/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the decoder with Zydis, an independent disassembler: length, memory operands (address,
 * bytes, read or written), general registers written, flags and branch target of every instruction
 * in the executable sections of the given files, or of libc. `make operands` runs it on large
 * libraries.
 */
#include "config.h"
#include "unit.h"

#ifdef HAVE_ZYDIS

#include "decode/insn.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_MAX = 200, SIZE_MAX_KNOWN = 255 };

struct tally {
    uint64_t right, wrong, unknown, operands;
};

static ZydisDecoder zydis;
static uint16_t shown_of[ZYDIS_MNEMONIC_MAX_VALUE + 1];
static unsigned shown;

static uint8_t register_of(ZydisRegister reg)
{
    static const uint8_t by_number[16] = {SREG_AX,  SREG_CX,  SREG_DX,  SREG_BX, SREG_SP,  SREG_BP,
                                          SREG_SI,  SREG_DI,  SREG_R8,  SREG_R9, SREG_R10, SREG_R11,
                                          SREG_R12, SREG_R13, SREG_R14, SREG_R15};
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
        return SREG_NONE;
    return by_number[whole - ZYDIS_REGISTER_RAX];
}

static bool is_ip_relative_register(ZydisRegister reg)
{
    return reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP;
}

static uint8_t kind_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operand)
{
    bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (in->meta.category == ZYDIS_CATEGORY_PREFETCH ||
        in->meta.isa_set == ZYDIS_ISA_SET_AVX512PF_512)
        return ACCESS_PREFETCH;
    return reads && writes ? ACCESS_LOAD_STORE : writes ? ACCESS_STORE : ACCESS_LOAD;
}

/* Returns true if Zydis' operand is an access: not the address of lea or of a no-op. */
static bool is_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN && in->meta.category != ZYDIS_CATEGORY_NOP &&
           in->meta.category != ZYDIS_CATEGORY_WIDENOP;
}

static bool same_operand(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operand,
                         const struct insn_memory *memory, uint64_t next)
{
    const ZydisDecodedOperandMem *mem = &operand->mem;
    bool vector = mem->type == ZYDIS_MEMOP_TYPE_VSIB;
    uint8_t segment = mem->segment == ZYDIS_REGISTER_FS   ? 1
                      : mem->segment == ZYDIS_REGISTER_GS ? 2
                                                          : 0;
    unsigned bytes = operand->size / 8;
    if (vector)
        bytes = operand->element_size / 8;
    /* Our stack operand of push and call is relative to RSP before the instruction; Zydis' has no
     * displacement. */
    bool stack =
        operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && mem->base == ZYDIS_REGISTER_RSP;
    int64_t distance =
        (int64_t)mem->disp.value + (is_ip_relative_register(mem->base) ? (int64_t)next : 0);
    bool same_place =
        memory->base == (is_ip_relative_register(mem->base) ? SREG_NONE : register_of(mem->base)) &&
        memory->vector == vector && segment == memory->segment &&
        (vector || memory->index == register_of(mem->index)) &&
        (mem->index == ZYDIS_REGISTER_NONE || memory->scale == mem->scale) &&
        (stack || memory->displacement == distance);
    /* A prefetch accesses a line of any length. */
    bool same_size =
        memory->size == bytes || bytes > SIZE_MAX_KNOWN || memory->kind == ACCESS_PREFETCH;
    return same_place && same_size && memory->kind == kind_of(in, operand);
}

static bool same_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
                        const struct insn *insn, uint64_t *count)
{
    unsigned found = 0;
    unsigned accesses = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        bool same = false;
        if (!is_access(in, &operands[i]))
            continue;
        accesses++;
        for (unsigned j = 0; j < insn->memory_count && !same; j++)
            same = same_operand(in, &operands[i], &insn->memory[j], insn->address + insn->length);
        found += same;
    }
    *count += accesses;
    return found == accesses && accesses == insn->memory_count;
}

static uint32_t written_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
    uint32_t writes = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        uint8_t reg = operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_of(operand->reg.value)
                                                                   : SREG_NONE;
        if (reg != SREG_NONE && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            writes |= 1u << reg;
    }
    return writes;
}

static bool flags_of(const ZydisDecodedInstruction *in)
{
    const ZydisAccessedFlagsMask status = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_ZF |
                                          ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
    const ZydisAccessedFlags *flags = in->cpu_flags;
    return flags && (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & status;
}

static uint64_t target_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
                          uint64_t address)
{
    uint64_t target = 0;
    for (unsigned i = 0; i < in->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[i].imm.is_relative)
            ZydisCalcAbsoluteAddress(in, &operands[i], address, &target);
    return target;
}

static void print_difference(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
                             const struct insn *insn, bool decoded, const uint8_t *bytes,
                             const char *what)
{
    if (shown >= SHOWN_MAX || shown_of[in->mnemonic]++ >= 2)
        return;
    shown++;
    print_message("%-8s %-16s", what, ZydisMnemonicGetString(in->mnemonic));
    for (unsigned i = 0; i < in->length; i++)
        print_message("%02x", bytes[i]);
    print_message(" length %u flags %d writes %x", in->length, flags_of(in),
                  written_of(in, operands));
    for (unsigned i = 0; i < in->operand_count; i++)
        if (is_access(in, &operands[i]))
            print_message(" memory %s+%s*%u%+" PRId64 " size %u element %u kind %u",
                          ZydisRegisterGetString(operands[i].mem.base),
                          ZydisRegisterGetString(operands[i].mem.index), operands[i].mem.scale,
                          (int64_t)operands[i].mem.disp.value, operands[i].size / 8,
                          operands[i].element_size / 8, kind_of(in, &operands[i]));
    if (decoded) {
        print_message("\n         here: length %u flags %d writes %x", insn->length,
                      insn->changes_flags, insn->writes);
        for (unsigned i = 0; i < insn->memory_count; i++)
            print_message(" memory base %d index %d disp %" PRId64 " size %u kind %u",
                          insn->memory[i].base, insn->memory[i].index, insn->memory[i].displacement,
                          insn->memory[i].size, insn->memory[i].kind);
    }
    print_message("\n");
}

/*
 * Instructions for which Zydis 4.0 is not a reference, counted as unknown: kernel and Knights
 * Corner instructions, which no sample of a program has; MPX and cldemote, which are no-ops on
 * processors without them; prefetchwt1, which Zydis reports as a load; the stores of enqcmd; xlat,
 * which has part of a register (AL) as index, so the decoder reports no address. In addition, Zydis
 * omits the registers that string instructions without a prefix advance (SDM vol. 2, CMPS: "the
 * registers increment").
 */
static bool is_outside_zydis_reference(const ZydisDecodedInstruction *in)
{
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_XLAT:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_PREFETCHWT1:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_ENQCMD: /* Zydis omits the store */
    case ZYDIS_MNEMONIC_ENQCMDS:
        return true;
    default:
        break;
    }
    switch (in->meta.isa_ext) {
    case ZYDIS_ISA_EXT_KNC:
    case ZYDIS_ISA_EXT_KNCE:
    case ZYDIS_ISA_EXT_KNCV:
    case ZYDIS_ISA_EXT_MPX:
    case ZYDIS_ISA_EXT_SGX:
    case ZYDIS_ISA_EXT_SGX_ENCLV:
    case ZYDIS_ISA_EXT_SMX:
    case ZYDIS_ISA_EXT_VTX:
        return true;
    default:
        return in->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
    }
}

static bool advances(const ZydisDecodedInstruction *in)
{
    return in->meta.category == ZYDIS_CATEGORY_STRINGOP ||
           in->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

static void compare(struct tally *tally, const ZydisDecodedInstruction *in,
                    const ZydisDecodedOperand *operands, uint64_t address, const uint8_t *bytes,
                    size_t size)
{
    struct insn insn;
    const char *wrong = NULL;
    if (is_outside_zydis_reference(in)) {
        tally->unknown++;
        return;
    }
    if (!insn_decode(&insn, address, bytes, size)) {
        tally->unknown++;
        print_difference(in, operands, &insn, false, bytes, "unknown");
        return;
    }
    uint32_t writes = written_of(in, operands);
    bool jumps = in->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
    if (insn.length != in->length)
        wrong = "length";
    else if (!same_memory(in, operands, &insn, &tally->operands))
        wrong = "memory";
    else if (advances(in) ? (insn.writes & writes) != writes : insn.writes != writes)
        wrong = "writes";
    else if (insn.changes_flags != flags_of(in))
        wrong = "flags";
    else if (jumps && insn.target != target_of(in, operands, address))
        wrong = "target";
    else if (insn.locked != !!(in->attributes & ZYDIS_ATTRIB_HAS_LOCK) &&
             in->mnemonic != ZYDIS_MNEMONIC_XCHG)
        wrong = "lock";
    if (wrong) {
        print_difference(in, operands, &insn, true, bytes, wrong);
        tally->wrong++;
    } else {
        tally->right++;
    }
}

static void compare_code(struct tally *tally, uint64_t address, const uint8_t *bytes, size_t size)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    for (size_t at = 0; at < size;) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis, bytes + at, size - at, &in, operands))) {
            at++;
            continue;
        }
        compare(tally, &in, operands, address + at, bytes + at, size - at);
        at += in.length;
    }
}

static bool compare_file(struct tally *tally, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) || (size_t)status.st_size < sizeof(Elf64_Ehdr))
        return false;
    size_t size = (size_t)status.st_size;
    const uint8_t *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return false;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    struct tally before = *tally;
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_flags & SHF_EXECINSTR && sections[i].sh_type == SHT_PROGBITS &&
            sections[i].sh_offset + sections[i].sh_size <= size)
            compare_code(tally, sections[i].sh_addr, file + sections[i].sh_offset,
                         sections[i].sh_size);
    munmap((void *)(uintptr_t)file, size);
    print_message("%s: right %" PRIu64 ", wrong %" PRIu64 ", unknown %" PRIu64 ", %" PRIu64
                  " memory operands\n",
                  path, tally->right - before.right, tally->wrong - before.wrong,
                  tally->unknown - before.unknown, tally->operands - before.operands);
    return true;
}

/* One encoding with each ModRM.reg: with a base register and one byte of displacement, with SIB,
 * and register to register. */
static void compare_modrm(struct tally *tally, const uint8_t *prefix, size_t size)
{
    static const uint8_t tails[][2] = {
        {0x40, 0x7f}, {0x4c, 0x48}, {0xc0, 0x01}, {0xc3, 0x01}, {0x05, 0x11}};
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    for (uint8_t reg = 0; reg < 8; reg++)
        for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
            uint8_t bytes[20] = {0};
            memcpy(bytes, prefix, size);
            bytes[size] = (uint8_t)((tails[i][0] & 0xc7) | reg << 3);
            bytes[size + 1] = tails[i][1];
            if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis, bytes, 15, &in, operands)))
                compare(tally, &in, operands, 0x400000, bytes, 15);
        }
}

/* Encodings that may be absent from all local programs: each opcode of each map, with each
 * mandatory prefix, width and vector length. */
static void all_encodings_match_zydis(void **state)
{
    (void)state;
    static const uint8_t mandatory[] = {0, 0x66, 0xf3, 0xf2};
    static const uint8_t evex_maps[] = {1, 2, 3, 5, 6};
    struct tally tally = {0};
    shown = 0;
    memset(shown_of, 0, sizeof shown_of);
    ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned prefix = 0; prefix < 4; prefix++)
            for (unsigned wide = 0; wide < 2; wide++) {
                for (unsigned map = 0; map < 4; map++) {
                    uint8_t bytes[8];
                    size_t at = 0;
                    if (prefix)
                        bytes[at++] = mandatory[prefix];
                    if (wide)
                        bytes[at++] = 0x48;
                    if (map)
                        bytes[at++] = 0x0f;
                    if (map > 1)
                        bytes[at++] = map == 2 ? 0x38 : 0x3a;
                    bytes[at++] = (uint8_t)opcode;
                    compare_modrm(&tally, bytes, at);
                }
                for (unsigned length = 0; length < 2; length++)
                    for (unsigned map = 1; map < 4; map++) {
                        const uint8_t bytes[] = {0xc4, (uint8_t)(0xe0 | map),
                                                 (uint8_t)(wide << 7 | 0x68 | length << 2 | prefix),
                                                 (uint8_t)opcode};
                        const uint8_t first[] = {bytes[0], bytes[1], (uint8_t)(bytes[2] | 0x78),
                                                 (uint8_t)opcode};
                        compare_modrm(&tally, bytes, sizeof bytes);
                        compare_modrm(&tally, first, sizeof first);
                    }
                for (unsigned rest = 0; rest < 12; rest++)
                    for (size_t map = 0; map < sizeof evex_maps; map++) {
                        unsigned length = rest % 3;
                        const uint8_t bytes[] = {
                            0x62, (uint8_t)(0xf0 | evex_maps[map]),
                            (uint8_t)(wide << 7 | 0x6c | prefix),
                            (uint8_t)(length << 5 | (rest / 3 & 1) << 4 | 8 | rest / 6),
                            (uint8_t)opcode};
                        uint8_t first[sizeof bytes];
                        memcpy(first, bytes, sizeof bytes);
                        first[2] |= 0x78;
                        compare_modrm(&tally, bytes, sizeof bytes);
                        compare_modrm(&tally, first, sizeof first);
                    }
            }
    print_message("right %" PRIu64 ", wrong %" PRIu64 ", unknown %" PRIu64 "\n", tally.right,
                  tally.wrong, tally.unknown);
    assert_int_equal(tally.wrong, 0);
}

static char **files;

static void library_operands_match_zydis(void **state)
{
    (void)state;
    struct tally tally = {0};
    Dl_info libc;
    ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (*files) {
        for (char **file = files; *file; file++)
            if (!compare_file(&tally, *file))
                print_message("%s: cannot be read\n", *file);
    } else {
        assert_true(dladdr((void *)(uintptr_t)qsort, &libc) && libc.dli_fname);
        assert_true(compare_file(&tally, libc.dli_fname));
        assert_true(tally.right > 100000);
    }
    print_message("right %" PRIu64 ", wrong %" PRIu64 ", unknown %" PRIu64 ", %" PRIu64
                  " memory operands\n",
                  tally.right, tally.wrong, tally.unknown, tally.operands);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.unknown <= tally.right / 10000);
}

int main(int count, char **arguments)
{
    (void)count;
    files = arguments + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(library_operands_match_zydis),
                                       cmocka_unit_test(all_encodings_match_zydis)};
    return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}

#else

int main(void)
{
    print_message("skipped: Zydis is not installed (libzydis-dev)\n");
    return 77;
}

#endif
