/*
 * guard.h - code that damage may kill, run in a child process (private to store/)
 *
 * Owns: the fork, what the child keeps of its parent, and what its death means. LMDB trusts its
 * pages: a zeroed page ends the process that reads it (D8). So whatever reads data.mdb runs in a
 * child; its death by SIGSEGV, SIGBUS, SIGABRT, SIGFPE or SIGILL is PLM_E_CORRUPT, any other is
 * PLM_E_IO.
 * Does not: protect the writer's own transactions, which begin after a child has checked the tail
 * and rehearsed an append.
 *
 * The child dies with the thread that made it, keeps no descriptor but the standard three and its
 * own, writes no core, and uses no lock that another thread of the parent may hold.
 */
#ifndef PLM_STORE_GUARD_H
#define PLM_STORE_GUARD_H

#include <stdatomic.h>
#include <sys/types.h>

#include "store/log.h"

#define PLM_GUARD_RESULT_SIZE 512

/* Memory that parent and child share. */
struct plm_guard_seat {
	_Atomic uint64_t good; /* newest record known to be good */
	_Atomic uint64_t goal; /* the record that ends the work; 0 = not known yet */
	_Atomic bool done;     /* 'code', 'err' and 'result' are final */
	enum plm_code code;
	struct plm_error err;
	char result[PLM_GUARD_RESULT_SIZE];
};

struct plm_guard_task {
	const char *what; /* begins the text of a death: the path */
	/* Runs in the child; what it leaves in seat->result comes back. */
	enum plm_code (*run)(const void *ctx, struct plm_guard_seat *seat, struct plm_error *err);
	const void *ctx;		   /* borrowed */
	const struct plm_log_watch *watch; /* borrowed; may be NULL */
	void *result;			   /* filled with 'result_size' bytes on PLM_OK */
	size_t result_size;		   /* at most PLM_GUARD_RESULT_SIZE */
	uint64_t *good;			   /* set in any case; may be NULL */
};

/* Run 'task' in a child and wait for it: its code, or what its death means. */
enum plm_code plm_guard_call(const struct plm_guard_task *task,
			     struct plm_error *err) PLM_MUST_CHECK;

/* A child that goes on beside its parent. */
struct plm_guard_child {
	pid_t pid;
	int fd;			     /* one end of a stream socket; the other is the child's */
	struct plm_guard_seat *seat; /* shared */
};

/* 'run' gets its end of the socket in the child, which ends when it returns. */
enum plm_code plm_guard_start(struct plm_guard_child *child, void (*run)(void *ctx, int fd),
			      void *ctx, struct plm_guard_seat *seat,
			      struct plm_error *err) PLM_MUST_CHECK;
/* Wait for the child, which closed its end: PLM_E_CORRUPT or PLM_E_IO with what its death means. */
enum plm_code plm_guard_death(struct plm_guard_child *child, const char *what,
			      struct plm_error *err);
/* Close the socket and see the child end. */
void plm_guard_stop(struct plm_guard_child *child);

/* Shared memory for a seat, zeroed; NULL and 'err' when the system refuses. */
struct plm_guard_seat *plm_guard_seat_new(struct plm_error *err);
void plm_guard_seat_free(struct plm_guard_seat *seat); /* NULL-safe */

#endif
