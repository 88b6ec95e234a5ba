noinst_LIBRARIES += src/libresolve.a
src_libresolve_a_SOURCES = src/resolve/allocation_path.h src/resolve/allocations.c \
	src/resolve/allocations.h src/resolve/binaries.c src/resolve/binaries.h src/resolve/bin_rules.c \
	src/resolve/bin_rules.h src/resolve/bin_rules_file.c src/resolve/bins.c src/resolve/bins.h \
	src/resolve/bins_group.c src/resolve/bins_names.c src/resolve/bins_state.h src/resolve/blocks.c \
	src/resolve/blocks.h src/resolve/buildid.c src/resolve/buildid.h src/resolve/cfi.c \
	src/resolve/cfi.h src/resolve/debugfile.c src/resolve/debugfile.h src/resolve/debuginfo.c \
	src/resolve/debuginfo.h src/resolve/debuginfod.c src/resolve/debuginfod.h src/resolve/demangle.c \
	src/resolve/demangle.h src/resolve/dwarf/access.c src/resolve/dwarf/assignee.c \
	src/resolve/dwarf/assignee.h src/resolve/dwarf/call.c src/resolve/dwarf/bits.c \
	src/resolve/dwarf/bits.h src/resolve/dwarf/descriptor.c src/resolve/dwarf/descriptor.h \
	src/resolve/dwarf/declared.c src/resolve/dwarf/declared.h src/resolve/dwarf/alias.c \
	src/resolve/dwarf/alias.h src/resolve/dwarf/describe.c src/resolve/dwarf/describe.h \
	src/resolve/dwarf/fields.c src/resolve/dwarf/fields.h src/resolve/dwarf/scopes.c \
	src/resolve/dwarf/scopes.h src/resolve/dwarf/scopes_definition.c src/resolve/dwarf/scopes_state.h \
	src/resolve/dwarf/shorten.c src/resolve/dwarf/shorten.h src/resolve/dwarf/stack.c \
	src/resolve/dwarf/stack.h src/resolve/dwarf/strings.c src/resolve/dwarf/strings.h \
	src/resolve/dwarf/typename.c src/resolve/dwarf/typename.h src/resolve/dwarf/die.c \
	src/resolve/dwarf/die.h src/resolve/dwarf/entry.c src/resolve/dwarf/entry.h \
	src/resolve/dwarf/flow.c src/resolve/dwarf/flow.h src/resolve/dwarf/globals.c \
	src/resolve/dwarf/globals.h src/resolve/dwarf/graph.c src/resolve/dwarf/graph.h \
	src/resolve/dwarf/language.c src/resolve/dwarf/language.h src/resolve/dwarf/links.c \
	src/resolve/dwarf/links.h src/resolve/dwarf/location.c src/resolve/dwarf/location.h \
	src/resolve/dwarf/operand.c src/resolve/dwarf/operand.h src/resolve/dwarf/parts.c \
	src/resolve/dwarf/parts.h src/resolve/dwarf/place_ops.c src/resolve/dwarf/place_ops.h \
	src/resolve/dwarf/prototype.c src/resolve/dwarf/prototype.h src/resolve/dwarf/routine.c \
	src/resolve/dwarf/routine.h src/resolve/dwarf/shape.c src/resolve/dwarf/shape.h \
	src/resolve/dwarf/shape_leaf.c src/resolve/dwarf/state.c src/resolve/dwarf/step.c \
	src/resolve/dwarf/step.h src/resolve/dwarf/value.c src/resolve/dwarf/value.h \
	src/resolve/dwarf/where.c src/resolve/dwarf/where.h src/resolve/dwarf/home.c \
	src/resolve/dwarf/home.h src/resolve/dwarf/line.c src/resolve/dwarf/program.c \
	src/resolve/dwarf/program.h src/resolve/dwarf/asked.c src/resolve/dwarf/asked.h \
	src/resolve/dwarf/confine.c src/resolve/dwarf/confine.h src/resolve/dwarf/question.h \
	src/resolve/dwarf/reader.c src/resolve/dwarf/reader.h src/resolve/dwarf/reader_state.h \
	src/resolve/dwarf/reader_file.c src/resolve/dwarf/reader_file.h src/resolve/dwarf/landlock.c \
	src/resolve/dwarf/landlock.h src/resolve/dwarf/references.c src/resolve/dwarf/references.h \
	src/resolve/dwarf/serve.c src/resolve/dwarf/serve.h src/resolve/dwarf/channel.c \
	src/resolve/dwarf/channel.h src/resolve/dwarf/wire.c src/resolve/dwarf/wire.h \
	src/resolve/dwarf/worker.c src/resolve/dwarf/worker.h src/resolve/dwarf/slot.c \
	src/resolve/dwarf/vbases.c src/resolve/dwarf/vbases.h src/resolve/dwarf/variable.c \
	src/resolve/dwarf/variable.h src/resolve/feed.c src/resolve/feed.h src/resolve/feed_launch.c \
	src/agent/load.c src/resolve/feed_paths.c src/resolve/feed_paths.h src/resolve/feed_rings.c \
	src/resolve/feed_rings.h src/resolve/finding.c src/resolve/finding.h src/resolve/frames.c \
	src/resolve/frames.h src/resolve/functions.c src/resolve/functions.h src/resolve/heap.c \
	src/resolve/heap.h src/resolve/jitmap.c src/resolve/jitmap.h src/resolve/jitorder.c \
	src/resolve/jitorder.h src/resolve/layout.c src/resolve/layout.h src/resolve/lookup.c \
	src/resolve/lookup.h src/resolve/maps.c src/resolve/maps.h src/resolve/members.c \
	src/resolve/members.h src/resolve/members_names.c src/resolve/members_state.h \
	src/resolve/module.c src/resolve/module.h src/resolve/module_symbols.c \
	src/resolve/module_symbols.h src/resolve/modules.c src/resolve/modules.h src/resolve/names.c \
	src/resolve/names.h src/resolve/packed.c src/resolve/packed.h src/resolve/page.c \
	src/resolve/page.h src/resolve/process.c src/resolve/process.h src/resolve/process_list.c \
	src/resolve/radix.c src/resolve/radix.h src/resolve/rc.c src/resolve/rc.h src/resolve/regions.c \
	src/resolve/regions.h src/resolve/resolver.c src/resolve/resolver.h src/resolve/resolver_decode.c \
	src/resolve/resolver_heap.c src/resolve/resolver_place.c src/resolve/resolver_names.c \
	src/resolve/resolver_state.h src/resolve/sections.c src/resolve/sections.h src/resolve/slab.c \
	src/resolve/slab.h src/resolve/source.c src/resolve/source.h src/resolve/space.c \
	src/resolve/space.h src/resolve/stacks.c src/resolve/stacks.h src/resolve/symbols.c \
	src/resolve/symbols.h src/resolve/symtab.c src/resolve/symtab.h src/resolve/tcb.c \
	src/resolve/tcb.h src/resolve/tcb_stack.c src/resolve/tcb_stack.h src/resolve/thread_names.c \
	src/resolve/thread_names.h src/resolve/tlb.c src/resolve/tlb.h src/resolve/tls.c \
	src/resolve/tls.h src/resolve/tlsslot.c src/resolve/tlsslot.h src/resolve/memory_use.c \
	src/resolve/memory_use.h src/resolve/nodes.c src/resolve/nodes.h src/resolve/object_blocks.c \
	src/resolve/object_kind.c src/resolve/told_blocks.c src/resolve/object_types.c \
	src/resolve/object_types.h src/resolve/provisional.c src/resolve/provisional.h \
	src/resolve/type_instances.c src/resolve/type_instances.h src/resolve/typed_words.c \
	src/resolve/types.c src/resolve/types.h src/resolve/answers.c src/resolve/answers.h \
	src/resolve/typing.c src/resolve/typing.h src/resolve/told.c src/resolve/told.h \
	src/resolve/told_bins.c src/resolve/told_rules.c src/resolve/units.c src/resolve/units.h \
	src/resolve/unwind.c src/resolve/unwind.h src/resolve/votes.c src/resolve/votes.h \
	src/resolve/vdso.c src/resolve/vdso.h src/resolve/walk.c src/resolve/walk.h \
	src/resolve/walk_state.h src/resolve/walk_all.c src/resolve/walk_arena.c src/resolve/walk_arena.h \
	src/resolve/walk_cache.c src/resolve/walk_cache.h src/resolve/walk_chain.c \
	src/resolve/walk_chain.h src/resolve/walk_class.c src/resolve/walk_lists.c \
	src/resolve/walk_lists.h src/resolve/walk_locate.c src/resolve/walk_locate.h \
	src/resolve/walk_mapped.c src/resolve/walk_mapped.h src/resolve/walk_memory.c \
	src/resolve/walk_memory.h src/resolve/walk_span.c src/resolve/walk_span.h src/resolve/walked.c \
	src/resolve/walked.h src/resolve/wrappers.c src/resolve/wrappers.h
