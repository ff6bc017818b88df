import { parse } from 'content-type';
import { type Request, type Response, Router } from 'express';
import { DeckhandError, type ValidationIssue, type WaitPlace } from '@deckhand/contracts';
import { type LinkHolder, readLinkedWait } from '@deckhand/db';
import { originOf } from '../http/caller-address.ts';
import { checkJson } from '../http/json-body.ts';
import { createErrorHandler, toDeckhandError } from '../http/errors.ts';
import { readBytes } from '../http/read-body.ts';
import { completeTask, isSameData } from '../runs/complete-task.ts';
import { isSameDecision, recordDecision } from '../runs/decide.ts';
import type { LinkContext } from '../contexts.ts';
import { parseForm } from '../webhooks/form.ts';
import { linkPage, messagePage, PAGE_POLICY } from './pages.ts';
import { type LinkState, type Question, stateOf } from './link-state.ts';
import { type PageLanguage, pageLanguageOf } from './page-language.ts';
import { type Entered, readSimpleForm, simpleForm, textOf } from './simple-form.ts';

/** Maximum size of an answer, in bytes: a comment of 10,000 characters has at most 90,000 in a form. */
const MAX_ANSWER_BYTES = 131_072;
const MAX_COMMENT_LENGTH = 10_000;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The path of links in request logs must not have the token (`observe-requests.ts`). */
const PATH = '/answer/:token';

/**
 * Creates the pages of links that answer an approval or a human task without a session. A GET only shows the question,
 * because scanners of mail and previews of messengers fetch links; a POST answers it. The token is all that counts:
 * cookies and keys are not looked at.
 */
export function createAnswerRouter(context: LinkContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route(PATH)
    .get(async (request, response) => {
      const link = await openLink(context, request);
      sendPage(response, statusOf(link.state), linkPage(link.state, pageLanguageOf(request), link));
    })
    .post(async (request, response) => {
      requireOwnPage(request);
      const link = await openLink(context, request);
      const { status, page } = await answerLink(context, request, link);
      sendPage(response, status, page);
    })
    .all(() => {
      throw new DeckhandError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET, HEAD, POST' } });
    });
  router.use(
    '/answer',
    createErrorHandler(context.logger, (response, error) =>
      sendPage(response, error.status, errorPage(error, pageLanguageOf(response.req))),
    ),
  );
  return router;
}

/** A link with a valid token. */
interface Link {
  readonly place: WaitPlace;
  readonly state: LinkState;
  readonly consolePath: string;
}

/** Verifies a token and reads what it leads to. The state of an invalid token is that of a deleted run. */
async function openLink(context: LinkContext, request: Request): Promise<Link> {
  await context.linkLimit(request.ip ?? '');
  const { token } = request.params;
  const place = context.answerTokens.verify(typeof token === 'string' ? token : '');
  if (!place) throw new DeckhandError('NOT_FOUND');
  return readLink(context, place);
}

async function readLink({ db }: LinkContext, place: WaitPlace): Promise<Link> {
  const found = await readLinkedWait(db, place);
  const consolePath = `/w/${found?.workspaceId ?? ''}/runs/${place.executionId}`;
  return { place, state: stateOf(found), consolePath };
}

