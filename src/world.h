/*
 * world.h - the embedded cluster and cloud behind the daemon, in wall time
 *
 * Owns: the world (adapters/sim) of `--cloud sim`, what happens to it and when (manifests, a scenario),
 * and how it comes back after a restart (resume.h). A scenario's start is the beginning of the log: what
 * was due before the log's last event and is known there is not done twice.
 * Does not: threads. Everything is called on the loop's thread.
 */
#ifndef PLM_WORLD_H
#define PLM_WORLD_H

#include "config.h"
#include "core/ports.h"
#include "store/log.h"

struct plm_embedded; /* opaque */

/* Read the catalogue, manifests and scenario that 'config' names. PLM_E_INPUT and the like: what they say. */
enum plm_code plm_embedded_read(const struct plm_config *config, struct plm_embedded **out,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_embedded_free(struct plm_embedded *embedded); /* NULL-safe */

/* Settings that decide and catalogue, as read; for the engine. Borrowed. */
const struct plm_w_config *plm_embedded_config(const struct plm_embedded *embedded);
const struct plm_w_catalog *plm_embedded_catalog(const struct plm_embedded *embedded);

struct plm_embedded_start {
	struct plm_log *log; /* read for what was there before */
	struct plm_inbox inbox;
	const char *cluster_uid;
	int64_t now_ms;
};
/* Make the world, as the log left it. */
enum plm_code plm_embedded_start(struct plm_embedded *embedded,
				 const struct plm_embedded_start *start,
				 struct plm_error *err) PLM_MUST_CHECK;

struct plm_effects plm_embedded_effects(struct plm_embedded *embedded);
/* Let everything happen that is due by 'now_ms'. */
void plm_embedded_advance(struct plm_embedded *embedded, int64_t now_ms);
/* When something is due next, PLM_UNSET when nothing is. */
int64_t plm_embedded_next_due(const struct plm_embedded *embedded);
/* First broken invariant that the world has seen, or NULL. */
const char *plm_embedded_violation(const struct plm_embedded *embedded);
/* Objects taken over from the log. */
size_t plm_embedded_resumed(const struct plm_embedded *embedded);

#endif
