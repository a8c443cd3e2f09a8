#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Proves that no table disagrees with the Linux kernel's own headers (every field of every table
# that names a kernel structure, both directions), nor with python3-pyverbs' layouts or mlx5dv.h.
# They are parsed where Debian installs them; nothing of them is in this repository.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use WitnessNames;

my $top = $ENV{top_srcdir} // ".";
my $py_path = "/usr/share/doc/rdma-core/tests/mlx5_prm_structs.py";
my (@tables, @values, %by_name, $test, $failed, $rc, $dv);

sub slurp
{
	my ($path) = @_;
	my $open = $path =~ /\.gz$/ ? "gzip -dc '$path' |" : "< $path";
	open my $in, $open or die "Bail out! $path: $!\n";
	local $/;
	return scalar <$in>;
}

# --- our tables --------------------------------------------------------------------------------

sub read_tables
{
	my @out;
	my $perl = $ENV{PERL} // $^X;
	for (split /\n/, `$perl '$top/prm/gen.pl' --dump '$top'/prm/*.prm`) {
		my ($kind, @v) = split /\t/, $_, -1;
		if ($kind eq "V") {
			push @values, {enum => $v[0], name => $v[1], value => $v[2]};
		} elsif ($kind eq "S") {
			push @out, {name => $v[0], bits => $v[1], kernel => $v[2], source => $v[3],
				fields => [], omit => {}};
		} elsif ($kind eq "O") {
			$out[-1]{omit}{$v[0]} = 1;
		} else {
			my %f;
			@f{qw(name off width count type kernel also src)} = @v;
			push @{$out[-1]{fields}}, \%f;
		}
	}
	die "Bail out! prm/gen.pl gives no tables\n" unless @out;
	return @out;
}

# --- the kernel's headers ----------------------------------------------------------------------

my %unit = (uint8_t => 8, uint16_t => 16, uint32_t => 32, uint64_t => 64, u8 => 8, __be16 => 16, u16 => 16, __be32 => 32, u32 => 32, __be64 => 64, u64 => 64);

