/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include <dvx/prm/misc.h>
#include "priv.h"

int dvx_pd_alloc(struct dvx_dev *dev, struct dvx_pd **out)
{
	uint8_t in[PRM_ALLOC_PD_IN_BYTES] = {0}, reply[PRM_ALLOC_PD_OUT_BYTES];
	int err = dvx_check_not_null("dvx_pd_alloc", "dev", dev, "out", out, NULL);
	struct dvx_pd *pd;

	if (err)
		return err;
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return dvx_fail(ENOMEM, "no memory for a PD");
	prm_alloc_pd_in_set_opcode(in, PRM_OPCODE_ALLOC_PD);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &pd->obj);
	if (err) {
		free(pd);
		return err;
	}
	pd->dev = dev;
	pd->pdn = prm_alloc_pd_out_get_pd(reply);
	*out = pd;
	return 0;
}

int dvx_pd_adopt(struct dvx_dev *dev, struct ibv_pd *ibpd, struct dvx_pd **out)
{
	struct mlx5dv_pd info = {0};
	struct mlx5dv_obj obj = {.pd = {ibpd, &info}};
	int err = dvx_check_not_null("dvx_pd_adopt", "dev", dev, "ibpd", ibpd, "out", out, NULL);
	struct dvx_pd *pd;

	if (err)
		return err;
	if (ibpd->context != dev->ctx)
		return dvx_fail(EINVAL, "dvx_pd_adopt: the ibv_pd is of another context");
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD))
		return dvx_fail(EINVAL, "dvx_pd_adopt: libmlx5 does not know this ibv_pd");
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return dvx_fail(ENOMEM, "no memory for a PD");
	pd->dev = dev;
	pd->ibpd = ibpd;
	pd->pdn = info.pdn;
	dvx_ref(&dev->refs);
	*out = pd;
	return 0;
}

int dvx_pd_free(struct dvx_pd *pd)
{
	int err;

	if (!pd)
		return 0;
	if (dvx_in_use(&pd->refs))
		return dvx_fail(EBUSY, "PD %u: %d objects are still in it", pd->pdn, pd->refs);
	err = dvx_obj_destroy(pd->obj);
	if (err)
		return err;
	if (!pd->obj)
		dvx_unref(&pd->dev->refs);
	free(pd);
	return 0;
}

uint32_t dvx_pd_number(const struct dvx_pd *pd)
{
	return pd->pdn;
}
