# SPDX-License-Identifier: BSD-2-Clause
# A network that lies, for the copy_*.sh tests: relays connections to PORT, one after the other, and does
# what FAULT says to each. Prints its own port.
#   proxy.pl PORT FAULT
# FAULT is WHAT:WAY:AT, where WAY is up (to the server) or down (to the client) and AT a number of bytes of
# this way that pass unharmed first. WHAT is
#   flip   one bit of the last byte that came with the next one is changed: the end of a record
#   stall  nothing passes any more, either way; the connection stays
#   reset  both connections are reset
#   cut    both connections are closed in order
#   twice  the next bytes pass two times
#   drop   the next byte is lost, later ones pass
#   crumbs everything passes, in pieces of at most 7 bytes
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_LINGER SHUT_WR);

my ($port, $fault) = @ARGV;
my ($what, $way, $at) = split /:/, $fault;
my $listener = IO::Socket::INET->new(Listen => 8, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "listen: $!";
$| = 1;
print "127.0.0.1:", $listener->sockport, "\n";

# What becomes of bytes that have come: those to be sent. Dies for an end of the connection.
sub harm {
	my ($c, $bytes) = @_;
	my $from = $c->{seen};
	$c->{seen} += length $bytes;
	return $bytes if $c->{way} ne $way || $c->{done} || $c->{seen} <= $at;
	my ($before, $rest) = (substr($bytes, 0, $at - $from), substr($bytes, $at - $from));
	if ($what eq 'crumbs') { $c->{crumbs} = 1; return $bytes }
	$c->{done} = 1;
	if ($what eq 'flip') { substr($rest, -1) ^= "\x04"; return $before . $rest }
	if ($what eq 'twice') { return $before . $rest . $rest }
	if ($what eq 'drop') { return $before . substr($rest, 1) }
	die { what => $what, before => $before };
}

sub send_all {
	my ($to, $bytes, $piece) = @_;
	while (length $bytes) {
		my $n = syswrite $to, $bytes, $piece ? 7 : length $bytes;
		return 0 unless $n;
		substr($bytes, 0, $n) = '';
	}
	return 1;
}

sub relay {
	my ($client, $server) = @_;
	my %ways = (
		fileno $client => {way => 'up', from => $client, to => $server, seen => 0},
		fileno $server => {way => 'down', from => $server, to => $client, seen => 0},
	);
	my $s = IO::Select->new($client, $server);
	$_->setsockopt(6, 1, 1) for $client, $server;
	while ($s->count) {
		for my $ready ($s->can_read) {
			my $c = $ways{fileno $ready};
			my $n = sysread $ready, my $bytes, 65536;
			if (!$n) { # an end, or a reset: what came before it has been passed on
				$s->remove($ready);
				shutdown $c->{to}, SHUT_WR;
				next;
			}
			my $passed = eval { harm($c, $bytes) };
			if (ref $@) {
				send_all($c->{to}, $@->{before});
				if ($what eq 'stall') { # until the client has had enough
					my $alone = IO::Select->new($client);
					while ($alone->can_read) { last unless sysread $client, $bytes, 65536 }
				}
				$_->setsockopt(SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0) for $what eq 'reset' ? ($client, $server) : ();
				return;
			}
			die $@ if $@;
			send_all($c->{to}, $passed, $c->{crumbs});
		}
	}
}

$SIG{PIPE} = 'IGNORE';
while (my $client = $listener->accept) {
	my $server = IO::Socket::INET->new("127.0.0.1:$port") or next;
	relay($client, $server);
}
