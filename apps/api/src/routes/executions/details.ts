import {
  ExecutionResult,
  IterationEntry,
  ListIterationsQuery,
  maskHeaders,
  NodeDebug,
  NodeOutput,
  pageOf,
  ReadOutputQuery,
  shownIteration,
} from '@deckhand/contracts';
import { listIterations as list, readNodeDebug } from '@deckhand/db';
import { pathId, pathNodeId, queryReader } from '../../http/read-request.ts';
import { sendJson, sendJsonText } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { noData, readOutput } from '../../runs/read-output.ts';
import type { RunContext } from '../../contexts.ts';

const readOutputQuery = queryReader(ReadOutputQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/output */
export function getNodeOutput(context: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/output',
    'executions:read',
    {
      summary: 'Get the output of a node',
      description:
        'Returns outputs of any size. For a node in a loop, `iteration` selects one; by default the last one. The 404 lists those that exist.',
      returns: 'The output, of any size',
      query: ReadOutputQuery,
      responses: { 200: NodeOutput },
      errors: ['OUTPUT_GONE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = pathNodeId(request);
      const { iteration } = readOutputQuery(request);
      sendJsonText(response, 200, await readOutput(context, caller, { executionId, nodeId, iteration }));
    },
  );
}

const readDebugQuery = queryReader(ReadOutputQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/debug */
export function getNodeDebug(context: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/debug',
    'executions:read',
    {
      summary: 'Get the debug data of a node',
      description:
        'Returns parameters, input and console output of a node, or of one of its iterations, of a run in debug mode.',
      returns: 'The debug data, with secrets masked',
      query: ReadOutputQuery,
      responses: { 200: NodeDebug },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = pathNodeId(request);
      const { iteration } = readDebugQuery(request);
      const found = await readNodeDebug(context.db, caller, { executionId, nodeId, iteration: iteration ?? null });
      if (!found) throw await noData(context, caller, { executionId, nodeId, iteration }, 'no debug data');
      const head = JSON.stringify({ nodeId, iteration: shownIteration(found.iteration) });
      sendJsonText(response, 200, `${head.slice(0, -1)},${maskHeaders(found.debugJson).slice(1)}`);
    },
  );
}

/** GET /api/executions/{id}/result */
export function getExecutionResult({ executions }: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/result',
    'executions:read',
    {
      summary: 'Get the result of a run',
      description: 'Returns results of any size, including those that `slim=true` leaves out.',
      returns: 'The result, of any size',
      responses: { 200: ExecutionResult },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const result = await executions.readResult(caller, executionId);
      sendJsonText(response, 200, `{"executionId":"${executionId}","result":${result}}`);
    },
  );
}

const readIterationsQuery = queryReader(ListIterationsQuery);

/** GET /api/executions/{id}/nodes/{nodeId}/iterations */
export function listIterations({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/nodes/:nodeId/iterations',
    'executions:read',
    {
      summary: 'List the iterations of a node in a loop',
      description: 'Includes status, times and errors of each iteration, without outputs.',
      returns: 'Iterations in their order, without outputs',
      query: ListIterationsQuery,
      responses: { 200: pageOf(IterationEntry) },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const nodeId = pathNodeId(request);
      sendJson(response, 200, await list(db, caller, { executionId, nodeId }, readIterationsQuery(request)));
    },
  );
}
