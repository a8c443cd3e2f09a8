#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Draws the map of the rooms from the include table (layers.pl --table); graphviz lays it out:
#   tests/tree/layers.pl --table | doc/rooms.pl >doc/rooms.svg
# --graph prints what is drawn instead: tests/tree/layers.pl compares it with what the picture says of itself.
use strict;
use warnings;
use File::Temp;

# The boxes: their folders, and what they are. A folder belongs to the box with the longest match.
my @boxes = (
	['examples', 'examples doc/tutorial', 'and the tutorial'],
	['dvx-perf', 'tools/dvx-perf', 'measures'],
	['dvx-copy', 'tools/dvx-copy', 'host <-> DPU copies'],
	['dvx-flow', 'tools/dvx-flow', 'steering rules'],
	['dvx-info', 'tools/dvx-info', 'capabilities'],
	['dvx-prm', 'tools/dvx-prm', 'decodes, explains'],
	['dvx-sim', 'tools/dvx-sim', 'starts, asks chips'],
	['dvx-verify', 'tools/dvx-verify', '[I] on a NIC'],
	['dvx-check', 'tools/dvx-check src/check', 'misuse of verbs'],
	['libdvx', 'include/dvx src/lib', 'rings, PRM objects'],
	['rdma-core', 'ext:infiniband/ ext:rdma/', 'libibverbs, libmlx5'],
	['preload', 'src/sim/preload src/sim/sysfs', 'libc calls -> requests'],
	['link', 'src/sim/link', 'messages to the chip'],
	['uverbs', 'src/uverbs', 'the ABI as tables'],
	['kernel', 'src/sim/kernel', 'ib_uverbs, mlx5_ib'],
	['fw', 'src/sim/fw', 'PRM commands'],
	['queue', 'src/sim/queue', 'rings, doorbells, CQEs'],
	['transport', 'src/sim/transport', 'RC, UC, UD, DC, raw'],
	['lab', 'src/sim/lab', 'says why queues wait'],
	['steer', 'src/sim/steer', 'flow tables, STEs'],
	['eswitch', 'src/sim/eswitch', 'who gets a frame'],
	['port', 'src/sim/port', 'frames, wires'],
	['obj', 'src/sim/obj', 'mkeys, QPs, functions'],
	['host', 'src/sim/host', 'client memory, UARs'],
	['chip', 'src/sim/chip', 'loop; all rooms below'],
	['base', 'src/sim/base', 'log, probe, timers'],
	['record', 'src/record', 'recordings'],
	['prm', 'src/prm include/dvx/prm', 'PRM tables'],
	['cli', 'tools/cli', 'command lines'],
);
# What most rooms may include is a letter in their box; who includes everything has no arrows.
my %letter = (base => 'b', prm => 'p', cli => 'c');
my %all = (chip => 'every room of the chip');

my %box;
for my $b (@boxes) {
	$box{$_} = $b->[0] for split / /, $b->[1];
}
my %sub = map { $_->[0] => $_->[2] } @boxes;

sub box_of {
	my ($path) = @_;
	my ($found) = grep { index("$path/", m{/$} ? $_ : "$_/") == 0 } sort { length $b <=> length $a } keys %box;
	return $found ? $box{$found} : undef;
}

# A room's arrow is dashed if it leads to single headers, or starts in a part of the room.
my (%to, %rows, %letters);
while (<STDIN>) {
	chomp;
	my ($folder, @may) = split;
	my $from = box_of($folder) // die "rooms.pl: $folder is in no box: give it one\n";
	$rows{$from}++ unless $folder =~ /\.c$/;
	for (@may) {
		my $box = box_of($_) // next; # libraries of others
		next if $box eq $from || $all{$from} || ($box eq 'rdma-core' && $folder =~ m{^src/(sim|uverbs)});
		if ($letter{$box}) { $letters{$from}{$letter{$box}} = 1 }
		else { $to{$from}{$box}{/\.(h|def)$/ || $folder =~ /\.c$/ ? 'part' : 'whole'}{$folder} = 1 }
	}
}

