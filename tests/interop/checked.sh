#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-check finds nothing in programs of others that are right: both ends exit with 0, and not with 86.
# doc/dvx-check-programs.md has what it does find in others, and why.
. "$(dirname "$0")/pair.sh"
check=$(cd "$top_builddir" && pwd)/tools/dvx-check/dvx-check
# checked PROGRAM ARGS...: the program's two ends under dvx-check
checked() {
	mkdir -p "$dir/bin"
	printf '#!/bin/sh\nexec "%s" -- "%s" "$@"\n' "$check" "$(command -v "$1")" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
	PATH=$dir/bin:$PATH pair host "$@"
}
export UCX_ERROR_SIGNALS=
if [ -z "${DVX_TEST_LONG-}" ]; then
	plan 5
else
	plan 22
fi
checked ibv_rc_pingpong -g 1 -n 700 -c
checked ibv_srq_pingpong -g 1 -n 200 -e
checked ib_send_lat -x 1 -n 200 -e
checked ib_write_bw -x 1 -n 300 -q 2
export UCX_TLS=rc_mlx5,ud_mlx5,self
checked ucx_perftest -t tag_lat -s 8 -n 200 -w 10
[ -n "${DVX_TEST_LONG-}" ] || exit "$failed"
for UCX_TLS in rc_mlx5,ud_mlx5,self dc_mlx5,self; do
	export UCX_TLS
	for test in ucp_get ucp_fadd; do
		checked ucx_perftest -t $test -s 8 -n 200 -w 10
	done
	checked ucx_perftest -t tag_bw -s 65536 -n 200 -w 10
done
checked ibv_rc_pingpong -g 1 -n 300 -e
checked ibv_uc_pingpong -g 1 -n 300
checked ibv_ud_pingpong -g 1 -n 300 -e
checked ib_write_bw -x 1 -n 1000 --use_old_post_send
checked ib_read_bw -x 1 -n 1000
checked ib_send_bw -x 1 -n 1000 -e
checked ib_send_bw -x 1 -n 500 -c UD -s 1024
checked ib_send_bw -x 1 -n 500 -r 64 --use-srq -q 2
checked ib_write_lat -x 1 -n 1000
checked ib_read_lat -x 1 -n 1000
checked ib_atomic_bw -x 1 -n 1000
exit "$failed"
