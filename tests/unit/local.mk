UNIT_LIBS = $(STAGE_LIBS) $(OUTSIDE_LIBS) $(CMOCKA_LIBS) -lpthread -lm
include $(srcdir)/tests/unit/base/local.mk
include $(srcdir)/tests/unit/sample/local.mk
include $(srcdir)/tests/unit/decode/local.mk
include $(srcdir)/tests/unit/resolve/local.mk
include $(srcdir)/tests/unit/profile/local.mk
include $(srcdir)/tests/unit/store/local.mk
include $(srcdir)/tests/unit/view/local.mk
include $(srcdir)/tests/unit/engine/local.mk
include $(srcdir)/tests/unit/sim/local.mk
include $(srcdir)/tests/unit/agent/local.mk
