import type { ErrorCode, ErrorResponse, ExecutionResponse } from './generated/types.gen.ts';

/** An error response of the API. Branch on `code`, or on `status` for a code that this version does not know. */
export class DeckhandError extends Error {
  override readonly name = 'DeckhandError';
  /** HTTP status. Redirects are not followed; browsers hide their status, which is 0. */
  readonly status: number;
  /** Stable code: docs/errors.md lists them. `UNKNOWN` for a response that is not from the API, such as a proxy's. */
  readonly code: ErrorCode | 'UNKNOWN';
  /** Identifies the request in the logs of the instance. */
  readonly requestId: string | undefined;
  /** The body, with members of single codes such as `executionId`; undefined if it is not from the API. */
  readonly body: ErrorResponse | undefined;

  constructor(status: number, body: ErrorResponse | undefined, requestId: string | undefined) {
    super(body?.error ?? `The server responded with status ${status}`);
    this.status = status;
    this.code = body?.code ?? 'UNKNOWN';
    this.requestId = body?.requestId ?? requestId;
    this.body = body;
  }
}

/** There was no response: the connection failed, or the time limit passed. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A run ended with a status other than `success`. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  /** The run, without outputs. */
  readonly execution: ExecutionResponse;

  constructor(execution: ExecutionResponse) {
    super(`Run ${execution.executionId} ended as ${execution.status}${messageOf(execution)}`);
    this.execution = execution;
  }

  /** `failed`, `timeout` or `stopped`. */
  get status(): ExecutionResponse['status'] {
    return this.execution.status;
  }

  /** The error of the run; null if a person or a key stopped it. */
  get error(): ExecutionResponse['error'] {
    return this.execution.error;
  }
}

/** A signature does not fit the message, or is too old. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

function messageOf({ error }: ExecutionResponse): string {
  if (error === null) return '';
  return error.nodeId === null ? `: ${error.message}` : ` at ${error.nodeId}: ${error.message}`;
}
