/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves regions and umems of dma-bufs. A memfd with a replaced fstatfs() stands for the dma-buf,
 * as kernels may lack udmabuf. tests/verbs/dmabuf runs a program on a real one.
 */
#include "tests/test.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "kernel_fixture.h"
#include "host/client.h"
#include "obj/mkey.h"

#define BYTES 16384u

static bool all_are_dmabufs;

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int err = __real_fstatfs(fd, fs);

	if (all_are_dmabufs)
		fs->f_type = DMA_BUF_MAGIC;
	return err;
}

static int buffer(uint8_t **map)
{
	int fd = memfd_create("buffer", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, BYTES), 0);
	*map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(*map != MAP_FAILED);
	return fd;
}

static int reg(struct fx *f, uint32_t pd, int fd, uint64_t offset, uint64_t len, uint64_t iova,
	       uint64_t access, uint32_t *handle, uint32_t *key)
{
	uint32_t rkey;

	return FX_CALL(f, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR,
		       A_NEW(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, handle),
		       A_HANDLE(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, pd),
		       A_VALUE(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, offset, 8),
		       A_VALUE(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, len, 8),
		       A_VALUE(UVERBS_ATTR_REG_DMABUF_MR_IOVA, iova, 8),
		       A_VALUE(UVERBS_ATTR_REG_DMABUF_MR_FD, (uint32_t)fd, 4),
		       A_VALUE(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, access, 4),
		       A_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, key, 4),
		       A_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &rkey, 4));
}

/* Proves that the device writes to the buffer itself, also after its descriptor was closed. */
TEST(fx, region)
{
	uint32_t pd = fx_pd(f), mr, key;
	struct ib_uverbs_rereg_mr in = {.flags = 4,
					.access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE |
							IB_UVERBS_ACCESS_REMOTE_READ};
	struct ib_uverbs_rereg_mr_resp out;
	struct dma_seg seg[4];
	uint8_t *map;
	int fd = buffer(&map);

	all_are_dmabufs = true;
	assert_int_equal(
		reg(f, pd, fd, 4096, 8192, 0x7000, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr, &key), 0);
	all_are_dmabufs = false;
	close(fd);
	assert_int_equal(mkey_segs(f->v, key, fx_pdn(f, pd), 0x7000 + 100, 5, MKEY_LW, seg, 4), 1);
	assert_int_equal(dma_scatter(f->dev->host, seg, 1, "bytes"), 0);
	assert_memory_equal(map + 4096 + 100, "bytes", 5);
	assert_true(mkey_segs(f->v, key, fx_pdn(f, pd), 0x7000 + 8190, 5, MKEY_LW, seg, 4) < 0);
	in.mr_handle = mr;
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_REREG_MR, in, out), 0);
	assert_int_equal(mkey_segs(f->v, key, fx_pdn(f, pd), 0x7000, 5, MKEY_RR, seg, 4), 1);
	assert_int_equal(FX_DESTROY(f, MR, mr), 0);
	munmap(map, BYTES);
}

TEST(fx, refusals)
{
	uint32_t pd = fx_pd(f), mr, key;
	uint8_t *map;
	int fd = buffer(&map);
	const struct {
		int fd;
		uint64_t offset, len, iova, access;
		bool dmabuf;
		int err;
		const char *text;
	} bad[] = {
		{fd, 0, BYTES, 0, 0, false, -EINVAL, "no dma-buf"},
		{1023, 0, BYTES, 0, 0, true, -EBADF, "can't be had"},
		{fd, 0, BYTES + 1, 0, 0, true, -EINVAL, "not in the dma-buf"},
		{fd, BYTES, 1, 0, 0, true, -EINVAL, "not in the dma-buf"},
		{fd, UINT64_MAX - 4095, 8192, 0, 0, true, -EINVAL, "not in the dma-buf"},
		{fd, 0, 0, 0, 0, true, -EINVAL, "empty"},
		{fd, 1, 100, 2, 0, true, -EINVAL, "within a page"},
		{fd, 0, 100, 0, IB_UVERBS_ACCESS_REMOTE_WRITE, true, -EINVAL, "LOCAL_WRITE"},
		{fd, 0, 100, 0, IB_UVERBS_ACCESS_ON_DEMAND, true, -EINVAL, "unknown bits"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		all_are_dmabufs = bad[i].dmabuf;
		FX_REFUSES(f,
			   reg(f, pd, bad[i].fd, bad[i].offset, bad[i].len, bad[i].iova,
			       bad[i].access, &mr, &key),
			   bad[i].err, bad[i].text);
		all_are_dmabufs = false;
	}
	close(fd);
	munmap(map, BYTES);
}
