/* SPDX-License-Identifier: BSD-2-Clause */
/* For rules that change packets: the checksums that a frame needs, and the frame after a rule. */
#ifndef TESTS_LIB_FLOW_CHANGE_H
#define TESTS_LIB_FLOW_CHANGE_H

#include "lib_flow_stage.h"

#define PCP_TAG 0x6005 /* priority 3, VLAN 5 */

static inline uint32_t sum_words(const uint8_t *p, uint32_t n, uint32_t sum)
{
	for (uint32_t i = 0; i + 1 < n; i += 2)
		sum += prm_load16(p, i);
	return n & 1 ? sum + ((uint32_t)p[n - 1] << 8) : sum;
}

static inline uint16_t sum_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Returns the offset of IP. */
static inline uint32_t frame_ip_at(const struct frame *f)
{
	uint32_t at = 12;

	while (prm_load16(f->bytes, at) == 0x8100 || prm_load16(f->bytes, at) == 0x88a8)
		at += 4;
	return at + 2;
}

/* Sets the checksums that the frame's bytes need. UDP's 0 means none: it stays. */
static inline void frame_sums(struct frame *f, bool with_udp)
{
	uint32_t ip = frame_ip_at(f), version = f->bytes[ip] >> 4,
		 l4 = ip + (version == 4 ? 20 : 40);
	uint8_t *p = f->bytes;
	uint32_t proto = p[version == 4 ? ip + 9 : ip + 6], len = f->len - l4;
	uint32_t at = l4 + (proto == 6 ? 16 : 6), sum;

	if (version == 4) {
		prm_store16(p, ip + 10, 0);
		prm_store16(p, ip + 10, sum_fold(sum_words(p + ip, 20, 0)));
	}
	if (proto == 17 && !with_udp)
		return;
	prm_store16(p, at, 0);
	sum = sum_words(p + ip + (version == 4 ? 12 : 8), version == 4 ? 8 : 32, proto + len);
	sum = sum_fold(sum_words(p + l4, len, sum));
	prm_store16(p, at, (uint16_t)(proto == 17 && !sum ? 0xffff : sum));
}

/* Inserts one rule with these actions, sends the frame, and checks what the first queue gets. */
static inline void stage_passes(struct stage *s, const struct dvx_flow_match *m,
				struct dvx_flow_action *const *actions, uint32_t n,
				const struct frame *sent, const struct frame *want)
{
	struct dvx_flow_matcher *mt = matcher(s->table, m, 0);
	struct dvx_flow_rule *r = rule(mt, m, actions, n);

	frame_send(s->f, sent);
	inbox_gets_frame(&s->a, want, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Checks that the rule is refused with these words. */
static inline void stage_refuses(struct stage *s, const struct dvx_flow_match *m,
				 struct dvx_flow_action *const *actions, uint32_t n, int err,
				 const char *field, const char *why)
{
	struct dvx_flow_matcher *mt = matcher(s->table, m, 0);
	struct dvx_flow_rule_attr attr = rule_attr(mt, m, actions, n);
	struct dvx_flow_rule *none = NULL;

	refused(dvx_flow_rule_create(&attr, &none), err, field, why);
	assert_null(none);
	OK(dvx_flow_matcher_destroy(mt));
}

#endif
