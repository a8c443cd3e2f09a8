/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the checks of all commands: opcode, lengths, op_mod, uid; and syndromes. */
#include "tests/test.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fw_fixture.h"
#include "base/log.h"
#include "chip/trace.h"
#include "fw/cmd.h"

/* A command of each family that succeeds, with all that it needs. */
struct sample {
	uint16_t opcode;
	size_t len, out_len;
	uint8_t in[FX_IN];
};

static size_t sample_queues(struct fx *f, struct sample *s, const struct fx_queue *q)
{
	struct sample *at = s;

	at->opcode = PRM_OPCODE_CREATE_UMEM;
	at->len = fx_fill_umem(f, at->in, f->mem, 16384, true);
	at++;
	at->opcode = PRM_OPCODE_CREATE_CQ;
	at->len = fx_fill_cq(at->in, q->eq, q->uar, q->umem);
	at++;
	at->opcode = PRM_OPCODE_CREATE_QP;
	at->len = fx_fill_qp(at->in, q->pd, q->cq, q->uar, q->umem);
	at++;
	at->opcode = PRM_OPCODE_CREATE_MKEY;
	at->len = fx_fill_mkey(at->in, q->pd, q->umem, f->mem, 4096);
	at++;
	/* the same with page lists in the mailbox */
	at->opcode = PRM_OPCODE_CREATE_MKEY;
	at->len = fx_fill_mkey(at->in, q->pd, 0, f->mem, 4 * 4096) + 4 * 8;
	FX_SET(at->in, CREATE_MKEY, {"mkey_umem_valid", 0}, {"translations_octword_actual_size", 2},
	       {"memory_key_mkey_entry.translations_octword_size", 2});
	for (unsigned int i = 0; i < 4; i++)
		prm_store64(at->in, PRM_CREATE_MKEY_IN_BYTES + i * 8,
			    mm_bus(f->mm, (uintptr_t)f->mem + i * 4096) | 3);
	at++;
	at->opcode = PRM_OPCODE_CREATE_CQ;
	at->len = fx_fill_cq(at->in, q->eq, q->uar, 0) + 8;
	FX_SET(at->in, CREATE_CQ, {"cq_umem_valid", 0}, {"cq_umem_offset", 0},
	       {"cq_context.dbr_umem_id", q->umem});
	prm_store64(at->in, PRM_CREATE_CQ_IN_BYTES, mm_bus(f->mm, (uintptr_t)f->mem + 4096));
	at++;
	at->opcode = PRM_OPCODE_CREATE_QP;
	at->len = fx_fill_qp(at->in, q->pd, q->cq, q->uar, q->umem) + PRM_QPC_EXT_BYTES;
	prm_create_qp_in_set_qpc_ext(at->in, 1);
	prm_qpc_ext_set_mmo(at->in + PRM_CREATE_QP_IN_BYTES, 1);
	return (size_t)(at + 1 - s);
}

/* A command that is cut before its minimum length fails, and does not read on. */
TEST(fx, cut_at_every_byte)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	static struct sample s[16];
	size_t n = sample_queues(f, s, &q);

	for (size_t i = 0; i < n; i++) {
		uint32_t before = fx_objects(f->v);

		for (size_t len = 0; len < s[i].len; len++) {
			uint8_t status = fx_exec(f, f->v, s[i].opcode, FX_UID, s[i].in, len, 16);

			assert_int_equal(status, PRM_STATUS_BAD_INP_LEN);
			assert_int_equal(f->syndrome, FW_SYN_IN_SHORT);
			assert_int_equal(fx_objects(f->v), before);
		}
		assert_int_equal(fx_exec(f, f->v, s[i].opcode, FX_UID, s[i].in, s[i].len, 8),
				 PRM_STATUS_BAD_OUTP_LEN);
		assert_int_equal(fx_exec(f, f->v, s[i].opcode, FX_UID, s[i].in, s[i].len, 16), 0);
		assert_int_equal(fx_objects(f->v), before + 1);
	}
}

/* A longer command succeeds if the rest is zero, and is refused otherwise. */
TEST(fx, longer_than_the_command)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	static struct sample s[16];
	size_t n = sample_queues(f, s, &q);

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(fx_exec(f, f->v, s[i].opcode, FX_UID, s[i].in, s[i].len + 24, 16),
				 0);
		s[i].in[s[i].len + 21] = 1;
		assert_int_equal(fx_exec(f, f->v, s[i].opcode, FX_UID, s[i].in, s[i].len + 24, 16),
				 PRM_STATUS_BAD_INP_LEN);
		assert_int_equal(f->syndrome, FW_SYN_IN_LONG);
	}
}

