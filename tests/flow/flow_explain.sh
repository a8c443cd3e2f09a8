#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dvx-flow explain and dump on dumps of files: which entries a packet meets and which field decides,
# in both formats of entries; and what is said of files that are broken.
flow=${top_builddir:?}/tools/dvx-flow/dvx-flow
dumps=${top_srcdir:?}/tests/golden/dumps
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch

# says CODE WHAT WANTED... -- ARGS: exit code, and each wanted line in what is said
says() {
	code=$1 what=$2
	shift 2
	: >"$tmp/want"
	while [ "$1" != -- ]; do
		echo "$1" >>"$tmp/want"
		shift
	done
	shift
	timeout 300 "$flow" "$@" >"$tmp/out" 2>&1
	rc=$? ok=0
	[ $rc -eq "$code" ] || { ok=1; echo "# exit code $rc, wanted $code"; }
	while read -r line; do
		grep -qF -- "$line" "$tmp/out" || { ok=1; echo "# missing: $line"; }
	done <"$tmp/want"
	report $ok "$what"
}

v0=$dumps/steering_v0.csv v1=$dumps/steering_v1.csv
says 0 "format 0: a hit, its fields and the rule's actions" \
	"entry 0x3800000800 (ETHL2_DST_O) hits: ip version 4" \
	"hits: ipv4 dst 10.0.1.0/24, dst port 80, proto tcp" "=> rule 0xc000: counter 0x8011fe, drop" \
	-- explain --dump "$v0" "in ipv4 dst 10.0.1.9 tcp dst port 80"
says 0 "format 0: behind a collision, the field that decided" \
	"misses: it wants dst port 80, the packet has 443" "tag 0x7, to QP 0x12" \
	-- explain --dump "$v0" "in ipv4 dst 10.0.1.9 tcp dst port 443"
says 0 "format 0: on to another table" "table 0xa100 of level 2" "rewrites headers, drop" \
	-- explain --dump "$v0" "in ipv4 dst 10.0.2.1 tcp dst port 80"
says 0 "format 0: an address that is another" \
	"misses: it wants ipv4 dst 10.0.1.0/24, the packet has 10.0.4.1" "no rule takes it: it is dropped" \
	-- explain --dump "$v0" "in ipv4 dst 10.0.4.1 tcp dst port 80"
says 0 "format 1: libmlx5's dump of dvx-flow's rules" "hits: dst port 53, proto udp" ": drop" \
	-- explain --dump "$v1" "in ipv4 udp dst port 53"
says 0 "format 1: a range is one again" \
	"hits: ipv4 src 10.0.0.0/8, dst port 80-95, proto tcp" \
	-- explain --dump "$v1" "in ipv4 src 10.9.8.7 tcp dst port 80"
says 0 "a field that was not given is named" "which was not given" \
	-- explain --dump "$v1" "in ipv4 tcp dst port 80"
says 0 "format 1: a tag and where it leads" "tag 0x7" "to the TIR at 0x9000000080" \
	-- explain --dump "$v1" "in ipv4 src 10.1.2.3 tcp dst port 443"
says 0 "format 1: VLAN tags and ICMPv6 types" "hits: vlan 0x8100, vlan id 5" \
	-- explain --dump "$v1" "in vlan 5 ipv6"
says 0 "a packet in a tunnel is shown with the one inside" \
	"packet in: ipv4 1.2.3.4 > 5.6.7.8 udp ? > 6081, inside ipv6 ? > fe80::1 tcp ? > 80" \
	-- explain --dump "$v1" "in ipv4 src 1.2.3.4 dst 5.6.7.8 geneve 9 inner ipv6 dst fe80::1 tcp dst port 80"
says 0 "JSON has the same sentences" '"hit": true' '"field": "dst port"' '"end": "rule"' \
	-- explain --json --dump "$v0" "in ipv4 dst 10.0.1.9 tcp dst port 443"
says 0 "a file of packets, summed up" "packets  first one  taken by" ": drop" \
	-- explain --dump "$v1" "$top_srcdir/examples/traffic/traffic.pcap"
