/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets of registers before an instruction: types followed forward through a whole function, from
 * parameters, variables, globals and results of calls, over its blocks until nothing changes.
 * Functions are kept while there is room. Owned by program.c.
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

/*
 * Functions by address: the entry of the function that holds an address, not of one inlined
 * there. Read unit by unit and kept. (program.c)
 */
struct routine {
    uint64_t start; /* run-time addresses of the part that holds the address */
    uint64_t end;
    uint64_t entry; /* where calls arrive; 0: not reported */
    Dwarf_Die die;
    Dwarf_Addr bias;
};

struct routines {
    struct routine *at; /* by start */
    size_t count;
    size_t room;
    struct hash units; /* units read, by the address of their entry */
};

/* False: none is known there. */
bool routines_find(struct program *program, uint64_t address, struct routine *routine);

/*
 * Types as following pointers through code needs them: interned under small numbers, without
 * typedefs and qualifiers, arrays as their elements. A record is known by its entry: two units that
 * define one type have two numbers, which shapes_same() compares.
 */
enum shape_kind {
    SHAPE_VOID,    /* void, incomplete, not known */
    SHAPE_BYTE,    /* a number of one byte: what anything may be copied as */
    SHAPE_SCALAR,  /* number, enumeration */
    SHAPE_POINTER, /* pointer, reference */
    SHAPE_RECORD,  /* struct, class */
    SHAPE_UNION,
    SHAPE_FUNCTION
};

enum { SHAPE_NOTHING = 0 }; /* number of void */

struct shape {
    Dwarf_Die die; /* peeled; not valid for void */
    uint64_t size; /* bytes, 0: not known */
    uint32_t pointee;
    uint8_t kind;    /* enum shape_kind */
    bool descriptor; /* an array descriptor of Fortran and the like: begins with the array's
                        address, and only this one word is reported */
};

/* The scalar or pointer at an offset of a type, and the innermost array around it. */
struct shape_leaf {
    uint32_t shape;
    uint64_t start;  /* bytes from the start of the outermost type, arrays at element 0 */
    uint64_t stride; /* of the innermost array; 0: none */
    uint64_t first;  /* its start, from the start of the outermost type */
    uint64_t bound;  /* its end; UINT64_MAX: it is flexible */
    bool doubtful;   /* members of a union that differ */
};

struct shapes {
    struct shape_entry *entries; /* of number 1 on */
    size_t count;
    size_t room;
    struct scopes *scopes;
    struct hash by_die;  /* address of a type's entry, as it was given */
    struct hash by_kind; /* numbers by name and size, pointers by what they point to */
};

void shapes_fini(struct shapes *shapes);

/* Number of a type; NULL is void. Too many types are void. */
uint32_t shapes_of(struct shapes *shapes, Dwarf_Die *type);

/* Valid until the next shapes_of(). */
const struct shape *shapes_at(const struct shapes *shapes, uint32_t shape);

/* Whether two numbers are one type: one entry, or entries of two units with the same qualified name
 * and layout, as are all types that can be reached from them. */
bool shapes_same(struct shapes *shapes, uint32_t one, uint32_t other);

/* Whether a record is a library's node with such a base class, which has its links. */
bool shapes_is_node(struct shapes *shapes, uint32_t node, uint32_t base);

/* The shape at an offset; of a union's members a pointer if it has one kind of them. False:
 * padding, outside, or not known. */
bool shapes_leaf(struct shapes *shapes, uint32_t shape, uint64_t offset, struct shape_leaf *leaf);

/*
 * The known content of a register or a stack slot while types are followed through code: the type
 * it points into and the offset. Pure arithmetic over shapes.
 */
/* Two that meet where ways join give the later of the two kinds, or a conflict. */
enum value_kind {
    VALUE_NOTHING,    /* no way that leads here was followed yet */
    VALUE_CONSTANT,   /* `offset` itself, perhaps a run-time address */
    VALUE_UNKNOWN,    /* something */
    VALUE_NUMBER,     /* no pointer: something + `offset` */
    VALUE_THREAD,     /* of thread-local storage: `shape` is enum value_thread */
    VALUE_DIFFERENCE, /* a pointer as `shape` and `offset` say, less another pointer */
    VALUE_FRAME,      /* canonical frame address + offset */
    VALUE_POINTER,    /* `offset` bytes into a `shape` */
    VALUE_CONFLICT    /* ways that lead here say different things */
};

