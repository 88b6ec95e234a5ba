// SPDX-License-Identifier: GPL-3.0-or-later
// A hot field for the kinds of access in Rust; same output as described in m_run.h.
use std::hint::black_box;
use std::mem::{offset_of, size_of};

const COUNT: usize = 1 << 17;

#[derive(Clone)]
pub struct Record {
    pub tag: u8,
    pub cold: [u64; 9],
    pub hot: u64,
    pub rest: [u32; 10],
}

pub struct Link {
    pub name: [u8; 120],
    pub next: Option<Box<Link>>,
}

fn pick(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 33) as usize & (COUNT - 1)
}

#[inline(never)]
fn touch_slice(records: &[Record], state: &mut u64) {
    for _ in 0..10000 {
        let at = pick(state);
        *state = state.wrapping_add(records[at].hot);
    }
}

#[inline(never)]
fn touch_vec(records: &Vec<Record>, state: &mut u64) {
    for _ in 0..10000 {
        let at = pick(state);
        *state = state.wrapping_add(records[at].hot);
    }
}

#[inline(never)]
fn touch_boxes(records: &[Box<Record>], state: &mut u64) {
    for _ in 0..10000 {
        let at = pick(state) & 8191;
        *state = state.wrapping_add(records[at].hot);
    }
}

#[inline(never)]
fn touch_chain(first: &Link) -> u64 {
    let mut at = first;
    let mut length = 0;
    while let Some(next) = &at.next {
        at = next;
        length += 1;
    }
    length
}

fn new_record(number: u64) -> Record {
    Record {
        tag: 1,
        cold: [number; 9],
        hot: number,
        rest: [2; 10],
    }
}

/// List nodes in a different order than in memory.
fn new_chain(state: &mut u64) -> Box<Link> {
    let mut links: Vec<Box<Link>> = (0..COUNT)
        .map(|_| {
            Box::new(Link {
                name: [1; 120],
                next: None,
            })
        })
        .collect();
    for i in 0..COUNT {
        links.swap(i, pick(state));
    }
    let mut first = links.pop().unwrap();
    while let Some(mut link) = links.pop() {
        link.next = Some(first);
        first = link;
    }
    first
}

extern "C" {
    fn alarm(seconds: u32) -> u32;
}

fn ready(seconds: &str, name: &str, offset: usize, size: usize) {
    println!("expect {} {} {}\nready 1", name, offset, size);
    unsafe { alarm(seconds.parse().unwrap()) };
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut state = 1;
    let (case, seconds) = match &arguments[..] {
        [_, case, seconds] => (case.as_str(), seconds.as_str()),
        _ => std::process::exit(2),
    };
    let hot = offset_of!(Record, hot);
    match case {
        "slice" | "vec" => {
            let records: Vec<Record> = (0..COUNT as u64).map(new_record).collect();
            ready(seconds, "m_records::Record.hot", hot, size_of::<u64>());
            loop {
                if case == "vec" {
                    touch_vec(&records, &mut state);
                } else {
                    touch_slice(&records, &mut state);
                }
            }
        }
        "boxes" => {
            let mut gaps = Vec::new();
            let records: Vec<Box<Record>> = (0..8192)
                .map(|i| {
                    gaps.push(vec![1u8; 1500]);
                    Box::new(new_record(i))
                })
                .collect();
            ready(seconds, "m_records::Record.hot", hot, size_of::<u64>());
            loop {
                touch_boxes(&records, &mut state);
            }
        }
        "chain" => {
            let chain = new_chain(&mut state);
            ready(seconds, "m_records::Link.next*", offset_of!(Link, next), 8);
            loop {
                black_box(touch_chain(&chain));
            }
        }
        _ => std::process::exit(2),
    }
}
