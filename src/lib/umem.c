/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

int dvx_umem_reg(struct dvx_dev *dev, void *addr, size_t len, uint32_t access,
		 struct dvx_umem **out)
{
	/* The kernel takes only these three rights; the mkey has the others. */
	uint32_t flags = access & (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	struct dvx_umem *umem;

	if (!addr || !len)
		return dvx_fail(EINVAL, "dvx_umem_reg: %zu bytes at %p: neither may be 0", len,
				addr);
	umem = calloc(1, sizeof(*umem));
	if (!umem)
		return dvx_fail(ENOMEM, "no memory for a umem");
	umem->devx = mlx5dv_devx_umem_reg(dev->ctx, addr, len, flags);
	if (!umem->devx) {
		free(umem);
		return dvx_fail(errno ? errno : EIO,
				"can't pin %zu bytes at %p (is RLIMIT_MEMLOCK too small?)", len,
				addr);
	}
	umem->dev = dev;
	umem->addr = addr;
	umem->len = len;
	dvx_ref(&dev->refs);
	*out = umem;
	return 0;
}

int dvx_umem_dereg(struct dvx_umem *umem)
{
	int ret;

	if (!umem)
		return 0;
	if (dvx_in_use(&umem->refs))
		return dvx_fail(EBUSY, "umem %u: %d objects still use it", umem->devx->umem_id,
				umem->refs);
	ret = mlx5dv_devx_umem_dereg(umem->devx);
	if (ret)
		return dvx_fail(ret < 0 ? errno : ret, "the device still uses the umem");
	dvx_unref(&umem->dev->refs);
	free(umem);
	return 0;
}

uint32_t dvx_umem_id(const struct dvx_umem *umem)
{
	return umem->devx->umem_id;
}

void *dvx_umem_addr(const struct dvx_umem *umem)
{
	return umem->addr;
}

size_t dvx_umem_len(const struct dvx_umem *umem)
{
	return umem->len;
}
