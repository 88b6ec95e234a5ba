// SPDX-License-Identifier: GPL-3.0-or-later

// Like go_planted.c, but with the heap of the real Go runtime.
//
//	go_planted SECONDS
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

type node struct {
	next    *node
	id      int64
	count   int64
	payload [7]int64
}

type table struct {
	at []int64
}

const nodes = 1 << 18

var state uint64 = 1

func chance() uint64 {
	state = state*6364136223846793005 + 1442695040888963407
	return state >> 33
}

//go:noinline
func chase(from *node, steps uint64) (*node, int64) {
	var found int64
	for ; steps > 0; steps-- {
		found += from.count
		from = from.next
	}
	return from, found
}

//go:noinline
func (table *table) sum(steps uint64) int64 {
	var found int64
	at := table.at
	random := chance()
	for ; steps > 0; steps-- {
		random = random*6364136223846793005 + 1442695040888963407
		i := random >> 33 % uint64(len(at))
		found += at[i] + int64(i) // needed after the load, which must not overwrite it
	}
	return found
}

// Returns the CPU time of the thread: on a busy machine it waits for a CPU.
func cpuTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	syscall.Getrusage(thread, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func main() {
	runtime.LockOSThread()
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	all := make([]*node, nodes)
	for i := range all {
		all[i] = &node{id: int64(i)}
	}
	for i := range all {
		all[i].next = all[(i*99991+7)%nodes] // a single cycle through all nodes
	}
	at := all[0]
	all = nil
	longs := &table{make([]int64, 2<<20)}
	var sink int64
	var chased, summed time.Duration
	for (chased + summed).Seconds() < seconds {
		began := cpuTime()
		next, found := chase(at, 2000+chance()%4000)
		at = next
		chased += cpuTime() - began
		began = cpuTime()
		sink += found + longs.sum(12000+chance()%24000)
		summed += cpuTime() - began
	}
	fmt.Fprintln(os.Stderr, sink)
	fmt.Printf("new(80) main.chase %d\nnew(16.0M) main.(*table).sum %d\n", chased.Nanoseconds(), summed.Nanoseconds())
}
