/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain values, passed between the resolver and the process that reads the file (reader.h).
 * Addresses are run-time addresses of the target; registers are enum sample_register. */
#ifndef MISSTOP_RESOLVE_DWARF_QUESTION_H
#define MISSTOP_RESOLVE_DWARF_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"
#include "sample.h"

enum dwarf_ask {
    DWARF_ACCESS,   /* the type that an instruction's operand points into, from the code */
    DWARF_VARIABLE, /* the variable at an address */
    DWARF_TLS,      /* the thread-local variable at an offset into the module's image */
    DWARF_SLOT,     /* the variable at a distance from a function's canonical frame address */
    DWARF_LINE,     /* source line and inlined functions */
    DWARF_CALL,     /* the variable assigned by the call before a return address */
    DWARF_NODE,     /* the node type of the container that a call works on */
    DWARF_ASKS
};

struct dwarf_question {
    enum dwarf_ask ask;
    /* ACCESS, LINE: the instruction; SLOT: the instruction, or a return address - 1; CALL: the
     * return address; NODE: inside the call; VARIABLE, TLS: code that accessed it, 0: not known. */
    uint64_t pc;
    uint64_t address;     /* VARIABLE; TLS: the offset */
    int64_t slot;         /* SLOT: address - CFA (negative inside the frame) */
    int64_t displacement; /* ACCESS: displacement of the operand, as in struct access */
    uint8_t base;         /* ... SREG_NONE: none */
    uint8_t index;
    uint8_t size; /* ... bytes accessed, 0: not known */
};

/* How the type of an access was found. */
enum dwarf_how {
    DWARF_HOW_NONE,
    DWARF_HOW_VARIABLE, /* a variable or parameter is in the register at this instruction */
    DWARF_HOW_TRACKED,  /* followed back through instructions to a variable */
    DWARF_HOW_GLOBAL,   /* loaded from, or the address of, a variable at a fixed place */
    DWARF_HOW_STACK,    /* from a variable in the frame */
    DWARF_HOW_RESULT,   /* a function's result, by its prototype */
    DWARF_HOW_ARGUMENT, /* a parameter, from the calling convention */
    DWARF_HOW_MEMBER,   /* loaded through another typed pointer */
    DWARF_HOW_FOLLOWED  /* the call's result itself; in no answer */
};

enum dwarf_slot {
    DWARF_SLOT_UNKNOWN,
    DWARF_SLOT_VARIABLE,
    DWARF_SLOT_SPILL,    /* inside the frame, not a variable: the compiler's own copy */
    DWARF_SLOT_SAVED,    /* saved register or return address */
    DWARF_SLOT_ARGUMENT, /* outgoing or incoming argument area */
    DWARF_SLOT_DYNAMIC   /* below the fixed frame: alloca, variable-length array */
};

enum { DWARF_INLINED_MAX = 16 }; /* the C++ library nests more than 8 */

/* Strings live until the next answer and are sanitised; NULL: not known. */
struct dwarf_answer {
    struct dwarf_question question;
    uint8_t untyped; /* enum untyped; 0: `type` is known */
    uint8_t how;     /* ACCESS: enum dwarf_how */
    uint8_t slot;    /* SLOT: enum dwarf_slot */
    uint32_t type; /* reference to the last type reported under it; with `count`: of the elements */
    uint64_t count; /* VARIABLE, TLS, SLOT: elements, 0: no array */
    int64_t offset; /* ACCESS: in the type, with index 0; others: from the variable's start */
    bool indexed;   /* ACCESS: an index or a loop steps over elements of the type */
    /* ACCESS: bytes from the accessed word to the bit-field that is used */
    uint8_t bit_field_offset;
    uint8_t unit;  /* ACCESS: bytes of the bit-fields that may be used; 0: none */
    uint64_t size; /* VARIABLE, TLS, SLOT: bytes of the variable, 0: not known */
    /* VARIABLE, TLS, SLOT: name of the variable; CALL: "TYPE.VARIABLE", or "" if the function
     * returns the result as plain memory. */
    const char *name;
    const char *file; /* LINE: as recorded, made absolute by the compilation directory */
    uint32_t line;
    /* LINE: functions inlined at the address, innermost first, with the line of each call. */
    uint32_t inlined_count;
    const char *inlined[DWARF_INLINED_MAX];
    const char *inlined_file[DWARF_INLINED_MAX];
    uint32_t inlined_line[DWARF_INLINED_MAX];
};

/* A type and the reference that answers use; it precedes the first answer that uses it. */
struct dwarf_type {
    uint32_t type;
    struct type_desc desc;
};

#endif
