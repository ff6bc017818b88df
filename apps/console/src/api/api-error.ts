import type { ErrorResponse, ValidationIssue } from '@deckhand/contracts';
import { i18n } from '../language/i18n.ts';
import { servedMessage } from '../language/served-text.ts';

/** An error response, or no response at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The stable error code; `UNREACHABLE` without a response. */
  readonly code: string;
  /** The issues of a body, per field; empty for other errors. */
  readonly issues: readonly ValidationIssue[];
  readonly requestId: string | undefined;
  /** Seconds after which to retry, if the response says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Omit<Partial<ErrorResponse>, 'code'> & { code?: string }, retryAfter?: number) {
    super(servedMessage(body.error ?? i18n.t('The service responded with {status}', { status })));
    this.status = status;
    this.code = body.code ?? 'UNKNOWN';
    const issues = Array.isArray(body.details) ? body.details.filter(isIssue) : [];
    this.issues = issues.map((issue) => ({ ...issue, message: servedMessage(issue.message) }));
    this.requestId = body.requestId;
    this.retryAfter = retryAfter;
  }
}

/** Returns the error of a request without a response. */
export function unreachable(): ApiError {
  return new ApiError(0, { error: i18n.t('The service cannot be reached'), code: 'UNREACHABLE' });
}

function isIssue(value: unknown): value is ValidationIssue {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
