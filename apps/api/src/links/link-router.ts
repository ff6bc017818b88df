import { type Request, Router } from 'express';
import { DeckhandError, simpleForm, type WaitPlace } from '@deckhand/contracts';
import { findLinkedFile, type LinkHolder, readLinkedWait } from '@deckhand/db';
import { sendLinkedDownload } from '../files/send-file.ts';
import { originOf } from '../http/caller-address.ts';
import { createErrorHandler, toDeckhandError } from '../http/errors.ts';
import { completeTask, isSameData } from '../runs/complete-task.ts';
import { isSameDecision, recordDecision } from '../runs/decide.ts';
import type { LinkContext } from '../contexts.ts';
import { linkPage } from './pages.ts';
import { type LinkState, type Question, stateOf } from './link-state.ts';
import { type PageLanguage, pageLanguageOf } from './page-language.ts';
import { readForm, type SentForm } from './read-form.ts';
import { checkStorable, errorPage, isIssues, requireOwnPage, sendPage } from './send-page.ts';
import { type Entered, readSimpleForm, textOf } from './simple-form.ts';

const MAX_COMMENT_LENGTH = 10_000;

/** The path of links in request logs must not have the token (`observe-requests.ts`). */
const PATH = '/answer/:token';

/**
 * Creates what links lead to without a session: files, and the pages that answer an approval or a human task. A GET of
 * a page only shows the question, because scanners of mail and previews of messengers fetch links; a POST answers it.
 * The token is all that counts: cookies and keys are not looked at.
 */
export function createLinkRouter(context: LinkContext): Router {
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
  router
    .route('/files/:token')
    .get(async (request, response) => {
      await context.linkLimit.request(request.ip ?? '');
      const linked = context.fileTokens.verify(request.params.token);
      const file = linked && (await findLinkedFile(context.db, linked));
      if (!file) throw new DeckhandError('NOT_FOUND');
      response.setHeader('Referrer-Policy', 'no-referrer');
      response.setHeader('X-Robots-Tag', 'noindex');
      const { files, shares } = context;
      await sendLinkedDownload(request, response, { files, shares, file, name: linked.name });
    })
    .all(() => {
      throw new DeckhandError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET, HEAD' } });
    });
  router.use(
    ['/answer', '/files'],
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
  /** "" for an unknown run. */
  readonly workspaceId: string;
  readonly consolePath: string;
}

/** Verifies a token and reads what it leads to. The state of an invalid token is that of a deleted run. */
async function openLink(context: LinkContext, request: Request): Promise<Link> {
  await context.linkLimit.request(request.ip ?? '');
  const { token } = request.params;
  const place = context.answerTokens.verify(typeof token === 'string' ? token : '');
  if (!place) throw new DeckhandError('NOT_FOUND');
  return readLink(context, place);
}

async function readLink({ db }: LinkContext, place: WaitPlace): Promise<Link> {
  const found = await readLinkedWait(db, place);
  const workspaceId = found?.workspaceId ?? '';
  return { place, state: stateOf(found), workspaceId, consolePath: `/w/${workspaceId}/runs/${place.executionId}` };
}

/** A page to send. */
interface Sent {
  readonly status: number;
  readonly page: string;
}

/** Reads an answer, and records it if it is the first one. @returns the page that says what became of it. */
async function answerLink(context: LinkContext, request: Request, link: Link): Promise<Sent> {
  const { state } = link;
  const language = pageLanguageOf(request);
  if (!('question' in state) || state.question === undefined) {
    request.resume();
    return { status: state.kind === 'unknown' ? 404 : 409, page: linkPage(state, language) };
  }
  const { question } = state;
  const form = question.kind === 'human' ? simpleForm(question.schema) : undefined;
  const sent = await readForm(context, request, { ...link, form, uploadKey: link.place.executionId });
  const holder: LinkHolder = { userId: null, origin: () => originOf(request, null) };
  try {
    return await recordSent(context, holder, { link, question, sent, language });
  } finally {
    // Those of a recorded answer are named by the run, and stay.
    await sent.discard();
  }
}

/** The answer of a form to a question. */
interface Answering {
  readonly link: Link;
  readonly question: Question;
  readonly sent: SentForm;
  readonly language: PageLanguage;
}

/** Records the answer of a form, at most one, and returns the page that says what became of it. */
async function recordSent(
  context: LinkContext,
  holder: LinkHolder,
  { link, question, sent, language }: Answering,
): Promise<Sent> {
  const { place, state } = link;
  const { entered } = sent;
  try {
    if (sent.refusal) throw sent.refusal;
    const given = answerTo(question, entered);
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
    const { status, details } = toDeckhandError(error);
    if (!isIssues(details)) throw error;
    return { status, page: linkPage(state, language, { ...link, rejected: { entered, issues: details } }) };
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

function statusOf({ kind }: LinkState): number {
  return kind === 'unknown' ? 404 : 200;
}
