#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the generator refuses each kind of wrong table, naming file and line, and writes
# nothing when it does.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $top = $ENV{top_srcdir} // ".";
my $perl = $ENV{PERL} // $^X;
my $dir = tempdir(CLEANUP => 1);
my ($test, $failed) = (0, 0);

sub generate
{
	my ($table) = @_;
	open my $out, ">", "$dir/t.prm" or die;
	print $out $table;
	close $out;
	unlink "$dir/t.h";
	my $said = `$perl '$top/prm/gen.pl' --headers '$dir' '$dir/t.prm' 2>&1`;
	return ($?, $said);
}

sub ok
{
	my ($good, $what, $said) = @_;
	$test++;
	print $good ? "ok" : "not ok", " $test - $what\n";
	return if $good;
	$failed = 1;
	print "# $_\n" for split /\n/, $said;
	return;
}

# Each case: what is wrong, the table, the line that must be named, words of the complaint.
my @cases = (
	["overlap", "struct a 4 t\n\tx 0 16 rw m\n\ty 8 24 rw m\nend\n", 3, "overlaps x.*variant"],
	["gap", "struct a 4 t\n\tx 0 8 rw m\n\ty 16 16 rw m\nend\n", 3, "gap 0x8\\+8 before y"],
	["gap at the end", "struct a 4 t\n\tx 0 8 rw m\nend\n", 1, "gap 0x8\\+24 at the end"],
	["past the end", "struct a 4 t\n\tx 0 32 rw m\n\ty 32 8 rw m\nend\n", 3, "past the end"],
	["unknown type", "struct a 4 t\n\tx 0 nosuch rw m\nend\n", 2, "unknown type 'nosuch'"],
	["unknown enum", "struct a 4 t\n\tx 0 32 rw enum:e m\nend\n", 2, "unknown enum 'e'"],
	["unknown enum of flags", "struct a 4 t\n\tx 0 32 rw flags:e m\nend\n", 2, "unknown enum 'e'"],
	["flags and enum", "enum e 2 t\n\tA 1\nend\nstruct a 4 t\n\tx 0 32 rw enum:e flags:e m\nend\n", 5,
		"exclude each other"],
	["unknown source", "struct a 4 t\n\tx 0 32 rw src:s m\nend\n", 2, "unknown source 's'"],
	["unknown capability bit", "struct a 4 t\n\tx 0 32 rw cap:c m\nend\n", 2, "has no bit 'c'"],
	["unknown source of a structure", "struct a 4 t\n\tsource s\n\tx 0 32 rw m\nend\n", 1,
		"unknown source 's'"],
	["unknown opcode", "enum opcode 16 t\n\tA 0\nend\nstruct a_in 4 t\n\tcommand B\n\tx 0 32 rw m\nend\n",
		4, "unknown opcode 'B'"],
	["opcode with two structures", "enum opcode 16 t\n\tA 0\nend\nstruct a_in 4 t\n\tx 0 32 rw m\nend\n" .
		"struct b_in 4 t\n\tcommand A\n\tx 0 32 rw m\nend\n", 7, "name clash: PRM_A_IN_BYTES"],
	["duplicate field", "struct a 4 t\n\tx 0 16 rw m\n\tx 16 16 rw m\nend\n", 3, "duplicate"],
	["duplicate across variants",
		"struct a 4 t\n\tvariant p\n\tx 0 32 rw m\n\tor q\n\tx 0 32 rw m\n\tend\nend\n", 5, "duplicate"],
	["duplicate structure", "struct a 4 t\n\tx 0 32 rw m\nend\nstruct a 4 t\n\tx 0 32 rw m\nend\n", 4,
		"already defined at .*:1"],
	["duplicate enum", "enum e 2 t\n\tA 0\nend\nenum e 2 t\n\tA 0\nend\n", 4, "already defined"],
	["duplicate enum value", "enum e 2 t\n\tA 1\n\tB 1\nend\n", 3, "repeats the value of A"],
	["name clash of accessors",
		"struct a 4 t\n\tb_get_c 0 32 rw m\nend\nstruct a_get_b 4 t\n\tc 0 32 rw m\nend\n", 5,
		"name clash: prm_a_get_b_get_c"],
	["name clash of constants", "enum a_b 2 t\n\tC 0\nend\nenum a 2 t\n\tB_C 0\nend\n", 5,
		"name clash: PRM_A_B_C"],
	["enum value too wide", "enum e 2 t\n\tA 4\nend\n", 2, "does not fit 2 bits"],
	["enum wider than its field",
		"enum e 8 t\n\tA 4\nend\nstruct a 4 t\n\tx 0 4 rw enum:e m\n\treserved 4 28\nend\n", 5,
		"e has 8 bits, the field 4"],
	["variant that leaves a gap",
		"struct a 4 t\n\tvariant p\n\tx 0 32 rw m\n\tor q\n\ty 0 16 rw m\n\tend\nend\n", 1,
		"variant q: gap 0x10\\+16"],
	["variant that overlaps inside",
		"struct a 4 t\n\tvariant p\n\tx 0 32 rw m\n\ty 8 8 rw m\n\tend\nend\n", 4, "overlaps x"],
	["variant on no field", "struct a 4 t\n\tvariant p if z = 1\n\tx 0 32 rw m\n\tend\nend\n", 2,
		"has no field 'z'"],
	["variant on no value",
		"struct a 8 t\n\tz 0 32 rw m\n\tvariant p if z = NONE\n\tx 32 32 rw m\n\tend\nend\n", 3,
		"'NONE' is no value of z"],
	["or without variant", "struct a 4 t\n\tx 0 32 rw m\n\tor p\nend\n", 3, "'or' outside a variant"],
	["missing end", "struct a 4 t\n\tx 0 32 rw m\n", 2, "has no 'end'"],
	["no meaning", "struct a 4 t\n\tx 0 32 rw\nend\n", 2, "no meaning"],
	["bad access", "struct a 4 t\n\tx 0 32 rx m\nend\n", 2, "access 'rx'"],
	["bad offset", "struct a 4 t\n\tx zero 32 rw m\nend\n", 2, "offset 'zero' is no number"],
	["bad width", "struct a 4 t\n\tx 0 3-2 rw m\nend\n", 2, "width '3-2'"],
	["zero width", "struct a 4 t\n\tx 0 0 rw m\n\treserved 0 32\nend\n", 2, "zero width"],
	["odd size", "struct a 5 t\n\tx 0 40 rw m\nend\n", 1, "no multiple of 2"],
	["odd size of a packed segment", "struct a 6 t\n\tpack\n\tx 0 32 rw m\n\ty 32 16 rw m\nend\n", 1,
		"whole words"],
	["a load past the end", "struct a 6 t\n\treserved 0 28\n\tx 28 20 rw m\nend\n", 3, "no load can fetch it"],
	["unreachable field", "struct a 12 t\n\treserved 0 30\n\tx 30 64 rw m\n\treserved 94 2\nend\n", 3,
		"no load can fetch it"],
	["bytes off a byte boundary", "struct a 12 t\n\treserved 0 4\n\tx 4 72 rw m\n\treserved 76 20\nend\n",
		3, "not at a byte boundary"],
	["array of odd elements", "struct a 4 t\n\tx 0 4[8] rw m\nend\n", 2, "array elements are"],
	["flexible array before the end", "struct a 8 t\n\tx 0 32[] rw m\n\ty 0 64 rw m\nend\n", 2,
		"starts at the end"],
	["wide field in a pack", "struct a 16 t\n\tpack\n\tx 0 128 rw m\nend\n", 3, "no arrays or wide"],
	["cause before any value", "enum e 2 t\n\tcause c\n\tA 1\nend\n", 2, "'cause' before any value"],
	["two remedies", "enum e 2 t\n\tA 1\n\tremedy c\n\tremedy d\nend\n", 4, "A has a remedy already"],
	["a value without a number", "enum e 2 t\n\tA\nend\n", 2, "expected NAME VALUE"],
	["a value that is no number", "enum e 2 t\n\tA one\nend\n", 2, "'one' is no number"],
	["a field without a width", "struct a 4 t\n\tx 0\nend\n", 2, "expected NAME OFFSET WIDTH"],
	["a count that is no number", "struct a 4 t\n\tx 0 32[two] rw m\nend\n", 2, "count 'two' is no number"],
	["reserved with a meaning", "struct a 4 t\n\treserved 0 32 rw m\nend\n", 2, "reserved takes an offset"],
	["reserved of a structure", "struct a 4 t\n\tx 0 32 rw m\nend\nstruct b 4 t\n\treserved 0 a\nend\n", 5,
		"reserved takes an offset"],
	["a condition without a value", "struct a 4 t\n\tvariant p if x\n\tx 0 32 rw m\n\tend\nend\n", 2,
		"expected a branch name"],
	["an enum wider than a word", "enum e 65 t\n\tA 1\nend\n", 1, "width '65' is not 1..64"],
	["a structure off a byte boundary",
		"struct a 4 t\n\tx 0 32 rw m\nend\nstruct b 8 t\n\treserved 0 4\n\ty 4 a rw m\n\treserved 36 28\nend\n", 6,
		"structure not at a byte boundary"],
	["stray line", "x 0 32 rw m\n", 1, "expected source, enum or struct"],
);

for my $c (@cases) {
	my ($what, $table, $line, $words) = @$c;
	my ($status, $said) = generate($table);
	ok($status != 0 && $said =~ m{/t\.prm:$line: .*$words} && !-e "$dir/t.h", "refused: $what", $said);
}

my ($status, $said) = generate("# a good table\nenum e 2 t\n\tA 1 one\nend\n" .
	"struct a 8 t\n\tpack\n\tx 0 4 rw enum:e m\n\treserved 4 28\n" .
	"\tvariant p if x = A\n\ty 32 32 rw m\n\tor q\n\tz 32 16 rw m\n\treserved 48 16\n\tend\nend\n");
ok($status == 0 && -e "$dir/t.h", "a good table is taken", $said);
print "1..$test\n";
exit $failed;
