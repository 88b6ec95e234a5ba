/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests each rule with a name as a compiler writes it, with similar names that no rule matches, and
 * with hostile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "resolve/library_types.h"

enum { CPP, RUST };

struct named {
    int language;
    const char *raw;
    const char *shown;
};

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define STRING_1                                                                                   \
    "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >"
#define BTREE "alloc::collections::btree::"

static const struct named by_rule[] = {
    /* libstdc++, as written by g++ and clang++ */
    {CPP, "std::_Rb_tree_node<std::pair<long int const, shop::Order> >",
     "map<long, shop::Order> node"},
    {CPP, "std::_Rb_tree_node<std::pair<const long, shop::Order> >", "map<long, shop::Order> node"},
    {CPP, "std::_Rb_tree_node<std::pair<" STRING " const, int> >", "map<string, int> node"},
    {CPP, "std::_Rb_tree_node<std::pair<char const* const, int> >", "map<char const*, int> node"},
    {CPP, "std::_Rb_tree_node<long int>", "set<long> node"},
    {CPP, "std::_Rb_tree_node<std::pair<long, int> >", "set<pair<long, int>> node"},
    {CPP, "std::_Rb_tree_node_base", "map or set node"},
    {CPP,
     "std::_Rb_tree<int, std::pair<int const, A>, std::_Select1st<std::pair<int const, A> >, "
     "std::less<int>, std::allocator<std::pair<int const, A> > >",
     "map<int, A>"},
    {CPP, "std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>, std::allocator<int> >",
     "set<int>"},
    {CPP, "std::_Rb_tree<int, int, std::_Identity<int> >::_Rb_tree_impl<std::less<int>, true>",
     "map or set"},
    {CPP, "std::__detail::_Hash_node<std::pair<const " STRING ", int>, true>",
     "unordered_map<string, int> node"},
    {CPP, "std::__detail::_Hash_node<long int, false>", "unordered_set<long> node"},
    {CPP, "std::__detail::_Hash_node_value<std::pair<int const, A>, false>",
     "unordered_map<int, A> node"},
    {CPP, "std::__detail::_Hash_node_value<int, false>", "unordered_set<int> node"},
    {CPP, "std::__detail::_Hash_node_value_base<std::pair<int const, A> >",
     "unordered_map<int, A> node"},
    {CPP, "std::__detail::_Hash_node_value_base<int>", "unordered_set<int> node"},
    {CPP, "std::__detail::_Hash_node_base", "unordered container node"},
    {CPP, "std::_Hashtable<int, std::pair<int const, A>, std::allocator<int>, X>",
     "unordered_map<int, A>"},
    {CPP, "std::_Hashtable<int, int, std::allocator<int>, X>", "unordered_set<int>"},
    {CPP,
     "std::__detail::_Hashtable_alloc<std::allocator<std::__detail::_Hash_node<std::pair<int "
     "const, "
     "A>, false> > >",
     "unordered_map<int, A>"},
    {CPP,
     "std::__detail::_Hashtable_alloc<std::allocator<std::__detail::_Hash_node<int, false> > >",
     "unordered_set<int>"},
    {CPP, "std::_List_node<A>", "list<A> node"},
    {CPP, "std::__detail::_List_node_base", "list node"},
    {CPP, "std::_List_base<A, std::allocator<A> >", "list<A>"},
    {CPP, "std::_Fwd_list_node<A>", "forward_list<A> node"},
    {CPP, "std::_Fwd_list_node_base", "forward_list node"},
    {CPP, "std::_Fwd_list_base<A, std::allocator<A> >", "forward_list<A>"},
    {CPP, "std::_Vector_base<A, std::allocator<A> >", "vector<A>"},
    {CPP, "std::_Vector_base<A, std::allocator<A> >::_Vector_impl", "vector<A>"},
    {CPP, "std::_Vector_base<A, std::allocator<A> >::_Vector_impl_data", "vector<A>"},
    {CPP, "std::_Deque_base<A, std::allocator<A> >", "deque<A>"},
    {CPP, "std::_Deque_base<A, std::allocator<A> >::_Deque_impl", "deque<A>"},
    {CPP, "std::_Deque_base<A, std::allocator<A> >::_Deque_impl_data", "deque<A>"},
    {CPP, "std::_Deque_iterator<A, A&, A*>", "deque<A>::iterator"},
    {CPP, "std::_Function_base::_Base_manager<main()::<lambda(int)> >", "main()::<lambda(int)>"},
    {CPP, "std::_Sp_counted_ptr_inplace<A, std::allocator<void>, (__gnu_cxx::_Lock_policy)2>",
     "shared_ptr<A> block"},
    {CPP, "std::_Sp_counted_ptr<A*, (__gnu_cxx::_Lock_policy)2>", "shared_ptr<A> control block"},
    {CPP, "std::_Sp_counted_deleter<A *, std::default_delete<A>, std::allocator<void>, 2>",
     "shared_ptr<A> control block"},
    {CPP, "std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>", "shared_ptr control block"},
    {CPP, "std::__shared_ptr<A const, (__gnu_cxx::_Lock_policy)2>", "shared_ptr<A const>"},
    {CPP, "std::__shared_count<(__gnu_cxx::_Lock_policy)2>", "shared_ptr count"},
    {CPP, "std::__uniq_ptr_impl<A, std::default_delete<A> >", "unique_ptr<A>"},
    {CPP, "std::_Head_base<0, A*, false>", "A*"},
    {CPP, "std::_Optional_base<A, true, true>", "optional<A>"},
    {CPP, "std::_Optional_payload<A, true, true, true>", "optional<A>"},
    {CPP, "std::_Optional_payload_base<A>", "optional<A>"},
    {CPP, "std::_Optional_payload_base<A>::_Storage<A, true>", "A"},
    {CPP, "std::__detail::__variant::_Uninitialized<A, true>", "A"},
    {CPP, "std::__detail::__variant::_Uninitialized<A, false>", "A"},
    {CPP, "__gnu_cxx::__aligned_membuf<std::pair<int const, A> >", "pair<int const, A>"},
    {CPP, "__gnu_cxx::__aligned_buffer<A>", "A"},
    {CPP, STRING, "string"},
    {CPP, STRING "::_Alloc_hider", "string"},
    {CPP, "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
     "wstring"},
    {CPP, "std::basic_string<wchar_t, std::char_traits<wchar_t> >::_Alloc_hider", "wstring"},
    {CPP, "std::basic_string_view<char, std::char_traits<char> >", "string_view"},
    {CPP, "__gnu_cxx::__normal_iterator<A*, std::vector<A, std::allocator<A> > >",
     "vector<A>::iterator"},

    /* libc++ */
    {CPP, "std::__1::__tree_node<std::__1::__value_type<long, Order>, void *>",
     "map<long, Order> node"},
    {CPP, "std::__1::__tree_node<long, void *>", "set<long> node"},
    {CPP, "std::__1::__tree_node_base<void *>", "map or set node"},
    {CPP, "std::__1::__tree_end_node<std::__1::__tree_node_base<void *> *>", "map or set node"},
    {CPP, "std::__1::__tree<std::__1::__value_type<long, A>, X, Y>", "map<long, A>"},
    {CPP, "std::__1::__value_type<long, A>", "pair<const long, A>"},
    {CPP, "std::__1::__hash_value_type<" STRING_1 ", A>", "pair<const string, A>"},
    {CPP, "std::__1::__hash_node<std::__1::__hash_value_type<" STRING_1 ", int>, void *>",
     "unordered_map<string, int> node"},
    {CPP, "std::__1::__hash_node<int, void *>", "unordered_set<int> node"},
    {CPP,
     "std::__1::__hash_node_base<std::__1::__hash_node<std::__1::__hash_value_type<int, A>, void "
     "*> "
     "*>",
     "unordered_map<int, A> node"},
    {CPP, "std::__1::__hash_node_base<std::__1::__hash_node<int, void *> *>",
     "unordered_set<int> node"},
    {CPP, "std::__1::__hash_table<std::__1::__hash_value_type<int, A>, X>",
     "unordered_map<int, A>"},
    {CPP, "std::__1::__list_node<A, void *>", "list<A> node"},
    {CPP, "std::__1::__list_node_base<A, void *>", "list<A> node"},
    {CPP, "std::__1::__forward_list_node<A, void *>", "forward_list<A> node"},
    {CPP, "std::__1::__forward_begin_node<std::__1::__forward_list_node<A, void *> *>",
     "forward_list<A> node"},
    {CPP, "std::__1::__shared_ptr_emplace<A, std::__1::allocator<A> >", "shared_ptr<A> block"},
    {CPP, "std::__1::__shared_ptr_pointer<A *, X, std::__1::allocator<A> >",
     "shared_ptr<A> control block"},
    {CPP, "std::__1::__shared_weak_count", "shared_ptr control block"},
    {CPP, "std::__1::__shared_count", "shared_ptr control block"},
    {CPP, "std::__1::__compressed_pair_elem<A *, 0, false>", "A*"},
    {CPP, "std::__1::__optional_destruct_base<A, true>", "optional<A>"},

    /* Rust */
    {RUST, BTREE "node::LeafNode<u32, shop::Body>", "BTreeMap<u32, shop::Body> node"},
    {RUST, BTREE "node::LeafNode<u32, " BTREE "set_val::SetValZST>", "BTreeSet<u32> node"},
    {RUST, BTREE "node::InternalNode<u32, shop::Body>", "BTreeMap<u32, shop::Body> node"},
    {RUST, BTREE "node::InternalNode<u32, " BTREE "set_val::SetValZST>", "BTreeSet<u32> node"},
    {RUST, "alloc::collections::linked_list::Node<A>", "LinkedList<A> node"},
    {RUST, "alloc::rc::RcBox<A>", "Rc<A> block"},
    {RUST, "alloc::rc::RcInner<A>", "Rc<A> block"},
    {RUST, "alloc::sync::ArcInner<A>", "Arc<A> block"},
    {RUST, "core::mem::maybe_uninit::MaybeUninit<A>", "A"},
    {RUST, "core::mem::manually_drop::ManuallyDrop<A>", "A"},
    {RUST, "core::mem::maybe_dangling::MaybeDangling<A>", "A"},
    {RUST, "core::num::niche_types::UsizeNoHighBit", "usize"},
    {RUST, "hashbrown::map::HashMap<u32, A, S, alloc::alloc::Global>", "HashMap<u32, A>"},
    {RUST, "hashbrown::raw::RawTable<(u32, A), alloc::alloc::Global>", "HashMap<u32, A>"},

    /* Boost */
    {CPP, "boost::unordered::detail::ptr_node<std::pair<int const, A> >",
     "boost::unordered_map<int, A> node"},
    {CPP, "boost::unordered::detail::ptr_node<int>", "boost::unordered_set<int> node"},
    {CPP, "boost::unordered::detail::node<std::pair<int const, A>, void*>",
     "boost::unordered_map<int, A> node"},
    {CPP, "boost::unordered::detail::value_base<A>", "A"},
    {CPP, "boost::detail::sp_counted_impl_p<A>", "boost::shared_ptr<A> control block"},
    {CPP, "boost::detail::sp_counted_impl_pd<A*, boost::detail::sp_ms_deleter<A> >",
     "boost::shared_ptr<A> block"},
    {CPP, "boost::detail::sp_counted_base", "boost::shared_ptr control block"},
    {CPP, "boost::container::dtl::base_node<std::pair<int const, A>, X, true>",
     "boost::map<int, A> node"},
    {CPP, "boost::container::dtl::base_node<A, X, true>", "boost node of A"},
    {CPP, "boost::container::dtl::tree_node<std::pair<int const, A>, void*, 0, true>",
     "boost::map<int, A> node"},
    {CPP, "boost::container::dtl::tree_node<int, void*, 0, true>", "boost::set<int> node"},
    {CPP, "boost::container::dtl::pair<int, A>", "pair<int, A>"},
    {CPP, "boost::container::vector<A, void, void>", "boost::vector<A>"},
    {CPP, "boost::optional_detail::optional_base<A>", "boost::optional<A>"},

    /* abseil */
    {CPP, "absl::lts_20220623::container_internal::map_slot_type<int, A>",
     "absl::flat_hash_map<int, A> slot"},
    {CPP,
     "absl::lts_20220623::container_internal::raw_hash_set<absl::lts_20220623::container_internal::"
     "FlatHashMapPolicy<int, A>, X, Y, Z>",
     "absl::flat_hash_map<int, A>"},
    {CPP,
     "absl::container_internal::raw_hash_set<absl::container_internal::FlatHashSetPolicy<A>, X, Y>",
     "absl::flat_hash_set<A>"},
};

