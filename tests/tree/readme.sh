#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the README's list of what the device lacks is what the device says: each feature of dvx-info
# with a capability that is missing. DVX_UPDATE=1 writes the list.
. "$top_srcdir/tests/tap.sh"
info=$top_builddir/tools/dvx-info/dvx-info
readme=$top_srcdir/README.md
begin='<!-- written by tests/tree/readme.sh -->'
end='<!-- end -->'
chips=readme

# The host's own lacks (privileges, huge pages) are not the device's.
lacks() {
	for f in $("$info" why-not --list --json | jq -r '.[].feature'); do
		"$dvx_sim" exec readme -f "$1" -- "$info" why-not "$f" --json 2>/dev/null
	done | jq -rs '[.[] | select(.checks | any(.verdict == "missing" and has("page"))) | "`\(.feature)`"] | join(", ")'
}
list() {
	printf '%s\n' "$begin"
	lacks host | fold -s -w 118 | sed 's/ *$//; $s/$/./'
	printf '%s\n' "$end"
}
in_readme() { sed -n "\|^$begin\$|,\|^$end\$|p" "$readme"; }
update() {
	awk -v begin="$begin" -v end="$end" -v list="$scratch/list" '
		$0 == begin { while ((getline line < list) > 0) print line; skip = 1 }
		!skip { print }
		$0 == end { skip = 0 }' "$readme" >"$scratch/readme" && cat "$scratch/readme" >"$readme"
}
same() { in_readme | diff - "$scratch/list"; }

check "up" "$dvx_sim" up readme
list >"$scratch/list"
[ -z "${DVX_UPDATE-}" ] || check "the README takes the list" update
check "the list names something" grep -q '`' "$scratch/list"
check "the README lacks what the device lacks (DVX_UPDATE=1 writes it)" same
check "down" "$dvx_sim" down readme
plan
