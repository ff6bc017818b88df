import { compileBody, Execution, UpdateExecutionBody } from '@deckhand/contracts';
import { updateExecution as update } from '@deckhand/db';
import { pathId } from '../../http/read-request.ts';
import { readBody } from '../../http/read-body.ts';
import { sendJsonText } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { RunContext } from '../../contexts.ts';

const parse = compileBody(UpdateExecutionBody);

/** PATCH /api/executions/{id} */
export function updateExecution({ db, executions }: RunContext): Route {
  return forKey(
    'PATCH',
    '/api/executions/:id',
    'executions:write',
    {
      summary: 'Change tags and metadata of a run',
      description:
        'Possible while the run is in progress and afterwards. `tags` replaces the tags; `metadata` has members to set, null to remove one.',
      returns: 'The run with its progress, without outputs',
      body: UpdateExecutionBody,
      responses: { 200: Execution },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await update(db, caller, executionId, parse(await readBody(request)));
      const { json } = await executions.read(caller, executionId, { isSlim: true });
      sendJsonText(response, 200, json);
    },
  );
}
