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
#include "end.h"

/*
 * Read the catalogue, manifests and scenario that 'config' names. PLM_E_INPUT and the like: what they say.
 * 'out->free' gives everything back.
 */
enum plm_code plm_embedded_end(const struct plm_config *config, struct plm_end *out,
			       struct plm_error *err) PLM_MUST_CHECK;

#endif
