/* SPDX-License-Identifier: BSD-2-Clause */
/* Two programs connect their queues over a socket, and exchange address and key of their memory. */
#ifndef EXAMPLES_EXCHANGE_H
#define EXAMPLES_EXCHANGE_H

#include <endian.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "example.h"

/* Memory that a peer may use; sent in the blob's bytes for the program, big-endian. */
struct region {
	uint64_t addr;
	uint32_t key;
	uint32_t len;
};

_Static_assert(sizeof(struct region) == DVX_QP_USER_BYTES, "a region fits into a blob");

static inline void exchange_bytes(int fd, const void *mine, void *theirs, size_t len)
{
	size_t got = 0;
	ssize_t n;

	if (write(fd, mine, len) != (ssize_t)len) {
		perror("socket");
		exit(1);
	}
	while (got < len) {
		n = read(fd, (char *)theirs + got, len - got);
		if (n <= 0) {
			fprintf(stderr, "the peer is gone\n");
			exit(1);
		}
		got += (size_t)n;
	}
}

/* Connects the queue with the one at the socket's other end; sets *theirs to the peer's memory. */
static inline void exchange_connect(struct example *x, struct dvx_qp *qp, uint32_t access, int fd,
				    const struct region *mine, struct region *theirs)
{
	struct dvx_qp_local local = example_local(x, access);
	struct region wire = {htobe64(mine->addr), htobe32(mine->key), htobe32(mine->len)};
	uint8_t blob[DVX_QP_BLOB_BYTES], other[DVX_QP_BLOB_BYTES];
	struct dvx_qp_peer peer;

	memcpy(local.user, &wire, sizeof(wire));
	must(dvx_qp_blob_write(qp, &local, blob), "own blob");
	exchange_bytes(fd, blob, other, sizeof(blob));
	must(dvx_qp_blob_read(qp, other, sizeof(other), &peer), "the peer's blob");
	must(dvx_qp_connect(qp, &local, &peer), "connect");
	memcpy(&wire, peer.user, sizeof(wire));
	*theirs = (struct region){be64toh(wire.addr), be32toh(wire.key), be32toh(wire.len)};
}

/*
 * Waits until the peer has called it, too. Needed after connecting and posting receives, since a
 * queue does not answer before it is in RTR; and at the end, since a queue ends with its program.
 */
static inline void exchange_ready(int fd)
{
	char mine = 1, theirs;

	exchange_bytes(fd, &mine, &theirs, 1);
}

/* ---- One program that is both ends: a process and its child ---- */

struct exchange_end {
	struct example x;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct region mine, theirs;
	int fd;
};

/* Forks. Call it before the device is opened: a child can't use its parent's objects. */
static inline pid_t exchange_fork(struct exchange_end *e)
{
	int pair[2];
	pid_t child = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? -1 : fork();

	if (child < 0) {
		perror("fork");
		exit(1);
	}
	e->fd = pair[!child];
	close(pair[!!child]);
	return child;
}

/* Opens the device and connects both ends; `access` are the peer's rights on the memory. */
static inline void exchange_open(struct exchange_end *e, const char *device, void *memory,
				 uint32_t len, uint32_t access)
{
	example_open(&e->x, device);
	e->cq = example_cq(&e->x);
	e->qp = example_qp(&e->x, e->cq, 4);
	e->mine = (struct region){(uintptr_t)memory,
				  example_key(&e->x, memory, len, DVX_LOCAL_WRITE | access), len};
	exchange_connect(&e->x, e->qp, access, e->fd, &e->mine, &e->theirs);
}

static inline void exchange_receive(struct exchange_end *e, void *room, uint32_t len,
				    uint64_t cookie)
{
	struct dvx_sge piece = {(uintptr_t)room, len, e->mine.key};

	must(dvx_rq_post(dvx_qp_rq(e->qp), &piece, 1, cookie), "receive");
	dvx_rq_ring(dvx_qp_rq(e->qp));
}

static inline void exchange_send(struct exchange_end *e, const void *data, uint32_t len,
				 uint64_t cookie)
{
	must(dvx_post_send_inline(dvx_qp_sq(e->qp), data, len, cookie, DVX_SIGNALED), "send");
	dvx_sq_ring(dvx_qp_sq(e->qp));
}

#endif
