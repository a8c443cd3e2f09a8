# SPDX-License-Identifier: BSD-2-Clause
# The shell in which the commands of a page run one after the other, as a reader types them.
package Terminal;
use strict;
use warnings;
use Fcntl;

our $LIMIT = 300;    # seconds that a command may take

# In this folder, started by these words, with these variables.
sub new {
	my ($class, $folder, $by, %env) = @_;
	pipe my $from, my $to or die "pipe: $!";
	pipe my $in, my $out or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		@ENV{keys %env} = values %env;
		setpgrp;
		open STDIN, '<&', $in or die;
		fcntl $to, F_SETFD, 0 or die;
		open STDERR, '>', "$folder/.shell" or die;
		exec @$by, 'bash', '--norc', '--noprofile', '-c', 'exec 9>&' . fileno($to) . '; while IFS= read -r line; do eval "$line"; done';
	}
	close $to;
	close $in;
	$out->autoflush(1);
	return bless {folder => $folder, pid => $pid, in => $out, from => $from, n => 0, jobs => []}, $class;
}

# The next line of the shell's answers, or undef if it takes too long.
sub answer {
	my ($self) = @_;
	my ($line, $byte) = ('', '');
	vec(my $bits = '', fileno $self->{from}, 1) = 1;
	while ($byte ne "\n") {
		return undef unless select(my $ready = $bits, undef, undef, $LIMIT) && sysread $self->{from}, $byte, 1;
		$line .= $byte;
	}
	chomp $line;
	return $line;
}

sub lines_of {
	my ($path) = @_;
	open my $in, '<:encoding(UTF-8)', $path or return [];
	chomp(my @lines = <$in>);
	return \@lines;
}

# Runs it: its exit code and its lines of output. What "wait" prints is what jobs printed meanwhile.
sub run {
	my ($self, $command) = @_;
	my $out = "$self->{folder}/.out" . $self->{n}++;
	return $self->wait_jobs if $command =~ /^wait\b\s*(?:#.*)?$/;
	$self->type($command, $out);
	return ($self->answer, lines_of($out));
}

sub type {
	my ($self, $command, $out, $after) = @_;
	open my $file, '>:encoding(UTF-8)', "$out.cmd" or die "$out.cmd: $!";
	print $file "$command\n";
	close $file;
	print {$self->{in}} "eval \"\$(<$out.cmd)\" >$out 2>&1 9>&- </dev/null; echo \$? " . ($after // '') . " >&9\n";
}

# Starts it, and waits until enough($lines) holds; undef if it ends before.
sub start {
	my ($self, $command, $enough) = @_;
	my $out = "$self->{folder}/.out" . $self->{n}++;
	$self->type($command, $out, '$!');
	my $pid = (split ' ', $self->answer // return undef)[1];
	my $until = time + $LIMIT;
	my $lines;
	while (!$enough->($lines = lines_of($out))) {
		return ($lines, undef) if !kill(0, $pid) || $self->ended($pid) || time > $until;
		select undef, undef, undef, 0.01;
	}
	push @{$self->{jobs}}, {pid => $pid, out => $out, seen => scalar @$lines, command => $command};
	return ($lines, 1);
}

# A child that nobody waited for yet.
sub ended {
	my ($self, $pid) = @_;
	open my $stat, '<', "/proc/$pid/stat" or return 1;
	return <$stat> =~ /\) Z /;
}

# Waits for the jobs: the first exit code that is not 0, and the lines that they printed since.
sub wait_jobs {
	my ($self) = @_;
	my ($code, @lines) = (0);
	for my $job (splice @{$self->{jobs}}) {
		print {$self->{in}} "wait $job->{pid}; echo \$? >&9\n";
		my $rc = $self->answer;
		return (undef, \@lines) unless defined $rc;
		$code ||= $rc;
		my $all = lines_of($job->{out});
		push @lines, @$all[$job->{seen} .. $#$all];
	}
	return ($code, \@lines);
}

# Ends the shell, and what it left running: the commands of these.
sub end {
	my ($self) = @_;
	my @left = map { $_->{command} } grep { !$self->ended($_->{pid}) } @{$self->{jobs}};
	close $self->{in};
	kill 'TERM', -$self->{pid};
	waitpid $self->{pid}, 0;
	return @left;
}

1;
