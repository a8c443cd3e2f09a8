/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores at the addresses of mlx5dv_dm_map_op_addr() are operations on device memory, in
 * each form of the instruction; other faults reach the program's own handler of SIGSEGV. */
#include "tests/test.h"
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "verbs_qp.h"

#define BYTES 8192u

enum { INCREMENT, TEST_AND_SET, OPS };

static struct ibv_context *context;
static struct ibv_dm *dm;

static int open_device(UNUSED void **state)
{
	context = verbs_open();
	return context ? 0 : -1;
}

static int close_device(UNUSED void **state)
{
	return ibv_close_device(context);
}

static void dm_open(void)
{
	struct ibv_alloc_dm_attr a = {.length = BYTES};

	dm = ibv_alloc_dm(context, &a);
	assert_non_null(dm);
}

static uint8_t *dm_op(uint8_t op)
{
	uint8_t *at = mlx5dv_dm_map_op_addr(dm, op);

	assert_non_null(at);
	return at;
}

/* Reads a byte: libmlx5 copies words of 4 bytes. */
static uint8_t dm_get(size_t at)
{
	uint8_t bytes[4];

	assert_int_equal(ibv_memcpy_from_dm(bytes, dm, at & ~(size_t)3, 4), 0);
	return bytes[at & 3];
}

static void dm_fill(uint8_t byte)
{
	uint8_t bytes[BYTES];

	memset(bytes, byte, sizeof(bytes));
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, bytes, sizeof(bytes)), 0);
}

#ifdef __x86_64__
/* Loads by `instruction` into v, which has all bits set; p holds the address. */
#define FORM(name, where, instruction)                                                    \
	static uint64_t form_##name(const volatile void *at)                              \
	{                                                                                 \
		register const volatile char *p __asm__(where) = at;                      \
		register uint64_t v __asm__("rax") = ~0ull;                               \
                                                                                          \
		__asm__ volatile(instruction : "+r"(v) : "r"(p) : "memory", "rbx", "r9"); \
		return v;                                                                 \
	}
FORM(byte, "rdi", "movb (%1), %b0")
FORM(high, "rsi", "movb (%1), %%ah")
FORM(zero_16, "r8", "movzbw (%1), %w0")
FORM(zero_32, "r12", "movzbl (%1), %k0")
FORM(sign_16, "r13", "movsbw (%1), %w0")
FORM(sign_32, "r15", "movsbl (%1), %k0")
FORM(sign_64, "rdx", "movsbq (%1), %0")
FORM(far, "rcx", "lea -0x12345678(%1), %1\n movzbq 0x12345678(%1), %0\n lea 0x12345678(%1), %1")
FORM(scaled, "r10", "mov $-16, %%rbx\n movzbq 64(%1, %%rbx, 4), %0")
FORM(other, "r14", "movb (%1), %%r9b\n movzbl %%r9b, %k0")

static const struct form {
	uint64_t (*load)(const volatile void *);
	uint64_t got; /* result for 0x80 */
} forms[] = {
	{form_byte, 0xffffffffffffff80},
	{form_high, 0xffffffffffff80ff},
	{form_zero_16, 0xffffffffffff0080},
	{form_zero_32, 0x80},
	{form_sign_16, 0xffffffffffffff80},
	{form_sign_32, 0xffffff80},
	{form_sign_64, 0xffffffffffffff80},
	{form_far, 0x80},
	{form_scaled, 0x80},
	{form_other, 0x80},
};

TEST(none, loads)
{
	uint8_t *op;

	dm_open();
	dm_fill(0x80);
	op = dm_op(TEST_AND_SET);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(forms[i].load(op + 4000 + i), forms[i].got);
		assert_int_equal(dm_get(4000 + i), 1);
		assert_int_equal(dm_get(4001 + i), 0x80);
	}
	assert_int_equal(munmap(op, BYTES), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
}

TEST(none, stores)
{
	uint8_t *op;

	dm_open();
	op = dm_op(INCREMENT);
	assert_ptr_not_equal(op, dm_op(INCREMENT)); /* two mappings of one address */
	__asm__ volatile("movb $7, 4100(%0)" ::"r"(op) : "memory");
	__asm__ volatile("movb %b1, (%0)" ::"r"(op + 4100), "r"(250) : "memory");
	__asm__ volatile("movb %%ah, (%0)" ::"D"(op + 4101), "a"(0x0305) : "memory");
	assert_int_equal(dm_get(4100), 1);
	assert_int_equal(dm_get(4101), 3);
	assert_int_equal(ibv_free_dm(dm), 0);
}

