/*
 * cli.h - the command line as one function
 *
 * Owns: the program's name as the user called it (a link named kubectl-plimsoll is "kubectl plimsoll",
 * one named kubectl_complete-plimsoll answers completion), the memory of one call, --timeout, and the
 * way from a failure to a line on stderr and an exit code (CLI.md). Does not: know a verb (command.h).
 */
#ifndef PLM_TOOLS_CLI_H
#define PLM_TOOLS_CLI_H

#include "tools/command.h"

/*
 * The verb `run` lies above the tools: it gets its arguments unread (settings are src/config's to read)
 * and returns the process's exit code.
 */
typedef int plm_daemon_fn(int argc, char **argv);

/*
 * Verbs that are in the command table like all others and read their arguments like them, but need a layer
 * that the tools may not know (adapters that speak to somebody): src/ brings their functions.
 */
struct plm_outer_verb {
	const char *name; /* as in the command table; NULL ends the list */
	plm_verb_fn *run;
};

/* Run the verb that 'argv' names; returns the process's exit code. */
int plm_cli_main(int argc, char **argv, plm_daemon_fn *daemon, const struct plm_outer_verb *outer);

#endif
