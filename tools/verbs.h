/*
 * verbs.h - the functions that the command table calls, one file each (cmd_<verb>.c)
 *
 * Each prints its answer to call->out and returns PLM_OK (exit 0, or 1 when call->finding is set), or a
 * failure that ends the process with that code's exit code.
 */
#ifndef PLM_TOOLS_VERBS_H
#define PLM_TOOLS_VERBS_H

#include "tools/command.h"

plm_verb_fn plm_cmd_decide;
plm_verb_fn plm_cmd_sim;
plm_verb_fn plm_cmd_get;
plm_verb_fn plm_cmd_describe;
plm_verb_fn plm_cmd_why;
plm_verb_fn plm_cmd_timeline;
plm_verb_fn plm_cmd_metrics;
plm_verb_fn plm_cmd_diff;
plm_verb_fn plm_cmd_state;
plm_verb_fn plm_cmd_log_stat;
plm_verb_fn plm_cmd_log_show;
plm_verb_fn plm_cmd_log_tail;
plm_verb_fn plm_cmd_log_verify;
plm_verb_fn plm_cmd_log_export;
plm_verb_fn plm_cmd_log_import;
plm_verb_fn plm_cmd_replay;
plm_verb_fn plm_cmd_agree;
plm_verb_fn plm_cmd_help;
plm_verb_fn plm_cmd_completion;
plm_verb_fn plm_cmd_version;
plm_verb_fn plm_cmd_head;
plm_verb_fn plm_cmd_summary;
plm_verb_fn plm_cmd_pending;
plm_verb_fn plm_cmd_visibility;

#endif
