// SPDX-License-Identifier: GPL-3.0-or-later
// Walks lists of two classes and prints "CLASS SECONDS" by its own clock, for test_classes.sh: classes_planted.js SECONDS
class Order {
    constructor(price) {
        this.price = price;
        this.next = null;
    }
}

class Customer {
    constructor(name) {
        this.name = name;
        this.city = name + 1;
        this.next = null;
    }
}

function make(Kind) {
    const nodes = [];
    for (let i = 0; i < 400000; i++)
        nodes.push(new Kind(i));
    for (let i = nodes.length - 1; i > 0; i--) {
        const other = Math.floor(Math.random() * i);
        [nodes[i], nodes[other]] = [nodes[other], nodes[i]];
    }
    nodes.forEach((node, i) => { node.next = nodes[(i + 1) % nodes.length]; });
    return nodes[0];
}

// One function per class, so that the code of each is compiled for one class only.
function walkOrders(node, steps) {
    for (; steps > 0; steps--)
        node = node.next;
    return node;
}

function walkCustomers(node, steps) {
    for (; steps > 0; steps--)
        node = node.next;
    return node;
}

let order = make(Order);
let customer = make(Customer);
const spent = {Order: 0, Customer: 0};
const seconds = () => process.cpuUsage().user / 1e6;
const end = seconds() + Number(process.argv[2]);
while (seconds() < end) {
    let began = seconds();
    order = walkOrders(order, 20000 + Math.random() * 40000);
    spent.Order += seconds() - began;
    began = seconds();
    customer = walkCustomers(customer, 10000 + Math.random() * 20000);
    spent.Customer += seconds() - began;
}
for (const name in spent)
    console.log(name, spent[name]);
