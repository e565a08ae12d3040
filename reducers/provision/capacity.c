#include "reducers/provision/capacity.h"

#include "reducers/provision/class_use.h"

static struct plm_ec2_settings settings_of(const struct plm_state *st)
{
	return (struct plm_ec2_settings){.vm_memory_nano = plm_root(st)->vm_memory_nano,
					 .reserved_enis = plm_root(st)->reserved_enis};
}

static plm_id find_seen(const struct plm_state *st, plm_sym type, plm_sym class_name)
{
	PLM_EACH(st, seen_memory, id)
	{
		const struct plm_seen_memory *row = plm_seen_memory_at(st, id);

		if (plm_sym_equal(row->instance_type, type) &&
		    plm_sym_equal(row->class_name, class_name)) {
			return id;
		}
	}
	return (plm_id){0};
}

static int64_t seen_memory(const struct plm_state *st, plm_sym type, plm_sym class_name)
{
	plm_id id = find_seen(st, type, class_name);

	return id.n == 0 ? 0 : plm_seen_memory_at(st, id)->bytes;
}

bool plm_capacity_under(const struct plm_state *st, plm_id type, plm_id class_id,
			struct plm_ec2_amounts *out)
{
	const struct plm_instance_type *row = plm_instance_type_at(st, type);
	const struct plm_node_class *class = plm_node_class_at(st, class_id);
	const struct plm_ec2_settings settings = settings_of(st);
	int64_t seen = 0;

	if (row->facts.vcpu == 0) {
		return false;
	}
	if (plm_seen_memory_live(st) > 0 && class_id.n != 0) {
		seen = seen_memory(st, row->name, class->object.name);
	}
	if (seen == 0 && plm_ec2_is_plain(&class->capacity, &settings)) {
		return false;
	}
	plm_ec2_amounts(&row->facts, &class->capacity, &settings, seen, out);
	return true;
}

/* ---- spans --------------------------------------------------------------------------------------- */

/* 'amount' of 'resource' in the list, which is sorted by name; one that is new and 0 is left out. */
static void put(const struct plm_state *st, struct plm_amount *list, uint32_t *count,
		plm_sym resource, int64_t amount)
{
	uint32_t at = 0;

	while (at < *count && plm_sym_compare(st, list[at].resource, resource) < 0) {
		at++;
	}
	if (at == *count || !plm_sym_equal(list[at].resource, resource)) {
		if (amount == 0) {
			return;
		}
		memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
		list[at] = (struct plm_amount){.resource = resource};
		(*count)++;
	}
	list[at].amount = amount;
}

plm_sym plm_capacity_span(const struct plm_fold *fold, plm_id type, plm_id class_id,
			  bool allocatable)
{
	const struct plm_instance_type *row = plm_instance_type_at(fold->st, type);
	plm_sym span = allocatable ? row->allocatable : row->capacity;
	struct plm_ec2_amounts amounts;
	struct plm_amount *list = NULL;
	uint32_t count = 0;
	const struct plm_amount *base = PLM_SPAN(fold->st, span, struct plm_amount, &count);
	size_t mark = plm_arena_mark(fold->scratch);

	if (!plm_capacity_under(fold->st, type, class_id, &amounts)) {
		return span;
	}
	list = PLM_NEW_ARRAY(fold->scratch, count + PLM_EC2_RESOURCE_COUNT, struct plm_amount);
	memcpy(list, base, count * sizeof(*list));
	for (uint32_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
		put(fold->st, list, &count,
		    plm_intern(fold->st, plm_slice_str(plm_ec2_resources[r])),
		    allocatable ? amounts.allocatable[r] : amounts.capacity[r]);
	}
	span = plm_intern_span(fold->st, list, count, sizeof(*list));
	plm_arena_rewind(fold->scratch, mark);
	return span;
}

/* ---- seen memory --------------------------------------------------------------------------------- */

static int64_t memory_of(const struct plm_state *st, plm_sym amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_slice_is(plm_str(st, list[i].resource), "memory")) {
			return list[i].amount;
		}
	}
	return 0;
}

bool plm_capacity_price(const struct plm_state *st, plm_id type, struct plm_bought_at at,
			int64_t *out)
{
	uint32_t count = 0;
	const struct plm_offering *list = PLM_SPAN(st, plm_instance_type_at(st, type)->offerings,
						   struct plm_offering, &count);

	for (uint32_t i = 0; type.n != 0 && i < count; i++) {
		if (plm_sym_equal(list[i].zone, at.zone) &&
		    plm_sym_equal(list[i].capacity_type, at.capacity_type) &&
		    plm_sym_equal(list[i].reservation, at.reservation)) {
			*out = list[i].price_micro;
			return true;
		}
	}
	return false;
}

