#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a function's name finds one function (at most 2 % of them share theirs) and a struct's tag
# one struct, in the library, the device and the tools. main and generated files are left out.
use strict;
use warnings;

my $top = $ENV{top_srcdir} // '.';

if (`ctags --version 2>/dev/null` !~ /Universal Ctags/) {
	print "1..0 # SKIP universal-ctags is not installed\n";
	exit 0;
}

# name => [file:line, ...]
sub places {
	my ($kind, @folders) = @_;
	my %at;
	open my $tags, '-|', "cd '$top' && find @folders -name '*.[ch]' | ctags -x --kinds-C=$kind -L -" or die "ctags: $!";
	while (<$tags>) {
		my ($name, undef, $line, $file) = split ' ';
		next if $name eq 'main' || $file =~ m{/rules/(grammar|scanner)\.|^src/prm/(rows|match|enums)\.c|^include/dvx/prm/(?!prm\.h)};
		push @{$at{$name}}, "$file:$line";
	}
	return \%at;
}

# Says which names stand for several things; all their uses, and all there are.
sub shared {
	my ($at) = @_;
	my ($shared, $all) = (0, 0);
	for my $name (sort keys %$at) {
		my $n = @{$at->{$name}};
		$all += $n;
		next if $n < 2;
		$shared += $n;
		print "# $name: @{$at->{$name}}\n";
	}
	return ($shared, $all);
}

print "1..2\n";
my ($functions, $of) = shared(places('f', 'src', 'tools'));
my $ok = $of > 100 && $functions * 50 <= $of;
print $ok ? '' : 'not ', "ok 1 - $functions of $of functions share their name\n";
my ($structs) = shared(places('s', 'src', 'tools', 'include'));
print $structs ? 'not ' : '', "ok 2 - $structs structs share their tag\n";
exit($ok && !$structs ? 0 : 1);
