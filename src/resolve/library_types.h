/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows types of the C++ and Rust standard libraries, Boost and abseil as their users know them:
 * "map<long, Order> node" for std::_Rb_tree_node<std::pair<long const, Order> >, and the members
 * that only wrap the value. Pure functions on untrusted text, driven by one table of rules.
 */
#ifndef MISSTOP_RESOLVE_LIBRARY_TYPES_H
#define MISSTOP_RESOLVE_LIBRARY_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/* Names without a rule lose default arguments, inline namespaces and "std::". The result fits `out`
 * with balanced brackets: inner arguments become "...". Unbalanced brackets: an unchanged copy. */
const char *library_name(const char *name, bool rust, char *out, size_t out_size);

/*
 * Describes the block that a member function of a library allocates, itself or through functions
 * that returned NOT_KNOWN: "vector<Order> elements". `scope`: its class, as in debug information.
 * NOT_KNOWN: it allocates for its caller. NONE: unknown what it allocates.
 */
enum library_block { LIBRARY_BLOCK_NONE, LIBRARY_BLOCK_NOT_KNOWN, LIBRARY_BLOCK_KNOWN };
enum library_block library_block(const char *scope, const char *function, char *out,
                                 size_t out_size);

/* library_allows_equals() returns true for a member function of a map or set that may have several
 * elements with one key. library_tree() returns true for the tree class and the multi containers,
 * and for scopes that allocate for their callers. */
bool library_tree(const char *scope);
bool library_allows_equals(const char *scope, const char *function);

/* Returns true if a class allocates objects of its first template argument. */
bool library_allocator(const char *scope);

/* Like library_block(), for a demangled symbol. Only for functions with nothing inlined that could
 * allocate anything else: allocators of nodes, and strings. */
bool library_symbol_block(const char *function, char *out, size_t out_size);

/*
 * A rule for types. `type`: $1 and $2 are arguments, equal where they are repeated; "$1 const" is a
 * constant one,
 * "$1*" a pointer to one, a last "*" all other arguments. Inline namespaces are left out.
 * `shown` NULL: the general rules give the name.
 * `transparent_members`: members that are shown without their own name.
 * `value_bytes`: one of raw bytes that are a value of the first template argument.
 * `block_contents`: contents of blocks that its functions allocate, shown after the name: "part of
 * a function's name=text;...;=text of the others".
 */
struct library_rule {
    const char *type;
    const char *shown;
    const char *transparent_members;
    const char *value_bytes;
    const char *block_contents;
    const char *link;      /* a pointer to links, which are of a node: an iterator's _M_node */
    const char *link_type; /* the member type that is the node, or a pointer to it */
    const char *node;      /* the template of the node with the same first argument */
    bool has_base_links;   /* links in its base class lead to nodes of its own type */
};

extern const struct library_rule library_none;

/* Finds a type's rule by its name in the debug information; library_none: it has none. */
const struct library_rule *library_rule(const char *name);

enum library_member {
    LIBRARY_PLAIN,
    LIBRARY_TRANSPARENT, /* without its own name: its members are those of the value */
    LIBRARY_VALUE_BYTES  /* like LIBRARY_TRANSPARENT; its bytes are a value of the first template
                            argument */
};
enum library_member library_member(const struct library_rule *rule, const char *member);

/* Returns true if a function in a library's own binary links nodes of any type. */
bool library_node_function(const char *function);

/* Returns true for the name of a function, or of its class, of a library that allocates for its
 * users. */
bool library_function(const char *name);

/* Returns true if a source file is in an installed library: a compiler's or the system's. */
bool library_source(const char *path);

#endif
