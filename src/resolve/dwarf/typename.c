/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dwarf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "resolve/dwarf/die.h"
#include "resolve/library_types.h"

enum {
    DEPTH_MAX = 16,
    PARAMETERS_MAX = 8,
    DIMENSIONS_MAX = 8,
    DECLARATOR_BYTES = 256,
    RAW_BYTES = sizeof(struct typename_raw)
};

/* State of writing a type from its outermost part inwards. `declarator` is the text so far around
 * the name of a variable, as in "(*)[3]" (ISO C, 6.7.7). */
struct name_writer {
    struct scopes *scopes;
    enum language language;
    unsigned steps; /* steps for the whole name, including parameters of functions */
};

enum { STEPS_MAX = 64 };

static void write_type(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                       unsigned depth, char out[TYPENAME_BYTES]);

__attribute__((format(printf, 3, 4))) static void append_formatted(char *out, size_t size,
                                                                   const char *format, ...)
{
    va_list arguments;
    size_t used = strnlen(out, size - 1);
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

static const char *tag_keyword(const struct name_writer *spelling, int tag)
{
    if (spelling->language != LANGUAGE_C)
        return "";
    switch (tag) {
    case DW_TAG_structure_type:
        return "struct ";
    case DW_TAG_union_type:
        return "union ";
    case DW_TAG_enumeration_type:
        return "enum ";
    default:
        return "";
    }
}

static const char *anonymous_name(int tag)
{
    switch (tag) {
    case DW_TAG_structure_type:
        return "struct {...}";
    case DW_TAG_class_type:
        return "class {...}";
    case DW_TAG_union_type:
        return "union {...}";
    case DW_TAG_enumeration_type:
        return "enum {...}";
    default:
        return "?";
    }
}

/* Writes the name as the compiler does, with its scopes. */
static void write_raw_name(const struct name_writer *spelling, Dwarf_Die *type, char out[RAW_BYTES])
{
    out[0] = 0;
    if (dwarf_tag(type) != DW_TAG_base_type && spelling->language != LANGUAGE_C)
        scopes_prefix(spelling->scopes, type, out, RAW_BYTES / 2);
    append_formatted(out, RAW_BYTES, "%s", dwarf_diename(type));
}

/* Writes a type by its name, or by its kind without the body if it has no name. */
static void write_named(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                        char out[TYPENAME_BYTES])
{
    char raw[RAW_BYTES];
    char shown[TYPENAME_BYTES];
    Dwarf_Die definition;
    if (die_signed(type, &definition))
        type = &definition;
    int tag = dwarf_tag(type);
    bool named = dwarf_diename(type);
    if (named)
        write_raw_name(spelling, type, raw);
    if (named && (spelling->language == LANGUAGE_CPP || spelling->language == LANGUAGE_RUST))
        append_formatted(
            out, TYPENAME_BYTES, "%s",
            library_name(raw, spelling->language == LANGUAGE_RUST, shown, sizeof shown));
    else if (named)
        append_formatted(out, TYPENAME_BYTES, "%s%s", tag_keyword(spelling, tag), raw);
    else
        append_formatted(out, TYPENAME_BYTES, "%s", anonymous_name(tag));
    if (*declarator)
        append_formatted(out, TYPENAME_BYTES, " %s", declarator);
}

/* Writes a pointer. A declarator of an array or a function needs parentheses around it. */
static void write_pointer(struct name_writer *spelling, Dwarf_Die *type, const char *star,
                          const char *declarator, unsigned depth, char out[TYPENAME_BYTES])
{
    char inner[DECLARATOR_BYTES];
    Dwarf_Die target;
    bool known = die_type(type, &target);
    int tag = known ? dwarf_tag(&target) : 0;
    bool wrapped = tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type;
    snprintf(inner, sizeof inner, wrapped ? "(%s%s)" : "%s%s", star, declarator);
    write_type(spelling, known ? &target : NULL, inner, depth, out);
}

static void write_member_pointer(struct name_writer *spelling, Dwarf_Die *type,
                                 const char *declarator, unsigned depth, char out[TYPENAME_BYTES])
{
    char class[TYPENAME_BYTES] = "";
    char star[DECLARATOR_BYTES];
    Dwarf_Attribute attribute;
    Dwarf_Die of;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_containing_type, &attribute), &of))
        write_type(spelling, &of, "", depth, class);
    snprintf(star, sizeof star, "%.200s::*", class);
    write_pointer(spelling, type, star, declarator, depth, out);
}

