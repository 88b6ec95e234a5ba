/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/library_types.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The first match wins. */
static const struct library_rule rules[] = {
    /* libstdc++ 9 to 14: bits/stl_tree.h, hashtable_policy.h, stl_list.h, shared_ptr_base.h */
    {.type = "std::_Rb_tree_node<std::pair<$1 const, $2>>",
     .shown = "map<$1, $2> node",
     .value_bytes = "_M_storage",
     .has_base_links = true},
    {.type = "std::_Rb_tree_node<$1>",
     .shown = "set<$1> node",
     .value_bytes = "_M_storage",
     .has_base_links = true},
    {.type = "std::_Rb_tree_node_base", .shown = "map or set node"},
    {.type = "std::_Rb_tree<$1, std::pair<$1 const, $2>, *>",
     .shown = "map<$1, $2>",
     .transparent_members = "_M_impl",
     .block_contents = "=node",
     .link_type = "_Link_type"},
    {.type = "std::_Rb_tree<$1, $1, *>",
     .shown = "set<$1>",
     .transparent_members = "_M_impl",
     .block_contents = "=node",
     .link_type = "_Link_type"},
    {.type = "std::_Rb_tree<*>::_Rb_tree_impl<*>", .shown = "map or set"},
    {.type = "std::map<$1, $2, *>", .transparent_members = "_M_t", .block_contents = "=node"},
    {.type = "std::multimap<$1, $2, *>", .transparent_members = "_M_t", .block_contents = "=node"},
    {.type = "std::set<$1, *>", .transparent_members = "_M_t", .block_contents = "=node"},
    {.type = "std::multiset<$1, *>", .transparent_members = "_M_t", .block_contents = "=node"},
    {.type = "std::__detail::_Hash_node<std::pair<$1 const, $2>, *>",
     .shown = "unordered_map<$1, $2> node",
     .transparent_members = "_M_storage",
     .has_base_links = true},
    {.type = "std::__detail::_Hash_node<$1, *>",
     .shown = "unordered_set<$1> node",
     .transparent_members = "_M_storage",
     .has_base_links = true},
    {.type = "std::__detail::_Hash_node_value<std::pair<$1 const, $2>, *>",
     .shown = "unordered_map<$1, $2> node"},
    {.type = "std::__detail::_Hash_node_value<$1, *>", .shown = "unordered_set<$1> node"},
    {.type = "std::__detail::_Hash_node_value_base<std::pair<$1 const, $2>>",
     .shown = "unordered_map<$1, $2> node",
     .value_bytes = "_M_storage"},
    {.type = "std::__detail::_Hash_node_value_base<$1>",
     .shown = "unordered_set<$1> node",
     .value_bytes = "_M_storage"},
    {.type = "std::__detail::_Hash_node_base", .shown = "unordered container node"},
    {.type = "std::_Hashtable<$1, std::pair<$1 const, $2>, *>",
     .shown = "unordered_map<$1, $2>",
     .block_contents = "_M_allocate_buckets=bucket array;rehash=bucket array"},
    {.type = "std::_Hashtable<$1, $1, *>",
     .shown = "unordered_set<$1>",
     .block_contents = "_M_allocate_buckets=bucket array;rehash=bucket array"},
    {.type = "std::__detail::_Hashtable_alloc<std::allocator<std::__detail::_Hash_node<std::pair<"
             "$1 const, $2>, *>>>",
     .shown = "unordered_map<$1, $2>",
     .block_contents = "_M_allocate_buckets=bucket array"},
    {.type = "std::__detail::_Hashtable_alloc<std::allocator<std::__detail::_Hash_node<$1, *>>>",
     .shown = "unordered_set<$1>",
     .block_contents = "_M_allocate_buckets=bucket array"},
    {.type = "std::unordered_map<$1, $2, *>", .transparent_members = "_M_h"},
    {.type = "std::unordered_set<$1, *>", .transparent_members = "_M_h"},
    {.type = "std::_List_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Node",
     .node = "_List_node"},
    {.type = "std::_List_const_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Node",
     .node = "_List_node"},
    {.type = "std::_Fwd_list_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Node",
     .node = "_Fwd_list_node"},
    {.type = "std::_Fwd_list_const_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Node",
     .node = "_Fwd_list_node"},
    {.type = "std::_Rb_tree_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Link_type",
     .node = "_Rb_tree_node"},
    {.type = "std::_Rb_tree_const_iterator<$1>",
     .link = "_M_node",
     .link_type = "_Link_type",
     .node = "_Rb_tree_node"},
    {.type = "std::_List_node<$1>",
     .shown = "list<$1> node",
     .value_bytes = "_M_storage",
     .has_base_links = true},
    {.type = "std::__detail::_List_node_base", .shown = "list node"},
    {.type = "std::_List_base<$1, *>",
     .shown = "list<$1>",
     .transparent_members = "_M_impl",
     .block_contents = "=node"},
    {.type = "std::list<$1, *>",
     .block_contents = "=node",
     .link_type = "_Node",
     .node = "_List_node"},
    {.type = "std::_Fwd_list_node<$1>",
     .shown = "forward_list<$1> node",
     .value_bytes = "_M_storage",
     .has_base_links = true},
    {.type = "std::_Fwd_list_node_base", .shown = "forward_list node"},
    {.type = "std::_Fwd_list_base<$1, *>",
     .shown = "forward_list<$1>",
     .transparent_members = "_M_impl",
     .block_contents = "=node"},
    {.type = "std::_Vector_base<$1, *>",
     .shown = "vector<$1>",
     .transparent_members = "_M_impl",
     .block_contents = "=elements"},
    {.type = "std::_Vector_base<$1, *>::_Vector_impl", .shown = "vector<$1>"},
    {.type = "std::_Vector_base<$1, *>::_Vector_impl_data", .shown = "vector<$1>"},
    {.type = "std::vector<$1, *>", .block_contents = "=elements"},
    {.type = "std::_Deque_base<$1, *>",
     .shown = "deque<$1>",
     .transparent_members = "_M_impl",
     .block_contents =
         "_M_allocate_map=chunk table;_M_allocate_node=elements;_M_create_nodes=elements"},
    {.type = "std::deque<$1, *>",
     .block_contents = "_M_reallocate_map=chunk table;_M_push=elements;_M_new_elements=elements"},
    {.type = "std::_Deque_base<$1, *>::_Deque_impl", .shown = "deque<$1>"},
    {.type = "std::_Deque_base<$1, *>::_Deque_impl_data", .shown = "deque<$1>"},
    {.type = "std::_Deque_iterator<$1, *>", .shown = "deque<$1>::iterator"},
    {.type = "std::_Function_base::_Base_manager<$1>",
     .shown = "$1",
     .block_contents = "=in a function"},
    {.type = "std::_Sp_counted_ptr_inplace<$1, *>",
     .shown = "shared_ptr<$1> block",
     .transparent_members = "_M_impl"},
    {.type = "std::_Sp_counted_ptr_inplace<*>::_Impl", .transparent_members = "_M_storage"},
    {.type = "std::_Sp_counted_ptr<$1*, *>", .shown = "shared_ptr<$1> control block"},
    {.type = "std::_Sp_counted_deleter<$1*, *>", .shown = "shared_ptr<$1> control block"},
    {.type = "std::_Sp_counted_base<*>", .shown = "shared_ptr control block"},
    {.type = "std::__shared_ptr<$1, *>",
     .shown = "shared_ptr<$1>",
     .transparent_members = "_M_refcount"},
    {.type = "std::__shared_count<*>", .shown = "shared_ptr count"},
    {.type = "std::unique_ptr<$1, *>", .transparent_members = "_M_t __ptr_"},
    {.type = "std::__uniq_ptr_impl<$1, *>",
     .shown = "unique_ptr<$1>",
     .transparent_members = "_M_t"},
    {.type = "std::_Head_base<$2, $1, *>", .shown = "$1", .transparent_members = "_M_head_impl"},
    {.type = "std::optional<$1>"},
    {.type = "std::_Optional_base<$1, *>",
     .shown = "optional<$1>",
     .transparent_members = "_M_payload"},
    {.type = "std::_Optional_payload<$1, *>", .shown = "optional<$1>"},
    {.type = "std::_Optional_payload_base<$1>",
     .shown = "optional<$1>",
     .transparent_members = "_M_payload"},
    {.type = "std::_Optional_payload_base<*>::_Storage<$1, *>",
     .shown = "$1",
     .transparent_members = "_M_value"},
    {.type = "std::__detail::__variant::_Variant_storage<*>", .transparent_members = "_M_u"},
    {.type = "std::__detail::__variant::_Variadic_union<*>",
     .transparent_members = "_M_first _M_rest"},
    {.type = "std::__detail::__variant::_Uninitialized<$1, true>",
     .shown = "$1",
     .transparent_members = "_M_storage"},
    {.type = "std::__detail::__variant::_Uninitialized<$1, *>",
     .shown = "$1",
     .value_bytes = "_M_storage"},
    {.type = "__gnu_cxx::__aligned_membuf<$1>", .shown = "$1", .value_bytes = "_M_storage"},
    {.type = "__gnu_cxx::__aligned_buffer<$1>", .shown = "$1", .value_bytes = "_M_storage"},
    {.type = "std::basic_string<char, *>",
     .shown = "string",
     .transparent_members = "_M_dataplus __r_",
     .block_contents = "=characters"},
    {.type = "std::basic_string<char, *>::_Alloc_hider", .shown = "string"},
    {.type = "std::basic_string<wchar_t, *>",
     .shown = "wstring",
     .transparent_members = "_M_dataplus __r_",
     .block_contents = "=characters"},
    {.type = "std::basic_string<wchar_t, *>::_Alloc_hider", .shown = "wstring"},
    {.type = "std::basic_string_view<char, *>", .shown = "string_view"},
    {.type = "__gnu_cxx::__normal_iterator<$1, $2>", .shown = "$2::iterator"},

    /* libc++ 9 to 19: __tree, __hash_table, list, forward_list, __memory */
    {.type = "std::__tree_node<std::__value_type<$1, $2>, *>",
     .shown = "map<$1, $2> node",
     .transparent_members = "__value_"},
    {.type = "std::__tree_node<$1, *>", .shown = "set<$1> node", .transparent_members = "__value_"},
    {.type = "std::__tree_node_base<*>", .shown = "map or set node"},
    {.type = "std::__tree_end_node<*>", .shown = "map or set node"},
    {.type = "std::__tree<std::__value_type<$1, $2>, *>",
     .shown = "map<$1, $2>",
     .block_contents = "=node"},
    {.type = "std::__value_type<$1, $2>",
     .shown = "pair<const $1, $2>",
     .transparent_members = "__cc __cc_"},
    {.type = "std::__hash_value_type<$1, $2>",
     .shown = "pair<const $1, $2>",
     .transparent_members = "__cc __cc_"},
    {.type = "std::__hash_node<std::__hash_value_type<$1, $2>, *>",
     .shown = "unordered_map<$1, $2> node",
     .transparent_members = "__value_"},
    {.type = "std::__hash_node<$1, *>",
     .shown = "unordered_set<$1> node",
     .transparent_members = "__value_"},
    {.type = "std::__hash_node_base<std::__hash_node<std::__hash_value_type<$1, $2>, *>*>",
     .shown = "unordered_map<$1, $2> node"},
    {.type = "std::__hash_node_base<std::__hash_node<$1, *>*>", .shown = "unordered_set<$1> node"},
    {.type = "std::__hash_table<std::__hash_value_type<$1, $2>, *>",
     .shown = "unordered_map<$1, $2>",
     .block_contents = "_M_allocate_buckets=bucket array;rehash=bucket array"},
    {.type = "std::__list_node<$1, *>",
     .shown = "list<$1> node",
     .transparent_members = "__value_"},
    {.type = "std::__list_node_base<$1, *>", .shown = "list<$1> node"},
    {.type = "std::__forward_list_node<$1, *>",
     .shown = "forward_list<$1> node",
     .transparent_members = "__value_"},
    {.type = "std::__forward_begin_node<std::__forward_list_node<$1, *>*>",
     .shown = "forward_list<$1> node"},
    {.type = "std::__shared_ptr_emplace<$1, *>",
     .shown = "shared_ptr<$1> block",
     .value_bytes = "__storage_"},
    {.type = "std::__shared_ptr_pointer<$1*, *>", .shown = "shared_ptr<$1> control block"},
    {.type = "std::__shared_weak_count", .shown = "shared_ptr control block"},
    {.type = "std::__shared_count", .shown = "shared_ptr control block"},
    {.type = "std::__compressed_pair_elem<$1, *>",
     .shown = "$1",
     .transparent_members = "__value_"},
    {.type = "std::__optional_destruct_base<$1, *>",
     .shown = "optional<$1>",
     .transparent_members = "__val_"},

    /* Rust's alloc, core and std 1.60 to 1.95, and hashbrown */
    {.type = "alloc::collections::btree::node::LeafNode<$1, "
             "alloc::collections::btree::set_val::SetValZST>",
     .shown = "BTreeSet<$1> node"},
    {.type = "alloc::collections::btree::node::InternalNode<$1, "
             "alloc::collections::btree::set_val::SetValZST>",
     .shown = "BTreeSet<$1> node",
     .transparent_members = "data"},
    {.type = "alloc::collections::btree::node::LeafNode<$1, $2>", .shown = "BTreeMap<$1, $2> node"},
    {.type = "alloc::collections::btree::node::InternalNode<$1, $2>",
     .shown = "BTreeMap<$1, $2> node",
     .transparent_members = "data"},
    {.type = "alloc::collections::linked_list::Node<$1>",
     .shown = "LinkedList<$1> node",
     .transparent_members = "element"},
    {.type = "alloc::rc::RcBox<$1>", .shown = "Rc<$1> block", .transparent_members = "value"},
    {.type = "alloc::rc::RcInner<$1>", .shown = "Rc<$1> block", .transparent_members = "value"},
    {.type = "alloc::sync::ArcInner<$1>", .shown = "Arc<$1> block", .transparent_members = "data"},
    {.type = "alloc::vec::Vec<$1, *>", .transparent_members = "buf", .block_contents = "=elements"},
    {.type = "alloc::raw_vec::RawVec<$1, *>", .transparent_members = "inner"},
    {.type = "alloc::collections::vec_deque::VecDeque<$1, *>",
     .transparent_members = "buf",
     .block_contents = "=elements"},
    {.type = "alloc::string::String", .transparent_members = "vec"},
    {.type = "core::ptr::unique::Unique<$1>", .transparent_members = "pointer"},
    {.type = "core::ptr::non_null::NonNull<$1>", .transparent_members = "pointer"},
    {.type = "core::mem::maybe_uninit::MaybeUninit<$1>",
     .shown = "$1",
     .transparent_members = "value uninit"},
    {.type = "core::mem::manually_drop::ManuallyDrop<$1>",
     .shown = "$1",
     .transparent_members = "value"},
    {.type = "core::mem::maybe_dangling::MaybeDangling<$1>",
     .shown = "$1",
     .transparent_members = "__0"},
    {.type = "core::num::niche_types::UsizeNoHighBit",
     .shown = "usize",
     .transparent_members = "__0"},
    {.type = "core::cell::UnsafeCell<$1>", .transparent_members = "value"},
    {.type = "core::cell::Cell<$1>", .transparent_members = "value"},
    {.type = "std::collections::hash::map::HashMap<$1, $2, *>", .transparent_members = "base"},
    {.type = "std::collections::hash::set::HashSet<$1, *>", .transparent_members = "base"},
    {.type = "hashbrown::map::HashMap<$1, $2, *>",
     .shown = "HashMap<$1, $2>",
     .transparent_members = "table",
     .block_contents = "=table"},
    {.type = "hashbrown::raw::RawTable<($1, $2), *>",
     .shown = "HashMap<$1, $2>",
     .transparent_members = "table",
     .block_contents = "=table"},

    /* Boost 1.60 to 1.84 */
    {.type = "boost::unordered::detail::ptr_node<std::pair<$1 const, $2>>",
     .shown = "boost::unordered_map<$1, $2> node",
     .transparent_members = "value_base_"},
    {.type = "boost::unordered::detail::ptr_node<$1>",
     .shown = "boost::unordered_set<$1> node",
     .transparent_members = "value_base_"},
    {.type = "boost::unordered::detail::node<std::pair<$1 const, $2>, *>",
     .shown = "boost::unordered_map<$1, $2> node",
     .transparent_members = "value_base_"},
    {.type = "boost::unordered::detail::value_base<$1>", .shown = "$1", .value_bytes = "data_"},
    {.type = "boost::detail::sp_counted_impl_p<$1>",
     .shown = "boost::shared_ptr<$1> control block"},
    {.type = "boost::detail::sp_counted_impl_pd<$1*, boost::detail::sp_ms_deleter<$1>>",
     .shown = "boost::shared_ptr<$1> block",
     .transparent_members = "del"},
    {.type = "boost::detail::sp_ms_deleter<$1>", .value_bytes = "storage_"},
    {.type = "boost::detail::sp_counted_base", .shown = "boost::shared_ptr control block"},
    {.type = "boost::container::dtl::base_node<std::pair<$1 const, $2>, *>",
     .shown = "boost::map<$1, $2> node",
     .value_bytes = "m_storage"},
    {.type = "boost::container::dtl::base_node<$1, *>",
     .shown = "boost node of $1",
     .value_bytes = "m_storage"},
    {.type = "boost::container::dtl::tree_node<std::pair<$1 const, $2>, *>",
     .shown = "boost::map<$1, $2> node",
     .value_bytes = "m_storage"},
    {.type = "boost::container::dtl::tree_node<$1, *>",
     .shown = "boost::set<$1> node",
     .value_bytes = "m_storage"},
    {.type = "boost::container::dtl::pair<$1, $2>", .shown = "pair<$1, $2>"},
    {.type = "boost::container::vector<$1, *>",
     .shown = "boost::vector<$1>",
     .transparent_members = "m_holder",
     .block_contents = "=elements"},
    {.type = "boost::optional_detail::optional_base<$1>",
     .shown = "boost::optional<$1>",
     .value_bytes = "m_storage"},

    /* abseil 2019 to 2024: container/internal/container_memory.h */
    {.type = "absl::container_internal::map_slot_type<$1, $2>",
     .shown = "absl::flat_hash_map<$1, $2> slot",
     .transparent_members = "value mutable_value"},
    {.type = "absl::flat_hash_map<$1, $2, *>", .block_contents = "=slots"},
    {.type = "absl::container_internal::raw_hash_set<absl::container_internal::FlatHashMapPolicy<"
             "$1, $2>, *>",
     .shown = "absl::flat_hash_map<$1, $2>",
     .block_contents = "=slots"},
    {.type = "absl::container_internal::raw_hash_set<absl::container_internal::FlatHashSetPolicy<"
             "$1>, *>",
     .shown = "absl::flat_hash_set<$1>",
     .block_contents = "=slots"},
};

