/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

static const uint32_t devx_type[] = {
	[DVX_UAR_BF] = MLX5DV_UAR_ALLOC_TYPE_BF,
	[DVX_UAR_NC] = MLX5DV_UAR_ALLOC_TYPE_NC,
};

/* Returns the size of a BlueFlame buffer: a register has two, which take turns. */
static uint32_t uar_buffer_size(const struct dvx_caps *caps)
{
	return caps->bf && caps->log_bf_reg_size > 6 ? 1u << (caps->log_bf_reg_size - 1) : 0;
}

int dvx_uar_alloc(struct dvx_dev *dev, enum dvx_uar_type type, struct dvx_uar **out)
{
	enum dvx_uar_type got = type == DVX_UAR_ANY ? DVX_UAR_BF : type;
	struct mlx5dv_devx_uar *devx;
	int err = dvx_check_not_null("dvx_uar_alloc", "dev", dev, "out", out, NULL);
	struct dvx_uar *uar;

	if (err)
		return err;
	if ((unsigned int)type > DVX_UAR_NC)
		return dvx_fail(EINVAL, "dvx_uar_alloc: type %d is unknown", (int)type);
	devx = mlx5dv_devx_alloc_uar(dev->ctx, devx_type[got]);
	/* Virtual machines often have no write-combining. */
	if (!devx && type == DVX_UAR_ANY) {
		got = DVX_UAR_NC;
		devx = mlx5dv_devx_alloc_uar(dev->ctx, devx_type[got]);
	}
	if (!devx)
		return dvx_fail(errno ? errno : ENOMEM, "no %s UAR page",
				got == DVX_UAR_BF ? "BlueFlame" : "non-cached");
	uar = calloc(1, sizeof(*uar));
	if (!uar) {
		mlx5dv_devx_free_uar(devx);
		return dvx_fail(ENOMEM, "no memory for a UAR");
	}
	uar->dev = dev;
	uar->devx = devx;
	uar->bf_size = got == DVX_UAR_BF ? uar_buffer_size(&dev->caps) : 0;
	dvx_ref(&dev->refs);
	*out = uar;
	return 0;
}

int dvx_uar_free(struct dvx_uar *uar)
{
	if (!uar)
		return 0;
	if (dvx_in_use(&uar->refs))
		return dvx_fail(EBUSY, "UAR %u: %d queues still use it", uar->devx->page_id,
				uar->refs);
	mlx5dv_devx_free_uar(uar->devx);
	dvx_unref(&uar->dev->refs);
	free(uar);
	return 0;
}

uint32_t dvx_uar_index(const struct dvx_uar *uar)
{
	return uar->devx->page_id;
}

void *dvx_uar_reg(const struct dvx_uar *uar)
{
	return uar->devx->reg_addr;
}

void *dvx_uar_base(const struct dvx_uar *uar)
{
	return uar->devx->base_addr;
}

uint32_t dvx_uar_bf_size(const struct dvx_uar *uar)
{
	return uar->bf_size;
}

struct dvx_users *dvx_uar_users(struct dvx_uar *uar)
{
	return uar->bf_size ? &uar->users : NULL;
}
