/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of header rewrites: PRM set_add_copy_action_in_auto, by the names of match fields. */
#include <dvx/prm/flow.h>
#include "priv.h"

#define ETHERNET 0
#define EITHER	 NEEDS_VERSION
#define ANY	 0
#define TCP	 DVX_FLOW_TCP
#define UDP	 DVX_FLOW_UDP

/* The fields that libmlx5 and the firmware both rewrite. libmlx5 adds to four of them. */
static const struct dvx_flow_rewrite_field fields[] = {
	{"outer_headers.smac_47_16", PRM_MODIFY_FIELD_OUT_SMAC_47_16, 32, ETHERNET, ANY, 0},
	{"outer_headers.smac_15_0", PRM_MODIFY_FIELD_OUT_SMAC_15_0, 16, ETHERNET, ANY, 0},
	{"outer_headers.ethertype", PRM_MODIFY_FIELD_OUT_ETHERTYPE, 16, ETHERNET, ANY, 0},
	{"outer_headers.dmac_47_16", PRM_MODIFY_FIELD_OUT_DMAC_47_16, 32, ETHERNET, ANY, 0},
	{"outer_headers.dmac_15_0", PRM_MODIFY_FIELD_OUT_DMAC_15_0, 16, ETHERNET, ANY, 0},
	{"outer_headers.first_vid", PRM_MODIFY_FIELD_OUT_FIRST_VID, 12, ETHERNET, ANY, REWRITE_TAG},
	{"outer_headers.ip_dscp", PRM_MODIFY_FIELD_OUT_IP_DSCP, 6, EITHER, ANY, 0},
	{"outer_headers.tcp_flags", PRM_MODIFY_FIELD_OUT_TCP_FLAGS, 9, ANY, TCP, 0},
	{"outer_headers.tcp_sport", PRM_MODIFY_FIELD_OUT_TCP_SPORT, 16, ANY, TCP, 0},
	{"outer_headers.tcp_dport", PRM_MODIFY_FIELD_OUT_TCP_DPORT, 16, ANY, TCP, 0},
	{"outer_headers.udp_sport", PRM_MODIFY_FIELD_OUT_UDP_SPORT, 16, ANY, UDP, 0},
	{"outer_headers.udp_dport", PRM_MODIFY_FIELD_OUT_UDP_DPORT, 16, ANY, UDP, 0},
	{"outer_headers.ipv4_ttl", PRM_MODIFY_FIELD_OUT_IP_TTL, 8, 4, ANY, REWRITE_ADD},
	{"outer_headers.ipv6_hop_limit", PRM_MODIFY_FIELD_OUT_IPV6_HOPLIMIT, 8, 6, ANY,
	 REWRITE_ADD},
	{"outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4", PRM_MODIFY_FIELD_OUT_SIPV4, 32, 4, ANY,
	 0},
	{"outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", PRM_MODIFY_FIELD_OUT_DIPV4, 32, 4, ANY,
	 0},
	{"outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_127_96",
	 PRM_MODIFY_FIELD_OUT_SIPV6_127_96, 32, 6, ANY, 0},
	{"outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_95_64",
	 PRM_MODIFY_FIELD_OUT_SIPV6_95_64, 32, 6, ANY, 0},
	{"outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_63_32",
	 PRM_MODIFY_FIELD_OUT_SIPV6_63_32, 32, 6, ANY, 0},
	{"outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_31_0",
	 PRM_MODIFY_FIELD_OUT_SIPV6_31_0, 32, 6, ANY, 0},
	{"outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_127_96",
	 PRM_MODIFY_FIELD_OUT_DIPV6_127_96, 32, 6, ANY, 0},
	{"outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_95_64",
	 PRM_MODIFY_FIELD_OUT_DIPV6_95_64, 32, 6, ANY, 0},
	{"outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_63_32",
	 PRM_MODIFY_FIELD_OUT_DIPV6_63_32, 32, 6, ANY, 0},
	{"outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_31_0",
	 PRM_MODIFY_FIELD_OUT_DIPV6_31_0, 32, 6, ANY, 0},
	{"misc_parameters_3.outer_tcp_seq_num", PRM_MODIFY_FIELD_OUT_TCP_SEQ_NUM, 32, ANY, TCP,
	 REWRITE_ADD},
	{"misc_parameters_3.outer_tcp_ack_num", PRM_MODIFY_FIELD_OUT_TCP_ACK_NUM, 32, ANY, TCP,
	 REWRITE_ADD},
	{"misc_parameters_2.metadata_reg_a", PRM_MODIFY_FIELD_METADATA_REG_A, 32, ANY, ANY,
	 REWRITE_TX},
	{"misc_parameters_2.metadata_reg_b", PRM_MODIFY_FIELD_METADATA_REG_B, 32, ANY, ANY,
	 REWRITE_RX},
	{"misc_parameters_2.metadata_reg_c_0", PRM_MODIFY_FIELD_METADATA_REG_C_0, 32, ANY, ANY, 0},
	{"misc_parameters_2.metadata_reg_c_1", PRM_MODIFY_FIELD_METADATA_REG_C_1, 32, ANY, ANY, 0},
	{"misc_parameters_2.metadata_reg_c_2", PRM_MODIFY_FIELD_METADATA_REG_C_2, 32, ANY, ANY, 0},
	{"misc_parameters_2.metadata_reg_c_3", PRM_MODIFY_FIELD_METADATA_REG_C_3, 32, ANY, ANY, 0},
	{"misc_parameters_2.metadata_reg_c_4", PRM_MODIFY_FIELD_METADATA_REG_C_4, 32, ANY, ANY, 0},
	{"misc_parameters_2.metadata_reg_c_5", PRM_MODIFY_FIELD_METADATA_REG_C_5, 32, ANY, ANY, 0},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

const struct dvx_flow_rewrite_field *dvx_flow_rewrite_field(uint32_t number)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].number == number)
			return &fields[i];
	return NULL;
}

