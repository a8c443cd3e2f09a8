#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that perftest, as Debian ships it, runs between two processes: bandwidth and latency of
# WRITE, READ and SEND, with events where it offers them, both directions, several queue pairs;
# datagrams also to a multicast group, whose GID is IPv6's or stands for an IPv4 address.
. "$(dirname "$0")/pair.sh"

long=${DVX_TEST_LONG:+1}
plan $((13 + 28 * ${long:-0}))
# Pairs like another one here or in capture.sh: check long has them.
long()
{
	[ -z "$long" ] || "$@"
}
long pair host ib_write_bw -x 1 -n 100
long pair host ib_write_lat -x 1 -n 20
long pair host ib_read_bw -x 1 -n 100
long pair host ib_read_lat -x 1 -n 20
long pair host ib_send_bw -x 1 -n 100
long pair host ib_send_lat -x 1 -n 20
pair host ib_read_bw -x 1 -n 100 -e
long pair host ib_read_lat -x 1 -n 20 -e
long pair host ib_send_bw -x 1 -n 100 -e
pair host ib_send_lat -x 1 -n 20 -e
pair host ib_write_bw -x 1 -n 20 -a
long pair host ib_read_bw -x 1 -n 20 -a
long pair host ib_send_bw -x 1 -n 20 -a
pair host ib_write_bw -x 1 -n 50 -b -q 4
long pair host ib_write_bw -x 1 -n 20 -q 1200
long pair host ib_send_bw -x 1 -n 50 -b -m 1024
long pair dpu ib_write_bw -x 1 -n 100
pair dpu ib_read_lat -x 1 -n 20
long pair host ib_write_bw -x 1 -n 100 -c UC
long pair host ib_send_bw -x 1 -n 100 -c UC
long pair host ib_send_lat -x 1 -n 20 -c UC
pair dpu ib_send_lat -x 1 -n 20 -c UC
long pair host ib_atomic_bw -x 1 -n 100 -A FETCH_AND_ADD
pair host ib_atomic_bw -x 1 -n 100 -A CMP_AND_SWAP -q 4 -o 16
long pair host ib_atomic_lat -x 1 -n 20 -A FETCH_AND_ADD
long pair host ib_atomic_lat -x 1 -n 20 -A CMP_AND_SWAP -e
long pair dpu ib_atomic_bw -x 1 -n 100 -A CMP_AND_SWAP
long pair dpu ib_atomic_lat -x 1 -n 20 -A FETCH_AND_ADD
long pair host ib_send_bw -x 1 -n 100 -c UD -b -q 4
long pair host ib_send_bw -x 3 -n 100 -c UD -e
pair host ib_send_bw -x 3 -n 100 -c UD --use-srq
pair host ib_send_bw -x 1 -n 20 -c UD -a
long pair dpu ib_send_lat -x 3 -n 20 -c UD
long pair host ib_send_bw -x 1 -n 100 -c UD -g
long pair dpu ib_send_lat -x 1 -n 20 -c UD -g
pair host ib_send_bw -x 3 -n 100 -c UD -g -M 0:0:0:0:0:0:0:0:0:0:255:255:239:1:2:3
long pair host ib_send_lat -x 1 -n 20 -c DC
long pair host ib_write_bw -x 1 -n 100 -c DC
pair host ib_read_bw -x 1 -n 100 -c DC -q 2
pair host ib_write_bw -x 1 -n 100 -c DC --log_dci_streams=3
pair dpu ib_atomic_bw -x 1 -n 100 -c DC -A FETCH_AND_ADD
exit "$failed"
