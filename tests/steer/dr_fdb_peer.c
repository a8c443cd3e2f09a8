/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other function of dr_fdb: a raw packet QP that gets all packets of the function. It reads
 * commands from standard input, a line each, and writes one line as a reply:
 *
 *	send MARK	sends a packet with the mark in its UDP source port: "sent"
 *	recv		waits for a packet: its mark and the low byte of its destination address
 *	put HEX		sends a packet of these bytes: "sent"
 *	take		waits for a packet: its bytes
 */
#include "tests/test.h"
#include "tests/verbs/raw_end.h"

#include <stdio.h>
#include <string.h>

static struct end end;
static unsigned int received;

static struct ibv_flow *take_all(void)
{
	struct ibv_flow_attr attr = {.type = IBV_FLOW_ATTR_ALL_DEFAULT, .size = sizeof(attr)};
	struct ibv_device_attr device;

	assert_int_equal(ibv_query_device(end.ctx, &device), 0);
	attr.port = device.phys_port_cnt; /* on the e-switch's manager the uplink's */
	return ibv_create_flow(end.qp, &attr);
}

static void peer_send(unsigned int mark)
{
	struct ibv_wc wc;

	post_send(&end, 0, make_udp(slot_out(&end, 0), mac_b, (uint16_t)mark, 20), 0);
	poll_ok(end.scq, 0, &wc);
	puts("sent");
}

static const uint8_t *peer_next(uint32_t *len)
{
	const uint8_t *p = slot_in(&end, received);
	struct ibv_wc wc;

	poll_ok(end.rcq, received % DEPTH, &wc);
	*len = wc.byte_len;
	return p;
}

static void peer_done(void)
{
	post_recv(&end, received++ % DEPTH, SLOT);
}

static void peer_receive(void)
{
	uint32_t len;
	const uint8_t *p = peer_next(&len);

	printf("%u %u\n", p[34] << 8 | p[35], p[5]);
	peer_done();
}

static void peer_put(const char *hex)
{
	send_hex(&end, hex);
	puts("sent");
}

static void peer_take(void)
{
	uint32_t len;
	const uint8_t *p = peer_next(&len);

	while (len--)
		printf("%02x", *p++);
	putchar('\n');
	peer_done();
}

TEST(none, peer)
{
	static char line[2 * SLOT];
	struct ibv_flow *all;
	unsigned int mark;

	end_open(&end, 0);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&end, i, SLOT);
	all = take_all();
	assert_non_null(all);
	puts("ready");
	while (fflush(stdout), fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "send %u", &mark) == 1)
			peer_send(mark);
		else if (!strncmp(line, "recv ", 5))
			peer_receive();
		else if (!strncmp(line, "put ", 4))
			peer_put(line + 4);
		else if (!strncmp(line, "take", 4))
			peer_take();
		else
			fail_msg("no command: %s", line);
	}
	assert_int_equal(ibv_destroy_flow(all), 0);
	end_close(&end);
}
