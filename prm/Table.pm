# SPDX-License-Identifier: BSD-2-Clause
# Reads the tables (prm/*.prm, grammar in prm/README.md) and refuses what cannot be right.
package Table;
use strict;
use warnings;
no warnings "portable"; # 64-bit constants
use Exporter "import";

our @EXPORT = qw(read_tables items_of way_of command_struct %enum %struct %source @families @enums @structs);
our (%enum, %struct, %source, @families, @enums, @structs);
my (%symbol, @errors, $file, $line);

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

# --- reading -----------------------------------------------------------------------------------

# `cause` and `remedy` lines speak of the value before them: why it is seen, and what to do.
sub parse_advice
{
	my ($e, $what, $text) = @_;
	my $v = $e->{values}[-1] or return refuse(here(), "enum $e->{name}: '$what' before any value");
	return refuse(here(), "enum $e->{name}: $v->{name} has a $what already") if $v->{$what};
	$v->{$what} = $text;
	return;
}

sub parse_enum_value
{
	my ($e, $text) = @_;
	return parse_advice($e, $1, $2) if $text =~ /^(cause|remedy)\s+(.+)$/;
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
	while (@$words && $words->[0] =~ /^(enum|flags|src|kernel|also|cap):(\S+)$/) {
		$f->{$1} = $2;
		shift @$words;
	}
	refuse(here(), "$f->{name}: enum and flags exclude each other") if $f->{enum} && $f->{flags};
	$f->{enum} //= $f->{flags};
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
	} elsif ($text =~ /^command\s+(\w+)$/) {
		push @{$s->{commands}}, $1;
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
	refuse(here(), "struct $name: size '$bytes' is no multiple of 2 bytes")
		if !$s->{bytes} || $s->{bytes} % 2;
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
	refuse(here(), "enum $name: width '$width' is not 1..64")
		if $e->{width} < 1 || $e->{width} > 64;
	refuse(here(), "enum $name is already defined at $enum{$name}{where}") if $enum{$name};
	$enum{$name} //= $e;
	push @enums, $e;
	push @{$family->{items}}, $e;
	return $e;
}

sub parse_file
{
	my ($path) = @_;
	my ($open, $handle, $open_comment) = (undef, undef, 1);
	my ($name) = $path =~ m{([^/]+)\.prm$} or die "$path: not a .prm file\n";
	my $family = {name => $name, items => [], text => ""};
	push @families, $family;
	($file, $line) = ($path, 0);
	open $handle, "<", $path or die "$path: $!\n";
	while (my $text = <$handle>) {
		$line++;
		# The comment that opens a file, up to the first empty line, introduces the family.
		$open_comment &&= $text =~ /^#/;
		$family->{text} .= "$1 " if $open_comment && $text =~ /^#\s+(?!SPDX)(.+)$/;
		$text =~ s/^\s*#.*//;
		$text =~ s/^\s+|\s+$//g;
		next if $text eq "";
		if ($open && $open->{is_enum}) {
			$text eq "end" ? undef $open : parse_enum_value($open, $text);
		} elsif ($open) {
			undef $open if parse_struct_line($open, $text);
		} elsif ($text =~ /^source\s+(\w+)\s+"(.+)"$/) {
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
	place($f, $s->{bytes} * 8) unless $f->{name} eq "reserved";
	return;
}

# How a field is reached: as a pointer, or inside the smallest naturally aligned word holding it.
sub place
{
	my ($f, $bits) = @_;
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
			next if $off + $width > $start + $unit || $start + $unit > $bits && !$f->{array};
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
		width => ($to // 0) - ($from // 0), count => 1, where => $union->{where}, union => $union};
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

# A command's input or its reply.
sub way_of
{
	my ($s) = @_;
	return $s->{name} =~ /_out(_|$)/ ? "OUT" : "IN";
}

# The structure of a command's input ("IN") or reply ("OUT"): one that says so, the one with the
# opcode's name, or what all commands begin with.
sub command_struct
{
	my ($op, $way) = @_;
	my ($named) = grep { way_of($_) eq $way && grep { $_ eq $op } @{$_->{commands}} } @structs;
	return $named // $struct{lc($op) . "_" . lc $way} // $struct{"mbox_" . lc $way};
}

# The bit by which a device lists that it matches a field; outer and inner headers have one each.
sub cap_field
{
	my ($name) = @_;
	my $caps = $struct{flow_table_fields_supported} or return;
	return grep { $_->{name} =~ /^(?:outer_|inner_)?\Q$name\E$/ } @{$caps->{fields}};
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
		refuse($f->{where}, "$f->{name}: flow_table_fields_supported has no bit '$f->{cap}'")
			if $f->{cap} && !cap_field($f->{cap});
		claim("prm_$s->{name}_$_\_$f->{name}", $f->{where})
			for ($f->{kind} // "") eq "at" ? qw(at cat) : qw(get set);
	}
	check_tiles($s, $s->{name}, 0, $s->{bytes} * 8, [items_of($s, undef)]);
	check_branches($s);
	refuse($s->{where}, "struct $s->{name}: a packed segment is written in whole words of 4 bytes")
		if $s->{pack} && $s->{bytes} % 4;
	refuse($s->{where}, "struct $s->{name}: unknown source '$s->{source}'")
		if $s->{source} && !$source{$s->{source}};
	claim("PRM_" . uc($s->{name}) . "_BYTES", $s->{where});
	for my $op (@{$s->{commands}}) {
		claim("PRM_$op\_" . way_of($s) . "_BYTES", $s->{where});
		refuse($s->{where}, "struct $s->{name}: unknown opcode '$op'")
			unless $enum{opcode} && grep { $_->{name} eq $op } @{$enum{opcode}{values}};
	}
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

# Returns the complaints; the tables are in the exported variables.
sub read_tables
{
	parse_file($_) for @_;
	check_enum($_) for @enums;
	check_struct($_) for @structs;
	return @errors;
}

1;