/* General rules: default arguments, namespaces, C's numbers. */
static const struct named in_general[] = {
    {CPP, "std::vector<int, std::allocator<int> >", "vector<int>"},
    {CPP,
     "std::map<long int, A, std::less<long int>, std::allocator<std::pair<long int const, A> > >",
     "map<long, A>"},
    {CPP, "std::map<" STRING ", A, std::less<void>, std::allocator<int> >",
     "map<string, A, less<void>>"},
    {CPP, "std::map<int, A, std::less<int>, mine::allocator<int> >",
     "map<int, A, less<int>, mine::allocator<int>>"},
    {CPP, "std::vector<int, mine::allocator<int> >", "vector<int, mine::allocator<int>>"},
    {CPP, "std::unordered_map<int, A, std::hash<int>, std::equal_to<int>, std::allocator<X> >",
     "unordered_map<int, A>"},
    {CPP,
     "absl::lts_20220623::flat_hash_map<int, A, absl::lts_20220623::hash_internal::Hash<int>, X>",
     "absl::flat_hash_map<int, A, absl::hash_internal::Hash<int>, X>"},
    {CPP, "std::unique_ptr<Base, std::default_delete<Base> >", "unique_ptr<Base>"},
    {CPP, "std::function<long int(long unsigned int, short int)>",
     "function<long(unsigned long, short)>"},
    {CPP, "std::vector<A *, std::allocator<A *> >", "vector<A*>"},
    {CPP, "std::filesystem::path", "filesystem::path"},
    {CPP, "std::vector<A>::iterator", "vector<A>::iterator"},
    {CPP, "mine::vector<{anonymous}::A>", "mine::vector<(anonymous namespace)::A>"},
    {CPP, "pair<" STRING ", int>", "pair<string, int>"},
    {CPP, "shop::Side<(shop::Kind)1>", "shop::Side<(shop::Kind)1>"},
    {CPP, "X<(1 > 2)>", "X<(1 > 2)>"},
    {CPP, "X<'<', 'a'>", "X<'<', 'a'>"},
    {RUST, "alloc::vec::Vec<alloc::string::String, alloc::alloc::Global>", "Vec<String>"},
    {RUST, "alloc::boxed::Box<shop::Order, alloc::alloc::Global>", "Box<shop::Order>"},
    {RUST, "core::option::Option<alloc::rc::Rc<A, alloc::alloc::Global>>::Some",
     "Option<Rc<A>>::Some"},
    {RUST, "std::collections::hash::map::HashMap<u32, A, std::hash::random::RandomState>",
     "HashMap<u32, A>"},
    {RUST, "fn(i32) -> alloc::vec::Vec<i32>", "fn(i32) -> Vec<i32>"},
    {RUST, "*mut " BTREE "node::LeafNode<u32, A>", "*mut BTreeMap<u32, A> node"},
};

