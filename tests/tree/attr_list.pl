#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Each public structure that begins with its size is in src/lib/attrs.h, with or without a reserved member as it has one,
# and has no bytes between or behind its members: a later libdvx could give them a meaning that this one ignores.
use strict;
use warnings;

my $src = $ENV{top_srcdir} or die "top_srcdir\n";
my ($n, %has, %where) = (0);
sub report { printf "%s %d - %s\n", ($_[0] ? 'ok' : 'not ok'), ++$n, $_[1]; print "# $_\n" for @_[2 .. $#_]; }

for my $file (glob "$src/include/dvx/*.h") {
	open my $in, '<', $file or die "$file: $!\n";
	my $name;
	while (<$in>) {
		$name = undef if /^\}/;
		if (/^struct (\w+) \{/) {
			$name = $1;
			$has{$name} = 'FULL' if ($_ = <$in>) =~ /^\tuint32_t size;/;
		}
		next unless $name && $has{$name};
		$has{$name} = 'SPARE' if /^\t\w+ reserved\b/;
		$where{$file}{$_} = $name for $., $. + 1;
	}
}
report(scalar(keys %has) > 20, 'structures that begin with their size are found');

open my $list, '<', "$src/src/lib/attrs.h" or die "attrs.h: $!\n";
my %listed = map { /^\t(SPARE|FULL)\((\w+)\)/ ? ($2 => $1) : () } <$list>;
my @differ = grep { ($has{$_} // 'none') ne ($listed{$_} // 'none') } sort keys %{{%has, %listed}};
report(!@differ, 'src/lib/attrs.h lists them',
	map { "$_: in the header " . ($has{$_} // 'none') . ', listed ' . ($listed{$_} // 'none') } @differ);

my $cc = $ENV{CC} || 'gcc';
my @warnings = qx{echo '#include <dvx/dvx.h>' |
	$cc -std=gnu11 -Wpadded -I$ENV{top_builddir}/include -I$src/include -xc -c -o /dev/null - 2>&1};
my @holes = grep { m{^(\S+?):(\d+):.*Wpadded} && $where{$1}{$2} } @warnings;
report(!@holes, 'each of their bytes is of a member', @holes);
print "1..$n\n";
