#include "core/marks.h"

#include "core/state.h"
#include "core/written.h"

#include <stdlib.h>

enum {
	NOTED_WORKLOADS,
	NOTED_JOBS
};

void plm_marks_fini(struct plm_marks *marks)
{
	free(marks->words);
	free(marks->noted[NOTED_WORKLOADS]);
	free(marks->noted[NOTED_JOBS]);
	*marks = (struct plm_marks){0};
}

/* ---- what a slot is marked with ------------------------------------------------------------------ */

static bool holding(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
}

/* A check has answered, and not that it is ready. */
static bool refused(const struct plm_state *st, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_check_status *check =
		PLM_SPAN(st, workload->checks, struct plm_check_status, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (check[i].state == PLM_CHECK_RETRY || check[i].state == PLM_CHECK_REJECTED) {
			return true;
		}
	}
	return false;
}

static bool backs_off(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_PENDING &&
	       (workload->requeued < 0 || workload->requeue_at_ms != PLM_UNSET ||
		refused(st, workload));
}

static bool loose(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->job.n != 0 && workload->stage != PLM_STAGE_ADMITTED &&
	       plm_job_at(st, workload->job)->suspended == 0;
}

/* Its job has none and is to have one. PodSets, and jobs whose Workload another makes, are not to. */
static bool unmade(const struct plm_state *st, const struct plm_workload *workload)
{
	const struct plm_job *job = workload->job.n == 0 ? NULL : plm_job_at(st, workload->job);

	return job != NULL && workload->making == PLM_MAKING_NOT && job->managed == 1 &&
	       job->prebuilt == 0 && job->end == PLM_JOB_OPEN &&
	       job->object.kind != PLM_KIND_POD_SET && job->object.deleting_ms == PLM_UNSET;
}

static uint32_t writing_marks(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_written now = {0};

	if (workload->object.seq == 0) {
		return (uint32_t)unmade(st, workload) << PLM_MARK_UNMADE;
	}
	if (workload->writing == 1) {
		return 0;
	}
	now = plm_written_of(st, id);
	return (uint32_t)plm_written_owes(workload, now) << PLM_MARK_UNWRITTEN |
	       (uint32_t)(now.waits != 0 && now.waits != workload->said_print) << PLM_MARK_UNSAID;
}

/* All marks but OUTSIDE and STICKY. */
static uint32_t marks_of(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	uint32_t marks = PLM_MARKED(PLM_MARK_LIVE);

	if (workload->object.used == 0) {
		return 0;
	}
	marks |= (uint32_t)(workload->stage != PLM_STAGE_PENDING) << PLM_MARK_BEGUN;
	marks |= (uint32_t)holding(workload) << PLM_MARK_HOLDING;
	marks |= (uint32_t)(workload->stage == PLM_STAGE_RESERVED) << PLM_MARK_RESERVED;
	marks |= (uint32_t)backs_off(st, workload) << PLM_MARK_BACKOFF;
	marks |= (uint32_t)loose(st, workload) << PLM_MARK_LOOSE;
	marks |= (uint32_t)(workload->places.n != 0) << PLM_MARK_PLACES;
	marks |= (uint32_t)(workload->tried.n != 0 || workload->polite != 0) << PLM_MARK_TRIED;
	marks |= (uint32_t)(workload->by.n != 0) << PLM_MARK_PREEMPTED;
	marks |= (uint32_t)(workload->stage == PLM_STAGE_PENDING && workload->active == 0 &&
			    workload->evicted_cause != PLM_REASON_NONE)
		 << PLM_MARK_INACTIVE;
	return marks | writing_marks(st, id);
}

/* ---- bits -------------------------------------------------------------------------------------- */

static uint64_t *group_edit(struct plm_state *st, uint32_t slot)
{
	struct plm_marks *marks = &st->marks;
	uint32_t group = slot / 64;

	if (group >= marks->count) {
		uint32_t count = marks->count == 0 ? 16 : 2 * marks->count;
		size_t row = PLM_MARK_COUNT * sizeof(uint64_t);
		uint64_t *words = NULL;

		count = count > group ? count : group + 1;
		words = realloc(marks->words, count * row);
		PLM_ASSERT(words != NULL);
		memset((uint8_t *)words + marks->count * row, 0, (count - marks->count) * row);
		marks->words = words;
		marks->count = count;
	}
	return marks->words + (size_t)group * PLM_MARK_COUNT;
}

static void put(uint64_t *group, uint32_t slot, uint32_t mark, bool on)
{
	uint64_t bit = UINT64_C(1) << (slot % 64);

	group[mark] = on ? group[mark] | bit : group[mark] & ~bit;
}

void plm_marks_put(struct plm_state *st, plm_id workload, enum plm_mark mark, bool on)
{
	PLM_ASSERT(workload.n != 0 && mark < PLM_MARK_COUNT);
	put(group_edit(st, workload.n), workload.n, mark, on);
}

bool plm_marks_has(const struct plm_state *st, plm_id workload, enum plm_mark mark)
{
	uint32_t group = workload.n / 64;

	return group < st->marks.count &&
	       (st->marks.words[(size_t)group * PLM_MARK_COUNT + mark] >> (workload.n % 64) & 1) !=
		       0;
}

static bool by_slot(uint32_t mark)
{
	return mark != PLM_MARK_OUTSIDE && mark != PLM_MARK_STICKY;
}

