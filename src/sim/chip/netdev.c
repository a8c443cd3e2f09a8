/* SPDX-License-Identifier: BSD-2-Clause */
#include "netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "chip.h"
#include "kernel/kernel.h"
#include "obj/device.h"
#include "obj/rep.h"
#include "port/port.h"
#include "port/tap.h"
#include "rtnetlink.h"
#include "steer/steer.h"

/* 4096 bytes and the longest headers: the port's MTU is 4096 (vhca_mtu()). */
#define NETDEV_MTU    4200u
#define NETDEV_FRAMES 32u /* in one turn */
#define NETDEV_ADDRS  ((VHCA_GIDS - VHCA_OWN_GIDS) / 2)

struct netdev {
	struct netdevs *all;
	struct vhca *v;
	unsigned int port;   /* of v, whose interface it is */
	struct netif *state; /* NULL: the port has no interface */
	char name[NETDEV_NAME];
	int tap, events; /* -1: none */
	ino_t namespace; /* the network namespace of `events` */
};

struct netdevs {
	struct chip *chip;
	netdev_changed_fn changed;
	void *arg;
	unsigned int n;
	struct netdev at[];
};

/* Returns whether it is the function's own interface, whose addresses are GIDs. */
static bool netdev_is_own(const struct vhca *v, unsigned int port)
{
	return port == vhca_ports(v);
}

void netdev_name(char name[NETDEV_NAME], const char *chip_name, const struct vhca *v,
		 unsigned int port)
{
	char rep[PORT_NAME];

	if (!netdev_is_own(v, port))
		vhca_port_name(v, port, rep);
	snprintf(name, NETDEV_NAME, "%s-%s", chip_name, netdev_is_own(v, port) ? v->name : rep);
}

/* --- frames ----------------------------------------------------------------------------------- */

static void netdev_transmit(const struct netdev *d, uint8_t *buf, uint32_t len)
{
	struct packet p = steer_packet(buf, len);

	p.source_vhca = d->v->id;
	p.source_sqn = vhca_port_sqn(d->v, d->port);
	p.vxlan_ports = d->v->dev->vxlan_ports;
	packet_parse_headers(&p);
	steer_tx(d->v, &p);
}

/* Reads frames; those without room wait in the kernel's queue. */
static void netdev_readable(void *arg, int fd)
{
	uint8_t buf[STEER_BUFFER];
	struct netdev *d = arg;

	if (d->v->dev->failed)
		return chip_unwatch(d->all->chip, fd);
	for (unsigned int i = 0; i < NETDEV_FRAMES && port_room(d->v->dev->port); i++) {
		ssize_t n = read(fd, buf + STEER_HEADROOM, VHCA_FRAME_MAX + 1);

		if (n < 0 && errno == EBADFD) {
			sim_refuse("%s: the network interface was deleted", d->name);
			chip_unwatch(d->all->chip, fd);
		}
		if (n < 0)
			return;
		if (n >= VHCA_FRAME_MIN && n <= VHCA_FRAME_MAX)
			netdev_transmit(d, buf, (uint32_t)n);
		else
			d->v->drops.n[DROP_LENGTH]++;
	}
}

/* Writes a frame. It is lost if the interface is down or its queue full, as behind any NIC. */
static bool netdevs_receive(void *arg, const struct vhca *v, unsigned int port,
			    const uint8_t *bytes, uint32_t len)
{
	const struct netdevs *all = arg;
	const struct vhca *manager = v->dev->manager;
	unsigned int i = v->index + port - 1;

	if (v->index > manager->index)
		i += vhca_ports(manager) - 1;
	return write(all->at[i].tap, bytes, len) == (ssize_t)len;
}

/* --- changes by the administrator ------------------------------------------------------------- */

static bool netdev_has(const struct rtnetlink_address *at, int n, const struct gid_entry *e)
{
	while (n-- > 0)
		if (at[n].vlan == e->vlan && !memcmp(at[n].gid, e->gid, 16) &&
		    !strncmp(at[n].name, e->ndev, sizeof(e->ndev)))
			return true;
	return false;
}

static bool netdev_has_gid(const struct vhca *v, const struct rtnetlink_address *a)
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type != GID_EMPTY && v->gids[i].vlan == a->vlan &&
		    !memcmp(v->gids[i].gid, a->gid, 16))
			return true;
	return false;
}

/* Returns how many entries of the table changed. The first two are the MAC's and stay. */
static unsigned int netdev_set_gids(struct vhca *v, const struct rtnetlink_address *at, int n)
{
	unsigned int changes = 0;
	uint8_t own[16];

	gid_link_local(own, v->mac);
	for (unsigned int i = 0; i < v->ngids; i++) {
		const struct gid_entry e = v->gids[i];

		if (e.type == GID_EMPTY || (!e.vlan && !memcmp(e.gid, own, 16)) ||
		    netdev_has(at, n, &e))
			continue;
		changes += vhca_gid_del_vlan(v, e.gid, e.vlan) ? 0 : 2;
	}
	for (int i = 0; i < n; i++) {
		if (netdev_has_gid(v, &at[i]))
			continue;
		if (vhca_gid_add_vlan(v, at[i].gid, at[i].prefix, at[i].vlan, at[i].name))
			sim_note("vhca %u: the GID table is full", v->id);
		else
			changes += 2;
	}
	return changes;
}

static bool netdev_set_state(struct netdev *d)
{
	struct rtnetlink_state s;
	struct netif *i = d->state;
	bool changed;

	rtnetlink_state(d->events, d->name, &s);
	changed = i->up != s.running || i->mtu != s.mtu;
	i->promiscuous = s.promiscuous;
	i->mtu = s.mtu;
	if (i->up != s.running) {
		i->up = s.running;
		kernel_port_changed(chip_kernel(d->all->chip), d->v, d->port);
	}
	return changed;
}

