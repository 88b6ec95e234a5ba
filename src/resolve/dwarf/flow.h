/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the targets of registers before an instruction. Types are followed forward through a whole
 * function, from parameters, variables, globals and call results, over its blocks until nothing
 * changes. Functions are cached. Owned by program.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_FLOW_H
#define MISSTOP_RESOLVE_DWARF_FLOW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "decode/insn.h"
#include "sample.h"

struct program;
struct scopes;

/* Functions by address: the out-of-line function that holds an address, not one inlined there.
 * Units are read on demand and kept. (program.c) */
struct routine {
    uint64_t start; /* run-time addresses of the part that holds the address */
    uint64_t end;
    uint64_t entry; /* where calls arrive; 0: not reported */
    Dwarf_Die die;
    Dwarf_Addr bias;
};

struct routines {
    struct routine *at; /* by ascending start */
    size_t count;
    size_t room;
    struct hash units; /* units read, by the address of their entry */
};

/* Finds the function at an address. Returns false if none is known there. */
bool routines_find(struct program *program, uint64_t address, struct routine *routine);

/*
 * Types for following pointers through code: interned as small numbers, without typedefs and
 * qualifiers, arrays as their elements. A record is identified by its entry: if two units define
 * one type, it has two numbers, which shapes_same() compares.
 */
enum shape_kind {
    SHAPE_VOID,    /* void, incomplete, not known */
    SHAPE_BYTE,    /* a one-byte number; any data may be copied as bytes */
    SHAPE_SCALAR,  /* number, enumeration */
    SHAPE_POINTER, /* pointer, reference */
    SHAPE_RECORD,  /* struct, class */
    SHAPE_UNION,
    SHAPE_FUNCTION
};

enum { SHAPE_NOTHING = 0 }; /* number of void */

struct shape {
    Dwarf_Die die; /* peeled; not valid for SHAPE_VOID */
    uint64_t size; /* bytes, 0: not known */
    uint32_t pointee;
    uint8_t kind;    /* enum shape_kind */
    bool descriptor; /* an array descriptor (Fortran): only the array's address is described */
};

/* The scalar or pointer at an offset in a type, and the innermost array around it. */
struct shape_leaf {
    uint32_t shape;
    uint64_t start;  /* bytes from the start of the outermost type; arrays count as element 0 */
    uint64_t stride; /* of the innermost array; 0: none */
    uint64_t array_start; /* start of that array, from the start of the outermost type */
    uint64_t array_end;   /* end of that array; UINT64_MAX: flexible */
    bool is_ambiguous;    /* differing members of a union */
};

struct shapes {
    struct shape_entry *entries; /* entries from number 1 on */
    size_t count;
    size_t room;
    struct scopes *scopes;
    struct hash by_die;  /* address of a type's entry, as passed in */
    struct hash by_kind; /* numbers by name and size, pointers by pointee */
};

void shapes_fini(struct shapes *shapes);

/* Returns the number of a type. NULL is void; void is also returned if there are too many types. */
uint32_t shapes_of(struct shapes *shapes, Dwarf_Die *type);

/* Returns a shape, valid until the next shapes_of(). */
const struct shape *shapes_at(const struct shapes *shapes, uint32_t shape);

/* Returns true if two numbers are one type: one entry, or entries of two units with the same
 * qualified name and layout, which also holds for all types reachable from them. */
bool shapes_same(struct shapes *shapes, uint32_t one, uint32_t other);

/* Returns true if a record is a library's node with this base class, which has its links. */
bool shapes_is_node(struct shapes *shapes, uint32_t node, uint32_t base);

/* Finds the shape at an offset. Among the members of a union, pointers are preferred if they are of
 * one kind. Returns false for padding, outside the type, or if not known. */
bool shapes_leaf(struct shapes *shapes, uint32_t shape, uint64_t offset, struct shape_leaf *leaf);

/* Content of a register or stack slot: the type it points into and the offset. */

/* In ascending order: where two paths join, the result has the later kind, or is a conflict. */
enum value_kind {
    VALUE_NOTHING,    /* not reached by any path yet */
    VALUE_CONSTANT,   /* `offset` itself, perhaps a run-time address */
    VALUE_UNKNOWN,    /* any value */
    VALUE_NUMBER,     /* not a pointer: unknown number + `offset` */
    VALUE_THREAD,     /* thread-local storage: `shape` is enum value_thread */
    VALUE_DIFFERENCE, /* the pointer (`shape`, `offset`) minus another pointer */
    VALUE_FRAME,      /* canonical frame address + offset */
    VALUE_POINTER,    /* `offset` bytes into a `shape` */
    VALUE_CONFLICT    /* different paths lead to different values */
};

