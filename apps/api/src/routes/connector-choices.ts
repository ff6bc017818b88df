import { compileBody, ConnectorChoices, ListChoicesBody } from '@deckhand/contracts';
import { listChoices } from '../connectors/list-choices.ts';
import type { ResourceContext } from '../contexts.ts';
import { clientGone } from '../http/client-gone.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';

const parseList = compileBody(ListChoicesBody);

/** POST /api/connectors/options */
export function listConnectorChoices(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/connectors/options',
    { scope: 'connectors:write', also: 'workflows:write' },
    {
      summary: 'List choices of a field',
      description:
        'Requests the choices that a field of an operation has from its service, such as the channels of a message, for at most ten seconds. A pack says where they come from. Whoever may use the credential in a workflow may call it. For a connector that is not built in, a person with a second factor must have proved it within ten minutes.',
      returns: 'Choices, in the order of the service',
      body: ListChoicesBody,
      responses: { 200: ConnectorChoices },
      errors: [
        ...(['NOT_FOUND', 'FORBIDDEN', 'CONFIRMATION_REQUIRED', 'CONNECTOR_FAILED'] as const),
        ...(['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const),
      ],
    },
    async (request, response, caller) => {
      const body = parseList(await readBody(request, MAX_DATA_BODY_BYTES));
      sendJson(response, 200, await listChoices(context, caller, body, clientGone(response)));
    },
  );
}
