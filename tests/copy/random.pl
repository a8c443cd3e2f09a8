#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Random trees for rsync.sh. The same seed and the same tree give the same result.
#	random.pl make SEED DIR		a tree
#	random.pl change SEED DIR		some changes in it, of every kind
#	random.pl hash DIR [-t]		a line for each entry, without times with -t
# SKIP (environment): letters of what this file system or user can't: A (ACLs), X (attributes), o (owners),
# s (set-user-id), h (hard links). With d no entry is removed or becomes one of another kind, which only --delete makes
# equal at both ends.
use strict;
use warnings;
use Digest::SHA;
use Fcntl qw(:mode);
use POSIX qw(mkfifo);
use Time::HiRes qw(utime);
$ENV{LC_ALL} = 'C';

my ($what, @args) = @ARGV;
my $skip = $ENV{SKIP} // '';
my @odd = ('a', 'b', 'name', 'with space', "new\nline", "\xff\xfe", '-n', '..x', '*', '[a]', 'back\\slash', "\xc3\xa4",
	'.hidden', 'x' x 255, "tab\there", '$HOME', "'quote", '"double', '%s', ':', 'a:b', '~');
my @sizes = (0, 1, 511, 4096, 4097, 65537, 65537, 300_001);

sub pick { $_[int rand @_] }

# Bytes that compress badly, with holes in some.
sub content {
	my ($path) = @_;
	my $size = rand() < 0.05 ? 1_200_007 : pick(@sizes);
	open my $f, '>', $path or return;
	if (rand() < 0.3) {
		truncate $f, $size;
		for (1 .. int rand 3) {
			seek $f, int(rand($size + 1)), 0;
			print $f chr(65 + int rand 26) x int(1 + rand 5000);
		}
	} else {
		my $block = join '', map { chr int rand 256 } 1 .. 512;
		print $f substr $block x (1 + $size / 512), 0, $size;
	}
	close $f;
}

# Whole seconds and fractions.
sub moment { pick(1, 1e9, 1.5e9 + int rand 1000, 1.6e9 + int(rand 1e6) / 1024) }

# Last what depends on nothing, since it may take the right to change more.
sub dress {
	my ($path) = @_;
	my $link = -l $path;
	chown int(rand 3), 1000 + int(rand 3), $path if $skip !~ /o/ && !$link && rand() < 0.2;
	if (!$link && $skip !~ /A/ && (-f $path || -d _) && rand() < 0.1) {
		system 'setfacl', '-m', 'u:' . (3000 + int rand 9) . ':' . pick('r', 'rw', 'x'), '--', $path;
		system 'setfacl', '-d', '-m', 'g:' . (4000 + int rand 9) . ':rx', '--', $path if -d $path && rand() < 0.5;
	}
	if (!$link && $skip !~ /X/ && (-f $path || -d _) && rand() < 0.15) {
		system 'setfattr', '-n', 'user.' . pick('a', 'b.c', 'long'), '-v', pick('', 'value', 'y' x 900), '--', $path;
	}
	chmod pick(0644, 0600, 0755, 0700, 0444, 0640, 0664, -d $path ? 0711 : $skip =~ /s/ ? 0755 : 04755, -d $path ? 01777 : 0000), $path
		if !$link && rand() < 0.6;
	my $t = moment();
	utime $t, $t, $path if !$link;
}

sub entries {
	my ($dir) = @_;
	my @found;
	my @todo = ($dir);
	while (defined(my $d = shift @todo)) {
		opendir my $h, $d or next;
		for my $n (sort grep { !/^\.\.?$/ } readdir $h) {
			my $path = "$d/$n";
			push @found, $path;
			push @todo, $path if !-l $path && -d _;
		}
	}
	return @found;
}

sub make_entry {
	my ($path, $depth, $files) = @_;
	my $kind = rand;
	if ($kind < 0.25 && $depth) {
		mkdir $path or return;
		make_dir($path, $depth - 1, $files);
	} elsif ($kind < 0.37) {
		symlink pick('a', '../b', '/nowhere', 'x' x 300, '.'), $path;
		system 'touch', '-h', '-d', '2001-02-03 04:05:06', '--', $path;    # not now
	} elsif ($kind < 0.45) {
		mkfifo($path, 0600);
	} elsif ($kind < 0.57 && @$files && $skip !~ /h/) {
		link pick(@$files), $path or return;
		return;    # what it is a link to is dressed
	} else {
		content($path);
		push @$files, $path;
	}
	dress($path);
}

