/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_RTNETLINK_H
#define SIM_CHIP_RTNETLINK_H

#include <stdbool.h>
#include <stdint.h>

/* What the kernel says of one network interface. Sockets belong to the namespace of their birth. */
struct rtnetlink_state {
	bool there, running, promiscuous; /* running: up, with carrier */
	uint32_t mtu;
};

struct rtnetlink_address {
	uint8_t gid[16]; /* IPv4: ::ffff:a.b.c.d */
	uint8_t prefix;	 /* of 128 bits */
	uint16_t vlan;	 /* 0: the interface's own */
	char name[16];	 /* of the VLAN's interface; "": none */
};

/* Is readable when a link or an address of the namespace changes. -errno */
int rtnetlink_listen(void);
/* Takes what has come in. */
void rtnetlink_drain(int sock);
void rtnetlink_state(int sock, const char *name, struct rtnetlink_state *);
/* The addresses of the interface and of the VLANs on it: how many, at most max; -errno. */
int rtnetlink_addresses(const char *name, struct rtnetlink_address *, unsigned int max);

#endif
