/*
 * main.c - the one binary
 */
#include "run.h"
#include "tools/cli.h"

int main(int argc, char **argv)
{
	return plm_cli_main(argc, argv, plm_run_main);
}