sub make_dir {
	my ($dir, $depth, $files) = @_;
	for (1 .. 2 + int rand 5) {
		my $path = "$dir/" . pick(@odd);
		make_entry($path, $depth, $files) unless -l $path || -e _;
	}
}

sub remove {
	my ($path) = @_;
	return unlink $path if -l $path || !-d _;
	chmod 0700, $path;
	remove($_) for map { "$path/$_" } do { opendir my $h, $path or return; grep { !/^\.\.?$/ } readdir $h };
	rmdir $path;
}

sub change_one {
	my ($path) = @_;
	my $kind = $skip =~ /d/ ? pick(1, 4, 5, 6, 7, 8) : int rand 9;
	my $parent = $path =~ s{/[^/]*\z}{}r;
	return unless -l $path || -e _;
	if ($kind == 0) {
		remove($path);
	} elsif ($kind == 1 && -f $path && !-l $path) {
		content($path);
		utime moment(), moment(), $path;
	} elsif ($kind == 2) {    # something else under the same name
		remove($path);
		make_entry($path, 1, []);
	} elsif ($kind == 3) {
		rename $path, "$parent/" . pick(@odd) if !-d $path || -l $path;
	} elsif ($kind == 4) {
		make_entry("$parent/new$args[0]." . int(rand 100), 1, []);
	} elsif ($kind == 5 && -f $path && !-l $path) {
		truncate $path, int rand 5000;
		utime moment(), moment(), $path;
	} elsif ($kind == 6 && $skip !~ /h/ && -f $path && !-l $path) {
		link $path, "$parent/linked$args[0]." . int(rand 100);
	} elsif ($kind == 7 && -f $path && !-l $path) {    # a link no more; with equal content rsync would leave it one
		open my $in, '<', $path or return;
		my $bytes = do { local $/; <$in> };
		unlink $path;
		open my $out, '>', $path or return;
		print $out $bytes, 'more';
		close $out;
		dress($path);
	} else {
		dress($path);
	}
}

sub digest {
	my ($path) = @_;
	my $sha = Digest::SHA->new(256);
	open my $f, '<', $path or return 'unreadable';
	return $sha->addfile($f)->hexdigest;
}

# Paths relative to the directory, as hexadecimal: no name can look like another line.
sub hash {
	my ($dir, $no_times) = @_;
	my %group;
	for my $path ($dir, entries($dir)) {
		my $rel = unpack 'H*', substr $path, length $dir;
		my ($dev, $ino, $mode, undef, $uid, $gid, $rdev, $size, undef, $mtime) = Time::HiRes::lstat($path);
		my $inode = "$dev:$ino";
		my $of = S_ISDIR($mode) ? '' : ($group{$inode} //= $rel);
		my $what = S_ISLNK($mode) ? readlink $path : S_ISREG($mode) ? digest($path) : S_ISDIR($mode) ? '' : $rdev;
		$mtime = 0 if $no_times || S_ISLNK($mode);
		$size = 0 if S_ISDIR($mode);
		$mode = S_IFMT($mode) if S_ISLNK($mode);
		printf "%s %o %d:%d %.6f %d %s %s\n", $rel, $mode, $uid, $gid, $mtime, $size, unpack('H*', $what), $of;
	}
	chdir $dir or die;
	my @all = map { '.' . substr $_, length $dir } sort grep { !-l } entries($dir);
	for my $show (['getfattr', '-hd', '-m', '-', '-e', 'hex'], ['getfacl', '-pns']) {
		open my $out, '-|', @$show, '--', '.', @all or next;
		print grep { !/^\n/ } <$out>;
	}
}

if ($what eq 'hash') {
	hash(@args);
	exit 0;
}
srand $args[0];
umask 022;
if ($what eq 'make') {
	mkdir $args[1];
	make_dir($args[1], 3, []);
} else {
	my @all = entries($args[1]);
	change_one(pick(@all)) for 1 .. (@all ? 3 + int rand 12 : 0);
}
# The same seconds in two directories are equal to rsync, whatever the fraction is: no time is that of now.
for my $dir (reverse $args[1], grep { !-l && -d } entries($args[1])) {
	my $t = moment();
	utime $t, $t, $dir;
}