/* Default arguments of libraries, omitted at the end of a list. */
static const char *const defaults[] = {"std::allocator",
                                       "std::char_traits",
                                       "std::default_delete",
                                       "std::less",
                                       "std::hash",
                                       "std::equal_to",
                                       "alloc::alloc::Global",
                                       "std::hash::random::RandomState",
                                       "std::collections::hash::map::RandomState",
                                       "boost::hash",
                                       "boost::container::new_allocator",
                                       "absl::hash_internal::Hash",
                                       "absl::container_internal::StringHash",
                                       "absl::container_internal::StringEq",
                                       "absl::container_internal::StringHashEq::Hash",
                                       "absl::container_internal::StringHashEq::Eq"};

enum { NAME_MAX_BYTES = 16384, BRACKETS_MAX = 64, ARGUMENTS_MAX = 64, CAPTURES = 3, DEEP = 10 };

struct text {
    const char *at;
    size_t size;
};

static struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static struct text text_trim(struct text text)
{
    while (text.size && *text.at == ' ')
        text.at++, text.size--;
    while (text.size && text.at[text.size - 1] == ' ')
        text.size--;
    return text;
}

static struct text text_from(struct text text, size_t bytes)
{
    return (struct text){text.at + bytes, text.size - bytes};
}

static bool text_begins_with(struct text text, const char *with)
{
    size_t size = strlen(with);
    return text.size >= size && !memcmp(text.at, with, size);
}

