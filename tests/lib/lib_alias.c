/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkeys across VHCAs. `lib_alias serve` runs on the host function: it exports memory, prints
 * tickets, and follows commands on stdin. `lib_alias` runs on the DPU function and is the test; it
 * finds the server's ends at $TO_SERVER and $FROM_SERVER (lib_alias.sh connects them).
 */
#include "lib_rig.h"

#define SHARED (1u << 18)

static uint8_t pattern(size_t i)
{
	return (uint8_t)(i * 31 + i / 256);
}

/* --- the host --- */

static void print_ticket(struct dvx_mkey *mkey)
{
	struct dvx_ticket t;
	char text[DVX_TICKET_TEXT];

	OK(dvx_mkey_export(mkey, &t));
	dvx_ticket_to_text(&t, text);
	printf("%s\n", text);
	fflush(stdout);
	dvx_ticket_wipe(&t);
}

static int serve(void)
{
	void *state;
	struct rig *r;
	struct dvx_mkey_attr a = {.size = sizeof(a), .len = SHARED, .access = RIG_ALL};
	struct dvx_mkey *rw, *ro;
	char word[32];
	size_t i;

	rig_open(&state);
	r = state;
	for (i = 0; i < RIG_BYTES; i++)
		r->buf[i] = pattern(i);
	a.pd = r->pd;
	a.addr = r->buf;
	OK(dvx_mkey_create(r->dev, &a, &rw));
	a.access = 0;
	a.iova = 0x5000;
	OK(dvx_mkey_create(r->dev, &a, &ro));
	while (fgets(word, sizeof(word), stdin)) {
		word[strcspn(word, "\n")] = '\0';
		if (!strcmp(word, "rw")) {
			print_ticket(rw);
		} else if (!strcmp(word, "ro")) {
			print_ticket(ro);
		} else if (!strcmp(word, "first")) {
			printf("%u\n", r->buf[0]);
		} else if (!strcmp(word, "revoke")) {
			printf("%d\n", dvx_mkey_destroy(rw));
			rw = NULL;
		}
		fflush(stdout);
	}
	OK(dvx_mkey_destroy(rw));
	OK(dvx_mkey_destroy(ro));
	return rig_close(&state);
}

/* --- the DPU --- */

static FILE *to_server, *from_server;

static void ask(const char *word, char *answer, size_t len)
{
	fprintf(to_server, "%s\n", word);
	fflush(to_server);
	assert_non_null(fgets(answer, (int)len, from_server));
	answer[strcspn(answer, "\n")] = '\0';
}

static struct dvx_ticket ticket(const char *which)
{
	char text[DVX_TICKET_TEXT + 8];
	struct dvx_ticket t;

	ask(which, text, sizeof(text));
	OK(dvx_ticket_from_text(text, &t));
	return t;
}

/*
 * DMA both ways, RDMA by alias as lkey and rkey: the host's bytes arrive, and the host sees ours.
 */
static void copies(void **state)
{
	struct rig *r = *state;
	struct dvx_ticket t = ticket("rw");
	struct dvx_mkey *alias;
	struct dvx_sge far = {t.addr + 100, 5000, 0};
	struct pair p;
	char answer[16];
	size_t i;

	OK(dvx_mkey_import(r->dev, r->pd, &t, &alias));
	assert_true(dvx_mkey_addr(alias) == t.addr);
	assert_int_equal(dvx_mkey_len(alias), SHARED);
	pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	memset(r->buf, 0, RIG_BYTES);
	dvx_post_dma(p.sq, (uintptr_t)r->buf, r->key, t.addr, dvx_mkey_key(alias), SHARED, 1,
		     DVX_SIGNALED);
	ring_done(&p, 1);
	for (i = 0; i < SHARED; i++)
		assert_int_equal(r->buf[i], pattern(i));
	memset(r->buf, 0, RIG_BYTES);
	far.lkey = dvx_mkey_key(alias);
	dvx_post_write(p.sq, (uintptr_t)r->buf + 7, r->key, &far, 1, 2, DVX_SIGNALED);
	ring_done(&p, 2);
	for (i = 0; i < 5000; i++)
		assert_int_equal(r->buf[i + 7], pattern(i + 100));
	far = (struct dvx_sge){(uintptr_t)r->buf + 20000, 5000, r->key};
	dvx_post_read(p.sq, t.addr + 3, dvx_mkey_key(alias), &far, 1, 3, DVX_SIGNALED);
	ring_done(&p, 3);
	for (i = 0; i < 5000; i++)
		assert_int_equal(r->buf[i + 20000], pattern(i + 3));
	r->buf[0] = 200;
	dvx_post_dma(p.sq, t.addr, dvx_mkey_key(alias), (uintptr_t)r->buf, r->key, 1, 4,
		     DVX_SIGNALED);
	ring_done(&p, 4);
	ask("first", answer, sizeof(answer));
	assert_string_equal(answer, "200");
	/* one byte past the end */
	dvx_post_dma(p.sq, (uintptr_t)r->buf, r->key, t.addr + 1, dvx_mkey_key(alias), SHARED, 5,
		     0);
	ring_failed(&p, 5, 0x04);
	pair_free(&p);
	OK(dvx_mkey_destroy(alias));
}

