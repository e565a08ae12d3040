/*
 * plot.h - topologies in a line per node, and what is placed in them as text
 *
 *	strict				exactly Kueue
 *	path LEVEL..			labels that the path of a node names; "block rack host" at first
 *	levels LEVEL..			of the Topology; as the path at first; "host" is kubernetes.io/hostname
 *	flavor label=KEY:VALUE tolerate=KEY[:VALUE]	the flavor "tas" and its Topology; made by itself otherwise
 *	also NAME LEVEL..		another flavor, with a Topology of its own
 *	node PATH cpu=N .. label=KEY:VALUE taint=KEY[:VALUE] down cordoned	"b1/r1/x3"; "-" = no such label
 *	pod NAME node=NAME cpu=N .. phase=Failed tas index=N label=KEY:VALUE gated on=HOST
 *	rank NAME index=LABEL groups=LABEL:N offset=N	where the gated pods of a held workload go
 *	held NAME cpu=N .. PATH:COUNT ..	an admitted workload with its places
 *	use cpu=N .. PATH:COUNT ..	as held, by plm_tas_add(); "free" takes out
 *	fits cpu=N .. PATH:COUNT ..	prints "fits" or "does not fit"
 *	ask NAME count=N cpu=N .. required=LEVEL preferred=LEVEL unconstrained implied slices=LEVEL:N
 *		group=NAME selector=KEY:VALUE affinity=KEY:VALUE tolerate=KEY[:VALUE] flavor=NAME
 *		lost=HOST before=PATH:COUNT
 *	place [empty]			all asks since the last one; prints where they go
 *
 * A node is called as the last part of its path; "pods" is 100 unless given. Places are printed as
 * "one: x1=2 x3=1; two: b1/r2=4", failures as "one: room for 3 of 4; 6 leaves, cpu 2, taint gpu 1".
 */
#ifndef PLM_TESTS_TAS_PLOT_H
#define PLM_TESTS_TAS_PLOT_H

#include "core/limits.h"
#include "plm_test.h"
#include "reducers/reducer.h"
#include "reducers/tas/place.h"
#include "reducers/tas/rank.h"

#define PLOT_ASKS_MAX 16

struct plot {
	struct plm_state st;
	struct plm_arena scratch, step, texts;
	uint64_t seq;
	struct plm_tas *tas; /* made when it is first needed; facts afterwards come too late */
	bool flavored;
	plm_sym path[PLM_LIMIT_TOPOLOGY_LEVELS];
	struct plm_slice levels[PLM_LIMIT_TOPOLOGY_LEVELS];
	uint32_t path_count, level_count;
	struct plm_tas_ask asks[PLOT_ASKS_MAX];
	struct plm_tas_set sets[PLOT_ASKS_MAX]; /* of the last placement */
	struct plm_tas_failure why;
	uint32_t ask_count;
	char text[4096];
	size_t used;
};

void plot_init(struct plot *p);
void plot_fini(struct plot *p);
/* Obey 'lines'; what was printed. */
const char *plot_run(struct plot *p, const char *lines);
/* Place what was asked for; false: 'p->why'. */
bool plot_place(struct plot *p, bool empty);

#endif
