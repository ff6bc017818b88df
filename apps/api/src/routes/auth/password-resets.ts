import {
  compileBody,
  DeckhandError,
  RedeemPasswordResetBody,
  RequestPasswordResetBody,
  SignInMethods,
  validationFailed,
} from '@deckhand/contracts';
import { readPasswordReset, redeemPasswordReset } from '@deckhand/db';
import { passwordIssues } from '../../auth/passwords.ts';
import { requirePasswordAllowed } from '../../auth/sign-on-settings.ts';
import { hashSecret } from '../../auth/tokens.ts';
import type { PeopleContext } from '../../contexts.ts';
import { originOf } from '../../http/caller-address.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { open, type Route } from '../../http/route.ts';

/** GET /api/auth/methods */
export function getSignInMethods({ singleSignOn, passwordResets }: PeopleContext): Route {
  return open(
    'GET',
    '/api/auth/methods',
    {
      summary: 'Get how people can sign in',
      description: 'For clients that show a sign-in.',
      returns: 'Whether there is single sign-on, and whether links to a new password are sent',
      responses: { 200: SignInMethods },
    },
    (_request, response) => {
      const label = singleSignOn && { label: singleSignOn.label };
      sendJson(response, 200, { singleSignOn: label ?? null, passwordReset: passwordResets !== undefined });
    },
  );
}

const parseRequest = compileBody(RequestPasswordResetBody);

/** POST /api/auth/password-resets */
export function requestPasswordReset({ passwordResets, resetLimit }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/password-resets',
    {
      summary: 'Request a link to a new password',
      description:
        'Sends an e-mail if there is such an account. The response is the same if there is none. The link works once, within an hour.',
      body: RequestPasswordResetBody,
      responses: { 204: null },
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { email } = parseRequest(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      if (!passwordResets) {
        throw new DeckhandError('NOT_FOUND', {
          message: 'This instance sends no e-mails: its operator can set SMTP_URL',
        });
      }
      await resetLimit.count(request.ip ?? '');
      // Neither the response nor its time may depend on whether there is such an account.
      passwordResets.send(email);
      sendNothing(response);
    },
  );
}

const parseRedemption = compileBody(RedeemPasswordResetBody);

/** POST /api/auth/password-resets/redeem */
export function redeemReset({ db, passwords, passwordRules, resetLimit }: PeopleContext): Route {
  return open(
    'POST',
    '/api/auth/password-resets/redeem',
    {
      summary: 'Set a new password by a link',
      description: 'Works once for each link. Ends all sessions of the person.',
      body: RedeemPasswordResetBody,
      responses: { 204: null },
      errors: ['NOT_FOUND', 'SSO_REQUIRED', 'RATE_LIMITED'],
    },
    async (request, response) => {
      const { token, newPassword } = parseRedemption(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const issues = passwordIssues(newPassword, 'newPassword');
      if (issues.length > 0) throw validationFailed(issues);
      await resetLimit.count(request.ip ?? '');
      const tokenHash = hashSecret(token);
      // Before the expensive hash.
      const { email } = await readPasswordReset(db, tokenHash);
      requirePasswordAllowed(passwordRules, email);
      const passwordHash = await passwords.hash(newPassword);
      await redeemPasswordReset(db, { tokenHash, passwordHash }, originOf(request, null));
      sendNothing(response);
    },
  );
}
