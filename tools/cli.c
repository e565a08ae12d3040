#include "tools/cli.h"

#include <stdio.h>

#include "core/error.h"

int plm_cli_main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "version") == 0) {
		return puts("plimsoll " PLM_VERSION) < 0 ? plm_code_exit(PLM_E_IO) : 0;
	}
	(void)fprintf(stderr, "plimsoll: usage: plimsoll version\n");
	return plm_code_exit(PLM_E_USAGE);
}