sub dashed {
	my ($from, $box) = @_;
	return keys %{$to{$from}{$box}{whole} // {}} < $rows{$from};
}

sub letters { join '', sort keys %{$letters{$_[0]} // {}} }

sub graph {
	my @lines;
	for my $b (@boxes) {
		my $name = $b->[0];
		push @lines, "$name (" . letters($name) . ')' . join '', map { dashed($name, $_) ? " -$_" : " $_" } sort keys %{$to{$name}};
	}
	return join "\n", @lines;
}

if (@ARGV && $ARGV[0] eq '--graph') {
	print graph(), "\n";
	exit;
}

my ($WIDE, $HIGH, $SCALE) = (150, 40, 72);

# The way of a request where no include leads it; boxes of the upper of two rows of tools, to save width.
my @calls = (['rdma-core', 'preload'], ['link', 'chip']);
my %upper = map { $_ => 1 } qw(examples dvx-copy dvx-info);

# Levels from top to bottom; graphviz places the boxes on them and leads the arrows.
sub dot {
	my $dot = "digraph { graph [ranksep=0.5 nodesep=0.25 splines=true];\n"
		. sprintf("node [shape=box fixedsize=true width=%.3f height=%.3f]; edge [arrowhead=none];\n", $WIDE / $SCALE, $HIGH / $SCALE);
	for my $b (@boxes) {
		$dot .= "\"$b->[0]\";\n" unless $b->[0] =~ /^(?:base|prm)$/;
	}
	for my $from (sort keys %to) {
		for my $box (sort keys %{$to{$from}}) {
			# Of two rooms that know a header of each other, the queue is the upper one.
			my $free = $from eq 'transport' && $box eq 'queue' ? ' [constraint=false]' : '';
			$free = ' [minlen=2]' if $upper{$from};
			$dot .= "\"$from\" -> \"$box\"$free;\n";
		}
	}
	return $dot . join '', map("\"$_->[0]\" -> \"$_->[1]\";\n", @calls), "chip -> kernel\n}\n";
}

my $file = File::Temp->new;
print $file dot();
close $file;
my @plain = `dot -Tplain '$file'`;
die "rooms.pl: dot (graphviz) is needed\n" if $?;

my ($width, $height, @body);
sub px { sprintf '%.1f', $_[0] * $SCALE + 20 }
sub py { sprintf '%.1f', ($height - $_[0]) * $SCALE + 20 }
sub escape { $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr }

sub box_svg {
	my ($name, $x, $y, $class) = @_;
	my $letters = join ' ', split //, letters($name);
	return sprintf('<rect class="%s" x="%.1f" y="%.1f" width="%d" height="%d" rx="5"/>', $class, $x - $WIDE / 2, $y - $HIGH / 2, $WIDE, $HIGH),
		sprintf('<text class="name" x="%.1f" y="%.1f">%s</text>', $x - $WIDE / 2 + 8, $y - 3, $name),
		sprintf('<text class="letters" x="%.1f" y="%.1f">%s</text>', $x + $WIDE / 2 - 8, $y - 3, $letters),
		sprintf('<text x="%.1f" y="%.1f">%s</text>', $x - $WIDE / 2 + 8, $y + 13, escape($sub{$name}));
}

sub class_of {
	my ($name) = @_;
	return 'other' if $name eq 'rdma-core';
	my ($b) = grep { $_->[0] eq $name } @boxes;
	return $b->[1] =~ m{^src/sim/(?!preload|link)} ? 'chip' : $b->[1] =~ m{^src/(sim|uverbs)} ? 'program' : 'ours';
}

for (@plain) {
	my ($what, @w) = split;
	s/"//g for @w;
	if ($what eq 'graph') { ($width, $height) = ($w[1], $w[2]) }
	elsif ($what eq 'node') { push @body, box_svg($w[0], px($w[1]), py($w[2]), class_of($w[0])) }
	elsif ($what eq 'edge') {
		my ($from, $to, $n, @p) = @w;
		my @points = map { px($p[2 * $_]) . ',' . py($p[2 * $_ + 1]) } 0 .. $n - 1;
		my $class = grep({ $_->[0] eq $from && $_->[1] eq $to } @calls) ? 'calls' : $all{$from} ? 'whole' : dashed($from, $to) ? 'part' : 'whole';
		unshift @body, sprintf '<path class="%s" marker-end="url(#tip)" d="M%s C%s"/>', $class, $points[0], join ' ', @points[1 .. $#points];
	}
}

# Below: the rooms without arrows, and what the signs mean.
my $y = $height * $SCALE + 80;
my $x = 20 + $WIDE / 2;
push @body, box_svg($_, ($x += $WIDE + 22) - $WIDE - 22, $y, $_ eq 'base' ? 'chip' : 'ours') for qw(prm base);
my $tx = 20;
my @legend = (
	'An arrow: may include. Dashed: single headers of it, or from one folder of the room. Dotted: the way of a request by LD_PRELOAD and a socket.',
	'p, b, c: may include prm, base, cli. Green: inside the program. Violet: the chip, a server process.');
push @body, map { $y += 22; sprintf '<text x="%d" y="%d">%s</text>', $tx, $y + 18, $_ } @legend;
my $w = int($width * $SCALE + 40);
my $h = int($y + 40);

print <<"END", join("\n", @body), "\n</svg>\n";
<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: BSD-2-Clause -->
<!-- Drawn by rooms.pl from tests/tree/layers.pl:
@{[graph()]}
-->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $w $h" width="$w" height="$h" role="img" aria-label="The rooms of dvx, and which may include which">
<style>
text { font: 11.5px "DejaVu Sans", Verdana, sans-serif; fill: #1d2733 }
.name { font-weight: bold; font-size: 13px }
.letters { text-anchor: end; font-family: "DejaVu Sans Mono", monospace; fill: #5a6676 }
.paper { fill: #ffffff }
rect.ours { fill: #e8eef6; stroke: #5f7ea6 }
rect.program { fill: #e5f3e8; stroke: #4f9463 }
rect.chip { fill: #f0e9f7; stroke: #8a64b0 }
rect.other { fill: #f1f1f1; stroke: #8a8a8a; stroke-dasharray: 5 3 }
path { fill: none; stroke: #5a6676; stroke-width: 1.2 }
path.part { stroke-dasharray: 5 4; stroke: #8391a3 }
path.calls { stroke-dasharray: 1 4; stroke-width: 2 }
#tip path { fill: #5a6676; stroke: none }
\@media (prefers-color-scheme: dark) {
	text { fill: #e3e9f1 }
	.letters { fill: #a9b5c4 }
	.paper { fill: #14181e }
	rect.ours { fill: #22304a; stroke: #7d9cc6 }
	rect.program { fill: #1d3826; stroke: #6cb582 }
	rect.chip { fill: #33254a; stroke: #a988cf }
	rect.other { fill: #2a2a2a; stroke: #9a9a9a }
	path { stroke: #a9b5c4 }
	path.part { stroke: #8391a3 }
	#tip path { fill: #a9b5c4 }
}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<rect class="paper" width="$w" height="$h"/>
END
