/*
 * cloud.h - the cloud beside a real API server: which one, with which settings, and who carries what out
 *
 * Owns: the port of the cloud that --cloud names (core/cloud.h), made of flags, Karpenter's variables of the environment
 * (CLUSTER_NAME, CLUSTER_ENDPOINT, CLUSTER_CA_BUNDLE, INTERRUPTION_QUEUE, ISOLATED_VPC, EKS_CONTROL_PLANE) and the settings that
 * decide; effects sent to the one of both ends that carries them; what the API server says of node classes shown
 * to the cloud.
 * Does not: exist without a cloud (--cloud none): plm_cloud_side_new() gives NULL then.
 */
#ifndef PLM_CLOUD_SIDE_H
#define PLM_CLOUD_SIDE_H

#include "adapters/http/client.h"
#include "config.h"
#include "core/cloud.h"
#include "metrics.h"
#include "settings.h"

struct plm_cloud_side; /* opaque */

struct plm_cloud_side_options {
	const struct plm_config *config; /* borrowed, as all that follows */
	const struct plm_settings *settings;
	uv_loop_t *loop;
	struct plm_http_client *http;
};
/* '*out' NULL: there is none. PLM_E_CONFIG names the key. */
enum plm_code plm_cloud_side_new(const struct plm_cloud_side_options *options,
				 struct plm_cloud_side **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_cloud_side_free(struct plm_cloud_side *side); /* NULL-safe, as all that follow */

/* Where the cloud is; "" until it is known. */
const char *plm_cloud_side_place(const struct plm_cloud_side *side);
/* 'start' as the port's; 'kube' carries out what the cloud does not. */
void plm_cloud_side_start(struct plm_cloud_side *side, const struct plm_cloud_start *start,
			  struct plm_effects kube);
/* The inbox of the API server's end, from before 'start' on: 'inbox' with the cloud looking on. */
struct plm_inbox plm_cloud_side_inbox(struct plm_cloud_side *side, struct plm_inbox inbox);
/* After 'start': both ends. */
struct plm_effects plm_cloud_side_effects(struct plm_cloud_side *side);
void plm_cloud_side_resume(struct plm_cloud_side *side);
size_t plm_cloud_side_ready(const struct plm_cloud_side *side, struct plm_ready_check *out,
			    size_t max);
void plm_cloud_side_tell(const struct plm_cloud_side *side, struct plm_metrics *metrics);

#endif
