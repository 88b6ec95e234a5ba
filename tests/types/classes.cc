/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++: classes with bases, virtual functions, templates, references, types of the library. */
#include "truth.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shapes
{
struct point {
    double x, y;
};

class shape
{
  public:
    virtual ~shape() = default;
    virtual double area() const = 0;
    long id = 0;
    point centre{};
};

class circle : public shape
{
  public:
    double area() const override;
    double radius = 1;
};

struct counted {
    int uses = 0;
    int limit = 0;
};

class square : public shape, public counted
{
  public:
    double area() const override;
    double side = 2;
};

MARKED double circle::area() const
{
    return radius * radius * 3 + centre.x;
}

MARKED double square::area() const
{
    return side * side + uses;
}

template <typename T, int N> struct ring {
    T values[N];
    unsigned head = 0;
    T &next()
    {
        return values[head++ % N];
    }
};

template <typename T> struct node {
    T value;
    node *next;
};
} // namespace shapes

using namespace shapes;

static const int COUNT = 6;
static circle *circles;
static square *squares;
static ring<point, 4> *points;
static node<double> *nodes;
static std::vector<point> *cloud;
volatile double sink;

MARKED static double areas(shape *const *all, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += all[i]->area();
        all[i]->id++;
    }
    return sum;
}

MARKED static void use(counted &what)
{
    what.uses++;
    if (what.uses > what.limit)
        what.limit = what.uses;
}

MARKED static double turn(ring<point, 4> &in)
{
    point &at = in.next();
    at.x += 1;
    at.y = at.x * 2;
    return in.next().y;
}

template <typename T> MARKED static double total(const node<T> *at)
{
    double sum = 0;
    for (; at; at = at->next)
        sum += at->value;
    return sum;
}

MARKED static double spread(const std::vector<point> &all)
{
    double sum = 0;
    for (const point &p : all)
        sum += p.x * p.y;
    for (size_t i = 0; i < all.size(); i++)
        sum += all[i].x;
    return sum;
}

MARKED static double own(const std::unique_ptr<circle> &one, circle &&other)
{
    one->radius += other.radius;
    other.centre.y = one->centre.y;
    return one->radius;
}

MARKED static long derived(shape *from)
{
    square *s = static_cast<square *>(from);
    s->side += 1;
    s->limit++;
    return s->id + s->uses;
}

static void print_types()
{
    TYPE("shapes::point", point);
    PART("shapes::point", point, x, "double", double);
    PART("shapes::point", point, y, "double", double);
    TYPE("shapes::shape", shape);
    PLACE("shapes::shape", "vtable", 0, 8, 1);
    circle c;
    square s;
    auto at = [](const void *part, const void *whole) {
        return (size_t)((const char *)part - (const char *)whole);
    };
    PLACE("shapes::shape", "long", at(&c.id, &c), 8, 1);
    PLACE("shapes::shape", "shapes::point", at(&c.centre, &c), sizeof(point), 1);
    TYPE("shapes::counted", counted);
    PART("shapes::counted", counted, uses, "int", int);
    PART("shapes::counted", counted, limit, "int", int);
    TYPE("shapes::circle", circle);
    PLACE("shapes::circle", "shapes::shape", 0, sizeof(shape), 1);
    PLACE("shapes::circle", "double", at(&c.radius, &c), 8, 1);
    TYPE("shapes::square", square);
    PLACE("shapes::square", "shapes::shape", 0, sizeof(shape), 1);
    PLACE("shapes::square", "shapes::counted", at(&s.uses, &s), sizeof(counted), 1);
    PLACE("shapes::square", "double", at(&s.side, &s), 8, 1);
    typedef ring<point, 4> ring4;
    TYPE("shapes::ring<shapes::point, 4>", ring4);
    PLACE("shapes::ring<shapes::point, 4>", "shapes::point", 0, sizeof(point), 4);
    PLACE("shapes::ring<shapes::point, 4>", "unsigned int", at(&points->head, points), 4, 1);
    typedef node<double> node_double;
    TYPE("shapes::node<double>", node_double);
    PART("shapes::node<double>", node_double, value, "double", double);
    PART("shapes::node<double>", node_double, next, "shapes::node<double> *", void *);
    OBJECT("shapes::circle", circles, COUNT);
    OBJECT("shapes::square", squares, COUNT);
    OBJECT("shapes::ring<shapes::point, 4>", points, 1);
    OBJECT("shapes::node<double>", nodes, COUNT);
    OBJECT("shapes::point", cloud->data(), cloud->size());
}

int main()
{
    circles = new circle[COUNT];
    squares = new square[COUNT];
    points = new ring<point, 4>();
    nodes = new node<double>[COUNT]();
    cloud = new std::vector<point>(9);
    shape *all[2 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        all[2 * i] = &circles[i];
        all[2 * i + 1] = &squares[i];
        nodes[i].next = i + 1 < COUNT ? &nodes[i + 1] : nullptr;
    }
    std::unique_ptr<circle> one(&circles[0]);
    print_types();
    ready();
    sink = areas(all, 2 * COUNT);
    use(squares[2]);
    sink = turn(*points);
    sink = total(nodes);
    sink = spread(*cloud);
    sink = own(one, static_cast<circle &&>(circles[1]));
    sink = (double)derived(all[3]);
    one.release();
    return 0;
}
