/*
 * cluster.h - a real cluster behind the daemon: its API server, watched and written to
 *
 * Owns: the HTTP client, the Kubernetes client and end (adapters/kube), the settings that decide (Kueue's
 * Configuration and Karpenter's settings in the files of --filename, Karpenter's variables of the
 * environment, our own flags: the later wins), the catalogue, and waiting for the API server at a start.
 * Does not: threads, or know what is decided.
 */
#ifndef PLM_CLUSTER_H
#define PLM_CLUSTER_H

#include "config.h"
#include "end.h"
#include "gate.h"
#include "loop.h"

/*
 * PLM_E_CONFIG, PLM_E_INPUT: a setting, a settings document or the kubeconfig is not what it should be.
 * 'config', 'loop' and 'gate' are borrowed for the end's life; areas of a living peer are taken out of 'gate'.
 */
enum plm_code plm_cluster_end(const struct plm_config *config, struct plm_loop *loop,
			      struct plm_gate *gate, struct plm_end *out,
			      struct plm_error *err) PLM_MUST_CHECK;

#endif
