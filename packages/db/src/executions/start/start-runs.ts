import { concurrencyOf, debounceOf, hasKey } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { type Busy, createBusyKeys, startInTransaction, startWithinKey } from '../../concurrency/keys.ts';
import { queryWithRawParameters } from '../../connection.ts';
import { namingFilesOf } from '../../files.ts';
import { retryOnce } from '../../store-errors.ts';
import {
  admitted,
  insertion,
  isAccepted,
  toVerdict,
  verdictColumns,
  type OnceVerdict,
  type VerdictRow,
  type WriteVerdict,
} from './admission.ts';
import { joinPending } from './debounce.ts';
import { type Counted, type EnforcedInput, settleStart, settleStarts, type StartLimits } from './settle-starts.ts';
import { writeOnce } from './start-once.ts';
import type { Accepted, StartOutcome, StartRequest } from './start-request.ts';

/**
 * Starts runs, or finds that an earlier call has started them.
 * @param maxLockWaitMs how long a start with a key waits for a lock, in ms; by default as long as the session allows.
 * A start that would wait longer is `busy`. Later ones with the same key are then `busy` without an attempt.
 * @returns an outcome for each request, in their order.
 */
export function startRuns(
  db: Database,
  requests: readonly StartRequest[],
  limits: StartLimits,
  maxLockWaitMs?: number,
): Promise<(StartOutcome | Busy)[]> {
  const unlessBusy = createBusyKeys();
  const writeAlone = (keyed: Request): Promise<OnceVerdict | Busy> =>
    maxLockWaitMs === undefined
      ? repeatOnce(() => writeKeyed(db, keyed))
      : unlessBusy(keyed, () => writeKeyed(db, keyed, maxLockWaitMs));
  return settleStarts(
    requests.map((request) => ({ request })),
    (starts) =>
      write(
        db,
        starts.map(({ request }) => request),
        writeAlone,
      ),
    limits,
    { findLanded: (ids) => findLanded(db, ids) },
  );
}

/** Has requests written, each with others of that moment or alone. */
export type Gather = <R extends StartRequest, V>(
  write: (requests: readonly R[]) => Promise<V[]>,
) => (request: R) => Promise<V>;

/** Maximum number of triggers whose schemas are remembered. */
const MAX_REMEMBERED = 500;

/**
 * Creates a function that starts one run, whose id is new. It remembers the schemas that triggers enforce, and checks
 * an input before the statement: a statement with the current version then writes the run at once. Only the statement
 * refuses an input, because it knows the current version and whether the caller may see it.
 * @param gather decides which of the runs of that moment one statement writes.
 */
export function createRunStarts(
  db: Database,
  limits: StartLimits,
  gather: Gather,
): (request: StartRequest) => Promise<StartOutcome> {
  const writeGathered = gather((requests: readonly Request[]) =>
    write<never>(db, requests, (keyed) => repeatOnce(() => writeKeyed(db, keyed))),
  );
  const remembered = new Map<string, EnforcedInput>();

  async function writeAndRemember(request: Request): Promise<OnceVerdict> {
    const verdict = await writeGathered(request);
    if (verdict.kind === 'needsCheck') {
      const [oldest] = remembered.keys();
      if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
      remembered.set(triggerOf(request), verdict);
    }
    return verdict;
  }

  return async (request) => {
    const known = remembered.get(triggerOf(request));
    if (!known) return settleStart(request, writeAndRemember, limits);
    const found = await limits.checkInput(request.triggerData, known);
    const checkedVersionId = found.issues.length === 0 ? known.workflowVersionId : undefined;
    const checkInput: StartLimits['checkInput'] = (triggerData, input) =>
      input.workflowVersionId === known.workflowVersionId
        ? Promise.resolve(found)
        : limits.checkInput(triggerData, input);
    return settleStart({ ...request, checkedVersionId }, writeAndRemember, { ...limits, checkInput });
  };
}

/**
 * Returns what a request names of its trigger, and who asks: the service does no work for somebody before it knows that
 * he may see the workflow.
 */
function triggerOf({ workflowId, versionId, isActiveVersion, triggerNodeId, actor }: StartRequest): string {
  return [workflowId, versionId ?? isActiveVersion, triggerNodeId, actor?.userId, actor?.boundTo].join(' ');
}

type Request = Counted<StartRequest>;

/** Writes requests with a key one by one, and all others in one statement, or two if some have an idempotency key. */
async function write<B extends Busy>(
  db: Database,
  requests: readonly Request[],
  writeAlone: (keyed: Request) => Promise<OnceVerdict | B>,
): Promise<(OnceVerdict | B)[]> {
  const together = requests.filter(({ options }) => !hasKey(options));
  const plain = together.filter(({ idempotencyKey }) => !idempotencyKey);
  const once = together.filter(({ idempotencyKey }) => idempotencyKey);
  const verdicts = new Map<string, OnceVerdict | B>();
  const add = (of: readonly Request[], found: readonly (OnceVerdict | B)[]): void =>
    found.forEach((verdict, index) => verdicts.set(of[index]?.executionId ?? '', verdict));
  if (plain.length > 0) add(plain, await writePlain(db, plain));
  // After an ambiguous error, the keys refer to our own runs if those were committed.
  if (once.length > 0) add(once, await repeatOnce(() => writeOnce(db, once)));
  for (const request of requests) if (hasKey(request.options)) add([request], [await writeAlone(request)]);
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? { kind: 'notFound' });
}

