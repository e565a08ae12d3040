/*
 * main.c - the one binary
 */
#include "run.h"
#include "tools/cli.h"
#include "verbs.h"

int main(int argc, char **argv)
{
	return plm_cli_main(argc, argv, plm_run_main, plm_outer_verbs());
}
