# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += \
	doc/hardware-to-verify.md \
	doc/design/0001-rooms-of-dvx-sim.md
