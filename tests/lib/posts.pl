#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Prints a C program with a function for each inline post of the public headers, of whose arguments
# the compiler knows nothing, and which rings the doorbell: `posts.pl INCLUDE_DIR`. barriers.sh and
# aarch64.sh look at its machine code. Left out is what only other posts call, with constants. A post
# that calls a function of the program's gets one that the compiler knows, as a program gives it.
# A post is a function, or a row DVX_POST_GATHER or _INLINE (post.h).
use strict;
use warnings;

my %inner = map { $_ => 1 } qw(dvx_post_atomic dvx_post_gather dvx_post_inline dvx_post_claim);
my %data = (GATHER => 'const struct dvx_sge *sge, uint32_t n', INLINE => 'const void *data, uint32_t len');

print "#include <dvx/dvx.h>\n";
for my $header (sort glob("$ARGV[0]/dvx/*.h")) {
	open(my $in, '<', $header) or die "$header: $!\n";
	local $/;
	my $text = <$in>;
	$text =~ s/^DVX_POST_(GATHER|INLINE)\((\w+),.*?(struct dvx_sq \*sq[^)]*)\)\n/DVX_INLINE int $2($3, $data{$1}, uint64_t wr_id, uint32_t flags)\n{\n/msg;
	while ($text =~ /^DVX_INLINE int (dvx_post_\w+)\(([^)]*)\)\s*\{/mg) {
		my ($post, $args) = ($1, $2);
		next if $inner{$post};
		my @names = map { /(\w+)\s*$/ ? $1 : die "$post: $args\n" } split(/,/, $args);
		my $fills = $args =~ s/dvx_rule_fill fill,\s*//;
		@names = map { $fills && $_ eq 'fill' ? 'dvx_rule_fill_arg' : $_ } @names;
		print "int ring_$post($args)\n{\n\tint err = $post(", join(', ', @names),
		  ");\n\n\tdvx_sq_ring(sq);\n\treturn err;\n}\n";
	}
}
