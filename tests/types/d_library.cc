// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes and wrappers of libstdc++ and libc++ as variables: their names, and fields of the value.
#include "d_print.h"

#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct order {
    long id;
    double price;
};

#ifdef _LIBCPP_VERSION
using map_node = std::__tree_node<std::__value_type<long, order>, void *>;
using set_node = std::__tree_node<long, void *>;
using hash_node = std::__hash_node<std::__hash_value_type<std::string, order>, void *>;
using hash_set_node = std::__hash_node<int, void *>;
using list_node = std::__list_node<order, void *>;
using forward_node = std::__forward_list_node<order, void *>;
#define VALUE(node) ((char *)&(node).__value_ - (char *)&(node))
#else
using map_node = std::_Rb_tree_node<std::pair<const long, order>>;
using set_node = std::_Rb_tree_node<long>;
using hash_node = std::__detail::_Hash_node<std::pair<const std::string, order>, true>;
using hash_set_node = std::__detail::_Hash_node<int, false>;
using list_node = std::_List_node<order>;
using forward_node = std::_Fwd_list_node<order>;
#define VALUE(node) ((char *)(node)._M_valptr() - (char *)&(node))
#endif

/* Storage without constructor calls: libc++'s nodes have no callable constructors. */
template <typename T> union bare {
    T of;
    char bytes[sizeof(T)];
    bare() : bytes()
    {
    }
    ~bare()
    {
    }
};

struct nodes {
    bare<map_node> in_map;
    bare<set_node> in_set;
    bare<hash_node> in_hash;
    bare<hash_set_node> in_hash_set;
    bare<list_node> in_list;
    bare<forward_node> in_forward;
};
static nodes all;

struct holder {
    std::unique_ptr<order> owned;
    std::optional<order> maybe;
    std::shared_ptr<order> shared;
    std::vector<std::shared_ptr<const order>> many;
    std::map<std::string, std::vector<int>> sorted;
    std::unordered_map<long, order *> hashed;
    std::string text;
};
static holder held;

#define IN(member) ((char *)&held.member - (char *)&held)

#define AT(name)               ((char *)&all.name.of - (char *)&all)
#define PRINT_NODE(name, type) PRINT_AT(#name ".of", AT(name), sizeof all.name.of, type)
#define PRINT_VALUE(name, field, at, type)                                                         \
    PRINT_AT(#name ".of." field, AT(name) + VALUE(all.name.of) + (at), 8, type)

int main()
{
    PRINT_VARIABLE("all", all, 0, "nodes");
    using pair = std::pair<const long, order>;
    using text_pair = std::pair<const std::string, order>;
    PRINT_NODE(in_map, "map<long, order> node");
    PRINT_VALUE(in_map, "first", offsetof(pair, first), "const long");
    PRINT_VALUE(in_map, "second.price", offsetof(pair, second) + offsetof(order, price), "double");
    PRINT_NODE(in_set, "set<long> node");
    PRINT_NODE(in_hash, "unordered_map<string, order> node");
    PRINT_VALUE(in_hash, "second.id", offsetof(text_pair, second), "long");
    PRINT_NODE(in_hash_set, "unordered_set<int> node");
    PRINT_NODE(in_list, "list<order> node");
    PRINT_VALUE(in_list, "price", offsetof(order, price), "double");
    PRINT_NODE(in_forward, "forward_list<order> node");
    PRINT_VALUE(in_forward, "price", offsetof(order, price), "double");
    PRINT_NONE("in_list.of._M_storage");
    PRINT_NONE("in_list.of.__value_");
    PRINT_VARIABLE("held", held, 0, "holder");
    PRINT_AT("owned", IN(owned), 8, "unique_ptr<order>");
    PRINT_AT("maybe.price", IN(maybe) + 8, 8, "double");
    PRINT_AT("shared", IN(shared), 16, "shared_ptr<order>");
    PRINT_AT("many", IN(many), 24, "vector<shared_ptr<const order>>");
    PRINT_AT("sorted", IN(sorted), sizeof held.sorted, "map<string, vector<int>>");
    PRINT_AT("hashed", IN(hashed), sizeof held.hashed, "unordered_map<long, order*>");
#if !defined __clang__ || defined _LIBCPP_VERSION // clang leaves its definition to libstdc++
    PRINT_AT("text", IN(text), sizeof held.text, "string");
#endif
    return 0;
}