/* The part before the first dot may be left out. NULL: has failed with the sentence. */
static const struct dvx_flow_rewrite_field *flow_rewrite_find(const char *who, const char *name)
{
	uint64_t value, mask;
	static const struct dvx_flow_match none;

	for (size_t i = 0; name && i < FIELDS; i++)
		if (!strcmp(fields[i].path, name) || !strcmp(strchr(fields[i].path, '.') + 1, name))
			return &fields[i];
	if (!name)
		dvx_fail(EINVAL, "%s: field is NULL", who);
	else if (strstr(name, "ttl_hoplimit"))
		dvx_fail(EINVAL,
			 "%s: field \"%s\": IPv4 and IPv6 have one each, ipv4_ttl and "
			 "ipv6_hop_limit",
			 who, name);
	else if (!dvx_flow_match_get(&none, name, &value, &mask))
		dvx_fail(EOPNOTSUPP, "%s: field \"%s\" can be matched, but not rewritten", who,
			 name);
	else
		dvx_fail(ENOENT, "%s: there is no field \"%s\"", who, name);
	return NULL;
}

static int flow_rewrite_add_entry(struct dvx_flow_rewrites *r, const char *who,
				  const uint8_t action[DVX_FLOW_REWRITE_BYTES])
{
	if (r->count >= DVX_FLOW_MAX_REWRITES)
		return dvx_fail(E2BIG, "%s: the list is full, it has %u rewrites", who, r->count);
	memcpy(r->action[r->count++], action, DVX_FLOW_REWRITE_BYTES);
	return 0;
}

static int flow_rewrite_check_value(const char *who, const struct dvx_flow_rewrite_field *f,
				    uint32_t value)
{
	if (f->bits == 32 || !(value >> f->bits))
		return 0;
	return dvx_fail(ERANGE, "%s: value 0x%x has more than the %u bits of %s", who, value,
			f->bits, f->path);
}

