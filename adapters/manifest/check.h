/*
 * check.h - what the API server would refuse
 *
 * Owns: the rules of Kueue's and Karpenter's schemas and webhooks that go beyond the shape of a field
 * (kueue.md 1, column "validation"; karpenter.md 1.1). Objects from a cluster have passed them; in files a broken rule is a failure that
 * names file, object and field. Does not: rules between objects, which make a queue inactive, nor those
 * on updates, which only an API server can see.
 */
#ifndef PLM_ADAPTERS_MANIFEST_CHECK_H
#define PLM_ADAPTERS_MANIFEST_CHECK_H

#include "adapters/manifest/project.h"

/* "example.com/name", "name": a label key or the name of a resource. */
bool plm_check_is_qualified(struct plm_slice text);
bool plm_check_is_label_value(struct plm_slice text);
/* A failure when the list 'key' of 'map' has fewer than 'low' or more than 'high' items. */
void plm_check_count(struct plm_project *p, struct plm_doc *map, const char *key, size_t low,
		     size_t high);
/* A failure when 'key' of 'map' is there and no DNS subdomain. */
void plm_check_name(struct plm_project *p, struct plm_doc *map, const char *key);
/* A failure when "weight" of 'fair' is above 0, but not above 10^-9. */
void plm_check_weight(struct plm_project *p, struct plm_doc *fair, int64_t weight_nano);

void plm_check_flavor(struct plm_project *p, struct plm_doc *spec,
		      const struct plm_w_flavor *flavor);
void plm_check_cohort(struct plm_project *p, struct plm_doc *spec,
		      const struct plm_w_cohort *cohort);
/* A ClusterQueue as upstream writes it. */
void plm_check_cluster_queue(struct plm_project *p, struct plm_doc *spec,
			     const struct plm_w_cluster_queue *queue);
/* The spec and the status of a Workload. */
void plm_check_workload(struct plm_project *p, struct plm_doc *root,
			const struct plm_w_workload *w);

/* ---- Karpenter's (check_pool.c) ---- */
void plm_check_node_pool(struct plm_project *p, struct plm_doc *spec,
			 const struct plm_w_node_pool *pool);
void plm_check_node_claim(struct plm_project *p, struct plm_doc *spec,
			  const struct plm_w_node_claim *claim);
/* Operators of 'requirements' that need a whole number have one. */
void plm_check_bounds(struct plm_project *p, struct plm_doc *spec, struct plm_vec requirements);
/* Why Karpenter takes such a pool in and never uses it; empty = it does. */
struct plm_slice plm_check_pool_use(struct plm_project *p, const struct plm_w_node_pool *pool);

#endif
