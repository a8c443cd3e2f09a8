/* SPDX-License-Identifier: BSD-2-Clause */
/* A match's fields, by name and in the groups that belong together. */
#include <stdio.h>
#include "priv.h"

static const char *const groups[MATCH_GROUPS] = {
	"outer_headers",     "misc_parameters",	  "inner_headers",     "misc_parameters_2",
	"misc_parameters_3", "misc_parameters_4", "misc_parameters_5",
};

/* ---- by name ---- */

/* outer_headers and inner_headers both have "udp_dport": such a name needs its group. */
static int find_in_groups(const struct prm_struct *s, const char *name, char *path, size_t size)
{
	char try[160];
	uint64_t bit;
	int found = 0;
	size_t i;

	for (i = 0; i < MATCH_GROUPS; i++) {
		snprintf(try, sizeof(try), "%s.%s", groups[i], name);
		if (!prm_find_field(s, try, &bit))
			continue;
		if (found++)
			return dvx_fail(EINVAL, "match.%s is ambiguous: write %s or %s", name, path,
					try);
		snprintf(path, size, "%s", try);
	}
	return found ? 0 : dvx_fail(ENOENT, "match.%s: there is no such field", name);
}

static int flow_match_find(const char *name, char *path, size_t size, const struct prm_field **f,
			   uint64_t *bit)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	int err;

	if (strlen(name) >= 100)
		return dvx_fail(ENOENT, "match.%.60s...: there is no such field", name);
	snprintf(path, size, "%s", name);
	if (!prm_find_field(s, path, bit)) {
		err = find_in_groups(s, name, path, size);
		if (err)
			return err;
	}
	*f = prm_find_field(s, path, bit);
	return 0;
}

int dvx_flow_match_place(const char *name, uint32_t *bit, uint32_t *width)
{
	const struct prm_field *f;
	uint64_t at;
	char path[160];
	int err = flow_match_find(name, path, sizeof(path), &f, &at);

	if (err)
		return err;
	*bit = (uint32_t)at;
	*width = f->width;
	return 0;
}

/* Finds a field that is a number. */
static int flow_match_find_number(const char *name, char *path, size_t size,
				  const struct prm_field **f, uint64_t *bit)
{
	int err = flow_match_find(name, path, size, f, bit);

	if (err)
		return err;
	if ((*f)->type || (*f)->bytes || (*f)->width > 64)
		return dvx_fail(EINVAL, "match.%s is not a number: name a field in it", path);
	return 0;
}

int dvx_flow_match_set(struct dvx_flow_match *m, const char *field, uint64_t value, uint64_t mask)
{
	const struct prm_field *f;
	uint64_t bit, most;
	char path[160];
	int err = dvx_check_not_null("dvx_flow_match_set", "match", m, "field", field, NULL);

	if (!err)
		err = flow_match_find_number(field, path, sizeof(path), &f, &bit);
	if (err)
		return err;
	most = f->width == 64 ? UINT64_MAX : (1ull << f->width) - 1;
	if (value > most || mask > most)
		return dvx_fail(ERANGE, "match.%s: %s 0x%llx has more than %u bits", path,
				value > most ? "value" : "mask",
				(unsigned long long)(value > most ? value : mask), f->width);
	if (value & ~mask)
		return dvx_fail(EINVAL, "match.%s: value 0x%llx has bits outside mask 0x%llx", path,
				(unsigned long long)value, (unsigned long long)mask);
	prm_bits_set(m->value, bit, f->width, value);
	prm_bits_set(m->mask, bit, f->width, mask);
	return 0;
}

int dvx_flow_match_get(const struct dvx_flow_match *m, const char *field, uint64_t *value,
		       uint64_t *mask)
{
	const struct prm_field *f;
	uint64_t bit;
	char path[160];
	int err = dvx_check_not_null("dvx_flow_match_get", "match", m, "field", field, "value",
				     value, "mask", mask, NULL);

	if (!err)
		err = flow_match_find_number(field, path, sizeof(path), &f, &bit);
	if (err)
		return err;
	*value = prm_bits_get(m->value, bit, f->width);
	*mask = prm_bits_get(m->mask, bit, f->width);
	return 0;
}

uint8_t dvx_flow_criteria(const uint8_t *mask)
{
	uint8_t criteria = 0;

	for (size_t i = 0; i < MATCH_BYTES; i++)
		if (mask[i])
			criteria |= (uint8_t)(1u << i / GROUP_BYTES);
	return criteria;
}

uint32_t dvx_flow_criteria_bytes(uint8_t criteria)
{
	return (criteria ? 32u - (uint32_t)__builtin_clz(criteria) : 1) * GROUP_BYTES;
}

/* ---- in groups ---- */

