#include "verbs.h"

static const struct plm_outer_verb verbs[] = {
	{"rbac print", plm_verb_rbac_print},
	{"iam print", plm_verb_iam_print},
	{"doctor", plm_verb_doctor},
	{"migrate check", plm_verb_migrate_check},
	{NULL, NULL},
};

const struct plm_outer_verb *plm_outer_verbs(void)
{
	return verbs;
}
