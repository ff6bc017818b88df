import type { ErrorResponse, Fault } from '@deckhand/contracts';

/** An answer that is an error, or no answer at all (`status` 0). */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly status: number;
  /** The stable code of the error's catalogue; `UNREACHABLE` without an answer. */
  readonly code: string;
  /** Faults of a body, field by field; none for other errors. */
  readonly faults: readonly Fault[];
  readonly requestId: string | undefined;
  /** Seconds after which to try again, where the answer says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Omit<Partial<ErrorResponse>, 'code'> & { code?: string }, retryAfter?: number) {
    super(body.error ?? `The service answered ${status}`);
    this.status = status;
    this.code = body.code ?? 'UNKNOWN';
    this.faults = Array.isArray(body.details) ? body.details.filter(isFault) : [];
    this.requestId = body.requestId;
    this.retryAfter = retryAfter;
  }
}

/** The fault of a request that got no answer. */
export function unreachable(): ApiFault {
  return new ApiFault(0, { error: 'The service cannot be reached', code: 'UNREACHABLE' });
}

function isFault(value: unknown): value is Fault {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
