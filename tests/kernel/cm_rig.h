/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CM_RIG_H
#define TESTS_CM_RIG_H

#include <arpa/inet.h>
#include <rdma/rdma_user_cm.h>
#include "tests/test.h"
#include "chip/chip.h"
#include "kernel/cm/cm.h"
#include "kernel/cm/mad.h"
#include "obj/device.h"

/*
 * The RDMA_CM device with a simulated wire, which may lose messages, and a clock that only the test
 * moves. The machine's address is 10.0.0.1; the functions have 192.168.215.1 and .2.
 */
#define CR_WIRE 64
struct cr {
	struct clock clock;
	uint64_t now;
	struct chip *chip;
	struct device *dev;
	struct cm *cm;
	int log;
	struct {
		struct vhca *from;
		struct cm_path path;
		uint8_t mad[CM_MAD_BYTES];
	} wire[CR_WIRE];
	unsigned int nwire, sent;
	uint32_t lose; /* bit n: the next message of attribute CM_REQ + n is lost */
};
extern struct cr *cr;

int cr_setup(void **state);
int cr_teardown(void **state);
#define FIXTURE_cm(name) FIXTURE(name, void *no_state, cr_setup, cr_teardown)

/* One end: an open file, its descriptor, an id. */
struct cr_end {
	struct cm_file *file;
	int fd;
	uint32_t id;
};
struct cr_end cr_open(unsigned int function, uint16_t ps);
void cr_close(struct cr_end *);

/* Writes a command as librdmacm does; `out` gets the answer. */
int cr_command(struct cm_file *, uint32_t command, const void *in, size_t in_len, void *out,
	       size_t out_len);
#define CR_ASK(end, command, in, out) \
	cr_command((end)->file, command, &(in), sizeof(in), out, sizeof(*(out)))
#define CR_RUN(end, command, in) cr_command((end)->file, command, &(in), sizeof(in), NULL, 0)

struct sockaddr_in6 cr_ip(const char *address, uint16_t port);
int cr_bind(struct cr_end *, const char *address, uint16_t port);
int cr_listen(struct cr_end *, uint32_t backlog);
int cr_resolve(struct cr_end *, const char *address, uint16_t port);
int cr_route(struct cr_end *);
void cr_resolves(struct cr_end *, const char *address, uint16_t port); /* and the route */
int cr_connect(struct cr_end *, const char *private_data);
int cr_accept(struct cr_end *, uint64_t uid);
int cr_disconnect(struct cr_end *);
/* Each succeeds, and its messages are delivered. */
void cr_connects(struct cr_end *, const char *private_data);
void cr_accepts(struct cr_end *, uint64_t uid);
void cr_disconnects(struct cr_end *);
int cr_destroy(struct cr_end *); /* returns how many events were read, or -errno */
int cr_qp_attr(struct cr_end *, uint32_t state, struct ib_uverbs_qp_attr *);

/* Delivers all messages, and those that they cause. */
void cr_deliver(void);
/* Moves the clock: runs due timers and delivers their messages. */
void cr_pass(uint64_t ms);
/* Returns the number of bytes that make the descriptor readable. */
unsigned int cr_readable(const struct cr_end *);
/* Reads the next event; asserts that there is one. */
struct rdma_ucm_event_resp cr_event(struct cr_end *);
/* Reads the next event; asserts its kind and status. */
struct rdma_ucm_event_resp cr_expect(struct cr_end *, uint32_t event, int status);
void cr_expect_none(struct cr_end *);

/* Make a listener on port 7000 of function 0, and a client that is ready to connect to it. */
struct cr_end cr_listener(const char *address, uint16_t ps, uint32_t backlog);
struct cr_end cr_client(uint16_t ps);
void cr_pair(struct cr_end *server, struct cr_end *client, uint16_t ps);
/* Reads the server's next request; returns the new id. */
struct cr_end cr_request(struct cr_end *server);
/* Makes a listener and a client, which connects; returns the server's new id. */
struct cr_end cr_requested(struct cr_end *server, struct cr_end *client, uint16_t ps);
/* Establishes a connection; returns both ends. */
void cr_connected(struct cr_end *server, struct cr_end *client, struct cr_end *child);

enum {
	E_ADDR_RESOLVED = 0,
	E_ADDR_ERROR = 1,
	E_ROUTE_RESOLVED = 2,
	E_CONNECT_REQUEST = 4,
	E_CONNECT_RESPONSE = 5,
	E_UNREACHABLE = 7,
	E_REJECTED = 8,
	E_ESTABLISHED = 9,
	E_DISCONNECTED = 10,
	E_MULTICAST_JOIN = 12,
	E_TIMEWAIT_EXIT = 15
};
#define CR_QPN(end) (0x100u + (end)->id)

#endif
