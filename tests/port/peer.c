/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a switch carries frames to the chip with the address, and to all if none is known to
 * have it; that a chip that stops, dies or sends garbage does not harm others; and that chips learn
 * each other's addresses.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/queue/queue_rig.h"
#include "port/peer.h"
#include "port/wire.h"

#define CHIPS 3u

struct net {
	struct rig rig[CHIPS];
	struct wire *wire[CHIPS];
	char dir[64], folder[80];
};

static int net_setup(void **state)
{
	struct net *n = calloc(1, sizeof(*n));
	char why[WIRE_WHY];

	strcpy(n->dir, "/tmp/dvx-peer.XXXXXX");
	if (!mkdtemp(n->dir))
		return -1;
	snprintf(n->folder, sizeof(n->folder), "%s/net", n->dir);
	for (unsigned int i = 0; i < CHIPS; i++) {
		rig_open(&n->rig[i]);
		n->wire[i] = peer_open(&n->rig[i].dev, n->folder, why);
		if (!n->wire[i])
			fail_msg("%s", why);
		port_set_wire(n->rig[i].dev.port, n->wire[i]);
	}
	*state = n;
	return 0;
}

static int net_teardown(void **state)
{
	struct net *n = *state;
	char lock[100];

	for (unsigned int i = 0; i < CHIPS; i++)
		rig_close(&n->rig[i]);
	snprintf(lock, sizeof(lock), "%s/lock", n->folder);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(rmdir(n->folder), 0); /* no other file is left */
	rmdir(n->dir);
	free(n);
	return 0;
}

#define FIXTURE_net(name) FIXTURE(name, struct net *n, net_setup, net_teardown)

/* Runs all chips until nothing is under way. */
static void net_settle(struct net *n)
{
	bool did;

	do {
		did = false;
		for (unsigned int i = 0; i < CHIPS; i++)
			did |= port_run_wire(n->rig[i].dev.port) | port_run(n->rig[i].dev.port);
	} while (did);
}

static void net_send(struct net *n, unsigned int from, const uint8_t to[6])
{
	struct vhca *v = &n->rig[from].dev.vhca[0];
	uint8_t packet[60] = {0};

	memcpy(packet, to, 6);
	memcpy(packet + 6, v->mac, 6);
	packet[12] = 0x88;
	packet[13] = 0xb5;
	port_transmit(v, packet, sizeof(packet));
}

static uint64_t got(const struct net *n, unsigned int i)
{
	return n->wire[i]->received;
}

