#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a function's name finds one function and a struct's tag one struct, in the library, the
# device and the tools, and that a comment begins with a verb or a noun. main and generated files are left
# out. A name may stand twice in a file: the alternatives of an #if.
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
		next if $name eq 'main' || $file =~ m{/rules/grammar\.|^src/prm/(rows|match|enums)\.c|^include/dvx/prm/(?!prm\.h)};
		push @{$at{$name}}, "$file:$line";
	}
	return \%at;
}

# Returns how many names there are in several files, and prints them; and how many names there are.
sub shared {
	my ($at) = @_;
	my $shared = 0;
	for my $name (sort keys %$at) {
		my %files = map { s/:.*//r => 1 } @{$at->{$name}};
		next if keys %files < 2;
		$shared++;
		print "# $name: @{$at->{$name}}\n";
	}
	return ($shared, scalar keys %$at);
}

# Returns how many comments begin with a word that leaves the reader without a subject, and prints them;
# and how many comments there are.
sub without_subject {
	my ($bad, $all) = (0, 0);
	local @ARGV = map { glob "'$top'/$_" } split ' ', `cd '$top' && find src include tools -name '*.[chly]' -o -name '*.def' | tr '\n' ' '`;
	local $/;
	while (my $text = <>) {
		while ($text =~ m{/\*[*\s]*(\w[^\n]*)}g) {
			my ($comment, $at) = ($1, $-[0]);
			$all++;
			next unless $comment =~ /^(?:What|Of|Those|The same|Whose|As|Who)\b/;
			$bad++;
			print "# $ARGV:", 1 + substr($text, 0, $at) =~ tr/\n//, ": $comment\n";
		}
	}
	return ($bad, $all);
}

print "1..3\n";
my ($functions, $of) = shared(places('f', 'src', 'tools'));
my $unique = $of > 100 && !$functions;
print $unique ? '' : 'not ', "ok 1 - $functions names of $of are of functions in several files\n";
my ($structs) = shared(places('s', 'src', 'tools', 'include'));
print $structs ? 'not ' : '', "ok 2 - $structs structs share their tag\n";
my ($bad, $comments) = without_subject();
my $plain = $comments > 1000 && !$bad;
print $plain ? '' : 'not ', "ok 3 - $bad of $comments comments begin with What, Of, Those, The same, Whose, As or Who\n";
exit($unique && !$structs && $plain ? 0 : 1);
