#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that each folder with sources has a row here, and includes only what the row allows
# (doc/design/0001, CONTRIBUTING.md).
use strict;
use warnings;

my $top = $ENV{top_srcdir} // '.';

# Folder (or one file with rules of its own) => what it may include besides itself and the C
# library: a folder, one of its headers, or DIR/* for all below. "ext:" are headers from outside, by
# pattern.
my @rdma = ('ext:infiniband/', 'ext:rdma/');
my @kernel = ('src/uverbs', 'src/sim/base', 'src/sim/fw', 'src/sim/host', (map {"src/sim/obj/$_.h"} qw(device vhca gid limits rep)), 'include/dvx/prm', 'ext:rdma/');
my %may = (
	'include/dvx' => ['include/dvx/prm'],
	'include/dvx/prm' => [],
	'src/prm' => ['include/dvx/prm'],
	'src/lib' => ['include/dvx', 'include/dvx/prm', 'src/prm', @rdma, 'ext:numa'],
	# The API knows no mlx5dv_dr: dr.c has all calls (doc/design/0068).
	'src/lib/flow' => ['src/lib/priv.h', 'include/dvx', 'include/dvx/prm', 'src/prm'],
	'src/lib/flow/dr.c' => ['src/lib/flow', 'include/dvx/prm', 'ext:infiniband/mlx5dv.h'],
	'src/lib/hws' => ['src/lib/flow', 'include/dvx', 'include/dvx/prm', 'src/prm', 'ext:uthash', 'ext:infiniband/mlx5dv.h'],
	# A file's format, its writer and its reader: of the device, of programs, of dvx-sim.
	'src/record' => ['include/dvx/prm'],
	# It stands between a program and libibverbs, and needs nothing of dvx but a file's format.
	'src/check' => ['src/record', 'ext:infiniband/'],
	'src/sim/base' => ['src/prm', 'ext:uthash'],
	'src/sim/base/xts.c' => ['src/sim/base/*', 'ext:nettle/'],
	'src/sim/host' => ['src/sim/base'],
	'src/sim/obj' => ['src/sim/base', 'src/sim/host/mem.h', 'include/dvx/prm', 'src/prm', 'ext:utlist'],
	'src/sim/port' => ['src/sim/base', 'src/sim/obj', 'ext:utlist'],
	'src/sim/steer' => ['src/sim/steer/rules/rules.h', 'src/sim/steer/ste/ste.h', 'src/sim/steer/aso/aso.h', 'src/sim/base', 'src/sim/obj',
		'src/sim/port', 'include/dvx/prm', 'src/prm'],
	'src/sim/steer/ste' => ['src/sim/base', 'src/sim/obj', 'src/sim/steer', 'src/sim/steer/aso', 'include/dvx/prm', 'src/prm'],
	'src/sim/steer/rules' => ['src/sim/base', 'src/sim/obj', 'src/sim/steer', 'src/sim/steer/ste', 'include/dvx/prm', 'src/prm'],
	# A context and a packet: no objects, no walk.
	'src/sim/steer/aso' => ['src/sim/steer/packet.h', 'include/dvx/prm'],
	'src/sim/eswitch' => ['src/sim/base', 'src/sim/obj', 'src/sim/port', 'src/sim/steer'],
	'src/sim/transport' => ['src/sim/base', 'src/sim/obj', 'src/sim/eswitch/eswitch.h', 'src/sim/port', 'src/sim/queue/services.h', 'include/dvx/prm', 'src/prm'],
	'src/sim/transport/rc' => ['src/sim/base', 'src/sim/obj', 'src/sim/transport', 'src/sim/eswitch/eswitch.h', 'src/sim/port', 'src/sim/queue/services.h',
		'include/dvx/prm', 'src/prm'],
	# A connection of DC is RC's, with another owner (doc/design/0038); a target's is a queue that it starts.
	'src/sim/transport/dc' => ['src/sim/base', 'src/sim/obj', 'src/sim/transport', 'src/sim/transport/rc/rc.h', 'src/sim/eswitch/eswitch.h', 'src/sim/port',
		'src/sim/queue/services.h', 'src/sim/queue/queue.h', 'include/dvx/prm', 'src/prm'],
	'src/sim/transport/uc' => ['src/sim/base', 'src/sim/obj', 'src/sim/transport', 'src/sim/eswitch/eswitch.h', 'src/sim/port', 'src/sim/queue/services.h',
		'include/dvx/prm', 'src/prm'],
	'src/sim/transport/ud' => ['src/sim/base', 'src/sim/obj', 'src/sim/transport', 'src/sim/eswitch/eswitch.h', 'src/sim/port', 'src/sim/queue/services.h',
		'include/dvx/prm', 'src/prm'],
	'src/sim/transport/raw' => ['src/sim/base', 'src/sim/obj', 'src/sim/transport', 'src/sim/eswitch/eswitch.h', 'src/sim/port', 'src/sim/queue/services.h', 'src/sim/steer',
		'include/dvx/prm', 'src/prm'],
	'src/sim/queue' => ['src/sim/base', 'src/sim/obj', 'src/sim/host/uar.h', 'src/sim/transport/transport.h',
		'include/dvx/prm', 'src/prm'],
	'src/sim/lab' => ['src/sim/base', 'src/sim/obj', 'src/sim/host/mem.h', 'src/sim/transport/transport.h', 'src/sim/queue/data_seg.h', 'src/sim/fw/cmd.h', 'src/sim/host/uar.h', 'src/record', 'include/dvx/prm', 'src/prm'],
	'src/sim/fw' => ['src/sim/base', 'src/sim/obj', 'src/sim/steer', 'src/sim/steer/rules', 'src/sim/steer/ste/definer.h', 'src/sim/queue/queue.h',
		'src/sim/transport/transport.h', 'include/dvx/prm', 'src/prm'],
	'src/uverbs' => ['ext:rdma/'],
	'src/sim/kernel' => [map("src/sim/kernel/$_", qw(core verbs devx flow)), @kernel],
	'src/sim/kernel/core' => [@kernel],
	# A raw send queue on a representor's port has a rule of mlx5_core.
	'src/sim/kernel/verbs' => ['src/sim/kernel/core', 'src/sim/kernel/flow/fs.h', @kernel],
	# DevX modifies verbs' queues; flows lead to QPs and to TIRs and tables made through DevX.
	'src/sim/kernel/devx' => ['src/sim/kernel/core', 'src/sim/kernel/verbs', @kernel],
	'src/sim/kernel/flow' => [map("src/sim/kernel/$_", qw(core verbs devx)), @kernel],
	# No other room of the kernel: it has files, ids and messages of its own.
	'src/sim/kernel/cm' => ['src/sim/kernel/core', @kernel],
	'src/sim/link' => ['src/uverbs', 'src/sim/base/finding.h', 'src/sim/port/packets.h', 'src/sim/port/fault_rates.h'],
	# The device's files, which the chip writes and the preload shows.
	'src/sim/sysfs' => ['src/sim/base'],
	'src/sim/preload' => ['src/sim/base', 'src/sim/sysfs', 'src/uverbs', 'src/sim/link', 'ext:rdma/'],
	'src/sim/chip' => ['src/sim/*', 'include/dvx/prm', 'src/prm', 'ext:utlist'],
	# --set and --fault are checked with the chip's own rows before a server starts.
	'tools/dvx-sim' => ['tools/dvx-sim/stat/stat.h', 'src/sim/link', 'src/sim/base/inject.h', 'src/check/kinds.h', 'src/sim/obj/profile.h', 'src/sim/port/fault_rates.h', 'tools/cli', 'ext:argp', 'ext:jansson'],
	'tools/dvx-sim/stat' => ['tools/dvx-sim', 'src/sim/link', 'src/sim/base/stat.h', 'src/check/count.h', 'tools/cli', 'ext:jansson'],
	'tools/dvx-sim/record' => ['tools/dvx-sim', 'src/record', 'src/prm/reflect.h', 'include/dvx/prm', 'tools/cli', 'ext:jansson'],
	'tools/dvx-sim/trials' => ['tools/dvx-sim', 'src/sim/base/finding.h', 'src/sim/base/inject.h', 'src/prm/reflect.h', 'tools/cli', 'ext:jansson'],
	'tools/dvx-sim/wire' => ['tools/dvx-sim', 'src/sim/link', 'tools/cli', 'ext:jansson', 'ext:pcap'],
	'tools/dvx-check' => ['src/check/kinds.h', 'src/check/kinds.def', 'tools/cli', 'ext:jansson', 'ext:argp', 'ext:dwarf.h', 'ext:elfutils/'],
	# It runs on a NIC, and knows nothing of the device.
	'tools/dvx-verify' => ['include/dvx', 'include/dvx/prm', 'src/prm', 'tools/cli', 'ext:infiniband/', 'ext:jansson', 'ext:argp'],
	'tools/cli' => ['include/dvx/cmd.h', 'ext:argp', 'ext:jansson'],
	'tools/dvx-prm' => ['src/prm', 'tools/cli', 'ext:jansson', 'ext:argp'],
	'tools/dvx-info' => ['include/dvx', 'include/dvx/prm', 'src/prm', 'tools/dvx-prm/hex.h', 'tools/dvx-prm/walk.h',
		'tools/cli', 'ext:jansson', 'ext:argp'],
	'tools/dvx-info/verbs.c' => ['tools/dvx-info/*', @rdma],
	'tools/dvx-perf/verbs' => ['tools/dvx-perf', 'tools/cli', 'include/dvx', @rdma],
	'tools/dvx-flow' => ['tools/dvx-flow/*', 'tools/cli', 'include/dvx', 'include/dvx/prm', 'ext:jansson', 'ext:argp', 'ext:pcap/'],
	'tools/dvx-flow/rules' => ['tools/dvx-flow/rules/acl/acl.h', 'tools/cli/names.h', 'include/dvx'],
	'tools/dvx-flow/rules/acl' => ['tools/dvx-flow/rules'],
	'tools/dvx-flow/import' => ['tools/dvx-flow/rules'],
	'tools/dvx-flow/daemon' => ['tools/dvx-flow', 'tools/dvx-flow/daemon/track/track.h', 'src/prm', 'tools/cli', 'tools/dvx-flow/rules', 'include/dvx', 'include/dvx/prm', 'ext:jansson', 'ext:pcap/'],
	'tools/dvx-flow/daemon/track' => ['tools/dvx-flow', 'tools/dvx-flow/daemon', 'tools/cli', 'tools/dvx-flow/rules', 'include/dvx', 'include/dvx/prm', 'ext:jansson'],
	# One file of the daemon knows what a table is compiled to (doc/design/0069).
	'tools/dvx-flow/daemon/codes.c' => ['tools/dvx-flow/daemon', 'tools/dvx-flow/rules/acl/acl.h', 'include/dvx'],
	'tools/dvx-flow/explain' => ['tools/dvx-flow', 'tools/dvx-flow/rules', 'include/dvx', 'include/dvx/prm', 'src/prm', 'ext:jansson', 'ext:pcap/'],
	# The two ends of libdvx's engine are libdvx's, but for what of XRC is verbs' alone.
	'tools/dvx-perf' => ['tools/dvx-perf/verbs/xrc.h', 'include/dvx', 'include/dvx/prm', 'tools/cli', 'ext:jansson', 'ext:argp'],
	# The commands put the rooms together; source and dest, the two roles of a copy, don't know each other (doc/design/0010).
	'tools/dvx-copy' => ['tools/dvx-copy/*', 'tools/cli', 'ext:jansson', 'ext:argp'],
	'tools/dvx-copy/base' => ['tools/cli', 'ext:jansson', 'ext:nettle/'],
	'tools/dvx-copy/wire' => ['tools/dvx-copy/base', 'tools/cli', 'ext:gnutls/'],
	'tools/dvx-copy/engine' => ['tools/dvx-copy/base', 'tools/cli', 'include/dvx'],
	'tools/dvx-copy/source' => [map("tools/dvx-copy/$_", qw(base wire)), 'tools/dvx-copy/engine/engine.h', 'tools/cli'],
	'tools/dvx-copy/dest' => [map("tools/dvx-copy/$_", qw(base wire)), 'tools/dvx-copy/engine/engine.h', 'tools/cli'],
	'examples' => ['include/dvx', @rdma],
	'doc/tutorial' => ['examples/example.h', 'include/dvx', 'include/dvx/prm', @rdma],
	# A project of somebody else: verbs alone.
	'examples/ci' => ['ext:infiniband/verbs.h'],
	'examples/ci/tests' => ['examples/ci'],
);

