/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that no recogniser of dvx-prm explain reads past bytes that are odd, short or damaged:
 * each is asked about, and forced to explain, dumps whose memory ends with them. The same for its
 * readers of lines, with damaged lines of logs. */
#include "fuzz.h"
#include <stdio.h>
#include "explain.h"
#include "paste.h"

static const struct recogniser *const all[] = {
	&recognise_cqe,	 &recognise_mini, &recognise_eqe, &recognise_wqe,
	&recognise_rwqe, &recognise_in,	  &recognise_out, &recognise_cap,
};

/* Beginnings that lead a recogniser on; damage and length do the rest. */
static const struct {
	size_t at;
	uint8_t bytes[8];
	size_t n;
} leads[] = {
	{56, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xd2}, 8},	/* error completion */
	{120, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xe2}, 8}, /* the same in 128 bytes */
	{0, {0, 0, 1, 0x0e, 0, 0, 0x11, 0x3f}, 8},	/* WQEs: large send, longer than given */
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x04}, 8},
	{0, {8, 0, 1, 0x14, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x25, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x2c, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x02}, 8},
	{0, {1, 0, 1, 0x2f, 0, 0, 0x11, 0x04}, 8},
	{0, {0x02, 0x00, 0, 0, 0, 0, 0, 0}, 8}, /* CREATE_MKEY */
	{0, {0x0a, 0x00, 0, 1, 0, 0, 0xff, 0x10}, 8},
	{0, {0x03, 0, 0, 0, 0, 0x35, 0xe6, 0xec}, 8}, /* a command's failure */
	{0, {0, 0x04, 0, 0, 0, 0, 0, 0}, 8},
	{56, {0, 0, 0x12, 0x34, 0, 1, 0, 0x2c}, 8}, /* titles of compressed completions */
	{44, {0, 0, 0x0f, 0xff, 0, 0, 0, 1}, 8},
	{120, {0, 0, 0x12, 0x34, 0, 1, 0, 0x6c}, 8}, /* a block of them */
	{16, {0x80, 0, 0, 0, 0, 4, 0, 0}, 8},	     /* an UMR's control segment */
};

/* Lines that lead the readers of lines on. */
static const char *const lines[] = {
	"mlx5_core 0000:0d:00.0: print_health_info:435:(pid 0): assert_var[0] 0x0521945b",
	"mlx5_core 0000:0d:00.0: print_health_info:440:(pid 0): fw_ver 22.44.1036",
	"assert_exit_ptr 0x008033b4",
	"synd 0x8: unrecoverable hardware error",
	"poll_health:702:(pid 0): Fatal error 1 detected",
	"> wait_func:1189:(pid 72061):",
	"> ACCESS_REG(0x805) timeout. Will cause a leak of a command resource",
	"[1,0]<stdout>:ib_mlx5_log.c:139 Transport retry on m (synd 0x15 vend 0x81 hw_synd 0/0)",
	"web-1  | ib_mlx5_log.c:139  DCI QP 0x7fba wqe[266]: SEND s-e [rqpn 0xfec4 rlid 485]",
	"\033[31mFailed to modify QP 122273 to RTR, check mtu: Connection timed out [110]\033[0m",
	"UCX ERROR ibv_create_cq() failed: Cannot allocate memory (ulimit -l)",
	"UCX WARN IB Async event on mlx5_0: GID table change on port 1",
	"create_mkey(0x200) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x35e6ec)",
	"rx_out_of_buffer: 12 out_of_sequence 99999999999999999999",
	"00000000 00000000 00000000 00000000",
	"RDMA_CM_EVENT_REJECTED, error 28",
	"_qp_reset_failed_sends: *ERROR*: Failed to post a send for the qpair with errno -12",
	"ibv_reg_dmabuf_mr(address=0xfcc99fa00000, length=16384) failed: Unknown error 524",
	"ibv_reg_mr(address=0x7f724fa00000, length=4096, access=0xf) failed:",
	" Bad address [14]",
	"mlx5_common: Failed to create RQ using DevX: status 0x3 syndrome 0x43d98f",
	"rdma_create_ep: EINVAL ret=-22 (os error 99999999999)",
};

static size_t length(void)
{
	static const size_t usual[] = {1,  4,	15,  16,  48,	63,   64,  65,
				       80, 128, 256, 272, 1008, 4096, 4112};

	return any(3) ? usual[any(sizeof(usual) / sizeof(usual[0]))] : 1 + any(600);
}

static uint8_t *damaged(size_t len)
{
	uint8_t *p = calloc(1, len);
	size_t i = any(sizeof(leads) / sizeof(leads[0])), changes = any(24);

	assert_non_null(p);
	if (leads[i].at + leads[i].n <= len)
		memcpy(p + leads[i].at, leads[i].bytes, leads[i].n);
	while (changes--)
		p[any((uint32_t)len)] = (uint8_t)any(256);
	return p;
}

static void explain_all(const struct dump *d)
{
	const struct prm_args a = {.json = true};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct finding f;

		finding_begin(&f, d, &a);
		if (d->len >= all[i]->least) {
			all[i]->score(&f);
			all[i]->explain(&f);
		}
		assert_non_null(f.sentences);
		finding_end(&f);
	}
}

/* A text of some of the lines, damaged; its memory ends with it. */
static char *damaged_text(size_t *len)
{
	char text[2048] = "", *copy;
	size_t changes = any(12);

	for (size_t i = 1 + any(8); i--;) {
		const char *line = lines[any(sizeof(lines) / sizeof(lines[0]))];

		strcat(strncat(text, line, any(3) ? 200 : any(100)), any(9) ? "\n" : "\r\n");
	}
	*len = strlen(text) - any(2);
	copy = malloc(*len + !*len);
	assert_non_null(copy);
	memcpy(copy, text, *len);
	while (changes-- && *len)
		copy[any((uint32_t)*len)] = (char)(any(3) ? 32 + any(96) : 1 + any(255));
	return copy;
}

static void explain_lines(void)
{
	const struct prm_args a = {.json = true};
	const struct wanted wanted = {.kind = NULL};
	struct explain_out out = {.all = json_array()};
	struct hex hex;
	size_t len;
	char *text = damaged_text(&len);

	len = paste_plain(text, len);
	hex_parse_some(&hex, text, len, NULL);
	explain_text(&hex, text, len, &wanted, &a, &out);
	hex_free(&hex);
	json_decref(out.all);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct prm_args a = {.json = true};
	json_t *also = json_array();
	struct dump d = {.line = 1};
	struct finding f;
	uint8_t *p;

	fuzz_begin(bytes, len);
	d.len = length();
	d.bytes = p = damaged(d.len);
	finding_begin(&f, &d, &a);
	recognise(&f, also);
	finding_end(&f);
	json_decref(also);
	if (!any(4))
		explain_all(&d);
	free(p);
	if (!any(8))
		explain_lines();
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 2500, .longest = 96};
