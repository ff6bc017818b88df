import type { Request } from 'express';
import {
  AcceptInviteBody,
  AcceptedInvite,
  compileBody,
  type ValidationIssue,
  validationFailed,
} from '@deckhand/contracts';
import { acceptInvite as join, acceptInviteAsNewPerson, type NewPerson, readInvite } from '@deckhand/db';
import { openSession } from '../../auth/open-session.ts';
import { type PasswordRules, requirePasswordAllowed } from '../../auth/sign-on-settings.ts';
import { originOf } from '../../http/caller-address.ts';
import { passwordIssues, type Passwords } from '../../auth/passwords.ts';
import { hashSecret } from '../../auth/tokens.ts';
import { MAX_ANONYMOUS_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { open, type Route } from '../../http/route.ts';
import type { PeopleContext } from '../../contexts.ts';

const parse = compileBody(AcceptInviteBody);

/** POST /api/auth/accept-invite */
export function acceptInvite(context: PeopleContext): Route {
  const { db, authenticate, passwords, passwordRules } = context;
  return open(
    'POST',
    '/api/auth/accept-invite',
    {
      summary: 'Accept an invite',
      description: 'A signed-in person joins the workspace (200). Others create an account and a session (201).',
      returns: 'The person, signed in',
      body: AcceptInviteBody,
      responses: { 200: AcceptedInvite, 201: AcceptedInvite },
      errors: ['UNAUTHORIZED', 'SESSION_REQUIRED', 'FORBIDDEN', 'SSO_REQUIRED', 'NOT_FOUND', 'CONFLICT'],
    },
    async (request, response) => {
      const isSignedIn = request.headers.authorization !== undefined || request.headers['x-api-key'] !== undefined;
      const caller = isSignedIn ? await authenticate.session(request) : null;
      const body = parse(await readBody(request, MAX_ANONYMOUS_BODY_BYTES));
      const tokenHash = hashSecret(body.token);
      if (caller) {
        refuseNewPerson(body);
        const joined: AcceptedInvite = await join(db, caller, caller.user, tokenHash);
        sendJson(response, 200, joined);
      } else {
        sendJson(response, 201, await createAccount(request, body, tokenHash));
      }
    },
  );

  async function createAccount(request: Request, body: AcceptInviteBody, tokenHash: string): Promise<AcceptedInvite> {
    // Before the expensive hash: the invite is used up only afterwards, together with creating the account.
    const invite = await readInvite(db, tokenHash);
    const person = await newPerson(passwords, body, invite.email, passwordRules);
    const { user, ...joined } = await acceptInviteAsNewPerson(db, person, tokenHash, originOf(request, null));
    return { ...joined, ...(await openSession(context, user, request)) };
  }
}

/**
 * Returns the data of a new person, with the address of the invite if it has one.
 * @throws DeckhandError VALIDATION_FAILED; SSO_REQUIRED.
 */
async function newPerson(
  passwords: Passwords,
  body: AcceptInviteBody,
  invited: string | null,
  rules: PasswordRules,
): Promise<NewPerson> {
  const { name, password, email = invited } = body;
  const issues: ValidationIssue[] = password === undefined ? [] : passwordIssues(password, 'password');
  for (const [path, value] of Object.entries({ email, name, password })) {
    if (value === undefined || value === null) issues.push({ path, message: 'is required without a session' });
  }
  if (issues.length > 0 || email === null || name === undefined || password === undefined)
    throw validationFailed(issues);
  requirePasswordAllowed(rules, email);
  return { email, name, passwordHash: await passwords.hash(password) };
}

function refuseNewPerson({ email, name, password }: AcceptInviteBody): void {
  const given = Object.entries({ email, name, password }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  throw validationFailed(given.map(([path]) => ({ path, message: 'must be omitted by a signed-in person' })));
}
