# SPDX-License-Identifier: BSD-2-Clause
# A chip that speaks another version of the link: old_chip.pl FOLDER VERSION [stubborn]. As servers do,
# it holds the folder's lock, listens on its socket, answers messages of its own version by an empty one, and
# closes the connection on others. Prints a line when it listens; ends on SIGTERM unless it is stubborn.
use strict;
use warnings;
use Fcntl qw(:flock);
use IO::Socket::UNIX;
my ($folder, $version, $stubborn) = @ARGV;
$SIG{TERM} = $stubborn ? 'IGNORE' : sub { exit 0 };
$SIG{PIPE} = 'IGNORE';
mkdir $folder, 0700 or die "$folder: $!";
open my $lock, '>', "$folder/lock" or die "lock: $!";
flock $lock, LOCK_EX or die "lock: $!";
my $listener = IO::Socket::UNIX->new(Local => "$folder/socket", Listen => 8) or die "socket: $!";
$| = 1;
print "listens\n";
while (1) {
	my $client = $listener->accept or next;
	while (16 == (sysread($client, my $head, 16) // 0)) {
		my ($magic, $theirs, $type) = unpack 'LSS', $head;
		last if $theirs != $version;
		syswrite $client, pack('LSSLl', $magic, $version, $type, 0, -38);
	}
	close $client;
}