static bool text_ends_with(struct text text, const char *with)
{
    size_t size = strlen(with);
    return text.size >= size && !memcmp(text.at + text.size - size, with, size);
}

static bool text_equals(struct text a, struct text b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

/* Brackets */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Returns the length of characters at `at` that look like brackets but are not: operators, arrows,
 * character literals; 0: none. */
static size_t non_bracket_length(struct text text, size_t at)
{
    struct text rest = text_from(text, at);
    size_t end = 8;
    if (text_begins_with(rest, "->"))
        return 2;
    if (rest.size > 2 && *rest.at == '\'' && rest.at[2] == '\'')
        return 3;
    if (!text_begins_with(rest, "operator") || (at && is_word(text.at[at - 1])))
        return 0;
    while (end < rest.size && strchr("<>=-", rest.at[end]) && end < 11)
        end++;
    return end;
}

/* Returns the position after the bracket that closes the first one; 0: none. In parentheses, < and
 * > without a partner are comparisons. */
static size_t closing_bracket(struct text text)
{
    static const char opening[] = "<([{";
    static const char closing[] = ">)]}";
    char open[BRACKETS_MAX];
    unsigned depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        size_t skip = non_bracket_length(text, i);
        if (skip) {
            i += skip - 1;
            continue;
        }
        const char *kind = strchr(closing, text.at[i]);
        if (strchr(opening, text.at[i]) && depth == BRACKETS_MAX)
            return 0;
        if (strchr(opening, text.at[i]))
            open[depth++] = text.at[i];
        if (!kind || !*kind)
            continue;
        while (text.at[i] != '>' && depth && open[depth - 1] == '<')
            depth--;
        if (depth && open[depth - 1] == opening[kind - closing] && !--depth)
            return i + 1;
        if (!depth)
            return 0;
    }
    return 0;
}

