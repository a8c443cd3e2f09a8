#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that programs built against the ABI in libdvx.abi work with the library as it is: functions may be added, none
# may go or change, nor may a public struct. `abi.sh renew` writes the file anew, after a change that is meant: with it,
# the library's version (src/lib/local.mk) changes, once something is released.
here=$(dirname "$0")
: "${top_srcdir:=$here/../..}"
: "${top_builddir:?}"
lib=$top_builddir/src/lib/.libs/libdvx.so
dump=$top_srcdir/tests/abi/libdvx.abi

if [ "$1" = renew ]; then
	# The folders of this build are nobody's business.
	abidw --headers-dir "$top_srcdir/include" --drop-private-types --exported-interfaces-only --no-parameter-names \
		--no-elf-needed --no-corpus-path --no-comp-dir-path --no-show-locs --out-file "$dump.new" "$lib" &&
		sed "s/ path='[^']*\(src\/[^']*\)'/ path='\1'/" "$dump.new" >"$dump" && rm -f "$dump.new"
	exit
fi

. "$top_srcdir/tests/tap.sh"
command -v abidiff >/dev/null || skip_all "abidiff is not installed (abigail-tools)"
[ -z "$DVX_SAN" ] || skip_all "sanitized builds have other symbols"

# compare OLD NEW: what would break a program
compare() {
	abidiff --suppr "$top_srcdir/tests/abi/foreign.suppr" --no-added-syms "$1" "$2"
}
kept() {
	compare "$dump" "$lib" || { echo "If the change is meant: top_builddir=. $top_srcdir/tests/abi/abi.sh renew"; return 1; }
}
check "libdvx has the ABI of tests/abi/libdvx.abi" kept

# named MAKEFILE: the name that programs load has the number that its version-info gives (current - age)
named() {
	version=$(sed -n 's/.*-version-info \([0-9]*\):[0-9]*:\([0-9]*\).*/\1-\2/p' "$1")
	[ -n "$version" ] || return
	number=$(($version))
	readelf -d "$lib" | grep -F "[libdvx.so.$number]" &&
		head -n 1 "$dump" | grep -F "soname='libdvx.so.$number'" &&
		grep -x "Package: libdvx$number" "$top_srcdir/debian/control"
}
check "the library's name, its Debian package and libdvx.abi have version-info's number" named "$top_srcdir/src/lib/local.mk"
other_version() { sed 's/-version-info 0:/-version-info 1:/' "$top_srcdir/src/lib/local.mk" >"$scratch/mk" && ! named "$scratch/mk"; }
check "... another version is noticed" other_version

# The comparison sees what it is for: a function that is gone, a struct that is larger, and not what is new.
sees() {
	sed "$1" "$dump" >"$scratch/old.abi" && ! cmp -s "$dump" "$scratch/old.abi" && compare "$scratch/old.abi" "$lib"
	[ $? = "$2" ]
}
check "... a function that is gone is found" sees "s/'dvx_mem_len/'dvx_mem_gone/g" 12
check "... a member of a public struct that moved is found" \
	sees "/class-decl name='dvx_cq_attr'/,/<.class-decl>/s/layout-offset-in-bits='32'/layout-offset-in-bits='96'/" 4
check "... functions that are new are no break" sees "/elf-symbol name='dvx_mem_len'/d; /mangled-name='dvx_mem_len'/,/<\/function-decl>/d" 0
plan