/* Only the user's own chips can join the switch. */
TEST(net, test_private)
{
	struct stat st;

	assert_int_equal(stat(n->folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

/* Chips know each other's addresses from the start, and all differ. */
TEST(net, test_addresses)
{
	net_settle(n);
	for (unsigned int i = 0; i < CHIPS; i++)
		for (unsigned int k = 0; k < CHIPS; k++) {
			const struct vhca *v = &n->rig[k].dev.vhca[1];
			uint8_t mac[6] = {0};

			assert_int_equal(!n->wire[i]->ops->resolve(n->wire[i],
								   &n->rig[i].dev.vhca[0].gids[3],
								   v->gids[3].gid, mac),
					 i != k);
			if (i != k)
				assert_memory_equal(mac, v->mac, 6);
		}
}

/* Chips learn addresses that a chip gets or loses later. */
TEST(net, test_new_addresses)
{
	const uint8_t gid[16] = {0xfd, [15] = 7};
	struct vhca *v = &n->rig[0].dev.vhca[1];
	uint8_t mac[6];

	net_settle(n);
	assert_int_equal(
		n->wire[1]->ops->resolve(n->wire[1], &n->rig[1].dev.vhca[0].gids[3], gid, mac),
		-EHOSTUNREACH);
	assert_int_equal(vhca_gid_add(v, gid, 64), 0);
	port_gids_changed(n->rig[0].dev.port);
	net_settle(n);
	assert_int_equal(
		n->wire[1]->ops->resolve(n->wire[1], &n->rig[1].dev.vhca[0].gids[3], gid, mac), 0);
	assert_memory_equal(mac, v->mac, 6);
	assert_int_equal(vhca_gid_del(v, gid), 0);
	port_gids_changed(n->rig[0].dev.port);
	net_settle(n);
	assert_int_equal(
		n->wire[1]->ops->resolve(n->wire[1], &n->rig[1].dev.vhca[0].gids[3], gid, mac),
		-EHOSTUNREACH);
}

/* A chip that does not read at the moment gets the addresses later. */
TEST(net, test_announced_later)
{
	const uint8_t gid[16] = {0xfd, [15] = 7};
	struct port *port = n->rig[0].dev.port;
	uint8_t mac[6];

	net_settle(n);
	while (port_room(port))
		net_send(n, 0, n->rig[1].dev.vhca[0].mac);
	assert_int_equal(vhca_gid_add(&n->rig[0].dev.vhca[0], gid, 64), 0);
	port_gids_changed(port);
	port_run_wire(port);
	net_settle(n);
	assert_int_equal(n->wire[0]->lost, 0);
	assert_int_equal(
		n->wire[1]->ops->resolve(n->wire[1], &n->rig[1].dev.vhca[0].gids[3], gid, mac), 0);
}

TEST(net, test_switching)
{
	static const uint8_t group[6] = {0x01, 0, 0x5e, 1, 2, 3}, unknown[6] = {2, 9, 9, 9, 9, 9};

	net_settle(n);
	net_send(n, 0, n->rig[2].dev.vhca[1].mac);
	net_settle(n);
	assert_int_equal(got(n, 1), 0);
	assert_int_equal(got(n, 2), 1);
	net_send(n, 0, group);
	net_send(n, 0, unknown);
	net_settle(n);
	assert_int_equal(got(n, 1), 2);
	assert_int_equal(got(n, 2), 3);
	net_send(n, 0, n->rig[0].dev.vhca[1].mac);
	net_settle(n);
	assert_int_equal(n->wire[0]->sent, 3); /* the last one stays in the chip */
	assert_int_equal(port_unclaimed(n->rig[0].dev.port), 0);
	assert_int_equal(got(n, 0), 0);
}

/* A chip that is stopped fills its socket: senders wait for a second, then go on without it. */
TEST(net, test_stopped)
{
	const uint8_t *to = n->rig[1].dev.vhca[0].mac;
	struct port *port = n->rig[0].dev.port;
	unsigned int sent = 0;

	net_settle(n);
	for (; port_room(port); sent++)
		net_send(n, 0, to);
	assert_in_range(sent, 100, 10000);
	n->rig[0].now += 1000000001;
	assert_true(port_room(port));
	net_send(n, 0, to);
	net_send(n, 0, n->rig[2].dev.vhca[0].mac);
	assert_int_equal(n->wire[0]->lost, 1);
	net_settle(n); /* it runs again */
	assert_int_equal(got(n, 1), sent);
	assert_int_equal(got(n, 2), 1);
	net_send(n, 0, to);
	net_settle(n);
	assert_int_equal(got(n, 1), sent + 1);
}

/* A chip that dies leaves its slot; the next one gets its addresses. */
TEST(net, test_dies)
{
	uint8_t mac[6];
	char why[WIRE_WHY];

	net_settle(n);
	memcpy(mac, n->rig[1].dev.vhca[0].mac, 6);
	port_set_wire(n->rig[1].dev.port, NULL);
	net_send(n, 0, mac);
	net_settle(n);
	assert_int_equal(got(n, 2), 0);
	net_send(n, 0, mac);
	net_settle(n);
	assert_int_equal(got(n, 2), 1); /* no chip is known to have it now */
	n->wire[1] = peer_open(&n->rig[1].dev, n->folder, why);
	port_set_wire(n->rig[1].dev.port, n->wire[1]);
	assert_memory_equal(n->rig[1].dev.vhca[0].mac, mac, 6);
	net_settle(n);
	net_send(n, 0, mac);
	net_settle(n);
	assert_int_equal(got(n, 1), 1);
	assert_int_equal(got(n, 2), 1);
}

/* A chip that dies leaves once, though a frame for it was held back and leaves as it is read. */
TEST(net, test_dies_while_it_is_read)
{
	const struct fault_rates rates = {.reorder = FAULT_ONE, .seed = 1};

	net_settle(n);
	port_set_faults(n->rig[0].dev.port, &rates);
	net_send(n, 0, n->rig[1].dev.vhca[0].mac);
	for (unsigned int i = 0; i < 8; i++)
		net_send(n, 1, n->rig[0].dev.vhca[0].mac);
	port_set_wire(n->rig[1].dev.port, NULL);
	port_run_wire(n->rig[0].dev.port);
	assert_int_equal(got(n, 0), 8);
	net_settle(n);
	assert_int_equal(n->wire[0]->others, CHIPS - 2);
}

/* Without a descriptor for it a chip that joins is turned away, once. */
TEST(net, test_no_descriptors)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), next = dup(fd);
	struct rlimit files, few;
	char byte;

	net_settle(n);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/3-4", n->folder);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	few = (struct rlimit){(rlim_t)next, files.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_true(port_run_wire(n->rig[1].dev.port));
	assert_false(port_run_wire(n->rig[1].dev.port));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	close(fd);
}

/* A connection that sends no valid message is closed. */
TEST(net, test_hostile)
{
	static const struct {
		uint32_t kind;
		size_t len;
	} bad[] = {{0, 0},	    {0, 100},	      {0x50585644, 13},	   {0x50585644, 9217},
		   {0x50585644, 0}, {0x50585645, 23}, {0x50585645, 30000}, {~0u, 64}};
	static uint8_t bytes[40000];

	net_settle(n);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

		snprintf(at.sun_path, sizeof(at.sun_path), "%s/3-4", n->folder);
		assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
		memcpy(bytes, &bad[i].kind, 4);
		assert_true(send(fd, bytes, 4 + bad[i].len, 0) > 0);
		net_settle(n);
		assert_int_equal(n->wire[1]->bad, i + 1);
		assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0); /* the introduction */
		assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), 0);
		close(fd);
	}
	assert_int_equal(got(n, 1), 0);
	net_send(n, 0, n->rig[1].dev.vhca[0].mac);
	net_settle(n);
	assert_int_equal(got(n, 1), 1);
}

