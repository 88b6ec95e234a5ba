# The papers' experiments, out of the main test run: `make experiment` prints their tables beside the published
# ones and fails where one is off by more than it may be.
include $(srcdir)/experiments/sc2000/local.mk
include $(srcdir)/experiments/memspy/local.mk
EXPERIMENTS = experiments/sc2000/sc2000 experiments/sc2000/alone $(MEMSPY)
CLEANFILES += $(EXPERIMENTS)

.PHONY: experiment
experiment: $(EXPERIMENTS)
	experiments/sc2000/sc2000$(EXEEXT)
	BUILD=. $(srcdir)/experiments/sc2000/test_sc2000.sh
	set -e; for one in $(MEMSPY); do $$one; done
