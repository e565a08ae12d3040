#include "compare.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "tools/agree.h"

struct plm_compare {
	struct plm_agree *agree; /* owned; NULL after a failure */
	_Atomic int64_t permille[2];
};

enum plm_code plm_compare_new(struct plm_compare **out, struct plm_error *err)
{
	struct plm_compare *compare = calloc(1, sizeof(*compare));
	enum plm_code code = PLM_OK;

	if (compare == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "comparison: out of memory");
	}
	atomic_init(&compare->permille[0], PLM_UNSET);
	atomic_init(&compare->permille[1], PLM_UNSET);
	code = plm_agree_new(&compare->agree, err);
	if (code != PLM_OK) {
		free(compare);
		return code;
	}
	*out = compare;
	return PLM_OK;
}

void plm_compare_free(struct plm_compare *compare)
{
	if (compare != NULL) {
		plm_agree_free(compare->agree);
		free(compare);
	}
}

static int64_t ratio(const struct plm_agree *agree, enum plm_agree_what first,
		     enum plm_agree_what second)
{
	uint64_t same = 0;
	uint64_t all = 0;

	for (uint32_t how = 0; how < PLM_AGREE_HOWS; how++) {
		uint64_t count =
			plm_agree_count(agree, first, how) + plm_agree_count(agree, second, how);

		same += how == PLM_AGREE_SAME ? count : 0;
		all += count;
	}
	return all == 0 ? PLM_UNSET : (int64_t)(same * 1000 / all);
}

void plm_compare_take(struct plm_compare *compare, const struct plm_state *st,
		      const struct plm_event *event)
{
	const struct plm_logged logged = {
		.envelope = {.seq = event->seq,
			     .tick_ms = event->tick_ms,
			     .wall_ns = event->wall_ns,
			     .type = event->type},
		.info = plm_event_info(event->type),
		.payload = event->payload,
	};
	struct plm_agree *agree = compare->agree;

	if (agree == NULL) {
		return;
	}
	if (plm_agree_event(agree, st, &logged, NULL) != PLM_OK) {
		plm_agree_free(agree); /* there was no memory for a copy of the state */
		compare->agree = NULL;
		return;
	}
	atomic_store(&compare->permille[0],
		     ratio(agree, PLM_AGREE_ADMISSION, PLM_AGREE_PREEMPTION));
	atomic_store(&compare->permille[1], ratio(agree, PLM_AGREE_CLAIM, PLM_AGREE_REMOVAL));
}

int64_t plm_compare_permille(const struct plm_compare *compare, int area)
{
	return atomic_load(&compare->permille[area]);
}
