#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Reads the tables (prm/*.prm, grammar in prm/README.md), refuses what cannot be right with
# FILE:LINE, and writes the accessors, the reflection rows and the list the tests walk through.
#
#	gen.pl [--headers DIR] [--rows FILE] [--list FILE] [--dump] TABLE...
use strict;
use warnings;

my (%want, %source, %enum, %struct, %symbol, @families, @enums, @structs, @errors);
my ($file, $line);

sub refuse
{
	my ($where, $why) = @_;
	push @errors, "$where: $why\n";
	return;
}

sub here { return "$file:$line" }

sub number
{
	my ($text) = @_;
	return $text =~ /^0x[0-9a-f]+$/i ? hex $text : $text =~ /^\d+$/ ? $text + 0 : undef;
}

sub quote
{
	my ($text) = @_;
	$text =~ s/(["\\])/\\$1/g;
	return "\"$text\"";
}

# --- reading -----------------------------------------------------------------------------------

sub parse_enum_value
{
	my ($e, $text) = @_;
	my ($name, $value, $errno, $meaning) =
		$text =~ /^(\w+)\s+(\S+)(?:\s+errno:(\w+))?(?:\s+(.*))?$/
		or return refuse(here(), "expected NAME VALUE [errno:NAME] [TEXT]");
	my $v = number($value);
	return refuse(here(), "enum $e->{name}: '$value' is no number") unless defined $v;
	return refuse(here(), "enum $e->{name}: $name = $value does not fit $e->{width} bits")
		if $e->{width} < 64 && $v >> $e->{width};
	push @{$e->{values}}, {name => $name, value => $v, errno => $errno || "0",
		text => $meaning // "", where => here()};
	return;
}

sub parse_tags
{
	my ($f, $words) = @_;
	while (@$words && $words->[0] =~ /^(enum|src|kernel|also):(\S+)$/) {
		$f->{$1} = $2;
		shift @$words;
	}
	return;
}

sub parse_field
{
	my ($s, $text) = @_;
	my ($name, $off, $width, @rest) = split ' ', $text;
	my %f = (name => $name, where => here(), off => number($off // ""), branch => $s->{at});
	return refuse(here(), "$name: expected NAME OFFSET WIDTH") unless defined $width;
	return refuse(here(), "$name: offset '$off' is no number") unless defined $f{off};
	$width =~ /^(\w+)(?:\[(\w*)\])?$/
		or return refuse(here(), "$name: width '$width' is not understood");
	my ($unit, $count) = ($1, $2);
	$f{width} = number($unit);
	$f{type} = $unit unless defined $f{width};
	$f{array} = defined $count;
	$f{flexible} = $f{array} && $count eq "";
	$f{count} = !$f{array} ? 1 : $f{flexible} ? 0 : number($count);
	return refuse(here(), "$name: count '$count' is no number") unless defined $f{count};
	return refuse(here(), "$name: zero width") if defined $f{width} && !$f{width};
	if ($name eq "reserved") {
		return refuse(here(), "reserved takes an offset and a width only")
			if @rest || $f{type} || $f{array};
		push @{$s->{reserved}}, \%f;
		return;
	}
	$f{access} = shift @rest // "";
	return refuse(here(), "$name: access '$f{access}' is not rw, ro or wo")
		unless $f{access} =~ /^(?:rw|ro|wo)$/;
	parse_tags(\%f, \@rest);
	$f{text} = "@rest";
	return refuse(here(), "$name: no meaning is given") if $f{text} eq "";
	push @{$s->{fields}}, \%f;
	return;
}

# A branch of a union. `if FIELD = VALUE, ...` says when it is the one in use.
sub open_branch
{
	my ($s, $union, $text) = @_;
	my ($name, $field, $values) = $text =~ /^(\w+)(?:\s+if\s+(\w+)\s*=\s*(.+))?$/
		or return refuse(here(), "expected a branch name and maybe 'if FIELD = VALUE, ...'");
	my $b = {name => $name, union => $union, where => here(), field => $field,
		values => [split /\s*,\s*/, $values // ""], index => scalar @{$s->{branches}}};
	push @{$s->{branches}}, $b;
	push @{$union->{branches}}, $b;
	$s->{at} = $b;
	return;
}

sub parse_struct_line
{
	my ($s, $text) = @_;
	my $union = $s->{at} && $s->{at}{union};
	if ($text =~ /^kernel\s+(\w+)$/) {
		$s->{kernel} = $1;
	} elsif ($text =~ /^source\s+(\w+)$/) {
		$s->{source} = $1;
	} elsif ($text =~ /^omit\s+(\S+)\s+\S/) {
		push @{$s->{omit}}, $1;
	} elsif ($text eq "pack") {
		$s->{pack} = 1;
	} elsif ($text =~ /^variant\s+(.+)$/) {
		open_branch($s, {outer => $s->{at}, branches => [], where => here(),
			index => $s->{unions}++}, $1);
	} elsif ($text =~ /^or\s+(.+)$/) {
		return refuse(here(), "'or' outside a variant") unless $union;
		open_branch($s, $union, $1);
	} elsif ($text eq "end" && $union) {
		$s->{at} = $union->{outer};
	} elsif ($text eq "end") {
		return 1;
	} else {
		parse_field($s, $text);
	}
	return 0;
}

sub new_struct
{
	my ($family, $name, $bytes, $text) = @_;
	my $s = {name => $name, bytes => number($bytes) // 0, text => $text, where => here(),
		family => $family->{name}, fields => [], reserved => [], branches => [], unions => 0,
		index => scalar @structs, at => undef};
	refuse(here(), "struct $name: size '$bytes' is no multiple of 4 bytes")
		if !$s->{bytes} || $s->{bytes} % 4;
	refuse(here(), "struct $name is already defined at $struct{$name}{where}") if $struct{$name};
	$struct{$name} //= $s;
	push @structs, $s;
	push @{$family->{items}}, $s;
	return $s;
}

sub new_enum
{
	my ($family, $name, $width, $text) = @_;
	my $e = {name => $name, width => number($width) // 0, text => $text, where => here(),
		family => $family->{name}, values => [], is_enum => 1};
	refuse(here(), "enum $name: width '$width' is not 1..32")
		if $e->{width} < 1 || $e->{width} > 32;
	refuse(here(), "enum $name is already defined at $enum{$name}{where}") if $enum{$name};
	$enum{$name} //= $e;
	push @enums, $e;
	push @{$family->{items}}, $e;
	return $e;
}

sub parse_file
{
	my ($path) = @_;
	my ($open, $handle);
	my ($name) = $path =~ m{([^/]+)\.prm$} or die "$path: not a .prm file\n";
	my $family = {name => $name, items => []};
	push @families, $family;
	($file, $line) = ($path, 0);
	open $handle, "<", $path or die "$path: $!\n";
	while (my $text = <$handle>) {
		$line++;
		$text =~ s/^\s*#.*//;
		$text =~ s/^\s+|\s+$//g;
		next if $text eq "";
		if ($open && $open->{is_enum}) {
			$text eq "end" ? undef $open : parse_enum_value($open, $text);
		} elsif ($open) {
			undef $open if parse_struct_line($open, $text);
		} elsif ($text =~ /^source\s+(\w+)\s+(.+)$/) {
			$source{$1} = $2;
		} elsif ($text =~ /^enum\s+(\w+)\s+(\w+)\s+(.+)$/) {
			$open = new_enum($family, $1, $2, $3);
		} elsif ($text =~ /^struct\s+(\w+)\s+(\w+)\s+(.+)$/) {
			$open = new_struct($family, $1, $2, $3);
		} else {
			refuse(here(), "expected source, enum or struct with name, size and meaning");
		}
	}
	close $handle;
	refuse(here(), "$open->{name} has no 'end'") if $open;
	return;
}

# --- checking ----------------------------------------------------------------------------------

# Bits a field takes; a flexible array takes none inside the structure.
sub bits
{
	my ($f) = @_;
	return $f->{width} * $f->{count};
}

sub resolve
{
	my ($s, $f) = @_;
	if ($f->{type}) {
		my $t = $struct{$f->{type}};
		refuse($f->{where}, "$f->{name}: unknown type '$f->{type}'") unless $t;
		$f->{width} = $t ? $t->{bytes} * 8 : 32;
		refuse($f->{where}, "$f->{name}: structure not at a byte boundary") if $f->{off} % 8;
	}
	my $e = $f->{enum} ? $enum{$f->{enum}} : undef;
	refuse($f->{where}, "$f->{name}: unknown enum '$f->{enum}'") if $f->{enum} && !$e;
	refuse($f->{where}, "$f->{name}: enum $e->{name} has $e->{width} bits, the field $f->{width}")
		if $e && $e->{width} > $f->{width};
	refuse($f->{where}, "$f->{name}: unknown source '$f->{src}'")
		if $f->{src} && !$source{$f->{src}};
	refuse($f->{where}, "$f->{name}: past the end of $s->{name} ($s->{bytes} bytes)")
		if $f->{off} + bits($f) > $s->{bytes} * 8;
	refuse($f->{where}, "$f->{name}: a flexible array starts at the end of its structure")
		if $f->{flexible} && $f->{off} != $s->{bytes} * 8;
	place($f) unless $f->{name} eq "reserved";
	return;
}

# How a field is reached: as a pointer, or inside the smallest naturally aligned word holding it.
sub place
{
	my ($f) = @_;
	my ($off, $width) = @$f{qw(off width)};
	if ($f->{type} || $width > 64 || $f->{array} && $width == 8) {
		$f->{kind} = "at";
		refuse($f->{where}, "$f->{name}: bytes not at a byte boundary") if $off % 8 || $width % 8;
		return;
	}
	refuse($f->{where}, "$f->{name}: array elements are 8, 16, 32 or 64 bits, aligned")
		if $f->{array} && ($width !~ /^(?:16|32|64)$/ || $off % ($width < 32 ? $width : 32));
	for my $unit (8, 16, 32, 64) {
		# A 64-bit word need only start at a dword: the device lays dwords, not qwords.
		for my $align ($unit == 64 ? (64, 32) : ($unit)) {
			my $start = $off - $off % $align;
			next if $off + $width > $start + $unit;
			@$f{qw(kind unit byte shift)} =
				("word", $unit, $start / 8, $start + $unit - $off - $width);
			return;
		}
	}
	refuse($f->{where}, "$f->{name}: crosses word boundaries, no load can fetch it");
	return;
}

# The items must tile [from, to) exactly. A union is one item whose branches all tile its extent.
sub check_tiles
{
	my ($s, $what, $from, $to, $items) = @_;
	my $at = $from;
	for my $i (sort { $a->{off} <=> $b->{off} || bits($a) <=> bits($b) } @$items) {
		refuse($i->{where}, sprintf("%s: %s at 0x%x overlaps %s, which ends at 0x%x; " .
			"a union is written as a variant", $what, $i->{name}, $i->{off}, $s->{last}, $at))
			if $i->{off} < $at;
		refuse($i->{where}, sprintf("%s: gap 0x%x+%d before %s is not covered by reserved",
			$what, $at, $i->{off} - $at, $i->{name})) if $i->{off} > $at;
		$at = $i->{off} + bits($i) if $i->{off} + bits($i) > $at;
		$s->{last} = $i->{name};
	}
	refuse($s->{where}, sprintf("%s: gap 0x%x+%d at the end is not covered by reserved",
		$what, $at, $to - $at)) if $at < $to;
	return;
}

sub items_of
{
	my ($s, $branch) = @_;
	my @items = grep { ($_->{branch} // 0) == ($branch // 0) } @{$s->{fields}}, @{$s->{reserved}};
	my %seen;
	for my $b (@{$s->{branches}}) {
		next if ($b->{union}{outer} // 0) != ($branch // 0) || $seen{$b->{union}}++;
		push @items, union_extent($s, $b->{union});
	}
	return @items;
}

# Tiles the branches of a union and returns it as one item for the enclosing level.
sub union_extent
{
	my ($s, $union) = @_;
	my ($from, $to);
	my %items = map { $_ => [items_of($s, $_)] } @{$union->{branches}};
	for my $i (map { @$_ } values %items) {
		my $end = $i->{off} + bits($i);
		$from = $i->{off} if !defined $from || $i->{off} < $from;
		$to = $end if !defined $to || $end > $to;
	}
	check_tiles($s, "$s->{name}, variant $_->{name}", $from, $to, $items{$_})
		for @{$union->{branches}};
	return {name => "variant $union->{branches}[0]{name}", off => $from // 0,
		width => ($to // 0) - ($from // 0), count => 1, where => $union->{where}};
}

sub check_branches
{
	my ($s) = @_;
	for my $b (grep { $_->{field} } @{$s->{branches}}) {
		my ($f) = grep { $_->{name} eq $b->{field} } @{$s->{fields}};
		if (!$f) {
			refuse($b->{where}, "variant $b->{name}: $s->{name} has no field '$b->{field}'");
			next;
		}
		$b->{selector} = $f;
		my $e = $f->{enum} ? $enum{$f->{enum}} : undef;
		for my $v (@{$b->{values}}) {
			my ($named) = grep { $_->{name} eq $v } $e ? @{$e->{values}} : ();
			$v = $named ? $named->{value} : number($v) //
				refuse($b->{where}, "variant $b->{name}: '$v' is no value of $f->{name}");
		}
	}
	return;
}

# Every C identifier of every family lives in one space.
sub claim
{
	my ($name, $where) = @_;
	refuse($where, "name clash: $name is already made at $symbol{$name}") if $symbol{$name};
	$symbol{$name} //= $where;
	return;
}

sub check_struct
{
	my ($s) = @_;
	my %seen;
	for my $f (@{$s->{fields}}, @{$s->{reserved}}) {
		resolve($s, $f);
		next if $f->{name} eq "reserved";
		refuse($f->{where}, "$f->{name}: duplicate in $s->{name}, first at $seen{$f->{name}}")
			if $seen{$f->{name}};
		$seen{$f->{name}} //= $f->{where};
		refuse($f->{where}, "$f->{name}: a packed segment has no arrays or wide fields")
			if $s->{pack} && $f->{kind} && ($f->{kind} eq "at" || $f->{array});
		claim("prm_$s->{name}_$_\_$f->{name}", $f->{where})
			for ($f->{kind} // "") eq "at" ? qw(at cat) : qw(get set);
	}
	check_tiles($s, $s->{name}, 0, $s->{bytes} * 8, [items_of($s, undef)]);
	check_branches($s);
	refuse($s->{where}, "struct $s->{name}: unknown source '$s->{source}'")
		if $s->{source} && !$source{$s->{source}};
	claim("PRM_" . uc($s->{name}) . "_BYTES", $s->{where});
	claim("prm_$s->{name}_pack", $s->{where}) if $s->{pack};
	return;
}

sub check_enum
{
	my ($e) = @_;
	my %seen;
	for my $v (@{$e->{values}}) {
		claim("PRM_" . uc("$e->{name}_$v->{name}"), $v->{where});
		refuse($v->{where}, "enum $e->{name}: $v->{name} repeats the value of $seen{$v->{value}}")
			if $seen{$v->{value}};
		$seen{$v->{value}} //= $v->{name};
	}
	return;
}

# --- writing -----------------------------------------------------------------------------------

sub write_file
{
	my ($path, $text) = @_;
	open my $out, ">", "$path.tmp" or die "$path.tmp: $!\n";
	print $out $text;
	close $out or die "$path.tmp: $!\n";
	rename "$path.tmp", $path or die "$path: $!\n";
	return;
}

sub enum_text
{
	my ($e) = @_;
	my $out = "/* $e->{text} */\nenum prm_$e->{name} {\n";
	for my $v (@{$e->{values}}) {
		$out .= sprintf "\tPRM_%s = 0x%x,", uc("$e->{name}_$v->{name}"), $v->{value};
		$out .= $v->{text} eq "" ? "\n" : " /* $v->{text} */\n";
	}
	return "$out};\n\n";
}

sub mask { my ($width) = @_; return sprintf "0x%x", $width == 64 ? ~0 : (1 << $width) - 1 }

sub pointer_accessors
{
	my ($n, $f) = @_;
	my ($byte, $stride) = ($f->{off} / 8, $f->{width} / 8);
	my ($arg, $at) = $f->{array} ? (", size_t i", "$byte + i * $stride") : ("", $byte);
	# A byte array is reached as a whole.
	($arg, $at) = ("", $byte) if $f->{array} && !$f->{type} && $f->{width} == 8;
	return <<"END";
PRM_INLINE void *prm_${n}_at_$f->{name}(void *p$arg)
{
	return prm_at(p, $at);
}

PRM_INLINE const void *prm_${n}_cat_$f->{name}(const void *p$arg)
{
	return prm_cat(p, $at);
}

END
}

sub word_accessors
{
	my ($n, $f) = @_;
	my $type = $f->{width} > 32 ? "uint64_t" : "uint32_t";
	my ($arg, $at) = ("", $f->{byte});
	($arg, $at) = (", size_t i", "$f->{byte} + i * " . $f->{width} / 8) if $f->{array};
	my $bits = "$f->{shift}, " . mask($f->{width});
	return <<"END";
PRM_INLINE $type prm_${n}_get_$f->{name}(const void *p$arg)
{
	return (${type})prm_get$f->{unit}(p, $at, $bits);
}

PRM_INLINE void prm_${n}_set_$f->{name}(void *p$arg, $type v)
{
	prm_set$f->{unit}(p, $at, $bits, v);
}

END
}

# The part of field f that lies in the 32 bits from `from` on, as a C term, or nothing.
sub pack_term
{
	my ($f, $from) = @_;
	my $below = $from + 32 - ($f->{off} + $f->{width});
	return if $f->{off} >= $from + 32 || $f->{off} + $f->{width} <= $from;
	my $v = "a.$f->{name}";
	return $below < 0 ? "(uint32_t)($v >> " . -$below . ")" :
		($f->{width} > 32 ? "(uint32_t)$v" : $v) . ($below ? " << $below" : "");
}

sub pack_text
{
	my ($s) = @_;
	my $n = $s->{name};
	my ($args, $fits, $stores) = ("", "", "");
	my @fields = sort { $a->{off} <=> $b->{off} } @{$s->{fields}};
	for my $f (@fields) {
		$args .= "\t" . ($f->{width} > 32 ? "uint64_t" : "uint32_t") . " $f->{name} PRM_ZERO;\n";
		$fits .= "\tprm_fit(a.$f->{name}, " . mask($f->{width}) . ");\n";
	}
	for (my $at = 0; $at < $s->{bytes} * 8; $at += 32) {
		my ($whole) = grep { $_->{off} == $at && $_->{width} == 64 } @fields;
		if ($whole && !grep { $_ != $whole && $_->{off} < $at + 64 &&
				      $_->{off} + $_->{width} > $at } @fields) {
			$stores .= "\tprm_store64(p, " . $at / 8 . ", a.$whole->{name});\n";
			$at += 32;
			next;
		}
		my @terms = map { pack_term($_, $at) } @fields;
		$stores .= "\tprm_store32(p, " . $at / 8 . ", " . (join(" | ", @terms) || "0") . ");\n";
	}
	return <<"END";
struct prm_${n}_args {
$args};

/* Writes all $s->{bytes} bytes; a value that does not fit would spill into its neighbour. */
PRM_INLINE void prm_${n}_pack_args(void *p, struct prm_${n}_args a)
{
$fits$stores}

#define prm_${n}_pack(p, ...) prm_${n}_pack_args((p), PRM_ARGS(prm_${n}_args, __VA_ARGS__))

END
}

sub struct_text
{
	my ($s) = @_;
	my $out = "/* $s->{text} */\n#define PRM_" . uc($s->{name}) . "_BYTES $s->{bytes}\n\n";
	$out .= "/* $_->{name}: $_->{text} */\n" .
		($_->{kind} eq "at" ? pointer_accessors($s->{name}, $_) : word_accessors($s->{name}, $_))
		for @{$s->{fields}};
	$out .= pack_text($s) if $s->{pack};
	return $out;
}

sub header_text
{
	my ($family) = @_;
	my $guard = "DVX_PRM_" . uc($family->{name}) . "_H";
	return "/* SPDX-License-Identifier: BSD-2-Clause */\n" .
		"/* Generated by prm/gen.pl from prm/$family->{name}.prm: edit that. */\n" .
		"#ifndef $guard\n#define $guard\n\n#include <dvx/prm/prm.h>\n\n" .
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" .
		join("", map { $_->{is_enum} ? enum_text($_) : struct_text($_) } @{$family->{items}}) .
		"#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

sub enum_rows
{
	my ($e) = @_;
	my $out = "static const struct prm_enum_value values_$e->{name}\[] = {\n";
	$out .= sprintf "\t{ \"%s\", 0x%x, %s, %s },\n", $_->{name}, $_->{value}, quote($_->{text}),
		$_->{errno} for @{$e->{values}};
	return "$out};\n\n";
}

sub field_row
{
	my ($f) = @_;
	return sprintf "\t{ .name = \"%s\", .offset = 0x%x, .width = %d, .count = %d, .branch = %d,\n" .
		"\t  .access = PRM_%s, .bytes = %d, .values = %s, .type = %s,\n\t  .text = %s },\n",
		$f->{name}, $f->{off}, $f->{width}, $f->{count}, $f->{branch} ? $f->{branch}{index} : -1,
		uc $f->{access}, $f->{kind} eq "at" && !$f->{type} ? 1 : 0,
		$f->{enum} ? "&enum_$f->{enum}" : "NULL",
		$f->{type} ? "&prm_structs[$struct{$f->{type}}{index}]" : "NULL", quote($f->{text});
}

sub branch_rows
{
	my ($s) = @_;
	my ($values, $rows) = ("", "");
	for my $b (@{$s->{branches}}) {
		my $v = "NULL";
		if ($b->{selector}) {
			$v = "when_$s->{name}_$b->{index}";
			$values .= "static const uint64_t $v\[] = { " . join(", ", @{$b->{values}}) . " };\n";
		}
		my ($i) = $b->{selector} ? grep { $s->{fields}[$_] == $b->{selector} }
			0 .. $#{$s->{fields}} : -1;
		$rows .= sprintf "\t{ \"%s\", %d, %d, %d, %s, %d },\n", $b->{name}, $b->{union}{index},
			$b->{union}{outer} ? $b->{union}{outer}{index} : -1, $i, $v,
			$b->{selector} ? scalar @{$b->{values}} : 0;
	}
	return "" if $rows eq "";
	return "${values}static const struct prm_branch branches_$s->{name}\[] = {\n$rows};\n\n";
}

sub rows_text
{
	my $out = "/* SPDX-License-Identifier: BSD-2-Clause */\n" .
		"/* Generated by prm/gen.pl: edit the tables. */\n" .
		"#include <errno.h>\n#include <stddef.h>\n#include \"src/prm/rows.h\"\n\n";
	$out .= enum_rows($_) . "static const struct prm_enum enum_$_->{name} = {\n\t\"$_->{name}\", " .
		"$_->{width}, " . scalar @{$_->{values}} . ", values_$_->{name}, " . quote($_->{text}) .
		"\n};\n\n" for @enums;
	for my $s (@structs) {
		$out .= branch_rows($s) . "static const struct prm_field fields_$s->{name}\[] = {\n" .
			join("", map { field_row($_) } @{$s->{fields}}) . "};\n\n";
	}
	$out .= "const struct prm_enum *const prm_enums[] = {\n" .
		join("", map { "\t&enum_$_->{name},\n" } @enums) . "};\n" .
		"const size_t prm_enum_count = " . scalar(@enums) . ";\n\nconst struct prm_struct prm_structs[] = {\n";
	$out .= sprintf "\t{ \"%s\", %s, %s, %d, %d, %d, fields_%s, %s },\n", $_->{name}, quote($_->{text}),
		$_->{kernel} ? "\"$_->{kernel}\"" : "NULL", $_->{bytes}, scalar @{$_->{fields}},
		scalar @{$_->{branches}}, $_->{name}, @{$_->{branches}} ? "branches_$_->{name}" : "NULL"
		for @structs;
	return "$out};\nconst size_t prm_struct_count = " . scalar(@structs) . ";\n";
}

# For tests, one macro call per structure, BYTES(struct, size), and one per field: WORD(struct,
# field), WORDS for an array of words, AT for a pointer, ATS for an array of structures.
sub list_text
{
	my $out = "/* Generated by prm/gen.pl */\n";
	for my $s (@structs) {
		$out .= "BYTES($s->{name}, PRM_" . uc($s->{name}) . "_BYTES)\n";
		for my $f (@{$s->{fields}}) {
			my $indexed = $f->{array} && ($f->{type} || $f->{width} != 8) ? "S" : "";
			$out .= ($f->{kind} eq "at" ? "AT$indexed($s->{name}, $f->{name})" :
				"WORD$indexed($s->{name}, $f->{name})") . "\n";
		}
	}
	return $out;
}

# Tab-separated rows for tests/unit/prm_witness.pl.
sub dump_text
{
	my $out = "";
	for my $s (@structs) {
		$out .= join("\t", "S", $s->{name}, $s->{bytes} * 8, $s->{kernel} // "", $s->{source} // "") .
			"\n";
		$out .= "O\t$_\n" for @{$s->{omit}};
		$out .= join("\t", "F", map { $_ // "" } @$_{qw(name off width count type kernel also src)}) .
			"\n" for @{$s->{fields}};
	}
	return $out;
}

while (@ARGV && $ARGV[0] =~ /^--(headers|rows|list|dump)$/) {
	my $what = $1;
	shift @ARGV;
	$want{$what} = $what eq "dump" ? 1 : shift @ARGV;
}
die "usage: gen.pl [--headers DIR] [--rows FILE] [--list FILE] [--dump] TABLE.prm...\n" unless @ARGV;
parse_file($_) for @ARGV;
check_enum($_) for @enums;
check_struct($_) for @structs;
if (@errors) {
	print STDERR @errors;
	exit 1;
}
if ($want{headers}) {
	write_file("$want{headers}/$_->{name}.h", header_text($_)) for @families;
}
write_file($want{rows}, rows_text()) if $want{rows};
write_file($want{list}, list_text()) if $want{list};
print dump_text() if exists $want{dump};
