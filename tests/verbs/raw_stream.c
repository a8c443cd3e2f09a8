/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends or receives until it is killed, for raw_death.sh; or sends once, for netdev.sh. */
#include "raw_end.h"

#include <unistd.h>

/* Prints a word once packets flow. */
static void flowing(unsigned int *n)
{
	if (++*n == 1000 && write(STDOUT_FILENO, "going\n", 6) != 6)
		_exit(1);
}

static void flood(void)
{
	unsigned int n = 0, posted = 0;
	struct ibv_wc wc;
	struct end e;
	uint32_t len;

	end_open(&e, 0);
	len = make_udp(slot_out(&e, 0), mac_b, 7, 1000);
	for (;;) {
		while (posted - n < DEPTH)
			post_send(&e, DEPTH * posted++, len, 0);
		poll_one(e.scq, &wc);
		flowing(&n);
	}
}

static void drain(void)
{
	unsigned int n = 0;
	struct ibv_wc wc;
	struct end e;

	end_open(&e, 0);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&e, i, SLOT);
	assert_non_null(steer(e.qp, mac_b, 0));
	for (;;) {
		poll_one(e.rcq, &wc);
		post_recv(&e, n, SLOT);
		flowing(&n);
	}
}

/* Sends 4567 bytes to 10.0.0.2, UDP port 4660, as datagrams of 1000: the device cuts them. */
static void large(const char *mac)
{
	struct ibv_send_wr wr = {.num_sge = 1,
				 .opcode = IBV_WR_TSO,
				 .send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM},
			   *bad;
	struct ibv_sge sge;
	uint8_t hdr[42], to[6];
	struct ibv_wc wc;
	struct end e;

	assert_int_equal(from_hex(to, mac), 6);
	end_open(&e, 0);
	make_udp(hdr, to, 7, 0);
	sge = (struct ibv_sge){(uintptr_t)slot_out(&e, 0), 4567, e.mr->lkey};
	for (unsigned int i = 0; i < 4567; i++)
		slot_out(&e, 0)[i] = (uint8_t)('0' + i / 1000);
	wr.sg_list = &sge;
	wr.tso.hdr = hdr;
	wr.tso.hdr_sz = sizeof(hdr);
	wr.tso.mss = 1000;
	assert_int_equal(ibv_post_send(e.qp, &wr, &bad), 0);
	poll_ok(e.scq, 0, &wc);
	end_close(&e);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "large")) {
		large(argv[2]);
		return 0;
	}
	if (argc != 2)
		return 2;
	(strcmp(argv[1], "flood") ? drain : flood)();
}
