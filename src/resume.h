/*
 * resume.h - what a log says was last seen of the outside world
 *
 * Owns: one pass over the log that keeps the last fact of every object that still exists, the launches
 * and starts that were asked for, and which objects were ever seen. From it the daemon builds the
 * embedded world anew after a restart (adapters/sim/resume.c): a real cluster is simply read again.
 * The pass is as long as the log, which only the embedded ends pay.
 */
#ifndef PLM_RESUME_H
#define PLM_RESUME_H

#include "adapters/sim/sim.h"
#include "store/log.h"

struct plm_resume; /* opaque; owned by who read it */

/* Empty for an empty log. Codes of reading a log. */
enum plm_code plm_resume_read(struct plm_log *log, struct plm_resume **out,
			      struct plm_error *err) PLM_MUST_CHECK;
void plm_resume_free(struct plm_resume *resume); /* NULL-safe */

/* When the log began, in Unix ms; PLM_UNSET for an empty log. */
int64_t plm_resume_started_ms(const struct plm_resume *resume);
/* Wall time of its last event; PLM_UNSET for an empty log. */
int64_t plm_resume_seen_ms(const struct plm_resume *resume);
/* Was there ever an object of that name, be it gone? */
bool plm_resume_knows(const struct plm_resume *resume, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name);
/* Live objects. */
size_t plm_resume_count(const struct plm_resume *resume);

struct plm_resume_build {
	struct plm_world *world;
	const char *cluster_uid; /* idempotency keys are made of it */
	uint64_t number;	 /* as for plm_world_resume_begin() */
	/* How long an object's pods run and how often they fail; the log does not know. May be NULL. */
	struct plm_sim_extra (*extra)(void *self, enum plm_kind kind, struct plm_slice ns,
				      struct plm_slice name);
	void *self;
};
/* Build 'build->world', which must be new. PLM_E_CORRUPT: a payload of the log does not decode. */
enum plm_code plm_resume_world(struct plm_resume *resume, const struct plm_resume_build *build,
			       struct plm_error *err) PLM_MUST_CHECK;

#endif
