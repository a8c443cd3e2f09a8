# SPDX-License-Identifier: BSD-2-Clause
# The tables as JSON, for programs in other languages. The layout is described in prm/README.md;
# what is there keeps its meaning as long as "version" stays.
package Export;
use strict;
use warnings;
use Exporter "import";
use Table;

our @EXPORT = qw(json_text);

sub text
{
	my ($t) = @_;
	return "null" unless defined $t && $t ne "";
	$t =~ s/(["\\])/\\$1/g;
	return "\"$t\"";
}

# Readers that keep numbers as doubles would round anything above 2^53: those are strings.
sub value { my ($v) = @_; return $v >> 53 ? sprintf "\"0x%x\"", $v : $v }

sub object { return "{" . join(", ", @_) . "}" }

sub pair { my ($key, $json) = @_; return "\"$key\": $json" }

# A list, one element a line, so that two exports can be compared with diff.
sub list
{
	my ($indent, @items) = @_;
	return "[]" unless @items;
	return "[\n" . join(",\n", map { "$indent\t$_" } @items) . "\n$indent]";
}

sub value_json
{
	my ($v) = @_;
	return object(pair(name => text($v->{name})), pair(value => value($v->{value})),
		pair(text => text($v->{text})),
		$v->{errno} ? pair(errno => text($v->{errno})) : (),
		map { $v->{$_} ? pair($_ => text($v->{$_})) : () } qw(cause remedy));
}

sub enum_json
{
	my ($e) = @_;
	return object(pair(name => text($e->{name})), pair(family => text($e->{family})),
		pair(bits => $e->{width}), pair(text => text($e->{text})),
		pair(values => list("\t\t", map { value_json($_) } @{$e->{values}})));
}

sub field_json
{
	my ($s, $f) = @_;
	return object(pair(name => text($f->{name})), pair(offset => $f->{off}), pair(width => $f->{width}),
		pair(count => $f->{flexible} ? "null" : $f->{array} ? $f->{count} : 1),
		pair(array => $f->{array} ? "true" : "false"), pair(access => text($f->{access})),
		pair(kind => text($f->{type} ? "struct" : $f->{kind} eq "at" ? "bytes" : "word")),
		$f->{type} ? pair(struct => text($f->{type})) : (),
		$f->{enum} ? pair(enum => text($f->{enum})) : (),
		$f->{flags} ? pair(flags => "true") : (),
		$f->{branch} ? pair(variant => $f->{branch}{index}) : (),
		$f->{src} || $s->{source} ? pair(source => text($f->{src} || $s->{source})) : (),
		pair(text => text($f->{text})));
}

sub variant_json
{
	my ($b) = @_;
	return object(pair(name => text($b->{name})), pair(union => $b->{union}{index}),
		pair(outer => $b->{union}{outer} ? $b->{union}{outer}{index} : "null"),
		$b->{selector} ? (pair(field => text($b->{selector}{name})),
			pair(values => "[" . join(", ", map { value($_) } @{$b->{values}}) . "]")) : ());
}

sub struct_json
{
	my ($s) = @_;
	my $indent = "\t\t";
	return object(pair(name => text($s->{name})), pair(family => text($s->{family})),
		pair(bytes => $s->{bytes}), pair(kernel => text($s->{kernel})), pair(text => text($s->{text})),
		pair(fields => list($indent, map { field_json($s, $_) } @{$s->{fields}})),
		pair(reserved => list($indent, map { object(pair(offset => $_->{off}),
			pair(width => $_->{width}),
			$_->{branch} ? pair(variant => $_->{branch}{index}) : ()) } @{$s->{reserved}})),
		pair(variants => list($indent, map { variant_json($_) } @{$s->{branches}})));
}

sub json_text
{
	return "{\n" . join(",\n", map { "\t$_" }
		pair(format => text("dvx-prm")), pair(version => 1),
		pair(sources => list("\t", map { object(pair(key => text($_)), pair(text => text($source{$_}))) }
			sort keys %source)),
		pair(families => list("\t", map { object(pair(name => text($_->{name})),
			pair(text => text($_->{text} =~ s/\s+$//r))) } @families)),
		pair(enums => list("\t", map { enum_json($_) } @enums)),
		pair(structs => list("\t", map { struct_json($_) } @structs))) . "\n}\n";
}

1;