enum value_thread {
    VALUE_THREAD_POINTER,  /* the thread pointer + `offset` */
    VALUE_THREAD_DISTANCE, /* distance from the thread pointer to `offset` in the file's image */
    VALUE_THREAD_PLACE     /* a thread's copy of `offset` in the image */
};

struct value {
    int64_t offset;
    uint32_t shape;
    uint32_t step; /* stride of a loop over an inner array that is not reached yet */
    uint8_t kind;  /* enum value_kind */
    uint8_t how;   /* enum dwarf_how */
    bool indexed;  /* plus some elements of the shape or of an array inside it */
};

struct value value_of_kind(enum value_kind kind);
struct value value_constant(int64_t number);

struct value value_pointer(uint32_t shape, int64_t offset, uint8_t how);

/* Returns the value of a register after a load from this offset of this type. */
struct value value_loaded(struct shapes *shapes, uint32_t shape, uint64_t offset, uint8_t how);

struct value value_shifted(struct value value, int64_t bytes);

/* Returns the sum of a value and another, scaled value; either may be the pointer. */
struct value value_sum(const struct value *value, const struct value *other, unsigned scale);
struct value value_scaled(const struct value *value, int64_t factor);
struct value value_difference(const struct value *value, const struct value *other);

/* Returns the value where two paths join. */
struct value value_joined(struct shapes *shapes, const struct value *value,
                          const struct value *other);

/* Returns how specific a pointer is, to choose among several valid ones. 0: not at all. */
unsigned value_specificity(const struct shapes *shapes, const struct value *value);

/* Reduces an offset by whole elements if correct: always for numbers and pointers, for records only
 * if an index steps over them. Returns false if the offset is outside the type. */
bool value_folded(struct shapes *shapes, struct value *value);

bool value_equal(const struct value *value, const struct value *other);

/* The locations of a function's variables at each address, including variables of inlined
 * functions, and the callees of its calls. Read from DWARF once, as address ranges. */
enum where_kind {
    WHERE_HELD,     /* `reg` holds the variable, or its part that starts at `piece_offset` */
    WHERE_COMPUTED, /* the variable's value is `reg` + `offset` */
    WHERE_MEMORY,   /* the variable is in memory at `reg` + `offset` */
    WHERE_POINTED   /* the address of the variable is in memory at `reg` + `offset` */
};

enum { WHERE_CFA = 0x40 }; /* in place of a register: the canonical frame address */

struct where {
    uint64_t start; /* run-time addresses of the code where it is valid */
    uint64_t end;
    /* 1 + index of the last earlier entry that ends after this start; 0: none */
    size_t earlier_entry;
    int64_t offset;
    uint64_t piece_offset; /* bytes of the variable before this piece */
    uint64_t size;         /* bytes of the piece; 0: not known */
    Dwarf_Die variable;
    uint32_t shape;
    uint32_t depth;      /* nesting depth of its scope in the function */
    uint8_t kind;        /* enum where_kind */
    uint8_t reg;         /* enum sample_register or WHERE_CFA */
    bool is_whole_scope; /* valid in its whole scope: it may be elsewhere at some addresses */
};

/* A call with a callee named in DWARF, which gives the type of the result. */
struct where_call {
    uint64_t return_address; /* run-time return address */
    Dwarf_Die callee;
};

struct where_list {
    struct where *at; /* by ascending start */
    size_t count;
    size_t room;
    uint32_t regs; /* registers, except the stack pointer, that locations of the list use */
};

struct wheres {
    struct where_list in_register; /* HELD, COMPUTED */
    struct where_list in_memory;
    struct where_call *calls; /* by ascending address */
    size_t call_count;
    size_t call_room;
};

void wheres_read(struct wheres *wheres, struct shapes *shapes, const struct routine *routine);
void wheres_fini(struct wheres *wheres);

/* Iterates over the entries that are valid at an address; *at starts as 0. NULL: no more. */
const struct where *where_next(const struct where_list *list, uint64_t address, size_t *at);

/* Returns the callee of the call that returns to an address; NULL: not recorded. */
const Dwarf_Die *wheres_callee(const struct wheres *wheres, uint64_t back);

