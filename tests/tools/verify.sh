#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that on dvx-sim all that dvx-verify checks is settled, that each check notices a device that differs, that one
# that crashes or hangs is an answer, and that the report has no names or addresses.
. "$top_srcdir/tests/tap.sh"
verify=$top_builddir/tools/dvx-verify/dvx-verify
plants=$top_srcdir/tests/tools/verify.plants
report=$scratch/report.json

# verdicts VERDICT: the rows of the report that have it
verdicts() { jq -r --arg v "$1" '.rows[] | select(.verdict == $v) | .row' "$report"; }

check "--list needs no device" says 0 'by hand: ' "$verify" --list
listed() { "$verify" --list --json | jq -e 'length > 300 and all(.[]; .claim and .where and .hand)' >/dev/null; }
check "--list --json" listed

# A check that the first chip leaves open is settled by another one, and contradicted by none.
# check has the first chip, the statements that a tool relies on, and few differences; check long has all.
settings='chip=bf2 chip=bf3 chip=cx5 chip=cx6dx chip=cx7 chip=cx8 parse_graph=1'
least=1
[ -n "${DVX_TEST_LONG-}" ] || { settings=chip=bf2; least=3; }
all_settled() {
	"$verify" --list --json | jq -r '.[] | select(.checked) | .row' | sort >"$scratch/all"
	"$verify" --list --json | jq -r --argjson least "$least" '.[] | select(.checked and .weight >= $least) | .row' >"$scratch/rest"
	for set in $settings; do
		"$dvx_sim" run --set "$set" -- "$verify" -o "$report.$set" $(cat "$scratch/rest") >"$scratch/said" 2>/dev/null ||
			{ echo "$set:"; cat "$scratch/said"; return 1; }
		report=$report.$set verdicts open | sort >"$scratch/rest"
		[ -s "$scratch/rest" ] || break
	done
	cp "$report.chip=bf2" "$report"
	[ ! -s "$scratch/rest" ] || [ -z "${DVX_TEST_LONG-}" ] || { cat "$scratch/rest" "$scratch/said"; return 1; }
}
check "on dvx-sim all are settled" all_settled
private() {
	"$dvx_sim" run -- "$top_builddir/tools/dvx-info/dvx-info" gids --json 2>/dev/null | jq -r '.gids[].gid' >"$scratch/secret"
	"$dvx_sim" run -- "$top_builddir/tools/dvx-info/dvx-info" list --json 2>/dev/null | jq -r '.[0] | .name, .pci, .guid' >>"$scratch/secret"
	hostname >>"$scratch/secret"
	[ "$(grep -c . "$scratch/secret")" -ge 6 ] && ! grep -iF -f "$scratch/secret" "$report" && ! grep -E '0x[0-9a-f]{9}' "$report"
}
check "the report has no names and addresses" private

${CC:-cc} -std=gnu11 -w -shared -fPIC -I"$top_srcdir/include" -I"$top_builddir/include" -o "$scratch/plant.so" \
	"$top_srcdir/tests/tools/verify_plant.c" || bail_out "verify_plant.c does not compile"
