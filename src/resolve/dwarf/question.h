/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to a file's debug information and the answers. Values: they cross from the resolver to
 * the process that reads the file (reader.h) and back. Addresses are run-time addresses of the
 * target. Registers are enum sample_register.
 */
#ifndef MISSTOP_RESOLVE_DWARF_QUESTION_H
#define MISSTOP_RESOLVE_DWARF_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"
#include "sample.h"

enum dwarf_ask {
    DWARF_ACCESS,   /* the type that an instruction's operand points into, by the code */
    DWARF_VARIABLE, /* the variable that is at an address */
    DWARF_TLS,      /* the thread-local variable at an offset into the module's image */
    DWARF_SLOT,     /* the variable at a distance from a function's canonical frame address */
    DWARF_LINE,     /* source line, and what was inlined there */
    DWARF_CALL,     /* the variable that the result of the call before this return address is
                       assigned to */
    DWARF_NODE, /* the node of the container that a call is for: its member function's, which may be
                   inlined there */
    DWARF_ASKS
};

struct dwarf_question {
    enum dwarf_ask ask;
    uint64_t pc;          /* ACCESS: the accessing instruction; SLOT: it, or a return address - 1;
                             LINE: the instruction; CALL: the return address; NODE: inside the call;
                             VARIABLE, TLS: code that touched it, 0: not known */
    uint64_t address;     /* VARIABLE; TLS: the offset */
    int64_t slot;         /* SLOT: address - CFA (negative inside the frame) */
    int64_t displacement; /* ACCESS: of the operand meant, as in struct access */
    uint8_t base;         /* ... SREG_NONE: none */
    uint8_t index;
    uint8_t size; /* ... bytes accessed, 0: not known */
};

/* How the type of an access was found. */
enum dwarf_how {
    DWARF_HOW_NONE,
    DWARF_HOW_VARIABLE, /* a variable or parameter is in the register just there */
    DWARF_HOW_TRACKED,  /* followed back through instructions to one */
    DWARF_HOW_GLOBAL,   /* loaded from, or the address of, a variable at a fixed place */
    DWARF_HOW_STACK,    /* from a variable in the frame */
    DWARF_HOW_RESULT,   /* a function's result, by its prototype */
    DWARF_HOW_ARGUMENT, /* a parameter by its place in the calling convention */
    DWARF_HOW_MEMBER    /* loaded through another typed pointer */
};

enum dwarf_slot {
    DWARF_SLOT_UNKNOWN,
    DWARF_SLOT_VARIABLE,
    DWARF_SLOT_SPILL,    /* inside the frame, no variable: compiler's own copy */
    DWARF_SLOT_SAVED,    /* saved register or return address */
    DWARF_SLOT_ARGUMENT, /* outgoing or incoming argument area */
    DWARF_SLOT_DYNAMIC   /* below the fixed frame: alloca, variable-length array */
};

enum { DWARF_INLINED_MAX = 8 };

/* Strings live until the next answer; NULL: not known. All are sanitised. */
struct dwarf_answer {
    struct dwarf_question question;
    uint8_t untyped;  /* enum untyped; 0: `type` says something */
    uint8_t how;      /* ACCESS: enum dwarf_how */
    uint8_t slot;     /* SLOT: enum dwarf_slot */
    uint32_t type;    /* reference into this file's types, the last that was reported under it; an
                         array's element type with `count` */
    uint64_t count;   /* VARIABLE, TLS, SLOT: elements, 0: no array */
    int64_t offset;   /* ACCESS: of the access from the start of the type, index taken as 0.
                         VARIABLE, SLOT: of the asked place from the start of the variable */
    bool indexed;     /* ACCESS: an index or a loop moves over elements of the type */
    uint8_t bits_at;  /* ACCESS: bytes from there to the bit-field that is used of the word */
    uint8_t unit;     /* ACCESS: bytes of bit-fields that may be used; 0: no such */
    uint64_t size;    /* VARIABLE, TLS, SLOT: bytes of the variable, 0: not known */
    const char *name; /* VARIABLE, TLS, SLOT: of the variable; CALL: "TYPE.VARIABLE" */
    const char *file; /* LINE: as recorded, made absolute by the compilation directory */
    uint32_t line;
    /* LINE: functions inlined at the address, innermost first, with the line of each call. */
    uint32_t inlined_count;
    const char *inlined[DWARF_INLINED_MAX];
    const char *inlined_file[DWARF_INLINED_MAX];
    uint32_t inlined_line[DWARF_INLINED_MAX];
};

/* A type under the reference that answers use; comes before the first answer that uses it. */
struct dwarf_type {
    uint32_t type;
    struct type_desc desc;
};

#endif
