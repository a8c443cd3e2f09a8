# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += examples/first-light examples/first-rules examples/first-rules.flow examples/traffic/README.md examples/traffic/traffic.pcap \
	examples/traffic/record examples/traffic/switch.py
noinst_PROGRAMS += examples/events examples/post_poll examples/steer
examples_events_LDADD = src/lib/libdvx.la
examples_post_poll_LDADD = src/lib/libdvx.la
examples_steer_LDADD = src/lib/libdvx.la