/* Functions without an end pass DVX_FLOW_SRC. */
static int check_where(const struct dvx_flow_match *m, enum dvx_flow_depth depth,
		       enum dvx_flow_end end)
{
	if (!m)
		return dvx_fail(EINVAL, "match is NULL");
	if (depth != DVX_FLOW_OUTER && depth != DVX_FLOW_INNER)
		return dvx_fail(EINVAL, "match: depth %u is neither outer nor inner",
				(unsigned int)depth);
	if (end != DVX_FLOW_SRC && end != DVX_FLOW_DST)
		return dvx_fail(EINVAL, "match: end %u is neither source nor destination",
				(unsigned int)end);
	return 0;
}

static const char *depth_name(enum dvx_flow_depth depth)
{
	return groups[depth == DVX_FLOW_INNER ? 2 : 0];
}

/* The headers' value and mask. */
struct layer {
	uint8_t *value, *mask;
};

static struct layer layer(struct dvx_flow_match *m, enum dvx_flow_depth depth)
{
	size_t at = depth == DVX_FLOW_INNER ? 2 * GROUP_BYTES : 0;

	return (struct layer){m->value + at, m->mask + at};
}

int dvx_flow_match_mac(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
		       const uint8_t mac[6], const uint8_t mask[6])
{
	size_t at = end == DVX_FLOW_SRC ? 0 : 8; /* smac_47_16, dmac_47_16: 48 bits in a row each */
	struct layer l;
	int i, err = check_where(m, depth, end);

	if (!err)
		err = dvx_check_not_null("dvx_flow_match_mac", "mac", mac, NULL);
	if (err)
		return err;
	l = layer(m, depth);
	for (i = 0; mask && i < 6; i++)
		if (mac[i] & ~mask[i])
			return dvx_fail(EINVAL,
					"match.%s.%cmac: the address has bits outside the mask",
					depth_name(depth), end == DVX_FLOW_SRC ? 's' : 'd');
	for (i = 0; i < 6; i++) {
		l.value[at + (size_t)i] = mac[i];
		l.mask[at + (size_t)i] = mask ? mask[i] : 0xff;
	}
	return 0;
}

/* Refuses a second value for a field. */
static int flow_match_agree(uint32_t old_mask, uint32_t old, uint32_t value,
			    enum dvx_flow_depth depth, const char *field)
{
	if (old_mask && old != value)
		return dvx_fail(EINVAL, "match.%s.%s: it is %u already, %u contradicts it",
				depth_name(depth), field, old, value);
	return 0;
}

static int flow_match_version(struct layer l, enum dvx_flow_depth depth, uint8_t version)
{
	int err = flow_match_agree(prm_fte_match_set_lyr_2_4_get_ip_version(l.mask),
				   prm_fte_match_set_lyr_2_4_get_ip_version(l.value), version,
				   depth, "ip_version");

	if (err)
		return err;
	prm_fte_match_set_lyr_2_4_set_ip_version(l.mask, 0xf);
	prm_fte_match_set_lyr_2_4_set_ip_version(l.value, version);
	return 0;
}

int dvx_flow_match_ip_version(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint8_t version)
{
	int err = check_where(m, depth, DVX_FLOW_SRC);

	if (err)
		return err;
	if (version != 4 && version != 6)
		return dvx_fail(EINVAL, "match.%s.ip_version: %u is neither 4 nor 6",
				depth_name(depth), version);
	return flow_match_version(layer(m, depth), depth, version);
}

/* The 16 bytes of an address; IPv4 takes the last four. */
static uint8_t *flow_match_address(uint8_t *headers, enum dvx_flow_end end)
{
	return end == DVX_FLOW_SRC ? prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(headers)
				   : prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(headers);
}

static int check_address(const struct dvx_flow_match *m, enum dvx_flow_depth depth,
			 enum dvx_flow_end end, bool beyond, unsigned int prefix, unsigned int most)
{
	const char *name = end == DVX_FLOW_SRC ? "src" : "dst";
	int err = check_where(m, depth, end);

	if (err)
		return err;
	if (prefix > most)
		return dvx_fail(ERANGE, "match.%s.%s: prefix %u is more than %u", depth_name(depth),
				name, prefix, most);
	return beyond ? dvx_fail(EINVAL, "match.%s.%s: the address has bits beyond prefix %u",
				 depth_name(depth), name, prefix)
		      : 0;
}

/* The first `prefix` bits of 64. */
static uint64_t first_bits(unsigned int prefix)
{
	return prefix >= 64 ? UINT64_MAX : ~(UINT64_MAX >> prefix);
}

int dvx_flow_match_ipv4(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			uint32_t addr, unsigned int prefix)
{
	const uint32_t bits = (uint32_t)(first_bits(prefix) >> 32);
	int err = check_address(m, depth, end, addr & ~bits, prefix, 32);
	struct layer l;

	if (err)
		return err;
	l = layer(m, depth);
	err = flow_match_version(l, depth, 4);
	if (err)
		return err;
	prm_store32(flow_match_address(l.value, end), 12, addr);
	prm_store32(flow_match_address(l.mask, end), 12, bits);
	return 0;
}

