import {
  AddedPasskey,
  AddPasskeyBody,
  compileBody,
  ConfirmAuthenticatorBody,
  ConfirmationOptions,
  ConfirmBody,
  DeckhandError,
  RecoveryCodes,
  SecondFactors,
  StartedAuthenticator,
  StartedPasskey,
} from '@deckhand/contracts';
import {
  addPasskey as keepPasskey,
  confirmAuthenticator as keepAuthenticator,
  listPasskeyIds,
  readAuthenticator,
  readPasswordHash,
  readSecondFactors,
  removeAuthenticator as removeApp,
  removePasskey as remove,
  replaceRecoveryCodes as replace,
  startAuthenticator as start,
} from '@deckhand/db';
import { confirmationOptions, confirmIdentity } from '../../auth/confirm-identity.ts';
import { createRecoveryCodes, hashRecoveryCode } from '../../auth/recovery-codes.ts';
import { requireConfirmed } from '../../auth/require-confirmed.ts';
import { createTimeSecret, stepOfCode, timeSecretUri } from '../../auth/time-codes.ts';
import type { PeopleContext } from '../../contexts.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { pathId } from '../../http/read-request.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forSession, type Route } from '../../http/route.ts';

/** GET /api/auth/second-factors */
export function getSecondFactors({ db }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/auth/second-factors',
    {
      summary: 'Get your second factors',
      description: 'Without their secrets.',
      returns: 'Your second factors',
      responses: { 200: SecondFactors },
    },
    async (_request, response, { userId, lacksSecondFactor }) => {
      sendJson(response, 200, {
        hasPassword: (await readPasswordHash(db, userId)) !== undefined,
        isRequired: lacksSecondFactor,
        ...(await readSecondFactors(db, userId)),
      });
    },
  );
}

/** POST /api/auth/authenticator */
export function startAuthenticator(context: PeopleContext): Route {
  const { db, secretBox } = context;
  return forSession(
    'POST',
    '/api/auth/authenticator',
    {
      summary: 'Start to add an authenticator app',
      description: 'It counts once a code of it was entered. The response is the only one that contains the secret.',
      returns: 'The secret, for a QR code and as text',
      responses: { 201: StartedAuthenticator },
      errors: ['CONFIRMATION_REQUIRED', 'INVALID_STATE'],
    },
    async (request, response, caller) => {
      await refuseBody(request);
      await requireConfirmed(context, caller);
      const secret = createTimeSecret();
      await start(db, caller, await secretBox.seal(secret));
      sendJson(response, 201, { secret, uri: timeSecretUri(secret, caller.user.email) });
    },
  );
}

const parseCode = compileBody(ConfirmAuthenticatorBody);

