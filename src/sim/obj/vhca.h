/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_VHCA_H
#define SIM_OBJ_VHCA_H

#include <stdbool.h>
#include <stdint.h>
#include "obj.h"
#include "pace.h"
#include "profile.h"
#include "base/clock.h"
#include "base/drops.h"
#include "base/port_stats.h"

struct host;
struct device;
struct steer;

/* Limits that are the same in all profiles, for objects' id spaces (obj.c) and capabilities. */
enum {
	VHCA_LOG_MAX_UAR = 16, /* of all functions together: mlx5_ib_create_cq.uar_page_index */
	VHCA_LOG_MAX_UMEM = 22,
	VHCA_LOG_MAX_SRQ = 18,
	VHCA_LOG_MAX_SRQ_SZ = 15,
	VHCA_LOG_MAX_DCT = 18,
	VHCA_LOG_MAX_DCI_CHANNELS = 5,
	VHCA_LOG_MAX_EQ = 7,
	VHCA_LOG_MAX_EQ_SZ = 22,
	VHCA_LOG_MAX_TD = 10,
	VHCA_LOG_MAX_XRCD = 10,
	VHCA_LOG_MAX_TIS = 16,
	VHCA_LOG_MAX_PSV = 16,
	VHCA_LOG_MAX_DEK = 16,
	VHCA_LOG_MAX_SQ = 16,
	VHCA_LOG_MAX_RQ = 16,
	VHCA_LOG_MAX_RQT = 14,
	VHCA_LOG_MAX_RQT_SZ = 9, /* most queues of one RQ table */
	VHCA_LOG_MAX_TIR = 16,
	VHCA_FRAME_MIN = 14,   /* bytes of an Ethernet packet without FCS */
	VHCA_FRAME_MAX = 9216, /* [I] what the port takes, jumbo packets included */
	VHCA_LOG_MAX_LSO = 18, /* payload of a large send: what ibv_devinfo shows of ConnectX-5 */
	VHCA_LOG_MAX_SW_ICM = 16,
	VHCA_LOG_MODIFY_ICM = 22, /* bytes: an STE names a list by 16 bits of 64-byte units */
	VHCA_LOG_PATTERN_ICM = 15,
	VHCA_MAX_FT_LEVEL = 64,
	VHCA_LOG_MAX_FLOW_TABLE = 20,
	VHCA_LOG_MAX_FLOW_GROUP = 22,
	VHCA_LOG_MAX_FT_SIZE = 22,
	VHCA_LOG_MAX_FLOW_COUNTER = 20,
	VHCA_LOG_MAX_FLOW_DESTS = 5, /* of one entry, and its counters */
	VHCA_LOG_MAX_ENTRY_COUNTERS = 4,
	VHCA_LOG_MAX_MODIFY_HEADER = 16,
	VHCA_MAX_MODIFY_ACTIONS = 16,	/* of one context */
	VHCA_LOG_MAX_RA = 4,		/* outstanding RDMA reads of a QP, each way */
	VHCA_LOG_MAX_MCG = 13,		/* multicast groups of a function */
	VHCA_MAX_QP_MCG = 240,		/* queue pairs of a group */
	VHCA_LOG_RESERVED_QPNS = 4,	/* numbers of one RESERVED_QPN object */
	VHCA_LOG_MAX_RESERVED_QPN = 12, /* such objects */
	VHCA_LOG_MAX_SCHED_ELEM = 12,
	VHCA_LOG_MAX_AV_QP_MAPPING = 16,
	VHCA_LOG_MAX_Q_COUNTER = 8, /* as many as the 8 bits of counter_set_id can name */
	VHCA_MAX_BW_SHARE = 100,
	VHCA_PP_RATES = 128, /* rows of the rate table; 0 is none */
	VHCA_PP_MAX_KBPS = 100000000,
	VHCA_MIN_SPORT = 0xc000, /* RoCEv2's source ports, to 0xffff */
	VHCA_MAX_WQE = 1024, /* bytes: 16 blocks of 64, 63 units of 16 */
};

/* With this many, each function still has 512 UARs and an IPv4 address of its own. */
#define DEVICE_MAX_FUNCTIONS 128

/* As ib_uverbs_gid_entry has them. */
enum gid_type { GID_ROCE_V1 = 0, GID_ROCE_V2 = 2, GID_EMPTY = 0xff };

