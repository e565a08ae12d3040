/*
 * ec2.h - the EC2 end of the daemon: struct plm_cloud (core/cloud.h) over the EC2 API
 *
 * Owns: its parts, each a file of its own with one job and its own timers: classes.h (what node classes come to), catalog.h
 * (types, offerings, prices), instances.h (the list, in rounds), effect.h (launch, terminate, tags), queue.h
 * (interruptions), status.h (impaired instances, scheduled events). They share struct plm_ec2_context and nothing else.
 * Does not: decide. A launch asks for what the request's offers and recipe say.
 */
#ifndef PLM_ADAPTERS_EC2_EC2_H
#define PLM_ADAPTERS_EC2_EC2_H

#include "adapters/ec2/client.h"
#include "core/cloud.h"

struct plm_ec2_options {
	uv_loop_t *loop; /* borrowed, as all that follows */
	struct plm_http_client *http;
	struct plm_clock clock;
	const char *const *environment;
	const char *region;	  /* NULL = where credentials.h looks */
	const char *endpoint;	  /* NULL = AWS */
	const char *cluster_name; /* tags kubernetes.io/cluster/<name> and eks:eks-cluster-name */
	const char *cluster_endpoint;	/* of the API server, for user data; NULL = EKS says */
	const char *cluster_ca;		/* PEM in base64; NULL = EKS says */
	const char *interruption_queue; /* NULL = none */
	bool isolated_vpc;		/* no Pricing API */
	bool eks;			/* ask EKS DescribeCluster for what is not said */
	/* Settings that make the catalogue, and the built-in table for what is not observed. */
	const struct plm_w_config *config;
	const struct plm_w_catalog *builtin;
	uint64_t seed;
	void (*note)(void *self, const char *text);
	void *self;
	void (*traced)(void *self, const char *text); /* client.h; NULL = nobody reads it */
	/* Of the cluster, for images and user data; each NULL = EKS says. */
	const char *kubernetes_version; /* "1.33" */
	const char *service_cidr;	/* "10.100.0.0/16" */
	const char *dns_ip;		/* NULL and EKS is not asked: not known */
};
/* PLM_E_CONFIG: an endpoint or file that is none. */
enum plm_code plm_ec2_new(const struct plm_ec2_options *options, struct plm_cloud *out,
			  struct plm_error *err) PLM_MUST_CHECK;

#endif
