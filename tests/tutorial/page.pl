#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a page of the tutorial is true: its commands print what it says, its excerpts are in the sources,
# its pictures are those of their descriptions, it has all its parts and its links lead somewhere.
# doc/tutorial/README.md has the rules.
use strict;
use warnings;
use File::Basename;
use File::Spec;
use File::Temp;
use FindBin;
use lib $FindBin::Bin;
use Page;
use Terminal;

binmode STDOUT, ':encoding(UTF-8)';
my $path = shift // die "usage: page.pl PAGE.md\n";
my $top = $ENV{top_srcdir} // '.';
my $build = File::Spec->rel2abs($ENV{top_builddir} // ".");
my $folder = File::Spec->rel2abs(dirname $path);
my ($blocks, $prose) = page_read($path);
my ($n, $failed) = (0, 0);

sub report {
	my ($good, $name, @why) = @_;
	printf "%sok %d - %s\n", $good ? '' : 'not ', ++$n, $name;
	return if $good;
	$failed = 1;
	print "# $_\n" for @why;
}

# --- the text ----------------------------------------------------------------------------------------------------

# The lines of an excerpt stand in the file, one after the other; "..." leaves lines out.
sub excerpt {
	my ($block, $file) = @_;
	my $text = do { local (@ARGV, $/) = ("$folder/$file"); -e $ARGV[0] ? <> : undef };
	return report(0, "$file, which line $block->{at} shows, is there") unless defined $text;
	my @parts = ([]);
	for (@{$block->{lines}}) {
		if (/^\s*\.\.\.$/) { push @parts, [] } else { push @{$parts[-1]}, $_ }
	}
	my $from = 0;
	for my $part (grep { @$_ } @parts) {
		my $at = index "\n$text", "\n" . join("\n", @$part) . "\n", $from;
		return report(0, "the excerpt of $file in line $block->{at} is in it", @$part) if $at < 0;
		$from = $at + 1;
	}
	report(1, "the excerpt of $file in line $block->{at} is in it");
}

sub picture {
	my ($svg) = @_;
	(my $text = $svg) =~ s/\.svg$/.pic/;
	my $is = `cat '$folder/$svg'`;
	my $should = `$^X '$top/doc/tutorial/picture.pl' '$folder/$text'`;
	report($is ne '' && $is eq $should, "$svg is the picture of $text", "make it anew: doc/tutorial/picture.pl $text >$svg");
}

# GitHub's and MyST's anchor of a headline.
sub anchor {
	my $a = lc shift;
	$a =~ s/[^\w\- ]//g;
	$a =~ tr/ /-/;
	return $a;
}

sub link_good {
	my ($link) = @_;
	my ($file, $anchor) = split /#/, $link;
	my $to = $file eq '' ? $path : "$folder/$file";
	return 0 unless -e $to;
	return 1 unless defined $anchor;
	my (undef, $text) = page_read($to);
	return grep { anchor($_) eq $anchor } $text =~ /^#+ (.*)$/mg;
}

my @parts = ('# \d+\. ', '## Exercise', '<summary>Answer</summary>', '## On real hardware');
my @lacks = grep { $prose !~ /^$_/m } @parts;
report(!@lacks, 'has a numbered title, an exercise with its answer, notes on real hardware', map { "no line $_" } @lacks);
my @broken = grep { !/^https?:/ && !link_good($_) } $prose =~ /\]\(([^)\s]+)\)/g;
report(!@broken, 'links lead somewhere', @broken);
my @pictures = $prose =~ /!\[[^\]]*\]\(([\w.-]+\.svg)\)/g;
report(scalar @pictures, 'has a picture');
picture($_) for @pictures;
for my $block (grep { $_->{lang} !~ /^(?:console|text)$/ } @$blocks) {
	my ($file) = $block->{words} =~ /^file=(\S+)$/;
	if ($file) { excerpt($block, $file) } else { report(0, "the block in line $block->{at} names its file", 'write file=NAME behind the language') }
}

# Programs that ./quickstart does not install, and their packages.
my %package = ('ib_[a-z]+_(?:bw|lat)' => 'perftest', 'ibstat(?:us)?' => 'infiniband-diags', 'tshark' => 'tshark',
	'jq' => 'jq');
my %needs;
for my $block (grep { $_->{lang} eq 'console' } @$blocks) {
	my ($program) = $block->{words} =~ /\bneeds: (?:\.\/)?(\S+)/;
	my $text = join "\n", $program // '', map { $_->{text} } page_commands($block);
	my @known = grep { $text =~ m{(?:^|[\s|./])$_\b} } keys %package;
	$needs{$package{$_}} = 1 for @known;
	$needs{"$program, whose package page.pl does not know"} = 1
		if defined $program && !@known && !-e "$build/doc/tutorial/$program";
}
my @unnamed = grep { $prose !~ /^Packages?: .*`\Q$_\E`/m } sort keys %needs;
report(!@unnamed, 'names the packages that it needs', map { "no line \"Package: `$_`\"" } @unnamed);

# --- the commands ------------------------------------------------------------------------------------------------

# A folder as the reader's, who works where the tutorial's programs and files are.
my $desk = File::Temp->newdir('dvx-tutorial.XXXXXX', TMPDIR => 1);
mkdir "$desk/.run", 0700;
my $terminal = Terminal->new("$desk", [File::Spec->rel2abs("$top/doc/tutorial/shell"), $build, "$desk"],
	XDG_RUNTIME_DIR => "$desk/.run", LC_ALL => 'C.UTF-8', COLUMNS => 80, PAGER => 'cat');
$terminal->run(':'); # the folder has its links then

sub compare {
	my ($c, $rc, $got, $all) = @_;
	my $name = "line $c->{at}: $c->{text}" =~ s/\n.*//sr;
	return report(0, $name, "it takes more than $Terminal::LIMIT s", @$got) unless defined $rc;
	my $good = $rc == $c->{exit} && text_matches($c->{want}, $got, $all, 1);
	report($good, $name, "exit code $rc, it printed:", @$got);
}

# until: COMMAND, or the lines that the page shows.
sub background {
	my ($c, $all, $until) = @_;
	my $enough = sub {
		my ($lines) = @_;
		return text_matches($c->{want}, $lines, $all, 0) unless defined $until;
		return ($terminal->run($until))[0] eq '0';
	};
	my ($lines, $good) = $terminal->start($c->{text}, $enough);
	report($good, "line $c->{at}: $c->{text}", 'it printed:', @{$lines // []});
}

sub console {
	my ($block) = @_;
	my $all = $block->{words} =~ /\bnumbers\b/;
	my ($until) = $block->{words} =~ /\buntil: (.*)/;
	my ($needs) = $block->{words} =~ /\bneeds: (\S+)/;
	if ($needs && system("cd '$desk' && command -v '$needs' >/dev/null")) {
		return print 'ok ', ++$n, " - the commands of line $block->{at} # SKIP there is no $needs\n";
	}
	for my $c (page_commands($block)) {
		if ($c->{background}) { background($c, $all, $until) } else { compare($c, $terminal->run($c->{text}), $all) }
	}
}

console($_) for grep { $_->{lang} eq 'console' } @$blocks;
my (undef, $chips) = $terminal->run('for chip in $(dvx-sim ls | sed -n "s/ (pid .*//p"); do echo $chip; dvx-sim down $chip; done');
report(!@$chips, 'no chip is left', @$chips);
my @left = $terminal->end;
report(!@left, 'nothing is left running', @left);
print "1..$n\n";
exit $failed;
