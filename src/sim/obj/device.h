/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_DEVICE_H
#define SIM_OBJ_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "flex_sample.h"
#include "vhca.h"
#include "base/clock.h"

struct eswitch;
/* alias.c: access that ALLOW_OTHER_VHCA_ACCESS granted; of the chip, keyed by vhca_id */
struct grant;
struct host;
struct mm;
struct null_memory;
struct port;
struct queues;
struct roce_packet;
struct sched;
struct steer;

/*
 * Calls to the driver, kernel/ for programs without a VM. Lower rooms call it through this table,
 * so they do not depend on it. chip.c sets it once; device_init() sets one without callbacks.
 */
struct front_ops {
	/*
	 * Takes an EQE (64 bytes, PRM `eqe`) for the function's driver, at once: there is no
	 * interrupt line. Completion events name their CQ's eqn; the others (QP, CQ errors) have
	 * eqn 0, because the driver tells them apart by type.
	 */
	void (*event)(void *front, struct vhca *, uint32_t eqn, const void *eqe);
	/* Takes a management datagram of 256 bytes for queue pair 1 (transport/gsi.h). */
	void (*mad)(void *front, struct vhca *, const struct roce_packet *, const uint8_t *mad);
	/*
	 * Reports that addresses which device_resolve() asked for have answered, or did not in
	 * time.
	 */
	void (*neighbour)(void *front);
	/* Takes a packet for the network interface of a function's port; false: refused. */
	bool (*to_netdev)(void *front, const struct vhca *, unsigned int port, const uint8_t *bytes,
			  uint32_t len);
};

/*
 * The chip as the rooms below src/sim/chip see it: its functions, and the state that rooms share.
 */
struct device {
	struct host *host;
	const struct front_ops *front; /* never NULL; a callback may be NULL */
	void *front_ctx;
	struct clock *clock;
	uint64_t now;	 /* start of the data path's present turn */
	bool now_used;	 /* a CQE of this turn has `now` as its timestamp */
	bool page_fault; /* set by the first access to a page of an on-demand mkey */
	struct timers timers;
	const struct profile *profile;
	struct vhca *vhca; /* functions of the profile */
	unsigned int nfunctions;
	struct vhca *manager; /* of the e-switch: the ECPF, or the PF of a chip without one */
	struct flow_table *uplink_acl[STEER_DOMAINS]; /* roots, as vhca.flow_root */
	struct grant *grants;
	struct null_memory *null; /* mkey.c; NULL until first used */
	struct mm *memic_mm;	  /* memory that programs map; NULL until first used */
	struct mm *icm_mm;	  /* the device's memory on the bus; NULL until first used */
	struct queues *queues;
	struct sched *sched;
	struct port *port;
	struct eswitch *eswitch;
	struct steer *steer;
	/* that a flex parser takes: class << 16 | type << 8 | 1; 0: none (fw/geneve_option.c) */
	uint32_t geneve_option;
	struct flex_sample flex_sample[FLEX_PARSERS]; /* by the parser's number */
	/* UDP ports of VXLAN beside 4789, then zeros (fw/vxlan_port.c) */
	uint16_t vxlan_ports[VHCA_MAX_VXLAN_PORTS + 1];
	uint64_t paths;	    /* changes whenever paths may lead elsewhere; starts at 1 */
	bool link_down;	    /* port_set_link() */
	bool failed;	    /* it does nothing any more: chip_fail() */
	struct drops drops; /* packets that belong to no function */
	uint32_t shapes;    /* queue pairs with a scheduling element */
	/* MTU of the port is 128 << active_mtu bytes, as PRM and verbs number it */
	uint8_t active_mtu;
	uint16_t udp_sport; /* source port of all RoCEv2 packets; 0: each queue chooses */
	/*
	 * Returns the MAC address of a GID that no function has, or -errno; set by the wire, for
	 * device_resolve().
	 */
	int (*resolve_outside)(struct device *, const struct gid_entry *from,
			       const uint8_t gid[16], uint8_t mac[6]);
	uint64_t generation; /* last generation given to an object */
	uint64_t steer_work; /* cost of all walks so far, in entries read */
	uint64_t mkey_changes; /* counts changes of mkeys and their ends: mkey_changed() */
	/* changes whenever a multicast group gets its first member or loses its last */
	uint64_t groups;
};

/* Returns 0, -ENOMEM, or -EINVAL after a sentence if the profile has no functions or too many. */
int device_init(struct device *, struct host *, struct clock *, const struct profile *);
void device_fini(struct device *);
/*
 * Derives the addresses of the functions from numbers, 1 to DEVICE_NUMBERS, the first of which this
 * is. Chips that see each other have different numbers.
 */
void device_number(struct device *, unsigned int first);
/*
 * Derives the functions' MAC addresses from this one, and leaves only the GIDs that follow from
 * these: on a foreign network nobody assigns IP addresses to the chip.
 */
void device_follow_mac(struct device *, const uint8_t mac[6]);
/* Limits the port's MTU to that of a wire, in bytes of an IP packet; 0: no limit. */
void device_set_mtu(struct device *, unsigned int bytes);
struct vhca *device_vhca_by_id(struct device *, uint16_t vhca_id);
struct vhca *device_vhca_by_name(const struct device *, const char *name);
/* Returns the function of this vport; NULL if there is none, or for the uplink. */
struct vhca *device_vhca_by_vport(const struct device *, uint32_t vport);
/* Returns the first function of a kind; NULL if the chip has none. */
const struct vhca *device_first(const struct device *, enum function_kind);
/* Returns log2 of the number of UARs of each function. */
unsigned int device_log_uars(const struct device *);

#endif
