import { AccountEntry, pageOf } from '@deckhand/contracts';
import { activateAccount, deactivateAccount, disconnectAccount, listAccounts } from '@deckhand/db';
import type { PeopleContext } from '../contexts.ts';
import { PageQuery, pathId, readPage } from '../http/read-request.ts';
import { refuseBody } from '../http/refuse-body.ts';
import { sendJson } from '../http/respond.ts';
import { forSession, type Route } from '../http/route.ts';

/** GET /api/users */
export function listUsers({ db }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/users',
    {
      summary: 'List the people of the instance',
      description: 'For administrators of the instance.',
      returns: 'The people, by e-mail address',
      query: PageQuery,
      responses: { 200: pageOf(AccountEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listAccounts(db, caller, readPage(request)));
    },
  );
}

/** POST /api/users/{id}/deactivate */
export function deactivateUser({ db }: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/users/:id/deactivate',
    {
      summary: 'Deactivate a person',
      confirmsPerson: true,
      description:
        'Ends their sessions and revokes their API keys, at once. Workflows, runs and credentials of the person stay, and so do memberships. For administrators of the instance.',
      returns: 'The person',
      responses: { 200: AccountEntry },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      await refuseBody(request);
      sendJson(response, 200, await deactivateAccount(db, caller, pathId(request)));
    },
  );
}

/** POST /api/users/{id}/activate */
export function activateUser({ db }: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/users/:id/activate',
    {
      summary: 'Let a deactivated person sign in again',
      confirmsPerson: true,
      description: 'Revoked keys stay revoked. For administrators of the instance.',
      returns: 'The person',
      responses: { 200: AccountEntry },
    },
    async (request, response, caller) => {
      await refuseBody(request);
      sendJson(response, 200, await activateAccount(db, caller, pathId(request)));
    },
  );
}

/** DELETE /api/users/{id}/identities */
export function disconnectUser({ db }: PeopleContext): Route {
  return forSession(
    'DELETE',
    '/api/users/:id/identities',
    {
      summary: 'Disconnect a person from the identity provider',
      confirmsPerson: true,
      description:
        'Ends the sessions of single sign-on. The next one connects the account that has the verified address. For administrators of the instance.',
      returns: 'The person',
      responses: { 200: AccountEntry },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await disconnectAccount(db, caller, pathId(request)));
    },
  );
}
