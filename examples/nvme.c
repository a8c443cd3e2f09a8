/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVMe over RDMA: the host SENDs a command capsule of 64 bytes that names its buffer by a key. The
 * target READs the data of a write from the buffer, WRITEs the data of a read to it, and SENDs a
 * response capsule of 16 bytes. The namespace is a file. This is a sketch of the transport: no
 * Connect, no properties, one command at a time.
 *
 *	dvx-sim run -- ./nvme FILE
 *
 * The parent is the host, the child the target.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include "exchange.h"

enum { FLUSH = 0, WRITE = 1, READ = 2, END = 0xff /* not NVMe's */ };
enum { SENT = 1, RECEIVED, FETCHED }; /* cookies */
enum { BLOCK = 512, BLOCKS = 8, BUFFER = BLOCK * BLOCKS, OUT_OF_RANGE = 0x80, FAILED = 0x06 };

/* NVMe is little-endian; the data pointer is a keyed SGL descriptor. */
struct command {
	uint8_t opcode, flags;
	uint16_t cid;
	uint32_t nsid, cdw2, cdw3;
	uint64_t metadata, addr;
	uint8_t len[3], key[4], type;
	uint64_t first; /* block */
	uint32_t count; /* blocks - 1 */
	uint32_t cdw13, cdw14, cdw15;
};
struct response {
	uint32_t dw0, dw1;
	uint16_t sq_head, sq_id, cid, status;
};
_Static_assert(sizeof(struct command) == 64 && sizeof(struct response) == 16, "capsules");

static _Alignas(4096) struct {
	uint8_t data[BUFFER];
	union {
		struct command command;
		struct response response;
	} capsule; /* received */
} memory;

/* Executes a command at the target; returns its status. */
static uint16_t execute(struct exchange_end *e, const struct command *c, int file)
{
	uint32_t len = (le32toh(c->count) + 1) * BLOCK, key;
	struct dvx_sge buffer = {(uintptr_t)memory.data, len, e->mine.key};
	uint64_t at = le64toh(c->first);
	struct dvx_sq *sq = dvx_qp_sq(e->qp);
	struct stat st;

	if (c->opcode == FLUSH)
		return fdatasync(file) ? FAILED : 0;
	if (fstat(file, &st) || len > BUFFER || at + len / BLOCK > (uint64_t)st.st_size / BLOCK)
		return OUT_OF_RANGE;
	memcpy(&key, c->key, sizeof(key));
	if (c->opcode == WRITE) {
		must(dvx_post_read(sq, le64toh(c->addr), le32toh(key), &buffer, 1, FETCHED,
				   DVX_SIGNALED),
		     "data");
		dvx_sq_ring(sq);
		example_wait(e->cq, FETCHED);
		return pwrite(file, memory.data, len, (off_t)at * BLOCK) == (ssize_t)len ? 0
											 : FAILED;
	}
	if (pread(file, memory.data, len, (off_t)at * BLOCK) != (ssize_t)len)
		return FAILED;
	/* Not signaled: the response in the same queue can't overtake it. */
	must(dvx_post_write(sq, le64toh(c->addr), le32toh(key), &buffer, 1, 0, 0), "data");
	return 0;
}

static void be_target(struct exchange_end *e, int file)
{
	struct response r = {0};
	const struct command *c = &memory.capsule.command;

	for (;;) {
		example_wait(e->cq, RECEIVED);
		if (c->opcode == END)
			return;
		r.cid = c->cid;
		r.status = htole16((uint16_t)(execute(e, c, file) << 1));
		exchange_receive(e, &memory.capsule, sizeof(memory.capsule), RECEIVED);
		exchange_send(e, &r, sizeof(r), SENT);
	}
}

static uint16_t submit(struct exchange_end *e, uint8_t opcode, uint64_t first)
{
	static uint16_t cid;
	const uint32_t key = htole32(e->mine.key), len = htole32(BUFFER);
	struct command c = {
		.opcode = opcode, .flags = 0x40, .cid = htole16(++cid), .nsid = htole32(1)};
	const struct response *r = &memory.capsule.response;

	c.addr = htole64((uintptr_t)memory.data);
	memcpy(c.len, &len, sizeof(c.len));
	memcpy(c.key, &key, sizeof(c.key));
	c.type = 0x40; /* keyed data block */
	c.first = htole64(first);
	c.count = htole32(BLOCKS - 1);
	exchange_receive(e, &memory.capsule, sizeof(memory.capsule), RECEIVED);
	exchange_send(e, &c, sizeof(c), SENT);
	example_wait(e->cq, RECEIVED);
	return r->cid == c.cid ? le16toh(r->status) >> 1 : FAILED;
}

static void be_host(struct exchange_end *e)
{
	const struct command end = {.opcode = END};

	for (int i = 0; i < BUFFER; i++)
		memory.data[i] = (uint8_t)("block "[i % 6]);
	printf("write of 8 blocks at 3: status 0x%x\n", submit(e, WRITE, 3));
	printf("flush: status 0x%x\n", submit(e, FLUSH, 0));
	memset(memory.data, 0, BUFFER);
	printf("read of 8 blocks at 3: status 0x%x,", submit(e, READ, 3));
	printf(" they begin with \"%.11s\"\n", (const char *)memory.data);
	printf("read of blocks that are none: status 0x%x\n", submit(e, READ, 1 << 20));
	exchange_send(e, &end, sizeof(end), SENT);
}

int main(int argc, char **argv)
{
	int file = argc > 1 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;
	struct exchange_end e;
	pid_t child;

	if (file < 0) {
		fprintf(stderr, "usage: nvme FILE [DEVICE]: %s\n",
			argc > 1 ? strerror(errno) : "no FILE");
		return 2;
	}
	child = exchange_fork(&e);
	exchange_open(&e, argc > 2 ? argv[2] : NULL, &memory, sizeof(memory),
		      DVX_REMOTE_READ | DVX_REMOTE_WRITE);
	if (!child)
		exchange_receive(&e, &memory.capsule, sizeof(memory.capsule), RECEIVED);
	exchange_ready(e.fd);
	if (child)
		be_host(&e);
	else
		be_target(&e, file);
	exchange_ready(e.fd);
	return child && wait(NULL) != child;
}
