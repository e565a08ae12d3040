/*
 * round.h - one decision over manifests: the engine on a log in memory
 *
 * Owns: reading the manifests of a call (-f, --with), the time of the decision, the settings, the
 * catalogue, and driving the engine as --cycles says: facts first, in one go, then cycles; "settled" in
 * turns with an instant world (settle.h). `decide`, `why -f`, `get -f` and the other verbs read the log
 * and the state that come out of it.
 */
#ifndef PLM_TOOLS_ROUND_H
#define PLM_TOOLS_ROUND_H

#include "core/state.h"
#include "store/log.h"
#include "tools/command.h"

#define PLM_ROUND_MAX_ROUNDS 1000

struct plm_round; /* opaque */

/*
 * Read, decide, and keep everything for reading. PLM_E_INPUT: an unparsable document, nothing was
 * decided. PLM_E_UNREACHABLE: no such file. PLM_E_INCOMPLETE: no catalogue. PLM_E_REFUSED: the folder of
 * -L is not empty.
 */
enum plm_code plm_round_open(struct plm_cli *call, struct plm_round **out,
			     struct plm_error *err) PLM_MUST_CHECK;
void plm_round_close(struct plm_round *round); /* NULL-safe */

struct plm_log *plm_round_log(struct plm_round *round);
const struct plm_state *plm_round_state(const struct plm_round *round);
int64_t plm_round_now_ms(const struct plm_round *round);
/* Objects in the input. */
uint64_t plm_round_objects(const struct plm_round *round);
/* The last event before the first decision: the facts. */
uint64_t plm_round_facts_end(const struct plm_round *round);
/* False: the bound on rounds was reached while decisions still changed. */
bool plm_round_settled(const struct plm_round *round);
/* Of --cycles N the number; of stable and settled the CYCLEs that it took. */
int64_t plm_round_cycles(const struct plm_round *round);
/* Did pod "ns/name" of the input have a node already? */
bool plm_round_was_bound(const struct plm_round *round, struct plm_slice pod);
/* "cycles", "stable", "settled": what --cycles said. */
const char *plm_round_mode(const struct plm_round *round);
/* --cycles settled, the default. */
bool plm_round_is_settling(const struct plm_round *round);

#endif