enum value_thread {
    VALUE_THREAD_POINTER,  /* the thread pointer + `offset` */
    VALUE_THREAD_DISTANCE, /* from there to `offset` in the file's image */
    VALUE_THREAD_PLACE     /* a thread's own copy of `offset` in the image */
};

struct value {
    int64_t offset;
    uint32_t shape;
    uint32_t step; /* bytes, any number of times: over an array inside that is not reached yet */
    uint8_t kind;  /* enum value_kind */
    uint8_t how;   /* enum dwarf_how */
    bool indexed;  /* and some elements further, of the shape or of an array inside */
};

struct value value_of_kind(enum value_kind kind);
struct value value_constant(int64_t number);

struct value value_pointer(uint32_t shape, int64_t offset, uint8_t how);

/* The value that a register holds after a load from a place of this type at this offset. */
struct value value_loaded(struct shapes *shapes, uint32_t shape, uint64_t offset, uint8_t how);

/* With a constant added. */
struct value value_shifted(struct value value, int64_t bytes);

/* The sum of a value and another that was scaled; which of them is the pointer shows. */
struct value value_sum(const struct value *value, const struct value *other, unsigned scale);
struct value value_scaled(const struct value *value, int64_t factor);
struct value value_difference(const struct value *value, const struct value *other);

/* Where two ways join. */
struct value value_joined(struct shapes *shapes, const struct value *value,
                          const struct value *other);

/* How much a pointer says, to choose among several that are true: 0 nothing. */
unsigned value_worth(const struct shapes *shapes, const struct value *value);

/*
 * The offset of a pointer brought into its type by whole elements where that is right: numbers
 * and pointers always, records where an index moves over them. False: it leaves the type.
 */
bool value_folded(struct shapes *shapes, struct value *value);

bool value_equal(const struct value *value, const struct value *other);

/*
 * Where a function's variables are at each of its addresses, inlined functions' among them, and
 * what its calls call: read from DWARF once, as ranges of addresses.
 */
enum where_kind {
    WHERE_HELD,     /* `reg` holds the variable, or the part of it from `part` on */
    WHERE_COMPUTED, /* the variable's value is `reg` + `offset` */
    WHERE_MEMORY,   /* the variable is in memory at `reg` + `offset` */
    WHERE_POINTED   /* the address of the variable is in memory at `reg` + `offset` */
};

enum { WHERE_CFA = 0x40 }; /* for a register: the canonical frame address */

struct where {
    uint64_t start; /* run-time addresses of the code for which it holds */
    uint64_t end;
    size_t before; /* of its list, the last that begins earlier and ends after this one's start, +
                      1; 0: none. No other one before it can hold where this one does */
    int64_t offset;
    uint64_t part; /* bytes of the variable before this piece */
    uint64_t size; /* bytes of the piece; 0: not known */
    Dwarf_Die variable;
    uint32_t shape;
    uint32_t depth; /* of its scope in the function */
    uint8_t kind;   /* enum where_kind */
    uint8_t reg;    /* enum sample_register or WHERE_CFA */
    bool anywhere;  /* reported for its whole scope: its position at any address */
};

/* A call with a callee that DWARF names: the type of its result. */
struct where_call {
    uint64_t back; /* run-time return address */
    Dwarf_Die callee;
};

struct where_list {
    struct where *at; /* by start */
    size_t count;
    size_t room;
    uint32_t
        regs; /* mask of the registers that any is in, or in memory at, but the stack pointer */
};

struct wheres {
    struct where_list in_register; /* HELD, COMPUTED */
    struct where_list in_memory;
    struct where_call *calls; /* by address */
    size_t call_count;
    size_t call_room;
};

void wheres_read(struct wheres *wheres, struct shapes *shapes, const struct routine *routine);
void wheres_fini(struct wheres *wheres);

/* Goes through those of a list that hold at an address: *at is 0 at first. NULL: no more. */
const struct where *where_next(const struct where_list *list, uint64_t address, size_t *at);

/* The callee of the call that returns to an address; NULL: not reported. */
const Dwarf_Die *wheres_callee(const struct wheres *wheres, uint64_t back);

/*
 * Values that the dynamic linker writes into words of the file (its global offset table), by the
 * file's relocations: addresses of variables, and distances of thread-local ones from the thread
 * pointer. System V ABI AMD64 1.0, 4.4; Drepper, ELF Handling for Thread-Local Storage, 4.4.
 */

