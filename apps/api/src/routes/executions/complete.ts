import { compileBody, CompleteHumanBody, RecordedResponse } from '@deckhand/contracts';
import { pathId, pathNodeId } from '../../http/read-request.ts';
import { readDataBody } from '../../http/read-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import { chosenIteration } from '../../runs/answer.ts';
import { completeTask } from '../../runs/complete-task.ts';
import type { RunContext } from '../../contexts.ts';

const parse = compileBody(CompleteHumanBody);

/** POST /api/executions/{id}/nodes/{nodeId}/complete */
export function completeHumanTask(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/:id/nodes/:nodeId/complete',
    'executions:write',
    {
      summary: 'Complete a human task',
      description: "The data is checked against the JSON Schema of the node's form. The first submission counts.",
      returns: 'The data is recorded, and the run continues',
      takesIdempotencyKey: true,
      body: CompleteHumanBody,
      responses: { 200: RecordedResponse },
      errors: ['ALREADY_DECIDED', 'NOT_WAITING', 'SEVERAL_WAITS', 'RESUME_PENDING'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const body = parse(await readDataBody(request));
      const node = { executionId, nodeId: pathNodeId(request) };
      await context.answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 200,
        body: await completeTask(context, actor, {
          ...node,
          iteration: chosenIteration(body, node),
          data: body.data,
        }),
      }));
    },
  );
}
