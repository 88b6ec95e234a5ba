// SPDX-License-Identifier: GPL-3.0-or-later
// Like objects.c, with Rust's collections; ends by itself after the given number of seconds.
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

const COUNT: usize = 1 << 20;

struct Body {
    x: f64,
    y: f64,
    z: f64,
    m: f64,
}

struct Link {
    next: usize,
    id: u64,
    _pad: [u64; 6],
}

fn next_random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn walk_bodies(bodies: &Vec<Body>, state: &mut u64, steps: usize) -> f64 {
    let mut sum = 0.0;
    for _ in 0..steps {
        sum += bodies[next_random(state) as usize % bodies.len()].y;
    }
    sum
}

fn walk_numbers(numbers: &[u64], state: &mut u64, steps: usize) -> f64 {
    let mut sum = 0;
    for _ in 0..steps {
        sum += numbers[next_random(state) as usize % numbers.len()] & 255;
    }
    sum as f64
}

fn walk_links(links: &Vec<Box<Link>>, at: &mut usize, steps: usize) -> f64 {
    let mut sum = 0;
    for _ in 0..steps {
        sum += links[*at].id & 255;
        *at = links[*at].next;
    }
    sum as f64
}

fn look_up(table: &HashMap<u64, u64>, state: &mut u64, steps: usize) -> f64 {
    let mut sum = 0;
    for _ in 0..steps {
        sum += table.get(&(next_random(state) % 4_000_000)).copied().unwrap_or(0) & 255;
    }
    sum as f64
}

fn find(tree: &BTreeMap<u64, u64>, state: &mut u64, steps: usize) -> f64 {
    let mut sum = 0;
    for _ in 0..steps {
        sum += tree.get(&(next_random(state) % 4_000_000)).copied().unwrap_or(0) & 255;
    }
    sum as f64
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let mut state = 88_172_645_463_325_252u64;
    let mut bodies = Vec::new();
    let mut links = Vec::new();
    let mut table = HashMap::new();
    let mut tree = BTreeMap::new();
    let numbers: Vec<u64> = (0..COUNT as u64 * 4).collect();
    for i in 0..COUNT {
        bodies.push(Body { x: i as f64, y: 1.0, z: 2.0, m: 3.0 });
        links.push(Box::new(Link { next: (i * 7919 + 13) % COUNT, id: i as u64, _pad: [0; 6] }));
        if i % 2 == 0 {
            table.insert(next_random(&mut state) % 4_000_000, i as u64);
        } else {
            tree.insert(next_random(&mut state) % 4_000_000, i as u64);
        }
    }
    let names = ["bodies", "numbers", "links", "table", "tree"];
    let mut spent = [0.0f64; 5];
    let mut sum = bodies[0].x + bodies[0].z + bodies[0].m;
    let mut at = 0;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        for part in 0..5 {
            let begin = Instant::now();
            sum += match part {
                0 => walk_bodies(&bodies, &mut state, 20_000),
                1 => walk_numbers(&numbers, &mut state, 20_000),
                2 => walk_links(&links, &mut at, 10_000),
                3 => look_up(&table, &mut state, 3_000),
                _ => find(&tree, &mut state, 1_500),
            };
            spent[part] += begin.elapsed().as_secs_f64();
        }
    }
    let all: f64 = spent.iter().sum();
    let parts: Vec<String> =
        (0..5).map(|i| format!("{} {:.1}", names[i], spent[i] * 100.0 / all)).collect();
    eprintln!("own clock: {} {}", parts.join(", "), if sum > 0.0 { "" } else { "-" });
}
