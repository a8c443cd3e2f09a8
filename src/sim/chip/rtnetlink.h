/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_RTNETLINK_H
#define SIM_CHIP_RTNETLINK_H

#include <stdbool.h>
#include <stdint.h>

/* The kernel's state of an interface. Sockets belong to the namespace they were made in. */
struct rtnetlink_state {
	bool there, running, promiscuous; /* running: up, with carrier */
	uint32_t mtu;
};

struct rtnetlink_address {
	uint8_t gid[16]; /* IPv4: ::ffff:a.b.c.d */
	uint8_t prefix;	 /* bits of the GID */
	uint16_t vlan;	 /* 0: an address of the interface itself */
	char name[16];	 /* name of the VLAN's interface; "": none */
};

/* Returns a socket that is readable after links or addresses of the namespace change, or -errno. */
int rtnetlink_listen(void);
/* Drops the messages received. */
void rtnetlink_drain(int sock);
void rtnetlink_state(int sock, const char *name, struct rtnetlink_state *);
/* Fills in addresses of the interface and of its VLANs. Returns how many (up to max), or -errno. */
int rtnetlink_addresses(const char *name, struct rtnetlink_address *, unsigned int max);

#endif
