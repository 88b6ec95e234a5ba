/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types of the standard libraries of C++ and Rust, of Boost and abseil as their users know them:
 * "map<long, Order> node" for std::_Rb_tree_node<std::pair<long const, Order> >, and which members
 * of such a type only wrap the value in it. One table of rules. Pure functions of text, which is as
 * untrusted as the debug information that it is from.
 */
#ifndef MISSTOP_RESOLVE_LIBRARY_TYPES_H
#define MISSTOP_RESOLVE_LIBRARY_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name of a type by the rules; other names without default arguments, inline namespaces and
 * "std::". The result fits `out` with its brackets balanced: inner arguments become "...". A name
 * with unbalanced brackets is copied as it is. Returns out.
 */
const char *library_name(const char *name, bool rust, char *out, size_t out_size);

/*
 * The contents of a block that a member function of a library allocates, itself or through
 * functions that gave NOT_KNOWN: "vector<Order> elements". `scope`: its class as in the debug
 * information. NOT_KNOWN: it allocates for its caller. NONE: nothing is known of what it allocates.
 */
enum library_block { LIBRARY_BLOCK_NONE, LIBRARY_BLOCK_NOT_KNOWN, LIBRARY_BLOCK_KNOWN };
enum library_block library_block(const char *scope, const char *function, char *out,
                                 size_t out_size);

/* Whether a member function, as above, is of a map or set that may have several elements of one
 * key. */
bool library_tree(const char *scope); /* is of a tree of such elements, whatever it allows */
bool library_allows_equals(const char *scope, const char *function);

/* Whether a class is an allocator of the type that is its first template argument. */
bool library_allocator(const char *scope);

/* The same of a symbol, demangled; only of functions that can have nothing inlined that allocates
 * something else: those of allocators of nodes, and of strings. */
bool library_symbol_block(const char *function, char *out, size_t out_size);

/*
 * A rule for types. `type`: $1 and $2 are arguments, equal where they are repeated; "$1 const" is a
 * constant one,
 * "$1*" a pointer to one, a last "*" all other arguments. Inline namespaces are left out.
 * `shown` NULL: the general rules give the name.
 * `through`: members that are shown without their own name.
 * `holds`: one of raw bytes that are a value of the first template argument.
 * `block`: contents of blocks that its functions allocate, shown after the name: "part of a
 * function's name=text;...;=text of the others".
 */
struct library_rule {
    const char *type;
    const char *shown;
    const char *through;
    const char *holds;
    const char *block;
    const char *link;      /* a pointer to links, which are of a node: an iterator's _M_node */
    const char *link_type; /* the member type that is the node, or a pointer to it */
    const char *node;      /* the template of the node of the same first argument */
    bool links;            /* those of its base class are to its own kind */
};

extern const struct library_rule library_none;

/* By the name as in the debug information; library_none where there is none. */
const struct library_rule *library_rule(const char *name);

/* How a member of a type with a rule is shown. */
enum library_member {
    LIBRARY_PLAIN,
    LIBRARY_THROUGH, /* without its own name: its parts are the value's */
    LIBRARY_HOLDS    /* the same; its bytes are a value of the type's first template argument */
};
enum library_member library_member(const struct library_rule *rule, const char *member);

/* Whether a function of a library's own binary links nodes of whatever type. */
bool library_node_function(const char *function);

/* Whether a source file is of a library that is installed, by its path: of a compiler, or a header
 * of the system. */
bool library_source(const char *path);

#endif