sub load_headers
{
	my ($dir, @files) = @_;
	my %h = (dir => $dir, def => {}, text => {}, cache => {});
	for my $file (@files) {
		my $text = slurp("$dir/$file");
		$h{text}{$file} = $text;
		load_constants(\%h, $text);
		load_defines(\%h, $text);
		$text =~ s{/\*.*?\*/}{}gs;
		$text =~ s{//.*}{}g;
		$text =~ s/struct_group\(\w+,//g;
		$text =~ s/^\s*\);\s*$//gm;
		$text =~ s/DECLARE_FLEX_ARRAY\(([\w ]+), (\w+)\)/$1 $2\[\]/g;
		$text =~ s/__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__packed//g;
		while ($text =~ /^(struct|union)\s+(\w+) \{\n(.*?)^\}\s*;/gms) {
			my ($kind, $name, $body) = ($1, $2, $3);
			$h{def}{$name} //= {kind => $kind, body => $body, ifc => scalar($name =~ /^mlx5_ifc_/)};
		}
	}
	return \%h;
}

# Enumerators whose value is a number, a shift, BIT(), or one more than the last.
sub load_constants
{
	my ($h, $text) = @_;
	$text =~ s{/\*.*?\*/}{}gs;
	while ($text =~ /^enum \w*\s*\{(.*?)^\}/gms) {
		my $last = -1;
		for my $item (split /,/, $1) {
			my ($name, $value) = $item =~ /^\s*(\w+)\s*(?:=\s*(.+?))?\s*$/s or next;
			$value = $last + 1 unless defined $value;
			$value =~ s/^BIT(?:_ULL)?\((\w+)\)$/"1 << " . oct($1)/e if $value =~ m{\(0};
			$value =~ s/^BIT(?:_ULL)?\((\d+)\)$/1 << $1/;
			$value =~ s/^\(u64\)//;
			$value =~ s/^\((.*)\)$/$1/;
			my ($n, $shift) = $value =~ /^(0x[0-9a-f]+|\d+)(?:ULL)?(?:\s*<<\s*(\d+))?$/i or next;
			$last = ($n =~ /^0x/i ? hex $n : $n) << ($shift // 0);
			$h->{constant}{$name} //= $last;
		}
	}
	return;
}

# "#define NAME (6)" and sums of two such.
sub load_defines
{
	my ($h, $text) = @_;
	$text =~ s/\\\n//g;
	while ($text =~ /^#define\s+(\w+)\s+\((.*?)\)\s*$/gm) {
		my ($name, @parts) = ($1, split /\s*\+\s*/, $2);
		$_ = $h->{define}{$_} // $_ for @parts;
		next if grep { !/^\d+$/ } @parts;
		$h->{define}{$name} += $_ for @parts;
	}
	return;
}

# All fields of a definition, nested ones with dotted names: {name, off, width, leaf, type}.
sub layout
{
	my ($h, $name) = @_;
	return $h->{cache}{$name} if $h->{cache}{$name};
	my $d = $h->{def}{$name} or die "$h->{dir}: no $name\n";
	my @tokens = $d->{body} =~ /[{};]|[^{};]+/g;
	s/^\s+|\s+$//g for @tokens;
	@tokens = grep { $_ ne "" } @tokens;
	my ($fields, $bits) = members($h, $d->{kind}, $d->{ifc}, \@tokens);
	return $h->{cache}{$name} = {fields => $fields, bits => $bits};
}

sub members
{
	my ($h, $kind, $ifc, $tokens) = @_;
	my (@out, $size);
	my ($off, $low) = (0, 0);
	$size = 0;
	while (@$tokens && $tokens->[0] ne "}") {
		my $t = shift @$tokens;
		next if $t eq ";";
		my ($bits, $name, @sub);
		if ($t =~ /^(struct|union)\b/ && @$tokens && $tokens->[0] eq "{") {
			$t = $1;
			shift @$tokens; # {
			my $inner;
			($inner, $bits) = members($h, $t, $ifc, $tokens);
			shift @$tokens; # }
			$name = @$tokens && $tokens->[0] ne ";" ? shift @$tokens : "";
			@sub = @$inner;
			push @out, {name => $name, off => $off, width => $bits, count => 1, leaf => 0}
				if $name ne "";
		} elsif ($t =~ /^u8\s+(\w+):(\d+)$/) {
			# Bit fields of one byte: the first is the lowest.
			push @out, {name => $1, off => $off + 8 - $low - $2, width => $2, count => 1,
				leaf => 1};
			$low += $2;
			($bits, $low) = $low == 8 ? (8, 0) : (0, $low);
		} else {
			my ($type, $field, $dims) = $t =~ /^((?:(?:struct|union)\s+)?\w+)\s+(\w+)\s*((?:\[[^\]]*\])*)$/
				or die "$h->{dir}: cannot read '$t'\n";
			my @dims = $dims =~ /\[([^\]]*)\]/g;
			my ($width, $count) = (0, 1);
			my $nested = $type =~ /^(?:struct|union)\s+(\w+)$/ ? $1 : undef;
			if ($nested && !$h->{def}{$nested}) {
				$width = 0; # of another header; nothing of ours lies behind one
			} elsif ($nested) {
				my $l = layout($h, $nested);
				$width = $l->{bits};
				@sub = @{$l->{fields}} unless @dims;
			} else {
				$width = $ifc ? oct(pop @dims) : $unit{$type};
				die "$h->{dir}: type '$type'\n" unless $width;
			}
			s/^([A-Z]\w+)$/$h->{define}{$1} \/\/ $1/e for @dims;
			s/^MLX5_ST_SZ_BYTES\((\w+)\)$/layout($h, "mlx5_ifc_$1_bits")->{bits} \/ 8/e for @dims;
			$count *= $_ =~ /^0x/ ? oct : $_ || 0 for @dims;
			$name = $field;
			$bits = $width * $count;
			push @out, {name => $name, off => $off, width => $width, count => $count,
				leaf => !@sub, type => $nested, array => scalar @dims};
		}
		my $prefix = defined $name && $name ne "" ? "$name." : "";
		push @out, {%$_, name => "$prefix$_->{name}", off => $off + $_->{off}} for @sub;
		$off += $bits if $kind eq "struct";
		$size = $bits if $bits > $size;
	}
	return (\@out, $kind eq "struct" ? $off : $size);
}

sub find_headers
{
	my ($pattern) = @_;
	my @dirs = sort grep { -e "$_/include/linux/mlx5/mlx5_ifc.h" } glob $pattern;
	return $dirs[-1];
}

# Steering entries are in the driver's own headers, which only the kernel's source has.
sub load_source
{
	my ($tar) = reverse sort glob($ENV{LINUX_SOURCE} // "/usr/src/linux-source-6.1*.tar.xz");
	return unless $tar;
	my $dir = tempdir(CLEANUP => 1);
	my $core = "drivers/net/ethernet/mellanox/mlx5/core";
	my @names = ("$core/lib/aso.h", map { "$core/steering/$_" } qw(mlx5_ifc_dr.h mlx5_ifc_dr_ste_v1.h));
	my ($folder) = $tar =~ m{([^/]+)\.tar\.xz$};
	system("tar", "-C", $dir, "--occurrence=1", "--strip-components=1", "-xJf", $tar,
		map { "$folder/$_" } @names) == 0 or die "Bail out! $tar holds no $core\n";
	return load_headers($dir, @names);
}

# --- pyverbs -----------------------------------------------------------------------------------

my %py_width = (ByteField => 8, ShortField => 16, IntField => 32, LongField => 64, IPField => 32,
	IP6Field => 128, MACField => 48);

sub load_py
{
	my ($path) = grep { -e } $py_path, "$py_path.gz";
	return unless $path;
	my ($text, %class) = slurp($path);
	while ($text =~ /^class (\w+)\(Packet\):\n\s+fields_desc = \[\n(.*?)^    \]/gms) {
		my ($name, $body) = ($1, $2);
		my ($off, %fields) = (0);
		# A field of unknown length ends what can be said about offsets.
		for my $line (split /\n(?=        \w)/, $body) {
			my ($kind, $field, $rest) = $line =~ /(\w+)\('(\w*)',?\s*(.*)\)/s or last;
			my $width = $py_width{$kind};
			$width = $1 if $kind eq "BitField" && $rest =~ /,\s*(\d+)$/;
			$width = 8 * $1 if $kind eq "StrFixedLenField" && $rest =~ /length=(\d+)/;
			$width = $class{$1}{bits} if $kind eq "PacketField" && $rest =~ /(\w+)$/ && $class{$1};
			$width = 32 * $1 if $kind eq "FieldListField" && $rest =~ /range\((\d+)\)\], IntField/;
			last unless $width;
			$fields{$field} = {off => $off, width => $width};
			$off += $width;
		}
		$class{$name} = {fields => \%fields, bits => $off};
	}
	return \%class;
}

# --- comparing ---------------------------------------------------------------------------------

sub bits_of { my ($f) = @_; return $f->{width} * $f->{count} }

# Says how our field relates to the kernel's: "same", "part" (of a word), or why it does not fit.
sub relate
{
	my ($f, $k) = @_;
	my ($end, $kend) = ($f->{off} + bits_of($f), $k->{off} + bits_of($k));
	if ($f->{type}) {
		my $type = $by_name{$f->{type}}{kernel};
		return "is a $k->{type} there, a $type here" if $k->{type} && $type && $k->{type} ne $type;
	}
	return "same" if $f->{off} == $k->{off} && ($end == $kend || $f->{count} == 0 || !$k->{count}) &&
		($f->{kernel} || $f->{width} == $k->{width} || $f->{width} == bits_of($k));
	return "part" if $f->{kernel} && $f->{off} >= $k->{off} && $end <= $kend;
	return sprintf "0x%x+%d here, 0x%x+%d there", $f->{off}, bits_of($f), $k->{off}, bits_of($k);
}

# One table against one kernel: complaints, and how each of our fields was witnessed.
sub compare
{
	my ($s, $h, $version, $seen) = @_;
	my @bad;
	my $l = layout($h, $s->{kernel});
	my %theirs = map { $_->{name} => $_ } @{$l->{fields}};
	my (%claimed, $cut);
	for my $name (map { s/\@\Q$version\E$//r } keys %{$s->{omit}}) {
		$claimed{$name} = 1;
		$cut = 1 if $theirs{$name} && $theirs{$name}{off} == $s->{bits};
	}
	for my $f (@{$s->{fields}}) {
		my $name = $f->{kernel} && $theirs{$f->{kernel}} ? $f->{kernel} : $f->{name};
		my $k = $theirs{$name};
		next if !$k || $s->{omit}{"$name\@$version"};
		my $how = relate($f, $k);
		$claimed{$name} = 1;
		push @bad, "$s->{name}.$f->{name}: $how" unless $how =~ /^(?:same|part)$/;
		$seen->{"$s->{name}.$f->{name}"}{$version} = $how;
	}
	for my $k (grep { $_->{leaf} } @{$l->{fields}}) {
		next if $k->{name} =~ /(?:^|\.)(?:reserved|rsvd)/;
		my @path = split /\./, $k->{name};
		next if grep { $claimed{join ".", @path[0 .. $_]} } 0 .. $#path;
		push @bad, sprintf "%s lacks %s 0x%x+%d", $s->{name}, $k->{name}, $k->{off}, bits_of($k);
	}
	push @bad, "$s->{name} has $s->{bits} bits here, $l->{bits} there"
		if $s->{bits} != $l->{bits} && !$cut;
	return @bad;
}

sub compare_py
{
	my ($s, $py, $seen) = @_;
	my (@bad, $c);
	$c = $py->{$py_class{$s->{name}} // ""} or return;
	for my $f (@{$s->{fields}}) {
		my $p = $c->{fields}{$f->{also} || $f->{name}};
		next if !$p || $s->{omit}{"$f->{name}\@pyverbs"};
		my $same = $p->{off} == $f->{off} && $p->{width} == bits_of($f);
		$seen->{"$s->{name}.$f->{name}"}{pyverbs} = "same" if $same;
		push @bad, sprintf "%s.%s: 0x%x+%d here, 0x%x+%d in pyverbs", $s->{name}, $f->{name},
			$f->{off}, bits_of($f), $p->{off}, $p->{width} unless $same;
	}
	return @bad;
}

# What programs see of the same structures; it folds words differently, so one direction only.
sub compare_dv
{
	my ($s, $h, $seen) = @_;
	my @bad;
	my $name = $dv_name{$s->{name}} || $s->{kernel} || ($s->{source} eq "tm_types" ? "ibv" : "mlx5") . "_$s->{name}";
	return if $name =~ /^mlx5_ifc_/ || !$h->{def}{$name};
	my %theirs = map { $_->{name} => $_ } @{layout($h, $name)->{fields}};
	for my $f (grep { !$_->{type} } @{$s->{fields}}) {
		my ($k) = grep { $_ && $theirs{$_} } @$f{qw(also kernel name)} or next;
		my $how = relate({%$f, kernel => $k}, $theirs{$k});
		push @bad, "mlx5dv.h: $s->{name}.$f->{name}: $how" unless $how =~ /^(?:same|part)$/;
		$seen->{"$s->{name}.$f->{name}"}{mlx5dv} = $how;
	}
	return @bad;
}

sub check_masks
{
	my ($h) = @_;
	my @bad;
	for my $m (@masks) {
		my ($sname, $fname, $file, $pattern, $make) = @$m;
		my $s = $by_name{$sname};
		my ($f) = grep { $_->{name} eq $fname } @{$s->{fields}};
		my ($k) = grep { $_->{name} eq $f->{kernel} } @{layout($h, $s->{kernel})->{fields}};
		my ($value) = ($h->{text}{"include/linux/mlx5/$file"} // $dv->{text}{$file}) =~ $pattern;
		if (!defined $value) {
			push @bad, "$file no longer says where $sname.$fname lies";
			next;
		}
		$value = $value =~ /^0x/ ? hex $value : $value;
		$value = $make->($value) if $make;
		my $ours = ((1 << $f->{width}) - 1) << ($k->{off} + $k->{width} - $f->{off} - $f->{width});
		push @bad, sprintf "%s.%s: mask 0x%x here, 0x%x there", $sname, $fname, $ours, $value
			if $ours != $value;
	}
	return @bad;
}

# Constants: the fence mode is one of three bits that the kernel shifts into its byte.
sub compare_constants
{
	my ($constants, $version, $seen) = @_;
	my @bad;
	for my $v (grep { $enum_prefix{$_->{enum}} } @values) {
		my ($name) = grep { /^$enum_prefix{$v->{enum}}\Q$v->{name}\E(?:_ERR|_BYTES|S|_INITIATOR|(?:_COUNTERS)?_GROUP|_MODE)?$/ }
			sort keys %$constants or next;
		my $theirs = $constants->{$name} >> ($v->{enum} eq "wqe_fm" ? 5 : 0);
		$seen->{"$v->{enum}.$v->{name}"}{$version} = 1;
		push @bad, sprintf "%s.%s: 0x%x here, %s is 0x%x", $v->{enum}, $v->{name}, $v->{value}, $name,
			$theirs if $theirs != $v->{value};
	}
	return @bad;
}

sub ok
{
	my ($what, @bad) = @_;
	$test++;
	print @bad ? "not ok" : "ok", " $test - $what\n";
	print "# $_\n" for @bad;
	$failed ||= @bad;
	return;
}

# What the headers lay out and no table has, each with its reason.
my @elsewhere = (
	["the kernel's unions of alternatives and documents of all registers: no layout of their own",
		qw(array128_auto array1024_auto event_auto hca_cap_union dest_format_struct_flow_counter_list_auto
		cong_control_roce_ecn_auto eth_cntrs_grp_data_layout_auto pcie_cntrs_grp_data_layout_auto
		field_select_802_1_r_roce_auto modify_field_select_resize_field_select_auto
		pddr_reg_page_data_auto pddr_troubleshooting_page_status_opcode_auto debug_enhancements_document
		ports_control_registers_document uplink_pci_interface_document uint64)],
	["the same as another structure, which a table has: the event's data in eqe, the header in mbox_in and
		mbox_out, the extension in create_qp_in, the destination in dest_format_struct",
		qw(affiliated_event_header cmd_inter_comp_event comp_event cq_error db_bf_congestion_event dct_events
		dropped_packet_logged gpio_event pages_req_event port_state_change_event qp_events
		rdma_page_fault_event stall_vl_event wqe_associated_page_fault_event cmd_in cmd_out dest_format
		qp_context_extension qp_pas_list_in qp_pas_or_qpc_ext_and_pas qpc_extension_and_pas_list_in
		general_obj_create_param general_obj_query_param ud_adrs_vector umr_pointer_desc_argument)],
	["a general object's commands: the header of all of them, and the object, which a table has",
		map({ my $o = $_; map { ("${_}_${o}_in", "${_}_${o}_out") } qw(create destroy query) }
			qw(virtio_net_q virtio_q_counters)), qw(modify_virtio_net_q_in modify_virtio_net_q_out)],
	["firmware update, done by mlxfwmanager and devlink", qw(mcc_reg mcda_reg mcqi_activation_method mcqi_cap
		mcqi_reg mcqi_reg_data mcqi_version mcqs_reg mirc_reg)],
	["analog side of the link, tuned by the vendor's tools (mlxlink)", qw(plpc_reg plib_reg plbf_reg pplr_reg
		ppsc_reg ppad_reg pamp_reg ptas_reg pipg_reg peir_reg pelc_reg pifr_reg pqdr_reg pspa_reg
		pude_reg pvlc_reg pmpc_reg pmpe_reg pmpr_reg pmlpn_reg pcmr_reg slrg_reg sltp_reg pddr_reg
		pddr_monitor_opcode pddr_troubleshooting_page register_loopback_control)],
	["buffers of switches, and what only the kernel's driver asks while it starts", qw(sbcam_reg sbcm_reg
		sbpr_reg default_timeout dtor_reg register_host_endianness register_power_settings dcbx_param
		core_dump_reg mpegc_reg mpein_reg msecq_reg msees_reg mtctr_reg mtptm_reg mtrc_stdb
		menu_resource_dump_response gen_eq_out gen_eqe_in get_dropped_packet_log_in
		get_dropped_packet_log_out)],
	["events' data, which eqe has as variants", qw(mlx5_eqe_cmd mlx5_eqe_comp mlx5_eqe_cq_err mlx5_eqe_dct
		mlx5_eqe_gpio mlx5_eqe_obj_change mlx5_eqe_page_fault mlx5_eqe_page_req mlx5_eqe_pps
		mlx5_eqe_qp_srq mlx5_eqe_temp_warning mlx5_eqe_vhca_state mlx5_eqe_vport_change
		mlx5_eqe_xrq_err)],
	["another name for what a table has: cmd_queue_entry, cmd_if_box, initial_seg",
		qw(mlx5_cmd_layout mlx5_cmd_prot_block mlx5_init_seg)],
	["the driver's own", qw(mlx5_cmd_first mlx5_core_cq mlx5_core_health mlx5_db mlx5_odp_caps)],
	["a WQE that no device of the last ten years takes (fast registration without UMR)", qw(mlx5_wqe_fmr_seg)],
	["a variant of cqe64 (tm)", qw(mlx5_tm_cqe)],
	["rdma-core's name for what a table has under the kernel's", qw(create_encryption_key_obj_in dr_match_param
		dr_match_set_misc dr_match_set_misc2 dr_match_set_misc3 dr_match_set_misc4 dr_match_set_misc5
		dr_match_spec sched_elem_attr)],
);

# Every structure of the headers has a table, or a reason; every reason is still needed.
sub check_coverage
{
	my (%headers) = @_;
	my (%have, %reason, %used, @bad);
	$have{$_->{name}} = $have{"mlx5_$_->{name}"} = $have{$_->{kernel} || $_->{name}} = 1 for @tables;
	$have{$_} = 1 for values %dv_name;
	for my $row (@elsewhere) {
		my (undef, @names) = @$row;
		$reason{$_} = 1 for @names;
	}
	for my $version (sort keys %headers) {
		for my $name (sort keys %{$headers{$version}{def}}) {
			my ($plain) = $name =~ /^mlx5_ifc_(\w+?)(?:_bits)?$/;
			my $body = $headers{$version}{def}{$name}{body};
			next if $name =~ /fpga/ || !$plain && ($body !~ /__be/ || $name !~ /^mlx5_/);
			next if $have{$name} || $plain && $have{$plain};
			my $short = $plain // $name;
			$short =~ s/_bits$//;
			$used{$short} = 1 if $reason{$short};
			push @bad, "$version: $name has neither a table nor a reason" unless $reason{$short};
		}
	}
	push @bad, map { "$_ has a reason, but " . ($have{$_} ? "a table" : "no header has it") }
		grep { !$used{$_} && ($rc || $_ !~ /^(?:dr_|create_encryption_key_obj|sched_elem_attr)/) } sort keys %reason;
	return @bad;
}

# The comparison itself must fail when a table is wrong.
sub check_the_check
{
	my ($h) = @_;
	my $mkc = $by_name{mkc};
	my @fields = @{$mkc->{fields}};
	for my $wrong (["off", 1], ["width", 1]) {
		my @changed = map { $_->{name} eq "pd" ? {%$_, $wrong->[0] => $_->{$wrong->[0]} + $wrong->[1]} : $_ }
			@fields;
		my @bad = compare({%$mkc, fields => \@changed}, $h, "6.1", {});
		ok("a wrong $wrong->[0] is noticed", "$wrong->[0] of mkc.pd changed and nothing was said")
			unless grep { /^mkc\.pd:/ } @bad;
		ok("a wrong $wrong->[0] is noticed") if grep { /^mkc\.pd:/ } @bad;
	}
	my @less = grep { $_->{name} ne "pd" } @fields;
	my @bad = compare({%$mkc, fields => \@less}, $h, "6.1", {});
	ok("a missing field is noticed", (grep { /lacks pd / } @bad) ? () : "mkc.pd removed, nothing said");
	return;
}

@tables = read_tables();
%by_name = map { $_->{name} => $_ } @tables;
my $old = find_headers("/usr/src/linux-headers-6.1.*-common");
my $new = find_headers("/usr/src/linux-headers-6.12.*-common");
my $py = load_py();
if (!$old || !$py) {
	print "Bail out! ", $old ? "python3-pyverbs' mlx5_prm_structs.py (package rdma-core)" :
		"linux-headers-6.1*-common", " is not installed: apt-get install ",
		$old ? "python3-pyverbs rdma-core" : "linux-headers-amd64", "\n";
	exit 1;
}
my @files = map { "include/linux/mlx5/$_" } qw(mlx5_ifc_fpga.h mlx5_ifc_vdpa.h mlx5_ifc.h qp.h device.h cq.h driver.h);
my %kernels = ("6.1" => load_headers($old, @files));
$kernels{"6.12"} = load_headers($new, @files) if $new;
$dv = load_headers("/usr/include/infiniband", "mlx5dv.h", "tm_types.h");
# No Debian package installs rdma-core's mlx5_ifc.h; whoever has its source names the folder.
$rc = $ENV{RDMA_CORE_SOURCE} ?
	load_headers("$ENV{RDMA_CORE_SOURCE}/providers/mlx5", "mlx5_ifc.h") : undef;
my $drivers = load_source();
print "# 6.1: $old\n# 6.12: ", $new // "not installed: fields newer than 6.1 are not compared", "\n# ",
	$drivers ? "" : "linux-source-6.1 is not installed: steering entries are not compared", "\n";

my (%seen, %structures);
for my $s (@tables) {
	my (@bad, @by);
	for my $version (sort keys %kernels) {
		next unless $s->{kernel} && $kernels{$version}{def}{$s->{kernel}};
		next if $s->{omit}{"*\@$version"};
		push @bad, map { "$version: $_" } compare($s, $kernels{$version}, $version, \%seen);
		push @by, $version;
	}
	my %like = (%$s, kernel => "mlx5_ifc_$s->{name}_bits");
	if ($rc && !$s->{kernel} && $s->{source} =~ /^rdma_core_(?:ifc|new)$/ &&
	    $rc->{def}{$like{kernel}} && !$s->{omit}{"*\@rdma-core"}) {
		push @bad, map { "rdma-core: $_" } compare(\%like, $rc, "rdma-core", \%seen);
		push @by, "rdma-core";
	}
	$like{kernel} = "mlx5_$s->{name}" if $s->{source} eq "kernel_aso";
	if ($drivers && $drivers->{def}{$like{kernel}} && !@by && !$s->{omit}{"*\@source"}) {
		push @bad, map { "source: $_" } compare(\%like, $drivers, "source", \%seen);
		push @by, "source";
	}
	push @bad, "no kernel has $s->{kernel}" if $s->{kernel} && !@by && $new;
	push @bad, compare_py($s, $py, \%seen);
	push @by, "pyverbs" if $py_class{$s->{name}};
	push @bad, compare_dv($s, $dv, \%seen);
	for my $f (@{$s->{fields}}) {
		my $how = $seen{"$s->{name}.$f->{name}"};
		push @bad, "$s->{name}.$f->{name}: $f->{src} does not have it" if
			$f->{src} =~ /^(?:pyverbs|mlx5dv)$/ && !($how && $how->{$f->{src}});
		push @bad, "$s->{name}.$f->{name}: neither a kernel header nor a source has it"
			if !$how && !$f->{src} && !$s->{source} && (!$s->{kernel} || $new);
	}
	$structures{$_}++ for @by;
	ok("$s->{name} (" . (join(", ", @by) || "no header has it") . ")", @bad);
}
for my $version (sort keys %kernels) {
	ok("masks of folded words, $version", check_masks($kernels{$version}));
}
my %constants;
for my $version (sort keys %kernels) {
	ok("constants, $version", compare_constants($kernels{$version}{constant}, $version, \%constants));
}
ok("constants, mlx5dv.h", compare_constants($dv->{constant}, "mlx5dv", \%constants));
ok("every structure of the headers has a table or a reason",
	check_coverage(%kernels, "mlx5dv.h" => $dv, $rc ? ("rdma-core" => $rc) : ()));
ok("a structure without either is noticed", (grep { /mlx5_ifc_none_bits has neither/ }
	check_coverage(x => {def => {mlx5_ifc_none_bits => {body => ""}}})) ? () : "nothing was said");
check_the_check($kernels{"6.1"});
print "1..$test\n";

my ($total, %count, @none, @part) = (0);
my %masked = map { ("$_->[0].$_->[1]" => 1) } @masks;
for my $s (@tables) {
	for my $f (@{$s->{fields}}) {
		my $how = $seen{"$s->{name}.$f->{name}"};
		$total++;
		push @none, "$s->{name}.$f->{name}" . ($f->{src} || $s->{source} ? " (" . ($f->{src} || $s->{source}) . ")" : "")
			unless $how;
		push @part, "$s->{name}.$f->{name}" if $how && !$masked{"$s->{name}.$f->{name}"} &&
			!grep { $_ eq "same" } values %$how;
		$count{$_}{$how->{$_}}++ for keys %{$how // {}};
	}
}
printf "# %d structures, %d fields\n", scalar @tables, $total;
printf "# %s: %d fields the same, %d inside a word\n", $_, $count{$_}{same} // 0,
	$count{$_}{part} // 0 for sort keys %count;
printf "# %s has %d of the structures\n", $_, $structures{$_} for sort keys %structures;
printf "# %d constants, these in no installed header:\n", scalar @values;
print "#   $_->{enum}.$_->{name}\n" for grep { !$constants{"$_->{enum}.$_->{name}"} } @values;
printf "# %d fields that a header has only as part of a word, without saying where in it:\n", scalar @part;
print "#   $_\n" for @part;
printf "# %d fields that no installed header has:\n", scalar @none;
print "#   $_\n" for @none;
exit($failed ? 1 : 0);
