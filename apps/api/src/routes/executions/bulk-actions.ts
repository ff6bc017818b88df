import {
  BULK_ACTION_PERMISSIONS,
  BulkAction,
  BulkActionPreview,
  checkDuration,
  compileBody,
  CreateBulkActionBody,
  DryRunQuery,
  hasDuration,
  ListBulkActionsQuery,
  pageOf,
  validationFailed,
  type ValidationIssue,
} from '@deckhand/contracts';
import {
  abortBulkAction as abort,
  createBulkAction as create,
  findBulkRuns,
  isSearch,
  listBulkActions as list,
  readBulkAction,
  requirePermission,
} from '@deckhand/db';
import type { Caller } from '../../auth/caller.ts';
import { pathId, queryReader } from '../../http/read-request.ts';
import { readBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { RunContext } from '../../contexts.ts';

const parse = compileBody(CreateBulkActionBody);
const readQuery = queryReader(DryRunQuery);

/** POST /api/bulk-actions */
export function createBulkAction(context: RunContext): Route {
  const { db, shares } = context;

  /** A search may read all runs of a workspace, so it counts towards the workspace's share of searches. */
  async function findRuns(caller: Caller, body: CreateBulkActionBody): Promise<string[]> {
    const find = (): Promise<string[]> => findBulkRuns(db, caller, body);
    if (!body.filter || !(isSearch(body.filter) || hasDuration(body.filter))) return find();
    // Only its members may use up a workspace's share.
    await requirePermission(db, caller, body.workspaceId, BULK_ACTION_PERMISSIONS[body.action]);
    return shares.within(body.workspaceId, 'searches', find);
  }

  return forKey(
    'POST',
    '/api/bulk-actions',
    'executions:write',
    {
      summary: 'Start a bulk action',
      description:
        'Stops, reruns or deletes up to 100,000 runs of a workspace in the background, named by ids or by a filter. Which runs these are is decided at the start. With `dryRun=true`, they are only counted.',
      returns: 'The bulk action; with dryRun=true, the number of matching runs',
      takesIdempotencyKey: true,
      query: DryRunQuery,
      body: CreateBulkActionBody,
      responses: { 200: BulkActionPreview, 202: BulkAction },
      errors: ['LIMIT_REACHED', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { dryRun } = readQuery(request);
      const body = parse(await readBody(request));
      const issues = findIssues(body);
      if (issues.length > 0) throw validationFailed(issues);
      if (body.filter) checkDuration(body.filter, 'filter.');
      if (dryRun) {
        sendJson(response, 200, { total: (await findRuns(caller, body)).length });
        return;
      }
      await context.answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 202,
        body: await create(db, actor, body, await findRuns(caller, body)),
      }));
    },
  );
}

/** Finds what the schema cannot say. */
function findIssues({ action, executionIds, filter, all, version, from }: CreateBulkActionBody): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if ((executionIds === undefined) === (filter === undefined)) {
    issues.push({ path: 'filter', message: 'must be given, unless executionIds are' });
  }
  if (
    filter &&
    Object.keys(filter).every((name) => name === 'startedAt' && isEmpty(filter.startedAt)) &&
    all !== true
  ) {
    issues.push({ path: 'all', message: 'must be true if the filter is empty' });
  }
  if (action !== 'rerun') {
    if (version !== undefined) issues.push({ path: 'version', message: 'is for reruns only' });
    if (from !== undefined) issues.push({ path: 'from', message: 'is for reruns only' });
  }
  return issues;
}

function isEmpty(range: object = {}): boolean {
  return Object.keys(range).length === 0;
}

const readListQuery = queryReader(ListBulkActionsQuery);

/** GET /api/bulk-actions */
export function listBulkActions({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/bulk-actions',
    'executions:read',
    {
      summary: 'List bulk actions',
      description: 'Lists the bulk actions of a workspace. They are kept for 30 days after their end.',
      returns: 'Bulk actions, the latest first',
      query: ListBulkActionsQuery,
      responses: { 200: pageOf(BulkAction) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readListQuery(request)));
    },
  );
}

/** GET /api/bulk-actions/{id} */
export function getBulkAction({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/bulk-actions/:id',
    'executions:read',
    {
      summary: 'Get a bulk action',
      description: 'Returns how many runs it has settled, and the first errors.',
      returns: 'The bulk action',
      responses: { 200: BulkAction },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readBulkAction(db, caller, pathId(request)));
    },
  );
}

/** POST /api/bulk-actions/{id}/abort */
export function abortBulkAction({ db, answerOnce }: RunContext): Route {
  return forKey(
    'POST',
    '/api/bulk-actions/:id/abort',
    'executions:write',
    {
      summary: 'Abort a bulk action',
      description: 'Once the response is sent, it acts on no further run. What it did is not undone.',
      returns: 'The aborted bulk action',
      takesIdempotencyKey: true,
      responses: { 200: BulkAction },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      await refuseBody(request);
      await answerOnce({ request, response, caller, body: null }, async (actor) => ({
        status: 200,
        body: await abort(db, actor, id),
      }));
    },
  );
}
