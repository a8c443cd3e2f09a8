/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules by requests: images with the numbers that DPDK's tables and action templates had. */
#include "cases.h"

/* An image of DPDK's, and what its tag has or its index is. */
static const struct golden_rule {
	uint32_t stcs, ctrl, hit, dw5, dw6, dw7; /* action templates */
	uint32_t counter, value;
	uint32_t port; /* or of the FDB, the send queue */
	uint32_t rtc;  /* 0: GOLDEN_RTC */
	uint32_t c0, index;
} rules[] = {
	{4, 3, 0, 8, 9, 10, .counter = 1, .port = 2}, /* is dropped and counted */
	{3, 7, 14, 8, 13, 0, .value = 0xff8,
	 .port = 8}, /* a list of rewrites, whose argument it names, and a queue */
	/* both sides of the FDB */
	{4, 5, 2, 6, 7, 8, .port = 0x400012, .rtc = 2, .c0 = 1},
	{4, 5, 2, 6, 7, 8, .port = 0x400012, .c0 = 1},
	/* a further entry of a rule, which has no tag */
	{3, 7, 14, 8, 24, 0, .value = 0x40, .rtc = 3, .index = 0x40},
};

#define GOLDEN_RTC	1
#define GOLDEN_TAG_PORT 20 /* byte of the tag */
#define GOLDEN_TAG_C0	16

static void make_image(const struct golden_rule *r, struct dvx_hws_image *image)
{
	uint8_t *wqe = (uint8_t *)image->wqe, *gta = wqe + DVX_SEG;

	memset(image, 0, sizeof(*image));
	prm_wqe_ctrl_seg_set_general_id(wqe, r->rtc ? r->rtc : GOLDEN_RTC);
	prm_wqe_gta_ctrl_seg_set_stcs(gta, r->stcs);
	prm_wqe_gta_ctrl_seg_set_stc_ctrl(gta, r->ctrl);
	prm_wqe_gta_ctrl_seg_set_stc_hit(gta, r->hit);
	prm_wqe_gta_ctrl_seg_set_stc_dw5(gta, r->dw5);
	prm_wqe_gta_ctrl_seg_set_stc_dw6(gta, r->dw6);
	prm_wqe_gta_ctrl_seg_set_stc_dw7(gta, r->dw7);
	dvx_hws_image_counter(image, r->counter);
}

/* Makes tag and value in the request. */
static int post_in_place(struct dvx_sq *sq, const struct dvx_hws_image *image,
			 const struct golden_rule *r, const uint8_t *tag, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_post_rule_begin(sq, image, flags, &p);

	if (err)
		return err;
	memcpy(dvx_rule_tag(&p), tag, DVX_TAG_BYTES);
	dvx_hws_image_value(dvx_rule_image(&p), r->value);
	dvx_sq_commit(sq, &p, 1);
	return 0;
}

int golden_post_rule(struct dvx_sq *sq, const struct golden_case *c)
{
	const struct golden_rule *r = &rules[c->n];
	uint8_t tag[DVX_TAG_BYTES] = {0};
	struct dvx_hws_image image;

	make_image(r, &image);
	prm_store32(tag, GOLDEN_TAG_PORT, r->port);
	prm_store32(tag, GOLDEN_TAG_C0, r->c0);
	if (c->kind == G_RULE_AT) {
		dvx_hws_image_value(&image, r->value);
		return dvx_post_rule_at(sq, &image, r->index, 1, c->flags);
	}
	if (c->kind == G_RULE_DEL)
		return dvx_post_rule_del(sq, &image, tag, 1, c->flags);
	return r->value ? post_in_place(sq, &image, r, tag, c->flags)
			: dvx_post_rule(sq, &image, tag, 1, c->flags);
}