if (@ARGV && $ARGV[0] eq '--table') { # for doc/rooms.pl
	print join(' ', $_, @{$may{$_}}), "\n" for sort keys %may;
	exit;
}

sub room {    # the row of a file; '' if its folder has none
	my ($path) = @_;
	return $path if $may{$path};
	$path =~ s{/[^/]*$}{};
	return $may{$path} ? $path : '';
}

sub allowed {
	my ($from, $target, $list) = @_;
	my $to = room($target);
	return 1 if $to eq $from;
	for my $rule (@$list) {
		return 1 if $rule eq $target || $rule eq $to;
		return 1 if $rule =~ m{^(.*)/\*$} && index($target, "$1/") == 0;
	}
	return 0;
}

sub resolve {    # quoted or bracketed header -> path in the tree, or undef
	my ($file, $header, $quoted) = @_;
	(my $dir = $file) =~ s{/[^/]*$}{};
	my @dirs = ($quoted ? $dir : (), $file =~ m{^(tools/dvx-(?:flow|copy)|examples/ci)/} ? $1 : (),
		$file =~ m{^doc/tutorial/} ? 'examples' : (), 'include', 'src', 'src/sim', '.');
	for my $d (@dirs) {
		my $p = "$d/$header";
		$p =~ s{^\./}{};
		1 while $p =~ s{[^/.]+/\.\./}{};
		return $p if -e "$top/$p" || $p =~ m{^(include/dvx/prm/|src/prm/rows\.h$|tools/dvx-prm/export\.inc$|tools/dvx-flow/rules/grammar\.h$)}; # generated
	}
	return undef;
}

