<?php
// SPDX-License-Identifier: GPL-3.0-or-later
// Walks lists of two classes and prints "CLASS SECONDS" by its own clock, for test_classes.sh: classes_planted.php SECONDS
ini_set('memory_limit', '-1');
gc_disable();

class Order {
    public static $made = 0;
    public $price = 1;
    public $next;
}

class Customer {
    public $name = "";
    public $city = "";
    public $next;
}

function make($kind) {
    $nodes = [];
    for ($i = 0; $i < 250000; $i++)
        $nodes[] = new $kind;
    shuffle($nodes);
    for ($i = 0; $i < 250000; $i++)
        $nodes[$i]->next = $nodes[($i + 1) % 250000];
    return $nodes[0];
}

function walk($node, $steps) {
    while ($steps-- > 0)
        $node = $node->next;
    return $node;
}

function seconds() {
    $use = getrusage();
    return $use['ru_utime.tv_sec'] + $use['ru_utime.tv_usec'] / 1e6 + $use['ru_stime.tv_sec'] + $use['ru_stime.tv_usec'] / 1e6;
}

mt_srand(1);
$at = ['Order' => make('Order'), 'Customer' => make('Customer')];
$spent = ['Order' => 0, 'Customer' => 0];
$end = seconds() + $argv[1];
while (seconds() < $end)
    foreach (['Order' => 80000, 'Customer' => 40000] as $kind => $steps) {
        $began = seconds();
        $at[$kind] = walk($at[$kind], mt_rand($steps / 2, $steps * 3 / 2));
        $spent[$kind] += seconds() - $began;
    }
foreach ($spent as $kind => $seconds)
    echo "$kind $seconds\n";
