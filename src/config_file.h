/*
 * config_file.h - the settings file: one map of keys to values, YAML or JSON
 */
#ifndef PLM_CONFIG_FILE_H
#define PLM_CONFIG_FILE_H

#include "config.h"

struct plm_config_given {
	const char *text;   /* borrowed for the call */
	const char *origin; /* arena or static */
};

/* Check and keep what a source says about 'key', unless an earlier source has said something. */
enum plm_code plm_config_set(struct plm_config *config, enum plm_config_key key,
			     const struct plm_config_given *given,
			     struct plm_error *err) PLM_MUST_CHECK;

/* Read the file that the key CONFIG names. PLM_E_CONFIG names file, line and key. */
enum plm_code plm_config_read_file(struct plm_config *config, struct plm_error *err) PLM_MUST_CHECK;

#endif