grep -v '^3[34]' "$v1" >"$tmp/bare.csv"
says 0 "a file of packets and tables without rules" "521           1  no rule: the default way" \
	-- explain --dump "$tmp/bare.csv" "$top_srcdir/examples/traffic/traffic.pcap"
says 0 "one of its packets" "packet 12 in:" "table 0x" "=> rule" \
	-- explain --dump "$v1" --packet 12 "$top_srcdir/examples/traffic/traffic.pcap"
says 3 "a packet that is not in the file" "has 521 packets, no number 522" \
	-- explain --dump "$v1" --packet 522 "$top_srcdir/examples/traffic/traffic.pcap"
says 0 "entries field by field" "entry_sub_type=ETHL3_IPV4_5_TUPLE_O(0x11)" \
	"tag  ste_eth_l3_ipv4_5_tuple destination_address=0xa000100 destination_port=0x50 protocol=0x6" \
	"hit -> 0x3800001000 (4 entries), miss -> 0x3800000480" -- dump --ste --dump "$v0"
says 0 "entries of format 1 with their actions" "ste_single_action_flow_tag_v1 action_id=FLOW_TAG(0xc) flow_tag=0x7" \
	-- dump --ste --dump "$v1"
says 0 "without --ste it is the library's own text" "3303," -- dump --dump "$v1"
says 3 "no table for packets that go out" "has no first table for outgoing packets" \
	-- explain --dump "$v0" "out ipv4"
says 2 "words that are no packet" "the packet, column 13: an IPv4 address" -- explain --dump "$v1" "in ipv4 dst 10.0.0"
says 2 "two packets" "the packet, column 9: expected" -- explain --dump "$v1" "in ipv4
drop in ipv6"
says 2 "no packet at all" "a packet is written like this: ipv4 dst" -- explain --dump "$v1" ""
says 0 "words without quotes and without a direction come in" "packet in (the default direction): ipv4 udp ? > 53" \
	"hits: dst port 53, proto udp" -- explain --dump "$v1" ipv4 udp dst port 53
says 3 "the other direction as an option" "has no first table for outgoing packets" \
	-- explain --dump "$v0" --out ipv4
says 2 "a mistake's column counts the words" "the packet, column 10: an IPv4 address" -- explain --dump "$v1" ipv4 dst 10.0.0
# Entries of every lookup type (line 127: layer 4 misc) are read without their matcher when a second table is there.
{ cat "$v1"; printf '3100,0x999,%s,0,2\n3101,0x999,0x400000ff\n' "$(sed -n '1s/^3000,\(0x[0-9a-f]*\),.*/\1/p' "$v1")"; } >"$tmp/two.csv"
says 0 "a dump of two tables" "=> rule" -- explain --dump "$tmp/two.csv" ipv4 dst 1.2.3.4
# The queue's address 0x9000000080 is index 0x40000002 in a dump, as that of a table at 0x1000000080.
sed 's/0x400000ff$/0x40000002/' "$tmp/two.csv" >"$tmp/alias.csv"
says 0 "a queue with the index of a table" "to the TIR at 0x9000000080" \
	-- explain --dump "$tmp/alias.csv" "in ipv4 src 10.1.2.3 tcp dst port 443"
# 30 of 54 bytes of a TCP packet, as a small snap length leaves them.
"${PERL:-perl}" -e 'print pack("VvvlVVV", 0xa1b2c3d4, 2, 4, 0, 0, 30, 1), pack("VVVV", 1, 0, 30, 54), pack("H60", "02d7000000010200000000090800" . "45000028000000004006000001020304")' >"$tmp/cut.pcap"
says 0 "a packet that was cut is reported" "1 packet was cut when it was captured" -- explain --dump "$v1" "$tmp/cut.pcap"
says 0 "one of a file, too" "the capture cut it (30 of 54 bytes)" -- explain --dump "$v1" --packet 1 "$tmp/cut.pcap"
says 3 "no such file" "No such file" -- explain --dump "$tmp/none" "in ipv4"
says 3 "no such packet file" "none.pcap: No such file" -- explain --dump "$v1" "$tmp/none.pcap"
says 3 "a file that is no packet file" "README.md" -- explain --dump "$v1" "$top_srcdir/README.md"

