// SPDX-License-Identifier: GPL-3.0-or-later
// A hot field for the kinds of access in Go; same output as described in m_run.h.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"
)

const count = 1 << 17

type record struct {
	tag  byte
	cold [9]uint64
	hot  uint64
	rest [10]uint32
}

type link struct {
	name [120]byte
	next *link
}

var (
	carried uint64 = 1
	records [count]record
)

func pick() uint64 {
	carried = carried*6364136223846793005 + 1442695040888963407
	return (carried >> 33) & (count - 1)
}

//go:noinline
func touchSlice(from []record) {
	for i := 0; i < 10000; i++ {
		carried += from[pick()].hot
	}
}

//go:noinline
func touchGlobal() {
	for i := 0; i < 10000; i++ {
		carried += records[pick()].hot
	}
}

//go:noinline
func touchPointers(from []*record) {
	for i := 0; i < 10000; i++ {
		carried += from[pick()&8191].hot
	}
}

//go:noinline
func touchChain(at *link) *link {
	for i := 0; i < 10000; i++ {
		at = at.next
	}
	return at
}

func newChain() *link {
	links := make([]*link, count)
	for i := range links {
		links[i] = new(link)
	}
	for i := range links {
		j := pick()
		links[i], links[j] = links[j], links[i]
	}
	for i := range links {
		links[i].next = links[(i+1)%count]
	}
	return links[0]
}

func ready(name string, offset, size uintptr) {
	fmt.Println("expect", name, offset, size)
	fmt.Println("ready 1")
	seconds, _ := strconv.Atoi(os.Args[2])
	time.AfterFunc(time.Duration(seconds)*time.Second, func() { os.Exit(0) })
}

func main() {
	var one record
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	many := make([]record, count)
	for i := range many {
		many[i].hot = 1
		records[i].hot = 1
	}
	pointers := make([]*record, 8192)
	gaps := make([][]byte, 8192)
	for i := range pointers {
		pointers[i] = new(record)
		gaps[i] = make([]byte, 1500)
	}
	chain := newChain()
	runtime.GC()
	if os.Args[1] == "chain" {
		ready("main.link.next", unsafe.Offsetof(chain.next), unsafe.Sizeof(chain.next))
	} else {
		ready("main.record.hot", unsafe.Offsetof(one.hot), unsafe.Sizeof(one.hot))
	}
	for {
		switch os.Args[1] {
		case "slice":
			touchSlice(many)
		case "global":
			touchGlobal()
		case "pointers":
			touchPointers(pointers)
		case "chain":
			chain = touchChain(chain)
		default:
			os.Exit(2)
		}
	}
}
