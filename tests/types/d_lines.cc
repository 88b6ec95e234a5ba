// SPDX-License-Identifier: GPL-3.0-or-later
// Source lines and nested inlined functions; prints the compiler's own __LINE__.
#include "d_print.h"

namespace far
{

static volatile int sink;

/* Prints "line PC LINE FUNCTION:CALLED-AT ...", innermost first. */
NOT_INLINED static void print_line(int line, const char *inlined, int first, int second)
{
    char text[200];
    snprintf(text, sizeof text, inlined, first, second);
    printf("line %llx %d %s\n", (unsigned long long)(uintptr_t)__builtin_return_address(0), line,
           text);
}

template <typename T> struct box {
    T value;
    __attribute__((always_inline)) T open(int called, int outer) const
    {
        print_line(__LINE__, "far::box<int>::open:%d far::middle:%d", called, outer);
        return value + sink;
    }
};

__attribute__((always_inline)) static inline int middle(int called)
{
    box<int> one{called};
    sink = sink + 1;
    return one.open(__LINE__, called);
}

} // namespace far

NOT_INLINED static int outer(int number)
{
    far::print_line(__LINE__, "-", 0, 0);
    int sum = far::middle(__LINE__) + number;
    if (number > 1)
        sum += far::middle(__LINE__);
    return sum;
}

int main()
{
    return outer(3) == 0;
}
