/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares connection tracking with the kernel's: each packet goes in by one of two tap devices of
 * a router whose rule drops `ct state invalid`. What comes out by the other one is valid. A packet
 * of UDP behind it always comes out, so nothing has to be waited for.
 * Usage: ct_kernel TRACES PACKETS ROUTER: a shell command makes a router of the taps ct0 and ct1
 * (tests/steer/ct_kernel.sh). Exits with 77 if it can't.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include "ct_traces.h"
#include "steer/aso/aso.h"
#include "steer/packet.h"

#define IP_AT	 14u
#define TCP_AT	 34u
#define IP_UDP	 17u
#define UDP_PORT 9u

static int tap[2];

static int tap_open(const char *name)
{
	struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	strcpy(r.ifr_name, name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) {
		perror(name);
		exit(2);
	}
	return fd;
}

/* Makes the sentinel: UDP from one host to the other. */
static void udp_after(const struct ct_frame *f, uint8_t *bytes)
{
	uint8_t *ip = bytes + IP_AT;

	memcpy(bytes, f->bytes, TCP_AT);
	memset(bytes + TCP_AT, 0, 8);
	packet_store16(ip + 2, 28);
	ip[9] = IP_UDP;
	packet_store16(ip + 10, 0);
	packet_store16(ip + 10, (uint16_t)~packet_sum(ip, 20, 0));
	packet_store16(bytes + TCP_AT, UDP_PORT);
	packet_store16(bytes + TCP_AT + 2, UDP_PORT);
	packet_store16(bytes + TCP_AT + 4, 8);
}

static void put(bool reply, uint8_t *bytes, size_t len)
{
	static const uint8_t mac[2][6] = {{2, 0, 0, 0, 1, 1}, {2, 0, 0, 0, 2, 1}};

	memcpy(bytes, mac[reply], 6);
	bytes[6] = 2;
	if (write(tap[reply], bytes, len) != (ssize_t)len) {
		perror("write to a tap");
		exit(2);
	}
}

/* Returns whether the kernel finds the packet valid. */
static bool kernel_passes(struct ct_frame *f)
{
	uint8_t udp[64], in[2048];
	bool passes = false;
	ssize_t n;

	put(f->reply, f->bytes, f->len);
	udp_after(f, udp);
	put(f->reply, udp, TCP_AT + 8);
	for (;;) {
		n = read(tap[!f->reply], in, sizeof(in));
		if (n < (ssize_t)TCP_AT || packet_load16(in + 12) != 0x0800)
			continue;
		if (in[IP_AT + 9] == IP_UDP)
			return passes;
		passes = true;
	}
}

static void show(const struct ct_frame *f, uint8_t model, const struct ct_trace *before)
{
	const uint8_t *tcp = f->bytes + TCP_AT;

	fprintf(stderr, "# reply %d flags %02x seq %08x ack %08x win %u len %u: model 0x%02x\n#",
		f->reply, tcp[13], packet_load32(tcp + 4), packet_load32(tcp + 8),
		packet_load16(tcp + 14), f->len - TCP_AT - (tcp[12] >> 4) * 4u, model);
	for (unsigned int i = 0; i < sizeof(before->context); i++)
		fprintf(stderr, "%s%02x", i % 4 ? "" : " ", before->context[i]);
	fprintf(stderr, "\n");
}

/* Counts of what the traces reached; differences are 0 in the end. */
static struct {
	unsigned int valid, invalid, traps, states[8], differences;
} count;

static void compare(uint32_t seed, unsigned int packets)
{
	struct ct_trace t, before;
	struct ct_frame f;

	ct_trace_begin(&t, seed);
	for (unsigned int i = 0; i < 2; i++) {
		ct_trace_handshake(&t, i, &f);
		if (!kernel_passes(&f)) {
			fprintf(stderr, "# trace %u: the kernel refuses its handshake\n", seed);
			count.differences++;
			return;
		}
	}
	for (unsigned int i = 0; i < packets; i++) {
		uint8_t model;
		bool valid;

		ct_trace_next(&t, &f);
		before = t;
		model = ct_trace_model(&t, &f);
		valid = !(model & (ASO_CT_INVALID | ASO_CT_BAD));
		if (model & ASO_CT_TRAP) {
			count.traps++;
			return;
		}
		if (kernel_passes(&f) != valid) {
			fprintf(stderr, "# trace %u, packet %u differs\n", seed, i);
			show(&f, model, &before);
			count.differences++;
			return;
		}
		*(valid ? &count.valid : &count.invalid) += 1;
		count.states[t.context[60] >> 4 & 7]++;
	}
}

int main(int argc, char **argv)
{
	const unsigned int traces = argc > 3 ? (unsigned int)atoi(argv[1]) : 0;

	tap[0] = tap_open("ct0");
	tap[1] = tap_open("ct1");
	if (argc > 3 && system(argv[3]))
		return 77;
	for (uint32_t i = 0; i < traces && count.differences < 5; i++)
		compare(i + 1, (unsigned int)atoi(argv[2]));
	printf("%u valid, %u invalid, %u left to software; in states 0 to 5: %u %u %u %u %u %u\n",
	       count.valid, count.invalid, count.traps, count.states[0], count.states[1],
	       count.states[2], count.states[3], count.states[4], count.states[5]);
	for (unsigned int i = 0; i < 6; i++)
		if (!count.states[i])
			return 1;
	return count.differences || !count.valid || !count.invalid;
}
