#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Draws who does and owns what over time, from a text (README.md has its words): picture.pl NAME.pic >NAME.svg
use strict;
use warnings;
use utf8;

my ($LANE, $MARGIN, $LINE, $CHAR) = (200, 20, 15, 6.4);    # pixels: a lane's width, a line of text, a letter
my ($title, @lanes, @rows, %x);

sub refuse { die "$ARGV:$.: $_[0]\n" }

sub lane {
	my ($name) = @_;
	my ($i) = grep { $lanes[$_] eq $name } 0 .. $#lanes;
	return $i // refuse "no lane \"$name\"";
}

while (<>) {
	chomp;
	if (/^\s*(?:#.*)?$/) { next }
	elsif (/^title: (.+)/) { $title = $1 }
	elsif (/^lanes: (.+)/) { @lanes = split /\s*,\s*/, $1 }
	elsif (/^\[ ([^:]+): (.+)/) { push @rows, {kind => 'own', lane => lane($1), text => $2} }
	elsif (/^\] (.+)/) { push @rows, {kind => 'end', lane => lane($1)} }
	elsif (/^(.+?) -> ([^:]+): (.+)/) { push @rows, {kind => 'arrow', lane => lane($1), to => lane($2), text => $3} }
	elsif (/^([^:]+): (.+)/) { push @rows, {kind => 'note', lane => lane($1), text => $2} }
	else { refuse "what is \"$_\"?" }
}
refuse 'no title' unless defined $title;

sub escape { $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr }
sub middle { $MARGIN + $LANE * ($_[0] + .5) }

# Words in lines of at most so many pixels.
sub wrap {
	my ($text, $width) = @_;
	my @lines = ('');
	for my $word (split / /, $text) {
		push @lines, '' if $lines[-1] ne '' && (length($lines[-1]) + 1 + length $word) * $CHAR > $width;
		$lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $word;
	}
	return @lines;
}

my ($y, %owned, @bands, @body) = (96);

sub text_at {
	my ($x, $top, $class, @lines) = @_;
	return map { sprintf '<text x="%d" y="%d" class="%s">%s</text>', $x, $top += $LINE, $class, escape($_) } @lines;
}

sub band {
	my ($lane, $from, $to) = @_;
	push @bands, sprintf '<rect x="%d" y="%d" width="16" height="%d" rx="5" class="own"/>', middle($lane) - 8, $from, $to - $from;
}

sub draw_note {
	my ($row) = @_;
	my @lines = wrap($row->{text}, $LANE - 34);
	my $height = @lines * $LINE + 10;
	push @body, sprintf '<rect x="%d" y="%d" width="%d" height="%d" rx="4" class="note"/>', middle($row->{lane}) - $LANE / 2 + 10, $y, $LANE - 20, $height;
	push @body, text_at(middle($row->{lane}), $y + 1, 'mid', @lines);
	$y += $height + 12;
}

sub draw_arrow {
	my ($row) = @_;
	my ($from, $to) = map { middle($_) } @$row{qw(lane to)};
	my @lines = wrap($row->{text}, abs($to - $from) - 24);
	my $towards = $to > $from ? 1 : -1;
	push @body, text_at(($from + $to) / 2, $y - 6, 'mid', @lines);
	$y += @lines * $LINE + 2;
	push @body, sprintf '<line x1="%d" y1="%d" x2="%d" y2="%d" class="arrow"/>', $from, $y, $to - 9 * $towards, $y;
	push @body, sprintf '<path d="M%d %d l%d -5 v10 z" class="head"/>', $to, $y, -11 * $towards;
	$y += 18;
}

sub draw_own {
	my ($row) = @_;
	my @lines = wrap($row->{text}, $LANE / 2 - 16);
	push @body, text_at(middle($row->{lane}) + 13, $y - 10, 'of', @lines);
	$owned{$row->{lane}} = $y - 8;
	$y += @lines * $LINE + 2;
}

for my $row (@rows) {
	if ($row->{kind} eq 'note') { draw_note($row) }
	elsif ($row->{kind} eq 'arrow') { draw_arrow($row) }
	elsif ($row->{kind} eq 'own') { draw_own($row) }
	else { band($row->{lane}, delete $owned{$row->{lane}} // refuse("\"] $lanes[$row->{lane}]\" ends nothing"), $y - 8); $y += 4 }
}
band($_, $owned{$_}, $y) for sort keys %owned;

my ($width, $height) = (2 * $MARGIN + $LANE * @lanes, $y + 20);
my @heads = map {
	(sprintf('<line x1="%d" y1="76" x2="%d" y2="%d" class="life"/>', middle($_), middle($_), $y + 8),
	 sprintf('<rect x="%d" y="46" width="%d" height="30" rx="6" class="lane"/>', middle($_) - $LANE / 2 + 16, $LANE - 32),
	 text_at(middle($_), 51, 'mid name', $lanes[$_]))
} 0 .. $#lanes;

binmode STDOUT, ':encoding(UTF-8)';
print <<"END", map { "$_\n" } @heads, @bands, @body;
<?xml version="1.0" encoding="UTF-8"?>
<!-- Drawn by picture.pl: change the .pic file. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height" role="img" aria-label="${\escape($title)}">
<style>
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #1d2733 }
.mid { text-anchor: middle }
.name, .title { font-weight: bold }
.title { font-size: 14px }
.of { font-style: italic }
.paper { fill: #ffffff }
.lane, .note { fill: #e8eef6; stroke: #8a97a8 }
.life { stroke: #8a97a8; stroke-dasharray: 3 4 }
.arrow { stroke: #1d2733; stroke-width: 1.5 }
.head { fill: #1d2733 }
.own { fill: #f2b84b }
\@media (prefers-color-scheme: dark) {
text, .head { fill: #e3e8ee }
.arrow { stroke: #e3e8ee }
.paper { fill: #171c22 }
.lane, .note { fill: #263240; stroke: #73808f }
.own { fill: #a8741a }
}
</style>
<rect width="$width" height="$height" rx="8" class="paper"/>
<text x="@{[$MARGIN + 6]}" y="28" class="title">${\escape($title)}</text>
END
print "</svg>\n";
