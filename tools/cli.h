/*
 * cli.h - the command line as one function
 *
 * Owns: finding the verb and its exit code (CLI.md).
 */
#ifndef PLM_TOOLS_CLI_H
#define PLM_TOOLS_CLI_H

/* Run the verb that 'argv' names; returns the process's exit code. */
int plm_cli_main(int argc, char **argv);

#endif