/* Tries every opcode with every length up to past the longest fixed command, of zeros and ones. */
TEST(fx, every_opcode_at_every_length)
{
	unsigned int known = 0;
	uint8_t in[320];

	for (unsigned int op = 0; op <= 0xffff; op++) {
		memset(in, 0, sizeof(in));
		if (fx_exec(f, f->v, (uint16_t)op, FX_UID, in, 8, 8) == PRM_STATUS_BAD_OP) {
			assert_int_equal(f->syndrome, FW_SYN_OPCODE);
			continue;
		}
		known++;
		for (size_t len = 0; len <= sizeof(in); len += 4) {
			memset(in, 0, sizeof(in));
			fx_exec(f, f->v, (uint16_t)op, FX_UID, in, len, 16);
			memset(in, 0xff, sizeof(in));
			fx_exec(f, f->v, (uint16_t)op, FX_UID, in, len, 16);
			memset(in + 4, 0, 4);
			fx_exec(f, f->v, (uint16_t)op, FX_UID, in, len, 16);
			fx_exec(f, f->v, (uint16_t)op, 0, in, len, 272);
		}
	}
	assert_true(known > 40);
}

/* A general object of any type is refused if the mailbox ends with the command's header. */
TEST(fx, every_object_without_itself)
{
	f->profile.rules_by_wqe = f->profile.crypto = f->profile.parse_graph = true;
	for (uint32_t type = 0; type <= 0xffff; type++) {
		uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};

		prm_general_obj_in_cmd_hdr_set_obj_type(in, type);
		assert_int_not_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, sizeof(in)), 0);
	}
}

TEST(fx, unknown_opcode)
{
	uint8_t in[16] = {0};

	assert_int_equal(fx_exec(f, f->v, 0x7fff, FX_UID, in, 16, 16), PRM_STATUS_BAD_OP);
	assert_true(test_logged(f->log, "opcode 0x7fff"));
	assert_int_equal(FX_EXEC(f, CREATE_SRQ, in, 16), PRM_STATUS_BAD_OP);
}

TEST(fx, op_mod)
{
	assert_int_equal(FX(f, ALLOC_PD, {"op_mod", 1}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_OP_MOD);
	assert_true(test_logged(f->log, "ALLOC_PD"));
	assert_true(test_logged(f->log, "op_mod is 0x1"));
}

/* A program is refused the kernel's commands. */
TEST(fx, privileged)
{
	assert_int_equal(FX(f, CREATE_EQ), BAD);
	assert_int_equal(f->syndrome, FW_SYN_PRIVILEGED);
}

/* --trace decodes commands and replies of any length, and never shows an access key. */
TEST(fx, traced)
{
	uint8_t in[PRM_ALLOW_OTHER_VHCA_ACCESS_IN_BYTES] = {0};
	static char text[1 << 20];
	int fd = memfd_create("trace", 0);

	assert_true(fd >= 0);
	trace_to(fd);
	prm_allow_other_vhca_access_in_set_object_type_to_be_accessed(in, PRM_OBJ_TYPE_MKEY);
	prm_allow_other_vhca_access_in_set_object_id_to_be_accessed(in, 0x1234);
	memset(prm_allow_other_vhca_access_in_at_access_key_raw(in), 0xab, 32);
	for (size_t len = 0; len <= sizeof(in); len++)
		FX_EXEC(f, ALLOW_OTHER_VHCA_ACCESS, in, len);
	memset(in, 0xab, sizeof(in));
	for (size_t len = 0; len <= sizeof(in); len++)
		FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len);
	for (unsigned int op = 0; op < 0x1000; op++)
		fx_exec(f, f->v, (uint16_t)op, FX_UID, in, 16, 8);
	memset(in, 0, sizeof(in));
	fx_exec(f, f->v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID, in, 16, PRM_QUERY_HCA_CAP_OUT_BYTES);
	trace_to(-1);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	assert_non_null(strstr(text, "object_id_to_be_accessed=0x1234"));
	assert_non_null(strstr(text, "syndrome=0xdf000009"));
	assert_non_null(strstr(text, "hca_cap_2=0x1 vhca_id=0x1"));
	/* longer than a number or the metadata, shorter than the key */
	assert_null(strstr(text, "abababababababababababababababababababab"));
}

/* Each syndrome has a row in doc/syndromes.md with the same text, and each row a syndrome. */
TEST(none, syndromes_are_documented)
{
	const char *top = getenv("top_srcdir");
	char path[4096], line[512];
	unsigned int rows = 0, known = 0;
	FILE *doc;

	snprintf(path, sizeof(path), "%s/doc/syndromes.md", top ? top : ".");
	doc = fopen(path, "r");
	assert_non_null(doc);
	while (fgets(line, sizeof(line), doc)) {
		unsigned int code;
		const char *text;

		if (sscanf(line, "| `0x%x`", &code) != 1)
			continue;
		rows++;
		text = fw_syndrome_text(code);
		assert_non_null(text);
		assert_non_null(strstr(line, text));
	}
	fclose(doc);
	for (uint32_t i = 0; i < 0x1000; i++)
		known += fw_syndrome_text(FW_SYNDROME_BASE | i) != NULL;
	assert_int_equal(rows, known);
}
