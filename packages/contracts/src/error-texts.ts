import type { ErrorCode } from './errors.ts';
import type { RunErrorCode } from './run-errors.ts';

/** What docs and the OpenAPI document say about a code, in Markdown; links are those of docs/. */
export interface ErrorText {
  readonly when: string;
  /** Whether to try again: `yes`, `no`, or when. */
  readonly retry: string;
}

/** Errors of requests: when a response has the code, and whether the caller should try again. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  VALIDATION_FAILED: {
    when: 'A field is missing, unknown or of the wrong type, or an input does not fit the [schema of its trigger](workflows.md#inputs-and-results-with-a-schema); `details` lists the issues as `{ path, message }`, of a definition with the `nodeId`, at most 20, or only the first if the body has more than 10,000 members and items; then `truncated` is true if there may be more',
    retry: 'no',
  },
  INVALID_JSON: { when: 'The body is not JSON', retry: 'no' },
  ALREADY_DECIDED: {
    when: 'The wait was answered before, or its time was up; `recorded` is how it ended, with `by: null` if its time was up',
    retry: 'no',
  },
  NOT_WAITING: { when: 'The run waits for no approval, or no form, at that node', retry: 'no' },
  UNAUTHORIZED: {
    when: "No key or session, or one that is mistyped, revoked, expired or ended; a webhook's secret, credential or signature that does not match",
    retry: 'no',
  },
  INSUFFICIENT_SCOPE: { when: 'The key lacks the scope in `required`; `hint` says what to do', retry: 'no' },
  SESSION_REQUIRED: {
    when: 'The path belongs to an area that is [closed to API keys](api-keys.md#closed-to-keys)',
    retry: 'no',
  },
  WORKSPACE_MISMATCH: { when: 'The key is bound to another workspace than the one named', retry: 'no' },
  FORBIDDEN: {
    when: 'The role in the workspace lacks the [permission](roles.md), or the caller is not a member of it',
    retry: 'no',
  },
  SSO_REQUIRED: {
    when: 'People with an address of this domain sign in by [single sign-on](single-sign-on.md) only',
    retry: 'no',
  },
  SSO_REFUSED: {
    when: 'The identity provider confirmed who the person is, who has no access here; the message has the [reason](single-sign-on.md)',
    retry: 'no',
  },
  SECOND_FACTOR_REQUIRED: {
    when: 'The settings of the instance require a [second factor](people.md#requiring-a-second-factor) of the person, who has none',
    retry: 'no',
  },
  CONFIRMATION_REQUIRED: {
    when: 'The person last [confirmed](people.md#confirming-that-it-is-you) who they are more than ten minutes ago',
    retry: 'no',
  },
  NOT_FOUND: { when: 'It does not exist, or the caller may not see it', retry: 'no' },
  METHOD_NOT_ALLOWED: { when: 'The path has other methods: `Allow` lists them', retry: 'no' },
  CONFLICT: {
    when: 'It was saved by somebody else in between, or exists already; an [`Idempotency-Key`](limits.md#the-same-request-twice-idempotency-key) that was used with another body or `If-Match`, or for a request whose response was lost (`details.resourceId`)',
    retry: 'no',
  },
  CONCURRENCY_LIMIT: {
    when: 'A start with `onLimit: reject`, while the limit of unfinished runs with its [key](start-options.md#limits-by-a-key) is reached',
    retry: 'later',
  },
  INVALID_STATE: { when: 'Not possible in the current state', retry: 'no' },
  NO_ACTIVE_VERSION: { when: 'The workflow was never saved', retry: 'no' },
  SEVERAL_WAITS: {
    when: 'The node waits in several iterations of a loop, which `details` names by `waitId` and `iteration`: submit with one of them',
    retry: 'no',
  },
  LIMIT_REACHED: {
    when: 'The maximum number is reached: workspaces that one person owns, versions of a workflow, running [bulk actions](bulk-actions.md) of a workspace ([limits](limits.md))',
    retry: 'no',
  },
  WEBHOOK_INACTIVE: {
    when: 'The workflow behind the webhook is draft or inactive, or its trigger is disabled',
    retry: 'no',
  },
  OUTPUT_GONE: {
    when: 'The output was deleted from the object store; a run that needs it fails with the same code',
    retry: 'no',
  },
  PRECONDITION_FAILED: {
    when: '`If-Match` differs from the current state, or the resource has no `ETag`',
    retry: 'no: read it again',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body is larger than the [limit](limits.md), which is `bytesMax` in `details`',
    retry: 'no',
  },
  workspace_over_quota: {
    when: 'The workspace is over its storage quota: `details` has `storedBytes` and `storageQuotaBytes`, except for callers of webhooks',
    retry: 'no',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is compressed, or declared to be in another charset than UTF-8; its media type is not checked, because every body of the API is parsed as JSON',
    retry: 'no',
  },
  EXECUTION_NOT_FINISHED: { when: 'Only a finished run can be rerun', retry: 'no' },
  NODE_NOT_REACHED: {
    when: 'By the outputs that it would reuse, a [rerun](rerun.md) would not come to `fromNodeId` in the chosen version',
    retry: 'no',
  },
  TRIGGER_DATA_GONE: { when: 'The trigger data was deleted by retention', retry: 'no' },
  CONNECTION_FAILED: {
    when: 'The provider of an [OAuth 2.0 credential](oauth.md) could not be reached or issued no token, or its response is not to be trusted; the message has the reason',
    retry: 'if the message names a reason that passes',
  },
  CONNECTOR_FAILED: {
    when: 'The service of a [connector](connectors.md) could not be reached, refused the credential, or did not list the choices; the message has what it said, and `details.code` the code of nodes',
    retry: 'if the message names a reason that passes',
  },
  SSO_FAILED: {
    when: 'A [single sign-on](single-sign-on.md) has expired, was used, or was started in another browser; or the identity provider could not be reached, or its response is not to be trusted; the message has the reason',
    retry: 'by a new sign-in',
  },
  RATE_LIMITED: {
    when: "Too many attempts, requests to a workflow's webhooks, searches, exports, streams or waits of a workspace at once, or [events](incoming-events.md) that are not matched yet; `Retry-After` has the seconds, `details` the limit",
    retry: 'after `Retry-After`',
  },
  workspace_rate_limited: {
    when: 'The workspace starts runs too quickly; `Retry-After` has the seconds, `details` and [`RateLimit`](limits.md#runs-per-minute) the limit',
    retry: 'after `Retry-After`',
  },
  INTERNAL: { when: 'An error of the service; the log has it under `requestId`', retry: 'a few times' },
  EXECUTION_FAILED: { when: 'The run behind a webhook failed; `executionId` names it', retry: 'no' },
  QUEUE_UNAVAILABLE: {
    when: 'The run was written but could not be queued; it is `failed`, and `executionId` names it',
    retry: 'with growing delay',
  },
  RESUME_PENDING: {
    when: 'The decision is recorded, and the run continues later: submit it again, which is a 200 even after the run has continued; `waitId` names the wait',
    retry: 'with growing delay',
  },
  SERVICE_UNAVAILABLE: {
    when: 'PostgreSQL, Redis or the object store cannot do this now: it is unreachable, read-only, out of connections, too slow, or set up wrongly',
    retry: 'with growing delay',
  },
  write_circuit_open: { when: 'New runs are refused for a while, to protect storage', retry: 'with growing delay' },
  WEBHOOK_TIMEOUT: {
    when: 'The run behind a webhook did not finish in time; it may still; `executionId` names it',
    retry: 'no',
  },
  INSTANCE_FULL: {
    when: 'The file does not fit into [the space of the instance](files.md#limits), `FILE_MAX_INSTANCE_BYTES`',
    retry: 'later',
  },
};

/** Errors of runs that the service ended: when a run has the code. */
export const RUN_ERROR_TEXTS: Readonly<Record<RunErrorCode, string>> = {
  EXECUTION_TIMEOUT: 'The time limit of the run is over',
  EXPIRED: 'The run had not begun when it [expired](start-options.md#delays-and-expiry)',
  STOPPED_BY_EVENT: 'An event [stopped](incoming-events.md#stopping-runs) the run. The message names it',
  RUN_LOST_TOO_OFTEN:
    'Its worker died or hung six times in a row while no node finished; after the third loss it was retried with a growing delay',
  RUN_BLOCKED_WORKER: 'It blocked its worker for longer than [`WORKER_MAX_BLOCKED_MS`](limits.md#blocked-workers)',
  MEMORY_EXCEEDED: 'Its worker had no more [memory for data](limits.md#memory), and its outputs took the most',
  UNCAUGHT_ERROR:
    "Its code, or that of a driver that it uses, threw an error that nothing caught. The worker's log has it",
  OUTPUT_GONE: 'A large output that it needs was deleted; `nodeId` names the node that returned it',
  NODE_NOT_REACHED:
    'A [rerun](rerun.md) ended without running the node that it was to start from: nodes before it ran again and took another way. `nodeId` names it',
  VALUE_NOT_STORABLE:
    'PostgreSQL or the object store refused a value of the run, such as a text that it cannot encode. Other runs are not affected',
  INTERNAL: "The service could not continue it; the worker's log has the reason",
  QUEUE_UNAVAILABLE: 'Redis did not take its job when it was started; the caller got a 503 with the id of the run',
  TRIGGER_DATA_GONE: 'It is a [rerun](rerun.md), and retention deleted the data of the original run before it began',
};