/* Returns the start of the first argument list; the text's size if there is none. */
static size_t first_list(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        size_t skip = non_bracket_length(text, i);
        if (skip)
            i += skip - 1;
        else if (text.at[i] == '<')
            return i;
    }
    return text.size;
}

static bool is_balanced(struct text text)
{
    for (size_t i = 0; i < text.size;) {
        size_t skip = non_bracket_length(text, i);
        size_t end = !skip && strchr("<([{", text.at[i]) ? closing_bracket(text_from(text, i)) : 0;
        if (!skip && !end && strchr("<>([{)]}", text.at[i]))
            return false;
        i += skip ? skip : end ? end : 1;
    }
    return true;
}

/* A name split into "std::pair", "<int, T>" and the remaining text. */
struct parts {
    struct text head;
    struct text arguments[ARGUMENTS_MAX];
    unsigned count;
    bool is_truncated; /* more arguments than fit */
    struct text tail;
};

/* Splits the arguments of a list in its brackets. */
static void split_list(struct text list, struct parts *parts)
{
    struct text rest = {list.at + 1, list.size - 2};
    size_t i = 0;
    while (i < rest.size) {
        size_t skip = non_bracket_length(rest, i);
        size_t end = !skip && strchr("<([{", rest.at[i]) ? closing_bracket(text_from(rest, i)) : 0;
        if (rest.at[i] != ',') {
            i += skip ? skip : end ? end : 1;
            continue;
        }
        parts->is_truncated = parts->count == ARGUMENTS_MAX - 1;
        if (parts->is_truncated)
            return;
        parts->arguments[parts->count++] = text_trim((struct text){rest.at, i});
        rest = text_from(rest, i + 1);
        i = 0;
    }
    parts->arguments[parts->count++] = text_trim(rest);
}