/* Returns the number of changes. A representor has no GIDs. */
static unsigned int netdev_sync_gids(const struct netdev *d)
{
	struct rtnetlink_address at[NETDEV_ADDRS];
	int n = netdev_is_own(d->v, d->port) ? rtnetlink_addresses(d->name, at, NETDEV_ADDRS) : -1;

	return n < 0 ? 0 : netdev_set_gids(d->v, at, n);
}

static void netdev_sync(struct netdev *d)
{
	unsigned int changes = netdev_sync_gids(d);
	bool state = netdev_set_state(d);

	if (changes)
		port_gids_changed(d->v->dev->port);
	if (changes || state)
		d->all->changed(d->all->arg, d->v, d->port);
	for (unsigned int i = 0; i < changes; i++)
		kernel_gid_changed(chip_kernel(d->all->chip), d->v);
}

/* --- its network namespace -------------------------------------------------------------------- */

static ino_t netdev_inode(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_ino : 0;
}

static void netdev_event(void *arg, int fd);

/* Listens in the interface's present namespace. */
static int netdev_listen(struct netdev *d)
{
	if (d->events >= 0) {
		chip_unwatch(d->all->chip, d->events);
		close(d->events);
	}
	d->events = rtnetlink_listen();
	return d->events < 0 ? d->events : chip_watch(d->all->chip, d->events, netdev_event, d);
}

static void netdev_look(struct netdev *d, ino_t namespace)
{
	if (namespace != d->namespace && netdev_listen(d))
		sim_note("%s: its addresses are not followed", d->name);
	d->namespace = namespace;
	netdev_sync(d);
}

/* Follows the interface, which the administrator may have moved to another namespace. */
static void netdev_follow(struct netdev *d)
{
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = ioctl(d->tap, TUNGETDEVNETNS, NULL);
	bool moved = netdev_inode(there) != netdev_inode(own);

	if (moved && setns(there, CLONE_NEWNET)) {
		sim_note("%s: its network namespace is out of reach: %s", d->name, strerror(errno));
		moved = false;
	}
	netdev_look(d, netdev_inode(moved ? there : own));
	if (moved && setns(own, CLONE_NEWNET))
		sim_bug("the way back to the server's network namespace is closed");
	if (own >= 0)
		close(own);
	if (there >= 0)
		close(there);
}

static void netdev_event(void *arg, int fd)
{
	rtnetlink_drain(fd);
	netdev_follow(arg);
}

/* --- start and end ---------------------------------------------------------------------------- */

/* Gives the interface the function's address; a representor's is random, as in Linux. */
static int netdev_configure(const struct netdev *d)
{
	const bool own = netdev_is_own(d->v, d->port);
	int err = tap_configure(d->name, own ? d->v->mac : NULL, NETDEV_MTU);

	return err ? err : tap_address(d->name, d->state->mac);
}

static bool netdev_open(struct netdev *d, const char *chip_name)
{
	char why[TAP_WHY];
	int err;

	netdev_name(d->name, chip_name, d->v, d->port);
	d->tap = tap_open(d->name, false, why);
	if (d->tap < 0) {
		fprintf(stderr, "dvx-sim: --netdev: %s\n", why);
		return false;
	}
	d->state = vhca_port_netdev(d->v, d->port);
	err = netdev_configure(d);
	if (!err)
		err = chip_watch(d->all->chip, d->tap, netdev_readable, d);
	if (err)
		fprintf(stderr, "dvx-sim: --netdev: %s: %s\n", d->name, strerror(-err));
	d->state->present = !err;
	netdev_follow(d);
	d->all->changed(d->all->arg, d->v, d->port);
	return !err;
}

/* Makes the interfaces of a function's ports; `at` has a place for each port. */
static bool netdevs_open(struct netdevs *all, struct vhca *v, const char *chip_name)
{
	for (unsigned int port = 1; port <= vhca_ports(v); port++) {
		struct netdev *d = &all->at[all->n++];

		*d = (struct netdev){.all = all, .v = v, .port = port, .tap = -1, .events = -1};
		if (vhca_port_has_netdev(v, port) && !netdev_open(d, chip_name))
			return false;
	}
	return true;
}

struct netdevs *netdevs_new(struct chip *chip, const char *chip_name, netdev_changed_fn changed,
			    void *arg)
{
	struct device *dev = chip_device(chip);
	const unsigned int most = dev->nfunctions + vhca_ports(dev->manager);
	struct netdevs *all = calloc(1, sizeof(*all) + most * sizeof(all->at[0]));

	if (!all)
		return NULL;
	*all = (struct netdevs){.chip = chip, .changed = changed, .arg = arg};
	chip_on_frame(chip, netdevs_receive, all);
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (!netdevs_open(all, &dev->vhca[i], chip_name)) {
			netdevs_free(all);
			return NULL;
		}
	return all;
}

static void netdev_close(struct netdev *d)
{
	const int fds[] = {d->tap, d->events};

	if (d->state)
		d->state->present = false;
	for (unsigned int i = 0; i < 2; i++) {
		if (fds[i] < 0)
			continue;
		chip_unwatch(d->all->chip, fds[i]);
		close(fds[i]);
	}
}

void netdevs_free(struct netdevs *all)
{
	if (!all)
		return;
	for (unsigned int i = 0; i < all->n; i++)
		netdev_close(&all->at[i]);
	chip_on_frame(all->chip, NULL, NULL);
	free(all);
}

void netdevs_link(struct netdevs *all, bool up)
{
	for (unsigned int i = 0; all && i < all->n; i++)
		if (all->at[i].state)
			tap_set_carrier(all->at[i].tap, up);
}
