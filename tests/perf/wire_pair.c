/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures for wire.sh: two chips on a network, and two bare sockets on the same one.
 *
 *	wire_pair serve			memory that others read and write; stdin: the peer, then its end
 *	wire_pair ask			stdin: what serve has printed; prints ns of an 8-byte READ, packets/s of WRITEs
 *	wire_pair echo ADDR		sends datagrams of 32 bytes back, counts others
 *	wire_pair bare ADDR LENGTH	prints ns of a round trip, datagrams/s of LENGTH bytes that arrived
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <dvx/dvx.h>
#include "rounds.h"

#define PORT	  4790
#define SMALL	  32u /* bytes of a READ request's datagram */
#define TRIPS	  400u
#define ROUNDS	  15u
#define STREAM_NS 100e6
#define MESSAGE	  (256u << 10)
#define WINDOW	  4u
#define PACKET	  1024u /* the path MTU */
#define ROOM	  (WINDOW * MESSAGE)
#define ACCESS	  (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ)
#define LONGEST	  9000u

/* --- chips ------------------------------------------------------------------------------------ */

struct end {
	struct dvx_dev *dev;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	uint8_t *mem;
	uint32_t key;
};

struct other {
	uint8_t gid[16];
	uint32_t qpn, key;
	uint64_t addr;
};

static void end_open(struct end *e)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64};
	struct dvx_qp_attr qp = {.size = sizeof(qp), .sq_blocks = 64};
	struct dvx_mkey_attr key = {.size = sizeof(key), .access = ACCESS, .len = ROOM};
	struct dvx_mkey *mkey;
	struct dvx_mem *mem;

	must(dvx_dev_open(NULL, &e->dev), "device");
	must(dvx_pd_alloc(e->dev, &key.pd), "pd");
	must(dvx_uar_alloc(e->dev, DVX_UAR_ANY, &qp.uar), "uar");
	cq.uar = qp.uar;
	must(dvx_cq_create(e->dev, &cq, &e->cq), "cq");
	must(dvx_mem_alloc(ROOM, NULL, &mem), "memory");
	e->mem = key.addr = dvx_mem_addr(mem);
	memset(e->mem, 1, ROOM);
	must(dvx_mkey_create(e->dev, &key, &mkey), "mkey");
	e->key = dvx_mkey_key(mkey);
	qp.pd = key.pd;
	qp.send_cq = e->cq;
	must(dvx_qp_create(e->dev, &qp, &e->qp), "qp");
}

static void end_tell(struct end *e)
{
	struct dvx_qp_local local;
	uint8_t gid[16];

	must(dvx_qp_local_init(e->dev, 1, &local), "port");
	must(dvx_dev_gid(e->dev, 1, local.gid_index, gid), "gid");
	for (unsigned int i = 0; i < 16; i++)
		printf("%02x", gid[i]);
	printf(" %u %u %llu\n", dvx_qp_number(e->qp), e->key,
	       (unsigned long long)(uintptr_t)e->mem);
	fflush(stdout);
}

static void end_hear(struct other *o)
{
	unsigned long long addr;
	unsigned int byte;

	for (unsigned int i = 0; i < 16; i++) {
		if (scanf("%2x", &byte) != 1)
			exit(1);
		o->gid[i] = (uint8_t)byte;
	}
	if (scanf("%u %u %llu", &o->qpn, &o->key, &addr) != 3)
		exit(1);
	o->addr = addr;
}

static void end_connect(struct end *e, const struct other *o)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = o->qpn};
	struct dvx_qp_local local;

	peer.mtu_log = 10; /* PACKET */
	memcpy(peer.gid, o->gid, sizeof(peer.gid));
	must(dvx_qp_local_init(e->dev, 1, &local), "port");
	local.access = DVX_REMOTE_WRITE | DVX_REMOTE_READ;
	local.mtu_log = 10;
	local.psn = peer.psn = 0;
	must(dvx_qp_connect(e->qp, &local, &peer), "connection");
}

static void end_wait(struct end *e, uint32_t n)
{
	struct dvx_wc wc;

	while (n) {
		int got = dvx_cq_poll(e->cq, &wc);

		must(got < 0 ? -EIO : 0, "message");
		n -= (uint32_t)got;
	}
}

static double read_trips(struct end *e, const struct other *o)
{
	struct dvx_sq *sq = dvx_qp_sq(e->qp);
	struct dvx_sge sge = {(uintptr_t)e->mem, 8, e->key};
	double from = now_ns();

	for (uint32_t i = 0; i < TRIPS; i++) {
		must(dvx_post_read(sq, o->addr, o->key, &sge, 1, 0, DVX_SIGNALED), "post");
		dvx_sq_ring(sq);
		end_wait(e, 1);
	}
	return (now_ns() - from) / TRIPS;
}