int dvx_flow_match_ipv6(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			const uint8_t addr[16], unsigned int prefix)
{
	const uint64_t high = first_bits(prefix), low = prefix > 64 ? first_bits(prefix - 64) : 0;
	const bool beyond = addr && (prm_load64(addr, 0) & ~high || prm_load64(addr, 8) & ~low);
	struct layer l;
	uint8_t *mask;
	int err = check_address(m, depth, end, beyond, prefix, 128);

	if (!err)
		err = dvx_check_not_null("dvx_flow_match_ipv6", "addr", addr, NULL);
	if (err)
		return err;
	l = layer(m, depth);
	err = flow_match_version(l, depth, 6);
	if (err)
		return err;
	memcpy(flow_match_address(l.value, end), addr, 16);
	mask = flow_match_address(l.mask, end);
	prm_store64(mask, 0, high);
	prm_store64(mask, 8, low);
	return 0;
}

int dvx_flow_match_proto(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint8_t ip_protocol)
{
	struct layer l;
	int err = check_where(m, depth, DVX_FLOW_SRC);

	if (err)
		return err;
	l = layer(m, depth);
	err = flow_match_agree(prm_fte_match_set_lyr_2_4_get_ip_protocol(l.mask),
			       prm_fte_match_set_lyr_2_4_get_ip_protocol(l.value), ip_protocol,
			       depth, "ip_protocol");
	if (err)
		return err;
	prm_fte_match_set_lyr_2_4_set_ip_protocol(l.mask, 0xff);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(l.value, ip_protocol);
	return 0;
}

int dvx_flow_match_port(struct dvx_flow_match *m, enum dvx_flow_depth depth, enum dvx_flow_end end,
			enum dvx_flow_proto proto, uint16_t port, uint16_t mask)
{
	/* tcp_sport, tcp_dport; udp_sport, udp_dport */
	size_t at = (proto == DVX_FLOW_TCP ? 0xa0u : 0xe0u) / 8 + (end == DVX_FLOW_SRC ? 0u : 2u);
	struct layer l;
	int err = check_where(m, depth, end);

	if (err)
		return err;
	l = layer(m, depth);
	if (proto != DVX_FLOW_TCP && proto != DVX_FLOW_UDP)
		return dvx_fail(EINVAL, "match.%s.ip_protocol: %u has no ports", depth_name(depth),
				(unsigned int)proto);
	if (port & ~mask)
		return dvx_fail(EINVAL, "match.%s.%s_%cport: value 0x%x has bits outside mask 0x%x",
				depth_name(depth), proto == DVX_FLOW_TCP ? "tcp" : "udp",
				end == DVX_FLOW_SRC ? 's' : 'd', port, mask);
	err = dvx_flow_match_proto(m, depth, (uint8_t)proto);
	if (err)
		return err;
	prm_store16(l.value, at, port);
	prm_store16(l.mask, at, mask);
	return 0;
}

int dvx_flow_match_vlan(struct dvx_flow_match *m, enum dvx_flow_depth depth, uint16_t vid,
			uint16_t vid_mask)
{
	struct layer l;
	int err = check_where(m, depth, DVX_FLOW_SRC);

	if (err)
		return err;
	l = layer(m, depth);
	if (vid_mask > 0xfff)
		return dvx_fail(ERANGE, "match.%s.first_vid: mask 0x%x has more than 12 bits",
				depth_name(depth), vid_mask);
	if (vid & ~vid_mask)
		return dvx_fail(EINVAL, "match.%s.first_vid: value 0x%x has bits outside mask 0x%x",
				depth_name(depth), vid, vid_mask);
	if (prm_fte_match_set_lyr_2_4_get_svlan_tag(l.value))
		return dvx_fail(EINVAL,
				"match.%s.svlan_tag: it is 1 already, cvlan_tag 1 "
				"contradicts it",
				depth_name(depth));
	prm_fte_match_set_lyr_2_4_set_cvlan_tag(l.value, 1);
	prm_fte_match_set_lyr_2_4_set_cvlan_tag(l.mask, 1);
	prm_fte_match_set_lyr_2_4_set_first_vid(l.value, vid);
	prm_fte_match_set_lyr_2_4_set_first_vid(l.mask, vid_mask);
	return 0;
}

/* ---- as text ---- */

size_t dvx_flow_match_print(const struct dvx_flow_match *m, char *buf, size_t size)
{
	struct dvx_flow_field f = {.bit = 0};
	char value[64], mask[64], item[256];
	size_t used = 0, n;

	if (size)
		buf[0] = '\0';
	for (uint32_t bit = 0; dvx_flow_field_next(m->mask, bit, &f); bit = f.bit + f.width) {
		dvx_flow_field_text(&f, m->value, value, sizeof(value));
		dvx_flow_field_text(&f, m->mask, mask, sizeof(mask));
		n = (size_t)snprintf(item, sizeof(item), "%s%s=%s/%s", used ? " " : "",
				     f.path[0] ? f.path : "reserved", value, mask);
		if (used < size)
			snprintf(buf + used, size - used, "%s", item);
		used += n;
	}
	return used;
}