/* Names that only resemble a library's, or have unbalanced brackets, are unchanged. */
static const char *const unchanged[] = {"plain",
                                        "",
                                        "<",
                                        ">",
                                        "a<",
                                        "a<b",
                                        "a<b, c<d>",
                                        "a<b>>",
                                        "operator<",
                                        "operator<<",
                                        "a<(b>",
                                        "_Rb_tree_node<int>",
                                        "mine::_Rb_tree_node<int>",
                                        "mine::std::_Rb_tree_node<int>",
                                        "mine::basic_string<char>",
                                        "stdx::vector<int, stdx::allocator<int>>",
                                        "shop::string",
                                        "std_vector<int>",
                                        "shop::_List_node_base",
                                        "std::_Rb_tree_node<int",
                                        "std::vector<int>>",
                                        "mine::Hash_node<mine::pair<int const, A>, true>",
                                        "hashbrown::raw::RawTableOf<int>",
                                        "mine::alloc::vec::Vec<int>"};

static const char *name_of(const struct named *named, char out[512])
{
    return library_name(named->raw, named->language == RUST, out, 512);
}

static void every_library_rule_gives_its_name(void **state)
{
    char out[512];
    (void)state;
    for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++)
        assert_string_equal(name_of(&by_rule[i], out), by_rule[i].shown);
}

