/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_GID_H
#define SIM_OBJ_GID_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct vhca;

/* As ib_uverbs_gid_entry has them. */
enum gid_type { GID_ROCE_V1 = 0, GID_ROCE_V2 = 2, GID_EMPTY = 0xff };

#define GID_NDEV 16 /* bytes of an interface's name */

/* An entry of a function's table of source GIDs. */
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

/* Writes the GID that an Ethernet address alone gives; an IPv4 address in IPv6. */
void gid_link_local(uint8_t gid[16], const uint8_t mac[6]);
void gid_ipv4(uint8_t gid[16], const void *address);
/* Returns the number of leading bits that are equal. */
unsigned int gid_common(const uint8_t a[16], const uint8_t b[16]);
/* ::ffff:a.b.c.d */
bool gid_is_ip4(const uint8_t gid[16]);
/* ff00::/8, or an IPv4 group's */
bool gid_is_multicast(const uint8_t gid[16]);
/* Writes the Ethernet address of a group. */
void gid_group_mac(const uint8_t gid[16], uint8_t mac[6]);

/*
 * Changes to a function's table; each address has an entry for RoCE v1 and one for v2. Add: 0, also
 * if it is there; -ENOSPC. Delete: 0, or -EBUSY: a queue pair uses it, so both stay.
 */
int vhca_gid_add(struct vhca *, const uint8_t gid[16], uint8_t prefix);
int vhca_gid_del(struct vhca *, const uint8_t gid[16]);
/* An address of a VLAN, with the name of its interface. An address may be in several VLANs. */
int vhca_gid_add_vlan(struct vhca *, const uint8_t gid[16], uint8_t prefix, uint16_t vlan,
		      const char *ndev);
int vhca_gid_del_vlan(struct vhca *, const uint8_t gid[16], uint16_t vlan);
/* Fills in the entries of a new function; host: the last byte of its IPv4 address, 0: none. */
void vhca_gids_fill(struct vhca *, uint8_t host);
/* True if it is one of the function's source GIDs, of any type. */
bool vhca_has_gid(const struct vhca *, const uint8_t gid[16]);
/* Returns the function that answers to this GID of a VLAN, and its index there; NULL: none. */
struct vhca *device_vhca_by_gid(struct device *, uint16_t vlan, const uint8_t gid[16],
				unsigned int *index);
/*
 * Finds the MAC address behind a GID, for packets from this one, and so in its VLAN: a group's, a
 * function's, or one beyond the wire. 0; -ENETUNREACH: the wire does not take packets from there;
 * -EHOSTUNREACH: nobody has it; -EINPROGRESS: the network is asked, front_ops.neighbour is called
 * when it is time to try again; -ETIMEDOUT: nobody answered.
 */
int device_resolve(struct device *, const struct gid_entry *from, const uint8_t gid[16],
		   uint8_t mac[6]);

#endif
