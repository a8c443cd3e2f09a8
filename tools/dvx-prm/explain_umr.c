/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a UMR WQE behind the mkey: translations, then signature descriptions. */
#include "explain.h"

enum { SEG = 16, BB = 64, CTRL = 16, MKEY = 64, FLAG_INLINE = 0x80, MASK_BSF = 0x1000 };
enum { MODE_MTT = 1, MODE_KSM = 3, STRIDED = 0x400 };

static uint64_t umr(const struct finding *f, const char *path)
{
	return finding_field(f, "wqe_umr_ctrl_seg", CTRL, path);
}

static void explain_umr_entries(struct finding *f, const char *name, size_t at, size_t end)
{
	const struct prm_struct *s = prm_find_struct(name);

	for (; at + s->bytes <= end; at += s->bytes)
		if (!all_zero(f->d->bytes + at, s->bytes))
			finding_part(f, s, at, s->bytes);
}

static void inline_list(struct finding *f, size_t at, size_t end)
{
	unsigned int mode = (unsigned int)finding_field(f, "mkey_seg", MKEY, "flags") & 3;

	if (finding_field(f, "stride_block_ctrl_seg", at, "op") == STRIDED) {
		size_t n = (size_t)finding_field(f, "stride_block_ctrl_seg", at, "num_entries");

		finding_add(
			f, "translations", "op",
			"strided: %u rounds through %zu entries, %u bytes a round",
			(unsigned int)finding_field(f, "stride_block_ctrl_seg", at, "repeat_count"),
			n,
			(unsigned int)finding_field(f, "stride_block_ctrl_seg", at,
						    "bcount_per_cycle"));
		finding_part(f, prm_find_struct("stride_block_ctrl_seg"), at, SEG);
		at += SEG;
		explain_umr_entries(f, "stride_block_entry", at,
				    at + n * SEG < end ? at + n * SEG : end);
		return;
	}
	finding_add(f, "translations", "xlt_octowords", "%zu bytes of %s entries are in the WQE",
		    end - at,
		    mode == MODE_MTT   ? "MTT"
		    : mode == MODE_KSM ? "KSM"
				       : "KLM");
	explain_umr_entries(f,
			    mode == MODE_MTT   ? "mtt"
			    : mode == MODE_KSM ? "ksm"
					       : "klm",
			    at, end);
}

/* Adds the descriptions. Each one has its length in it; the second may be the crypto one. */
static void descriptions(struct finding *f, size_t at, size_t end)
{
	for (; at + BB <= end; at += BB)
		finding_part(f,
			     prm_find_struct(finding_field(f, "crypto_bsf", at, "bsf_type")
						     ? "crypto_bsf"
						     : "bsf"),
			     at, BB);
}

void wqe_translations(struct finding *f, size_t at, size_t end)
{
	size_t list = (size_t)umr(f, "xlt_octowords") * SEG, stop;

	if (at >= end)
		return;
	if (!(umr(f, "flags") & FLAG_INLINE)) {
		finding_add(f, "translations", "flags",
			    "they are in memory, behind the pointer in the WQE");
		wqe_data(f, at, end);
		return;
	}
	stop = at + list < end ? at + list : end;
	if (list)
		inline_list(f, at, stop);
	if (umr(f, "mkey_mask") & MASK_BSF)
		descriptions(f, at + (list + BB - 1) / BB * BB, end);
}
