/*
 * settings.h - what Kueue and Karpenter are told, read for a real cluster
 *
 * Owns: the settings that decide and the catalogue. In order, the later wins: defaults; Kueue's
 * Configuration and the ConfigMap karpenter-settings in the files of --filename; Karpenter's variables of
 * the environment (BATCH_IDLE_DURATION, ...); our own flags. An object in those files that is no settings
 * document is refused: what a real cluster holds comes from its API server.
 */
#ifndef PLM_SETTINGS_H
#define PLM_SETTINGS_H

#include "config.h"
#include "core/event.h"

/* Of all runs: which settings there must be, and which contradict each other. PLM_E_CONFIG names the key. */
enum plm_code plm_settings_check(const struct plm_config *config,
				 struct plm_error *err) PLM_MUST_CHECK;

struct plm_settings {
	struct plm_arena arena; /* owned: holds the rest */
	struct plm_w_config config;
	struct plm_w_catalog catalog;
	/* Of calls to the API server (clientConnection): qps in thousandths, burst; 0 = no bound. */
	int64_t rate_milli, burst;
};

/* PLM_E_CONFIG names the key, and of a document its file, object and field. */
enum plm_code plm_settings_read(const struct plm_config *config, struct plm_settings *out,
				struct plm_error *err) PLM_MUST_CHECK;
/*
 * The cloud is at 'place': its region, and the built-in catalogue of there. A region that the built-in table does not know
 * begins with an empty one; what the cloud says fills it.
 */
enum plm_code plm_settings_move(struct plm_settings *settings, const struct plm_config *config,
				const char *place, struct plm_error *err) PLM_MUST_CHECK;
void plm_settings_fini(struct plm_settings *settings); /* also of a zeroed one */

#endif
