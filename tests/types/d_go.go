// SPDX-License-Identifier: GPL-3.0-or-later
// Structs, slices and strings of Go; prints its own offsets and sizes.
package main

import (
	"fmt"
	"unsafe"
)

type point struct {
	x, y float64
}

type body struct {
	tag    byte
	pos    point
	name   string
	counts []int32
	grid   [3][4]int16
	next   *body
}

var one body
var table [5]point

func at(path string, offset, size uintptr) {
	fmt.Printf("at %s %d %d *\n", path, offset, size)
}

func main() {
	table[2].x = 1
	fmt.Printf("var main.one %x %d 0 main.body\n", uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
	at("tag", unsafe.Offsetof(one.tag), 1)
	at("pos.y", unsafe.Offsetof(one.pos)+unsafe.Offsetof(one.pos.y), 8)
	at("name", unsafe.Offsetof(one.name), 16)
	at("name.len", unsafe.Offsetof(one.name)+8, 8)
	at("counts.array", unsafe.Offsetof(one.counts), 8)
	at("grid[*]", unsafe.Offsetof(one.grid), 24)
	at("next", unsafe.Offsetof(one.next), 8)
	fmt.Printf("var main.table %x %d 5 main.point\n", uintptr(unsafe.Pointer(&table)), unsafe.Sizeof(table))
}
