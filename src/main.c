/*
 * main.c - the one binary
 */
#include "tools/cli.h"

int main(int argc, char **argv)
{
	return plm_cli_main(argc, argv);
}
