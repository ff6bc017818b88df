import {
  compileBody,
  CreatedEventEndpoint,
  CreateEventEndpointBody,
  EventDelivery,
  EventEndpoint,
  type EventSecret,
  EventSecretList,
  EventSecret as EventSecretSchema,
  InWorkspaceQuery,
  ListEventDeliveriesQuery,
  pageOf,
  ReplayEventsBody,
  ReplayEventsResponse,
  RotateEventSecretBody,
  type SignatureScheme,
  UpdateEventEndpointBody,
} from '@deckhand/contracts';
import {
  addTestEvent,
  createEventEndpoint as create,
  deleteEventEndpoint as remove,
  listEventDeliveries as listDeliveries,
  listEventEndpoints as list,
  readEventEndpoint,
  readCallbackSecrets,
  readEventSecrets,
  replayEventDeliveries as replayRange,
  replayEventDelivery as replay,
  rotateCallbackSecret as rotateOfCallbacks,
  rotateEventSecret as rotate,
  updateEventEndpoint as update,
} from '@deckhand/db';
import { createAsymmetricSecret, createSymmetricSecret, publicKeyOf, type SecretBox } from '@deckhand/runtime';
import type { Request } from 'express';
import { readIfMatch, setStateTag } from '../http/etag.ts';
import { pathId, queryReader } from '../http/read-request.ts';
import { readBody, readOptionalBody } from '../http/read-body.ts';
import { refuseBody } from '../http/refuse-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, forSession, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;

function createSecret(signature: SignatureScheme = 'v1'): string {
  return signature === 'v1' ? createSymmetricSecret() : createAsymmetricSecret();
}

/** Converts a secret to what its receiver needs: a private key stays here. */
function toEventSecret(secret: string, createdAt: Date, expiresAt: Date | null): EventSecret {
  const publicKey = publicKeyOf(secret);
  return {
    signature: publicKey === undefined ? 'v1' : 'v1a',
    secret: publicKey === undefined ? secret : null,
    publicKey: publicKey ?? null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

const parseCreate = compileBody(CreateEventEndpointBody);

/** POST /api/event-endpoints */
export function createEventEndpoint({ db, secretBox }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/event-endpoints',
    'event-endpoints:write',
    {
      summary: 'Create an event endpoint',
      description:
        'A URL that receives the events of a workspace, signed as the Standard Webhooks specification says. A workspace has at most 20. Needs the role admin.',
      returns: 'The endpoint with its secret',
      body: CreateEventEndpointBody,
      responses: { 201: CreatedEventEndpoint },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const { signature, workspaceId, ...body } = parseCreate(await readBody(request));
      const secret = createSecret(signature);
      const endpoint = await create(db, caller, {
        ...body,
        workspaceId: workspaceId.toLowerCase(),
        sealedSecret: await secretBox.seal(secret),
      });
      const shown = toEventSecret(secret, new Date(endpoint.createdAt), null);
      sendJson(response, 201, { ...endpoint, secret: shown });
    },
  );
}

const readListQuery = queryReader(InWorkspaceQuery);

/** GET /api/event-endpoints */
export function listEventEndpoints({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/event-endpoints',
    'event-endpoints:read',
    {
      summary: 'List event endpoints',
      description: 'Lists the URLs that receive the events of a workspace. Needs the role admin.',
      returns: 'Endpoints, the earliest first, without their secrets',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(EventEndpoint) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readListQuery(request)));
    },
  );
}

/** GET /api/event-endpoints/{id} */
export function getEventEndpoint({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/event-endpoints/:id',
    'event-endpoints:read',
    {
      summary: 'Get an event endpoint',
      description: 'The response shows whether it fails or was disabled. Needs the role admin.',
      returns: 'The endpoint, without its secrets',
      responses: { 200: EventEndpoint },
    },
    async (request, response, caller) => {
      const endpoint = await readEventEndpoint(db, caller, pathId(request));
      setStateTag(response, endpoint.updatedAt);
      sendJson(response, 200, endpoint);
    },
  );
}

