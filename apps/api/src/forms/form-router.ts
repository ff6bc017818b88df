import { createHash, randomUUID } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { DeckhandError, isJsonObject, type JsonObject, type JsonValue, validationFailed } from '@deckhand/contracts';
import { SENDER_KEYS } from '@deckhand/db';
import type { FormContext } from '../contexts.ts';
import { networkOf } from '../http/caller-address.ts';
import { createErrorHandler, toDeckhandError } from '../http/errors.ts';
import { rateLimited } from '../http/rate-limit.ts';
import { type PageLanguage, pageLanguageOf } from '../links/page-language.ts';
import { readForm, type SentForm } from '../links/read-form.ts';
import { checkStorable, errorPage, isIssues, requireOwnPage, sendPage } from '../links/send-page.ts';
import { readSimpleForm, textOf } from '../links/simple-form.ts';
import { inData } from '../runs/complete-task.ts';
import { findForm, type FormTarget } from './find-form.ts';
import { formPage, sentPage } from './form-page.ts';

/** What a page sends back to identify one submission. */
const SUBMISSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Creates the pages of forms that start runs: `/form/<suffix>` of the active version, `/form-test/<suffix>` of the
 * latest one while an editor keeps it open. A GET only shows the form. Cookies and keys are not looked at.
 */
export function createFormRouter(context: FormContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  for (const path of ['/form', '/form-test']) {
    const isTest = path === '/form-test';
    router
      .route(`${path}/:suffix`)
      .get((request, response) => show(context, request, response, isTest))
      .post((request, response) => take(context, request, response, isTest))
      .all(() => {
        throw new DeckhandError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET, HEAD, POST' } });
      });
  }
  router.use(
    ['/form', '/form-test'],
    createErrorHandler(context.logger, (response, error) =>
      sendPage(response, error.status, errorPage(error, pageLanguageOf(response.req))),
    ),
  );
  return router;
}

async function show(context: FormContext, request: Request, response: Response, isTest: boolean): Promise<void> {
  await context.linkLimit.request(request.ip ?? '');
  const target = await find(context, request, isTest);
  const language = pageLanguageOf(request);
  if (request.query.sent !== undefined) {
    sendSentPage(response, target, language);
    return;
  }
  sendPage(response, 200, formPage(target, language, { submission: randomUUID() }));
}

/** Takes a form, and notes what came of it among the requests to the workflow. */
async function take(context: FormContext, request: Request, response: Response, isTest: boolean): Promise<void> {
  const [startedAt, at] = [performance.now(), new Date()];
  try {
    requireOwnPage(request);
    await context.linkLimit.request(request.ip ?? '');
    const target = await find(context, request, isTest);
    const { workflowId, nodeId } = target;
    const outcome: Outcome = { executionId: null, errorCode: null };
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : null;
      const durationMs = Math.round(performance.now() - startedAt);
      context.deliveries.note({ workflowId, nodeId, at, isTest, method: 'POST', status, durationMs, ...outcome });
    });
    await receive(context, request, response, { target, outcome });
  } catch (error) {
    // The rest of a form that is refused: browsers show the response once all of it was sent.
    request.resume();
    throw error;
  }
}

/** What became of a form. */
interface Outcome {
  executionId: string | null;
  errorCode: string | null;
}

/**
 * Reads a form, starts the run, and leads the browser on, or shows the form again with what is wrong.
 * @throws DeckhandError as webhooks; FileError.
 */
async function receive(
  context: FormContext,
  request: Request,
  response: Response,
  { target, outcome }: { readonly target: FormTarget; readonly outcome: Outcome },
): Promise<void> {
  let sent: SentForm | undefined;
  try {
    sent = await read(context, request, target);
    if (sent.refusal) throw sent.refusal;
    outcome.executionId = await start(context, target, sent);
  } catch (error) {
    const { code, status, details } = toDeckhandError(error);
    outcome.errorCode = code;
    if (!sent || !isIssues(details)) throw error;
    const rejected = { entered: sent.entered, issues: details };
    const page = formPage(target, pageLanguageOf(request), { submission: randomUUID(), rejected });
    sendPage(response, status, page);
    return;
  } finally {
    // Those of a form that has started a run are named by it, and stay.
    await sent?.discard();
  }
  // Another page, so that a reload sends nothing again. It is of this origin: browsers let a form be redirected only to
  // origins that its page names, also by the servers that come after, which nobody knows beforehand.
  response.writeHead(303, {
    Location: '?sent=1',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
  response.end();
}

async function find({ db }: FormContext, request: Request, isTest: boolean): Promise<FormTarget> {
  const { suffix } = request.params;
  return findForm(db, typeof suffix === 'string' ? suffix : '', { isTest });
}

/** Reads a form within the limits of its sender and its workflow. */
async function read(context: FormContext, request: Request, target: FormTarget): Promise<SentForm> {
  const { workflowId, workspaceId, fields, rateLimit } = target;
  const sender = `${workflowId} ${networkOf(request.ip ?? '')}`;
  await context.linkLimit.submission(sender);
  context.breaker.check();
  if (rateLimit) {
    const count = await context.workflowRate(workflowId, rateLimit);
    const rate = { name: 'workflow-requests', ...rateLimit, ...count } as const;
    if (rate.isBeyond) throw rateLimited('RATE_LIMITED', rate, 'This form was sent too often: try again later');
  }
  return readForm(context, request, { form: fields, workspaceId, uploadKey: sender });
}

/** Starts the run of a form. @returns its id. @throws DeckhandError VALIDATION_FAILED, and as the run starter does. */
async function start(context: FormContext, target: FormTarget, { entered }: SentForm): Promise<string> {
  const { workflowId, workspaceId, nodeId, versionId, testActor, schema, fields, optionsFor } = target;
  const data = readSimpleForm(fields, entered);
  checkStorable(data);
  const { issues, isTruncated } = await context.forms.check(workspaceId, { details: JSON.stringify({ schema }), data });
  if (issues.length > 0) throw validationFailed(issues.map(inData), isTruncated);
  const submission = textOf(entered, 'submission');
  const { executionId } = await context.runStarter.start({
    ...{ workflowId, versionId, wasCurrentVersion: true, triggerNodeId: nodeId, actor: testActor },
    mode: testActor ? 'test' : 'normal',
    source: 'webhook',
    triggerData: JSON.stringify(data),
    options: optionsFor(() => data),
    idempotencyKey: SUBMISSION.test(submission)
      ? {
          key: [testActor ? 'form-test' : 'form', nodeId, submission, digestOf(data)].join(' '),
          bodyHash: SENDER_KEYS.kept,
        }
      : undefined,
  });
  return executionId;
}

/** Two clicks send the same, and upload its files twice. Whoever goes back to the page may send something else. */
function digestOf(data: JsonObject): string {
  const text = JSON.stringify(data, (name, value: JsonValue) => (name === 'file' ? contentOf(value) : value));
  return createHash('sha256').update(text).digest('base64url');
}

function contentOf(file: JsonValue): JsonValue {
  return isJsonObject(file) ? { ...file, id: null } : file;
}

/** Sends the page after a form, which leads the browser on if the form names an address. */
function sendSentPage(response: Response, target: FormTarget, language: PageLanguage): void {
  // As the standard writes it: headers have ASCII only.
  const next = target.redirectUrl === undefined ? undefined : new URL(target.redirectUrl).href;
  if (next !== undefined) response.setHeader('Refresh', `0; url=${next}`);
  sendPage(response, 200, sentPage(target, language, next));
}
