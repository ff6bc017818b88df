/**
 * Catalog of errors: HTTP status and public message by code. The messages of the three refusals of keys are those of
 * the contract. `ERROR_TEXTS` explains them.
 */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, message: 'The request is not valid' },
  INVALID_JSON: { status: 400, message: 'The body is not valid JSON' },
  ALREADY_DECIDED: { status: 400, message: 'The wait has ended already: see `recorded`' },
  NOT_WAITING: { status: 400, message: 'The run is not waiting for an answer there' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  INSUFFICIENT_SCOPE: { status: 403, message: 'API key is not scoped for this request' },
  SESSION_REQUIRED: { status: 403, message: 'This endpoint requires an interactive session, not an API key' },
  WORKSPACE_MISMATCH: { status: 403, message: 'This API key is bound to a different workspace' },
  FORBIDDEN: { status: 403, message: 'You do not have permission to do this' },
  SSO_REQUIRED: { status: 403, message: 'Sign in by single sign-on: passwords of your domain are refused' },
  SSO_REFUSED: { status: 403, message: 'Single sign-on gives you no access here' },
  SECOND_FACTOR_REQUIRED: { status: 403, message: 'Add a second factor to your account first' },
  CONFIRMATION_REQUIRED: { status: 403, message: 'Confirm first that it is you, then repeat the request' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  CONFLICT: { status: 409, message: 'This conflicts with the present state' },
  CONCURRENCY_LIMIT: { status: 409, message: 'The concurrency limit of this key is reached' },
  INVALID_STATE: { status: 409, message: 'This is not possible in the present state' },
  NO_ACTIVE_VERSION: { status: 409, message: 'The workflow has no saved version' },
  SEVERAL_WAITS: { status: 409, message: 'Several waits of the node are open: name one by waitId or iteration' },
  LIMIT_REACHED: { status: 409, message: 'The maximum number of these is reached' },
  WEBHOOK_INACTIVE: { status: 410, message: 'The workflow is not active' },
  OUTPUT_GONE: { status: 410, message: 'An output that is needed was deleted from its store' },
  PRECONDITION_FAILED: { status: 412, message: 'The resource was changed since it was read' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large' },
  workspace_over_quota: { status: 413, message: 'The workspace is over its storage quota' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send JSON in UTF-8 without a Content-Encoding' },
  EXECUTION_NOT_FINISHED: { status: 422, message: 'The original run has not finished' },
  NODE_NOT_REACHED: { status: 422, message: 'The run would not come to the node that it starts from' },
  TRIGGER_DATA_GONE: { status: 422, message: 'The trigger data of the original run is no longer available' },
  CONNECTION_FAILED: { status: 422, message: 'The provider did not issue a token' },
  CONNECTOR_FAILED: { status: 422, message: 'The service did not do what was asked' },
  SSO_FAILED: { status: 422, message: 'The identity provider did not confirm who you are' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  workspace_rate_limited: { status: 429, message: 'Too many runs started too quickly' },
  INTERNAL: { status: 500, message: 'Something went wrong' },
  EXECUTION_FAILED: { status: 500, message: 'The run failed' },
  QUEUE_UNAVAILABLE: { status: 503, message: 'The run was created but could not be queued' },
  RESUME_PENDING: {
    status: 503,
    message: 'The decision is recorded but the run could not be resumed yet: submit again',
  },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is not ready' },
  write_circuit_open: { status: 503, message: 'New runs are refused for now, to protect storage' },
  WEBHOOK_TIMEOUT: { status: 504, message: 'The run did not finish in time' },
  INSTANCE_FULL: { status: 507, message: 'The instance has no room for more files' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One validation error of a request. */
export interface ValidationIssue {
  /** The field, such as `definition.nodes[2].parameters.url`; "" is the whole. */
  readonly path: string;
  readonly message: string;
  /** The node of the definition that has the error. */
  readonly nodeId?: string;
}

/** Details of an error beyond its code. */
export interface DeckhandErrorOptions {
  /** Replaces the message of the catalog. */
  readonly message?: string;
  readonly details?: unknown;
  /** Members at the top level of the body, such as `executionId` or `required`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. Never sent to the caller. */
  readonly cause?: unknown;
}

/** An error with a stable code of the catalog. The API turns it into a response in one place. */
export class DeckhandError extends Error {
  override readonly name = 'DeckhandError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: DeckhandErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Maximum number of validation errors in a response. */
export const MAX_ISSUES = 20;

/**
 * Returns a 400 that lists up to `MAX_ISSUES` validation errors, with `truncated: true` if there may be more.
 * @param isTruncated whether the search for errors stopped early.
 */
export function validationFailed(issues: readonly ValidationIssue[], isTruncated = false): DeckhandError {
  const first = issues[0];
  const message = first ? `${first.path || 'body'}: ${first.message}` : ERRORS.VALIDATION_FAILED.message;
  const extra = isTruncated || issues.length > MAX_ISSUES ? { truncated: true } : {};
  return new DeckhandError('VALIDATION_FAILED', { message, details: issues.slice(0, MAX_ISSUES), extra });
}
