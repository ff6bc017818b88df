import {
  compileBody,
  CredentialUses,
  FinishConnectionBody,
  FinishedConnection,
  PolledConnection,
  PollConnectionBody,
  StartedConnection,
} from '@deckhand/contracts';
import { listCredentialUses as listUses } from '@deckhand/db';
import type { ResourceContext } from '../contexts.ts';
import { pathId } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { refuseBody } from '../http/refuse-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';

/** POST /api/credentials/{id}/connect */
export function connectCredential({ connections }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/credentials/:id/connect',
    'credentials:write',
    {
      summary: 'Connect an OAuth 2.0 credential',
      confirmsPerson: true,
      description:
        'Returns what to do next, by the `kind`: open `authorizationUrl` in a browser (`redirect`), enter `userCode` at `verificationUrl` and poll (`device`), or nothing: `connected`. Requests a token even from a provider that refused the last one.',
      returns: 'What a person does next',
      responses: { 200: StartedConnection },
      errors: ['INVALID_STATE', 'CONNECTION_FAILED'],
    },
    async (request, response, caller) => {
      await refuseBody(request);
      sendJson(response, 200, await connections.start(caller, pathId(request)));
    },
  );
}

const parsePoll = compileBody(PollConnectionBody);

/** POST /api/credentials/{id}/connect/poll */
export function pollCredentialConnection({ connections }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/credentials/:id/connect/poll',
    'credentials:write',
    {
      summary: 'Check whether the code of a device was entered',
      description:
        'Poll as often as the start says, and then as each response says: the provider is not asked more often.',
      returns: 'Whether the credential is connected',
      body: PollConnectionBody,
      responses: { 200: PolledConnection },
      errors: ['INVALID_STATE', 'CONNECTION_FAILED', 'CONFLICT'],
    },
    async (request, response, caller) => {
      const { attempt } = parsePoll(await readBody(request));
      sendJson(response, 200, await connections.poll(caller, pathId(request), attempt));
    },
  );
}

const parseFinish = compileBody(FinishConnectionBody);

/** POST /api/credentials/callback */
export function finishCredentialConnection({ connections }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/credentials/callback',
    'credentials:write',
    {
      summary: 'Finish to connect an OAuth 2.0 credential',
      description:
        'The console calls it with the query of the redirect back from the provider. Only the person who started may finish, once, within ten minutes, and in the same session if it was started in one.',
      returns: 'The connected credential',
      body: FinishConnectionBody,
      responses: { 200: FinishedConnection },
      errors: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE', 'CONNECTION_FAILED', 'CONFLICT'],
    },
    async (request, response, caller) => {
      const { parameters } = parseFinish(await readBody(request));
      sendJson(response, 200, await connections.finish(caller, new URLSearchParams(parameters)));
    },
  );
}

/** GET /api/credentials/{id}/workflows */
export function listCredentialUses({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/credentials/:id/workflows',
    'credentials:read',
    {
      summary: 'List the workflows that use a credential',
      description: 'By their active and latest versions, at most 100, by name.',
      returns: 'The workflows',
      responses: { 200: CredentialUses },
    },
    async (request, response, caller) => {
      sendJson(response, 200, { data: await listUses(db, caller, pathId(request)) });
    },
  );
}
