#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Prints a TCP segment's frame in hexadecimal digits, with right checksums.
#   track_frame.pl VERSION FROM TO SPORT DPORT SEQ ACK FLAGS WINDOW [OPTIONS [BYTES]]
# FROM and TO are the last byte of the addresses, FLAGS letters of FSRPA, OPTIONS hexadecimal digits.
use strict;
use warnings;

my ($version, $from, $to, $sport, $dport, $seq, $ack, $letters, $window, $options, $bytes) = @ARGV;
my %flag = (F => 1, S => 2, R => 4, P => 8, A => 16);
my $flags = 0;
$flags |= $flag{$_} for split //, $letters;

sub checksum {
	my ($data, $sum) = (shift, 0);
	$sum += $_ for unpack 'n*', length($data) % 2 ? "$data\0" : $data;
	$sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
	return pack 'n', ~$sum & 0xffff;
}

my @address = map { $version == 6 ? pack 'H30 C', 'fd' . '0' x 28, $_ : pack 'C4', 10, 0, 0, $_ } $from, $to;
my $more = pack 'H*', $options // '';
my $tcp = pack('nnNNCCnnn', $sport, $dport, $seq, $ack, (20 + length $more) / 4 << 4, $flags, $window, 0, 0) .
	$more . 'x' x ($bytes || 0);
substr($tcp, 16, 2) = checksum(join('', @address) . pack('NN', length $tcp, 6) . $tcp);
my $ip = $version == 6 ? pack('NnCC', 6 << 28, length $tcp, 6, 64) . join('', @address)
	: pack('CCnnnCCn', 0x45, 0, 20 + length $tcp, 1, 0, 64, 6, 0) . join('', @address);
substr($ip, 10, 2) = checksum($ip) if $version == 4;
my $macs = pack 'H12 H12', map { sprintf '02d70000%04x', $_ } $to, $from;
print unpack('H*', $macs . pack('n', $version == 6 ? 0x86dd : 0x800) . $ip . $tcp), "\n";
