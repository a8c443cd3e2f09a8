/* SPDX-License-Identifier: BSD-2-Clause */
/* TIRs: destinations of steering rules. All TIRs of a device share one transport domain. */
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/misc.h>
#include "priv.h"

#define KEY_BYTES 40

/*
 * The key of the examples in Microsoft's RSS documentation. Programs on libmlx5 and the kernel's
 * tests use it, too.
 */
static const uint8_t usual_key[KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

static int domain_alloc(struct dvx_dev *dev)
{
	uint8_t in[PRM_ALLOC_TRANSPORT_DOMAIN_IN_BYTES] = {0};
	uint8_t reply[PRM_ALLOC_TRANSPORT_DOMAIN_OUT_BYTES];
	int err;

	prm_alloc_transport_domain_in_set_opcode(in, PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &dev->td);
	if (!err)
		dev->tdn = prm_alloc_transport_domain_out_get_transport_domain(reply);
	return err;
}

int dvx_td_get(struct dvx_dev *dev, uint32_t *tdn)
{
	int err = 0;

	pthread_mutex_lock(&dev->lock);
	if (!dev->td)
		err = domain_alloc(dev);
	if (!err)
		dev->td_users++;
	*tdn = dev->tdn;
	pthread_mutex_unlock(&dev->lock);
	return err;
}

/* Frees the domain with its last user. If the device refuses, the next user takes it again. */
void dvx_td_put(struct dvx_dev *dev)
{
	pthread_mutex_lock(&dev->lock);
	if (!--dev->td_users && !dvx_obj_destroy(dev->td))
		dev->td = NULL;
	pthread_mutex_unlock(&dev->lock);
}

static void tir_fill_hash(void *tirc, const struct dvx_rss_attr *hash)
{
	void *select = prm_tirc_at_rx_hash_field_selector_outer(tirc);

	prm_tirc_set_rx_hash_fn(tirc, PRM_RX_HASH_FN_TOEPLITZ);
	prm_tirc_set_rx_hash_symmetric(tirc, hash->symmetric);
	memcpy(prm_tirc_at_rx_hash_toeplitz_key(tirc), hash->key ? hash->key : usual_key, KEY_BYTES);
	prm_rx_hash_field_select_set_l3_prot_type(select, hash->ipv6);
	prm_rx_hash_field_select_set_l4_prot_type(select, hash->udp);
	prm_rx_hash_field_select_set_selected_fields(select, hash->fields);
}

int dvx_tir_create(struct dvx_dev *dev, const struct dvx_tir *want, struct dvx_obj **tir,
		   uint32_t *tirn)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = {0}, reply[PRM_CREATE_TIR_OUT_BYTES];
	void *tirc = prm_create_tir_in_at_ctx(in);
	uint32_t tdn;
	int err = dvx_td_get(dev, &tdn);

	if (err)
		return err;
	prm_create_tir_in_set_opcode(in, PRM_OPCODE_CREATE_TIR);
	prm_tirc_set_transport_domain(tirc, tdn);
	if (want->hash) {
		prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_INDIRECT);
		prm_tirc_set_indirect_table(tirc, want->rqtn);
		tir_fill_hash(tirc, want->hash);
	} else {
		prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_DIRECT);
		prm_tirc_set_inline_rqn(tirc, want->rqn);
	}
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), tir);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_td_put(dev);
		return dvx_restore(&why);
	}
	*tirn = prm_create_tir_out_get_tirn(reply);
	return 0;
}

int dvx_tir_destroy(struct dvx_dev *dev, struct dvx_obj *tir)
{
	int err = dvx_obj_destroy(tir);

	if (!err && tir)
		dvx_td_put(dev);
	return err;
}
