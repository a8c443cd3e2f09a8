#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that each file that "make install" installs is in exactly one package's list (debian/*.install, %files of
# packaging/dvx.spec), that no line of these lists is without a file, that versions and symbols are the sources', and
# that a purge deletes what the package's users made with it and nothing of the administrator's.
use strict;
use warnings;
use File::Path 'make_path';
use File::Temp 'tempdir';

my ($top, $build) = @ENV{qw(top_srcdir top_builddir)};
my $test = 0;
chdir $top or die "$top: $!";

sub slurp {
	local (@ARGV, $/) = @_;
	return scalar <>;
}

sub told {
	my ($what, @wrong) = @_;
	printf "%sok %d - %s\n", @wrong ? 'not ' : '', ++$test, $what;
	print "# $_\n" for @wrong;
}

# What make installs with these folders, from its own variables.
sub installed {
	my ($libdir, @folders) = @_;
	my @files;
	open my $make, '-|', 'make', '-s', '-C', $build, '--no-print-directory', 'prefix=/usr', 'mandir=/usr/share/man', "libdir=$libdir", @folders,
		'--eval', 'kind = $(filter %_PROGRAMS %_LTLIBRARIES %_HEADERS %_DATA %_SCRIPTS %_MANS,$(.VARIABLES))',
		'--eval', 'place = $(patsubst dist_%,%,$(patsubst nodist_%,%,$(basename $(subst _PROGRAMS,.,$(subst _LTLIBRARIES,.,$(subst _HEADERS,.,$(subst _DATA,.,$(subst _SCRIPTS,.,$(subst _MANS,.,$(1))))))))))',
		'--eval', 'files-to-install: ; @:$(foreach v,$(kind),$(foreach f,$($(v)),$(info $(v) $($(call place,$(v))dir) $(f))))',
		'files-to-install' or die "make: $!";
	while (<$make>) {
		my ($kind, $dir, $file) = /^(\w+) (\/\S+) (\S+)$/ or next;
		next if $kind =~ /^(am|noinst|check|EXTRA)_/;
		my ($name) = $file =~ m{([^/]+)$};
		$dir .= "/man$1" if $kind =~ /_MANS$/ && $name =~ /\.(\d)$/;
		push @files, "$dir/$name";
		push @files, "$dir/$1.so" if $name =~ /^(.*)\.la$/;
		push @files, "$dir/$1.so.0" if $kind eq 'lib_LTLIBRARIES' && $name =~ /^(.*)\.la$/;
	}
	my %once = map { $_ => 1 } @files;
	return sort keys %once;
}

# A package's line takes a file of this name, or what is below this folder.
sub takes {
	my ($line, $file) = @_;
	my $glob = join '[^/]*', map { quotemeta } split /\*/, $line, -1;
	return $file =~ m{^$glob(/|$)};
}

sub compare {
	my ($what, $lines, @files) = @_;
	my (@wrong, %used);
	for my $file (@files) {
		my @in = grep { takes($_->[1], $file) } @$lines;
		$used{"@$_"} = 1 for @in;
		my %package = map { $_->[0] => 1 } @in;
		push @wrong, "$file is in no package" if !@in;
		push @wrong, "$file is in " . join ' and ', sort keys %package if keys %package > 1;
	}
	push @wrong, "$_->[0] has a line for nothing: $_->[1]" for grep { !$used{"@$_"} } @$lines;
	push @wrong, 'make names no files' if @files < 50;
	told("$what: each installed file is in exactly one package", @wrong);
}

print "1..7\n";
my @debian;
for my $list (glob 'debian/*.install debian/not-installed') {
	my ($package) = $list =~ m{/(.*?)(?:\.install)?$};
	push @debian, map { [$package, "/$_"] } split ' ', slurp($list);
}
compare('Debian', \@debian, installed('/usr/lib/TRIPLET', 'systemdunitdir=/lib/systemd/system', 'docdir=/usr/share/doc/dvx-doc',
	'zshcompletiondir=/usr/share/zsh/vendor-completions'));