my @files = split /\n/, `cd '$top' && find include src tools examples doc/tutorial -name '*.[ch]' | sort`;
my (@bad, %seen);
my $n = 0;
for my $file (@files) {
	my $from = room($file);
	unless ($from) {
		push @bad, "$file: its folder has no row" unless $seen{$file =~ s{/[^/]*$}{}r}++;
		next;
	}
	$seen{$from}++;
	open my $fh, '<', "$top/$file" or die "$file: $!";
	while (<$fh>) {
		# lib/priv.h includes mlx5dv.h for all, so the calls themselves are looked for.
		push @bad, "$file:$.: only src/lib/flow/dr.c may call $1()"
			if $file =~ m{^src/lib/} && $file ne 'src/lib/flow/dr.c' && /\b(mlx5dv_(?:dump_)?dr_\w+)\(/;
		/^\s*#\s*include\s*([<"])([^>"]+)[>"]/ or next;
		my ($quoted, $header) = ($1 eq '"', $2);
		$n++;
		my $target = resolve($file, $header, $quoted);
		if (defined $target) {
			push @bad, "$file:$.: $from may not include $target"
				unless allowed($from, $target, $may{$from});
		} elsif ($quoted && $header !~ m{^(?:config|tools/dvx-verify/probes)\.h$}) { # generated
			push @bad, "$file:$.: \"$header\" is not in the tree";
		} elsif ($header =~ m{^(infiniband/|rdma/|numa|uthash|utlist|jansson|argp|nettle/|gnutls/|pcap)}) {
			push @bad, "$file:$.: $from may not include <$header>"
				unless grep { /^ext:(.*)/ && index($header, $1) == 0 } @{$may{$from}};
		}
	}
}
push @bad, "$_: a row without sources" for grep { !$seen{$_} } sort keys %may;
print "1..2\n";
print "# $n includes in " . scalar(@files) . " files\n";
print "# $_\n" for @bad;
my $failed = @bad || !$n;
print $failed ? "not ok" : "ok", " 1 - every include follows the house's table\n";

# What the picture was drawn from, in its first lines.
sub drawn {
	open my $fh, '<', "$top/doc/rooms.svg" or return 'nothing';
	local $/;
	return <$fh> =~ /layers\.pl:\n(.*?)-->/s ? $1 : 'nothing';
}
my $graph = `'$^X' '$0' --table | '$^X' '$top/doc/rooms.pl' --graph`;
if ($graph eq drawn()) {
	print "ok 2 - the map of the rooms (doc/rooms.svg) is that of the table\n";
} else {
	print "# tests/tree/layers.pl --table | doc/rooms.pl >doc/rooms.svg draws it anew\nnot ok 2 - the map of the rooms is that of the table\n";
	$failed = 1;
}
exit($failed ? 1 : 0);
