# SPDX-License-Identifier: BSD-2-Clause
# One compilation for the sources of a folder that are of the same library or program, where a build folder's GNUmakefile
# includes this file before Makefile, as ./quickstart and its check write it: headers are read once for a folder, which
# takes a third of the time. Each source is compiled alone by make without that file, check fast and check long, whose tests
# so count the instructions of the other build.

# group VARIABLE PREFIX: the library's or program's variables in the Makefile, and the objects' names in front of the
# source's. Generated sources, which are not below srcdir, stay apart, those of functions that tests wrap or replace (ld's
# --wrap and LD_PRELOAD see calls from one object to another), dvx-copy's of its engine's users, as tests have another
# engine or none, and the one that compiles libdvx's headers in a way of its own.
WRAPPED = $(addprefix $(srcdir)/,src/lib/hot.c src/lib/caps.c src/lib/flow/rule.c \
	src/sim/chip/datapath.c src/sim/port/port.c src/sim/queue/doorbell.c src/sim/queue/queues.c \
	$(addprefix tools/dvx-flow/daemon/,generation.c generation_edit.c state.c)) \
	$(wildcard $(addprefix $(srcdir)/tools/dvx-copy/,*.c source/*.c dest/*.c))
source_of = $(filter-out $(WRAPPED),$(wildcard $(srcdir)/$(basename $(subst /$2-,/,$1)).c))
grouped = $(foreach o,$(am_$1_OBJECTS),$(if $(call source_of,$o,$2),$o))
define group
override $1_OBJECTS = $$(sort $$(foreach o,$$(call grouped,$1,$2),$$(dir $$o)$2-together$$(suffix $$o))) \
	$$(filter-out $$(call grouped,$1,$2),$$(am_$1_OBJECTS)) $$(nodist_$1_OBJECTS)
%/$2-together.c: Makefile $$$$(srcdir)/tests/together.mk $$$$(foreach o,$$$$(call grouped,$1,$2),$$$$(if $$$$(filter $$$$*/,$$$$(dir $$$$o)),$$$$(call source_of,$$$$o,$2)))
	$$(AM_V_GEN)mkdir -p $$(@D) && printf '#include "%s"\n' $$(abspath $$(filter %.c,$$^)) >$$@
%/$2-together.lo: %/$2-together.c
	$$(AM_V_CC)$$(LTCOMPILE) $$($1_CPPFLAGS) $$($1_CFLAGS) $$(WARNINGS) -MD -MP -MT $$@ -MF $$(@D)/$2-together.d -c -o $$@ $$<
%/$2-together.o: %/$2-together.c
	$$(AM_V_CC)$$(COMPILE) $$($1_CPPFLAGS) $$($1_CFLAGS) $$(WARNINGS) -MD -MP -MT $$@ -MF $$(@D)/$2-together.d -c -o $$@ $$<
-include $$(wildcard src/*/$2-together.d src/*/*/$2-together.d src/*/*/*/$2-together.d tools/*/$2-together.d tools/*/*/$2-together.d tools/*/*/*/$2-together.d)
endef

# Not explain, of which a test links the part without libdvx, nor dvx-prm, whose sources have the same small names.
# gcc warns of names that two sources have, and wrongly of a pointer to a variable that one has in two functions.
WARNINGS ?= -Wno-shadow -Wno-dangling-pointer
.SECONDEXPANSION:
$(eval $(call group,tools_cli_libcli_la,libcli_la))
$(eval $(call group,tools_dvx_check_dvx_check,dvx_check))
$(eval $(call group,tools_dvx_copy_libcopy_la,libcopy_la))
$(eval $(call group,tools_dvx_flow_librules_la,librules_la))
$(eval $(call group,tools_dvx_flow_libimport_la,libimport_la))
$(eval $(call group,tools_dvx_flow_dvx_flow,dvx_flow))
$(eval $(call group,tools_dvx_info_libinfo_la,libinfo_la))
$(eval $(call group,tools_dvx_perf_dvx_perf,dvx_perf))
$(eval $(call group,tools_dvx_sim_dvx_sim,dvx_sim))
$(eval $(call group,tools_dvx_verify_dvx_verify,dvx_verify))
$(eval $(call group,libsim_la,libsim_la))
$(eval $(call group,src_lib_libdvx_la,libdvx_la))
$(eval $(call group,src_sim_libdvx_sim_la,libdvx_sim_la))
$(eval $(call group,src_check_libdvx_check_la,libdvx_check_la))
.DEFAULT_GOAL :=