static sigjmp_buf back;
static void *faulted;
static sigset_t during;

static void on_fault(UNUSED int number, siginfo_t *info, UNUSED void *uc)
{
	faulted = info->si_addr;
	pthread_sigmask(SIG_BLOCK, NULL, &during);
	siglongjmp(back, 1);
}

#define FAULTS(at, access)                     \
	do {                                   \
		faulted = NULL;                \
		if (!sigsetjmp(back, 1)) {     \
			access;                \
		}                              \
		assert_ptr_equal(faulted, at); \
	} while (0)

/* Raises SIGSEGV twice in a child; returns its status. */
static int raised(void (*handler)(int))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		signal(SIGSEGV, handler);
		raise(SIGSEGV);
		raise(SIGSEGV);
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The program's handler is called as by the kernel: once, with its mask; a signal that is sent does not repeat. */
TEST(none, handlers)
{
	struct sigaction mine = {.sa_flags = SA_SIGINFO | (int)SA_RESETHAND}, before, now;
	volatile uint8_t *inc;
	int status;

	dm_open();
	inc = dm_op(INCREMENT);
	mine.sa_sigaction = on_fault;
	sigaddset(&mine.sa_mask, SIGUSR1);
	assert_int_equal(sigaction(SIGSEGV, &mine, &before), 0);
	FAULTS(inc, (void)*inc);
	assert_true(sigismember(&during, SIGUSR1) && sigismember(&during, SIGSEGV));
	assert_int_equal(sigaction(SIGSEGV, &before, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_DFL);
	status = raised(SIG_DFL);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = raised(SIG_IGN);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(ibv_free_dm(dm), 0);
}

/* Wrong directions, other sizes, and freed memory: nothing changes, the program gets a fault. */
TEST(none, faults)
{
	struct sigaction mine = {.sa_flags = SA_SIGINFO}, old;
	volatile uint8_t *inc, *set, *elsewhere;

	dm_open();
	elsewhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	inc = dm_op(INCREMENT);
	set = dm_op(TEST_AND_SET);
	mine.sa_sigaction = on_fault;
	assert_int_equal(sigaction(SIGSEGV, &mine, &old), 0);
	assert_ptr_not_equal(old.sa_handler, NULL); /* cmocka's handler */
	FAULTS(inc, (void)*inc);
	FAULTS(set + 9, set[9] = 1);
	FAULTS(inc + 4, *(volatile uint32_t *)(inc + 4) = 1);
	FAULTS(set, (void)*(volatile uint64_t *)set);
	FAULTS(elsewhere, *elsewhere = 1);
	assert_int_equal(dm_get(0) | dm_get(4) | dm_get(9), 0);
	*inc = 2;
	assert_int_equal(dm_get(0), 2);
	assert_int_equal(ibv_free_dm(dm), 0);
	FAULTS(inc, *inc = 1);
	assert_ptr_equal(signal(SIGSEGV, SIG_DFL), (void (*)(int))(uintptr_t)on_fault);
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
}
#else
TEST(none, loads)
{
	skip();
}

TEST(none, stores)
{
	skip();
}

TEST(none, faults)
{
	dm_open();
	assert_null(mlx5dv_dm_map_op_addr(dm, INCREMENT));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_free_dm(dm), 0);
}
#endif

/* Other operations do not exist; neither do pages of memory without DM_MAP_OP_ADDR. */
TEST(none, absent)
{
	const int prot = PROT_READ | PROT_WRITE;

	dm_open();
	for (unsigned int op = OPS; op < 256; op += 50) {
		assert_null(mlx5dv_dm_map_op_addr(dm, (uint8_t)op));
		assert_int_equal(errno, EOPNOTSUPP);
	}
	for (off_t page = 2048 + 64; page < 2048 + 128; page++)
		assert_ptr_equal(mmap(NULL, 4096, prot, MAP_SHARED, context->cmd_fd, page * 4096),
				 MAP_FAILED);
	assert_int_equal(ibv_free_dm(dm), 0);
}

TEST_GROUP(open_device, close_device)
