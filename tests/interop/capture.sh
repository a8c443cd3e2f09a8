#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that what dvx-sim captures is what Wireshark takes for RoCE: every packet of ibv_rc_pingpong
# (RoCE v1, v2 over IPv6 and IPv4), ibv_ud_pingpong and perftest is dissected without a complaint, with good checksums
# and, by an independent computation, good ICRCs.
. "$(dirname "$0")/pair.sh"
here=$(dirname "$0")

if ! command -v tshark >/dev/null; then
	echo "1..0 # SKIP tshark is not installed: nobody looked at the captured packets"
	exit
fi
raw_verbs=$top_builddir/tests/verbs/raw_verbs
[ -x "$raw_verbs" ] || { echo "Bail out! $raw_verbs was not built: make check TESTS=tests/interop/capture.sh"; exit 1; }
long=${DVX_TEST_LONG:+1}
# Programs whose packets are like another one's: check long has them.
long() { [ -z "$long" ] || "$@"; }
plan $((30 + 8 * ${long:-0}))

# Without --foreground, timeout sends a SIGCONT behind its SIGTERM, which takes a pending SIGSTOP away: that
# of the leak sanitizer, which a program that has just ended would wait for for ever.
start()
{
	mkfifo "$dir/told"
	timeout --foreground "$bound" "$sim" capture "$chip" "$dir/cap.pcap" 2>"$dir/told" &
	capture=$!
	exec 4<"$dir/told"
	rm "$dir/told"
	read -r line <&4
}

stop()
{
	kill -TERM "$capture"
	wait "$capture"
	cat <&4
	exec 4<&-
}

# A zero UDP checksum over IPv6 is RoCE's way; a note (severity below warning) is no complaint; and a
# message's bytes are the programs', not one of the protocols that tshark guesses from a few of them:
# perftest's are random, of 20,000 such UDP payloads it took 104 for (malformed) RTCP.
raw_port=40001
guesses="-d udp.port==$raw_port,data --disable-heuristic eth_over_ib"
for protocol in smc smb_direct rpcordma nvme-rdma lnet iser infiniband_sdp fcoib infiniband.eoib drbd; do
	guesses="$guesses --disable-protocol $protocol"
done

dissect()
{
	tshark $guesses -r "$dir/cap.pcap" -o udp.ignore_ipv6_zero_checksum:TRUE -o ip.check_checksum:TRUE \
		-o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE "$@" 2>>"$dir/client"
}

complaints='_ws.malformed || _ws.expert.severity >= 0x600000 || ip.checksum.status == 0 || udp.checksum.status == 0'

# seen KIND OPCODES PROGRAM ARGS...: runs it while captured; looks() will ask for packets of RoCE of that kind with these
# BTH opcodes
programs=0
seen()
{
	programs=$((programs + 1))
	echo "$1|$2" >>"$dir/kinds"
	shift 2
	start
	pair host "$@"
	stop >>"$dir/client" 2>&1
	cp "$dir/cap.pcap" "$dir/$programs.pcap"
}

# Each packet of each program is RoCE, whole, and right: one reading by tshark of all files behind each other.
looks()
{
	# shellcheck disable=SC2046 # words
	/usr/bin/python3 "$here/icrc.py" $(seq -f "$dir/%g.pcap" $programs) | grep -v '^packet' >"$dir/counts"
	# shellcheck disable=SC2046 # words
	mergecap -a -F pcap -w "$dir/cap.pcap" $(seq -f "$dir/%g.pcap" $programs) 2>>"$dir/client"
	dissect -T fields -E separator=/t -E occurrence=a -e frame.number -e infiniband.bth.opcode -e infiniband.invariant.crc \
		-e _ws.malformed -e _ws.expert.severity -e ip.checksum.status -e udp.checksum.status \
		-e eth.dst -e ip.dst -e infiniband.deth.q_key >"$dir/fields"
	from=0 i=0
	while IFS='|' read -r icrc kind opcodes; do
		i=$((i + 1)) all=${icrc#"$kind"=}
		case $all in *[!0-9]*) all=0 ;; esac # of another kind, or wrong
		awk -F '\t' -v from="$from" -v all="$all" -v opcodes="$opcodes" '
			NR <= from || NR > from + all { next }
			{ packets++; worst = 0; many = split($5, severity, ","); for (i = 1; i <= many; i++) if (severity[i] + 0 > worst) worst = severity[i] + 0 }
			$2 != "" && $3 != "" { roce++; found[$2] }
			$4 != "" || worst >= 6291456 || $6 ~ /0/ || $7 ~ /0/ { print; bad = 1 }
			END {
				n = split(opcodes, op, " ")
				for (i = 1; i <= n; i++) if (!(op[i] in found)) { print "no BTH opcode " op[i]; bad = 1 }
				print packets " packets, " roce " RoCE"
				exit bad || !packets || packets != roce
			}' "$dir/fields" >"$dir/server"
		bad=$?
		result "$bad" "program $i: its packets are RoCE ($kind), without a complaint; ICRCs: $icrc"
		from=$((from + all))
	done <<-END
		$(paste -d '|' "$dir/counts" "$dir/kinds")
	END
	[ "$(wc -l <"$dir/fields")" = "$from" ]
	result $? "no packet is left"
}

