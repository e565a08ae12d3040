/*
 * catalog.h - which instance types there are, where, and at which price
 *
 * Owns: the built-in EC2 catalogue (data/ec2, compiled in) and the reader of catalogue files
 * ("kind: Catalog"). Both give the wire struct of the CATALOG event, complete by the rules of the file
 * format: a requirement for every well-known label, zone and capacity type as the union over the
 * offerings. 'requirements' of an offering holds only what it requires beyond zone, capacity type and
 * reservation id, which are members; without a reservation the reservation labels do not exist.
 * Does not: choose, or know which pool may use what.
 */
#ifndef PLM_CATALOG_CATALOG_H
#define PLM_CATALOG_CATALOG_H

#include "core/arena.h"
#include "core/object.h"

/*
 * A spot price that was never observed is this share of the on-demand price: a little above the median
 * (0.353) of the 2,551 observed prices in data/ec2.
 */
#define PLM_CATALOG_SPOT_PERMILLE 360
/* Where prices are taken from when a region has none of its own; marked as estimated. */
#define PLM_CATALOG_PRICE_REGION "us-east-1"
/* What an arena needs for the built-in catalogue of the largest region. */
#define PLM_CATALOG_ARENA_BYTES ((size_t)32 * 1024 * 1024)

/*
 * The built-in catalogue of 'region' ("us-west-2"), in 'arena'. PLM_E_NOT_FOUND: nothing is known of
 * the region, 'err' names those that are known.
 */
enum plm_code plm_catalog_builtin(const char *region, struct plm_arena *arena,
				  struct plm_w_catalog *out, struct plm_error *err) PLM_MUST_CHECK;

/* What the arena must have free to read a file of 'file_size' bytes. */
size_t plm_catalog_room(size_t file_size);

/*
 * Read a catalogue file: 'text' is its content (borrowed), 'name' is how errors call it. PLM_E_INPUT:
 * 'err' says file, instance type, field and what is wrong. PLM_E_LIMIT: less than plm_catalog_room() is
 * free in the arena. 'out' is then untouched.
 */
enum plm_code plm_catalog_read(struct plm_slice text, const char *name, struct plm_arena *arena,
			       struct plm_w_catalog *out, struct plm_error *err) PLM_MUST_CHECK;

/*
 * What a --catalog says: NULL or "builtin" is the built-in one of 'region', else a file. Codes of the two
 * above; PLM_E_NOT_FOUND, PLM_E_IO: the file cannot be opened or read.
 */
enum plm_code plm_catalog_load(const char *from, const char *region, struct plm_arena *arena,
			       struct plm_w_catalog *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
