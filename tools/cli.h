/*
 * cli.h - the command line as one function
 *
 * Owns: the program's name as the user called it (a link named kubectl-plimsoll is "kubectl plimsoll",
 * one named kubectl_complete-plimsoll answers completion), the memory of one call, --timeout, and the
 * way from a failure to a line on stderr and an exit code (CLI.md). Does not: know a verb (command.h).
 */
#ifndef PLM_TOOLS_CLI_H
#define PLM_TOOLS_CLI_H

/* Run the verb that 'argv' names; returns the process's exit code. */
int plm_cli_main(int argc, char **argv);

#endif
