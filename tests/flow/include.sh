#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a rule file may include others, that what dvx-flow says names the file and the line that the user wrote,
# and which files it does not read.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
flow=$(cd "${top_builddir:?}" && pwd)/tools/dvx-flow/dvx-flow
mkdir -p "$scratch/r/sub/deep" "$scratch/r/loop"
cd "$scratch/r" || exit 99
file() { # NAME LINE...
	into=$1
	shift
	printf '%s\n' "$@" >"$into"
}

file main.flow '# one' 'drop in vlan 1' 'include "sub/web.flow" # ours' 'drop in dst port $web' 'drop in vlan 1'
file sub/web.flow 'define web = 80,443' 'INCLUDE "deep/far.flow"' 'include "../near.flow"' 'drop in vlan 1'
printf 'drop in vlan 3' >sub/deep/far.flow
printf '\357\273\277drop in vlan 4\r\n' >near.flow
check "the rules of all files are there, and their variables" says 0 'main.flow: 6 rules' "$flow" check main.flow
check "a rule that is never met is named by its file" says 0 '^main.flow:5: .* line 2 takes them' "$flow" check main.flow
check "... and one of an included file" says 0 'sub/web.flow:4: .* line 2 of main.flow takes them' "$flow" check main.flow
check "... below the folder that was typed" says 0 "$scratch/r/sub/web.flow:4: " "$flow" check "$scratch/r/main.flow"
places() {
	"$flow" check --json main.flow 2>/dev/null | jq -ec '.never_met == [{line: 4, taken_by_line: 2, file: "sub/web.flow"},
		{line: 5, taken_by_line: 2}]'
}
check "... and in JSON" places
check "standard input includes files of the folder" says 0 '-: 3 rules' "$flow" check - <<-'END'
	include "near.flow"
	include "sub/deep/far.flow"
	drop in
END

file bad.flow 'include "sub/bad.flow"' 'drop inn'
file sub/bad.flow '' 'drop in dst port 70000'
check "a mistake is named by its file" says 1 '^sub/bad.flow:2:18: a port is 0 to 65535' "$flow" check bad.flow
check "... and the next one by the first file" says 1 '^bad.flow:2:6: expected in, out or switch' "$flow" check bad.flow
in_json() {
	"$flow" check --json bad.flow 2>/dev/null | jq -e '.error.file == "sub/bad.flow" and .error.line == 2'
}
check "... and in JSON" in_json
file twice.flow 'define a = 1' 'include "sub/twice.flow"'
file sub/twice.flow 'define a = 2'
check "two definitions are named" says 1 '^sub/twice.flow:1:8: $a is defined in line 1, too' "$flow" check twice.flow
file other.flow 'include "sub/twice.flow"' 'define a = 1'
check "... with the other file" says 1 '^other.flow:2:8: $a is defined in line 1 of sub/twice.flow' "$flow" check other.flow
file own.flow '#line 7 "x.flow"' 'drop inn'
check "a comment that looks like a mark is a comment" says 1 '^own.flow:2:6: ' "$flow" check own.flow

refused() { # LINE WHAT
	file refused.flow '' "$1"
	says 1 "^refused.flow:2:$2" "$flow" check refused.flow
}
check "no file" refused 'include "none.flow"' '9: none.flow: No such file or directory'
check "... no name" refused 'include' '8: expected a file.s name in quotes'
check "... no quotes" refused 'include near.flow' '9: expected a file.s name in quotes'
check "... an empty name" refused 'include ""' '9: expected a file.s name in quotes'
check "... more words" refused 'include "near.flow" "far.flow"' '21: expected the line.s end, not ""far.flow'
check "... from /" refused "include \"$scratch/r/near.flow\"" '9: an included file is named from the folder'
file ../outside.flow 'drop in'
check "... outside" refused 'include "sub/../../outside.flow"' '9: .* leaves the folder of the first file'
check "... the folder" refused 'include "sub"' '9: "sub" is not a file'
ln -s ../outside.flow link.flow
check "... by a link" refused 'include "link.flow"' '9: "link.flow" is a link out of the folder'
ln -s .. up
check "... by a folder's link" refused 'include "up/outside.flow"' '9: "up/outside.flow" is a link out'
ln -s near.flow inside.flow
file linked.flow 'include "inside.flow"'
check "a link that stays is followed" says 0 'linked.flow: 1 rule' "$flow" check linked.flow
mkfifo fifo
check "a pipe is not read" refused 'include "fifo"' '9: "fifo" is not a file'

file loop/a.flow 'include "b.flow"'
file loop/b.flow '' 'include "a.flow"'
check "a loop is told" says 1 '^loop/b.flow:2:9: loop/a.flow includes itself by way of loop/b.flow' "$flow" check loop/a.flow
file self.flow 'include "self.flow"'
check "... of one" says 1 '^self.flow:1:9: self.flow includes itself$' "$flow" check self.flow
for i in $(seq 20); do file "deep$i.flow" "include \"deep$((i + 1)).flow\""; done
check "too deep" says 1 '^deep17.flow:1:9: files include each other more than 16 deep' "$flow" check deep1.flow
for i in $(seq 14); do file "wide$i.flow" "include \"wide$((i + 1)).flow\"" "include \"wide$((i + 1)).flow\""; done
file wide15.flow ''
check "too many" says 1 'more than 4096 files are included' "$flow" check wide1.flow
file torn.flow 'include "sub/torn.flow"'
printf 'drop in \\\n' >sub/torn.flow
check "a rule does not go on in another file" says 1 '^sub/torn.flow:1:1: the included file ends in the middle' "$flow" check torn.flow
plan
