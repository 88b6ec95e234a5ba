# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks lists of two classes and prints "CLASS SECONDS" by its own clock, for test_classes.sh: classes_planted.py SECONDS"""
import random
import sys
import time


class Order:
    __slots__ = ("price", "next")


class Customer:
    __slots__ = ("name", "city", "next")


def make(kind):
    nodes = [kind() for _ in range(250000)]
    random.shuffle(nodes)
    for node, after in zip(nodes, nodes[1:] + nodes[:1]):
        node.next = after
    return nodes[0]


def walk(node, steps):
    while steps:
        node = node.next
        steps -= 1
    return node


random.seed(1)
at = {kind: make(kind) for kind in (Order, Customer)}
spent = {Order: 0, Customer: 0}
end = time.thread_time() + float(sys.argv[1])
while time.thread_time() < end:
    for kind, steps in ((Order, 40000), (Customer, 20000)):
        began = time.thread_time()
        at[kind] = walk(at[kind], random.randrange(steps // 2, steps * 3 // 2))
        spent[kind] += time.thread_time() - began
for kind, seconds in spent.items():
    print(kind.__name__, seconds)
