import {
  ExecutionPage,
  type ValidationIssue,
  ListWorkflowExecutionsQuery,
  validationFailed,
} from '@deckhand/contracts';
import { findWorkspaceOfWorkflow } from '@deckhand/db';
import { setAge, wantsFresh } from '../../http/freshness.ts';
import { pathId, queryReader } from '../../http/read-request.ts';
import { sendJsonText } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { entryOf } from '../../runs/execution-json.ts';
import { findPage, listRuns } from '../../runs/list-runs.ts';
import { pageJson } from '../../runs/page-json.ts';
import type { RunContext } from '../../contexts.ts';

const readQuery = queryReader(ListWorkflowExecutionsQuery);

/** The order and the page size of `latest=true`. */
const LATEST = {
  sortBy: 'startedAt',
  sortOrder: 'desc',
  limit: 1,
  offset: 0,
  includeTotal: false,
} as const;

/** GET /api/workflows/{id}/executions */
export function listWorkflowExecutions(context: RunContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/executions',
    'executions:read',
    {
      summary: 'List the runs of a workflow',
      description:
        'With `latest=true`, the list contains only the last successful run that matches the other filters, with its outputs, or nothing.',
      returns: 'Runs, the last started first; with latest=true one run or none, with its outputs',
      query: ListWorkflowExecutionsQuery,
      readsReplica: true,
      responses: { 200: ExecutionPage },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const { latest, ...query } = readQuery(request);
      const workspaceId = await findWorkspaceOfWorkflow(context.db, caller, workflowId);
      if (latest) {
        const issues = latestIssues(query);
        if (issues.length > 0) throw validationFailed(issues);
        const { ids } = await findPage(context, caller, {
          ...query,
          ...LATEST,
          status: ['success'],
          executionMode: ['normal'],
          workspaceId,
          workflowId,
        });
        const runs = await Promise.all(ids.map((id) => context.executions.read(caller, id, { isSlim: false })));
        const entries = runs.map(({ json }) => ({ json: entryOf(json, query) }));
        sendJsonText(response, 200, pageJson(LATEST, { hasMore: false }, entries, null));
        return;
      }
      const list = { ...query, workspaceId, workflowId };
      const { value, ageMs } = await listRuns(context, caller, list, { isFresh: wantsFresh(request) });
      setAge(response, ageMs);
      sendJsonText(response, 200, value);
    },
  );
}

/** Filters that contradict `latest=true`. */
function latestIssues({
  status,
  executionMode,
  cursor,
}: Omit<ListWorkflowExecutionsQuery, 'latest'>): ValidationIssue[] {
  const issues: ValidationIssue[] =
    cursor === undefined ? [] : [{ path: 'cursor', message: 'leads nowhere with latest=true' }];
  for (const [path, given, wanted] of [
    ['status', status, 'success'],
    ['executionMode', executionMode, 'normal'],
  ] as const) {
    if (given?.some((value) => value !== wanted)) {
      issues.push({ path, message: `must be ${wanted}, or left out, with latest=true` });
    }
  }
  return issues;
}