/* Splits a name. Returns false if the text has no arguments. */
static bool split_arguments(struct text text, struct parts *parts)
{
    size_t open = first_list(text);
    size_t size = open < text.size ? closing_bracket(text_from(text, open)) : 0;
    parts->head = text_trim((struct text){text.at, open});
    parts->count = 0;
    parts->is_truncated = false;
    parts->tail = text_from(text, open + size);
    if (size)
        split_list((struct text){text.at + open, size}, parts);
    return size;
}

/* Patterns */

/* Returns the length of an inline namespace at the start of a path; 0: none. */
static size_t inline_namespace(struct text path)
{
    static const char *const names[] = {"__cxx11::", "__1::", "__2::", "__ndk1::"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_begins_with(path, names[i]))
            return strlen(names[i]);
    const char *colons =
        text_begins_with(path, "lts_") ? memmem(path.at, path.size, "::", 2) : NULL;
    return colons ? (size_t)(colons - path.at) + 2 : 0;
}

/* Returns true if paths are equal; `plain` has no inline namespaces. */
static bool paths_match(struct text plain, struct text path)
{
    bool start = true;
    while (path.size) {
        size_t skip = start ? inline_namespace(path) : 0;
        path = text_from(path, skip);
        if (!path.size || !plain.size || *plain.at != *path.at)
            break;
        start = *path.at == ':';
        plain = text_from(plain, 1);
        path = text_from(path, 1);
    }
    return !plain.size && !path.size;
}

/* Removes the type's const, before a class or after a pointer. False: there is none. */
static bool remove_const(struct text *text)
{
    bool pointer = text_ends_with(*text, "*") || text_ends_with(*text, "&");
    if (text_ends_with(*text, " const"))
        text->size -= 6;
    else if (text_ends_with(*text, "*const"))
        text->size -= 5;
    else if (!pointer && text_begins_with(*text, "const "))
        *text = text_from(*text, 6);
    else
        return false;
    *text = text_trim(*text);
    return true;
}

static bool fit_pattern(struct text pattern, struct text text, struct text captures[CAPTURES]);

/* Matches "$1", "$1 const" or "$1*". */
static bool fit_capture(struct text pattern, struct text text, struct text captures[CAPTURES])
{
    struct text *capture = &captures[(pattern.at[1] - '0') % CAPTURES];
    struct text suffix = text_from(pattern, 2);
    if (text_begins_with(suffix, " const") && !remove_const(&text))
        return false;
    if (text_begins_with(suffix, "*") && !text_ends_with(text, "*"))
        return false;
    text.size -= text_begins_with(suffix, "*");
    text = text_trim(text);
    if (capture->at)
        return text_equals(*capture, text);
    *capture = text;
    return true;
}

static bool fit_arguments(const struct parts *pattern, const struct parts *text,
                          struct text captures[CAPTURES])
{
    for (unsigned i = 0; i < pattern->count; i++) {
        if (i + 1 == pattern->count && text_equals(pattern->arguments[i], text_of("*")))
            return true;
        if (i == text->count || !fit_pattern(pattern->arguments[i], text->arguments[i], captures))
            return false;
    }
    return pattern->count == text->count;
}

/* Returns true for a Rust tuple: "($1, $2)". */
static bool is_tuple(struct text text)
{
    return text.size > 2 && *text.at == '(' && closing_bracket(text) == text.size;
}

