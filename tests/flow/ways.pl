# SPDX-License-Identifier: BSD-2-Clause
# ways.pl WALKS TRACE: the entries that explain met for each packet against those of the
# device's trace. A dump does not tell how large a matcher's first table is, so what missed at the
# first place of a rule does not count.
use strict;
use warnings;

my ($walks, $trace) = @ARGV;
open my $t, '<', $trace or die "$trace: $!";
my @ways;    # of each packet that came in: address:hit or address:miss
my $in;
while (<$t>) {
	$in = $1 eq 'rx' if /steer vhca \d+ (rx|tx): \d+ bytes/;
	push @ways, [] if $in && /steer vhca \d+ rx: \d+ bytes/;
	push @{$ways[-1]}, "$1:$2" if $in && /steer ste (0x[0-9a-f]+) lu 0x[0-9a-f]+ (hit|miss) /;
}
close $t;

my (%place, $met, $packets, $bad);
$met = $packets = $bad = 0;

sub counts {
	my ($address, $what) = split /:/, $_[0];
	return defined $place{$address} && ($what eq 'hit' || $place{$address} > 0);
}

open my $w, '<', $walks or die "$walks: $!";
while (<$w>) {
	my ($kind, @list) = split;
	if ($kind eq 'dump') {
		%place = map { split /:/ } @list;
	} elsif ($kind eq 'others') {
		splice @ways, 0, $list[0];
	} else {
		my @mine = grep { counts($_) } @list;
		my @device = grep { counts($_) } @{shift @ways // ['no packet']};
		$packets++;
		$met += @mine;
		print "# packet $packets: explain @mine\n# packet $packets: device @device\n"
			if "@mine" ne "@device" && $bad++ < 5;
	}
}
print $bad || @ways || !$met ? 'not ok' : 'ok', " 2 - explain and the device meet the same entries: ",
	"$met of them by $packets packets, $bad packets differ\n";
exit($bad || @ways || !$met ? 1 : 0);