enum link_kind {
    LINK_ADDRESS, /* `value`: a run-time address in this file */
    LINK_NAME,    /* the address of a variable of another file, of this name */
    LINK_THREAD,  /* distance from the thread pointer to `value` in the file's own TLS image */
    LINK_DYNAMIC  /* the argument of __tls_get_addr() for `value` in the TLS image */
};

struct link {
    uint64_t place; /* run-time address of the word */
    uint64_t value;
    const char *name; /* NAME: raw, lives with the program */
    uint8_t kind;     /* enum link_kind */
};

struct links {
    struct link *at; /* by place */
    size_t count;
    size_t room;
    uint64_t image_bytes; /* of the TLS image, up to the thread pointer; 0: none */
    bool read;
};

/*
 * Targets of registers and stack slots, and the effect of one instruction on them. flow.c goes
 * through functions with it.
 */

enum { STATE_SLOTS = 48 };

struct state_slot {
    int64_t offset; /* from the canonical frame address */
    struct value value;
};

struct state {
    struct value regs[SREG_COUNT];
    struct state_slot slots[STATE_SLOTS]; /* by offset */
    uint32_t slot_count;
};

/* Tables that a function's code is read with. */
struct scene {
    struct program *program;
    struct shapes *shapes;
    const struct wheres *wheres;
};

/* Changes the state to what holds after an instruction. */
void step_over(const struct scene *scene, struct state *state, const struct insn *insn);

/* Joins what another way brings. */
void state_join(struct shapes *shapes, struct state *state, const struct state *other);
/* The value in a slot; NULL: not known. Storing an unknown value forgets it. */
const struct value *state_slot(const struct state *state, int64_t offset);
void state_store(struct state *state, int64_t offset, const struct value *value);

struct flows;

/* NULL: out of memory. */
struct flows *flows_new(struct program *program);
void flows_free(struct flows *flows);

/* State before an instruction. */
struct flow_at {
    struct scene scene;
    struct state state;
    const struct insn *insn;
    const struct insn *insns; /* of the function */
    size_t count;
};

/* 0; -ENOENT: no debugging information of this code; -EFAULT: no instruction there; -ENOMEM. */
int flows_at(struct flows *flows, uint64_t pc, struct flow_at *at);

/* The same for each instruction of the function around an address, which may be inside of one.
 * False: the rest of its block is left out. */
typedef bool flow_visit(void *context, const struct flow_at *at);
void flows_each(struct flows *flows, uint64_t pc, flow_visit *visit, void *context);

/* The variables of that function; NULL: no debugging information covers it. Valid until another
 * function is asked about. */
const struct wheres *flows_wheres(struct flows *flows, uint64_t pc);

/*
 * The target of an instruction's operand, and constants and thread-local storage as places in
 * variables.
 */
struct value operand_address(const struct scene *scene, const struct state *state,
                             const struct insn *insn, const struct insn_memory *memory);

/* The variable at a constant address, or at a place of thread-local storage; else the value. */
struct value operand_settled(const struct scene *scene, uint64_t pc, struct value value);

/* The dynamic linker's value of a word at a run-time address. */
struct value operand_linked(const struct scene *scene, uint64_t pc, uint64_t place);

/* Result of __tls_get_addr() for its argument; unknown: it is not its argument. */
struct value operand_dynamic(const struct scene *scene, uint64_t pc, const struct value *argument);

/* Types of registers and the frame, from the variables that DWARF places at an instruction. */
/*
 * Where in a variable a stack address points: a POINTER; a DIFFERENCE where the address of a
 * variable of that shape is kept, in a word that no type represents; UNKNOWN: in no variable.
 */
struct value declared_in_frame(const struct scene *scene, const struct state *state, uint64_t pc,
                               const struct value *place);

/* Lets variables that are in registers at an address say what those hold; `mask` of enum
 * sample_register. */
void declared_in_registers(const struct scene *scene, struct state *state, uint64_t pc,
                           uint32_t mask);

/* A variable's word goes over what was followed, unless that says more. */
void declared_over(struct shapes *shapes, struct value *known, const struct value *declared);

/*
 * Which registers a function's parameters and results are in, by its declaration: the System V
 * ABI AMD64 1.0, 3.2.3.
 */
/* Types in registers and on the stack where calls of a function (its entry) arrive. */
void prototype_arguments(struct shapes *shapes, Dwarf_Die *function, struct state *state);

#endif