static bool fit_pattern(struct text pattern, struct text text, struct text captures[CAPTURES])
{
    struct parts wanted;
    struct parts given;
    if (pattern.size >= 2 && *pattern.at == '$')
        return fit_capture(pattern, text, captures);
    if (is_tuple(pattern) && is_tuple(text)) {
        wanted.count = given.count = 0;
        split_list(pattern, &wanted);
        split_list(text, &given);
        return fit_arguments(&wanted, &given, captures);
    }
    bool lists = split_arguments(pattern, &wanted);
    if (split_arguments(text, &given) != lists || !paths_match(wanted.head, given.head))
        return false;
    if (!lists)
        return true;
    return fit_arguments(&wanted, &given, captures) &&
           (first_list(wanted.tail) < wanted.tail.size
                ? fit_pattern(wanted.tail, given.tail, captures)
                : paths_match(text_trim(wanted.tail), text_trim(given.tail)));
}

static const struct library_rule *find_rule(struct text text, struct text captures[CAPTURES])
{
    struct text head = text_trim((struct text){text.at, first_list(text)});
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct text pattern = text_of(rules[i].type);
        memset(captures, 0, CAPTURES * sizeof *captures);
        if (paths_match((struct text){pattern.at, first_list(pattern)}, head) &&
            fit_pattern(pattern, text, captures))
            return &rules[i];
    }
    return NULL;
}

/* Writing */

struct type_writer {
    char *out;
    size_t size;
    size_t used;
    bool has_overflowed;
    bool rust;
    unsigned depth_max; /* allowed nesting depth of written arguments */
    unsigned depth;     /* remaining depth */
};

static void put_span(struct type_writer *writing, struct text text)
{
    if (text.size >= writing->size - writing->used) {
        writing->has_overflowed = true;
        return;
    }
    memcpy(writing->out + writing->used, text.at, text.size);
    writing->used += text.size;
    writing->out[writing->used] = 0;
}

static void put_string(struct type_writer *writing, const char *string)
{
    put_span(writing, text_of(string));
}

/* Returns the length of the leading run of words and "::". */
static size_t path_bytes(struct text text)
{
    size_t i = 0;
    while (i < text.size && (is_word(text.at[i]) || text_begins_with(text_from(text, i), "::") ||
                             (i && text_begins_with(text_from(text, i - 1), "::"))))
        i++;
    return i;
}

/* Writes a number type in C's spelling, from gcc's and clang's spellings. */
static size_t put_number(struct type_writer *writing, struct text text)
{
    static const char *const numbers[][2] = {{"long long unsigned int", "unsigned long long"},
                                             {"long unsigned int", "unsigned long"},
                                             {"short unsigned int", "unsigned short"},
                                             {"long long int", "long long"},
                                             {"long int", "long"},
                                             {"short int", "short"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t size = strlen(numbers[i][0]);
        if (!text_begins_with(text, numbers[i][0]) || (text.size > size && is_word(text.at[size])))
            continue;
        put_string(writing, numbers[i][1]);
        return size;
    }
    return 0;
}

/* Writes a path without Rust's own modules, "std::" and inline namespaces of C++. */
static void put_path(struct type_writer *writing, struct text path)
{
    bool own = text_begins_with(path, "std::") || text_begins_with(path, "core::") ||
               text_begins_with(path, "alloc::");
    size_t last = path.size;
    while (last && path.at[last - 1] != ':')
        last--;
    if (writing->rust) {
        put_span(writing, own ? text_from(path, last) : path);
        return;
    }
    if (text_begins_with(path, "std::"))
        path = text_from(path, 5);
    while (path.size) {
        path = text_from(path, inline_namespace(path));
        const char *colons = memmem(path.at, path.size, "::", 2);
        size_t size = colons ? (size_t)(colons - path.at) + 2 : path.size;
        put_span(writing, (struct text){path.at, size});
        path = text_from(path, size);
    }
}

static void put_rule(struct type_writer *writing, const struct library_rule *rule,
                     const struct text captures[CAPTURES]);

/* Writes text without argument lists. */
static void put_plain(struct type_writer *writing, struct text text)
{
    static const char nameless[] = "{anonymous}";
    struct text captures[CAPTURES];
    bool inside = !writing->rust && writing->depth != writing->depth_max;
    for (size_t step; text.size; text = text_from(text, step)) {
        size_t path = path_bytes(text);
        step = path ? put_number(writing, text) : 1;
        if (step && text_begins_with(text, nameless)) {
            step = sizeof nameless - 1;
            put_string(writing, "(anonymous namespace)");
        } else if (!path &&
                   !(inside && (text_begins_with(text, " *") || text_begins_with(text, " &")))) {
            put_span(writing, (struct text){text.at, 1});
        } else if (!step) {
            step = path;
            const struct library_rule *rule = find_rule((struct text){text.at, path}, captures);
            if (rule && rule->shown)
                put_rule(writing, rule, captures);
            else
                put_path(writing, (struct text){text.at, path});
        }
    }
}

static bool is_default(struct text argument)
{
    struct text head = {argument.at, first_list(argument)};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (paths_match(text_of(defaults[i]), head))
            return !text_ends_with(argument, "<void>");
    return false;
}

static void put_text(struct type_writer *writing, struct text text);

static void put_arguments(struct type_writer *writing, const struct parts *parts)
{
    unsigned count = parts->count;
    while (count > 1 && !parts->is_truncated && is_default(parts->arguments[count - 1]))
        count--;
    put_string(writing, "<");
    for (unsigned i = 0; i < count; i++) {
        put_string(writing, i ? ", " : "");
        if (writing->depth) {
            writing->depth--;
            put_text(writing, parts->arguments[i]);
            writing->depth++;
        } else {
            put_string(writing, "...");
            break;
        }
    }
    put_string(writing, parts->is_truncated ? ", ...>" : ">");
}

static void put_rule(struct type_writer *writing, const struct library_rule *rule,
                     const struct text captures[CAPTURES])
{
    for (const char *at = rule->shown; *at; at++) {
        if (*at != '$') {
            put_span(writing, (struct text){at, 1});
            continue;
        }
        at++;
        if (writing->depth) {
            writing->depth--;
            put_text(writing, captures[(*at - '0') % CAPTURES]);
            writing->depth++;
        } else {
            put_string(writing, "...");
        }
    }
}

/* Tries the nested name after the arguments first, then without it. Returns the length of the text
 * that the rule covers; 0: no rule. */
static size_t put_by_rule(struct type_writer *writing, struct text text, size_t arguments_end)
{
    struct text captures[CAPTURES];
    size_t nested = arguments_end + path_bytes(text_from(text, arguments_end));
    size_t inner =
        nested < text.size && text.at[nested] == '<' ? closing_bracket(text_from(text, nested)) : 0;
    const size_t sizes[] = {nested + inner, nested, arguments_end};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct library_rule *rule = find_rule((struct text){text.at, sizes[i]}, captures);
        if (rule && rule->shown) {
            put_rule(writing, rule, captures);
            return sizes[i];
        }
    }
    return 0;
}

