#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the rules of import.rows are what tc, iptables and nft take, that tc takes what export writes, and what the
# two commands say: exit codes, places, JSON.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
flow=${top_builddir:?}/tools/dvx-flow/dvx-flow
rows=$top_srcdir/tests/flow/import.rows

echo 'tc filter add dev eth0 ingress protocol ip flower dst_ip 10.0.0.1 action drop' >"$scratch/tc"
echo 'tc filter add dev eth0 ingress protocol ip flower ct_state +trk action drop' >>"$scratch/tc"
check "import prints rules" says 1 'drop in untagged ethertype ipv4 dst 10.0.0.1' "$flow" import "$scratch/tc"
check "... and what it leaves out, with its place" says 1 "tc:2:60: \"+trk\": of connections, dvx-flow has" "$flow" import "$scratch/tc"
check "... in the rules as well" says 1 "# left out: $scratch/tc:2: \"+trk\"" "$flow" import "$scratch/tc"
json() {
	"$flow" import --json "$1" 2>/dev/null | jq -e '.dialect == "tc" and (.rules | length) == 1 and .left_out[0].reason == "conntrack"
		and .left_out[0].line == 2 and .left_out[0].column == 60'
}
check "... and in JSON" json "$scratch/tc"
geneve='tc filter add dev genev_sys_6081 ingress protocol ip pref %s flower enc_key_id 42 geneve_opts 0102:%s:7 action mirred egress redirect dev pf0vf0\n'
# shellcheck disable=SC2059 # a format
printf "$geneve" 1 80 2 81 3 80 >"$scratch/options"
port='genev_sys_6081=uplink,02:00:00:00:00:01,02:00:00:00:00:02'
check "... a second Geneve option, with the line that has another" \
	says 1 'options:2:.*one Geneve option.* (line 1 has class 0x102, type 0x80)' "$flow" import --port $port "$scratch/options"
"$flow" import --port $port "$scratch/options" >"$scratch/one" 2>/dev/null
check "... so that check takes what is left" says 0 '2 rules' "$flow" check "$scratch/one"
sed 1q "$scratch/tc" >"$scratch/good"
check "a text of which all is imported: exit code 0" says 0 'drop in' "$flow" import - <"$scratch/good"
check "a wrong dialect is told" says 1 'rules of tc, not of nft' "$flow" import --from nft "$scratch/good"
check "... and one that is none" says 2 'not "frob"' "$flow" import --from frob "$scratch/good"
echo 'drop in udp' >"$scratch/own"
check "... and dvx-flow's own rules" says 1 'rules of dvx-flow already' "$flow" import "$scratch/own"
check "export prints commands" says 0 'dev eth7 ingress protocol ipv6' "$flow" export --to tc --netdev eth7 "$scratch/own"
printf 'add-flow br0 "ip,nw_src=10.0.0.1\0,actions=drop"\n' | sed 'p' >"$scratch/zero"
check "... and a text with a byte of zero" says 1 "zero:1:1: a byte of zero" "$flow" import --from ovs "$scratch/zero"
echo 'pass in udp' >>"$scratch/own"
check "... and names what it leaves out" says 1 'own:2:1: testpmd has no action' "$flow" export --to testpmd "$scratch/own"
echo 'tc filter add dev eth1 ingress protocol ip flower action mirred egress redirect dev eth2' >"$scratch/ports"
check "--port names the vports of interfaces" says 0 'send switch from vf0 untagged ethertype ipv4 to vport 4096' \
	"$flow" import --port eth1=vf0 --port eth2=4096 "$scratch/ports"
for i in eth1 =vf0 eth1=vf eth1=70000 'eth1=uplink,02:00:00:00:00:01' 'a=uplink,02:00:00:00:00:01,02:00:00:00:00' 'a b=vf0'; do
	check "... and no others: $i" says 2 "is not NAME=VPORT" "$flow" import --port "$i" "$scratch/ports"
done
echo 'send switch from vf0 ipv4 to vf1' >"$scratch/ports"
check "... of export, too" says 0 'dev eth1 .* dev pf0vf1' "$flow" export --to tc --port eth1=vf0 "$scratch/ports"
jexport() {
	"$flow" export --json --to testpmd "$1" 2>/dev/null | jq -e '(.commands | length) == 2 and .left_out[0].line == 2'
}
check "... and in JSON" jexport "$scratch/own"
check "export to a tool that is none" says 2 'not "frob"' "$flow" export --to frob "$scratch/own"

