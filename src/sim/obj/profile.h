/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_PROFILE_H
#define SIM_OBJ_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Clocks of timestamps that a kind of queue has, as the capabilities count them. */
enum ts_formats { TS_FORMATS_FREE_RUNNING, TS_FORMATS_REAL_TIME, TS_FORMATS_BOTH };

enum function_kind { FUNCTION_PF, FUNCTION_ECPF, FUNCTION_VF, FUNCTION_SF };

/* Programs open a function by its name: at most 7 letters, which fit a folder and a link message.
 */
struct function_row {
	const char *name;
	enum function_kind kind;
};

/*
 * A chip generation as data; profile.c has the rows. Tests change it directly, users by the names
 * in setting.c.
 */
struct profile {
	const char *name; /* "bluefield-2" */
	const struct function_row *functions;
	unsigned int nfunctions;
	uint16_t pci_device;  /* the host's PF and the ECPF share the chip's */
	const char *board_id; /* says that it is an emulator */
	const char *fw_ver;   /* numeric: libmlx5 parses it */
	uint8_t log_max_qp, log_max_cq, log_max_mkey, log_max_pd;
	uint8_t log_max_qp_sz, log_max_cq_sz;
	uint8_t log_max_msg;
	uint8_t log_ste_icm;		  /* bytes of steering memory */
	uint8_t log_max_flow_counter;	  /* at most VHCA_LOG_MAX_FLOW_COUNTER */
	uint8_t log_dma_mmo_max_size;	  /* 0: reports no limit */
	bool dma_mmo;			  /* dma_mmo_sq, dma_mmo_qp */
	bool cross_vhca;		  /* local mkey -> remote mkey by alias */
	bool allow_mkey;		  /* ALLOW_OTHER_VHCA_ACCESS of mkeys */
	bool alias_bad_status;		  /* tests: a refused alias is made, with a bad status */
	uint8_t min_mkey_log_entity_size; /* 0: 12 */
	uint8_t steering_format_version;  /* of STEs; steer/ste/ implements it */
	bool sw_owner_rx, sw_owner_tx;	  /* flow tables that software writes: sw_owner_v2 */
	bool fl_rc_qp;			  /* RC QPs with ads.fl: fl_rc_qp_when_roce_* */
	bool crypto;			  /* AES-XTS of mkeys: a crypto-enabled card */
	bool crypto_wrapped;		  /* its keys come wrapped, after a login */
	bool wqe_inline_l2;		  /* raw sends carry layer 2 inline: wqe_inline_mode 0 */
	bool strict_doorbells;		  /* tests: one doorbell starts one queue (host/strict.c) */
	uint8_t sq_ts_format, rq_ts_format, qp_ts_format; /* enum ts_formats */
	bool old_kernel;		  /* not of the chip: the kernel is older than 5.19 */
	bool memlock; /* nor is this: pinned memory counts for RLIMIT_MEMLOCK */
};

extern const struct profile profile_bluefield2;
enum { BLUEFIELD2_HOST, BLUEFIELD2_DPU }; /* its functions */

/* The function that has this name; NULL is the first. -1: none has; names[] is "host or dpu". */
#define FUNCTION_NAMES 128
int profile_function(const struct profile *, const char *name, char names[FUNCTION_NAMES]);

/*
 * A function's address, as a user writes it in n bytes: [FUNCTION=]ADDR/LEN, IPv4 or IPv6; without
 * a name it is the first one's. 0, or -1 with a sentence in why[SETTING_WHY].
 */
int profile_ip(const struct profile *, const char *text, size_t n, unsigned int *function,
	       uint8_t gid[16], uint8_t *prefix, char *why);

/*
 * Changes to a profile, as a user writes them: NAME=VALUE[,NAME=VALUE...]. dvx-sim checks the text
 * with the same rows before it starts a server.
 */
#define SETTING_WHY 640 /* the longest sentence, with all names in it */

/* Later values win. 0, or -1 with a sentence in why[SETTING_WHY], and the profile unchanged. */
int settings_apply(struct profile *, const char *text, char *why);
/* The same, with nothing to change. */
int settings_check(const char *text, char *why);
/* One line each: name, default, range, meaning. */
void settings_print(FILE *);

#endif
