#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that examples/ci, a project that knows nothing of dvx, tests itself on dvx-sim as its README says.
. "$top_srcdir/tests/tap.sh"
command -v meson >/dev/null || skip_all "meson not found: install meson (examples/ci is built with it)"
recipe=$(cd "$top_srcdir/examples/ci" && pwd)
here=$(cd "$top_builddir" && pwd)
PATH=$here/tools/dvx-sim:$here/tools/dvx-info:$here/tools/dvx-prm:$PATH
ARTIFACTS=$scratch/artifacts
export PATH ARTIFACTS
project=$scratch/build

build() { meson setup "$project" "$recipe" && meson compile -C "$project"; }
check "it builds" build || bail_out "nothing to test"
all_pass() { timeout 120 meson test -C "$project" --no-rebuild --setup "$1" --print-errorlogs; }
check "without a device its unit tests pass" "$project/frames"
check "... and a device test fails, and says what brings one" says 1 '.--setup sim. brings one' "$project/pair"
check "all its tests pass on dvx-sim" says 0 '^Ok: *4' all_pass sim
# Two of its setups in one.
rough() { timeout 60 dvx-sim run --set log_max_qp_sz=4 --fault drop=2%,corrupt=1%,seed=1 -- "$project/pair"; }
setups() { grep -q "'--set', 'log_max_qp_sz=4'" "$recipe/meson.build" && grep -q "drop=2%,corrupt=1%,seed=1" "$recipe/meson.build"; }
check "... on short queues and a bad wire" rough
check "... as two of its setups have them" setups

keep() { timeout 60 "$recipe/tests/keep-logs" "$@"; }
kept() { grep -q -- "$2" "$ARTIFACTS"/bug-*/"$1" || { tail -n 5 "$ARTIFACTS"/bug-*/"$1"; return 1; }; }
check "what passes leaves no logs" keep -- "$project/frames"
check "... none at all" test -z "$(ls "$ARTIFACTS")"
# A bug: the region of the receives can't be written.
bug() {
	sed s/IBV_ACCESS_LOCAL_WRITE/0/ "$recipe/rcmsg.c" >"$scratch/bug.c"
	${CC:-cc} -D_GNU_SOURCE -I"$recipe" -o "$scratch/bug" "$scratch/bug.c" "$recipe/frame.c" "$recipe/tests/pair.c" -libverbs -lpthread
}
check "a bug is built in" bug
check "... and found" says 1 'the device.s side is in' keep --set memlock=1 -- "$scratch/bug"
check "... its output stays" kept output 'not so: '
check "... what the device refused, with the field" kept refusals 'does not have the right lw (local write)'
check "... the trace, decoded" kept trace 'err_cqe syndrome=LOCAL_PROT_ERR'
packets() { [ "$(tcpdump -nr "$ARTIFACTS"/bug-*/capture.pcap 2>/dev/null | wc -l)" -ge 2 ]; }
check "... and its packets" packets

# Where programs may pin 64 KiB only, as in many containers.
tester() {
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all -- "$@"
	mkdir -p -m 777 "$scratch/tester"
	(ulimit -l 64; XDG_RUNTIME_DIR=$scratch/tester timeout 60 "$@")
}
chmod 755 "$scratch"
check "without root, and with 64 KiB to pin, registering fails as on a NIC" \
	says 1 'Cannot allocate memory' tester env -u DVX_SIM_SET dvx-sim run -- "$project/pair"
check "... unless the job says memlock=0" tester env DVX_SIM_SET=memlock=0 dvx-sim run -- "$project/pair"

# The files for CI services: readable by them as far as a parser can tell, their packages are those of quickstart.
parsed() {
	/usr/bin/python3 -c 'import yaml, sys; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "$recipe"/.github/workflows/*.yml "$recipe/.gitlab-ci.yml"
}
check "the jobs are YAML" parsed
shells() { sh -n "$recipe/ci/install-dvx" && sh -n "$recipe/ci/make-base"; }
check "the scripts parse" shells
packages() {
	sed -n '/^build_deps=/,/^END$/p' "$top_srcdir/quickstart" | awk 'NF > 1 { print $1 }' | grep -v build_deps |
		grep -vx -e ibverbs-providers -e ibverbs-utils -e tcpdump -e iproute2 -e netcat-openbsd -e librdmacm-dev | sort >"$scratch/needed"
	sed -n '/^install gcc/,/[^\\]$/p' "$recipe/ci/install-dvx" | tr -s ' \t\\' '\n' | grep -vx -e install -e '' | sort >"$scratch/installed"
	diff "$scratch/needed" "$scratch/installed"
}
check "install-dvx installs what dvx is built with" packages
# A dvx from a cache brings no compiler: gcc alone has no headers.
tools() { [ "$(cat "$recipe/Containerfile" "$recipe/.gitlab-ci.yml" "$recipe"/.github/workflows/*.yml | grep -c 'gcc libc6-dev meson pkg-config libibverbs-dev')" = 3 ]; }
check "each job and the container install what the project is built with" tools
plan