/** Writes a request within the limit of its key, or joins it with an earlier one, in one transaction. */
async function writeKeyed(db: Database, request: Request, maxLockWaitMs?: number): Promise<OnceVerdict> {
  const debounce = debounceOf(request.options);
  const start = (tx: Queryable): Promise<OnceVerdict> =>
    debounce
      ? joinPending(tx, request, debounce, (planned, into) => writeWithinKey(tx, planned, into))
      : writeWithinKey(tx, request);
  return startInTransaction(db, start, maxLockWaitMs);
}

/**
 * Writes a request within the limit of its key, if it has one.
 * @param into the run that it is joined with, which was accepted within its key: only the verdict is needed.
 */
async function writeWithinKey(tx: Queryable, request: Request, into?: string): Promise<OnceVerdict> {
  const { executionId, workflowId } = request;
  const concurrency = concurrencyOf(request.options);
  if (!concurrency || into !== undefined) return writeOne(tx, request, into);
  const result = await startWithinKey(
    tx,
    { executionId, workflowId, concurrency },
    // After an ambiguous error, a second attempt finds the run under the lock of its key.
    async (isLanded) => (isLanded ? await findAccepted(tx, request) : undefined) ?? writeOne(tx, request),
    isAccepted,
  );
  if (result.kind !== 'accepted' || !isAccepted(result.verdict)) return result.verdict;
  return { ...result.verdict, underKey: result.start };
}

async function writeOne(tx: Queryable, request: Request, into?: string): Promise<OnceVerdict> {
  const [verdict] = await (request.idempotencyKey
    ? writeOnce(tx, [request], into)
    : insertAdmitted(tx, [request], into));
  return verdict ?? { kind: 'notFound' };
}

/**
 * Checks and inserts requests in one statement. If the connection breaks, they are tried once more. A run that the
 * first attempt wrote counts as accepted, whatever has changed since.
 */
function writePlain(db: Database, requests: readonly Request[]): Promise<WriteVerdict[]> {
  return retryOnce(
    () => insertAdmitted(db, requests),
    async () => {
      const verdicts = await insertAdmitted(db, requests);
      const landed = await findLanded(
        db,
        requests.map(({ executionId }) => executionId),
      );
      return requests.map(({ executionId }, index) => {
        const workspaceId = landed.get(executionId);
        if (workspaceId === undefined) return verdicts[index] ?? { kind: 'notFound' };
        return { kind: 'accepted', workspaceId, run: null };
      });
    },
  );
}

const INSERT_ACCEPTED = insertion(Prisma.sql`verdict = 'accepted'`);
const INSERT_NONE = insertion(Prisma.sql`false`);

/**
 * Checks and inserts requests in one statement.
 * @param into a run that they are joined with: they are only checked.
 * @returns a verdict for each request, in their order.
 */
export async function insertAdmitted(
  db: Queryable,
  requests: readonly Request[],
  into?: string,
): Promise<WriteVerdict[]> {
  // Most verdicts of a batch differ only in the id of their run: one row for all costs less than one row each.
  const groups = await queryWithRawParameters<(VerdictRow & { ids: string })[]>(
    db,
    Prisma.sql`/* executions.accept */
    WITH admitted AS (${admitted(requests)}), ${into === undefined ? INSERT_ACCEPTED : INSERT_NONE}${namingFilesOf(requests)}
    SELECT string_agg(a.id::text, ',') AS ids, ${verdictColumns} FROM admitted a
    GROUP BY a.verdict, a.workspace_id, a.executions_per_minute, a.version_id, a.start_node_id, a.deadline_at, a.is_limited, a.is_delayed,
      a.workflow_concurrency, a.input_schema`,
  );
  const verdicts = new Map<string, WriteVerdict>();
  for (const { ids, ...row } of groups) {
    const verdict = toVerdict(row);
    for (const id of ids.split(',')) verdicts.set(id, verdict);
  }
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? { kind: 'notFound' });
}

async function findAccepted(tx: Queryable, { executionId }: Request): Promise<Accepted | undefined> {
  const workspaceId = (await findLanded(tx, [executionId])).get(executionId);
  return workspaceId === undefined ? undefined : { kind: 'accepted', workspaceId, run: null };
}

/** Returns the workspaces of the runs that exist, by the runs' ids. */
async function findLanded(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.$queryRaw<{ id: string; workspaceId: string }[]>`
    SELECT id, workspace_id AS "workspaceId" FROM executions WHERE id = ANY (${ids}::uuid[])`;
  return new Map(rows.map(({ id, workspaceId }) => [id, workspaceId]));
}

/** Tries a write again that finds what its first attempt has written. */
function repeatOnce<T>(attempt: () => Promise<T>): Promise<T> {
  return retryOnce(attempt, attempt);
}