static void write_message(struct end *e, const struct other *o, uint32_t i)
{
	const uint64_t at = (uint64_t)(i % WINDOW) * MESSAGE;
	struct dvx_sge sge = {(uintptr_t)e->mem + at, MESSAGE, e->key};

	must(dvx_post_write(dvx_qp_sq(e->qp), o->addr + at, o->key, &sge, 1, 0, DVX_SIGNALED),
	     "post");
	dvx_sq_ring(dvx_qp_sq(e->qp));
}

static double write_stream(struct end *e, const struct other *o)
{
	double from = now_ns();
	uint32_t n = 0;

	for (; n < WINDOW; n++)
		write_message(e, o, n);
	for (; now_ns() - from < STREAM_NS; n++) {
		end_wait(e, 1);
		write_message(e, o, n);
	}
	end_wait(e, WINDOW);
	return (double)n * (MESSAGE / PACKET) / ((now_ns() - from) / 1e9);
}

static void serve(void)
{
	struct other o;
	struct end e;

	end_open(&e);
	end_tell(&e);
	end_hear(&o);
	end_connect(&e, &o);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
}

static void ask(void)
{
	double trip[ROUNDS], packets[ROUNDS];
	struct other o;
	struct end e;

	end_open(&e);
	end_tell(&e);
	end_hear(&o);
	end_connect(&e, &o);
	for (unsigned int r = 0; r < ROUNDS; r++) {
		trip[r] = read_trips(&e, &o);
		packets[r] = write_stream(&e, &o);
	}
	printf("%.0f %.0f\n", rounds_least(trip, ROUNDS), rounds_most(packets, ROUNDS));
}

/* --- bare sockets ------------------------------------------------------------------------------ */

static int bare_socket(const char *address, struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), room = 4 << 20;

	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT)};
	if (fd < 0 || inet_pton(AF_INET, address, &a->sin_addr) != 1)
		exit(1);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}

/* SMALL bytes come back, with the number of others before them. */
static void echo(const char *address)
{
	struct sockaddr_in a, from;
	int fd = bare_socket(address, &a);
	uint8_t bytes[LONGEST];
	uint64_t others = 0;

	must(bind(fd, (struct sockaddr *)&a, sizeof(a)) ? -errno : 0, "bind");
	puts("ready");
	fflush(stdout);
	for (;;) {
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &len);

		if (n == SMALL) {
			memcpy(bytes, &others, sizeof(others));
			sendto(fd, bytes, SMALL, 0, (struct sockaddr *)&from, len);
		} else if (n > 0) {
			others++;
		}
	}
}

/* One there and back; what is lost is sent again. */
static uint64_t bare_trip(int fd)
{
	uint8_t bytes[SMALL] = {0};
	uint64_t others;

	for (;;) {
		double from = now_ns();

		send(fd, bytes, SMALL, 0);
		while (now_ns() - from < STREAM_NS)
			if (recv(fd, bytes, sizeof(bytes), 0) == SMALL) {
				memcpy(&others, bytes, sizeof(others));
				return others;
			}
	}
}

static double bare_trips(int fd)
{
	double from = now_ns();

	for (uint32_t i = 0; i < TRIPS; i++)
		bare_trip(fd);
	return (now_ns() - from) / TRIPS;
}

/* Messages that arrived count. */
static double bare_stream(int fd, size_t len)
{
	static const uint8_t bytes[LONGEST];
	uint64_t before = bare_trip(fd);
	double from = now_ns();

	while (now_ns() - from < STREAM_NS)
		for (unsigned int i = 0; i < 16; i++)
			send(fd, bytes, len, 0);
	before = bare_trip(fd) - before;
	return (double)before / ((now_ns() - from) / 1e9);
}

static void bare(const char *address, size_t len)
{
	double trip[ROUNDS], packets[ROUNDS];
	struct sockaddr_in a;
	int fd = bare_socket(address, &a);

	must(connect(fd, (struct sockaddr *)&a, sizeof(a)) || len > LONGEST ? -EINVAL : 0,
	     "connect");
	for (unsigned int r = 0; r < ROUNDS; r++) {
		trip[r] = bare_trips(fd);
		packets[r] = bare_stream(fd, len);
	}
	printf("%.0f %.0f\n", rounds_least(trip, ROUNDS), rounds_most(packets, ROUNDS));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "serve"))
		serve();
	else if (!strcmp(what, "ask"))
		ask();
	else if (!strcmp(what, "echo") && argc > 2)
		echo(argv[2]);
	else if (!strcmp(what, "bare") && argc > 3)
		bare(argv[2], strtoul(argv[3], NULL, 10));
	else
		return 2;
	return 0;
}
