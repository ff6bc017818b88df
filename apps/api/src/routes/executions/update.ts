import { compileBody, Execution, UpdateExecutionBody } from '@deckhand/contracts';
import { updateExecution as update } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateExecutionBody);

/** PATCH /api/executions/{id} */
export function updateExecution({ db, executions }: Services): Route {
  return forKey(
    'PATCH',
    '/api/executions/:id',
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
