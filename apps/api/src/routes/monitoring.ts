import {
  DeckhandError,
  FleetResponse,
  RunStats,
  RunStatsQuery,
  toDate,
  validationFailed,
  type WorkerEntry,
  WorkflowActivity,
  WorkflowActivityQuery,
  WorkflowTimes,
} from '@deckhand/contracts';
import {
  isAdministrator,
  readOldestWaitingSeconds,
  readRunStats,
  readWorkflowActivity,
  readWorkflowTimes,
  type StatsPeriod,
} from '@deckhand/db';
import type { FleetEntry } from '@deckhand/queue';
import { setAge, wantsFresh } from '../http/freshness.ts';
import { queryReader } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { MonitoringContext } from '../contexts.ts';

/** GET /api/monitoring/fleet */
export function getFleet({ db, fleet, queue }: MonitoringContext): Route {
  return forKey(
    'GET',
    '/api/monitoring/fleet',
    'monitoring:read',
    {
      summary: 'Get the state of the workers and the queue',
      description: 'Administrators of the instance also see each worker and the queue.',
      returns: 'The numbers of live and consuming workers; for administrators also the workers and the queue',
      responses: { 200: FleetResponse },
    },
    async (_request, response, caller) => {
      const workers = fleet.counts();
      if (caller.boundTo !== null || !(await isAdministrator(db, caller))) {
        sendJson(response, 200, { workers } satisfies FleetResponse);
        return;
      }
      const [counts, oldest] = await Promise.all([
        queue.counts().catch((cause: unknown) => {
          throw new DeckhandError('SERVICE_UNAVAILABLE', { message: 'The queue cannot be read now', cause });
        }),
        readOldestWaitingSeconds(db),
      ]);
      const live = fleet.workers().filter(({ isLive }) => isLive);
      const answer: FleetResponse = {
        workers,
        data: live.map(toEntry),
        queue: { ...counts, oldestWaitingSeconds: oldest },
      };
      sendJson(response, 200, answer);
    },
  );
}

function toEntry(worker: FleetEntry): WorkerEntry {
  const { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt } = worker;
  return { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A workspace and a period. */
interface Period {
  readonly workspaceId: string;
  readonly from: Date;
  readonly to: Date;
}

/**
 * Returns the requested period, by default the last day. @throws DeckhandError VALIDATION_FAILED for one that is empty
 * or too long.
 */
export function readPeriod({ workspaceId, from, to }: RunStatsQuery, daysMax: number): Period {
  const end = to === undefined ? new Date() : toDate(to);
  const start = from === undefined ? new Date(end.getTime() - DAY_MS) : toDate(from);
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs <= 0) throw validationFailed([{ path: 'from', message: 'must be before to' }]);
  if (lengthMs > daysMax * DAY_MS) {
    throw validationFailed([{ path: 'from', message: `must be at most ${daysMax} days before to` }]);
  }
  return { workspaceId: workspaceId.toLowerCase(), from: start, to: end };
}

const readQuery = queryReader(RunStatsQuery);

const MAX_STATS_DAYS = 366;

/** Readable lengths of parts; the shortest that results in no more than this many parts is used. */
const BUCKET_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];
const MAX_BUCKETS = 100;

/** GET /api/monitoring/stats */
export function getRunStats({ db, runReads }: MonitoringContext): Route {
  return forKey(
    'GET',
    '/api/monitoring/stats',
    'monitoring:read',
    {
      summary: 'Get statistics of the runs of a workspace',
      description:
        'Counts per status, queue times and durations, for the whole period and for parts of equal length. Test and debug runs are left out.',
      returns: 'Counts per status and times, in buckets of the period',
      query: RunStatsQuery,
      readsReplica: true,
      responses: { 200: RunStats },
    },
    async (request, response, caller) => {
      const period = periodOf(readQuery(request));
      const options = { isFresh: wantsFresh(request) };
      const { value, ageMs } = await runReads.read((source) => readRunStats(db, caller, period, source), options);
      setAge(response, ageMs);
      sendJson(response, 200, value);
    },
  );
}

function periodOf(query: RunStatsQuery): StatsPeriod {
  const period = readPeriod(query, MAX_STATS_DAYS);
  const lengthMs = period.to.getTime() - period.from.getTime();
  const bucketSeconds = BUCKET_SECONDS.find((seconds) => lengthMs / (seconds * 1_000) <= MAX_BUCKETS) ?? 604_800;
  return { ...period, bucketSeconds };
}

const MAX_WORKFLOW_DAYS = 31;

/** GET /api/monitoring/workflows */
export function listSlowWorkflows({ db, runReads }: MonitoringContext): Route {
  return forKey(
    'GET',
    '/api/monitoring/workflows',
    'monitoring:read',
    {
      summary: 'List the slowest workflows of a workspace',
      description: 'Lists workflows by p95 of their durations, with the numbers of runs and failures.',
      returns: 'The slowest workflows of the period, with their times',
      query: RunStatsQuery,
      readsReplica: true,
      responses: { 200: WorkflowTimes },
    },
    async (request, response, caller) => {
      const period = readPeriod(readQuery(request), MAX_WORKFLOW_DAYS);
      const options = { isFresh: wantsFresh(request) };
      const { value, ageMs } = await runReads.read((source) => readWorkflowTimes(db, caller, period, source), options);
      setAge(response, ageMs);
      sendJson(response, 200, value);
    },
  );
}

const readActivityQuery = queryReader(WorkflowActivityQuery);

/** GET /api/monitoring/activity */
export function getWorkflowActivity({ db, runReads }: MonitoringContext): Route {
  return forKey(
    'GET',
    '/api/monitoring/activity',
    'monitoring:read',
    {
      summary: 'Get the activity of workflows',
      description:
        'Returns the last run, the number of failed runs of the last 24 hours, and the kinds of triggers of up to 100 workflows.',
      returns: 'The activity of those of the workflows that are in the workspace',
      query: WorkflowActivityQuery,
      readsReplica: true,
      responses: { 200: WorkflowActivity },
    },
    async (request, response, caller) => {
      const { workspaceId, workflowId } = readActivityQuery(request);
      const asked = { workspaceId: workspaceId.toLowerCase(), workflowIds: workflowId };
      const options = { isFresh: wantsFresh(request) };
      const { value, ageMs } = await runReads.read(
        (source) => readWorkflowActivity(db, caller, asked, source),
        options,
      );
      setAge(response, ageMs);
      sendJson(response, 200, value);
    },
  );
}