# opcodes: 0 to 4 SEND first, middle, last, only (4); 6 to 10 WRITE; 12 READ request, 13 to 16 its responses; 17 ACK;
# 18 AtomicAck, 19 CmpSwap, 20 FetchAdd
seen GRH "0 1 2 17" ibv_rc_pingpong -g 0 -n 20 -s 4097
seen IPv6 "0 2 17" ibv_rc_pingpong -g 1 -n 20 -s 2047 -m 1024
seen IPv4 "4 17" ibv_rc_pingpong -g 3 -n 20 -s 1
long seen IPv4 "4 17" ibv_rc_pingpong -g 3 -n 20 -s 2 -e
seen IPv4 "6 7 8 17" ib_write_bw -x 3 -n 20 -s 65533
seen IPv6 "10 17" ib_write_lat -x 1 -n 20 -s 3
seen IPv4 "12 13 14 15" ib_read_bw -x 3 -n 20 -s 20001
seen IPv6 "12 16" ib_read_lat -x 1 -n 20 -s 7
long seen IPv6 "0 1 2 17" ib_send_bw -x 1 -n 20 -s 30002
long seen IPv4 "4 17" ib_send_lat -x 3 -n 20 -s 100
seen IPv6 "18 19" ib_atomic_lat -x 1 -n 20 -A CMP_AND_SWAP
seen IPv4 "18 20" ib_atomic_bw -x 3 -n 20 -A FETCH_AND_ADD

# Datagrams: 100 SEND only, 101 with immediate data; a group's packets go to its MAC address.
seen GRH "100" ibv_ud_pingpong -g 0 -n 20 -s 33
seen IPv6 "100" ib_send_lat -x 1 -n 20 -s 1001 -c UD
long seen IPv4 "100" ib_send_bw -x 3 -n 20 -s 4096 -c UD
seen IPv4 "100" ib_send_bw -x 3 -n 20 -s 7 -c UD -g -M 0:0:0:0:0:0:0:0:0:0:255:255:239:129:2:3
looks
awk -F '\t' '$8 == "01:00:5e:01:02:03" && $9 == "239.129.2.3" && $10 ~ /^0x0*11111111$/' "$dir/fields" >"$dir/group"
[ "$(wc -l <"$dir/group")" -ge 20 ]
result $? "the last one's go to the group's addresses, with the Q_Key"

# Raw packets: those of a file come out of the wire as they went in, so tshark says the same of both.
start
timeout "$bound" "$sim" replay "$chip" "$top_srcdir/examples/traffic/traffic.pcap" >"$dir/server" 2>&1
stop >"$dir/client" 2>&1
words() { tshark -r "$1" -T fields -e frame.len -e frame.protocols -e ip.src -e ip.dst -e _ws.col.Info 2>>"$dir/client"; }
words "$top_srcdir/examples/traffic/traffic.pcap" >"$dir/in"
words "$dir/cap.pcap" >"$dir/out"
diff "$dir/in" "$dir/out" >>"$dir/client" && [ "$(wc -l <"$dir/in")" = 521 ]
result $? "raw packets of real traffic: dissected as before"

# ... and those that a program of perftest's sends by a raw packet queue pair.
if command -v raw_ethernet_bw >/dev/null; then
	start
	timeout "$bound" "$sim" exec "$chip" -- raw_ethernet_bw $any_clock --client -d mlx5_0 -n 100 -s 202 \
		-B 02:d7:00:00:00:01 -E 02:d7:00:00:00:02 -j 10.0.0.1 -J 10.0.0.2 -k 40000 -K $raw_port >"$dir/server" 2>&1
	stop >"$dir/client" 2>&1
	[ "$(dissect -Y "udp && eth.src == 02:d7:00:00:00:01 && eth.dst == 02:d7:00:00:00:02 &&
		!($complaints)" | wc -l)" = 100 ]
	result $? "raw_ethernet_bw: 100 packets without a complaint"
else
	n=$((n + 1))
	echo "ok $n - raw_ethernet_bw # SKIP it is not installed"
fi

# Checksums and VLAN tags that the device fills in: a program of ours asks for them in some packets and
# leaves zeros in others, which are the program's.
start
timeout "$bound" "$sim" exec "$chip" -- "$raw_verbs" >"$dir/server" 2>&1
stop >"$dir/client" 2>&1
dissect -T fields -E separator=/t -e ip.checksum.status -e ip.checksum -e udp.checksum.status -e udp.checksum \
	-e ip.id -e tcp.seq_raw -e tcp.len -e tcp.flags -e tcp.checksum.status -e tcp.analysis.flags >"$dir/fields"
good=$(awk -F '\t' '$1 == 1 && $3 == 1' "$dir/fields" | wc -l)
awk -F '\t' '($1 == 0 && $2 !~ /^0x0*$/) || ($3 == 0 && $4 !~ /^0x0*$/)' "$dir/fields" >"$dir/complaints"
cat "$dir/complaints" >>"$dir/client"
[ ! -s "$dir/complaints" ] && [ "$good" -ge 100 ]
result $? "checksums that the device filled in: $good packets, all right"
# Of a large send, tshark takes the parts for one TCP stream: nothing missing, nothing twice.
awk -F '\t' -v id=1 -v seq=256 '$6 == "" || $10 != "" { next }
	{ n++; if (hex($5) != id++ || $6 != seq || $9 != 1) bad = 1; seq += $7; flags = flags $8 " " }
	function hex(x, i, v) { for (i = 3; i <= length(x); i++) v = v * 16 + index("0123456789abcdef", substr(x, i, 1)) - 1; return v }
	END { print n " parts of " seq - 256 " bytes: " flags; exit bad || n != 6 || seq != 256 + 5333 ||
		flags != "0x0010 0x0010 0x0010 0x0010 0x0010 0x0019 " }' "$dir/fields" >>"$dir/client"
result $? "a large send is a TCP stream in tshark's eyes"
exit "$failed"
