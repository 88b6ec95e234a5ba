/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/language.h"

#include <dwarf.h>

enum language language_of(Dwarf_Die *die)
{
    Dwarf_Die unit;
    switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++17, 20 and 23 as DWARF 6 will have them; elfutils 0.188 does not */
    case 0x2c:
    case DW_LANG_D:
    case DW_LANG_Swift:
        return LANGUAGE_CPP;
    case DW_LANG_Rust:
        return LANGUAGE_RUST;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return LANGUAGE_FORTRAN;
    case DW_LANG_Go:
        return LANGUAGE_GO;
    default:
        return LANGUAGE_C;
    }
}
