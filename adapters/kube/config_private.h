/*
 * config_private.h - the inside of reading kubeconfig files: what config.c and plugin.c share
 *
 * Errors stay in the tree of the file (adapters/manifest/doc.h) until config.c looks.
 */
#ifndef PLM_ADAPTERS_KUBE_CONFIG_PRIVATE_H
#define PLM_ADAPTERS_KUBE_CONFIG_PRIVATE_H

#include "adapters/kube/config.h"
#include "adapters/manifest/build.h"

struct plm_kube_source {
	struct plm_doc_tree tree;
	const char *folder; /* relative paths begin there; "" = where we are */
};

/* A text field, zero-terminated in the arena, "" when absent. */
const char *plm_kube_field(struct plm_kube_source *from, struct plm_doc *map, const char *key);
/* 'path' as seen from the file's folder. */
const char *plm_kube_path(struct plm_kube_source *from, const char *path);

/* 'user'.exec; out->command stays NULL when there is none. */
void plm_kube_plugin_read(struct plm_kube_source *from, struct plm_doc *user,
			  struct plm_kube_plugin *out);
/* JSON of what the plugin is told of the cluster, in the arena. 'cluster' is its entry, or NULL. */
const char *plm_kube_plugin_told(struct plm_kube_login *login, struct plm_doc *cluster);

#endif