static void other_library_names_follow_general_rules(void **state)
{
    char out[512];
    (void)state;
    for (size_t i = 0; i < sizeof in_general / sizeof *in_general; i++)
        assert_string_equal(name_of(&in_general[i], out), in_general[i].shown);
}

static void names_resembling_a_library_are_unchanged(void **state)
{
    char out[512];
    (void)state;
    for (size_t i = 0; i < sizeof unchanged / sizeof *unchanged; i++)
        assert_string_equal(library_name(unchanged[i], false, out, sizeof out), unchanged[i]);
}

/* The same names in a namespace of the program. */
static void library_rules_ignore_other_namespaces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++) {
        char other[1024];
        char out[512];
        snprintf(other, sizeof other, "mine::%s", by_rule[i].raw);
        library_name(other, by_rule[i].language == RUST, out, sizeof out);
        assert_memory_equal(out, "mine::", 6);
        assert_ptr_equal(library_rule(other), &library_none);
    }
}

static unsigned balance(const char *text)
{
    unsigned open = 0;
    for (; *text; text++) {
        open += *text == '<';
        open -= *text == '>';
    }
    return open;
}

/* Names cut at each byte, and written into each smaller buffer. */
static void truncated_names_are_bounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++)
        for (size_t cut = 0; cut < strlen(by_rule[i].raw); cut++) {
            char raw[1024];
            char out[512];
            char small[64];
            snprintf(raw, sizeof raw, "%.*s", (int)cut, by_rule[i].raw);
            library_name(raw, false, out, sizeof out);
            library_rule(raw);
            library_block(raw, "_M_rehash", out, sizeof out);
            library_symbol_block(raw, out, sizeof out);
            library_name(by_rule[i].raw, false, small, cut % sizeof small);
            if (cut % sizeof small)
                assert_true(strlen(small) < cut % sizeof small);
        }
}