#define GID_NDEV 16 /* bytes of an interface's name */

struct gid_entry {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t type;	     /* enum gid_type */
	uint8_t prefix;	     /* bits of the address that name its network */
	uint16_t vlan;	     /* 1 to 4094: packets to and from it have this tag; 0: none */
	char ndev[GID_NDEV]; /* the interface of that VLAN; "": the function's */
};
/* A source index has 8 bits; libibverbs prints 255 for a ConnectX-6 Dx. */
#define VHCA_GIDS     255
#define VHCA_OWN_GIDS 4 /* those of a function without a network interface */

struct counters;
struct flow_table;
struct roce_packet;
struct mcg;
struct memic;
struct null_memory;
struct obj_table; /* obj.c */
struct icm;
struct grant; /* grant.c: what ALLOW_OTHER_VHCA_ACCESS stored; the chip's, keyed by vhca_id */

/* Raw packets of a function; those that its tables dropped or missed are in steer_stats(). */
struct raw_stats {
	uint64_t sent;		/* by its send queues, before its TX tables */
	uint64_t received;	/* in a receive queue, with a good CQE */
	uint64_t out_of_buffer; /* no receive was posted, or the queue is not ready */
	uint64_t failed;	/* the receive was too small, or its memory was gone */
};

/* SET_PP_RATE_LIMIT's table. */
struct pp_rate {
	struct pace_rate rate;
	uint32_t users; /* send queues */
	uint16_t uid;
};

struct vhca {
	struct device *dev;
	const char *name; /* of its row in the profile */
	enum function_kind kind;
	uint8_t index; /* in device.vhca, as programs open it */
	uint16_t id;   /* vhca_id */
	uint8_t mac[6];
	uint64_t guid;
	struct gid_entry gids[VHCA_GIDS];
	unsigned int ngids; /* no entry from here on is used */
	struct obj_table *tables[OBJ_NTYPES];
	struct pp_rate pp_rates[VHCA_PP_RATES];
	uint32_t qkey_violations;
	uint32_t gsi_psn; /* of what it sends from queue pair 1 */
	struct {
		bool present, up, promiscuous;
		uint32_t mtu;
	} netdev; /* its network interface, if the chip has those */
	struct raw_stats raw;
	struct drops drops;
	struct port_stats *stats; /* own_stats, or a page of a file that programs read */
	struct port_stats own_stats;
	uint64_t bound_sets; /* which of stats->bound some Q counter set has */
	struct queue_stats uncounted; /* of queues without a Q counter set */
	struct memic *memic; /* memic.c; NULL until the first allocation */
	struct icm *icm; /* icm.c; NULL until the first allocation */
	struct counters *counters;	  /* counter.c; NULL until the first is made */
	struct mcg *groups;		  /* mcg.c: by GID */
	struct flow_table *flow_root[2]; /* SET_FLOW_TABLE_ROOT: NIC RX, NIC TX; NULL: none */
};

/*
 * The chip as the rooms below src/sim/chip see it: its functions, what the rooms share, and the
 * callback upward, which chip.c sets. on_event gets an EQE (64 bytes, PRM `eqe`) for the VHCA's
 * kernel at once, because there is no interrupt line. Completion events name their CQ's eqn, the
 * others (QP, CQ errors) have eqn 0: the kernel tells them apart by type.
 */
