// SPDX-License-Identifier: GPL-3.0-or-later
// Classes with bases, templates, references; prints its own offsets and sizes.
#include "d_print.h"

#include <memory>
#include <string>
#include <vector>

namespace shapes
{

struct vec {
    double x, y;
};

class shape
{
  public:
    virtual ~shape()
    {
    }
    virtual double area() const
    {
        return 0;
    }
    static int made;
    static const int sides = 4;
    int id = 1;

  protected:
    short layer = 2;
};
int shape::made = 3;

struct named {
    const char *name = "";
    char flag = 0;
};

struct empty {
};

class circle : public shape, private named, public empty
{
  public:
    vec centre{};
    double radius = 1;
    const vec &origin;
    double vec::*part = &vec::y;
    double (shape::*method)() const = &shape::area;
    struct inner {
        int deep;
    } in{};
    circle(const vec &o) : origin(o)
    {
    }
    static void print();
};

struct left : virtual shape {
    long l = 1;
};
struct right : virtual shape {
    long r = 2;
};
struct bottom : left, right {
    long b = 3;
};

template <typename T, int N> struct grid {
    T cells[N][N];
    T *first;
    typename std::vector<T>::size_type size;
};

namespace
{
struct hidden {
    int secret;
} hidden_one;
} // namespace

enum class level : unsigned char { LOW, HIGH };

vec origin;
circle a_circle(origin);
bottom a_bottom;
struct twice : virtual shape, virtual named {
    char c = 4;
};

grid<float, 3> a_grid;
twice a_twice;
grid<vec, 2> grids[4];
level a_level;
} // namespace shapes

struct holder {
    std::vector<int> numbers;
    std::unique_ptr<shapes::vec> owned;
    shapes::grid<short, 2> small;
    shapes::level level;
    bool yes;
};
holder a_holder;
std::vector<shapes::vec> vectors;
thread_local int local_number;
thread_local shapes::vec local_vec;

#define OFFSET(object, member) ((size_t)((const char *)&(object).member - (const char *)&(object)))
#define FIELD(object, member, text)                                                                \
    PRINT_AT(#member, OFFSET(object, member), sizeof((object).member), text)

void shapes::circle::print()
{
    circle &c = a_circle;
    PRINT_VARIABLE("shapes::a_circle", a_circle, 0, "shapes::circle");
    PRINT_AT("_vptr", 0, 8, "*");
    FIELD(c, id, "int");
    FIELD(c, layer, "short");
    FIELD(c, name, "const char *");
    FIELD(c, flag, "char");
    FIELD(c, centre.y, "double");
    FIELD(c, centre, "shapes::vec");
    FIELD(c, radius, "double");
    PRINT_AT("origin", OFFSET(c, in) - 32, 8, "const shapes::vec &");
    FIELD(c, part, "double shapes::vec::*");
    PRINT_AT("method", OFFSET(c, method), 16, "*");
    FIELD(c, in, "shapes::circle::inner");
    FIELD(c, in.deep, "int");
    PRINT_NONE("made");
    PRINT_NONE("sides");
}

int main()
{
    using namespace shapes;
    shapes::circle::print();
    PRINT_VARIABLE("shapes::shape::made", shape::made, 0, "int");
    PRINT_VARIABLE("shapes::a_bottom", a_bottom, 0, "shapes::bottom");
    FIELD(a_bottom, l, "long");
    FIELD(a_bottom, r, "long");
    FIELD(a_bottom, b, "long");
    FIELD(a_bottom, id, "int");
    PRINT_VARIABLE("shapes::a_twice", a_twice, 0, "shapes::twice");
    FIELD(a_twice, c, "char");
    FIELD(a_twice, id, "int");
    FIELD(a_twice, flag, "char");
    PRINT_VARIABLE("shapes::a_grid", a_grid, 0, "shapes::grid<float, 3>");
    PRINT_AT("cells[*]", OFFSET(a_grid, cells), sizeof a_grid.cells, "float [3][3]");
    FIELD(a_grid, first, "float *");
    PRINT_VARIABLE("shapes::grids", grids, 4, "shapes::grid<shapes::vec, 2>");
    PRINT_AT("cells[*].y", 8, 8, "double");
    PRINT_VARIABLE("shapes::a_level", a_level, 0, "shapes::level");
    PRINT_VARIABLE("a_holder", a_holder, 0, "holder");
    FIELD(a_holder, numbers, "vector<int>");
    PRINT_VARIABLE("a_holder", a_holder, 0, "holder");
    FIELD(a_holder, owned, "*");
    FIELD(a_holder, small, "shapes::grid<short, 2>");
    FIELD(a_holder, yes, "bool");
    PRINT_VARIABLE("vectors", vectors, 0, "vector<shapes::vec>");
    PRINT_AT("_M_finish", 8, 8, "*");
    local_number = 1;
    local_vec.x = 2;
    PRINT_THREAD("local_number", local_number, 0, "int");
    PRINT_THREAD("local_vec", local_vec, 0, "shapes::vec");
}