/* Writes a qualifier: before a name, but after the star of a constant pointer. */
static void write_qualified(struct name_writer *spelling, Dwarf_Die *type, const char *word,
                            const char *declarator, unsigned depth, char out[TYPENAME_BYTES])
{
    char inner[DECLARATOR_BYTES];
    Dwarf_Die target;
    bool known = die_type(type, &target);
    int tag = known ? dwarf_tag(&target) : 0;
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
        snprintf(inner, sizeof inner, "%s%s%s", word, *declarator ? " " : "", declarator);
        write_type(spelling, &target, inner, depth, out);
        return;
    }
    append_formatted(out, TYPENAME_BYTES, "%s ", word);
    write_type(spelling, known ? &target : NULL, declarator, depth, out);
}

static size_t array_dimensions(Dwarf_Die *array, Dwarf_Die ranges[DIMENSIONS_MAX])
{
    size_t count = 0;
    Dwarf_Die child;
    if (dwarf_child(array, &child))
        return 0;
    do {
        if (dwarf_tag(&child) == DW_TAG_subrange_type ||
            dwarf_tag(&child) == DW_TAG_enumeration_type)
            ranges[count++] = child;
    } while (count < DIMENSIONS_MAX && !dwarf_siblingof(&child, &child));
    return count;
}

static void write_rust_array(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                             unsigned depth, char out[TYPENAME_BYTES])
{
    Dwarf_Die element;
    Dwarf_Die ranges[DIMENSIONS_MAX];
    size_t count = array_dimensions(type, ranges);
    append_formatted(out, TYPENAME_BYTES, "[");
    write_type(spelling, die_type(type, &element) ? &element : NULL, "", depth, out);
    if (count)
        append_formatted(out, TYPENAME_BYTES, "; %llu",
                         (unsigned long long)die_dimension(&ranges[0]));
    append_formatted(out, TYPENAME_BYTES, "]%s", declarator);
}

static void write_array(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                        unsigned depth, char out[TYPENAME_BYTES])
{
    char inner[DECLARATOR_BYTES];
    Dwarf_Die element;
    Dwarf_Die ranges[DIMENSIONS_MAX];
    size_t count = array_dimensions(type, ranges);
    bool fortran = spelling->language == LANGUAGE_FORTRAN;
    snprintf(inner, sizeof inner, "%s%s", declarator, fortran ? "(" : "");
    for (size_t i = 0; i < count; i++) {
        uint64_t elements = die_dimension(&ranges[i]);
        char number[24] = "";
        if (elements)
            snprintf(number, sizeof number, "%llu", (unsigned long long)elements);
        if (fortran)
            append_formatted(inner, sizeof inner, "%s%s", i ? "," : "", elements ? number : ":");
        else
            append_formatted(inner, sizeof inner, "[%s]", number);
    }
    append_formatted(inner, sizeof inner, "%s", fortran ? ")" : count ? "" : "[]");
    write_type(spelling, die_type(type, &element) ? &element : NULL, inner, depth, out);
}

static void write_function(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                           unsigned depth, char out[TYPENAME_BYTES])
{
    char inner[DECLARATOR_BYTES];
    Dwarf_Die child;
    Dwarf_Die returned;
    unsigned count = 0;
    snprintf(inner, sizeof inner, "%s(", declarator);
    for (bool more = !dwarf_child(type, &child); more; more = !dwarf_siblingof(&child, &child)) {
        char parameter[TYPENAME_BYTES] = "";
        Dwarf_Die of;
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_unspecified_parameters || count == PARAMETERS_MAX) {
            append_formatted(inner, sizeof inner, "%s...", count ? ", " : "");
            break;
        }
        if (tag != DW_TAG_formal_parameter)
            continue;
        write_type(spelling, die_type(&child, &of) ? &of : NULL, "", depth, parameter);
        append_formatted(inner, sizeof inner, "%s%s", count++ ? ", " : "", parameter);
    }
    append_formatted(inner, sizeof inner, "%s)", count || dwarf_haschildren(type) ? "" : "void");
    write_type(spelling, die_type(type, &returned) ? &returned : NULL, inner, depth, out);
}