# planted KIND ROW...: dvx-verify on a device that differs
planted() {
	kind=$1
	shift
	PLANT=$kind "$dvx_sim" run --set "$set" -- env LD_PRELOAD="$asan$scratch/plant.so:$preload" "$verify" -o "$report" "$@" >"$scratch/said" 2>&1
}
rows_of() { sed -n "s/^\([a-z][^\t]*\)\t\t*$1\$/\1/p" "$plants"; }
unnamed() {
	set=chip=bf2 planted caps cq-is-moderated dct-wrong-key
	jq -e 'all(.rows[]; .text | contains("the device has no "))' "$report"
}
check "sentences of libdvx that have the device's name are told without it" unnamed
unwritten() {
	"$dvx_sim" run -- "$verify" --json -o "$scratch/none/report" check-ds >"$scratch/said" 2>/dev/null
	[ $? = 3 ] && jq -e '.rows[0].verdict == "settled"' "$scratch/said"
}
check "--json prints a report that no file takes" unwritten
every_row() { sed -n 's/^\([a-z][^\t]*\)\t.*/\1/p' "$plants" | sort | diff "$scratch/all" -; }
check "each check has a planted difference" every_row
# A row that the first chip leaves open is contradicted by another one, and settled by none.
notices() {
	rest=$(rows_of "$1" | { [ -n "${DVX_TEST_LONG-}" ] && cat || head -5; })
	for set in $settings; do
		planted "$1" $rest
		[ "$(verdicts settled)" = "" ] || { echo "settled:"; verdicts settled; return 1; }
		rest=$(verdicts open)
		[ "$rest" != "" ] || return 0
	done
	echo "open: $rest"
	return 1
}
check "errors with another syndrome or status are contradictions" notices errors
if [ -n "${DVX_TEST_LONG-}" ]; then
	check "commands that succeed in place of a refusal are contradictions" notices accepts
	check "other values in completions and memory are contradictions" notices values
	check "other capabilities are contradictions" notices caps
	check "equal numbers are contradictions" notices numbers
	check "other owner bits are contradictions" notices owner
	check "regions that are not on demand are contradictions" notices pinned
fi
sed -n 's/^\([a-z][^\t]*\)\t\t*\(\(completion\|command\|packet\|event\) .*\)$/\1 \2/p' "$plants" >"$scratch/faults"
[ -n "${DVX_TEST_LONG-}" ] || sed -i 1q "$scratch/faults"
while read -r row fault; do
	echo "$fault" >"$scratch/fault"
	check "$row notices: $fault" says 1 '^contradicted' "$dvx_sim" run --fault "$scratch/fault" -- "$verify" -o "$report" "$row"
done <"$scratch/faults"
set=chip=bf2
crashes() { planted crash check-ds; jq -e '.rows[0] | .verdict == "contradicted" and .text == "the check crashed: Segmentation fault"' "$report"; }
hangs() { planted hang check-ds; jq -e '.rows[0] | .verdict == "contradicted" and (.text | startswith("the check hung"))' "$report"; }
[ -n "$asan" ] || check "a check that crashes is an answer" crashes # a sanitizer catches the signal
check "a check that hangs is an answer" hangs

fits() { [ "$("$verify" --help | wc -l)" -le 24 ] && [ "$("$verify" --help | wc -L)" -le 80 ]; }
check "--help fits a screen" fits
check "an unknown row" says 2 'no row is called chek-ds (did you mean check-ds' "$verify" chek-ds
check "a report that can't be written" says 3 "can't be written" "$dvx_sim" run -- "$verify" -o "$scratch/none/x" check-ds
replaced() {
	echo older >"$scratch/older" && ln "$scratch/older" "$scratch/linked" && "$dvx_sim" run -- "$verify" -o "$scratch/older" check-ds &&
		jq -e .rows "$scratch/older" && grep older "$scratch/linked"
}
check "a report replaces the one before as a whole" replaced
closed() { "$dvx_sim" run -- sh -c '"$0" -o "$1" check-ds <&- >&- 2>&-' "$verify" "$scratch/closed"; jq -e '.rows[0].verdict == "settled"' "$scratch/closed"; }
check "closed standard files are no answer" closed
in_its_place() {
	mkdir -p "$scratch/place" && echo '{"all": "rows"}' >"$scratch/place/dvx-verify.json" || return
	(cd "$scratch/place" && "$dvx_sim" run -- "$verify" check-ds) && jq -e '.all' "$scratch/place/dvx-verify.json" &&
		jq -e '.rows[0].row == "check-ds"' "$scratch/place/dvx-verify-rows.json"
}
check "the report of single rows leaves that of all alone" in_its_place
check "a row for the hand is open, with what to do" says 0 'for the hand: ' "$dvx_sim" run -- "$verify" -o "$report" against
plan
