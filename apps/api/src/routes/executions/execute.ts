import { compileBody, ExecuteBody } from '@deckhand/contracts';
import { pathId } from '../../http/query.js';
import { readOptionalBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { startedAnswer } from '../../runs/started-answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(ExecuteBody);

/** POST /api/workflows/{id}/execute: the latest version runs; each call starts a run. */
export function execute({ intake, fleet }: Services): Route {
  return forKey('POST', '/api/workflows/:id/execute', async (request, response, caller) => {
    const workflowId = pathId(request);
    const body = parse(await readOptionalBody(request));
    const executionId = await intake.start({
      workflowId,
      actor: { userId: caller.userId, boundTo: caller.boundTo },
      triggerNodeId: body.triggerNodeId ?? null,
      mode: body.executionMode ?? 'normal',
      source: caller.kind === 'key' ? 'api' : 'editor',
      triggerData: JSON.stringify(body.input ?? {}),
    });
    sendJson(response, 202, startedAnswer(executionId, fleet.counts()));
  });
}
