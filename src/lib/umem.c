/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

#define KNOWN_ACCESS                                                                \
	(DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC | \
	 DVX_RELAXED_ORDERING)

/* Possible page sizes. Memory that can't be mapped by one of them can't by the next ones. */
static const uint8_t page_logs[] = {16, 21, 25, 29, 30};

/* Registers memory with pages of this size only; NULL: the memory has no such pages. */
static struct mlx5dv_devx_umem *umem_of_pages(struct dvx_dev *dev, struct mlx5dv_devx_umem_in in,
					      size_t len, uint32_t log_page)
{
	in.size = len;
	in.pgsz_bitmap = 1ull << log_page;
	return mlx5dv_devx_umem_reg_ex(dev->ctx, &in);
}

/*
 * Finds the largest page size of the memory. The kernel uses pages larger than its own only if the
 * umem begins and ends at their boundaries, and does not report which size it chose. So this tries
 * to register the first page of each size, before the whole is pinned; that is cheap if the memory
 * has only small pages.
 */
static uint32_t umem_best_page(struct dvx_dev *dev, const struct mlx5dv_devx_umem_in *in)
{
	uint64_t ends = (uintptr_t)in->addr | in->size;
	struct mlx5dv_devx_umem *first;
	uint32_t best = DVX_LOG_PAGE_MIN;
	size_t i;

	for (i = 0; i < sizeof(page_logs) && !(ends & ((1ull << page_logs[i]) - 1)); i++) {
		first = umem_of_pages(dev, *in, (size_t)1 << page_logs[i], page_logs[i]);
		if (!first)
			break;
		mlx5dv_devx_umem_dereg(first);
		best = page_logs[i];
	}
	return best;
}

static int umem_create(struct dvx_dev *dev, struct mlx5dv_devx_umem_in *in, struct dvx_umem **out)
{
	uint32_t log_page = umem_best_page(dev, in);
	struct dvx_umem *umem = calloc(1, sizeof(*umem));

	if (!umem)
		return dvx_fail(ENOMEM, "no memory for a umem");
	if (log_page > DVX_LOG_PAGE_MIN)
		umem->devx = umem_of_pages(dev, *in, in->size, log_page);
	if (!umem->devx) { /* some pages are smaller than the first one */
		log_page = DVX_LOG_PAGE_MIN;
		in->pgsz_bitmap = ~0ull << DVX_LOG_PAGE_MIN;
		umem->devx = mlx5dv_devx_umem_reg_ex(dev->ctx, in);
	}
	if (!umem->devx) {
		free(umem);
		return -(errno ? errno : EIO);
	}
	umem->dev = dev;
	umem->addr = in->addr;
	umem->len = in->size;
	umem->log_page = (uint8_t)log_page;
	dvx_ref(&dev->refs);
	*out = umem;
	return 0;
}

/* Converts the rights. The kernel takes only these three; the mkey has the others. */
static uint32_t umem_access(uint32_t access)
{
	return access & (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ);
}

int dvx_access_check(const char *call, const char *name, uint32_t access)
{
	if (access & ~(uint32_t)KNOWN_ACCESS)
		return dvx_fail(EINVAL, "%s: %s 0x%x: unknown bits", call, name, access);
	if (access & (DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC) && !(access & DVX_LOCAL_WRITE))
		return dvx_fail(EINVAL, "%s: %s: remote write needs local write", call, name);
	return 0;
}

static int umem_check(const char *call, size_t len, uint32_t access)
{
	if (!len)
		return dvx_fail(EINVAL, "%s: len is 0", call);
	return dvx_access_check(call, "access", access);
}

int dvx_umem_reg(struct dvx_dev *dev, void *addr, size_t len, uint32_t access,
		 struct dvx_umem **out)
{
	struct mlx5dv_devx_umem_in in = {.addr = addr, .size = len, .access = umem_access(access)};
	int err = dvx_check_not_null("dvx_umem_reg", "dev", dev, "addr", addr, "out", out, NULL);

	if (!err)
		err = umem_check("dvx_umem_reg", len, access);
	if (err)
		return err;
	err = umem_create(dev, &in, out);
	return err ? dvx_fail(-err, "can't pin %zu bytes%s", len,
			      err == -ENOMEM || err == -EPERM ? " (is RLIMIT_MEMLOCK too small?)"
							      : "")
		   : 0;
}

int dvx_umem_reg_dmabuf(struct dvx_dev *dev, int fd, uint64_t offset, size_t len, uint32_t access,
			struct dvx_umem **out)
{
	struct mlx5dv_devx_umem_in in = {.addr = (void *)(uintptr_t)offset,
					 .size = len,
					 .access = umem_access(access),
					 .comp_mask = MLX5DV_UMEM_MASK_DMABUF,
					 .dmabuf_fd = fd};
	int err = dvx_check_not_null("dvx_umem_reg_dmabuf", "dev", dev, "out", out, NULL);

	if (!err && fd < 0)
		err = dvx_fail(EINVAL, "dvx_umem_reg_dmabuf: fd is %d", fd);
	if (!err)
		err = umem_check("dvx_umem_reg_dmabuf", len, access);
	if (err)
		return err;
	err = umem_create(dev, &in, out);
	if (err == -EPROTONOSUPPORT || err == -EOPNOTSUPP)
		return dvx_fail(EOPNOTSUPP,
				"%s: no umem of a dma-buf (Linux has them since 6.1; the device "
				"must reach the memory)",
				dvx_dev_name(dev));
	return err ? dvx_fail(
			     -err,
			     "can't pin %zu bytes of dma-buf %d from %llu: is it one, and so long?",
			     len, fd, (unsigned long long)offset)
		   : 0;
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
		return dvx_fail(dvx_errno_of(ret), "the device still uses the umem");
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

uint32_t dvx_umem_log_page(const struct dvx_umem *umem)
{
	return umem->log_page;
}
