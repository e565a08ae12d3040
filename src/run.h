/*
 * run.h - the daemon
 */
#ifndef PLM_RUN_H
#define PLM_RUN_H

/*
 * `plimsoll run`: 'argv' without the program and the verb. Returns the process's exit code (CLI.md):
 * 0 after SIGTERM, 78 for a wrong setting, 8 when another process holds the log, 5 when it is damaged,
 * 75 when the world failed and a restart may help.
 */
int plm_run_main(int argc, char **argv);

#endif
