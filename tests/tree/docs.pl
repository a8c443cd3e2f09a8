#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that documents name files and functions that exist, that doc/hardware-to-verify.md is current and has a row of
# each source with [I], that no line of a paragraph reads as a list's item,
# that Markdown stays within 120 columns but for tables, that the commits that CONTRIBUTING quotes exist, that each
# example is in the index of examples, with calls that it makes, and each page of the tutorial in its lists.
use strict;
use warnings;

my $top = $ENV{top_srcdir} // '.';
my @bad;

sub slurp {
	my ($path) = @_;
	open my $fh, '<:encoding(UTF-8)', "$top/$path" or return undef;
	local $/;
	return <$fh>;
}

# Each row of hardware-to-verify.md: "file, function()" or "file, other words".
my (%row_of, @row_folders);
for my $row (split /\n/, slurp('doc/hardware-to-verify.md')) {
	my $where = (split / \| /, $row)[3] // next;
	next unless $row =~ /^\| / && $where =~ m{/};
	for my $part (split /; /, $where) {
		my ($file, @names) = split /, /, $part;
		$file =~ s/ .*//;
		push @row_folders, $file and next if -d "$top/$file";
		my $text = slurp($file);
		push @bad, "hardware-to-verify.md: no file $file" and next unless defined $text;
		$row_of{$file} = $row_of{$file =~ s/\.\w+$//r} = 1;
		for (@names) {
			push @bad, "hardware-to-verify.md: $file has no $1()" if /^(\w+)\(\)$/ && $text !~ /\b$1\(/;
		}
	}
}

# A source with [I] has a row, or the file of the same name beside it has, or its folder.
for my $path (split /\n/, `cd '$top' && grep -rlF '[I]' src include/dvx tools prm --include='*.[chly]' --include='*.def' --include='*.prm'`) {
	next if $row_of{$path} || $row_of{$path =~ s/\.\w+$//r} || grep { index($path, $_) == 0 } @row_folders;
	push @bad, "$path: no row of tools/dvx-verify/rows is about its [I]";
}

# The page is what rows.pl makes of the rows.
my @row_files = slurp('tools/dvx-verify/local.mk') =~ m{(tools/dvx-verify/rows/\w+\.rows)}g;
push @bad, 'doc/hardware-to-verify.md is not what its rows say: make hardware-page'
	if `cd '$top' && '$^X' tools/dvx-verify/rows.pl --page @row_files | cmp - doc/hardware-to-verify.md 2>&1; echo \$?` ne "0\n";

# Paths of the tree, wherever a document has them.
my @docs = split /\n/, `find '$top' -name '.[!.]*' -prune -o -name '*.md' -print | sort`;
for my $doc (@docs) {
	(my $name = $doc) =~ s{^\Q$top\E/}{};
	my $code = 0;
	my $n = 0;
	my $above = '';
	for my $line (split /\n/, slurp($name)) {
		$n++;
		$code = !$code if $line =~ /^```/;
		# A list may follow a line that announces it. Elsewhere a wrapped "N * P" makes an item by accident.
		push @bad, "$name:$n: this line of a paragraph reads as a list's item"
			if !$code && $line =~ /^(\s*)(?:[*+-]|\d+[.)]) / && $above =~ /^$1[^\s|<#].*[^:]$/ && $above !~ /^\s*(?:[*+-]|\d+[.)]) /;
		$above = $line;
		push @bad, "$name:$n: " . length($line) . " columns"
			if $name ne 'doc/hardware-to-verify.md' && !$code && $line !~ /^\|/ && length($line) > 120;
		while ($line =~ m{(?<![\w/.-])((?:src|include|tools|tests|prm|examples)/[\w/.-]+\.(?:c|h|l|y|sh|pl|prm|def|mk|md|py))\b}g) {
			my $path = $1;
			next if $name =~ m{^examples/ci/}; # has paths of its reader's tree
			next if $path =~ m{^(?:include/dvx/prm/|src/prm/(?:rows|enums|match)\.c$)} || -e "$top/$path"; # generated
			push @bad, "$name:$n: no file $path";
		}
	}
}

# Commits that CONTRIBUTING quotes: `hash`, "subject". A clone may lack old ones.
my $guide = slurp('CONTRIBUTING.md');
my $git = -e "$top/.git" && `git -C '$top' rev-parse HEAD 2>/dev/null`;
my $quotes = 0;
while ($git && $guide =~ /`([0-9a-f]{8,})`,\s+"([^"]+)"/g) {
	my ($hash, $subject) = ($1, $2);
	$subject =~ s/\s+/ /g;
	chomp(my $is = `git -C '$top' log -1 --format=%s $hash 2>/dev/null`);
	$quotes++;
	next if $is eq $subject || ($is eq '' && `git -C '$top' rev-parse --is-shallow-repository` =~ /true/);
	push @bad, "CONTRIBUTING.md: commit $hash is not \"$subject\", but \"$is\"";
}
push @bad, 'CONTRIBUTING.md quotes no commit' if $git && !$quotes;

# The index of examples: a row begins with the file that it is about.
my %row;
for (split /\n/, slurp('examples/README.md')) {
	$row{$1} = $_ if /^\| \[([\w.-]+)\]\(\1\) \|/;
}
for my $path (glob("$top/examples/*")) {
	(my $name = $path) =~ s{.*/}{};
	next unless -f $path && ($name =~ /\.c$/ || $name !~ /\./);
	push @bad, "examples/README.md: no row of $name" unless $row{$name};
}
for my $name (sort keys %row) {
	my $text = slurp("examples/$name");
	push @bad, "examples/README.md: no file $name" and next unless defined $text;
	push @bad, "examples/$name: " . ($text =~ tr/\n//) . " lines, not under 150" if $name =~ /\.c$/ && $text =~ tr/\n// >= 150;
	for my $call ($row{$name} =~ /`(\w+)\(\)`/g) {
		push @bad, "examples/README.md: $name does not call $call()" unless $text =~ /\b$call\(/;
	}
}

# A page of the tutorial that its local.mk does not have is never tested, one that README.md lacks is not found.
my ($list, $index) = (slurp('doc/tutorial/local.mk'), slurp('doc/tutorial/README.md'));
for my $path (glob("$top/doc/tutorial/[0-9]*.md")) {
	(my $name = $path) =~ s{.*/}{};
	push @bad, "doc/tutorial/local.mk: no $name" unless $list =~ m{doc/tutorial/\Q$name\E};
	push @bad, "doc/tutorial/README.md: no $name" unless $index =~ /\(\Q$name\E\)/;
}

print "1..1\n";
print "# $_\n" for @bad;
print @bad ? "not ok" : "ok", " 1 - documents name what exists\n";
exit(@bad ? 1 : 0);
