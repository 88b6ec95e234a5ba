// SPDX-License-Identifier: GPL-3.0-or-later
// Instances of generics; same output as described in o_run.h.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hint::black_box;

const COUNT: usize = 1 << 18;
const STEPS: usize = 50000;

#[derive(Clone, Default)]
pub struct Body {
    pub x: f64,
    pub vy: f64,
    pub mass: f64,
    pub cold: [u64; 6],
    pub id: u64,
}

#[derive(Clone, Default)]
pub struct Bond {
    pub from: u64,
    pub to: u64,
    pub cold: [u32; 9],
    pub strength: f32,
    pub number: i32,
}

pub struct Buffer<T> {
    items: Box<[T]>,
    used: usize,
}

pub struct Tree<T> {
    nodes: Vec<Box<Node<T>>>,
}

pub struct Node<T> {
    value: T,
    left: Option<usize>,
    right: Option<usize>,
}

struct World {
    bodies: Vec<Body>,
    bonds: Vec<Bond>,
    numbers: Vec<i32>,
    names: Vec<String>,
    queue: VecDeque<Bond>,
    body_buffer: Buffer<Body>,
    bond_buffer: Buffer<Bond>,
    body_tree: Tree<Body>,
    bond_tree: Tree<Bond>,
    hashed: HashMap<u32, Bond>,
    sorted: BTreeMap<u32, Body>,
    state: u64,
}

fn pick(state: &mut u64, count: usize) -> usize {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 33) as usize % count
}

macro_rules! part {
    ($name:ident, $world:ident, $at:ident, $count:expr, $value:expr) => {
        #[inline(never)]
        fn $name($world: &mut World) -> f64 {
            let mut sum = 0.0;
            for _ in 0..STEPS {
                let $at = pick(&mut $world.state, $count);
                sum += $value as f64;
            }
            sum
        }
    };
}

part!(vec_of_bodies, w, at, w.bodies.len(), w.bodies[at].vy);
part!(vec_of_bonds, w, at, w.bonds.len(), w.bonds[at].strength);
part!(vec_of_numbers, w, at, w.numbers.len(), w.numbers[at]);
part!(vec_of_strings, w, at, w.names.len(), w.names[at].len());
part!(deque_of_bonds, w, at, w.queue.len(), w.queue[at].number);
part!(buffer_of_bodies, w, at, w.body_buffer.used, w.body_buffer.items[at].x);
part!(buffer_of_bonds, w, at, w.bond_buffer.used, w.bond_buffer.items[at].from);
part!(tree_of_bodies, w, at, COUNT, w.body_tree.nodes[at].value.mass);
part!(tree_of_bonds, w, at, COUNT, w.bond_tree.nodes[at].value.to);

#[inline(never)]
fn sorted_bodies(w: &mut World) -> f64 {
    w.sorted.values().take(STEPS).map(|b| b.mass).sum()
}

#[inline(never)]
fn hashed_bonds(w: &mut World) -> f64 {
    w.hashed.values().take(STEPS).map(|b| b.number as f64).sum()
}

fn tree<T: Default>() -> Tree<T> {
    let nodes = (0..COUNT).map(|_| {
        Box::new(Node { value: T::default(), left: None, right: Some(1) })
    });
    Tree { nodes: nodes.collect() }
}

fn buffer<T: Default + Clone>() -> Buffer<T> {
    Buffer { items: vec![T::default(); COUNT].into_boxed_slice(), used: COUNT }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, now: *mut Timespec) -> i32;
}

fn own_seconds() -> f64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(3, &mut now) };
    now.seconds as f64 + now.nanoseconds as f64 * 1e-9
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let parts: [(fn(&mut World) -> f64, &str); 11] = [
        (vec_of_bodies, "o_generics::Body.vy"),
        (vec_of_bonds, "o_generics::Bond.strength"),
        (vec_of_numbers, "i32|[*]"),
        (vec_of_strings, "String.len"),
        (deque_of_bonds, "o_generics::Bond.number"),
        (buffer_of_bodies, "o_generics::Body.x"),
        (buffer_of_bonds, "o_generics::Bond.from"),
        (tree_of_bodies, "o_generics::Node<o_generics::Body>.value.mass|o_generics::Body.mass"),
        (tree_of_bonds, "o_generics::Node<o_generics::Bond>.value.to|o_generics::Bond.to"),
        (sorted_bodies, "BTreeMap<u32, o_generics::Body> node.vals[[]*].mass|BTreeMap<u32, o_generics::Body> node.*|o_generics::Body.mass"),
        (hashed_bonds, "(u32, o_generics::Bond).1.number|hashbrown::*|*__m128i*"),
    ];
    let mut world = World {
        bodies: vec![Body::default(); COUNT],
        bonds: vec![Bond::default(); COUNT],
        numbers: vec![1; COUNT * 16],
        names: vec![String::from("a name"); COUNT],
        queue: (0..COUNT).map(|_| Bond::default()).collect(),
        body_buffer: buffer(),
        bond_buffer: buffer(),
        body_tree: tree(),
        bond_tree: tree(),
        hashed: (0..COUNT as u32).map(|i| (i, Bond::default())).collect(),
        sorted: (0..COUNT as u32).map(|i| (i, Body::default())).collect(),
        state: 1,
    };
    let mut spent = vec![0.0; parts.len()];
    let mut all = 0.0;
    println!("ready");
    while all < seconds {
        for (i, part) in parts.iter().enumerate() {
            let start = own_seconds();
            black_box((part.0)(&mut world));
            let took = own_seconds() - start;
            spent[i] += took;
            all += took;
        }
    }
    for (i, part) in parts.iter().enumerate() {
        println!("time {:.4} {}", spent[i] / all, part.1);
    }
}
