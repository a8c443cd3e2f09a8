#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header compiles alone, as C11 and as C++11, with all warnings, optimised or not (gcc
# tells other conversions then). clang++ judges, too, where it is installed: it warns of other things,
# C99's in C++ for example, and of the same whether it optimises or not.
cd "${top_srcdir:?}" || exit 99
n=0
clang=$(command -v clang++)
case $CXX in *clang*) clang= ;; esac
try() {
	n=$((n + 1))
	if printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
		"$@" -I"$top_builddir/include" -Iinclude -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
			-c -o /dev/null - >&2; then
		echo "ok $n - $header $1 $2 $3 $4"
	else
		echo "not ok $n - $header $1 $2 $3 $4"
	fi
}
for header in $(cd include && ls dvx/*.h) $(cd "$top_builddir/include" && ls dvx/prm/*.h); do
	for opt in -O0 -O2; do
		try $CC -std=c11 $opt -xc
		try $CXX -std=c++11 $opt -xc++
	done
	[ -z "$clang" ] || try clang++ -std=c++11 -O2 -xc++
done
echo "1..$n"