broken() { # LINE WANTED NAME: the dump of format 0 with a line changed
	sed "$1" "$v0" >"$tmp/broken"
	says 3 "$3" "$tmp/broken:$2" -- explain --dump "$tmp/broken" "in ipv4"
}
: >"$tmp/broken"
says 3 "an empty dump" "no domain" -- explain --dump "$tmp/broken" "in ipv4"
broken '4s/.*/hello/' "4: a record begins with its type" "a line that is none"
broken '1d' "2: capabilities (3004) before any domain" "no domain"
broken '4s/0x1200/0x1300/' "4: table 0xa000 is of domain 0x1300" "a table of another domain"
broken '7s/,00/,zz/' "7: part 1 of a mask is no hexadecimal" "a mask with other letters"
broken '12s/..$//' "12: an entry (3301) has 94 hexadecimal digits" "an entry cut short"
broken '12s/0xc000/0xc009/' "12: an entry (3301) of a rule that is not the one before it" "an entry of nobody"
broken '9s/0x6/99999/' "9: a builder (3204) needs a side and a lookup type" "a lookup type too large"
broken '12s/0xe0000020/0x1e0000020/' "12: an entry (3301) needs an index of 32 bits" "an index too large"
sed '$a 9999,1,2' "$v0" >"$tmp/broken"
says 0 "records of a later library are left out, with a sentence" "a record of an unknown type" \
	-- explain --dump "$tmp/broken" "in ipv4 dst 10.0.1.9 tcp dst port 80"
# rdma-core 65 names the entries' format, and a rewrite's pattern with its actions.
r=$(sed -n 's/^3300,\(0x[0-9a-f]*\),.*/\1/p' "$v1" | head -n 1)
sed -e '1s/$/,1/' -e "/^3403,[^,]*,$r/i 3402,0xabc0,$r,0x1,0,0x2,0x10,0x20,0x1234567800000000,0x1234567800000001" "$v1" >"$tmp/broken"
says 0 "the words of rdma-core 65" "rewrites headers, drop" \
	-- explain --dump "$tmp/broken" "in ipv6 udp dst port 53"
# Hardware steering, as libdvx dumps it: entries by their key and their templates.
hws=$dumps/steering_hws.csv
says 0 "hardware steering: a hit, and a rewrite in a template" "(by hash) hits: ip version 4, ipv4 dst 10.0.0.8; changes ttl 64 -> 63" \
	"(by index) only acts; changes vlan none -> 7 pcp 3" -- explain --dump "$hws" ipv4 dst 10.0.0.8 ttl 64
says 0 "hardware steering: entries field by field" "by libdvx" "stc modify_field_select=0x1" "ste_action_offset=0x3" \
	-- dump --ste --dump "$hws"
sed '/^3206/a 3204,0x1,1,0x6' "$hws" >"$tmp/broken"
says 3 "hardware steering: a key and a builder" "a builder (3204) of a matcher with a key (3206)" -- explain --dump "$tmp/broken" ipv4
sed 's/^3206,\([^,]*\),[0-9]*/3206,\1,25/' "$hws" >"$tmp/broken"
says 3 "hardware steering: too many rows" "a key (3206) needs log2 of rows (to 24)" -- explain --dump "$tmp/broken" ipv4
sed 's/^3207,\([^,]*\),128,/3207,\1,8000,/' "$hws" >"$tmp/broken"
says 1 "hardware steering: a field that explain does not know" "compares fields that explain does not know" -- explain --dump "$tmp/broken" ipv4
# A label with the bottom bit behind port 6635, no IP behind it, and a checksum that is VXLAN's port.
"${PERL:-perl}" -e 'my $f = pack("H*", "02d7000000010200000000090800" . "4500003a000000004011000001020304050607080001" . "19eb002612b5" . "00001140" . "00" x 8 . "02" x 30);
	print pack("VvvlVVV", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1), pack("VVVV", 1, 0, length $f, length $f), $f' >"$tmp/label.pcap"
