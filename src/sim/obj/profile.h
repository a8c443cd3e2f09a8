/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_PROFILE_H
#define SIM_OBJ_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Timestamp clocks of a kind of queue, as the capabilities number them. */
enum ts_formats { TS_FORMATS_FREE_RUNNING, TS_FORMATS_REAL_TIME, TS_FORMATS_BOTH };

enum function_kind { FUNCTION_PF, FUNCTION_ECPF, FUNCTION_VF, FUNCTION_SF };

/* Most VFs, or SFs: as many functions as a chip can have besides its host and dpu. */
#define PROFILE_MAX_VFS 126

/* A function of a chip. Programs open it by its name, which is also that of a folder. */
#define FUNCTION_NAME 8 /* with the terminating 0 */
struct function_row {
	char name[FUNCTION_NAME];
	enum function_kind kind;
};

/*
 * A chip generation as data; profile.c has the rows. Tests change it directly, users through the
 * names in setting.c.
 */
struct profile {
	const char *name;		      /* as users write it: "bf2" */
	const struct function_row *functions; /* all but the VFs and SFs */
	unsigned int nfunctions;
	uint8_t vfs;	      /* VFs of the host's PF */
	uint8_t sfs;	      /* SFs of the e-switch's manager */
	uint16_t pci_device;  /* shared by the PFs and the ECPF */
	uint16_t pci_vf;      /* of VFs */
	const char *board_id; /* names the board as emulated */
	const char *fw_ver;   /* numeric, because libmlx5 parses it */
	uint8_t log_max_qp, log_max_cq, log_max_mkey, log_max_pd;
	uint8_t log_max_qp_sz, log_max_cq_sz;
	uint8_t log_max_msg;
	uint8_t log_ste_icm;	      /* bytes of steering memory */
	uint8_t log_max_flow_counter; /* at most VHCA_LOG_MAX_FLOW_COUNTER */
	uint8_t log_dma_mmo_max_size; /* 0: no limit reported */
	bool dma_mmo;		      /* dma_mmo_sq, dma_mmo_qp */
	bool cross_vhca;	      /* local mkey -> remote mkey by alias */
	bool allow_mkey;	      /* ALLOW_OTHER_VHCA_ACCESS of mkeys */
	/* for tests: a refused alias is created, with a bad status */
	bool alias_bad_status;
	uint8_t min_mkey_log_entity_size; /* 0 stands for 12 */
	uint8_t steering_format_version;  /* of STEs; steer/ste/ implements it */
	bool sw_owner_rx, sw_owner_tx;	  /* flow tables that software writes: sw_owner_v2 */
	bool rules_by_wqe;		  /* hardware steering: rules are written by WQEs */
	bool far_selectors; /* all dwords of definers come from anywhere: format_select_dw_8_6_ext */
	bool match_definers; /* entries whose tags definers lay out: format 1 and later */
	/* flex parsers take software's samples, not words of tunnels: PROG_PARSE_GRAPH */
	bool parse_graph;
	bool fl_rc_qp;	     /* RC QPs with ads.fl: fl_rc_qp_when_roce_* */
	bool crypto;	     /* AES-XTS of mkeys: a crypto-enabled card */
	bool crypto_wrapped; /* keys are wrapped and need a login */
	bool wqe_inline_l2;  /* raw sends carry layer 2 inline: wqe_inline_mode 0 */
	/* for tests: one doorbell starts one queue (host/strict.c) */
	bool strict_doorbells;
	uint8_t sq_ts_format, rq_ts_format, qp_ts_format; /* enum ts_formats */
	bool switchdev;	 /* not of the chip: the kernel manages the e-switch by flow tables */
	uint16_t vxlan_port; /* not of the chip: the kernel adds it to VXLAN's; 0: none */
	bool old_kernel; /* not of the chip: the kernel is older than 5.19 */
	bool memlock;	 /* not of the chip: pinned memory counts for RLIMIT_MEMLOCK */
};

/* The default, a BlueField-2: a ConnectX-6 Dx with Arm cores behind a second function. */
extern const struct profile profile_bluefield2;
enum { BLUEFIELD2_HOST, BLUEFIELD2_DPU }; /* indexes of functions */

/* Returns whether the chip's entries match by definers, which format 0 has not. */
static inline bool profile_has_definers(const struct profile *p)
{
	return p->match_definers && p->steering_format_version;
}

/* Returns whether rule tables, and what they lead to, can be those of another function. */
static inline bool profile_shares_rules(const struct profile *p)
{
	return p->rules_by_wqe && p->cross_vhca;
}

/* Returns the number of functions of the chip. */
static inline unsigned int profile_functions(const struct profile *p)
{
	return p->nfunctions + p->vfs + p->sfs;
}

/* Returns the function with this index. */
struct function_row profile_row(const struct profile *, unsigned int index);

/* Returns the chip with this index, the oldest first; NULL after the last one. */
const struct profile *profile_chip(size_t i);

/*
 * Returns the index of the function with this name. Returns -1 if there is none, and sets names[]
 * to a list such as "host or dpu or vf0 to vf3".
 */
#define FUNCTION_NAMES 128
int profile_function(const struct profile *, const char *name, char names[FUNCTION_NAMES]);

/*
 * Parses a function's address as users write it, in n bytes: [FUNCTION=]ADDR/LEN, IPv4 or IPv6.
 * Without a name it belongs to the first function. Returns 0, or -1 with a sentence in
 * why[SETTING_WHY].
 */
int profile_ip(const struct profile *, const char *text, size_t n, unsigned int *function,
	       uint8_t gid[16], uint8_t *prefix, char *why);

/*
 * Changes to a profile as users write them: NAME=VALUE[,NAME=VALUE...]. dvx-sim checks the text
 * with the same rows before it starts a server.
 */
#define SETTING_WHY 640 /* longest sentence, with all names in it */

/*
 * Applies settings; later values win. chip=NAME replaces the whole profile, before other settings
 * of the text change it. Returns 0, or -1 with a sentence in why[SETTING_WHY] and the profile
 * unchanged.
 */
int settings_apply(struct profile *, const char *text, char *why);
/* Like settings_apply(), but changes nothing. */
int settings_check(const char *text, char *why);
/* Prints a line for each setting: name, default of the BlueField-2, range, meaning. */
void settings_print(FILE *);

#endif
