#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Prints a C program with a function for each inline post of the public headers, of whose arguments
# the compiler knows nothing, and which rings the doorbell: `posts.pl INCLUDE_DIR`. barriers.sh and
# aarch64.sh look at its machine code. Left out is what only other posts call, with constants.
use strict;
use warnings;

my %inner = map { $_ => 1 } qw(dvx_post_atomic dvx_post_dc_atomic dvx_post_gather_to dvx_post_inline_to);

print "#include <dvx/dvx.h>\n";
for my $header (sort glob("$ARGV[0]/dvx/*.h")) {
	open(my $in, '<', $header) or die "$header: $!\n";
	local $/;
	my $text = <$in>;
	while ($text =~ /^DVX_INLINE int (dvx_post_\w+)\(([^)]*)\)\s*\{/mg) {
		my ($post, $args) = ($1, $2);
		next if $inner{$post};
		my @names = map { /(\w+)\s*$/ ? $1 : die "$post: $args\n" } split(/,/, $args);
		print "int ring_$post($args)\n{\n\tint err = $post(", join(', ', @names),
		  ");\n\n\tdvx_sq_ring(sq);\n\treturn err;\n}\n";
	}
}
