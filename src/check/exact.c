/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts stores to doorbell registers (dvx-sim stat --exact, doc/design/0102). The program gets a
 * page of memory in place of a page of registers. The page can't be written: each store raises
 * SIGSEGV. The handler stores to the registers itself if the instruction is the usual one; else the
 * page is open for one step, and what arrived in it goes on to the registers.
 */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include "count.h"

#define EXACT_PAGES 1024u
#define EXACT_FDS   1024u
#define PAGE	    4096u
#define WORD	    sizeof(uint64_t)
#define CQ_ARM	    0x20u
#define BLUEFLAME   0x800u /* where send registers begin */
#define REGISTER    0x100u
#define TRAP_FLAG   0x100

/* The last doorbell of a register. */
struct exact_last {
	uint32_t qpn, opcode;
	bool copied; /* its WQE was counted as a BlueFlame copy */
};

static struct exact_page {
	uint8_t *at;	 /* the program's; NULL: unmapped */
	uint64_t *words; /* the same memory, to be cleared */
	volatile uint64_t *registers;
	int fd;
	struct exact_last last[(PAGE - BLUEFLAME) / REGISTER];
} exact_pages[EXACT_PAGES];
static unsigned int exact_count; /* atomic */
static uint32_t exact_function[EXACT_FDS];
static struct sigaction exact_before[2]; /* of SIGSEGV and SIGTRAP */
static int exact_locked; /* the pages: their list, and words on their way to registers */
static _Thread_local struct exact_page *exact_stepping __attribute__((tls_model("initial-exec")));

void watch_exact_open(int fd, uint32_t function)
{
	if ((unsigned int)fd < EXACT_FDS)
		exact_function[fd] = function;
}

static void exact_lock(void)
{
	while (__atomic_exchange_n(&exact_locked, 1, __ATOMIC_ACQUIRE))
		;
}

static void exact_unlock(void)
{
	__atomic_store_n(&exact_locked, 0, __ATOMIC_RELEASE);
}

/* The thread that had the lock may not be in a child. */
void watch_exact_forked(void)
{
	exact_unlock();
}

static struct exact_page *exact_find(const void *at)
{
	const unsigned int n = __atomic_load_n(&exact_count, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < n; i++)
		if (exact_pages[i].at && (uintptr_t)at - (uintptr_t)exact_pages[i].at < PAGE)
			return &exact_pages[i];
	return NULL;
}

/* --- words that were stored --------------------------------------------------------------------- */

/* Returns the opcode of verbs (enum ibv_wr_opcode) for a WQE's. */
static uint32_t exact_opcode(uint8_t opcode)
{
	static const uint8_t of[] = {
		[0x01] = IBV_WR_SEND_WITH_INV,	     [0x08] = IBV_WR_RDMA_WRITE,
		[0x09] = IBV_WR_RDMA_WRITE_WITH_IMM, [0x0a] = IBV_WR_SEND,
		[0x0b] = IBV_WR_SEND_WITH_IMM,	     [0x0e] = IBV_WR_TSO,
		[0x10] = IBV_WR_RDMA_READ,	     [0x11] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[0x12] = IBV_WR_ATOMIC_FETCH_AND_ADD};

	return opcode == 0x08 || (opcode < sizeof(of) && of[opcode]) ? of[opcode]
								     : IBV_WR_LOCAL_INV;
}

/* Counts the first word of a register, the beginning of a WQE: opcode in byte 3, number in 4 to 6. */
static void exact_doorbell(const struct exact_page *p, struct exact_last *l, uint64_t word)
{
	const uint8_t *wqe = (const uint8_t *)&word;

	l->opcode = exact_opcode(wqe[3]);
	l->qpn = (uint32_t)wqe[4] << 16 | (uint32_t)wqe[5] << 8 | wqe[6];
	l->copied = false;
	watch_count_doorbell(exact_function[p->fd], l->opcode, l->qpn, COUNT_CALLS);
}

/* Counts a word behind the first one: the WQE was copied. */
static void exact_copied(const struct exact_page *p, struct exact_last *l)
{
	if (l->copied || !l->qpn)
		return;
	l->copied = true;
	watch_count_doorbell(exact_function[p->fd], l->opcode, l->qpn, COUNT_BLUEFLAME);
}

/* Passes a word on to its register. */
static void exact_word(struct exact_page *p, uint32_t at, uint64_t word)
{
	if (!word)
		return;
	if (at >= BLUEFLAME && at % REGISTER)
		exact_copied(p, &p->last[(at - BLUEFLAME) / REGISTER]);
	else if (at >= BLUEFLAME)
		exact_doorbell(p, &p->last[(at - BLUEFLAME) / REGISTER], word);
	p->registers[at / WORD] = word;
}

/* Reads and clears a word at once: another thread may store while the page is open for its step. */
static void exact_take(struct exact_page *p, uint32_t at)
{
	exact_word(p, at, __atomic_exchange_n(&p->words[at / WORD], 0, __ATOMIC_ACQUIRE));
}

static void exact_forward(struct exact_page *p)
{
	exact_lock();
	exact_take(p, CQ_ARM);
	for (uint32_t at = BLUEFLAME; at < PAGE; at += WORD)
		exact_take(p, at);
	exact_unlock();
}

/* --- the usual store, MOV of a register to 8 bytes of memory: REX.W 89 /r ------------------------ */

#ifdef __x86_64__
#define REX_W	  0x48
#define REX_R	  0x04 /* the register is one of r8 to r15 */
#define MOV_STORE 0x89
#define HAS_SIB	  4
#define DISP32	  5

