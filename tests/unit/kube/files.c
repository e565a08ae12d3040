#include "files.h"

#include "plm_test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char path[160];

const char *files_folder(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/plm-kube-XXXXXX");
	assert_non_null(mkdtemp(folder));
	return folder;
}

static const char *place(const char *name)
{
	char *slash = NULL;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	(void)mkdir(path, 0700);
	*slash = '/';
	return path;
}

/* By renaming, as a kubelet renews a token. */
const char *files_write(const char *name, const char *text)
{
	char fresh[200];
	FILE *file = NULL;

	(void)snprintf(fresh, sizeof(fresh), "%s.new", place(name));
	file = fopen(fresh, "w");
	PLM_ASSERT(file != NULL);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(fresh, path), 0);
	return path;
}

const char *files_program(const char *name, const char *text)
{
	(void)files_write(name, text);
	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

static int remove_one(const char *name, const struct stat *info, int type, struct FTW *ftw)
{
	(void)info;
	(void)type;
	(void)ftw;
	return remove(name);
}

void files_remove(void)
{
	assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
