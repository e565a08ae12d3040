/*
 * main.c - the one binary
 *
 * The daemon is the only verb that lies above the tools, so it is told apart here; its help is the
 * command table's like that of all verbs.
 */
#include <string.h>

#include "run.h"
#include "tools/cli.h"

static int wants_help(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "run") == 0 && wants_help(argc, argv) == 0) {
		return plm_run_main(argc - 2, argv + 2);
	}
	return plm_cli_main(argc, argv);
}