my %macro = (prefix => '/usr', bindir => '/usr/bin', libdir => '/usr/lib64', libexecdir => '/usr/libexec', includedir => '/usr/include',
	datadir => '/usr/share', mandir => '/usr/share/man', docdir => '/usr/share/doc', unitdir => '/usr/lib/systemd/system');
my $spec = slurp('packaging/dvx.spec');
my @rpm;
while ($spec =~ /^%files(.*)\n((?:[^\n]+\n)+)/mg) {
	my ($package, $lines) = ($1, $2);
	push @rpm, map { [$package, s/%\{_(\w+)\}/$macro{$1}/r] } grep { /^%\{/ } split /\n/, $lines;
}
my @files = grep { !m{/libdvx(-sim)?\.la$} } installed('/usr/lib64', 'docdir=/usr/share/doc/dvx');
compare('RPM', \@rpm, @files);

my ($version) = slurp('configure.ac') =~ /AC_INIT\(\[dvx\], \[(.*?)\]/;
told('all packages have the version of configure.ac',
	(slurp('debian/changelog') =~ /^dvx \(\Q$version\E\)/ ? () : "debian/changelog begins with another than $version"),
	($spec =~ /^Version: \Q$version\E$/m ? () : "packaging/dvx.spec has another than $version"),
	(slurp('include/dvx/common.h') =~ /^#define DVX_VERSION (0x\w+)u$/m &&
		join('.', map { hex($1) >> $_ & 0xff } 16, 8, 0) eq $version ? () : "DVX_VERSION is another than $version"));

told('no line of a description is too long for lintian', grep { /^ / && length > 81 } split /^/, slurp('debian/control'));

my %map = map { $_ => 1 } slurp('src/lib/libdvx.map') =~ /^\t(dvx_\w+);/mg;
my %symbols = map { $_ => 1 } slurp('debian/libdvx0.symbols') =~ /^ (dvx_\w+)\@/mg;
told('debian/libdvx0.symbols has the names of libdvx.map',
	(map { "add, sorted, with the version that is next: \" $_\@DVX_0.1 $version\"" } grep { !$symbols{$_} } sort keys %map),
	(map { "$_ is not in libdvx.map any more" } grep { !$map{$_} } sort keys %symbols));

my $root = $ENV{DPKG_ROOT} = tempdir(CLEANUP => 1);
my $units = "$root/etc/systemd/system";
make_path("$units/sockets.target.wants", "$root/etc/dvx-copy", "$root/etc/dvx-flow", "$root/var/lib/dvx-flow");
my $enabled = "$units/sockets.target.wants/dvx-flow\@mlx5_0.socket";
my %others = ("$units/dvx-flow\@mlx5_1.service" => '/dev/null', "$units/dvx-copy\@.service" => '/opt/own/dvx-copy@.service');
symlink $others{$_}, $_ for keys %others;
sub units_left {
	return ((map { "$_ is left" } grep { -l } $enabled), (map { "$_ is deleted" } grep { !-l } sort keys %others));
}
symlink '/lib/systemd/system/dvx-flow@.socket', $enabled;
my $purged = system 'sh', 'debian/dvx-tools.postrm', 'purge';
told('purging dvx-tools deletes options, keys, rules and enabled units, and leaves masks and units of others',
	($purged ? 'the script fails' : ()), units_left(),
	(map { "$_ is left" } grep { -e } "$root/etc/dvx-copy", "$root/etc/dvx-flow", "$root/var/lib/dvx-flow"));

symlink '/usr/lib/systemd/system/dvx-flow@.socket', $enabled;
my ($postun) = $spec =~ /^%postun tools\n(.*?)\n\n/ms or die 'packaging/dvx.spec has no %postun tools';
$postun =~ s{/etc/systemd}{$root$&}g;
my $upgraded = system('sh', '-c', $postun, 'postun', 1) || !-l $enabled;
my $removed = system 'sh', '-c', $postun, 'postun', 0;
told('so does removing the RPM, but for an upgrade', ($upgraded ? 'an upgrade fails or disables' : ()),
	($removed ? 'the script fails' : ()), units_left());