/* A switch whose folder can't be made is refused with the reason, not with what follows from it. */
TEST(net, test_no_folder)
{
	char why[WIRE_WHY];

	if (access("/sys", X_OK))
		skip();
	assert_null(peer_open(&n->rig[0].dev, "/sys/dvx-none", why));
	assert_non_null(strstr(why, "dvx-none"));
	assert_null(strstr(why, strerror(ENOENT)));
}

/* Chips with different numbers of functions have different addresses. */
TEST(net, test_mixed_addresses)
{
	struct profile p = profile_bluefield2;
	struct wire *late[2];
	char why[WIRE_WHY];
	struct rig r[2];

	for (unsigned int i = 0; i < 2; i++) {
		p.vfs = i ? 0 : 3;
		rig_open_as(&r[i], &p);
		late[i] = peer_open(&r[i].dev, n->folder, why);
		assert_non_null(late[i]);
		port_set_wire(r[i].dev.port, late[i]);
	}
	assert_int_equal(r[0].dev.vhca[0].mac[5], 2 * CHIPS + 1);
	assert_int_equal(r[1].dev.vhca[0].mac[5], 2 * CHIPS + 1 + 5);
	rig_close(&r[0]);
	rig_close(&r[1]);
}

/* A switch is full when too few numbers are left for a chip's functions. */
TEST(net, test_full)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const unsigned int first = 2 * CHIPS + 1, last = DEVICE_NUMBERS - 1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char why[WIRE_WHY];

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/%u-%u", n->folder, first, last);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_null(peer_open(&n->rig[0].dev, n->folder, why));
	assert_non_null(strstr(why, "it is full"));
	unlink(at.sun_path);
	close(fd);
}

/* A folder's name that is too long for sockets is refused, and no file of a shorter name is left. */
TEST(net, test_long_name)
{
	char why[WIRE_WHY], name[120];
	/* with "/lock" as long as a socket's name can be, without its end */
	const size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - strlen("/lock");

	for (size_t len = sizeof(name) - 1; len; len = len > most ? most : 0) {
		memset(name, 'x', sizeof(name));
		memcpy(name, n->dir, strlen(n->dir));
		name[strlen(n->dir)] = '/';
		name[len] = 0;
		assert_null(peer_open(&n->rig[0].dev, name, why));
		assert_non_null(strstr(why, strerror(ENAMETOOLONG)));
		assert_int_equal(access(name, F_OK), -1);
		name[most + strlen("/lock") - 1] = 0;
		assert_int_equal(access(name, F_OK), -1);
	}
}