void plm_capacity_see(struct plm_state *st, plm_id node)
{
	const struct plm_node *slot = plm_node_at(st, node);
	const struct plm_node_claim *claim = plm_node_claim_at(st, slot->claim);
	plm_id type = {0};
	int64_t bytes = memory_of(st, slot->capacity);
	plm_id seen = {0};

	if (node.n == 0 || slot->claim.n == 0 || bytes <= 0 || claim->class_name.n == 0) {
		return;
	}
	type = plm_index_find(st, PLM_KEY_INSTANCE_TYPE, claim->instance_type.n, 0);
	if (type.n == 0 || plm_instance_type_at(st, type)->facts.vcpu == 0) {
		return;
	}
	seen = find_seen(st, claim->instance_type, claim->class_name);
	if (seen.n == 0) {
		plm_sym names[2] = {claim->instance_type, claim->class_name};

		/* As estimated: nothing was learnt. */
		if (bytes == memory_of(st, claim->capacity)) {
			return;
		}
		seen = plm_slot_new(st, PLM_TABLE_SEEN_MEMORY);
		plm_seen_memory_edit(st, seen)->instance_type = names[0];
		plm_seen_memory_edit(st, seen)->class_name = names[1];
		plm_seen_memory_edit(st, seen)->bytes = bytes;
		return;
	}
	if (bytes < plm_seen_memory_at(st, seen)->bytes) {
		plm_seen_memory_edit(st, seen)->bytes = bytes;
	}
}

/* ---- in a pass ----------------------------------------------------------------------------------- */

struct columns {
	uint32_t at[PLM_EC2_RESOURCE_COUNT]; /* in a vector; res.count = nobody asks for it */
};

static struct columns columns_of(const struct plm_pass *pass)
{
	struct columns columns;

	for (uint32_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
		plm_sym name = plm_sym_find(pass->st, plm_slice_str(plm_ec2_resources[r]));

		columns.at[r] = name.n == 0 ? pass->res.count : plm_res_find(&pass->res, name);
	}
	return columns;
}

static bool changes_any(const struct plm_pass *pass, plm_id class_id)
{
	struct plm_ec2_amounts amounts;

	PLM_EACH(pass->st, instance_type, type)
	{
		if (plm_capacity_under(pass->st, type, class_id, &amounts)) {
			return true;
		}
	}
	return false;
}

static bool sound(const struct plm_pass *pass, plm_id type, const struct plm_ec2_amounts *amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list =
		PLM_SPAN(pass->st, plm_instance_type_at(pass->st, type)->allocatable,
			 struct plm_amount, &count);

	for (uint32_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
		if (amounts->allocatable[r] < 0) {
			return false;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		bool of_class = false;

		for (uint32_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
			of_class = of_class || plm_slice_is(plm_str(pass->st, list[i].resource),
							    plm_ec2_resources[r]);
		}
		if (!of_class && list[i].amount < 0) {
			return false;
		}
	}
	return true;
}

static void change_type(struct plm_pass *pass, const struct columns *columns, uint32_t t,
			plm_id type, struct plm_capacity *out)
{
	struct plm_ec2_amounts amounts;
	size_t row = (size_t)t * pass->res.count;

	if (!plm_capacity_under(pass->st, type, out->class_id, &amounts)) {
		return;
	}
	for (uint32_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
		if (columns->at[r] < pass->res.count) {
			out->capacity[row + columns->at[r]] = amounts.capacity[r];
			out->allocatable[row + columns->at[r]] = amounts.allocatable[r];
		}
	}
	out->sound[t / 64] &= ~((uint64_t)1 << (t % 64));
	if (sound(pass, type, &amounts)) {
		PLM_BIT_SET(out->sound, t);
	}
}

static void change(struct plm_pass *pass, struct plm_capacity *out)
{
	const struct plm_types *types = &pass->types;
	size_t cells = (size_t)types->count * pass->res.count;
	const struct columns columns = columns_of(pass);
	uint32_t t = 0;

	out->capacity = PLM_NEW_ARRAY(pass->arena, cells, int64_t);
	out->allocatable = PLM_NEW_ARRAY(pass->arena, cells, int64_t);
	out->sound = PLM_NEW_ARRAY(pass->arena, types->words, uint64_t);
	if (cells > 0) {
		memcpy(out->capacity, types->own.capacity, cells * sizeof(int64_t));
		memcpy(out->allocatable, types->own.allocatable, cells * sizeof(int64_t));
		memcpy(out->sound, types->own.sound, types->words * sizeof(uint64_t));
	}
	PLM_EACH(pass->st, instance_type, type)
	{
		change_type(pass, &columns, t++, type, out);
	}
}

const struct plm_capacity *plm_pass_capacity(struct plm_pass *pass, plm_id class_id)
{
	struct plm_capacity *made = NULL;

	for (made = pass->capacities; made != NULL; made = made->next) {
		if (made->class_id.n == class_id.n) {
			return made;
		}
	}
	made = PLM_NEW(pass->arena, struct plm_capacity);
	*made = pass->types.own;
	made->class_id = class_id;
	if (changes_any(pass, class_id)) {
		change(pass, made);
	}
	made->images = plm_class_images(pass, class_id);
	made->next = pass->capacities;
	pass->capacities = made;
	return made;
}
