import {
  compileBody,
  CompleteHumanBody,
  type ValidationIssue,
  parseJson,
  validationFailed,
  RecordedResponse,
} from '@deckhand/contracts';
import { isDeepStrictEqual } from 'node:util';
import { pathId, pathNodeId } from '../../http/query.js';
import { readDataBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { answer, chosenIteration } from '../../runs/answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(CompleteHumanBody);

/** POST /api/executions/{id}/nodes/{nodeId}/complete */
export function completeHumanTask(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/nodes/:nodeId/complete',
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
      const { data } = body;
      const node = { executionId, nodeId: pathNodeId(request) };
      await services.answerOnce({ request, response, caller, body }, async (actor) => {
        // The form that the data was checked against.
        let fitting: string | undefined;
        const recorded = await answer(services, actor, {
          ...node,
          kind: 'human',
          action: 'execution.complete',
          iteration: chosenIteration(body, node),
          toAnswer: (details) => (details === fitting ? data : undefined),
          async check(details, workspaceId) {
            const { issues, isTruncated } = await services.forms.check(workspaceId, { details, data });
            if (issues.length > 0) throw validationFailed(issues.map(inData), isTruncated);
            fitting = details;
          },
          isSame: (stored) => isDeepStrictEqual(parseJson(stored), data),
          toRecorded: ({ answer: stored, by, byUser, at }) => ({
            data: stored === null ? null : parseJson(stored),
            by,
            byUser,
            at: at.toISOString(),
          }),
        });
        return { status: 200, body: recorded };
      });
    },
  );
}

function inData({ path, message }: ValidationIssue): ValidationIssue {
  if (path === '') return { path: 'data', message };
  return { path: path.startsWith('[') ? `data${path}` : `data.${path}`, message };
}
