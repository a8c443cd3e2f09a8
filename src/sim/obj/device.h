/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_DEVICE_H
#define SIM_OBJ_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "vhca.h"
#include "base/clock.h"

struct eswitch;
struct grant; /* grant.c: what ALLOW_OTHER_VHCA_ACCESS stored; the chip's, keyed by vhca_id */
struct host;
struct mm;
struct null_memory;
struct port;
struct queues;
struct roce_packet;
struct sched;
struct steer;

/*
 * The driver's side, which the rooms below call without knowing it: kernel/ for programs without a
 * VM. chip.c sets it once; device_init() sets one without callbacks.
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
	/* Addresses that device_resolve() asked for have answered, or did not in time. */
	void (*neighbour)(void *front);
	/* Takes a packet for the function's network interface; false: it does not take it. */
	bool (*to_netdev)(void *front, const struct vhca *, const uint8_t *bytes, uint32_t len);
};

/* The chip as the rooms below src/sim/chip see it: its functions, and what the rooms share. */
struct device {
	struct host *host;
	const struct front_ops *front; /* never NULL; a callback that is NULL is not called */
	void *front_ctx;
	struct clock *clock;
	uint64_t now; /* when the data path's turn began */
	bool now_told; /* a CQE of this turn has it */
	bool page_fault; /* an access was the first one to a page of an mkey on demand */
	struct timers timers;
	const struct profile *profile;
	struct vhca *vhca; /* the profile's functions */
	unsigned int nfunctions;
	struct grant *grants;
	struct null_memory *null; /* mkey.c; NULL until it is needed */
	struct mm *memic_mm;	  /* memory that programs map; the same */
	struct mm *icm_mm;	  /* the device's memory on the bus; NULL until it is needed */
	struct queues *queues;
	struct sched *sched;
	struct port *port;
	struct eswitch *eswitch;
	struct steer *steer;
	uint64_t paths;	    /* counts changes of where paths lead, from 1 on */
	bool link_down;	    /* port_set_link() */
	struct drops drops; /* packets that belong to no function */
	uint32_t shapes;    /* queue pairs with a scheduling element */
	uint8_t active_mtu; /* of the port, as PRM and verbs number it: 128 << active_mtu bytes */
	uint16_t udp_sport; /* that RoCEv2 packets have whatever their queues want; 0: theirs */
	/* The wire's part of device_resolve(): the MAC address of a GID that no function has. */
	int (*resolve_outside)(struct device *, const struct gid_entry *from,
			       const uint8_t gid[16], uint8_t mac[6]);
	uint64_t generation; /* last given out */
	uint64_t groups;     /* counts changes of which groups have members */
};

/* 0; -ENOMEM; -EINVAL, with a sentence: the profile has no functions, or too many. */
int device_init(struct device *, struct host *, struct clock *, const struct profile *);
void device_fini(struct device *);
/*
 * Chips that see each other have addresses of their own: number 0 to device_numbers() - 1 gives a
 * chip those of its functions.
 */
unsigned int device_numbers(const struct device *);
void device_number(struct device *, unsigned int number);
/*
 * On a network of others: MAC addresses that follow from this one, and the GIDs of these alone.
 * Nobody there gives out IP addresses.
 */
void device_follow_mac(struct device *, const uint8_t mac[6]);
/* Limits the port's MTU to what a wire takes, IP packets of so many bytes; 0: of any length. */
void device_set_mtu(struct device *, unsigned int bytes);
struct vhca *device_vhca_by_id(struct device *, uint16_t vhca_id);
/* Returns the first function of a kind; NULL if the chip has none. */
const struct vhca *device_first(const struct device *, enum function_kind);
/* log2 of the UAR numbers that each function has. */
unsigned int device_log_uars(const struct device *);

#endif
