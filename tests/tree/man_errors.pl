#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Prints what the ERRORS of manual pages lack: `man_errors.pl PAGE...`, in the top directory. An error
# of a call is each E... in its source, and in that of all that it calls (names are unique in the
# tree). Firmware commands have errors of their own: the pages of calls that run one refer to
# dvx_cmd(3), which lists them.
use strict;
use warnings;
use Errno;

my %command = map { $_ => 1 }
  qw(dvx_cmd dvx_obj_create dvx_obj_query dvx_obj_modify dvx_obj_destroy dvx_obj_forget);
my $reports = qr/^dvx_(?:fail|fail_cmd|restore|last_error|strerror)$/;

sub text {
	my ($file) = @_;
	open(my $in, '<', $file) or die "$file: $!\n";
	local $/;
	return scalar <$in>;
}

# Functions and tables by name: the text between their braces.
my (%body, %is_table);
for my $file (glob('src/lib/{,flow/,hws/}*.c'), glob('include/dvx/*.h')) {
	my $all = text($file);
	$all =~ s{/\*.*?\*/}{}gs;
	$all =~ s{"(?:\\.|[^"\\])*"}{""}g;
	# Posts to queues of the library's own: it sees to room, and has no wrong flag. A wait reports EIO.
	$all =~ s/\bdvx_(?:rule_post|rule_claim|post_rule_arg|cq_poll)\(/(/g if $file =~ m{^src/lib/(?:flow|hws)/};
	while ($all =~ /^\w[^;{}]*?\b(\w+)(?:\([^;{}]*\)\s*\n\{|((?:\[[^;{}]*\])?\s*=)\s*\{)(.*?)^\}/gms) {
		$body{$1} .= $3;
		$is_table{$1} = defined $2;
	}
	$body{$2} .= "return dvx_post_\L$1();" while $all =~ /^DVX_POST_(GATHER|INLINE)\((\w+)/gm; # post.h
	$body{$1} .= "return $2();" while $all =~ /^\t\.(\w+) = (\w+),$/gm; # a backend's functions
}

delete @body{qw(dvx_flow_dr dvx_flow_hws)}; # their functions are found by the members' names

sub errors {
	my ($name, $page, $seen) = @_;
	my %found;
	return () if $seen->{$name}++ || !defined $body{$name} || $name =~ $reports;
	my $b = $body{$name};
	$b =~ s/\b(?:\w+\.)?(?:errno|err|number)\s*[!=]=\s*-?E[A-Z0-9]+//g; # asked for, not returned
	$found{$_} = 1 for grep { exists $!{$_} } $b =~ /\b(E[A-Z0-9]+)\b/g;
	$b =~ s/(?<=[;{})])(\s*(?:else\s+)?)\w+\(/$1(/g; # a result that nobody looks at
	while ($b =~ /\b([a-z]\w+)\b(\s*\()?/g) {
		my ($used, $called) = ($1, $2);
		next unless $called || $is_table{$used} || $is_table{$name};
		if ($command{$used} && !$page->{$used}) {
			$found{command} = 1;
		} else {
			$found{$_} = 1 for errors($used, $page, $seen);
		}
	}
	return keys %found;
}

for my $file (@ARGV) {
	my $page = text($file);
	my ($synopsis) = $page =~ /^\.SH SYNOPSIS\n(.*?)^\.SH/ms;
	my ($told) = $page =~ /^\.SH ERRORS\n(.*?)(?:^\.SH|\z)/ms;
	my %calls = map { $_ => 1 } ($synopsis // '') =~ /\b(dvx_\w+)\(/g;
	my %by;
	for my $call (sort keys %calls) {
		push @{$by{$_}}, $call for errors($call, \%calls, {});
	}
	delete $by{EUSERS}; # of every ring, in debug builds: dvx_sq_leave(3)
	for my $err (sort keys %by) {
		my $line = $err eq 'command' ? qr/^\.BR dvx_cmd \(3\)/m : qr/^\.B \\-$err$/m;
		print "$file: $err of @{$by{$err}}\n" unless ($told // '') =~ $line;
	}
}