/*
 * Values that the dynamic linker writes into words of the file (its global offset table), from the
 * file's relocations: addresses of variables, and distances of thread-local variables from the
 * thread pointer. System V ABI AMD64 1.0, 4.4; Drepper, ELF Handling for Thread-Local Storage, 4.4.
 */

enum link_kind {
    LINK_ADDRESS, /* `value`: a run-time address in this file */
    LINK_NAME,    /* address of a variable of another file, by name */
    LINK_THREAD,  /* distance from the thread pointer to `value` in the file's own TLS image */
    LINK_DYNAMIC  /* the argument of __tls_get_addr() for `value` in the TLS image */
};

struct link {
    uint64_t place; /* run-time address of the word */
    uint64_t value;
    const char *name; /* LINK_NAME: raw, lives as long as the program */
    uint8_t kind;     /* enum link_kind */
};

struct links {
    struct link *at; /* by ascending place */
    size_t count;
    size_t room;
    uint64_t image_bytes; /* size of the TLS image, up to the thread pointer; 0: none */
    bool read;
};

/* Targets of registers and stack slots, and the effect of one instruction on them. */

enum { STATE_SLOTS = 48 };

struct state_slot {
    int64_t offset; /* from the canonical frame address */
    struct value value;
};

struct state {
    struct value regs[SREG_COUNT];
    struct state_slot slots[STATE_SLOTS]; /* by ascending offset */
    uint32_t slot_count;
};

struct scene {
    struct program *program;
    struct shapes *shapes;
    const struct wheres *wheres;
};

void step_over(const struct scene *scene, struct state *state, const struct insn *insn);

void state_join(struct shapes *shapes, struct state *state, const struct state *other);

struct flows;

/* Returns NULL if out of memory. */
struct flows *flows_new(struct program *program);
void flows_free(struct flows *flows);

/* The state before an instruction. */
struct flow_at {
    struct scene scene;
    struct state state;
    const struct insn *insn;
    const struct insn *insns; /* all instructions of the function */
    size_t count;
};

/* Returns 0; -ENOENT: no debug information there; -EFAULT: no instruction there; -ENOMEM. */
int flows_at(struct flows *flows, uint64_t pc, struct flow_at *at);

/* The same for each instruction of the function around an address, which may be inside of one.
 * False: the rest of its block is left out. */
typedef bool flow_visit(void *context, const struct flow_at *at);
void flows_each(struct flows *flows, uint64_t pc, flow_visit *visit, void *context);

/* The variables of that function; NULL: no debugging information covers it. Valid until another
 * function is asked about. */
const struct wheres *flows_wheres(struct flows *flows, uint64_t pc);

/* Constants and thread-local storage are resolved to places in variables. */
struct value operand_address(const struct scene *scene, const struct state *state,
                             const struct insn *insn, const struct insn_memory *memory);

/* Returns the variable at a constant address or in TLS; the value if there is none. */
struct value operand_settled(const struct scene *scene, uint64_t pc, struct value value);

/* Returns the dynamic linker's value of a word at a run-time address. */
struct value operand_linked(const struct scene *scene, uint64_t pc, uint64_t place);

/* Returns the result of __tls_get_addr() for its argument; unknown: not such an argument. */
struct value operand_dynamic(const struct scene *scene, uint64_t pc, const struct value *argument);

/* Types of registers and of the frame, from the variables that DWARF locates at an instruction. */

/*
 * Returns the place in a variable that a stack address points to. POINTER: into a variable;
 * DIFFERENCE: to a word, described by no type, that holds the address of a variable of that shape;
 * UNKNOWN: in no variable.
 */
struct value declared_in_frame(const struct scene *scene, const struct state *state, uint64_t pc,
                               const struct value *place);

/* Sets the values of registers that hold variables at an address; `mask`: these registers. */
void declared_in_registers(const struct scene *scene, struct state *state, uint64_t pc,
                           uint32_t mask);

/* Replaces a followed value by a variable's declaration, unless the value is more specific. */
void declare_value(struct shapes *shapes, struct value *known, const struct value *declared);

/* Finds the registers of a function's parameters and results from its declaration: System V ABI
 * AMD64 1.0, 3.2.3. */

/* Sets the types in registers and on the stack at the entry of a function. */
void prototype_arguments(struct shapes *shapes, Dwarf_Die *function, struct state *state);

#endif