says 0 "labels over UDP without IP behind them are no VXLAN" "udp 1 > 6635" -- explain --dump "$v1" --packet 1 "$tmp/label.pcap"
! grep "inside" "$tmp/out"
report $? "... whatever the checksum is"
# dvx-flow's rules that change packets, as rdma-core 44 dumps them: without the lists of rewrites.
change=$dumps/steering_change.csv
says 0 "a list of rewrites that the dump lacks" "=> rule 0x" \
	"; headers are rewritten by a list that the dump does not have: what changes is not known" \
	-- explain --dump "$change" ipv4 dst 10.0.0.9 tcp dst port 80
says 0 "a rewrite and a tag that are in the entries" "=> rule" "the packet changes: vlan none -> 7 pcp 3, ttl 64 -> 63" \
	-- explain --dump "$change" ipv4 dst 10.0.0.8 ttl 64
says 0 "no more than the words say" "the packet changes: vlan none -> 7 pcp 3, ttl ? -> ?" \
	-- explain --dump "$change" ipv4 dst 10.0.0.8
says 0 "what changes as JSON" '"after": "7 pcp 3"' '"before": "64"' '"unknown_changes": false' \
	-- explain --json --dump "$change" ipv4 dst 10.0.0.8 ttl 64
# rdma-core 46 and later write the list, as entries have it, and the entries' format.
sed -e '1s/$/,1/' -e 's/^\(3402,.*\),0$/\1,0,0x2,0x0,0x0,0x06412000c0000207,0x0618201000001f90/' "$change" >"$tmp/list.csv"
says 0 "the lists of rdma-core 46" "the packet changes: ipv4 dst 10.0.0.9 -> 192.0.2.7, dst port 80 -> 8080" \
	-- explain --dump "$tmp/list.csv" ipv4 dst 10.0.0.9 tcp dst port 80
sed 's/,0x2,0x0,0x0,0x0641/,0x3,0x0,0x0,0x0641/' "$tmp/list.csv" >"$tmp/short.csv"
says 3 "a list that is cut short" "a rewrite (3402) of 3 fields has 2 of them" -- explain --dump "$tmp/short.csv" ipv4
sed '/,0xc002,/s/f3800000c20000000000000000000001200/f3800000c20000000000000000040001200/' "$v0" >"$tmp/pop.csv"
says 0 "format 0: a tag is popped before the next table" "changes vlan 5 pcp 3 -> none" "table 0xa100 of level 2" \
	"=> rule 0xc100: rewrites headers, drop; the packet changes: vlan 5 pcp 3 -> none" \
	-- explain --dump "$tmp/pop.csv" vlan 5 pcp 3 ipv4 dst 10.0.2.1 tcp dst port 80
says 1 "format 0: a tag that the packet lacks cannot be popped" "removes a VLAN tag, and the packet was given without one" \
	-- explain --dump "$tmp/pop.csv" ipv4 dst 10.0.2.1 tcp dst port 80
# What the library's memory of a mask looked like, word by word: compiled from the structs of rdma-core 28, 33 and 36.
zero=00000000
l3="$zero$zero$zero${zero}000800ff$zero" # ip_version 4, ip_protocol
dst="$zero$zero$zero$zero$zero$zero$zero${zero}00ffffff"
udp28="${l3}00ffff00$dst" udp36="${l3}0000ffff$dst"
misc28="${zero}ffff0000ff0f000008000000$zero$zero${zero}ffff0f00$zero$zero$zero"
misc3="$zero$zero$zero$zero$zero$zero$zero${zero}000000ff$zero$zero"
sed -e "7s/.*/3201,0xb000,$udp28,,,,/" -e 's/^3407,\(.*\),\(.*\),/3407,,\1,\2/' "$v0" >"$tmp/old"
says 0 "rdma-core 28: no reserved fields in masks, a comma of a tag misplaced" "hits: ipv4 dst 10.0.1.0/24, dst port 443" \
	"tag 0x7, to QP 0x12" -- explain --dump "$tmp/old" "in ipv4 dst 10.0.1.9 tcp dst port 443"
