import { compileQuery, EXECUTION_STATUSES, ListExecutionsQuery, oneOf, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { listWorkflows, listWorkspaces, readWorkflow } from '@deckhand/db';
import Type from 'typebox';
import { listRuns } from '../../runs/list-runs.ts';
import { workflowAnswer } from '../../workflows/workflow-answer.ts';
import { defineTool, json, jsonText, READS } from '../tool.ts';
import { CLOSED, PAGE, Uuid, WORKSPACE } from './arguments.ts';

const parseRuns = compileQuery(ListExecutionsQuery);

/** What lists of runs show. */
const RUN_FIELDS = [
  'executionId',
  'status',
  'workflowId',
  'workflowName',
  'source',
  'startedAt',
  'finishedAt',
  'tags',
  'error',
] as const;

/** Tools that find workspaces, workflows and runs. */
export const findTools = [
  defineTool({
    name: 'deckhand_list_workspaces',
    title: 'List workspaces',
    description: 'Lists the workspaces that the key can access, with their ids.',
    annotations: READS,
    needed: { scope: 'workspaces:read' },
    input: Type.Object(PAGE, CLOSED),
    async act({ resources, caller }, { limit = 50, offset = 0 }) {
      return json(await listWorkspaces(resources.db, caller, { limit, offset, includeTotal: false }));
    },
  }),
  defineTool({
    name: 'deckhand_list_workflows',
    title: 'List workflows',
    description: 'Lists or searches the workflows of a workspace, the last changed first, without their definitions.',
    annotations: READS,
    needed: { scope: 'workflows:read' },
    input: Type.Object(
      {
        ...WORKSPACE,
        search: Type.Optional(Type.String({ maxLength: 200, description: 'Text in name or description' })),
        status: Type.Optional(oneOf(WORKFLOW_STATUSES)),
        ...PAGE,
      },
      CLOSED,
    ),
    async act({ resources, caller, workspace }, { workspaceId, limit = 50, offset = 0, ...filter }) {
      const order = { sortBy: 'updatedAt', sortOrder: 'desc' } as const;
      const page = { limit, offset, includeTotal: false, includeInnerFolders: false, ...order };
      return json(
        await listWorkflows(resources.db, caller, { workspaceId: await workspace(workspaceId), ...filter, ...page }),
      );
    },
  }),
  defineTool({
    name: 'deckhand_get_workflow',
    title: 'Get a workflow',
    description: 'Returns a workflow with its latest definition: nodes, edges and settings.',
    annotations: READS,
    needed: { scope: 'workflows:read' },
    input: Type.Object({ workflowId: Uuid }, CLOSED),
    async act({ resources, caller }, { workflowId }) {
      return json(
        workflowAnswer(await readWorkflow(resources.db, caller, workflowId.toLowerCase()), resources.webhookBaseUrl),
      );
    },
  }),
  defineTool({
    name: 'deckhand_search_runs',
    title: 'Search runs',
    description:
      'Lists runs of a workspace, the last started first, without outputs. `nextCursor` is the `cursor` of the next page.',
    annotations: READS,
    needed: { scope: 'executions:read' },
    input: Type.Object(
      {
        ...WORKSPACE,
        workflowId: Type.Optional(Uuid),
        status: Type.Optional(Type.Array(oneOf(EXECUTION_STATUSES), { minItems: 1, maxItems: 9 })),
        tag: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 10 })),
        search: Type.Optional(
          Type.String({ maxLength: 200, description: 'Text in trigger data, outputs, errors or ids, in any case' }),
        ),
        errorContains: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the error, in any case' })),
        limit: PAGE.limit,
        cursor: Type.Optional(Type.String({ maxLength: 300 })),
      },
      CLOSED,
    ),
    async act({ runs, caller, workspace }, { workspaceId, limit = 20, ...filter }) {
      // Parsed as the query of the list, whose defaults and rules apply.
      const query = parseRuns({ ...filter, workspaceId: await workspace(workspaceId), limit, fields: [...RUN_FIELDS] });
      const { value } = await listRuns(runs, caller, query, { isFresh: false });
      return jsonText(value);
    },
  }),
];
