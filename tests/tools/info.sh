#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-info does what its man page says: on devices, on dumps, and on a machine without any.
. "$top_srcdir/tests/tap.sh"
info=$top_builddir/tools/dvx-info/dvx-info

json() { # json FILTER COMMAND...: standard output is JSON, and the filter is true for it
	filter=$1
	shift
	"$@" >"$scratch/json" 2>/dev/null
	jq -e "$filter" <"$scratch/json"
}
fits() {
	[ "$("$@" --help | wc -l)" -le 24 ] && [ "$("$@" --help | wc -L)" -le 80 ]
}

check "--help fits a screen" fits "$info"
for c in list gids caps why-not doctor; do
	check "$c --help fits a screen" fits "$info" $c
done
check "an unknown command is named" says 2 'no command "frob"' "$info" frob
check "one argument too many" says 2 'one argument too many' "$info" list a

check "without a device: list says so" says 0 'No mlx5 device' "$info"
check "without a device: list --json is an empty list" json '. == []' "$info" list --json
check "without a device: gids" says 3 'no mlx5 device' "$info" gids
check "without a device: caps" says 3 'no mlx5 device' "$info" caps
check "without a device: why-not" says 3 'no mlx5 device' "$info" why-not srq
check "without a device: doctor" says 1 '^FAIL  device' "$info" doctor
check "doctor --json" json '(has("device") | not) and (.checks | length > 8) and all(.checks[]; .text | endswith("."))' \
	"$info" doctor --json

chips=i
check "a chip" "$dvx_sim" up i
host() { "$dvx_sim" exec i -- "$info" "$@"; }
dpu() { "$dvx_sim" exec i -f dpu -- "$info" "$@"; }
check "list" says 0 'port 1: ACTIVE, Ethernet' host
check "list --json" json '.[0] | .name == "mlx5_0" and .vhca_id == 1 and .ports[0].mtu == 4096' host list --json
check "gids" says 0 '^   1     3  RoCE v2 .*IPv4' host gids
check "gids: an index to use" says 0 '^Use index 3 on port 1' host gids mlx5_0
check "gids --json" json '.gids[0].index == 3 and (.gids | length) == 4' host gids --json
check "gids of no device" says 3 'no mlx5 device mlx5_7' host gids mlx5_7
check "caps in words" says 0 'log_max_qp .*18 (262144)' host caps general
check "caps: a page by number" says 0 'cross_vhca_object_to_object_supported .*LOCAL_MKEY' host caps 0x20
check "caps: a page and a device, any order" says 0 'ROCE (0x4' host caps roce mlx5_0
check "caps: no such page" says 2 'no capability page is called "rocce" (did you mean ROCE' \
	host caps mlx5_0 rocce
check "caps --all has zeros" json '.pages[0].fields | any(.value == 0)' host caps --all --json general
check "caps --save" host caps --save "$scratch/host.caps"
check "caps of a dump, without a device" says 0 'saved from mlx5_0' "$info" caps "$scratch/host.caps"
host caps general --json >"$scratch/a" 2>/dev/null
"$info" caps "$scratch/host.caps" general --json >"$scratch/b"
same_pages() { [ "$(jq -c .pages "$scratch/a")" = "$(jq -c .pages "$scratch/b")" ]; }
check "... is as the device's" same_pages
check "a dump against its device: no difference" says 0 'No difference' host caps --diff "$scratch/host.caps" mlx5_0
check "host against DPU" says 1 'vhca_id  *A: 1  *B: 2' dpu caps --diff "$scratch/host.caps" mlx5_0
check "dvx-info --diff is caps --diff" says 1 'vhca_id  *A: 1  *B: 2' dpu --diff "$scratch/host.caps" mlx5_0
check "caps --save of the DPU" dpu caps --save "$scratch/dpu.caps"
check "two dumps, without a device" says 1 'vhca_id  *A: 1  *B: 2' "$info" caps --diff "$scratch/host.caps" "$scratch/dpu.caps"
check "a dump against itself" says 0 'No difference' "$info" caps --diff "$scratch/dpu.caps" "$scratch/dpu.caps"
check "--diff --json" json '.differences | any(.field == "vhca_id" and .a == "1" and .b == "2")' \
	dpu caps --diff --json "$scratch/host.caps" mlx5_0