/** POST /api/auth/authenticator/confirm */
export function confirmAuthenticator(context: PeopleContext): Route {
  const { db, secretBox, secondFactorLimit } = context;
  return forSession(
    'POST',
    '/api/auth/authenticator/confirm',
    {
      summary: 'Add an authenticator app by a code of it',
      description: 'The first second factor ends all other sessions, and comes with recovery codes.',
      returns: 'The recovery codes',
      body: ConfirmAuthenticatorBody,
      responses: { 200: RecoveryCodes },
      errors: ['CONFIRMATION_REQUIRED', 'INVALID_STATE', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { code } = parseCode(await readBody(request));
      await requireConfirmed(context, caller);
      const { userId } = caller;
      const kept = await readAuthenticator(db, userId);
      if (!kept || kept.isConfirmed)
        throw new DeckhandError('INVALID_STATE', { message: 'Start to add the authenticator app again' });
      await secondFactorLimit.attempt(userId, request.ip ?? '', true);
      const step = stepOfCode(await secretBox.open(kept.secret), code, Date.now());
      if (step === undefined)
        throw new DeckhandError('FORBIDDEN', { message: 'The code is wrong: check the time of your device' });
      await secondFactorLimit.succeeded(userId, request.ip ?? '', true);
      const { recoveryCodes, recoveryHashes } = newRecoveryCodes();
      const factor = { recoveryHashes, secret: kept.secret, step };
      const isFirst = await keepAuthenticator(db, caller, factor);
      sendJson(response, 200, { recoveryCodes: isFirst ? recoveryCodes : null });
    },
  );
}

/** DELETE /api/auth/authenticator */
export function removeAuthenticator(context: PeopleContext): Route {
  return forSession(
    'DELETE',
    '/api/auth/authenticator',
    {
      summary: 'Remove your authenticator app',
      description: 'With the last second factor, the recovery codes end, too.',
      responses: { 204: null },
      errors: ['CONFIRMATION_REQUIRED', 'NOT_FOUND'],
    },
    async (_request, response, caller) => {
      await requireConfirmed(context, caller);
      await removeApp(context.db, caller);
      sendNothing(response);
    },
  );
}

/** POST /api/auth/passkeys/options */
export function startPasskey(context: PeopleContext): Route {
  const { db, passkeys, confirmations } = context;
  return forSession(
    'POST',
    '/api/auth/passkeys/options',
    {
      summary: 'Start to add a passkey',
      description: 'Give `options` to the browser, and what it returns to `POST /api/auth/passkeys`.',
      returns: 'What the browser creates a passkey with',
      responses: { 200: StartedPasskey },
      errors: ['CONFIRMATION_REQUIRED'],
    },
    async (request, response, caller) => {
      await refuseBody(request);
      await requireConfirmed(context, caller);
      const { userId, sessionId, user } = caller;
      const known = await listPasskeyIds(db, userId);
      const options = await passkeys.creation({ userId, email: user.email, name: user.name, known });
      const { state } = await confirmations.start(sessionId, { challenge: options.challenge });
      sendJson(response, 200, { state, options });
    },
  );
}

const parsePasskey = compileBody(AddPasskeyBody);

/** POST /api/auth/passkeys */
export function addPasskey(context: PeopleContext): Route {
  const { db, passkeys, confirmations } = context;
  return forSession(
    'POST',
    '/api/auth/passkeys',
    {
      summary: 'Add a passkey',
      description: 'The first second factor ends all other sessions, and comes with recovery codes.',
      returns: 'The passkey, and the recovery codes',
      body: AddPasskeyBody,
      responses: { 201: AddedPasskey },
      errors: ['CONFIRMATION_REQUIRED', 'CONFLICT', 'LIMIT_REACHED'],
    },
    async (request, response, caller) => {
      const { state, name, passkey } = parsePasskey(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      await requireConfirmed(context, caller);
      const { sessionId } = caller;
      const pending = await confirmations.read(state, sessionId);
      if (!pending || !(await confirmations.end(state)))
        throw new DeckhandError('FORBIDDEN', { message: 'This has expired or was used: start it again' });
      const verified = await passkeys.verifyNew(passkey, pending.challenge);
      if (!verified)
        throw new DeckhandError('FORBIDDEN', { message: 'This passkey cannot be verified: start it again' });
      const { recoveryCodes, recoveryHashes } = newRecoveryCodes();
      const { id, isFirst } = await keepPasskey(db, caller, { ...verified, name }, { recoveryHashes });
      sendJson(response, 201, { id, recoveryCodes: isFirst ? recoveryCodes : null });
    },
  );
}

/** DELETE /api/auth/passkeys/{id} */
export function removePasskey(context: PeopleContext): Route {
  return forSession(
    'DELETE',
    '/api/auth/passkeys/:id',
    {
      summary: 'Remove one of your passkeys',
      description: 'With the last second factor, the recovery codes end, too.',
      responses: { 204: null },
      errors: ['CONFIRMATION_REQUIRED'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      await requireConfirmed(context, caller);
      await remove(context.db, caller, id);
      sendNothing(response);
    },
  );
}

/** POST /api/auth/recovery-codes */
export function replaceRecoveryCodes(context: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/auth/recovery-codes',
    {
      summary: 'Replace your recovery codes',
      description: 'The former ones end. The response is the only one that contains the codes.',
      returns: 'The recovery codes',
      responses: { 201: RecoveryCodes },
      errors: ['CONFIRMATION_REQUIRED', 'INVALID_STATE'],
    },
    async (request, response, caller) => {
      await refuseBody(request);
      await requireConfirmed(context, caller);
      const { recoveryCodes, recoveryHashes } = newRecoveryCodes();
      await replace(context.db, caller, recoveryHashes);
      sendJson(response, 201, { recoveryCodes });
    },
  );
}

/** POST /api/auth/confirm/options */
export function startConfirmation(context: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/auth/confirm/options',
    {
      summary: 'Get how you can confirm that it is you',
      description: 'A person with a second factor confirms by it, others by the password.',
      returns: 'What you can confirm by',
      responses: { 200: ConfirmationOptions },
    },
    async (request, response, caller) => {
      await refuseBody(request);
      sendJson(response, 200, await confirmationOptions(context, caller));
    },
  );
}

const parseConfirm = compileBody(ConfirmBody);

/** POST /api/auth/confirm */
export function confirmIsYou(context: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/auth/confirm',
    {
      summary: 'Confirm that it is you',
      description: 'For ten minutes, the session may then do what `CONFIRMATION_REQUIRED` refused.',
      body: ConfirmBody,
      responses: { 204: null },
      errors: ['FORBIDDEN', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const body = parseConfirm(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      await confirmIdentity(context, request, caller, body);
      sendNothing(response);
    },
  );
}

function newRecoveryCodes(): { readonly recoveryCodes: string[]; readonly recoveryHashes: string[] } {
  const recoveryCodes = createRecoveryCodes();
  return { recoveryCodes, recoveryHashes: recoveryCodes.map(hashRecoveryCode) };
}