static const char *tag_qualifier(int tag)
{
    switch (tag) {
    case DW_TAG_const_type:
        return "const";
    case DW_TAG_volatile_type:
        return "volatile";
    case DW_TAG_restrict_type:
        return "restrict";
    case DW_TAG_atomic_type:
        return "_Atomic";
    default:
        return NULL;
    }
}

/* Writes Fortran's fixed-length text (DWARF 5, 5.11). */
static void write_text(Dwarf_Die *type, const char *declarator, char out[TYPENAME_BYTES])
{
    uint64_t bytes;
    if (die_size(type, &bytes))
        append_formatted(out, TYPENAME_BYTES, "character(len=%llu)", (unsigned long long)bytes);
    else
        append_formatted(out, TYPENAME_BYTES, "character(len=*)");
    if (*declarator)
        append_formatted(out, TYPENAME_BYTES, " %s", declarator);
}

/* Returns true for typedefs in classes, which are not used as names: equal types share one entry,
 * so the typedef may come from any instance of a template. */
static bool is_member_alias(struct name_writer *spelling, Dwarf_Die *type)
{
    Dwarf_Die class;
    return spelling->language == LANGUAGE_CPP && dwarf_tag(type) == DW_TAG_typedef &&
           scopes_class(spelling->scopes, type, &class);
}

static void write_tag(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                      unsigned depth, char out[TYPENAME_BYTES])
{
    Dwarf_Die target;
    int tag = dwarf_tag(type);
    bool named = dwarf_diename(type); /* Rust and Go name their pointers */
    if (tag_qualifier(tag))
        write_qualified(spelling, type, tag_qualifier(tag), declarator, depth, out);
    else if (tag == DW_TAG_pointer_type && !named)
        write_pointer(spelling, type, "*", declarator, depth, out);
    else if (tag == DW_TAG_reference_type && !named)
        write_pointer(spelling, type, "&", declarator, depth, out);
    else if (tag == DW_TAG_rvalue_reference_type)
        write_pointer(spelling, type, "&&", declarator, depth, out);
    else if (tag == DW_TAG_ptr_to_member_type)
        write_member_pointer(spelling, type, declarator, depth, out);
    else if (tag == DW_TAG_array_type && spelling->language == LANGUAGE_RUST)
        write_rust_array(spelling, type, declarator, depth, out);
    else if (tag == DW_TAG_array_type && !named)
        write_array(spelling, type, declarator, depth, out);
    else if (tag == DW_TAG_subroutine_type && !named)
        write_function(spelling, type, declarator, depth, out);
    else if (tag == DW_TAG_string_type && !named)
        write_text(type, declarator, out);
    else if (is_member_alias(spelling, type) && die_type(type, &target))
        write_type(spelling, &target, declarator, depth, out);
    else
        write_named(spelling, type, declarator, out);
}

static void write_type(struct name_writer *spelling, Dwarf_Die *type, const char *declarator,
                       unsigned depth, char out[TYPENAME_BYTES])
{
    if (depth >= DEPTH_MAX || spelling->steps >= STEPS_MAX)
        append_formatted(out, TYPENAME_BYTES, "...");
    else if (!type)
        append_formatted(out, TYPENAME_BYTES, *declarator ? "void %s" : "void%s", declarator);
    else {
        spelling->steps++;
        write_tag(spelling, type, declarator, depth + 1, out);
    }
}

const char *typename_write(struct scopes *scopes, Dwarf_Die *type, char out[TYPENAME_BYTES])
{
    struct name_writer spelling = {.scopes = scopes,
                                   .language = type ? language_of(type) : LANGUAGE_C};
    out[0] = 0;
    write_type(&spelling, type, "", 0, out);
    return out;
}

bool typename_raw(struct scopes *scopes, Dwarf_Die *type, struct typename_raw *raw)
{
    struct name_writer spelling = {.scopes = scopes, .language = language_of(type)};
    Dwarf_Die definition;
    if (die_signed(type, &definition))
        type = &definition;
    bool written = dwarf_diename(type) &&
                   (spelling.language == LANGUAGE_CPP || spelling.language == LANGUAGE_RUST);
    if (written)
        write_raw_name(&spelling, type, raw->text);
    return written;
}

enum language language_of(Dwarf_Die *die)
{
    Dwarf_Die unit;
    switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++17, 20 and 23 as in DWARF 6, which elfutils 0.188 does not know */
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