static void put_text(struct type_writer *writing, struct text text)
{
    struct parts parts;
    while (!writing->has_overflowed && split_arguments(text, &parts)) {
        size_t path = parts.head.size;
        while (path && (is_word(parts.head.at[path - 1]) || parts.head.at[path - 1] == ':'))
            path--;
        put_plain(writing, (struct text){parts.head.at, path});
        text = text_from(text, (size_t)(parts.head.at - text.at) + path);
        size_t end = (size_t)(parts.tail.at - text.at);
        size_t by_rule = put_by_rule(writing, text, end);
        if (!by_rule) {
            put_path(writing, text_from(parts.head, path));
            put_arguments(writing, &parts);
        }
        text = text_from(text, by_rule ? by_rule : end);
    }
    put_plain(writing, text);
}

static bool library_write(struct text name, bool rust, unsigned deep, char *out, size_t out_size)
{
    struct type_writer writing = {
        .out = out, .size = out_size, .rust = rust, .depth_max = deep, .depth = deep};
    out[0] = 0;
    put_text(&writing, name);
    return !writing.has_overflowed;
}

const char *library_name(const char *name, bool rust, char *out, size_t out_size)
{
    struct text text = {name, strnlen(name, NAME_MAX_BYTES)};
    if (!out_size)
        return out;
    for (unsigned deep = text.size < NAME_MAX_BYTES && is_balanced(text) ? DEEP : 0; deep;
         deep /= 2)
        if (library_write(text, rust, deep, out, out_size))
            return out;
    size_t size = text.size < out_size ? text.size : out_size - 1;
    memcpy(out, name, size);
    out[size] = 0;
    return out;
}

/* Members and blocks */

const struct library_rule library_none;

const struct library_rule *library_rule(const char *name)
{
    struct text captures[CAPTURES];
    struct text text = {name, strnlen(name, NAME_MAX_BYTES)};
    bool good = text.size < NAME_MAX_BYTES && is_balanced(text);
    const struct library_rule *rule = good ? find_rule(text, captures) : NULL;
    return rule ? rule : &library_none;
}

static bool list_has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; at && size && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == size && !memcmp(at, word, size))
            return true;
        at += length;
    }
    return false;
}

enum library_member library_member(const struct library_rule *rule, const char *member)
{
    return list_has_word(rule->value_bytes, member)           ? LIBRARY_VALUE_BYTES
           : list_has_word(rule->transparent_members, member) ? LIBRARY_TRANSPARENT
                                                              : LIBRARY_PLAIN;
}

/* Finds the entry for a function in "method=text;=text of any other"; size 0: none. */
static struct text block_of(const char *blocks, const char *function)
{
    for (const char *at = blocks; at && *at; at += *at == ';') {
        struct text entry = {at, strcspn(at, ";")};
        const char *equals = memchr(at, '=', entry.size);
        struct text method = {at, equals ? (size_t)(equals - at) : 0};
        if (memmem(function, strlen(function), method.at, method.size))
            return text_from(entry, method.size + 1);
        at += entry.size;
    }
    return (struct text){"", 0};
}

static bool is_allocators(struct text scope)
{
    static const char *const scopes[] = {"std",
                                         "std::allocator_traits<*>",
                                         "__gnu_cxx::__alloc_traits<*>",
                                         "boost::container::allocator_traits<*>",
                                         "boost::container::vector_alloc_holder<*>",
                                         "absl::container_internal",
                                         "std::__detail::_Hashtable_alloc<*>"};
    struct text captures[CAPTURES] = {0};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (fit_pattern(text_of(scopes[i]), scope, captures))
            return true;
    return false;
}

/* Returns true for an allocator; $1 is the type it allocates. */
static bool allocator_of(struct text class, struct text captures[CAPTURES])
{
    static const char *const allocators[] = {
        "std::__new_allocator<$1>", "__gnu_cxx::new_allocator<$1>", "std::allocator<$1>",
        "std::pmr::polymorphic_allocator<$1>", "boost::container::new_allocator<$1>"};
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        memset(captures, 0, CAPTURES * sizeof *captures);
        if (fit_pattern(text_of(allocators[i]), class, captures))
            return true;
    }
    return false;
}

/* Writes the allocated type if that is descriptive enough, as "map<long, Order> node" is. */
static bool put_node_type(struct text type, char *out, size_t out_size)
{
    struct type_writer writing = {.out = out, .size = out_size, .depth_max = DEEP, .depth = DEEP};
    out[0] = 0;
    put_text(&writing, type);
    struct text shown = text_of(out);
    if (!writing.has_overflowed &&
        (text_ends_with(shown, " node") || text_ends_with(shown, " block") ||
         text_ends_with(shown, " slot")))
        return true;
    out[0] = 0;
    return false;
}