static void mark(struct plm_state *st, plm_id id)
{
	uint64_t *group = group_edit(st, id.n);
	uint32_t marks = marks_of(st, id);

	for (uint32_t m = 0; m < PLM_MARK_COUNT; m++) {
		if (by_slot(m)) {
			put(group, id.n, m, (marks & PLM_MARKED(m)) != 0);
		}
	}
}

void plm_marks_rebuild(struct plm_state *st)
{
	plm_marks_fini(&st->marks);
	PLM_EACH(st, workload, id)
	{
		mark(st, id);
	}
	PLM_EACH(st, cluster_queue, queue)
	{
		if (plm_cluster_queue_at(st, queue)->sticky.n != 0) {
			plm_marks_put(st, plm_cluster_queue_at(st, queue)->sticky, PLM_MARK_STICKY,
				      true);
		}
	}
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void note(struct plm_marks *marks, int list, uint32_t n)
{
	uint32_t count = marks->noted_count[list];

	if (count > 0 && marks->noted[list][count - 1] == n) {
		return;
	}
	if (count == marks->noted_capacity[list]) {
		uint32_t capacity = count == 0 ? 64 : 2 * count;
		uint32_t *grown = realloc(marks->noted[list], capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		marks->noted[list] = grown;
		marks->noted_capacity[list] = capacity;
	}
	marks->noted[list][marks->noted_count[list]++] = n;
}

void plm_marks_note_workload(struct plm_state *st, plm_id id)
{
	note(&st->marks, NOTED_WORKLOADS, id.n);
}

/* The job's workload of now, and that of afterwards, may look different. */
void plm_marks_note_job(struct plm_state *st, plm_id id)
{
	uint32_t workload = plm_job_at(st, id)->workload_id.n;

	note(&st->marks, NOTED_JOBS, id.n);
	if (workload != 0) {
		note(&st->marks, NOTED_WORKLOADS, workload);
	}
}

void plm_marks_settle(struct plm_state *st)
{
	struct plm_marks *marks = &st->marks;

	for (uint32_t i = 0; i < marks->noted_count[NOTED_JOBS]; i++) {
		plm_id workload =
			plm_job_at(st, (plm_id){marks->noted[NOTED_JOBS][i]})->workload_id;

		if (workload.n != 0) {
			mark(st, workload);
		}
	}
	for (uint32_t i = 0; i < marks->noted_count[NOTED_WORKLOADS]; i++) {
		mark(st, (plm_id){marks->noted[NOTED_WORKLOADS][i]});
	}
	marks->noted_count[NOTED_JOBS] = 0;
	marks->noted_count[NOTED_WORKLOADS] = 0;
}

/* ---- reading ----------------------------------------------------------------------------------- */

plm_id plm_marks_next(const struct plm_state *st, plm_id id, uint32_t marks)
{
	uint32_t from = id.n + 1;
	uint64_t above = ~UINT64_C(0) << (from % 64);

	PLM_ASSERT(id.n != 0 || st->marks.noted_count[NOTED_JOBS] == 0);
	PLM_ASSERT(id.n != 0 || st->marks.noted_count[NOTED_WORKLOADS] == 0);
	for (uint32_t g = from / 64; g < st->marks.count; g++, above = ~UINT64_C(0)) {
		const uint64_t *group = st->marks.words + (size_t)g * PLM_MARK_COUNT;
		uint64_t found = 0;

		for (uint32_t m = 0; m < PLM_MARK_COUNT; m++) {
			found |= (marks & PLM_MARKED(m)) != 0 ? group[m] : 0;
		}
		found &= above;
		if (found != 0) {
			return (plm_id){g * 64 + (uint32_t)__builtin_ctzll(found)};
		}
	}
	return (plm_id){0};
}

void plm_marks_check(const struct plm_state *st)
{
	if (st->marks.noted_count[NOTED_JOBS] + st->marks.noted_count[NOTED_WORKLOADS] > 0) {
		return; /* in the middle of an event */
	}
	for (uint32_t n = 1; n < st->marks.count * 64; n++) {
		const uint64_t *group = st->marks.words + (size_t)(n / 64) * PLM_MARK_COUNT;
		uint32_t want = n < plm_workload_bound(st) ? marks_of(st, (plm_id){n}) : 0;

		for (uint32_t m = 0; m < PLM_MARK_COUNT; m++) {
			bool have = (group[m] >> (n % 64) & 1) != 0;

			PLM_ASSERT(!by_slot(m) || have == ((want & PLM_MARKED(m)) != 0));
		}
		PLM_ASSERT(!st->queues.filled ||
			   (group[PLM_MARK_OUTSIDE] >> (n % 64) & 1) ==
				   (plm_queue_index_link(st, (plm_id){n})->standing ==
				    PLM_STANDS_OUTSIDE));
	}
	PLM_EACH(st, cluster_queue, queue)
	{
		plm_id sticky = plm_cluster_queue_at(st, queue)->sticky;

		PLM_ASSERT(sticky.n == 0 || plm_marks_has(st, sticky, PLM_MARK_STICKY));
	}
	for (uint32_t n = st->marks.count * 64; n < plm_workload_bound(st); n++) {
		PLM_ASSERT(n == 0 || marks_of(st, (plm_id){n}) == 0);
	}
}