/* An exported mkey's rights hold through the alias; the owner chooses its addresses. */
static void read_only(void **state)
{
	struct rig *r = *state;
	struct dvx_ticket t = ticket("ro");
	struct dvx_mkey *alias;
	struct dvx_ticket none;
	struct pair p;

	assert_true(t.addr == 0x5000);
	OK(dvx_mkey_import(r->dev, r->pd, &t, &alias));
	assert_int_equal(dvx_mkey_export(alias, &none), -EINVAL);
	pair_make(r, &p, 0);
	dvx_post_dma(p.sq, (uintptr_t)r->buf, r->key, 0x5001, dvx_mkey_key(alias), 64, 1,
		     DVX_SIGNALED);
	ring_done(&p, 1);
	assert_int_equal(r->buf[0], pattern(1));
	dvx_post_dma(p.sq, 0x5000, dvx_mkey_key(alias), (uintptr_t)r->buf, r->key, 64, 2, 0);
	ring_failed(&p, 2, 0x04);
	pair_free(&p);
	OK(dvx_mkey_destroy(alias));
}

/* Bad tickets of every kind are refused, and none leaves an alias behind. */
static void bad_tickets(void **state)
{
	struct rig *r = *state;
	struct dvx_ticket good = ticket("ro"), newer, t;
	struct dvx_mkey *alias = NULL;
	int byte;

	for (byte = 0; byte < 32; byte++) {
		t = good;
		t.key[byte] ^= 1;
		assert_int_equal(dvx_mkey_import(r->dev, r->pd, &t, &alias), -EXDEV);
	}
	t = good;
	t.mkey += 0x100;
	assert_int_equal(dvx_mkey_import(r->dev, r->pd, &t, &alias), -EXDEV);
	t = good;
	t.vhca_id = 0x7777;
	assert_int_equal(dvx_mkey_import(r->dev, r->pd, &t, &alias), -EXDEV);
	t = good;
	t.vhca_id = dvx_dev_caps(r->dev)->vhca_id;
	assert_int_equal(dvx_mkey_import(r->dev, r->pd, &t, &alias), -EINVAL);
	assert_int_equal(dvx_mkey_import(r->dev, NULL, &good, &alias), -EINVAL);
	/* exporting again replaces the key */
	newer = ticket("ro");
	assert_memory_not_equal(newer.key, good.key, sizeof(good.key));
	assert_int_equal(dvx_mkey_import(r->dev, r->pd, &good, &alias), -EXDEV);
	assert_null(alias);
	OK(dvx_mkey_import(r->dev, r->pd, &newer, &alias));
	OK(dvx_mkey_destroy(alias));
}

/* When the owner destroys the mkey, the alias stays, and faults; the ticket is invalid. */
static void revoked(void **state)
{
	struct rig *r = *state;
	struct dvx_ticket t = ticket("rw");
	struct dvx_mkey *alias, *again = NULL;
	struct pair p;
	char answer[16];

	OK(dvx_mkey_import(r->dev, r->pd, &t, &alias));
	pair_make(r, &p, 0);
	dvx_post_dma(p.sq, (uintptr_t)r->buf, r->key, t.addr, dvx_mkey_key(alias), 64, 1,
		     DVX_SIGNALED);
	ring_done(&p, 1);
	ask("revoke", answer, sizeof(answer));
	assert_string_equal(answer, "0");
	dvx_post_dma(p.sq, (uintptr_t)r->buf, r->key, t.addr, dvx_mkey_key(alias), 64, 2, 0);
	ring_failed(&p, 2, 0x04);
	pair_free(&p);
	OK(dvx_mkey_destroy(alias));
	assert_int_equal(dvx_mkey_import(r->dev, r->pd, &t, &again), -EXDEV);
	assert_null(again);
}

static FILE *open_env(const char *name, const char *mode)
{
	const char *path = getenv(name);

	return path ? fopen(path, mode) : NULL;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies),
		cmocka_unit_test(read_only),
		cmocka_unit_test(bad_tickets),
		cmocka_unit_test(revoked),
	};

	if (argc > 1 && !strcmp(argv[1], "serve"))
		return serve();
	to_server = open_env("TO_SERVER", "w");
	from_server = open_env("FROM_SERVER", "r");
	if (!to_server || !from_server)
		return 99;
	return cmocka_run_group_tests(tests, rig_open, rig_close);
}
