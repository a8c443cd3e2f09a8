# SPDX-License-Identifier: BSD-2-Clause
# A page of the tutorial as data: its fenced blocks, the commands in these, its pictures. doc/tutorial/README.md
# has the rules.
package Page;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(page_read page_commands text_matches);

# The blocks: language, words behind it, line number, lines.
sub page_read {
	my ($path) = @_;
	open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
	my ($block, @blocks, @prose);
	while (my $line = <$in>) {
		chomp $line;
		if ($line =~ /^```/ && $block) {
			push @blocks, $block;
			undef $block;
		} elsif ($line =~ /^```(\w*)\s*(.*)/) {
			$block = {lang => $1, words => $2, at => $., lines => []};
		} elsif ($block) {
			push @{$block->{lines}}, $line;
		} else {
			push @prose, $line;
		}
	}
	die "$path:$block->{at}: no end of this block\n" if $block;
	return (\@blocks, join("\n", @prose));
}

# A console block as commands: text, what it should print, its exit code, whether it goes on in the background.
sub page_commands {
	my ($block) = @_;
	my @commands;
	my $n = $block->{at};
	for my $line (@{$block->{lines}}) {
		$n++;
		if ($line =~ /^\$ (.*)/) {
			push @commands, {text => $1, at => $n, want => [], exit => 0};
		} elsif (!@commands) {
			die "line $n: a console block begins with \"\$ command\"\n";
		} elsif ($line =~ /^> ?(.*)/ && !@{$commands[-1]{want}}) {
			$commands[-1]{text} .= "\n$1";
		} else {
			push @{$commands[-1]{want}}, $line;
		}
	}
	for my $c (@commands) {
		$c->{exit} = $1 if $c->{text} =~ /\s# exit (\d+)$/;
		$c->{background} = $c->{text} =~ /[^&]&\s*$/;
	}
	return @commands;
}

# What differs from run to run is masked, in the page and in what came out.
sub masked {
	my ($line, $all) = @_;
	$line =~ s/\s+/ /g;
	$line =~ s/ $//;
	$line =~ s/\b0x[0-9a-f]{5,}\b/0x#/gi;
	$line =~ s{\b\d+(?:\.\d+)? ?(?:[KMG]?i?B|M|packets)/s(?![\w/])}{# per second}g;
	$line =~ s{\b\d+(?:\.\d+)? ?(?:ns|us|ms|s)(?![\w/])}{# of time}g;
	$line =~ s{(?<![.\d])\d+\.\d+\b(?!\.)}{#}g;
	$line =~ s{\b\d+(?= ?[KMG]i?B(?![\w/]))}{#}g;
	$line =~ s/\b0x[0-9a-f]+\b|\d+/#/gi if $all;
	return $line;
}

# Whether lines are those wanted. A line "..." is any number of lines, " ..." at a line's end any rest of it.
# Without $end more lines may follow.
sub text_matches {
	my ($want, $got, $all, $end) = @_;
	my $pattern = '';
	for (@$want) {
		my $line = masked($_, $all);
		if ($line =~ /^ ?\.\.\.$/) {
			$pattern .= '(?:.*\n)*?';
		} else {
			my $rest = $line =~ s/ \.\.\.$// ? '.*' : '';
			$pattern .= quotemeta($line) . "$rest\\n";
		}
	}
	my $text = join '', map { masked($_, $all) . "\n" } @$got;
	return $end ? $text =~ /\A$pattern\z/ : $text =~ /\A$pattern/;
}

1;
