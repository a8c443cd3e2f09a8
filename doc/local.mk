# SPDX-License-Identifier: BSD-2-Clause
dist_man_MANS += doc/man/dvx-perf.1 doc/man/dvx-sim.1
EXTRA_DIST += \
	doc/hardware-to-verify.md \
	doc/syndromes.md \
	doc/design/0001-rooms-of-dvx-sim.md \
	doc/design/0003-firmware-and-objects.md \
	doc/design/0020-client-half-and-link.md \
	doc/design/0030-data-path.md