/* SET or ADD; an ADD has no length, it is of the whole field. */
static int flow_rewrite_by_value(struct dvx_flow_rewrites *r, const char *who, uint32_t type,
				 const char *name, uint32_t value)
{
	uint8_t a[DVX_FLOW_REWRITE_BYTES] = {0};
	const struct dvx_flow_rewrite_field *f;
	int err = dvx_check_not_null(who, "list", r, NULL);

	if (err)
		return err;
	f = flow_rewrite_find(who, name);
	if (!f)
		return -dvx_last_error()->err;
	if (type == PRM_ACTION_TYPE_ADD && !(f->flags & REWRITE_ADD))
		return dvx_fail(EOPNOTSUPP,
				"%s: %s: devices add to ipv4_ttl, ipv6_hop_limit, "
				"outer_tcp_seq_num and outer_tcp_ack_num only",
				who, f->path);
	err = flow_rewrite_check_value(who, f, value);
	if (err)
		return err;
	prm_set_action_in_set_action_type(a, type);
	prm_set_action_in_set_field(a, f->number);
	prm_set_action_in_set_length(a, type == PRM_ACTION_TYPE_SET ? f->bits % 32u : 0);
	prm_set_action_in_set_data(a, value);
	return flow_rewrite_add_entry(r, who, a);
}

int dvx_flow_rewrite_set(struct dvx_flow_rewrites *r, const char *name, uint32_t value)
{
	return flow_rewrite_by_value(r, "dvx_flow_rewrite_set", PRM_ACTION_TYPE_SET, name, value);
}

int dvx_flow_rewrite_add(struct dvx_flow_rewrites *r, const char *name, uint32_t value)
{
	return flow_rewrite_by_value(r, "dvx_flow_rewrite_add", PRM_ACTION_TYPE_ADD, name, value);
}

/* Whether bits first .. first + n - 1 are in the field. */
static int flow_rewrite_check_bits(const char *who, const char *what,
				   const struct dvx_flow_rewrite_field *f, uint32_t first,
				   uint32_t n)
{
	if (n && n <= f->bits && first <= f->bits - n)
		return 0;
	return dvx_fail(ERANGE, "%s: %s: %u bits from bit %u on are not within the %u of %s", who,
			what, n, first, f->bits, f->path);
}

