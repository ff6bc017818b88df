import {
  ApproveDeviceBody,
  compileBody,
  CreatedApiKey,
  DeckhandError,
  DeviceAuthorizationResponse,
  PendingDeviceResponse,
  RedeemDeviceBody,
  SCOPE_PRESETS,
  StartDeviceBody,
  StartedDeviceResponse,
} from '@deckhand/contracts';
import { readWorkspace } from '@deckhand/db';
import { confirmPassword } from '../../auth/confirm-password.ts';
import { POLL_SECONDS } from '../../auth/device-authorizations.ts';
import type { PeopleContext } from '../../contexts.ts';
import { originOf } from '../../http/caller-address.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { pathId } from '../../http/read-request.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forSession, open, type Route } from '../../http/route.ts';
import { issueApiKey } from '../api-keys.ts';

/** How long a key of a client is valid, in ms. */
const KEY_LIFETIME_MS = 90 * 86_400_000;

const parseStart = compileBody(StartDeviceBody);
const parseApproval = compileBody(ApproveDeviceBody);
const parseRedemption = compileBody(RedeemDeviceBody);

/** POST /api/auth/devices */
export function startDevice({ devices }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/devices',
    {
      summary: 'Start to sign in a command-line client',
      description:
        'A person opens `/device#<id>` in the console, compares the code, and allows a key within ten minutes. The client asks for the key with its proof meanwhile.',
      returns: 'The id, and the code to compare',
      body: StartDeviceBody,
      responses: { 201: StartedDeviceResponse },
      errors: ['RATE_LIMITED'],
    },
    async (request, response) => {
      const body = parseStart(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const { id, code, expiresAt } = await devices.start({ ...body, address: request.ip ?? '' });
      sendJson(response, 201, { id, code, expiresAt, pollSeconds: POLL_SECONDS });
    },
  );
}

/** GET /api/auth/devices/{id} */
export function getDevice({ devices }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/auth/devices/:id',
    {
      summary: 'Get a client that waits to be signed in',
      description: 'The name is what the client says about itself. Compare the code with what it shows.',
      returns: 'The client',
      responses: { 200: DeviceAuthorizationResponse },
      errors: ['NOT_FOUND'],
    },
    async (request, response) => {
      const device = await devices.find(pathId(request));
      if (!device) throw noSuchDevice();
      sendJson(response, 200, device);
    },
  );
}

/** POST /api/auth/devices/{id}/approve */
export function approveDevice(context: PeopleContext): Route {
  const { db, devices } = context;
  return forSession(
    'POST',
    '/api/auth/devices/:id/approve',
    {
      summary: 'Allow a client a key',
      confirmsPerson: true,
      description:
        'The client gets a key that acts as you in this workspace, within your role, for 90 days. Needs your password, as every key does.',
      body: ApproveDeviceBody,
      responses: { 204: null },
      errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { workspaceId, password } = parseApproval(await readBody(request));
      if (!(await devices.find(id))) throw noSuchDevice();
      await readWorkspace(db, caller, workspaceId);
      await confirmPassword(context, { request, caller, password });
      const isApproved = await devices.approve(id, { userId: caller.userId, workspaceId: workspaceId.toLowerCase() });
      if (!isApproved) throw noSuchDevice();
      sendNothing(response);
    },
  );
}

/** POST /api/auth/devices/{id}/key */
export function redeemDevice(context: PeopleContext): Route {
  const { db, devices } = context;
  return open(
    'POST',
    '/api/auth/devices/:id/key',
    {
      summary: 'Get the key of a client that was allowed one',
      description: 'Only the client that started has the proof. 202 until a person has decided, then 201, once.',
      returns: 'The key, or that nobody has decided yet',
      body: RedeemDeviceBody,
      responses: { 201: CreatedApiKey, 202: PendingDeviceResponse },
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const id = pathId(request);
      const { codeVerifier } = parseRedemption(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const redeemed = await devices.redeem(id, { codeVerifier, address: request.ip ?? '' });
      if (redeemed.kind === 'unknown') throw noSuchDevice();
      if (redeemed.kind === 'pending') {
        sendJson(response, 202, { state: 'pending' });
        return;
      }
      const { userId, workspaceId, name } = redeemed;
      const actor = { userId, boundTo: null, origin: () => originOf(request, null) };
      // The person may have left since.
      await readWorkspace(db, actor, workspaceId);
      const key = await issueApiKey(context, actor, {
        name: `Command line: ${name}`,
        scopes: SCOPE_PRESETS.full.scopes,
        workspaceId,
        expiresAt: new Date(Date.now() + KEY_LIFETIME_MS),
        credentialWorkspaceId: null,
        savesCredential: false,
      });
      sendJson(response, 201, key);
    },
  );
}

/** The same for one that never was, has expired, was used, or is of another client. */
function noSuchDevice(): DeckhandError {
  return new DeckhandError('NOT_FOUND', {
    message: 'This sign-in does not exist, has expired or was used: start it again',
  });
}
