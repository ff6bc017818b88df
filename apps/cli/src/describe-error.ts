import { ConnectionError, DeckhandError } from '@deckhand/sdk';
import { describeFailure, EXIT, type ExitCode, type Failure as CommandFailure } from '@deckhand/terminal';
import { isObject } from './json.ts';

/** How a command failed, with the response of the API if that was the reason. */
export interface Failure extends CommandFailure {
  /** The code of the API, for a response of it. */
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly details?: unknown;
}

/** Number of issues that a message has; `--json` has all. */
const MAX_ISSUES = 3;

/** Describes why a command failed. */
export function describeError(error: unknown): Failure {
  if (error instanceof DeckhandError) return describeResponse(error);
  if (error instanceof ConnectionError) {
    const message = `The instance cannot be reached (${reasonOf(error)}): check the URL, and that it runs.`;
    return { message, exitCode: EXIT.unavailable };
  }
  return describeFailure(error);
}

function describeResponse(error: DeckhandError): Failure {
  const { status, code, requestId, body } = error;
  const message = `${summaryOf(error)} (${code})`;
  const advice = adviceFor(error);
  return {
    message: advice === '' ? message : `${message}: ${advice}`,
    exitCode: exitCodeOfStatus(status),
    code,
    status,
    requestId,
    ...(body?.details !== undefined && { details: body.details }),
  };
}

/** Returns what the API refused, and why. The message of an invalid request repeats its first issue. */
function summaryOf({ code, message, body }: DeckhandError): string {
  const issues = issuesOf(body?.details);
  if (issues.length === 0) return message;
  const shown = issues.slice(0, MAX_ISSUES).join('; ');
  const more = issues.length > MAX_ISSUES ? `; ${issues.length - MAX_ISSUES} more` : '';
  return `${code === 'VALIDATION_FAILED' ? '' : `${message}: `}${shown}${more}`;
}

/** Returns the issues of a validation, or the warnings about a definition, each in a few words. */
export function issuesOf(details: unknown): readonly string[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isObject).flatMap(({ path, nodeId, message, remedy }) => {
    if (typeof message !== 'string') return [];
    const text = typeof remedy === 'string' ? `${message} ${remedy}` : message;
    const where = [typeof nodeId === 'string' ? `node ${nodeId}` : '', typeof path === 'string' ? path : ''];
    return [[where.filter((part) => part !== '').join(', '), text].filter((part) => part !== '').join(': ')];
  });
}

function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.refused;
  if (status === 404) return EXIT.notFound;
  // A redirect is not a response of the instance.
  return status === 429 || status >= 500 || status < 400 ? EXIT.unavailable : EXIT.failed;
}

function adviceFor({ code, status, requestId, body }: DeckhandError): string {
  switch (code) {
    case 'UNAUTHORIZED':
      return 'sign in with "deckhand login", or check DECKHAND_API_KEY';
    case 'INSUFFICIENT_SCOPE':
      return `use a key with the scope ${body?.required ?? ''}`;
    case 'WORKSPACE_MISMATCH':
      return 'name the workspace of the key with --workspace, or use another key';
    case 'NO_ACTIVE_VERSION':
      return 'save a version of the workflow first';
    case 'NOT_FOUND':
      return 'check the id, and that the key may see it';
    case 'UNKNOWN':
      return 'the response is not from Deckhand: check the URL';
    default:
      if (status === 429) return 'try again later';
      return status >= 500 ? `try again later; request ${requestId ?? 'unknown'}` : '';
  }
}

/** Returns the innermost reason of a failed connection, such as ECONNREFUSED. It contains no URL and no header. */
function reasonOf(error: Error): string {
  let reason: unknown = error;
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause instanceof Error; depth += 1) {
    reason = reason.cause;
  }
  if (!(reason instanceof Error)) return 'unknown reason';
  return 'code' in reason && typeof reason.code === 'string' ? reason.code : reason.message;
}