int dvx_flow_rewrite_set_bits(struct dvx_flow_rewrites *r, const char *name, uint32_t bit,
			      uint32_t bits, uint32_t value)
{
	static const char who[] = "dvx_flow_rewrite_set_bits";
	uint8_t a[DVX_FLOW_REWRITE_BYTES] = {0};
	const struct dvx_flow_rewrite_field *f;
	int err = dvx_check_not_null(who, "list", r, NULL);

	if (err)
		return err;
	f = flow_rewrite_find(who, name);
	if (!f)
		return -dvx_last_error()->err;
	err = flow_rewrite_check_bits(who, "field", f, bit, bits);
	if (err)
		return err;
	if (bits < 32 && value >> bits)
		return dvx_fail(ERANGE,
				"%s: value 0x%x has more than the %u bits from bit %u of %s", who,
				value, bits, bit, f->path);
	prm_set_action_in_set_action_type(a, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(a, f->number);
	prm_set_action_in_set_offset(a, bit);
	prm_set_action_in_set_length(a, bits % 32u);
	prm_set_action_in_set_data(a, value);
	return flow_rewrite_add_entry(r, who, a);
}

int dvx_flow_rewrite_copy(struct dvx_flow_rewrites *r, const char *to, uint32_t to_bit,
			  const char *from, uint32_t from_bit, uint32_t bits)
{
	uint8_t a[DVX_FLOW_REWRITE_BYTES] = {0};
	const struct dvx_flow_rewrite_field *dst, *src = NULL;
	int err = dvx_check_not_null("dvx_flow_rewrite_copy", "list", r, NULL);

	if (err)
		return err;
	dst = flow_rewrite_find("dvx_flow_rewrite_copy", to);
	if (dst)
		src = flow_rewrite_find("dvx_flow_rewrite_copy", from);
	if (!src)
		return -dvx_last_error()->err;
	err = flow_rewrite_check_bits("dvx_flow_rewrite_copy", "to", dst, to_bit, bits);
	if (!err)
		err = flow_rewrite_check_bits("dvx_flow_rewrite_copy", "from", src, from_bit, bits);
	if (err)
		return err;
	prm_copy_action_in_set_action_type(a, PRM_ACTION_TYPE_COPY);
	prm_copy_action_in_set_src_field(a, src->number);
	prm_copy_action_in_set_src_offset(a, from_bit);
	prm_copy_action_in_set_length(a, bits % 32u);
	prm_copy_action_in_set_dst_field(a, dst->number);
	prm_copy_action_in_set_dst_offset(a, to_bit);
	return flow_rewrite_add_entry(r, "dvx_flow_rewrite_copy", a);
}

/* The fields of one end together, or none of them; names of the source come first. */
static int flow_rewrite_end(struct dvx_flow_rewrites *r, const char *who, enum dvx_flow_end end,
			    const char *const names[], const uint32_t *values, uint32_t n)
{
	uint32_t count;
	int err = dvx_check_not_null(who, "list", r, NULL);

	if (err)
		return err;
	if (end != DVX_FLOW_SRC && end != DVX_FLOW_DST)
		return dvx_fail(EINVAL, "%s: end %u is neither source nor destination", who,
				(unsigned int)end);
	count = r->count;
	for (uint32_t i = 0; i < n && !err; i++)
		err = flow_rewrite_by_value(r, who, PRM_ACTION_TYPE_SET,
					    names[end == DVX_FLOW_DST ? n + i : i], values[i]);
	if (err)
		r->count = count;
	return err;
}

int dvx_flow_rewrite_mac(struct dvx_flow_rewrites *r, enum dvx_flow_end end, const uint8_t mac[6])
{
	static const char *const names[] = {"smac_47_16", "smac_15_0", "dmac_47_16", "dmac_15_0"};
	int err = dvx_check_not_null("dvx_flow_rewrite_mac", "list", r, "mac", mac, NULL);

	return err ? err
		   : flow_rewrite_end(r, "dvx_flow_rewrite_mac", end, names,
				      (uint32_t[]){prm_load32(mac, 0), prm_load16(mac, 4)}, 2);
}

int dvx_flow_rewrite_ipv4(struct dvx_flow_rewrites *r, enum dvx_flow_end end, uint32_t addr)
{
	static const char *const names[] = {"src_ipv4_src_ipv6.ipv4_layout.ipv4",
					    "dst_ipv4_dst_ipv6.ipv4_layout.ipv4"};

	return flow_rewrite_end(r, "dvx_flow_rewrite_ipv4", end, names, &addr, 1);
}

int dvx_flow_rewrite_ipv6(struct dvx_flow_rewrites *r, enum dvx_flow_end end,
			  const uint8_t addr[16])
{
	static const char *const names[] = {
		"src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_127_96",
		"src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_95_64",
		"src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_63_32",
		"src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_31_0",
		"dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_127_96",
		"dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_95_64",
		"dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_63_32",
		"dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_31_0",
	};
	uint32_t words[4];
	int err = dvx_check_not_null("dvx_flow_rewrite_ipv6", "list", r, "addr", addr, NULL);

	if (err)
		return err;
	for (uint32_t i = 0; i < 4; i++)
		words[i] = prm_load32(addr, 4 * i);
	return flow_rewrite_end(r, "dvx_flow_rewrite_ipv6", end, names, words, 4);
}

int dvx_flow_rewrite_port(struct dvx_flow_rewrites *r, enum dvx_flow_end end,
			  enum dvx_flow_proto proto, uint16_t port)
{
	static const char *const tcp[] = {"tcp_sport", "tcp_dport"};
	static const char *const udp[] = {"udp_sport", "udp_dport"};
	const uint32_t value = port;

	if (proto != DVX_FLOW_TCP && proto != DVX_FLOW_UDP)
		return dvx_fail(EINVAL, "dvx_flow_rewrite_port: proto %u is neither TCP nor UDP",
				(unsigned int)proto);
	return flow_rewrite_end(r, "dvx_flow_rewrite_port", end, proto == DVX_FLOW_TCP ? tcp : udp,
				&value, 1);
}
