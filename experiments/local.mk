# The papers' experiments, not part of the main test run: `make experiment` prints their tables next to
# the published ones and fails if a figure is outside its tolerance.
include $(srcdir)/experiments/sc2000/local.mk
include $(srcdir)/experiments/memspy/local.mk
EXPERIMENTS = experiments/sc2000/sc2000 experiments/sc2000/alone $(MEMSPY)
CLEANFILES += $(EXPERIMENTS)

.PHONY: experiment
experiment: $(EXPERIMENTS)
	experiments/sc2000/sc2000$(EXEEXT)
	BUILD=. $(srcdir)/experiments/sc2000/test_sc2000.sh
	set -e; for one in $(MEMSPY); do $$one; done
