// SPDX-License-Identifier: GPL-3.0-or-later
// Structs, tuples, enums and slices of Rust; prints its own offsets and sizes.
#![allow(dead_code)]
use std::mem::{offset_of, size_of, size_of_val, MaybeUninit};

mod shapes {
    #[repr(C)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
        pub tag: u8,
    }
    pub enum Shape {
        Circle(f64, u32),
        Rect { a: Point, b: Point },
        Empty,
    }
    pub static ORIGIN: Point = Point { x: 1.0, y: 2.0, tag: 3 };
    #[repr(u8)]
    pub enum Level {
        Low,
        High,
    }
}

use shapes::*;

struct Holder {
    name: &'static str,
    points: Vec<Point>,
    numbers: &'static [u32],
    pair: (u8, u64),
    shape: Shape,
    maybe: Option<Box<Point>>,
    grid: [[u16; 3]; 4],
    level: Level,
    text: String,
    later: MaybeUninit<Point>,
}

static mut HOLDER: Holder = Holder {
    name: "n",
    points: Vec::new(),
    numbers: &[1, 2],
    pair: (1, 2),
    shape: Shape::Empty,
    maybe: None,
    grid: [[0; 3]; 4],
    level: Level::Low,
    text: String::new(),
    later: MaybeUninit::uninit(),
};
static TABLE: [Point; 3] = [
    Point { x: 1.0, y: 2.0, tag: 3 },
    Point { x: 1.0, y: 2.0, tag: 3 },
    Point { x: 1.0, y: 2.0, tag: 3 },
];

fn var<T>(name: &str, address: *const T, count: usize, kind: &str) {
    println!("var {} {:x} {} {} {}", name, address as usize, size_of::<T>(), count, kind);
}

fn at(path: &str, offset: usize, size: usize, kind: &str) {
    println!("at {} {} {} {}", path, offset, size, kind);
}

// Like a vector's memory, whatever its contents.
struct Raw {
    bytes: *const u8,
}

#[no_mangle]
#[inline(never)]
extern "C" fn wide(raw: &Raw, index: usize) -> u64 {
    unsafe { *(raw.bytes as *const u64).add(index) }
}

fn main() {
    let holder = &raw const HOLDER;
    var("d_rust::HOLDER", holder, 0, "d_rust::Holder");
    at("name", offset_of!(Holder, name), 16, "&str");
    at("name.length", offset_of!(Holder, name) + 8, 8, "usize");
    at("numbers.data_ptr", offset_of!(Holder, numbers), 8, "*");
    at("points", offset_of!(Holder, points), 24, "*");
    at("pair", offset_of!(Holder, pair), 16, "(u8, u64)");
    at("pair.1", offset_of!(Holder, pair) + offset_of!((u8, u64), 1), 8, "u64");
    at("shape", offset_of!(Holder, shape), size_of::<Shape>(), "d_rust::shapes::Shape");
    unsafe {
        HOLDER.shape = Shape::Circle(1.0, 2);
        let base = holder as usize;
        if let Shape::Circle(f, n) = &(*holder).shape {
            at("shape.Circle.0", f as *const f64 as usize - base, 8, "f64");
            at("shape.Circle.1", n as *const u32 as usize - base, 4, "u32");
        }
        HOLDER.shape = Shape::Rect {
            a: Point { x: 1.0, y: 2.0, tag: 3 },
            b: Point { x: 1.0, y: 2.0, tag: 3 },
        };
        if let Shape::Rect { a, b } = &(*holder).shape {
            at("shape.Rect.a.tag", &a.tag as *const u8 as usize - base, 1, "u8");
            at("shape.Rect.b.y", &b.y as *const f64 as usize - base, 8, "f64");
        }
    }
    at("maybe", offset_of!(Holder, maybe), 8, "*");
    at("maybe.Some.0", offset_of!(Holder, maybe), 8, "*");
    at("grid[*]", offset_of!(Holder, grid), 24, "[[u16; 3]; 4]");
    at("level", offset_of!(Holder, level), 1, "d_rust::shapes::Level");
    at("text", offset_of!(Holder, text), 24, "String");
    at("later.y", offset_of!(Holder, later) + offset_of!(Point, y), 8, "f64");
    var("d_rust::TABLE", &TABLE, 3, "d_rust::shapes::Point");
    at("tag", offset_of!(Point, tag), 1, "u8");
    at("y", offset_of!(Point, y), size_of_val(&TABLE[0].y), "f64");
    var("d_rust::shapes::ORIGIN", &ORIGIN, 0, "d_rust::shapes::Point");
    unsafe {
        let raw = Raw { bytes: holder as *const u8 };
        println!("none {}", (*holder).pair.1 + 1000 + (wide(&raw, 1) & 1));
    }
}
