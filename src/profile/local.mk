noinst_LIBRARIES += src/libprofile.a
src_libprofile_a_SOURCES = \
	src/profile/chi2.c \
	src/profile/chi2.h \
	src/profile/renames.c \
	src/profile/comiss.c \
	src/profile/comiss.h \
	src/profile/compare.c src/profile/compare.h \
	src/profile/decay.c \
	src/profile/distances.c src/profile/distances.h \
	src/profile/decay.h \
	src/profile/field_counts.c src/profile/field_counts.h \
	src/profile/findings.c src/profile/findings.h \
	src/profile/findings_causes.c src/profile/findings_links.c src/profile/findings_paired.c \
	src/profile/findings_room.c src/profile/findings_simulated.c \
	src/profile/findings_weigh.c \
	src/profile/findings_access.c src/profile/findings_layout.c src/profile/findings_levels.c \
	src/profile/findings_blocks.c src/profile/findings_churn.c src/profile/findings_columns.c \
	src/profile/findings_held.c src/profile/findings_held.h \
	src/profile/findings_pages.c src/profile/findings_spin.c src/profile/findings_stack.c src/profile/findings_words.c \
	src/profile/findings_sets.c src/profile/findings_sharing.c \
	src/profile/geometry.c \
	src/profile/geometry.h \
	src/profile/interval.c \
	src/profile/interval.h \
	src/profile/matrix_axes.c src/profile/matrix_axes.h \
	src/profile/levels.c \
	src/profile/levels.h \
	src/profile/matrix_filling.c \
	src/profile/matrix_filling.h \
	src/profile/measured.c src/profile/measured.h \
	src/profile/measures.c \
	src/profile/measures.h \
	src/profile/offset_key.h \
	src/profile/pairs.c \
	src/profile/pairs.h \
	src/profile/phases.c \
	src/profile/phases.h \
	src/profile/phases_known.c \
	src/profile/phases_noise.c \
	src/profile/phases_split.c \
	src/profile/profile.c src/profile/profile_add.c src/profile/profile_lines.c \
	src/profile/use.c src/profile/use.h src/profile/snapshot_use.c src/profile/snapshot_reuse.c \
	src/profile/snapshot_partners.c \
	src/profile/profile.c src/profile/profile_add.c src/profile/profile_time.c \
	src/profile/profile.h src/profile/profile_search.c \
	src/profile/rates.c src/profile/rates.h \
	src/profile/recent.c src/profile/recent.h \
	src/profile/reuse.c src/profile/reuse.h \
	src/profile/reuse_verdict.c src/profile/reuse_verdict.h \
	src/profile/search.c \
	src/profile/search.h \
	src/profile/search_inside.c \
	src/profile/search_measured.c \
	src/profile/search_part.h \
	src/profile/search_before.c src/profile/search_before.h \
	src/profile/search_phases.c src/profile/search_phases.h \
	src/profile/search_queue.c \
	src/profile/search_queue.h \
	src/profile/search_region.c \
	src/profile/search_region.h \
	src/profile/search_settled.c \
	src/profile/sets.c \
	src/profile/sets.h \
	src/profile/sharing.c src/profile/sharing.h \
	src/profile/sharing_line.c src/profile/sharing_line.h \
	src/profile/sharing_verdict.c src/profile/sharing_verdict.h \
	src/profile/sharing_groups.c src/profile/sharing_names.c src/profile/sharing_words.c \
	src/profile/snapshot_sharing.c src/profile/snapshot_sharing.h \
	src/profile/snapshot.c \
	src/profile/snapshot_accesses.c \
	src/profile/causes.c src/profile/causes.h \
	src/profile/causes_table.c src/profile/causes_table.h \
	src/profile/snapshot_causes.c src/profile/snapshot_causes.h \
	src/profile/snapshot_causes_cells.c src/profile/snapshot_causes_threads.c \
	src/profile/snapshot_causes_who.c \
	src/profile/snapshot_cells.c \
	src/profile/snapshot_code.c \
	src/profile/snapshot_details.c src/profile/snapshot_fields.c \
	src/profile/snapshot_field_names.c src/profile/snapshot_field_names.h \
	src/profile/snapshot_instructions.c src/profile/snapshot_layout.c src/profile/snapshot_lines.c src/profile/drawing.h \
	src/profile/snapshot_heap.c \
	src/profile/snapshot_twins.c src/profile/snapshot_twins.h \
	src/profile/snapshot_levels.c \
	src/profile/snapshot_matrix.c \
	src/profile/snapshot_objects.c \
	src/profile/snapshot_field_figures.c \
	src/profile/snapshot_rates.c \
	src/profile/snapshot_search.c \
	src/profile/snapshot_sets.c \
	src/profile/snapshot_phases.c src/profile/snapshot_phases.h \
	src/profile/snapshot_streams.c src/profile/snapshot_streams.h \
	src/profile/snapshot_timeline.c \
	src/profile/snapshot_threads.c \
	src/profile/snapshot_watch.c src/profile/watch_part.h \
	src/profile/snapshot_window.c \
	src/profile/spread.c src/profile/spread.h \
	src/profile/state.h \
	src/profile/streams.c \
	src/profile/streams.h \
	src/profile/stride.c \
	src/profile/stride.h \
	src/profile/student.c src/profile/student.h \
	src/profile/survival.c src/profile/survival.h \
	src/profile/tally.c \
	src/profile/tally.h \
	src/profile/thread_numbers.c src/profile/thread_numbers.h \
	src/profile/thread_groups.c src/profile/thread_groups.h \
	src/profile/timeline.c \
	src/profile/timeline.h \
	src/profile/touched.h \
	src/profile/snapshot_unplaced.c \
	src/profile/unplaced.c src/profile/unplaced.h \
	src/profile/volatility.c \
	src/profile/volatility.h \
	src/profile/watch_codes.c src/profile/watch_pace.c src/profile/watch_words.c \
	src/profile/whatif.c src/profile/whatif.h \
	src/profile/whatif_plan.c \
	src/profile/whatif_units.c src/profile/whatif_units.h \
	src/profile/window.c \
	src/profile/window.h
