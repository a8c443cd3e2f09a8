#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh TARGETS SECONDS: libFuzzer on each target for so long, in a build of their own (fuzz-build/) by clang
# with ASan and UBSan. What it learns stays in fuzz-build/corpus; what fails is in fuzz-build/found.
set -eu
targets=$1 seconds=$2
cd "$(dirname "$0")/../.."
top=$PWD
cd "$OLDPWD"
command -v clang >/dev/null || { echo "make fuzz needs clang with libFuzzer: apt-get install clang" >&2; exit 1; }
mkdir -p fuzz-build/found
cd fuzz-build
[ -f Makefile ] || "$top/configure" -q CC=clang CXX=clang++ --enable-sanitize=address,undefined,fuzzer-no-link
make -s -j"$(nproc)" all
make -s -j"$(nproc)" $targets
export top_srcdir="$top" CMOCKA_TEST_ABORT=1
failed=
for target in $targets; do
	name=${target##*/}
	mkdir -p "corpus/$name"
	seeds=
	for folder in "$top/tests/fuzz/corpus/$name" "$top/examples/traffic" "$top/tests/golden/dumps"; do
		case $name:$folder in
		*/corpus/* | pcap:*/traffic | dump:*/dumps | hex:*/dumps) [ ! -d "$folder" ] || seeds="$seeds $folder" ;;
		esac
	done
	echo "== $name"
	"./$target" -max_total_time="$seconds" -max_len=16384 -len_control=0 -rss_limit_mb=4096 -timeout=60 -print_final_stats=1 \
		-artifact_prefix="found/$name-" "corpus/$name" $seeds >"$name.log" 2>&1 || failed="$failed $name"
	grep -E 'ERROR|stat::number_of_executed|SUMMARY|cov: [0-9]' "$name.log" | tail -n 4
done
[ -z "$failed" ] || { echo "failed:$failed (fuzz-build/*.log, fuzz-build/found)" >&2; exit 1; }
