/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose memory is moved while they use it: scenes for share.sh, named by the first
 * argument. Pages that objects hold are shared with the device while they live; the program must
 * not notice. Exits with 0 if the scene succeeded, 77 if it is impossible here.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "share_mem.h"
#include "share_scenes.h"

static void refuse_userfaultfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static bool may_userfaultfd(void)
{
	return syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY) >= 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} scenes[] = {
		{"threads", scene_threads},
		{"threads-fork", scene_threads_fork},
		{"fork", scene_fork},
		{"spawn", scene_spawn},
		{"renew", scene_renew},
		{"stale", scene_stale},
		{"moved", scene_moved},
		{"protect", scene_protect},
		{"grow", scene_grow},
		{"drop", scene_drop},
		{"limit", scene_limit},
		{"close", scene_close},
		{"twice", scene_twice},
		{"orphan", scene_orphan},
		{"uring", scene_uring},
		{"read", scene_read},
		{"maps", scene_maps},
		{"reader", scene_reader},
		{"reader-unprivileged", scene_reader_unprivileged},
		{"churn", scene_churn},
	};

	if (argc == 2 && !strcmp(argv[1], "userfaultfd"))
		return may_userfaultfd() ? 0 : 77;
	/* alone: nothing moves without userfaultfd, unless the program has one thread */
	if (argc == 3 && !strcmp(argv[2], "alone"))
		refuse_userfaultfd();
	if (argc == 3 && !strcmp(argv[2], "never")) {
		refuse_userfaultfd();
		mem_shares = false;
	}
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (argc > 1 && !strcmp(argv[1], scenes[i].name))
			return scenes[i].run();
	fprintf(stderr, "usage: share SCENE [alone|never]\n");
	return 2;
}