/* Returns how many bytes ModRM and what belongs to it take; 0: the operand is no memory. */
static unsigned int exact_operand(const uint8_t *modrm)
{
	const unsigned int mod = modrm[0] >> 6, rm = modrm[0] & 7, sib = rm == HAS_SIB;

	if (mod == 3)
		return 0;
	if (mod == 2 || (!mod && (sib ? modrm[1] & 7u : rm) == DISP32))
		return 5 + sib;
	return 1 + mod + sib;
}

/* Stores in place of the program, whose page stays closed. Returns false for another instruction. */
static bool exact_move(struct exact_page *p, uint32_t at, greg_t *regs)
{
	static const uint8_t of[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,	REG_R9,	 REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15};
	const uint8_t *code = (const uint8_t *)regs[REG_RIP];
	unsigned int operand, number;

	if ((code[0] & 0xf8) != REX_W || code[1] != MOV_STORE || at % WORD)
		return false;
	operand = exact_operand(code + 2);
	number = (code[2] >> 3 & 7u) | (code[0] & REX_R ? 8u : 0u);
	if (!operand)
		return false;
	exact_lock();
	exact_word(p, at, (uint64_t)regs[of[number]]);
	exact_unlock();
	regs[REG_RIP] += 2 + operand;
	return true;
}

/* --- signals ------------------------------------------------------------------------------------ */

static void exact_pass_on(int number, siginfo_t *info, void *uc)
{
	const struct sigaction *before = &exact_before[number == SIGTRAP];

	if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN)
		sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	else if (before->sa_flags & SA_SIGINFO)
		before->sa_sigaction(number, info, uc);
	else
		before->sa_handler(number);
}

static void exact_fault(int number, siginfo_t *info, void *context)
{
	struct exact_page *p = exact_find(info->si_addr);
	ucontext_t *uc = context;
	const int saved = errno;

	if (!p) {
		exact_pass_on(number, info, context);
	} else if (!exact_move(p, (uint32_t)((uint8_t *)info->si_addr - p->at),
			       uc->uc_mcontext.gregs)) {
		exact_stepping = p;
		mprotect(p->at, PAGE, PROT_READ | PROT_WRITE);
		uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	}
	errno = saved;
}

static void exact_stepped(int number, siginfo_t *info, void *context)
{
	struct exact_page *p = exact_stepping;
	ucontext_t *uc = context;
	const int saved = errno;

	if (!p) {
		exact_pass_on(number, info, context);
		return;
	}
	exact_stepping = NULL;
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	mprotect(p->at, PAGE, PROT_READ);
	exact_forward(p);
	errno = saved;
}

static bool exact_trap(void)
{
	static bool trapping;
	struct sigaction fault = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction step = fault;

	if (trapping)
		return true;
	fault.sa_sigaction = exact_fault;
	step.sa_sigaction = exact_stepped;
	trapping = !sigaction(SIGSEGV, &fault, &exact_before[0]) &&
		   !sigaction(SIGTRAP, &step, &exact_before[1]);
	return trapping;
}
#else
static bool exact_trap(void)
{
	(void)exact_forward;
	return false;
}
#endif

/* --- pages -------------------------------------------------------------------------------------- */

/* Makes memory that the program sees without the right to write. */
static bool exact_page_make(struct exact_page *p)
{
	const int fd = memfd_create("registers", MFD_CLOEXEC);
	void *words = MAP_FAILED, *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, PAGE)) {
		words = WATCH_REAL(mmap)(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		at = WATCH_REAL(mmap)(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	}
	close(fd);
	p->words = words;
	p->at = at;
	return words != MAP_FAILED && at != MAP_FAILED;
}

static bool exact_is_registers(const void *at, size_t n, int prot, int flags, int fd)
{
	struct stat st;

	return !at && n == PAGE && prot == PROT_WRITE && flags == MAP_SHARED && !fstat(fd, &st) &&
	       S_ISCHR(st.st_mode);
}

/* Adds a page, in the place of one that was unmapped if there is one. Its address makes it found. */
static bool exact_add(const struct exact_page *page)
{
	unsigned int i = 0;

	while (i < exact_count && exact_pages[i].at)
		i++;
	if (i == EXACT_PAGES)
		return false;
	exact_pages[i] = (struct exact_page){
		.words = page->words, .registers = page->registers, .fd = page->fd};
	__atomic_store_n(&exact_pages[i].at, page->at, __ATOMIC_RELEASE);
	if (i == exact_count)
		__atomic_store_n(&exact_count, i + 1, __ATOMIC_RELEASE);
	return true;
}

/* Returns the page that the program gets in place of registers. */
static void *exact_replace(void *registers, int fd)
{
	struct exact_page page = {.registers = registers, .fd = fd};
	bool added;

	exact_lock();
	added = (unsigned int)fd < EXACT_FDS && exact_trap() && exact_page_make(&page) &&
		exact_add(&page);
	exact_unlock();
	if (!added)
		watch_count_untrapped();
	return added ? page.at : registers;
}

/* By another name in this source: dvx-sim's preload has an mmap(), too. */
WATCH_HOOK void *watch_mmap(void *at, size_t n, int prot, int flags, int fd,
			    off_t offset) __asm__("mmap");
void *watch_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *mapped = WATCH_REAL(mmap)(at, n, prot, flags, fd, offset);

	if (mapped == MAP_FAILED || !watch_counts_exactly() ||
	    !exact_is_registers(at, n, prot, flags, fd))
		return mapped;
	return exact_replace(mapped, fd);
}

void watch_exact_unmap(const void *at)
{
	struct exact_page *p = exact_find(at);

	if (!p || at != p->at)
		return;
	exact_lock();
	WATCH_REAL(munmap)(p->words, PAGE);
	WATCH_REAL(munmap)((void *)(uintptr_t)p->registers, PAGE);
	p->at = NULL;
	exact_unlock();
}