const parseUpdate = compileBody(UpdateEventEndpointBody);

/** PATCH /api/event-endpoints/{id} */
export function updateEventEndpoint({ db }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/event-endpoints/:id',
    'event-endpoints:write',
    {
      summary: 'Update an event endpoint',
      description:
        'Changes its URL, its filters, or whether it is enabled. A disabled one gets no events, and pending ones fail. Needs the role admin.',
      returns: 'The updated endpoint',
      takesIfMatch: true,
      body: UpdateEventEndpointBody,
      responses: { 200: EventEndpoint },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const changed = await update(db, caller, id, parseUpdate(await readBody(request)), readIfMatch(request));
      setStateTag(response, changed.updatedAt);
      sendJson(response, 200, changed);
    },
  );
}

/** DELETE /api/event-endpoints/{id} */
export function deleteEventEndpoint({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/event-endpoints/:id',
    'event-endpoints:write',
    {
      summary: 'Delete an event endpoint',
      description: 'Its pending events are not sent, and its log is deleted. Needs the role admin.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}

/** GET /api/event-endpoints/{id}/secrets */
export function listEventSecrets({ db, secretBox }: ResourceContext): Route {
  return forSession(
    'GET',
    '/api/event-endpoints/:id/secrets',
    {
      summary: 'Read the secrets of an event endpoint',
      description: 'Each read is recorded in the audit log. Private keys are never shown. Needs the role admin.',
      returns: 'The secrets with which events are signed at present, the current one first',
      responses: { 200: EventSecretList },
    },
    async (request, response, caller) => {
      const sealed = await readEventSecrets(db, caller, pathId(request));
      const open = async ({ secret, createdAt, expiresAt }: (typeof sealed)[number]): Promise<EventSecret> =>
        toEventSecret(await secretBox.open(secret), createdAt, expiresAt);
      sendJson(response, 200, { data: await Promise.all(sealed.map(open)) });
    },
  );
}

const parseRotate = compileBody(RotateEventSecretBody);

/** Reads how to rotate a secret, and creates the new one. */
async function readRotation(
  request: Request,
  secretBox: SecretBox,
): Promise<{ secret: string; sealedSecret: string; overlapSeconds: number }> {
  const { signature, overlapSeconds = DEFAULT_OVERLAP_SECONDS } = parseRotate(await readOptionalBody(request));
  const secret = createSecret(signature);
  return { secret, sealedSecret: await secretBox.seal(secret), overlapSeconds };
}

/** POST /api/event-endpoints/{id}/rotate-secret */
export function rotateEventSecret({ db, secretBox }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/event-endpoints/:id/rotate-secret',
    'event-endpoints:write',
    {
      summary: 'Rotate the secret of an event endpoint',
      description:
        'Events are signed with the new secret and, for a while, also with the former ones, three at most. `signature` also changes the kind of signature. Needs the role admin.',
      returns: 'The new secret',
      body: RotateEventSecretBody,
      isBodyOptional: true,
      responses: { 200: EventSecretSchema },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { secret, ...rotation } = await readRotation(request, secretBox);
      const createdAt = await rotate(db, caller, id, rotation);
      sendJson(response, 200, toEventSecret(secret, createdAt, null));
    },
  );
}

/** POST /api/event-endpoints/{id}/test */
export function sendTestEvent({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/event-endpoints/:id/test',
    'event-endpoints:write',
    {
      summary: 'Send a test event',
      description: 'Sends an event of the type `endpoint.test`, which no filter applies to. Needs the role admin.',
      returns: 'The delivery; the log shows its attempts',
      takesIdempotencyKey: true,
      responses: { 202: EventDelivery },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      await refuseBody(request);
      await answerOnce({ request, response, caller, body: {} }, async (actor) => ({
        status: 202,
        body: await addTestEvent(db, actor, id),
      }));
    },
  );
}

const readDeliveriesQuery = queryReader(ListEventDeliveriesQuery);

/** GET /api/event-endpoints/{id}/deliveries */
export function listEventDeliveries({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/event-endpoints/:id/deliveries',
    'event-endpoints:read',
    {
      summary: 'List the events of an endpoint',
      description: 'Pending events, and those of the last 30 days with their attempts. Needs the role admin.',
      returns: 'Events, the latest first',
      query: ListEventDeliveriesQuery,
      responses: { 200: pageOf(EventDelivery) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listDeliveries(db, caller, pathId(request), readDeliveriesQuery(request)));
    },
  );
}

/** POST /api/event-endpoints/{id}/deliveries/{deliveryId}/replay */
export function replayEventDelivery({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/event-endpoints/:id/deliveries/:deliveryId/replay',
    'event-endpoints:write',
    {
      summary: 'Send an event again',
      description: 'With the same `webhook-id`, and with new attempts. Needs the role admin.',
      returns: 'The delivery',
      takesIdempotencyKey: true,
      responses: { 202: EventDelivery },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const place = { endpointId: pathId(request), deliveryId: pathId(request, 'deliveryId') };
      await refuseBody(request);
      await answerOnce({ request, response, caller, body: {} }, async (actor) => ({
        status: 202,
        body: await replay(db, actor, place),
      }));
    },
  );
}

const parseReplay = compileBody(ReplayEventsBody);

/** POST /api/event-endpoints/{id}/replay */
export function replayEvents({ db, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/event-endpoints/:id/replay',
    'event-endpoints:write',
    {
      summary: 'Send the events of a time again',
      description:
        'Those that have failed, unless `status` says otherwise, the earliest first and up to 5,000 per request; pending ones are left as they are. Needs the role admin.',
      returns: 'How many',
      takesIdempotencyKey: true,
      body: ReplayEventsBody,
      responses: { 202: ReplayEventsResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const body = parseReplay(await readBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 202,
        body: await replayRange(db, actor, id, body),
      }));
    },
  );
}

/** GET /api/workspaces/{id}/callback-secrets */
export function listCallbackSecrets({ db, secretBox }: ResourceContext): Route {
  return forSession(
    'GET',
    '/api/workspaces/:id/callback-secrets',
    {
      summary: 'Read the secrets of callbacks',
      description:
        'The secrets with which the callbacks of runs are signed; none before the first callback or rotation. Each read is recorded in the audit log. Needs the role admin.',
      returns: 'The secrets with which callbacks are signed at present, the current one first',
      responses: { 200: EventSecretList },
    },
    async (request, response, caller) => {
      const sealed = await readCallbackSecrets(db, caller, pathId(request));
      const secrets = sealed.map(async ({ secret, createdAt, expiresAt }) =>
        toEventSecret(await secretBox.open(secret), createdAt, expiresAt),
      );
      sendJson(response, 200, { data: await Promise.all(secrets) });
    },
  );
}

/** POST /api/workspaces/{id}/callback-secrets/rotate */
export function rotateCallbackSecret({ db, secretBox }: ResourceContext): Route {
  return forSession(
    'POST',
    '/api/workspaces/:id/callback-secrets/rotate',
    {
      summary: 'Rotate the secret of callbacks',
      description:
        'Callbacks of runs are signed with the new secret and, for a while, also with the former ones, three at most. Needs the role admin.',
      returns: 'The new secret',
      body: RotateEventSecretBody,
      isBodyOptional: true,
      responses: { 200: EventSecretSchema },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { secret, ...rotation } = await readRotation(request, secretBox);
      const createdAt = await rotateOfCallbacks(db, caller, id, rotation);
      sendJson(response, 200, toEventSecret(secret, createdAt, null));
    },
  );
}