static void long_names_are_shortened_with_balanced_brackets(void **state)
{
    static char raw[12000];
    char out[512];
    (void)state;
    for (int i = 0; i < 50; i++)
        strcat(raw, "std::map<" STRING ", ");
    strcat(raw, "int");
    for (int i = 0; i < 50; i++)
        strcat(raw, ", std::less<" STRING "> >");
    library_name(raw, false, out, sizeof out);
    assert_int_equal(balance(out), 0);
    assert_non_null(strstr(out, "map<string, "));
    assert_non_null(strstr(out, "..."));
    /* A name that is as long because of its many arguments. */
    strcpy(raw, "std::variant<int");
    while (strlen(raw) < 10000)
        strcat(raw, ", int");
    strcat(raw, ">");
    library_name(raw, false, out, sizeof out);
    assert_string_equal(out + strlen(out) - 4, "...>");
    /* Unclosed brackets, more than are read. */
    memset(raw, '<', 11000);
    raw[11000] = 0;
    assert_int_equal(strlen(library_name(raw, false, out, sizeof out)), sizeof out - 1);
}

static void library_wrapper_members_are_transparent(void **state)
{
    const struct library_rule *tree = library_rule("std::_Rb_tree_node<std::pair<int const, A> >");
    const struct library_rule *tree_1 =
        library_rule("std::__1::__tree_node<std::__1::__value_type<long, Order>, void *>");
    const struct library_rule *pair = library_rule("std::__1::__value_type<long, Order>");
    const struct library_rule *unique = library_rule("std::unique_ptr<A, std::default_delete<A> >");
    (void)state;
    assert_int_equal(library_member(tree, "_M_storage"), LIBRARY_VALUE_BYTES);
    assert_int_equal(library_member(tree, "_M_left"), LIBRARY_PLAIN);
    assert_int_equal(library_member(tree, ""), LIBRARY_PLAIN);
    assert_int_equal(library_member(tree_1, "__value_"), LIBRARY_TRANSPARENT);
    assert_int_equal(library_member(pair, "__cc"), LIBRARY_TRANSPARENT);
    assert_int_equal(library_member(pair, "__cc_"), LIBRARY_TRANSPARENT);
    assert_int_equal(library_member(pair, "__c"), LIBRARY_PLAIN);
    assert_int_equal(library_member(unique, "_M_t"), LIBRARY_TRANSPARENT);
    assert_int_equal(library_member(library_rule("A"), "_M_storage"), LIBRARY_PLAIN);
}