/** Records an answer, at most one, and returns the page that says what became of it. */
async function answerLink(
  context: LinkContext,
  request: Request,
  link: Link,
): Promise<{ readonly status: number; readonly page: string }> {
  const { place, state } = link;
  const language = pageLanguageOf(request);
  if (!('question' in state) || state.question === undefined) {
    return { status: state.kind === 'unknown' ? 404 : 409, page: linkPage(state, language) };
  }
  const entered = await readForm(request);
  const holder: LinkHolder = { userId: null, origin: () => originOf(request, null) };
  try {
    const given = answerTo(state.question, entered);
    // The answer of a link that could not be queued is queued by the same answer.
    if (state.kind === 'open' || state.kind === 'answered') {
      try {
        await given.record(context, holder, place);
      } catch (error) {
        const { code } = toDeckhandError(error);
        if (code === 'RESUME_PENDING') {
          const note = 'Your answer is recorded. The workflow continues as soon as the service can.';
          return { status: 202, page: linkPage((await readLink(context, place)).state, language, { note }) };
        }
        if (code !== 'ALREADY_DECIDED' && code !== 'NOT_WAITING') throw error;
      }
    }
    const after = (await readLink(context, place)).state;
    if (after.kind === 'answered' && after.isByLink && given.isSame(after.answer)) {
      return { status: 200, page: linkPage(after, language, { note: 'Your answer is recorded.' }) };
    }
    return { status: 409, page: linkPage(after, language, { note: 'Your answer was not recorded.' }) };
  } catch (error) {
    const { code, details } = toDeckhandError(error);
    if (code !== 'VALIDATION_FAILED' || !isIssues(details)) throw error;
    return { status: 400, page: linkPage(state, language, { ...link, rejected: { entered, issues: details } }) };
  }
}

interface GivenAnswer {
  readonly record: (context: LinkContext, holder: LinkHolder, place: WaitPlace) => Promise<unknown>;
  readonly isSame: (stored: string) => boolean;
}

/** Returns the answer in a form that a browser sent. @throws DeckhandError VALIDATION_FAILED. */
function answerTo(question: Question, entered: Entered): GivenAnswer {
  if (question.kind === 'approval') {
    const given = { decision: textOf(entered, 'decision'), comment: textOf(entered, 'comment') || null };
    checkStorable(given);
    if ((given.comment?.length ?? 0) > MAX_COMMENT_LENGTH) {
      throw new DeckhandError('VALIDATION_FAILED', {
        details: [{ path: 'comment', message: `must have at most ${MAX_COMMENT_LENGTH} characters` }],
      });
    }
    return {
      record: (context, holder, place) => recordDecision(context, holder, { ...place, ...given }),
      isSame: (stored) => isSameDecision(stored, given),
    };
  }
  const form = simpleForm(question.schema);
  if (!form) throw new DeckhandError('NOT_WAITING', { message: 'This form cannot be filled in here' });
  const data = readSimpleForm(form, entered);
  checkStorable(data);
  return {
    record: (context, holder, place) => completeTask(context, holder, { ...place, data }),
    isSame: (stored) => isSameData(stored, data),
  };
}

function checkStorable(value: object): void {
  checkJson(value, JSON.stringify(value));
}

function isIssues(details: unknown): details is readonly ValidationIssue[] {
  return Array.isArray(details) && details.every((each) => typeof each === 'object' && each !== null && 'path' in each);
}

async function readForm(request: Request): Promise<Entered> {
  const { type } = parse(request.headers['content-type'] ?? '');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (type !== FORM_TYPE || encoding.toLowerCase() !== 'identity') {
    request.resume();
    throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the form of this page' });
  }
  return parseForm((await readBytes(request, MAX_ANSWER_BYTES)).toString());
}

/**
 * Refuses the form of another site's page. It would need the token, so this is only a second defence. Browsers send
 * `Origin: null` from pages with the referrer policy of these.
 */
function requireOwnPage({ headers, host }: Request): void {
  const site = headers['sec-fetch-site'];
  const { origin = 'null' } = headers;
  const isOther =
    site === undefined
      ? origin !== 'null' && (!URL.canParse(origin) || new URL(origin).host !== host)
      : site !== 'same-origin' && site !== 'none';
  if (isOther) throw new DeckhandError('FORBIDDEN', { message: 'Answer on the page that the link opens' });
}

function statusOf({ kind }: LinkState): number {
  return kind === 'unknown' ? 404 : 200;
}

function errorPage({ code, status, message }: DeckhandError, language: PageLanguage): string {
  if (code === 'NOT_FOUND') return linkPage({ kind: 'unknown' }, language);
  if (status >= 500)
    return messagePage(language, 'Not available', 'The service cannot do this at the moment. Try again later.');
  return messagePage(language, 'That did not work', message);
}

function sendPage(response: Response, status: number, page: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-store',
    Vary: 'Accept-Language',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  });
  response.end(page);
}
