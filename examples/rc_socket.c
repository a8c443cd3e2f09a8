/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RC between two programs, on two hosts if you like: they exchange blobs by TCP, then SEND, READ
 * and WRITE without the socket.
 *
 *	dvx-sim up nic
 *	dvx-sim exec nic -- ./rc_socket 7471 &		the server; port 0: any, it is printed
 *	dvx-sim exec nic -- ./rc_socket 7471 localhost	the client
 */
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "exchange.h"

enum { ROOM = 256, GREETING = 0, NOTE = 1024, INBOX = 2048 };

static _Alignas(4096) char memory[4096];

static void check_socket(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static int serve(const char *port)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)atoi(port))};
	socklen_t len = sizeof(at);
	int fd, server = socket(AF_INET6, SOCK_STREAM, 0);

	check_socket(server >= 0 && !bind(server, (struct sockaddr *)&at, len) &&
			     !listen(server, 1) &&
			     !getsockname(server, (struct sockaddr *)&at, &len),
		     "listen");
	printf("server: port %u\n", ntohs(at.sin6_port));
	fflush(stdout);
	fd = accept(server, NULL, NULL);
	check_socket(fd >= 0, "accept");
	close(server);
	return fd;
}

static int dial(const char *host, const char *port)
{
	struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *list, *a;
	int fd = -1, err = getaddrinfo(host, port, &want, &list);

	if (err) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(err));
		exit(1);
	}
	for (a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
			close(fd);
			fd = -1;
		}
	}
	check_socket(fd >= 0, host);
	freeaddrinfo(list);
	return fd;
}

static void complete(struct dvx_cq *cq, struct dvx_wc *wc)
{
	if (example_next(cq, wc) == 1)
		return;
	fprintf(stderr, "%s\n", dvx_cqe_strerror(wc->syndrome));
	exit(1);
}

/* Waits for the client's SEND, when its earlier WRITE has arrived, too, and answers. */
static void be_server(struct dvx_qp *qp, struct dvx_cq *cq)
{
	struct dvx_wc wc;

	complete(cq, &wc);
	printf("server: message \"%s\", %u bytes; written: \"%s\"\n", memory + INBOX, wc.byte_count,
	       memory + NOTE);
	must(dvx_post_send_inline(dvx_qp_sq(qp), "read it", 8, 2, DVX_SIGNALED), "send");
	dvx_sq_ring(dvx_qp_sq(qp));
	complete(cq, &wc);
}

static void be_client(struct dvx_qp *qp, struct dvx_cq *cq, const struct region *mine,
		      const struct region *theirs)
{
	struct dvx_sge room = {mine->addr + GREETING, ROOM, mine->key};
	struct dvx_sq *sq = dvx_qp_sq(qp);
	struct dvx_wc wc;

	must(dvx_post_read(sq, theirs->addr + GREETING, theirs->key, &room, 1, 1, DVX_SIGNALED),
	     "read");
	dvx_sq_ring(sq);
	complete(cq, &wc);
	printf("client: the server's memory says \"%s\"\n", memory + GREETING);
	/* A queue keeps the order: the WRITE is done before the SEND arrives. */
	must(dvx_post_write_inline(sq, theirs->addr + NOTE, theirs->key, "here I was", 11, 2, 0),
	     "write");
	must(dvx_post_send_inline(sq, "I wrote", 8, 3, DVX_SIGNALED), "send");
	dvx_sq_ring(sq);
	complete(cq, &wc); /* the SEND, or the answer */
	complete(cq, &wc);
	printf("client: answer \"%s\"\n", memory + INBOX);
}

int main(int argc, char **argv)
{
	const char *port = argc > 1 ? argv[1] : "7471", *host = argc > 2 ? argv[2] : NULL;
	struct region mine = {(uintptr_t)memory, 0, sizeof(memory)}, theirs;
	struct example x;

	example_open(&x, argc > 3 ? argv[3] : NULL);

	struct dvx_cq *cq = example_cq(&x);
	struct dvx_qp *qp = example_qp(&x, cq, 16);
	int fd = host ? dial(host, port) : serve(port);

	mine.key = example_key(&x, memory, sizeof(memory),
			       DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	if (!host)
		strcpy(memory + GREETING, "welcome");

	struct dvx_sge inbox = {mine.addr + INBOX, ROOM, mine.key};

	exchange_connect(&x, qp, DVX_REMOTE_READ | DVX_REMOTE_WRITE, fd, &mine, &theirs);
	must(dvx_rq_post(dvx_qp_rq(qp), &inbox, 1, 9), "receive");
	dvx_rq_ring(dvx_qp_rq(qp));
	exchange_ready(fd);
	if (host)
		be_client(qp, cq, &mine, &theirs);
	else
		be_server(qp, cq);
	exchange_ready(fd);
	return 0;
}
