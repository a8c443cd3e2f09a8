/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that measured rules compare. Their source addresses differ, in no order that hashes. */
#include <string.h>
#include "rules.h"
#include "tools/cli/complete.h"

#define KEY_SRC	 0x0a000000u /* 10.0.0.0 and on */
#define KEY_DST	 0xc0000201u
#define KEY_PORT 443

/* Returns another number of 24 bits for each number. */
static uint32_t key_scatter(uint32_t i)
{
	return i * 0x9e3779b1u & 0xffffff;
}

static int key_ipv4(struct dvx_flow_match *m, uint32_t i)
{
	int err =
		dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, KEY_SRC + key_scatter(i), 32);

	return err ? err : dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, DVX_FLOW_DST, KEY_DST, 32);
}

static int key_ports(struct dvx_flow_match *m, uint32_t i)
{
	int err = dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, DVX_FLOW_TCP,
				      (uint16_t)(1024 + i % 60000), 0xffff);

	return err ? err
		   : dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_TCP, KEY_PORT,
					 0xffff);
}

static int key_tuple(struct dvx_flow_match *m, uint32_t i)
{
	int err = key_ipv4(m, i);

	return err ? err : key_ports(m, i);
}

static int key_tuple6(struct dvx_flow_match *m, uint32_t i)
{
	uint8_t src[16] = {0x20, 0x01, 0x0d, 0xb8}, dst[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1};
	int err;

	prm_store32(src, 12, key_scatter(i));
	err = dvx_flow_match_ipv6(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, src, 128);
	if (!err)
		err = dvx_flow_match_ipv6(m, DVX_FLOW_OUTER, DVX_FLOW_DST, dst, 128);
	return err ? err : key_ports(m, i);
}

const struct rules_key rules_keys[] = {
	{"5tuple", "IPv4 addresses and TCP ports", key_tuple},
	{"5tuple6", "IPv6 addresses and TCP ports", key_tuple6},
	{"ipv4", "IPv4 addresses", key_ipv4},
	{0},
};

const struct rules_key *rules_key_find(const char *word)
{
	const struct rules_key *k = rules_keys;

	while (k->word && strcmp(k->word, word) != 0)
		k++;
	return k->word ? k : NULL;
}

void rules_offer_keys(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	for (const struct rules_key *k = rules_keys; k->word; k++)
		complete_offer(k->word, "");
}
