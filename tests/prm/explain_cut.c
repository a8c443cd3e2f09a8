/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that explain never reads past the end of a dump: dumps of each kind are cut at every
 * length, in memory that ends with them, and explained with and without --as.
 */
#include "tests/test.h"
#include "explain.h"

#define LONGEST 160 /* up to it every length is tried, then the whole dump */

/* Fields that are filled in for a dump. */
static const struct cut_field {
	const char *dump;
	size_t at; /* offset of the structure */
	const char *s, *path;
	uint64_t value;
} fields[] = {
	{"error completion", 0, "err_cqe", "opcode", 0xe},
	{"error completion", 0, "err_cqe", "syndrome", 0x13},
	{"error completion", 0, "err_cqe", "vendor_err_synd", 0x88},
	{"error completion", 0, "err_cqe", "qpn", 0x42},
	{"error completion", 0, "err_cqe", "wqe_counter", 7},
	{"write", 0, "wqe_ctrl_seg", "opcode", 8},
	{"write", 0, "wqe_ctrl_seg", "qpn", 0x1f7},
	{"write", 0, "wqe_ctrl_seg", "wqe_index", 3},
	{"write", 0, "wqe_ctrl_seg", "ds", 3},
	{"write", 0x10, "wqe_raddr_seg", "raddr", 0x7f0000001000},
	{"write", 0x10, "wqe_raddr_seg", "rkey", 0x1234},
	{"write", 0x20, "wqe_data_seg", "byte_count", 64},
	{"write", 0x20, "wqe_data_seg", "lkey", 0x5678},
	{"write", 0x20, "wqe_data_seg", "addr", 0x7f0000002000},
	{"command", 0, "create_qp_in", "opcode", 0x500},
	{"command", 0, "create_qp_in", "uid", 5},
	{"command", 0, "create_qp_in", "qpc.pd", 7},
	{"reply", 0, "create_qp_out", "status", 3},
	{"reply", 0, "create_qp_out", "syndrome", 0x255864},
	{"page", 0x10, "cmd_hca_cap", "log_max_qp", 18},
	{"page", 0x10, "cmd_hca_cap", "log_max_cq", 24},
	{"page", 0x10, "cmd_hca_cap", "log_max_mkey", 24},
	{"page", 0x10, "cmd_hca_cap", "log_pg_sz", 12},
	{"page", 0x1008, "mini_cqe8", "byte_cnt", 0}, /* the reply has 4112 bytes */
	{"compressed", 0, "cqe64", "opcode", 2},
	{"compressed", 0, "cqe64", "byte_cnt", 3},
	{"compressed", 0, "cqe64", "timestamp", 0x1234567},
	{"compressed", 0, "cqe64", "wqe_counter", 100},
	{"compressed", 0, "cqe64", "cqe_format", 3},
	{"compressed", 0x40, "mini_cqe8", "byte_cnt", 64},
	{"compressed", 0x48, "mini_cqe8", "byte_cnt", 1500},
	{"compressed", 0x78, "mini_cqe8", "byte_cnt", 9000},
	{"event", 0, "eqe", "type", 4},
	{"event", 0, "eqe", "cq_err_cqn", 0x31},
};
enum { FIELDS = sizeof(fields) / sizeof(fields[0]), ROOM = 4112 };

static const char *const kinds[] = {NULL, "cqe", "mini", "wqe", "rwqe",
				    "in", "out", "cap",	 "eqe", "qpc"};

/* Builds the dump that begins at *row, and moves *row to the next one. Returns its length. */
static size_t cut_make(uint8_t *bytes, size_t *row)
{
	const char *dump = fields[*row].dump;
	size_t len = 0;

	memset(bytes, 0, ROOM);
	for (; *row < FIELDS && !strcmp(fields[*row].dump, dump); ++*row) {
		const struct cut_field *f = &fields[*row];
		const struct prm_struct *s = prm_find_struct(f->s);
		size_t end;

		assert_non_null(s);
		end = f->at + s->bytes < ROOM ? f->at + s->bytes : ROOM;
		assert_int_equal(prm_field_set(s, bytes + f->at, end - f->at, f->path, f->value),
				 0);
		len = len < end ? end : len;
	}
	return len;
}

static void cut_explain(const uint8_t *bytes, size_t len, const char *as)
{
	struct dump d = {.len = len, .line = 1};
	const struct prm_args a = {.json = true, .as = as};
	json_t *also = json_array();
	uint8_t *own = malloc(len);
	struct finding f;
	struct wanted wanted;

	assert_non_null(own);
	d.bytes = memcpy(own, bytes, len);
	assert_int_equal(wish_read(&wanted, as), 0);
	ring_entry(&d, &a);
	find_out(&f, &d, &wanted, &a, also);
	assert_true(f.known || json_array_size(f.sentences));
	finding_end(&f);
	json_decref(also);
	free(own);
}

TEST(none, each_kind_cut_at_any_length)
{
	static uint8_t bytes[ROOM];
	size_t dumps = 0;

	for (size_t row = 0; row < FIELDS; dumps++) {
		size_t whole = cut_make(bytes, &row);

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			for (size_t len = 1; len <= LONGEST && len < whole; len++)
				cut_explain(bytes, len, kinds[i]);
			cut_explain(bytes, whole, kinds[i]);
		}
	}
	assert_int_equal(dumps, 7);
}