# texts DIALECT: the texts of the rows, each ended by a line "=".
texts() {
	awk -v of="$1" '/^@ /{on = $2 == of; next} on {print} /^=$/{on = 0}' "$rows"
}

# In a network namespace of its own, where nobody is root.
alone() {
	unshare -Urn "$@"
}

# tc parses a filter before it asks the kernel, which may lack filters or the queueing discipline.
tc_parses() {
	sed -n 's/\(redirect\|mirror\) dev [a-z0-9_]*/\1 dev lo/g; s/^tc filter add dev [a-z0-9_]* \(ingress\|parent\) /tc filter add dev lo \1 /p' \
		"$1" >"$scratch/tc.sh"
	[ -s "$scratch/tc.sh" ] && ! alone sh "$scratch/tc.sh" 2>&1 | grep -E '^(What is|Illegal|Unknown|bad|Usage|Command line|Bad)'
}
if command -v tc >/dev/null && alone true 2>/dev/null; then
	texts tc | grep -v -e dst_ipp -e 'dst_ip$' -e eighty -e 'police conform' -e 'police rate$' -e '1mbit pkts' -e 'priority$' -e '"3 count"' \
		-e frob -e 'redirect index' -e 'dev$' -e 'src_ip$' -e 'set id 7' -e 'id 0x2a' >"$scratch/filters"
	check "tc parses the filters of the rows" tc_parses "$scratch/filters"
	printf '%s\n' 'drop in udp dst port 53,1000-2000' 'drop in svlan 7 vlan 9 pcp 3 ipv6 icmp6 type 128' 'drop in mpls 7 tc 1' \
		'pass in vlan 7 ipv4 tcp dst port 80 pop vlan set eth dst 02:00:00:00:00:01 ipv4 dst 192.0.2.7 tcp dst port 8080' \
		'pass in vlan 7 ipv4 push vlan 9 pcp 1' \
		'pass in untagged ipv6 dec ttl' 'drop in eth src 02:00:00:00:00:00/02:00:00:00:00:00 ipv4 tos 0x10/0xfc ttl 1 nofrag' \
		'send switch from vf0 ipv4 dst 10.0.0.7 to uplink' 'drop in ipv4 tcp flags syn,!ack' 'drop in ipv4 ttl 0x40/0xc0' 'pass in vlan 7 ipv4 set dscp af41' >"$scratch/rules"
	"$flow" export --to tc "$scratch/rules" >"$scratch/exported"
	check "tc parses what export writes" tc_parses "$scratch/exported"
else
	skip "tc parses the filters of the rows" "no tc, or no user namespaces"
fi

# Rules of iptables-save, or commands as such. Sets and chains that are not there are not iptables' own mistakes.
ipt_parses() {
	{
		echo '*filter'
		texts "$1" | sed -n 's/^\(sudo \)*ip6*tables -A/-A/; /^-A INPUT .* -j [A-Z]*/p' | grep -v -e NOSUCHCHAIN -e --match-set -e 'p 300' \
			-e '-i lo' -e ' LED ' -e cgroup -e ' -j DNAT'
		echo COMMIT
	} >"$scratch/ipt"
	alone "$2" --test <"$scratch/ipt" 2>"$scratch/ipt.err" || grep -qE 'Permission|Operation not|Protocol not|kernel' "$scratch/ipt.err" ||
		{ cat "$scratch/ipt.err"; return 1; }
}
for i in iptables ip6tables; do
	if command -v $i-restore >/dev/null && alone true 2>/dev/null; then
		check "$i-restore takes the rules of the rows" ipt_parses $i $i-restore
	else
		skip "$i-restore takes the rules of the rows" "no $i-restore, or no user namespaces"
	fi
done

# Each ruleset of the rows alone; those that name a set that is not there are for the reason `sets`.
nft_parses() {
	texts nft | awk -v dir="$scratch" 'BEGIN {n = 0} /^=$/ {close(dir "/nft" n); n++; next} {print > (dir "/nft" n)}'
	for f in "$scratch"/nft[0-9]*; do
		! grep -q -e '@allowed' -e '^nft ' -e '^add ' -e 'device' "$f" || rm "$f"
	done
	# The inner shell expands these.
	# shellcheck disable=SC2016
	! alone sh -c 'for f; do nft -c -f "$f" 2>&1; done' sh "$scratch"/nft[0-9]* | grep -E 'syntax error|unknown|Could not resolve'
}
if command -v nft >/dev/null && alone true 2>/dev/null; then
	check "nft takes the rulesets of the rows" nft_parses
else
	skip "nft takes the rulesets of the rows" "no nft, or no user namespaces"
fi
plan
