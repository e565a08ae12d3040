/*
 * files.h - a folder of a test's own and small files in it
 */
#ifndef PLM_TEST_KUBE_FILES_H
#define PLM_TEST_KUBE_FILES_H

/* Make a new, empty folder; its path is static until the next call. */
const char *files_folder(void);
/* Write 'text' to 'name' in that folder ("sub/name" makes the folder above); the path is static. */
const char *files_write(const char *name, const char *text);
/* As files_write(), as a program. */
const char *files_program(const char *name, const char *text);
/* Remove the folder and all in it. */
void files_remove(void);

#endif
