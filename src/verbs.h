/*
 * verbs.h - the verbs besides `run` that need more than the tools may know
 *
 * Owns: their list. They live here since tools are linked against no adapter that speaks to somebody; what
 * they print is made in the adapter.
 */
#ifndef PLM_VERBS_H
#define PLM_VERBS_H

#include "tools/cli.h"

/* Static; ends with one whose name is NULL. */
const struct plm_outer_verb *plm_outer_verbs(void);

plm_verb_fn plm_verb_doctor;
plm_verb_fn plm_verb_iam_print;
plm_verb_fn plm_verb_migrate_check;
plm_verb_fn plm_verb_rbac_print;

#endif
