/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_GID_H
#define SIM_OBJ_GID_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct vhca;

/* Numbers of struct ib_uverbs_gid_entry. */
enum gid_type { GID_ROCE_V1 = 0, GID_ROCE_V2 = 2, GID_EMPTY = 0xff };

#define GID_NDEV 16 /* bytes of an interface name */

/* An entry of a function's table of source GIDs. */
struct gid_entry {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t type;	     /* enum gid_type */
	uint8_t prefix;	     /* bits of the address that name its network */
	uint16_t vlan;	     /* 1 to 4094: tag of packets to and from this GID; 0: none */
	char ndev[GID_NDEV]; /* interface of that VLAN; "": the function's */
};
/* Number of source GIDs: an index has 8 bits; libibverbs prints 255 for a ConnectX-6 Dx. */
#define VHCA_GIDS     255
#define VHCA_OWN_GIDS 4 /* of a function without a network interface */

/* Write the link-local GID of an Ethernet address, and the mapped GID of an IPv4 address. */
void gid_link_local(uint8_t gid[16], const uint8_t mac[6]);
void gid_ipv4(uint8_t gid[16], const void *address);
/* Returns the number of leading bits that are equal. */
unsigned int gid_common(const uint8_t a[16], const uint8_t b[16]);
/* Returns true for ::ffff:a.b.c.d. */
bool gid_is_ip4(const uint8_t gid[16]);
/* Returns true for ff00::/8 and for a mapped IPv4 group. */
bool gid_is_multicast(const uint8_t gid[16]);
/* Writes the Ethernet address of a multicast group. */
void gid_group_mac(const uint8_t gid[16], uint8_t mac[6]);

/*
 * Change a function's table, in which each address has an entry for RoCE v1 and one for v2. Add
 * returns 0, also if the address is there already, or -ENOSPC. Delete returns 0, or -EBUSY if a
 * queue pair uses an entry; then both stay.
 */
int vhca_gid_add(struct vhca *, const uint8_t gid[16], uint8_t prefix);
int vhca_gid_del(struct vhca *, const uint8_t gid[16]);
/* Adds an address of a VLAN with the name of its interface. An address may be in several VLANs. */
int vhca_gid_add_vlan(struct vhca *, const uint8_t gid[16], uint8_t prefix, uint16_t vlan,
		      const char *ndev);
int vhca_gid_del_vlan(struct vhca *, const uint8_t gid[16], uint16_t vlan);
/* Fills the entries of a new function. host: last byte of its IPv4 address; 0: no IPv4 address. */
void vhca_gids_fill(struct vhca *, uint8_t host);
/* Returns true if the function has this source GID, of any type. */
bool vhca_has_gid(const struct vhca *, const uint8_t gid[16]);
/*
 * Returns the function that has this GID in a VLAN, and sets *index to its place; NULL if none has.
 */
struct vhca *device_vhca_by_gid(struct device *, uint16_t vlan, const uint8_t gid[16],
				unsigned int *index);
/*
 * Finds the MAC address of a GID, in the VLAN of `from`: that of a group, of a function, or of a
 * host beyond the wire. Returns 0; -ENETUNREACH: the wire takes no packets from there;
 * -EHOSTUNREACH: no host has it; -EINPROGRESS: a query was sent, and front_ops.neighbour is called
 * when it is time to try again; -ETIMEDOUT: no host answered.
 */
int device_resolve(struct device *, const struct gid_entry *from, const uint8_t gid[16],
		   uint8_t mac[6]);

#endif