check "--diff needs two" says 2 'compares two' host caps --diff mlx5_0
mkfifo "$scratch/pipe"
ln -s host.caps "$scratch/link"
into_pipe() { # what a program reads that a user has put there, e.g. >(gzip)
	cat "$scratch/pipe" >"$scratch/piped" &
	"$info" caps --save "$scratch/pipe" "$scratch/host.caps"
	[ -p "$scratch/pipe" ] || { kill $!; return 1; }
	wait $!
	grep -q '^page 0x20' "$scratch/piped"
}
check "caps --save into a pipe leaves it one" into_pipe
ln "$scratch/host.caps" "$scratch/hard"
into_link() {
	"$info" caps --save "$scratch/link" "$scratch/dpu.caps" && [ -L "$scratch/link" ] && grep -q '^page 0x20' "$scratch/host.caps" &&
		! cmp -s "$scratch/host.caps" "$scratch/hard"
}
check "caps --save through a symbolic link leaves it one, and replaces its file" into_link
private() {
	(umask 077 && "$info" caps --save "$scratch/private" "$scratch/host.caps") && [ "$(stat -c %a "$scratch/private")" = 600 ]
}
check "caps --save makes a file by the umask" private
check "a dump that can't be written" says 3 "No such file" host caps --save /nonexistent/x
check "... nothing is left half written" test ! -e "$scratch/x"
"$PERL" -e 'srand 1; print map { chr rand 256 } 1 .. 3000' >"$scratch/noise"
check "noise is no dump" says 3 'names the capability page' "$info" caps "$scratch/noise"
check "noise as a page, if one insists" says 0 'bits that no public table' "$info" caps "$scratch/noise" general
check "a folder is no dump" says 3 '' "$info" caps "$scratch"

check "why-not: nothing is missing" says 0 'Nothing is missing' host why-not dma-copy
lacks() { # lacks SETTING FEATURE: on a chip without it, one thing is missing
	json ".missing == 1" "$dvx_sim" run --set "$1" -- "$info" why-not "$2" --json
}
check "why-not: a chip without the DMA engine" lacks dma_mmo=0 dma-copy
check "... offers the other way" says 1 'dvx_post_write' \
	"$dvx_sim" run --set dma_mmo=0 -- "$info" why-not dma-copy
check "why-not: a chip without aliases" lacks cross_vhca=0 cross-vhca-import
check "why-not: a chip that lets no mkeys" lacks allow_mkey=0 cross-vhca-export
check "why-not: hw-timestamps work, by mlx5dv_get_clock_info()" says 0 'Nothing is missing' host why-not hw-timestamps
check "why-not: a queue can have timestamps of real time" says 0 'rq_ts_format' host why-not real-time-timestamps
for kind in sq rq qp; do
	check "why-not: ... or has none, ${kind}_ts_format" lacks ${kind}_ts_format=0 real-time-timestamps
done
check "why-not odp: what the device offers, whatever kernel this host has" says 0 'IBV_ODP_SUPPORT' host why-not odp
asks_dmabuf() {
	host why-not dmabuf 2>&1 | tee "$scratch/dmabuf"
	grep -q 'refuses only the descriptor -1 (EBADF)' "$scratch/dmabuf" && ! grep -q '^dvx-sim' "$scratch/dmabuf"
}
check "why-not dmabuf: asks the device, which does not take that for a mistake" asks_dmabuf
for e in EOPNOTSUPP EPROTONOSUPPORT; do
	echo "#include <errno.h>
void *ibv_reg_dmabuf_mr(void) { errno = $e; return 0; }" >"$scratch/no.c"
	${CC:-cc} -w -shared -fPIC -o "$scratch/no-$e.so" "$scratch/no.c"
	check "why-not dmabuf: a kernel that answers $e" says 1 'ibv_reg_dmabuf_mr() fails: .* not supported' \
		env LD_PRELOAD="$asan$scratch/no-$e.so" "$dvx_sim" run -- "$info" why-not dmabuf
