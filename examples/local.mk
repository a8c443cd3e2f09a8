# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += examples/first-light examples/first-rules examples/first-rules.flow examples/memlock.sh examples/machines.sh examples/nat-vlan examples/eswitch/eswitch examples/eswitch/edge.flow examples/eswitch/far.flow examples/eswitch/vf1.flow examples/nat-host.flow examples/nat-dpu.flow examples/traffic/README.md examples/traffic/traffic.pcap \
	examples/README.md examples/example.h examples/exchange.h examples/traffic/record examples/traffic/switch.py
# A project of its own, with its build system: tests/tree/ci_recipe.sh builds and tests it.
EXTRA_DIST += examples/ci
EXAMPLES = examples/atomics examples/completions examples/errors examples/events examples/kv examples/multicast examples/nvme examples/placement \
	examples/post_poll examples/raw_ethernet examples/rc_socket examples/recover examples/srq examples/steer examples/ud
EXAMPLES += examples/chain examples/dc examples/xrc
EXAMPLES += examples/alias examples/balancer examples/umr_scatter examples/window
if HAVE_RDMACM
EXAMPLES += examples/rdma_cm
endif
noinst_PROGRAMS += $(EXAMPLES)
$(EXAMPLES): src/lib/libdvx.la
$(EXAMPLES): private LDADD = src/lib/libdvx.la
examples_rdma_cm_LDADD = src/lib/libdvx.la $(RDMACM_LIBS) $(IBVERBS_LIBS)
examples_xrc_LDADD = src/lib/libdvx.la $(IBVERBS_LIBS)