sed -e "7s/.*/3201,0xb000,$udp36,,,,,,/" -e 's/^3204.*/&,-1/' "$v0" >"$tmp/old"
says 0 "rdma-core 36: more fields, and definers behind builders whose number lacks a comma" \
	"hits: ipv4 dst 10.0.1.0/24, dst port 80" -- explain --dump "$tmp/old" "in ipv4 dst 10.0.1.9 tcp dst port 80"
sed 's/^3204,\(0x....\)\(.\),/3204,\1,\2,/' "$v0" >"$tmp/old"
says 0 "the kernel: builders without a definer" "hits: ipv4 dst 10.0.1.0/24, dst port 80" \
	-- explain --dump "$tmp/old" "in ipv4 dst 10.0.1.9 tcp dst port 80"
sed "7s/.*/3201,0xb000,,,$misc28,,$misc3/" "$v0" >"$tmp/old"
says 0 "rdma-core 28: the other parts of masks" \
	"of priority 0: second vlan, second vlan id, flowlabel, icmp type, source vhca" -- dump --ste --dump "$tmp/old"
# A rule on vport 1, which is vhca 2; the wire is vport 0xffff and vhca 0.
ip6="$zero$zero$zero${zero}00003000$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero"
dom=$(sed -n 's/^3000,\(0x[0-9a-f]*\),.*/\1/p' "$v1")
sed -e "28s/,[0-9a-f]\{128\},.*/,$ip6,,${zero}0000ffff$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero,,,,/" \
	-e '30s/0x3/0x104/' -e '31s/0x9/0x3/' -e '33s/.\{32\}$/00010002000000000000000000000000/' \
	-e '34s/.\{32\}$/00200000000000000000000000000000/' -e "1a 3003,$dom,0,0x1,0x0,0x0\n3003,$dom,1,0x2,0x0,0x0" "$v1" >"$tmp/vport"
says 0 "a vport is the vhca that the dump says" "hits: looped back yes, source vhca 0x2" ": drop" -- explain --dump "$tmp/vport" "in ipv6 vport 1"
says 0 "another one" "misses: it wants source vhca 0x2, the packet has 0x1" -- explain --dump "$tmp/vport" "in ipv6 vport 0"
says 0 "the wire" "misses: it wants looped back yes, the packet has no" -- explain --dump "$tmp/vport" "in ipv6 vport 0xffff"
says 1 "a vport that the dump does not have" "does not say which VHCA vport 9 is" -- explain --dump "$tmp/vport" "in ipv6 vport 9"
# In an FDB a rule has entries of both sides: the last of each acts.
sed -e '1s/,0,00,/,2,00,/' -e '5a 3102,0xa000,0xf0000010' -e '10a 3203,0xb009,0xb000,2,0xf0000020,0xf0000012\n3204,0xb0000,0,0x6\n3204,0xb0001,0,0x11' \
	-e '12h;13{p;x;s/^3301,0xe/3302,0xf/p;x;s/^3301,0xe/3302,0xf/}' "$v0" >"$tmp/old"
says 0 "an FDB: the last entry of a rule's side acts" '"acts": true' '"end": "rule"' \
	-- explain --json --dump "$tmp/old" "in ipv4 dst 10.0.1.9 tcp dst port 80"
# A sample of the flex parser (misc4), which no field here stands for: nothing may be said to hit it.
sample=ffffffff$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero
sed -e "28s/,[0-9a-f]\{128\},.*/,$zero$zero$zero${zero}00003000$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero$zero,,,,,$sample,/" \
	-e '31s/0x9/0x111/' "$v1" >"$tmp/old"
says 1 "bits of an unknown field are not said to hit" "the fields that the entry of line 32 compares are not in the dump, or unknown" \
	-- explain --dump "$tmp/old" "in ipv6 udp dst port 53"
# The second table's rule leads back to the first.
sed -e 's/^\(3301,0xe0000032,.*0f\)00000016a0/\13800000420/' -e 's/^3403,0xf000,0xc100/3405,0xf000,0xc100,0x4f,0xa000/' "$v0" >"$tmp/broken"
says 1 "tables that lead in a circle" "lead in a circle" \
	-- explain --dump "$tmp/broken" "in ipv4 dst 10.0.2.1 tcp dst port 80"
plan