done
check "why-not by another word" says 0 'dma-copy:' host why-not mmo
check "why-not: what is missing, by the PRM's name" says 1 "GENERAL.rq_delay_drop is no" host why-not delay-drop
check "why-not --json" json '.missing >= 1 and (.checks | any(.field == "rq_delay_drop" and .verdict == "missing"))' \
	host why-not delay-drop --json
check "why-not on a dump: the host is unknown" says 0 'a dump says nothing' "$info" why-not events "$scratch/host.caps"
check "why-not: nearest names" says 2 'did you mean.* srq' host why-not srqq
printf 'page 0x7\n00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n00000040: 80 00 00\n' >"$scratch/cut.caps"
check "why-not: an alternative that a dump does not show" says 0 'unknown  *tables that software owns' "$info" why-not sw-steering-rx "$scratch/cut.caps"
check "why-not --list" says 0 '^cross-vhca-export' "$info" why-not --list
check "doctor on a device" says 0 '^OK    device  *mlx5_0 opens' host doctor
check "a full disk is reported" says 3 'cannot be written' sh -c "'$info' why-not --list >/dev/full"

# Every feature runs, and its exit code agrees with its JSON. One jq for all: each takes as long as three features.
all_features() {
	"$info" why-not --list --json | jq -r '.[].feature' >"$scratch/features" && host_shell <"$scratch/features" >"$scratch/f" &&
		[ "$(jq 'if type == "number" then . else .missing > 0 end' <"$scratch/f" | paste -d ' ' - - | tee "$scratch/pairs" | wc -l)" = "$(wc -l <"$scratch/features")" ] &&
		! paste "$scratch/features" "$scratch/pairs" | grep -v -e '	true 1$' -e '	false 0$'
}
host_shell() {
	"$dvx_sim" exec i -- sh -c 'while read -r f; do "$0" why-not "$f" --json 2>/dev/null </dev/null; echo $?; done' "$info"
}
check "every feature answers" all_features
# What issues and manuals call the things that a user of mlx5 asks for: each word has an answer.
words="srq rmp limit-events ud address-handles q-keys multicast rdma-cm atomics masked-atomics memory-windows rereg-mr
zero-length-mr null-mr odp implicit-odp devx-odp device-memory memic-operations klm ksm umr interleaved xrc dc dc-streams
send-with-invalidate local-invalidate tag-matching multi-packet-srq signature crc32 crc64 t10-dif aes-xts dek crypto-login
parent-domains thread-domains wq indirection-tables rss striding-rq cq-resize moderation cqe-128 cqe-compression padding
end-padding timestamps clock-page real-time-timestamps packet-pacing rate-limit var uar-kinds pp sched-elements lag
lag-ports inline-receive scatter-to-cqe ece out-of-order counters q-counters import-device import-pd import-mr dmabuf
async-events devx-events fd-num devx-eq msi-vector reserved-qpns data-direct dmah delay-drop match-definers
rdma-statistic netdev umad0 roce-v1 roce-v2 uc rc raw-packets tso fdb encap sampler meters ct"
known_words() {
	# the empty file is refused only once the word is known
	for word in $words; do "$info" why-not "$word" /dev/null >"$scratch/word.$word" 2>&1; done
	unknown=$(grep -L "no line such as" "$scratch"/word.*)
	[ -z "$unknown" ] || { cat $unknown; return 1; }
}
check "why-not knows what the device has and lacks by the words that people use" known_words
# A page that the device has not is no trouble of the user's: it is not asked for, in anybody's log.
quiet() {
	for what in "caps" "why-not rc" "why-not hw-steering" "why-not crypto"; do
		# shellcheck disable=SC2086 # words
		"$dvx_sim" run -- "$info" $what >/dev/null 2>"$scratch/err"
		[ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
	done
	host caps | grep -q "MACSEC.* capability general_obj_types lacks 0x8000000000"
}
check "pages that the device denies are not asked for" quiet
check "nothing of it knows the simulator" sh -c "! grep -rqi 'dvx.sim' '$top_srcdir/tools/dvx-info'"
plan
