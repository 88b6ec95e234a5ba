/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of C++ templates made short, hostile ones too. */
#include "unit.h"

#include "resolve/dwarf/die.h"

#include <stdio.h>

static const char *shortened(const char *name)
{
    static char out[512];
    snprintf(out, sizeof out, "%s", name);
    shorten_template(out);
    return out;
}

static void defaults_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(shortened("std::vector<int, std::allocator<int> >"), "std::vector<int>");
    assert_string_equal(shortened("std::vector<std::vector<int, std::allocator<int> >, "
                                  "std::allocator<std::vector<int, std::allocator<int> > > >"),
                        "std::vector<std::vector<int>>");
    assert_string_equal(shortened("std::map<int, long, std::less<int>, "
                                  "std::allocator<std::pair<const int, long> > >"),
                        "std::map<int, long>");
    assert_string_equal(shortened("std::unique_ptr<a, std::default_delete<a> >"),
                        "std::unique_ptr<a>");
}

static void strings_have_their_name(void **state)
{
    (void)state;
    assert_string_equal(shortened("std::__cxx11::basic_string<char, std::char_traits<char>, "
                                  "std::allocator<char> >"),
                        "std::string");
    assert_string_equal(shortened("pair<std::__cxx11::basic_string<char, std::char_traits<char>, "
                                  "std::allocator<char> >, int>"),
                        "pair<std::string, int>");
}

static void others_stay(void **state)
{
    (void)state;
    assert_string_equal(shortened("std::vector<int, mine::allocator<int> >"),
                        "std::vector<int, mine::allocator<int>>");
    assert_string_equal(shortened("plain"), "plain");
    assert_string_equal(shortened(""), "");
    assert_string_equal(shortened("a<, std::less<"), "a<, std::less<");
    assert_string_equal(shortened("a<b, std::less<c, std::hash<>"), "a<b, std::less<c");
    assert_string_equal(shortened("operator<"), "operator<");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_are_left_out),
                                       cmocka_unit_test(strings_have_their_name),
                                       cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
