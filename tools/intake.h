/*
 * intake.h - manifests on their way into the engine
 *
 * Owns: the two looks at the input. The first finds what must be known before any fact is logged: the
 * newest time, the settings documents, whether a catalogue is needed; it keeps the encoded facts up to
 * PLM_INTAKE_KEEP_BYTES. The second hands the facts on: those kept, or, when there were more, those of
 * the files read again. Standard input that is no file becomes a temporary one for that.
 * Does not: decide, or open an engine.
 */
#ifndef PLM_TOOLS_INTAKE_H
#define PLM_TOOLS_INTAKE_H

#include "core/event.h"
#include "core/ports.h"
#include "tools/command.h"

/* Bytes of encoded facts that are kept between the two looks. */
#define PLM_INTAKE_KEEP_BYTES ((size_t)16 * 1024 * 1024)

struct plm_intake; /* opaque */

/* 'keep_bytes': PLM_INTAKE_KEEP_BYTES, or less (tests). */
enum plm_code plm_intake_open(struct plm_cli *call, size_t keep_bytes, struct plm_intake **out,
			      struct plm_error *err) PLM_MUST_CHECK;
void plm_intake_close(struct plm_intake *intake); /* NULL-safe */

/*
 * The first look: read everything, put what settings documents say into 'config' (texts: the call's
 * arena). PLM_E_UNREACHABLE: no such file; PLM_E_INPUT: FILE:LINE: object: field: reason.
 */
enum plm_code plm_intake_read(struct plm_intake *intake, struct plm_w_config *config,
			      struct plm_error *err) PLM_MUST_CHECK;
/* After the first look: the newest time in the input, PLM_UNSET when there is none. */
int64_t plm_intake_newest(const struct plm_intake *intake);
uint64_t plm_intake_objects(const struct plm_intake *intake);
/* True when there is a pool or a claim: types and prices matter. */
bool plm_intake_wants_catalog(const struct plm_intake *intake);

/* The second look: each fact, encoded; objects without a creation time get 'now_ms'. */
enum plm_code plm_intake_feed(struct plm_intake *intake, int64_t now_ms,
			      enum plm_code (*take)(void *ctx,
						    const struct plm_observation *observation,
						    struct plm_error *err),
			      void *ctx, struct plm_error *err) PLM_MUST_CHECK;

#endif