bool library_allocator(const char *scope)
{
    struct text captures[CAPTURES];
    struct text class = {scope, strnlen(scope, NAME_MAX_BYTES)};
    return class.size < NAME_MAX_BYTES && allocator_of(class, captures);
}

static bool is_rust_rule(const struct library_rule *rule)
{
    struct text type = text_of(rule->type);
    return text_begins_with(type, "alloc::") || text_begins_with(type, "hashbrown::") ||
           text_begins_with(type, "std::collections::");
}

enum library_block library_block(const char *scope, const char *function, char *out,
                                 size_t out_size)
{
    struct text captures[CAPTURES];
    struct text class = {scope, strnlen(scope, NAME_MAX_BYTES)};
    struct type_writer writing = {.out = out, .size = out_size, .depth_max = DEEP, .depth = DEEP};
    struct text made = {function, strnlen(function, NAME_MAX_BYTES)};
    out[0] = 0;
    if (class.size == NAME_MAX_BYTES || made.size == NAME_MAX_BYTES || !is_balanced(class) ||
        !is_balanced(made))
        return LIBRARY_BLOCK_NONE;
    memset(captures, 0, sizeof captures);
    if (!strcmp(scope, "std") && fit_pattern(text_of("make_unique<$1, *>"), made, captures)) {
        put_text(&writing, captures[1]);
        return writing.has_overflowed ? LIBRARY_BLOCK_NONE : LIBRARY_BLOCK_KNOWN;
    }
    if (allocator_of(class, captures))
        return put_node_type(captures[1], out, out_size) ? LIBRARY_BLOCK_KNOWN
                                                         : LIBRARY_BLOCK_NOT_KNOWN;
    const struct library_rule *rule = find_rule(class, captures);
    writing.rust = rule && is_rust_rule(rule);
    struct text block = block_of(rule ? rule->block_contents : NULL, function);
    if (!block.size)
        return (rule && rule->block_contents) || is_allocators(class) ? LIBRARY_BLOCK_NOT_KNOWN
                                                                      : LIBRARY_BLOCK_NONE;
    if (rule->shown)
        put_rule(&writing, rule, captures);
    else
        put_text(&writing, class);
    put_string(&writing, " ");
    put_span(&writing, block);
    return writing.has_overflowed ? LIBRARY_BLOCK_NONE : LIBRARY_BLOCK_KNOWN;
}

bool library_tree(const char *scope)
{
    struct text class = text_of(scope);
    return text_begins_with(class, "std::_Rb_tree<") || text_begins_with(class, "std::multi") ||
           is_allocators(class);
}

bool library_allows_equals(const char *scope, const char *function)
{
    struct text class = text_of(scope);
    return text_begins_with(class, "std::multi") ||
           (text_begins_with(class, "std::_Rb_tree<") && strstr(function, "_equal"));
}

/* Returns the class of a member function: everything before its last "::" outside brackets. */
static struct text class_of(struct text function)
{
    size_t class = 0;
    for (size_t i = 0; i < function.size && function.at[i] != '(';) {
        size_t end = function.at[i] == '<' ? closing_bracket(text_from(function, i)) : 0;
        class = text_begins_with(text_from(function, i), "::") ? i : class;
        i += end ? end : 1;
    }
    return (struct text){function.at, class};
}

bool library_symbol_block(const char *function, char *out, size_t out_size)
{
    struct text captures[CAPTURES];
    struct text class = class_of((struct text){function, strnlen(function, NAME_MAX_BYTES)});
    if (!class.size || !is_balanced(class))
        return false;
    if (allocator_of(class, captures))
        return put_node_type(captures[1], out, out_size);
    const struct library_rule *rule = find_rule(class, captures);
    if (!rule || !text_begins_with(text_of(rule->type), "std::basic_string<") ||
        !rule->block_contents)
        return false;
    snprintf(out, out_size, "%s %s", rule->shown, rule->block_contents + 1);
    return true;
}

static bool is_library_path(struct text name)
{
    static const char *const paths[] = {
        "alloc::", "core::", "std::", "hashbrown::", "__gnu_cxx::", "boost::", "absl::"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (text_begins_with(name, paths[i]))
            return true;
    return false;
}

/* In Rust, "<T as alloc::vec::from_elem::SpecFromElem>::from_elem" is the library's for any T;
 * "<a::Order as core::clone::Clone>::clone" is the program's. */
bool library_function(const char *name)
{
    struct text text = {name + (*name == '<'), strnlen(name, NAME_MAX_BYTES)};
    const char *trait = *name == '<' ? strstr(name, " as ") : NULL;
    const char *path = strstr(name, "::");
    if (is_library_path(text))
        return true;
    return trait && path > trait && is_library_path(text_of(trait + strlen(" as ")));
}

/* From libstdc++: src/c++98/list.cc, src/c++98/tree.cc. */
bool library_node_function(const char *function)
{
    static const char *const beginnings[] = {
        "std::__detail::_List_node_base::", "std::_List_node_base::", "std::_Rb_tree_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(function, beginnings[i], strlen(beginnings[i])))
            return !strchr(function, '<');
    return false;
}

bool library_source(const char *path)
{
    static const char *const folders[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
                                          "/rustc/", "/usr/src/rustc-"};
    static const char *const parts[] = {"/include/c++/", "/rustlib/src/rust/library/", "/lib/gcc/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(path, parts[i]))
            return true;
    return false;
}