struct device {
	struct host *host;
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
	uint64_t paths; /* the port's: counts changes of where paths lead, from 1 on */
	struct steer *steer;
	bool link_down;	    /* port_set_link() */
	struct drops drops; /* of no function */
	uint32_t shapes;    /* queue pairs with a scheduling element */
	uint8_t active_mtu; /* of the port, as PRM and verbs number it: 128 << active_mtu bytes */
	uint16_t udp_sport; /* that RoCEv2 packets have whatever their queues want; 0: theirs */
	/* The MAC address of a GID that no function has: 0 or -errno, as device_resolve(). */
	int (*neighbour)(struct device *, const struct gid_entry *from, const uint8_t gid[16],
			 uint8_t mac[6]);
	/* Some that were asked for have answered, or did not in time. */
	void (*on_neighbours)(void *ctx);
	void *neighbours_ctx;
	uint64_t generation; /* last given out */
	uint64_t groups;     /* counts changes of which groups have members */
	void (*on_event)(void *ctx, struct vhca *, uint32_t eqn, const void *eqe);
	void *event_ctx;
	/* A management datagram of 256 bytes for the function's queue pair 1 (transport/gsi.h). */
	void (*on_mad)(void *ctx, struct vhca *, const struct roce_packet *, const uint8_t *mad);
	void *mad_ctx;
	/* A packet for the function's network interface. False: that does not take it. */
	bool (*to_netdev)(void *ctx, const struct vhca *, const uint8_t *bytes, uint32_t len);
	void *netdev_ctx;
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
/*
 * The function's address, as RoCE v1 and v2, in the place of the one that it has from the start;
 * prefix: of 128 bits.
 */
void vhca_set_ip(struct vhca *, const uint8_t gid[16], uint8_t prefix);
/* The GUID that this Ethernet address gives. The function has that of its own from the start. */
void vhca_set_guid(struct vhca *, const uint8_t mac[6]);
/* The wire takes IP packets of so many bytes; 0: of any length. */
void device_set_mtu(struct device *, unsigned int bytes);
/* Moves the function's port_stats into this file of the caller's: 0 or -errno. */
int vhca_share_stats(struct vhca *, int fd);
struct vhca *device_vhca_by_id(struct device *, uint16_t vhca_id);
/* The first function of a kind; NULL if the chip has none. */
const struct vhca *device_first(const struct device *, enum function_kind);
/* The state of the port as the function's driver sees it. */
bool vhca_port_up(const struct vhca *);
/* Its active MTU: enum ib_mtu, 5 for 4096; 0: the network interface's is too small. */
uint8_t vhca_mtu(const struct vhca *);
/* log2 of the UAR numbers that each function has. */
unsigned int device_log_uars(const struct device *);
/*
 * gid.c: entries of the table, each address as RoCE v1 and as v2. 0, also if it is there; -ENOSPC.
 */
int vhca_gid_add(struct vhca *, const uint8_t gid[16], uint8_t prefix);
/* The same of a VLAN, with the name of its interface. An address may be in several VLANs. */
int vhca_gid_add_vlan(struct vhca *, const uint8_t gid[16], uint8_t prefix, uint16_t vlan,
		      const char *ndev);
/* Both entries of an address; -EBUSY: a queue pair has it, so that they stay. */
int vhca_gid_del(struct vhca *, const uint8_t gid[16]);
int vhca_gid_del_vlan(struct vhca *, const uint8_t gid[16], uint16_t vlan);
/* Those that a function has from the start; host: the last byte of its IPv4 address, 0: none. */
void vhca_gids_fill(struct vhca *, uint8_t host);
/* The GID that an Ethernet address alone gives; IPv4 in IPv6. */
void gid_link_local(uint8_t gid[16], const uint8_t mac[6]);
void gid_ipv4(uint8_t gid[16], const void *address);
/* How many leading bits are the same. */
unsigned int gid_common(const uint8_t a[16], const uint8_t b[16]);
/* One of its source GIDs, of any type. */
bool vhca_has_gid(const struct vhca *, const uint8_t gid[16]);
/* What it maps: IPv4, ::ffff:a.b.c.d. A group's: ff00::/8, or an IPv4 group's; and its MAC. */
bool gid_is_ip4(const uint8_t gid[16]);
bool gid_is_multicast(const uint8_t gid[16]);
void gid_group_mac(const uint8_t gid[16], uint8_t mac[6]);
/*
 * The MAC address behind a GID, for packets from this one, and so in its VLAN: a group's, a
 * function's, or one beyond the wire. 0; -ENETUNREACH: the wire does not take packets from there;
 * -EHOSTUNREACH: nobody has it; -EINPROGRESS: the network is asked, on_neighbours() tells when to
 * try again; -ETIMEDOUT: nobody answered.
 */
int device_resolve(struct device *, const struct gid_entry *from, const uint8_t gid[16],
		   uint8_t mac[6]);
/* The function that answers to this GID of a VLAN, and its index there; NULL if none. */
struct vhca *device_vhca_by_gid(struct device *, uint16_t vlan, const uint8_t gid[16],
				unsigned int *index);

#endif
