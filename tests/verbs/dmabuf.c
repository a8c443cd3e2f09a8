/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves ibv_reg_dmabuf_mr() with a dma-buf of the kernel (udmabuf), if it has one. */
#include "verbs_self.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES  16384u
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static int memory(uint8_t **map)
{
	int fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, BYTES), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	*map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(*map != MAP_FAILED);
	return fd;
}

/* A file's memory is no dma-buf, and a sentence reports it. */
TEST(self, memory_is_refused)
{
	uint8_t *map;
	int fd = memory(&map);

	assert_null(ibv_reg_dmabuf_mr(s->pd, 0, BYTES, 0, fd, ACCESS));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_reg_dmabuf_mr(s->pd, 0, BYTES, 0, 1023, ACCESS));
	assert_int_equal(errno, EBADF);
	close(fd);
	munmap(map, BYTES);
}

/* WRITEs go into it and from it, and the bytes are where the program has mapped them. */
TEST(self, traffic)
{
	int node = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd, buf;
	struct ibv_send_wr wr = {.num_sge = 1, .opcode = IBV_WR_RDMA_WRITE}, *bad;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct ibv_wc wc;
	uint8_t *map;

	if (node < 0) {
		print_message("# /dev/udmabuf: %s\n", strerror(errno));
		skip();
	}
	fd = memory(&map);
	buf = ioctl(node, UDMABUF_CREATE,
		    &(struct udmabuf_create){.memfd = (uint32_t)fd, .size = BYTES});
	assert_true(buf >= 0);
	mr = ibv_reg_dmabuf_mr(s->pd, 4096, 8192, 0x10000, buf, ACCESS);
	assert_non_null(mr);
	memset(s->buf, 'd', 100);
	sge = (struct ibv_sge){(uintptr_t)s->buf, 100, s->mr->lkey};
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = 0x10000 + 50;
	wr.wr.rdma.rkey = mr->rkey;
	assert_int_equal(ibv_post_send(s->qp, &wr, &bad), 0);
	self_poll(s->cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_memory_equal(map + 4096 + 50, s->buf, 100);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	close(buf);
	close(fd);
	close(node);
	munmap(map, BYTES);
}
