#include "reducers/lift.h"

const char *plm_lift_action_text(enum plm_lift_action action)
{
	switch (action) {
#define PLM_LIFT_CASE(name, text, words)                                                           \
	case PLM_LIFT_##name:                                                                      \
		return text;
		PLM_LIFT_LIST(PLM_LIFT_CASE)
#undef PLM_LIFT_CASE
	case PLM_LIFT_COUNT:
		break;
	}
	PLM_UNREACHABLE();
}

struct plm_lift *plm_lifts_put(struct plm_lifts *lifts, enum plm_lift_action action,
			       enum plm_kind kind, struct plm_slice name)
{
	struct plm_lift *lift = NULL;

	PLM_ASSERT(action > PLM_LIFT_NONE && action < PLM_LIFT_COUNT);
	if (lifts->count == PLM_LIFTS_MAX) {
		lifts->full = true;
		return NULL;
	}
	lift = &lifts->list[lifts->count++];
	*lift = (struct plm_lift){
		.action = action,
		.option = lifts->options,
		.kind = kind,
		.name = name,
		.amount = PLM_UNSET,
	};
	return lift;
}

void plm_lifts_next(struct plm_lifts *lifts)
{
	if (lifts->count > 0 && lifts->list[lifts->count - 1].option == lifts->options) {
		lifts->options++;
	}
}
