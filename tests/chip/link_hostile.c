/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that messages over the link can't harm a server or its other clients. Runs under `dvx-sim
 * run`, which gives the socket; an honest connection is open throughout and still answered at the
 * end.
 */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "link/link.h"
#include "link/msg.h"

#define FUZZ 3000

static int honest;

static int connect_to(void)
{
	const struct timeval patience = {.tv_sec = 10};
	int sock = link_connect(getenv("DVX_SIM_SOCKET"));

	assert_true(sock >= 0);
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return sock;
}

static int open_device(void)
{
	const struct link_function function = {"host"};
	struct link_message m;
	int sock = connect_to();

	assert_int_equal(link_ask(sock, LINK_OPEN, &function, sizeof(function), -1, &m), 0);
	assert_int_equal(m.h.result, 0);
	assert_int_equal(m.nfds, 1);
	link_message_free(&m);
	return sock;
}

/* Checks that the server closed the connection, without an answer. */
static void assert_disconnected(int sock)
{
	struct link_in in = {0};
	int err = link_read(sock, &in, 0);

	assert_true(err == -EPIPE || err == -ECONNRESET);
	link_in_reset(&in);
	close(sock);
}

static void send_header(int sock, struct link_header h)
{
	assert_int_equal(send(sock, &h, sizeof(h), MSG_NOSIGNAL), sizeof(h));
}

TEST(none, test_headers)
{
	static const struct link_header bad[] = {
		{0, LINK_VERSION, LINK_OPEN, 4, 0},
		{LINK_MAGIC, LINK_VERSION + 1, LINK_OPEN, 4, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_OPEN, LINK_BODY_MAX + 1, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_OPEN, UINT32_MAX, 0},
		{LINK_MAGIC, LINK_VERSION, 0, 0, 0},
		{LINK_MAGIC, LINK_VERSION, 99, 0, 0},
		{LINK_MAGIC, LINK_VERSION, UINT16_MAX, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_OPEN, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_IOCTL, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_MAP, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_UNMAP, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_CLOSE, 0, 0},
		{LINK_MAGIC, LINK_VERSION, LINK_ATTACH, 0, 0},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int sock = connect_to();

		send_header(sock, bad[i]);
		assert_disconnected(sock);
	}
}

TEST(none, test_opens)
{
	static const struct link_function functions[] = {
		{"vf0"}, {"../host"}, {{'d', 'p', 'u', 1, 1, 1, 1, 1}}};
	const struct link_function again[2] = {{"host"}};
	int sock;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		sock = connect_to();
		assert_int_equal(link_write(sock, LINK_OPEN, 0, &functions[i], sizeof(functions[i]),
					    NULL, 0, 0),
				 0);
		assert_disconnected(sock);
	}
	sock = connect_to();
	assert_int_equal(link_write(sock, LINK_OPEN, 0, again, sizeof(again), NULL, 0, 0), 0);
	assert_disconnected(sock);
	sock = open_device();
	assert_int_equal(link_write(sock, LINK_OPEN, 0, again, sizeof(again[0]), NULL, 0, 0), 0);
	assert_disconnected(sock);
}

/* A file needs a BAR's descriptor, and ends with its last user. A guest shares no pages. */
TEST(none, test_guests)
{
	const struct link_range range = {4096, 4096, 0};
	const struct link_function function = {"host"};
	int owner = connect_to(), guest[2], file = memfd_create("no BAR", MFD_CLOEXEC);
	struct link_message bar, m;

	assert_int_equal(link_ask(owner, LINK_OPEN, &function, sizeof(function), -1, &bar), 0);
	for (unsigned int i = 0; i < 2; i++) {
		guest[i] = connect_to();
		assert_int_equal(link_ask(guest[i], LINK_ATTACH, NULL, 0, file, &m), 0);
		assert_int_equal(m.h.result, -ENODEV);
		link_message_free(&m);
		assert_int_equal(link_ask(guest[i], LINK_ATTACH, NULL, 0, bar.fds[0], &m), 0);
		assert_int_equal(m.h.result, 0);
		link_message_free(&m);
	}
	assert_int_equal(link_write(guest[0], LINK_SHARE, 0, &range, sizeof(range), NULL, 0, 0), 0);
	assert_disconnected(guest[0]);
	assert_int_equal(link_ask(owner, LINK_CLOSE, NULL, 0, -1, &m), 0);
	link_message_free(&m);
	assert_int_equal(link_ask(guest[1], LINK_MAP, &range, sizeof(range), -1, &m), 0);
	assert_int_equal(m.h.result, 0);
	link_message_free(&m);
	assert_int_equal(link_ask(guest[1], LINK_CLOSE, NULL, 0, -1, &m), 0);
	link_message_free(&m);
	guest[0] = connect_to();
	assert_int_equal(link_ask(guest[0], LINK_ATTACH, NULL, 0, bar.fds[0], &m), 0);
	assert_int_equal(m.h.result, -ENODEV);
	link_message_free(&m);
	close(guest[0]);
	link_message_free(&bar);
	close(owner);
	close(file);
}

/* After half a message, then silence or death, the server neither waits nor keeps anything. */
TEST(none, test_truncated)
{
	struct link_header h = {LINK_MAGIC, LINK_VERSION, LINK_STATUS, 100, 0};
	int silent = connect_to();

	send_header(silent, h);
	for (size_t n = 1; n < sizeof(h); n++) {
		int sock = connect_to();

		assert_int_equal(send(sock, &h, n, MSG_NOSIGNAL), n);
		close(sock);
	}
	close(open_device());
	close(silent);
}

/* Makes a good request: INVOKE_WRITE of QUERY_DEVICE with its header, in and out. */
static void good_request(uint8_t **body, size_t *len)
{
	static uint8_t in[64];
	struct uverbs_attr attrs[] = {
		{.id = UVERBS_ATTR_WRITE_CMD, .flags = 1, .len = 8, .data = 0x80000001u},
		{.id = UVERBS_ATTR_CORE_IN, .flags = 1, .len = 16, .kind = ATTR_IN, .in = in},
		{.id = UVERBS_ATTR_CORE_OUT, .flags = 1, .len = 256},
	};
	struct uverbs_request req = {.object = UVERBS_OBJECT_DEVICE, .nattrs = 3, .attrs = attrs};

	assert_int_equal(msg_pack_request(&req, body, len), 0);
}

TEST(none, test_lengths)
{
	uint8_t *body, longer[4096] = {0};
	size_t len;

	good_request(&body, &len);
	for (size_t n = 0; n < len; n += 4) {
		int sock = open_device();

		assert_int_equal(link_write(sock, LINK_IOCTL, 0, body, n, NULL, 0, 0), 0);
		assert_disconnected(sock);
	}
	memcpy(longer, body, len);
	for (size_t n = len + 1; n < len + 20; n++) {
		int sock = open_device();

		assert_int_equal(link_write(sock, LINK_IOCTL, 0, longer, n, NULL, 0, 0), 0);
		assert_disconnected(sock);
	}
	free(body);
}

/* Random bytes give an answer, or the end of the connection. */
TEST(none, test_mutations)
{
	int sock = open_device();
	uint8_t *body;
	size_t len;

	good_request(&body, &len);
	srand(1);
	for (int i = 0; i < FUZZ; i++) {
		uint8_t *copy = malloc(len);
		struct link_message m = {0};

		assert_non_null(copy);
		memcpy(copy, body, len);
		for (int k = rand() % 4; k >= 0; k--)
			copy[(size_t)rand() % len] = (uint8_t)(rand() % 3 ? rand() : 0xff);
		if (link_ask(sock, LINK_IOCTL, copy, len, -1, &m)) {
			close(sock);
			sock = open_device();
		}
		link_message_free(&m);
		free(copy);
	}
	free(body);
	close(sock);
}

/* Descriptors of any kind are sent where none or another kind belongs. */
TEST(none, test_descriptors)
{
	struct link_range range = {4096, 4096, 0};
	int many[LINK_FDS] = {0, 0, 0, 0};
	int sock = open_device();
	struct link_message m = {0};

	assert_int_equal(link_ask(sock, LINK_MAP, &range, sizeof(range), 0, &m), 0);
	link_message_free(&m);
	range = (struct link_range){UINT64_MAX - 4095, UINT64_MAX, UINT64_MAX};
	assert_int_equal(link_ask(sock, LINK_MAP, &range, sizeof(range), -1, &m), 0);
	assert_int_not_equal(m.h.result, 0);
	link_message_free(&m);
	assert_int_equal(link_ask(sock, LINK_UNMAP, &range, sizeof(range), -1, &m), 0);
	link_message_free(&m);
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(
			link_write(sock, LINK_UNMAP, 0, &range, sizeof(range), many, LINK_FDS, 0),
			0);
		struct link_in in = {0};
		assert_int_equal(link_read(sock, &in, 0), 1);
		link_in_reset(&in);
	}
	close(sock);
}

/* --- pages to share ------------------------------------------------------------------------- */

#define PAGE 4096u

static int memfd(size_t len, bool pages, unsigned int seals)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	for (size_t at = 0; pages && at < len; at += PAGE)
		assert_int_equal(pwrite(fd, "", 1, (off_t)at), 1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int share(int sock, uint64_t va, uint64_t len, int fd)
{
	const struct link_range range = {va, len, 0};
	struct link_message m = {0};
	int result;

	assert_int_equal(link_ask(sock, LINK_SHARE, &range, sizeof(range), fd, &m), 0);
	result = m.h.result;
	link_message_free(&m);
	return result;
}

/* Sends a request; returns its result. */
static int request(int sock, const struct uverbs_request *req)
{
	struct link_message m = {0};
	uint8_t *body;
	size_t len;
	int result;

	assert_int_equal(msg_pack_request(req, &body, &len), 0);
	assert_int_equal(link_ask(sock, LINK_IOCTL, body, len, -1, &m), 0);
	result = m.h.result;
	link_message_free(&m);
	free(body);
	return result;
}

/* Makes an object that holds the memory: a DevX context, and a umem over it. */
static void hold(int sock, const void *at, uint64_t len)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = {
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.flags = MLX5_IB_ALLOC_UCTX_DEVX,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};
	struct uverbs_attr context[] = {
		{.id = UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, .flags = 1, .len = 4},
		{.id = UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, .flags = 1, .len = 8},
		{.id = UVERBS_ATTR_UHW_IN,
		 .flags = 1,
		 .len = sizeof(in),
		 .kind = ATTR_IN,
		 .in = (const void *)&in},
		{.id = UVERBS_ATTR_UHW_OUT,
		 .flags = 1,
		 .len = sizeof(struct mlx5_ib_alloc_ucontext_resp)},
	};
	struct uverbs_attr umem[] = {
		{.id = MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, .flags = 1},
		{.id = MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR,
		 .flags = 1,
		 .len = 8,
		 .data = (uintptr_t)at},
		{.id = MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, .flags = 1, .len = 8, .data = len},
		{.id = MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, .flags = 1, .len = 4, .data = 1},
		{.id = MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, .flags = 1, .len = 4},
	};

	assert_int_equal(request(sock, &(struct uverbs_request){.object = UVERBS_OBJECT_DEVICE,
						      .method = UVERBS_METHOD_GET_CONTEXT,
						      .driver = RDMA_DRIVER_MLX5,
						      .nattrs = 4,
						      .attrs = context}),
			 0);
	assert_int_equal(request(sock, &(struct uverbs_request){.object = MLX5_IB_OBJECT_DEVX_UMEM,
						      .method = MLX5_IB_METHOD_DEVX_UMEM_REG,
						      .driver = RDMA_DRIVER_MLX5,
						      .nattrs = 5,
						      .attrs = umem}),
			 0);
}

/* Share messages before an open, without a file, with two, with half a range. */
TEST(none, test_share_messages)
{
	const struct link_range range = {PAGE, PAGE, 0};
	int fds[2] = {memfd(PAGE, true, F_SEAL_SHRINK), 0};

	for (unsigned int i = 0; i < 4; i++) {
		int sock = i ? open_device() : connect_to();
		unsigned int nfds = i == 1 ? 0 : i == 2 ? 2 : 1;

		assert_int_equal(link_write(sock, LINK_SHARE, 0, &range,
					    i == 3 ? sizeof(range) - 8 : sizeof(range), fds, nfds,
					    0),
				 0);
		assert_disconnected(sock);
	}
	close(fds[0]);
}

/* Files that could do harm, and memory that no object holds, are refused. */
TEST(none, test_share_files)
{
	char *mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t va = (uintptr_t)mem;
	const int odd[] = {
		memfd(PAGE, true, 0),		memfd(PAGE, true, F_SEAL_GROW),
		memfd(2 * PAGE, false, F_SEAL_SHRINK), memfd(100, true, F_SEAL_SHRINK),
		open("/dev/zero", O_RDWR),	open("/proc/self/mem", O_RDWR),
		socket(AF_UNIX, SOCK_STREAM, 0), dup(0),
	};
	int sock = open_device(), good = memfd(4 * PAGE, true, F_SEAL_SHRINK);

	assert_int_equal(share(sock, va, PAGE, good), -ENOENT);
	hold(sock, mem, 4 * PAGE);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_int_equal(share(sock, va, PAGE, odd[i]), -EPERM);
		close(odd[i]);
	}
	assert_int_equal(share(sock, va + 1, PAGE, good), -EINVAL);
	assert_int_equal(share(sock, va, PAGE + 1, good), -EINVAL);
	assert_int_equal(share(sock, va, 0, good), -ENOENT);
	assert_int_equal(share(sock, va, 5 * PAGE, good), -EPERM);
	assert_int_equal(share(sock, va - PAGE, PAGE, good), -ENOENT);
	assert_int_equal(share(sock, UINT64_MAX - PAGE + 1, PAGE, good), -ENOENT);
	assert_int_equal(share(sock, va, UINT64_MAX & ~(uint64_t)(PAGE - 1), good), -ENOENT);
	assert_int_equal(share(sock, 0, (va + PAGE) & ~(uint64_t)(PAGE - 1), good), -EPERM);
	assert_int_equal(share(sock, va, 2 * PAGE, good), 0);
	assert_int_equal(share(sock, va + PAGE, PAGE, good), -EEXIST);
	/* a page that goes nevertheless comes back empty */
	assert_int_equal(ftruncate(good, 0), -1);
	assert_int_equal(fallocate(good, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4 * PAGE), 0);
	munmap(mem, 4 * PAGE);
	close(good);
	close(sock);
}

/* Thousands of pieces: the limit of one client, and of all; later a new client finds room. */
TEST(none, test_share_limits)
{
	const size_t pages = 16400;
	char *mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	int socks[4], good = memfd(PAGE, true, F_SEAL_SHRINK);
	unsigned int all = 0;

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int n = 0;
		int err = 0;

		socks[i] = open_device();
		hold(socks[i], mem, pages * PAGE);
		while (n < pages && !err) {
			err = share(socks[i], (uintptr_t)mem + n * PAGE, PAGE, good);
			n += !err;
		}
		assert_int_equal(err, -ENOSPC);
		all += n;
	}
	assert_int_equal(all, 49152);
	for (unsigned int i = 0; i < 4; i++)
		close(socks[i]);
	/* the server notices their end a little later */
	for (int i = 0, err = -ENOSPC; err; i++) {
		int sock = open_device();

		hold(sock, mem, PAGE);
		err = share(sock, (uintptr_t)mem, PAGE, good);
		close(sock);
		assert_true(!err || (err == -ENOSPC && i < 1000));
	}
	munmap(mem, pages * PAGE);
	close(good);
}

/* Packets to replay whose lengths contradict the message, the port, or each other. */
TEST(none, test_replays)
{
	static const struct {
		uint32_t len, bytes; /* of the packet, and of the bytes behind its header */
	} bad[] = {{0, 0},	 {13, 16}, {9217, 9224},       {60, 56},
		   {60, 63}, {60, 72}, {UINT32_MAX, 64}, {UINT32_MAX - 6, 0}};
	uint8_t body[16384] = {0};
	struct link_message m;
	int sock;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct port_packet head = {.len = bad[i].len};

		memcpy(body, &head, sizeof(head));
		sock = connect_to();
		assert_int_equal(link_write(sock, LINK_REPLAY, 0, body, sizeof(head) + bad[i].bytes,
					    NULL, 0, 0), 0);
		assert_disconnected(sock);
	}
	sock = connect_to();
	assert_int_equal(link_ask(sock, LINK_REPLAY, NULL, 0, -1, &m), 0);
	assert_int_equal(m.h.len, sizeof(struct port_results));
	assert_int_equal(((struct port_results *)(void *)m.body)->frames, 0);
	link_message_free(&m);
	close(sock);
}

/* Clients leave while their packets are under way; the next client's counts are only its own. */
TEST(none, test_replayers_die)
{
	const size_t packet = sizeof(struct port_packet) + 64, len = 20000 * packet;
	uint8_t *body = calloc(1, len);
	struct link_message m;
	int sock;

	assert_non_null(body);
	for (size_t at = 0; at < len; at += packet)
		memcpy(body + at, &(struct port_packet){.len = 64}, sizeof(struct port_packet));
	for (int i = 0; i < 10; i++) {
		sock = connect_to();
		assert_int_equal(link_write(sock, LINK_REPLAY, 0, body, len, NULL, 0, 0), 0);
		if (i % 2)
			link_write(sock, LINK_REPLAY, 0, body, packet, NULL, 0, 0);
		close(sock);
	}
	sock = connect_to();
	assert_int_equal(link_ask(sock, LINK_REPLAY, body, len, -1, &m), 0);
	assert_int_equal(((struct port_results *)(void *)m.body)->frames, 20000);
	link_message_free(&m);
	close(sock);
	free(body);
}

TEST(none, test_captures)
{
	uint32_t what = LINK_CAPTURE_STOP + 1, two[2] = {0};
	struct link_message m;
	int sock = connect_to();

	assert_int_equal(link_write(sock, LINK_CAPTURE, 0, &what, sizeof(what), NULL, 0, 0), 0);
	assert_disconnected(sock);
	sock = connect_to();
	assert_int_equal(link_write(sock, LINK_CAPTURE, 0, two, sizeof(two), NULL, 0, 0), 0);
	assert_disconnected(sock);
	sock = connect_to();
	assert_int_equal(link_ask(sock, LINK_CAPTURE, two, sizeof(two[0]), -1, &m), 0);
	link_message_free(&m);
	for (int i = 0; i < 3; i++) /* none can be answered: nothing is on the wire */
		assert_int_equal(link_write(sock, LINK_CAPTURE, 0, two, 4, NULL, 0, 0), 0);
	assert_disconnected(sock);
	sock = connect_to(); /* and a client that dies with a capture */
	assert_int_equal(link_ask(sock, LINK_CAPTURE, two, sizeof(two[0]), -1, &m), 0);
	link_message_free(&m);
	close(sock);
}

static void alloc_pd(int sock)
{
	const struct ib_uverbs_alloc_pd in = {0};
	struct uverbs_attr attrs[] = {
		{.id = UVERBS_ATTR_WRITE_CMD,
		 .flags = 1,
		 .len = 8,
		 .data = IB_USER_VERBS_CMD_ALLOC_PD},
		{.id = UVERBS_ATTR_CORE_IN,
		 .flags = 1,
		 .len = sizeof(in),
		 .kind = ATTR_IN,
		 .in = (const void *)&in},
		{.id = UVERBS_ATTR_CORE_OUT,
		 .flags = 1,
		 .len = sizeof(struct ib_uverbs_alloc_pd_resp)},
	};

	assert_int_equal(request(sock, &(struct uverbs_request){.object = UVERBS_OBJECT_DEVICE,
								.driver = RDMA_DRIVER_MLX5,
								.nattrs = 3,
								.attrs = attrs}),
			 0);
}

/* A list of many objects is for a client that reads later, too: in pages that its socket holds. */
TEST(none, test_many_resources)
{
	const unsigned int pds = 2000;
	static _Alignas(PAGE) char mem[PAGE];
	struct link_resources ask = {.function = {"host"}};
	int sock = open_device(), lister = connect_to();
	size_t n, rows = 0;

	hold(sock, mem, PAGE);
	for (unsigned int i = 0; i < pds; i++)
		alloc_pd(sock);
	do {
		struct link_in in = {0};
		struct link_message m;

		assert_int_equal(
			link_write(lister, LINK_RESOURCES, 0, &ask, sizeof(ask), NULL, 0, 0), 0);
		/* the server answers this after it has answered that */
		assert_int_equal(link_ask(sock, LINK_STATUS, NULL, 0, -1, &m), 0);
		link_message_free(&m);
		assert_int_equal(link_read(lister, &in, 0), 1);
		n = in.m.h.len / sizeof(struct uverbs_resource);
		for (size_t i = 0; i < n; i++)
			rows += ((struct uverbs_resource *)(void *)in.m.body)[i].kind ==
				RESOURCE_PD;
		ask.first += (uint32_t)n;
		link_in_reset(&in);
	} while (n);
	assert_int_equal(rows, pds);
	close(lister);
	close(sock);
}

/* A client that never reads its answers is disconnected; no other client waits. */
TEST(none, test_deaf)
{
	int sock = connect_to(), err = 0;

	for (int i = 0; i < 1000000 && !err; i++)
		err = link_write(sock, LINK_STATUS, 0, NULL, 0, NULL, 0, 0);
	assert_true(err == -EPIPE || err == -ECONNRESET);
	close(sock);
}

TEST(none, test_the_honest_one)
{
	struct link_message m = {0};
	uint8_t *body;
	size_t len;

	good_request(&body, &len);
	assert_int_equal(link_ask(honest, LINK_IOCTL, body, len, -1, &m), 0);
	link_message_free(&m);
	assert_int_equal(link_ask(honest, LINK_STATUS, NULL, 0, -1, &m), 0);
	assert_int_equal(((struct link_status *)(void *)m.body)->nclients, 1);
	link_message_free(&m);
	free(body);
}

static int meet_the_honest(UNUSED void **state)
{
	honest = open_device();
	return 0;
}
TEST_GROUP(meet_the_honest, NULL)
