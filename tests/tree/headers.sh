#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header compiles alone, as C11 (check long: and as C++11), with all warnings; and all together do so
# optimised, when gcc tells other conversions. clang++ judges, too, where it is installed: it warns of other things, C99's
# in C++ for example, and of the same whether it optimises or not.
cd "${top_srcdir:?}" || exit 99
n=0
clang=$(command -v clang++)
case $CXX in *clang*) clang= ;; esac
headers=$(cd include && ls dvx/*.h; cd "$top_builddir/include" && ls dvx/prm/*.h)
try() { # WHAT HEADERS COMPILER OPTION...
	n=$((n + 1))
	what=$1 included=$2
	shift 2
	if { printf '#include <%s>\n' $included && echo 'int main(void) { return 0; }'; } |
		"$@" -I"$top_builddir/include" -Iinclude -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
			-c -o /dev/null - >&2; then
		echo "ok $n - $what $*"
	else
		echo "not ok $n - $what $*"
	fi
}
for header in $headers; do
	try "$header" "$header" $CC -std=c11 -fsyntax-only -xc
	[ -z "${DVX_TEST_LONG-}" ] || try "$header" "$header" $CXX -std=c++11 -fsyntax-only -xc++
done
try together "$headers" $CC -std=c11 -O2 -xc
try together "$headers" $CXX -std=c++11 -O2 -xc++
[ -z "$clang" ] || try together "$headers" clang++ -std=c++11 -O2 -xc++
echo "1..$n"
