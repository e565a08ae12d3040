/*
 * recipe.h - what a launch by a node class needs of it, as bytes that travel with the request
 *
 * Owns: the wire struct that classes.c makes of a class and of what it came to in the account, its bytes (codec's
 * canonical msgpack, so equal values have equal bytes; a version comes first), and the launch template's input for
 * one group of a request's offers. The bytes go out in CLASS_STATUS, come back in each launch request and stand frozen
 * in its intent: with the rest of the request they alone say what is sent, now and when it is repeated.
 * Does not: choose offers, call anything, know a token or which tags an instance has beyond its template's.
 *
 * Offers of one request that differ in image, pods, capacity type or reservation need templates of their own:
 * plm_ec2_recipe_same(). Versions: a field is added at the end together with PLM_EC2_RECIPE_VERSION + 1; a reader refuses
 * versions that it does not know (PLM_E_VERSION), so an old request is never sent with another meaning.
 */
#ifndef PLM_ADAPTERS_EC2_RECIPE_H
#define PLM_ADAPTERS_EC2_RECIPE_H

#include "adapters/ec2/template.h"
#include "core/event.h"

#define PLM_EC2_RECIPE_VERSION 1

/* clang-format off */

/* A capacity reservation that the class selects. */
#define PLM_EC2_RESERVATION_FIELDS(S, Y, I, E, T, R, L) S(id) I(block) I(interruptible)
PLM_W_STRUCT(ec2_reservation, PLM_EC2_RESERVATION_FIELDS)

/*
 * 'class' without what changes by itself or only selects: no UID, labels, times, stamps, terms; its family is always
 * named. 'subnets' best first: the first of a zone is the one to launch into. 'ca' is PEM in base64. 'dns_ip' "" = not
 * known. 'ipv6' 1 = the cluster's addresses are IPv6. 'placement_group' is an id, "" = none. 'default_mounts' 1 = of its
 * images, as struct plm_ec2_boot has it.
 */
#define PLM_EC2_RECIPE_FIELDS(S, Y, I, E, T, R, L)                                                 \
	R(class, node_class) L(subnets, class_subnet) T(security_groups) S(instance_profile)       \
	S(cluster) S(endpoint) S(ca) S(service_cidr) S(dns_ip) I(ipv6) S(placement_group)          \
	L(reservations, ec2_reservation) I(default_mounts)
PLM_W_STRUCT(ec2_recipe, PLM_EC2_RECIPE_FIELDS)

/* clang-format on */

/* Its bytes, in the arena. */
struct plm_slice plm_ec2_recipe_write(const struct plm_w_ec2_recipe *recipe,
				      struct plm_arena *arena);
/*
 * '*out' in the arena; texts borrow 'bytes'. PLM_E_VERSION: written by a version that this one does not know.
 * PLM_E_CORRUPT: no recipe.
 */
enum plm_code plm_ec2_recipe_read(struct plm_slice bytes, struct plm_arena *arena,
				  const struct plm_w_ec2_recipe **out,
				  struct plm_error *err) PLM_MUST_CHECK;

/* The id of the best subnet of a zone; empty: there is none. */
struct plm_slice plm_ec2_recipe_subnet(const struct plm_w_ec2_recipe *recipe,
				       struct plm_slice zone);
/* One launch template serves both offers of a request. */
bool plm_ec2_recipe_same(const struct plm_w_offer *a, const struct plm_w_offer *b);

/*
 * What plm_ec2_template() and plm_ec2_tags() are given for the offers that are as 'offer', one of the request's.
 * 'launch' borrows from all arguments and the arena. PLM_E_INPUT: the offer names an image that the request has not,
 * or a capacity reservation that the class does not select.
 */
enum plm_code plm_ec2_recipe_launch(const struct plm_w_ec2_recipe *recipe,
				    const struct plm_w_req_launch *request,
				    const struct plm_w_offer *offer, struct plm_arena *arena,
				    struct plm_ec2_launch *out,
				    struct plm_error *err) PLM_MUST_CHECK;
/* The template itself; fails as plm_ec2_recipe_launch() and plm_ec2_template(). */
enum plm_code plm_ec2_recipe_template(const struct plm_w_ec2_recipe *recipe,
				      const struct plm_w_req_launch *request,
				      const struct plm_w_offer *offer, struct plm_arena *arena,
				      struct plm_ec2_template *out,
				      struct plm_error *err) PLM_MUST_CHECK;

#endif