static const char *block_of(const char *scope, const char *function, enum library_block wanted)
{
    static char out[512];
    assert_int_equal(library_block(scope, function, out, sizeof out), wanted);
    return out;
}

static void blocks_are_named_after_their_container(void **state)
{
    static const char table[] = "std::_Hashtable<int, std::pair<int const, A>, X>";
    static const char queue[] = "std::_Deque_base<A, std::allocator<A> >";
    char out[512];
    (void)state;
    assert_string_equal(
        block_of("std::_Vector_base<A, std::allocator<A> >", "_M_allocate", LIBRARY_BLOCK_KNOWN),
        "vector<A> elements");
    assert_string_equal(block_of(table, "_M_rehash", LIBRARY_BLOCK_KNOWN),
                        "unordered_map<int, A> bucket array");
    block_of(table, "_M_emplace", LIBRARY_BLOCK_NOT_KNOWN);
    assert_string_equal(block_of("alloc::vec::Vec<alloc::boxed::Box<a::B>, alloc::alloc::Global>",
                                 "push", LIBRARY_BLOCK_KNOWN),
                        "Vec<Box<a::B>> elements");
    assert_string_equal(block_of(queue, "_M_allocate_map", LIBRARY_BLOCK_KNOWN),
                        "deque<A> chunk table");
    assert_string_equal(block_of(queue, "_M_allocate_node", LIBRARY_BLOCK_KNOWN),
                        "deque<A> elements");
    assert_string_equal(
        block_of("std::__new_allocator<std::_List_node<A> >", "allocate", LIBRARY_BLOCK_KNOWN),
        "list<A> node");
    block_of("__gnu_cxx::new_allocator<A>", "allocate", LIBRARY_BLOCK_NOT_KNOWN);
    block_of("std::allocator_traits<std::allocator<A> >", "allocate", LIBRARY_BLOCK_NOT_KNOWN);
    /* Constructors of elements may allocate too. */
    block_of("A", "A", LIBRARY_BLOCK_NONE);
    block_of("", "main", LIBRARY_BLOCK_NONE);
    block_of("std::thread", "thread", LIBRARY_BLOCK_NONE);
    assert_string_equal(block_of("std", "make_unique<a::B, int>", LIBRARY_BLOCK_KNOWN), "a::B");
    assert_string_equal(block_of("std", "make_unique<a::B>", LIBRARY_BLOCK_KNOWN), "a::B");
    block_of("mine", "make_unique<a::B>", LIBRARY_BLOCK_NONE);
    block_of("std", "make_unique<a::B", LIBRARY_BLOCK_NONE);
    assert_true(library_symbol_block(STRING "::_M_mutate", out, sizeof out));
    assert_string_equal(out, "string characters");
    assert_true(library_symbol_block("std::__new_allocator<std::_List_node<A> >::allocate", out,
                                     sizeof out));
    assert_string_equal(out, "list<A> node");
    assert_false(library_symbol_block("std::vector<A>::_M_realloc_insert", out, sizeof out));
    assert_false(library_symbol_block("std::allocator<A>::allocate", out, sizeof out));
    assert_string_equal(out, "");
    assert_false(library_symbol_block("main", out, sizeof out));
    assert_true(library_allocator("std::allocator<A>"));
    assert_true(library_function("alloc::vec::Vec<T>::push"));
    assert_true(library_function("<core::iter::Map<I,F> as core::iter::Iterator>::fold"));
    assert_true(library_function("<T as alloc::vec::spec_from_elem::SpecFromElem>::from_elem"));
    assert_false(library_function("<a::Order as core::clone::Clone>::clone"));
    assert_false(library_function("<T as a::Grow>::grow"));
    assert_false(library_function("alloc"));
    assert_false(library_function(""));
    assert_false(library_allocator("std::vector<A>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_library_rule_gives_its_name),
        cmocka_unit_test(other_library_names_follow_general_rules),
        cmocka_unit_test(names_resembling_a_library_are_unchanged),
        cmocka_unit_test(library_rules_ignore_other_namespaces),
        cmocka_unit_test(truncated_names_are_bounded),
        cmocka_unit_test(long_names_are_shortened_with_balanced_brackets),
        cmocka_unit_test(library_wrapper_members_are_transparent),
        cmocka_unit_test(blocks_are_named_after_their_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
