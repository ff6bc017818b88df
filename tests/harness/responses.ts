import * as contracts from '@deckhand/contracts';
import { pageOf } from '@deckhand/contracts';
import type { Static } from 'typebox';

/**
 * The schema of the successful response of each operation whose body a test reads. openapi.test.ts holds it to the
 * routes. Operations without a body are left out.
 */
export const RESPONSE_SCHEMAS = {
  'GET /api/admin/audit-log': pageOf(contracts.AuditLogEntry),
  'GET /api/admin/model-prices': contracts.ModelPrices,
  'PUT /api/admin/model-prices': contracts.ModelPrices,
  'GET /api/admin/settings': contracts.InstanceSettings,
  'PUT /api/admin/settings': contracts.InstanceSettings,
  'GET /api/admin/workspaces/:id/limits': contracts.WorkspaceLimits,
  'PUT /api/admin/workspaces/:id/limits': contracts.WorkspaceLimits,
  'GET /api/admin/workspaces/:id/usage': contracts.WorkspaceUsage,
  'GET /api/ai/memories': pageOf(contracts.MemoryEntry),
  'GET /api/ai/memories/messages': contracts.Memory,
  'GET /api/ai/usage': contracts.AiUsage,
  'GET /api/insights': contracts.Insights,
  'GET /api/api-keys': pageOf(contracts.ApiKeyEntry),
  'POST /api/api-keys': contracts.CreatedApiKey,
  'POST /api/api-keys/:id/revoke': contracts.ApiKeyEntry,
  'POST /api/api-keys/:id/rotate': contracts.CreatedApiKey,
  'GET /api/approvals': pageOf(contracts.ApprovalEntry),
  'POST /api/approvals/submit': contracts.RecordedResponse,
  'GET /api/audit-log': pageOf(contracts.AuditLogEntry),
  'POST /api/auth/accept-invite': contracts.AcceptedInvite,
  'POST /api/auth/devices': contracts.StartedDeviceResponse,
  'GET /api/auth/devices/:id': contracts.DeviceAuthorizationResponse,
  'POST /api/auth/devices/:id/key': contracts.CreatedApiKey,
  'POST /api/auth/login': contracts.LoginResponse,
  'POST /api/auth/login/passkey': contracts.PendingSignIn,
  'POST /api/auth/login/second-factor': contracts.LoginResponse,
  'GET /api/auth/second-factors': contracts.SecondFactors,
  'POST /api/auth/authenticator': contracts.StartedAuthenticator,
  'POST /api/auth/authenticator/confirm': contracts.RecoveryCodes,
  'POST /api/auth/passkeys/options': contracts.StartedPasskey,
  'POST /api/auth/passkeys': contracts.AddedPasskey,
  'POST /api/auth/recovery-codes': contracts.RecoveryCodes,
  'POST /api/auth/confirm/options': contracts.ConfirmationOptions,
  'GET /api/auth/me': contracts.MeResponse,
  'GET /api/auth/methods': contracts.SignInMethods,
  'GET /api/users': pageOf(contracts.AccountEntry),
  'POST /api/users/:id/deactivate': contracts.AccountEntry,
  'POST /api/users/:id/activate': contracts.AccountEntry,
  'DELETE /api/users/:id/identities': contracts.AccountEntry,
  'POST /api/auth/sso/start': contracts.StartedSignOn,
  'POST /api/auth/sso/finish': contracts.FinishedSignOn,
  'POST /api/auth/sso/logout': contracts.SignedOff,
  'GET /api/auth/sessions': pageOf(contracts.SessionEntry),
  'GET /api/auth/setup': contracts.SetupStateResponse,
  'POST /api/auth/setup': contracts.LoginResponse,
  'GET /api/credentials': pageOf(contracts.CredentialEntry),
  'POST /api/credentials': contracts.CredentialEntry,
  'GET /api/credentials/:id': contracts.CredentialEntry,
  'GET /api/credentials/:id/workflows': contracts.CredentialUses,
  'POST /api/credentials/:id/connect': contracts.StartedConnection,
  'POST /api/credentials/:id/connect/poll': contracts.PolledConnection,
  'POST /api/connectors/options': contracts.ConnectorChoices,
  'POST /api/credentials/:id/test': contracts.CredentialTest,
  'POST /api/credentials/callback': contracts.FinishedConnection,
  'PATCH /api/credentials/:id': contracts.CredentialEntry,
  'GET /api/event-endpoints': pageOf(contracts.EventEndpoint),
  'POST /api/event-endpoints': contracts.CreatedEventEndpoint,
  'GET /api/event-endpoints/:id': contracts.EventEndpoint,
  'PATCH /api/event-endpoints/:id': contracts.EventEndpoint,
  'GET /api/event-endpoints/:id/deliveries': pageOf(contracts.EventDelivery),
  'POST /api/event-endpoints/:id/deliveries/:deliveryId/replay': contracts.EventDelivery,
  'POST /api/event-endpoints/:id/replay': contracts.ReplayEventsResponse,
  'POST /api/event-endpoints/:id/rotate-secret': contracts.EventSecret,
  'GET /api/event-endpoints/:id/secrets': contracts.EventSecretList,
  'POST /api/event-endpoints/:id/test': contracts.EventDelivery,
  'POST /api/events': contracts.SentEvent,
  'GET /api/executions': contracts.ExecutionPage,
  'GET /api/executions/histogram': contracts.ExecutionHistogram,
  'POST /api/executions/stop': contracts.StopManyResponse,
  'GET /api/failure-groups': pageOf(contracts.FailureGroup),
  'GET /api/failure-groups/:id': contracts.FailureGroup,
  'PATCH /api/failure-groups/:id': contracts.FailureGroup,
  'GET /api/bulk-actions': pageOf(contracts.BulkAction),
  'POST /api/bulk-actions': contracts.BulkAction,
  'POST /api/bulk-actions?dryRun=true': contracts.BulkActionPreview,
  'GET /api/bulk-actions/:id': contracts.BulkAction,
  'POST /api/bulk-actions/:id/abort': contracts.BulkAction,
  'POST /api/workflows/:id/files': contracts.FileValue,
  'POST /api/executions/:id/files/:fileId/link': contracts.FileLinkResponse,
  'GET /api/executions/export': contracts.ExecutionExport,
  'GET /api/executions/:id': contracts.Execution,
  'PATCH /api/executions/:id': contracts.Execution,
  'GET /api/executions/:id/callbacks': contracts.CallbackList,
  'POST /api/executions/:id/callbacks/:deliveryId/replay': contracts.Callback,
  'POST /api/executions/:id/pause': contracts.StatusResponse,
  'POST /api/executions/:id/redact': contracts.StatusResponse,
  'POST /api/executions/:id/rerun': contracts.ExecuteResponse,
  'GET /api/executions/:id/result': contracts.ExecutionResult,
  'POST /api/executions/:id/resume': contracts.StatusResponse,
  'POST /api/executions/:id/stop': contracts.StatusResponse,
  'POST /api/executions/:id/nodes/:nodeId/complete': contracts.RecordedResponse,
  'GET /api/executions/:id/nodes/:nodeId/debug': contracts.NodeDebug,
  'GET /api/executions/:id/nodes/:nodeId/iterations': pageOf(contracts.IterationEntry),
  'GET /api/executions/:id/nodes/:nodeId/output': contracts.NodeOutput,
  'GET /api/folders': pageOf(contracts.FolderEntry),
  'POST /api/folders': contracts.FolderEntry,
  'PATCH /api/folders/:id': contracts.FolderEntry,
  'GET /api/human-tasks': pageOf(contracts.HumanTaskEntry),
  'GET /api/me': contracts.WhoAmI,
  'GET /api/monitoring/fleet': contracts.FleetResponse,
  'GET /api/monitoring/stats': contracts.RunStats,
  'GET /api/monitoring/workflows': contracts.WorkflowTimes,
  'GET /api/monitoring/activity': contracts.WorkflowActivity,
  'GET /api/node-types': pageOf(contracts.NodeTypeEntry),
  'GET /api/schedules': pageOf(contracts.ScheduleEntry),
  'GET /api/schedules/times': contracts.ScheduleTimes,
  'GET /api/connectors': pageOf(contracts.ConnectorEntry),
  'POST /api/connectors': contracts.ConnectorEntry,
  'POST /api/connectors?dryRun=true': contracts.CheckedConnector,
  'GET /api/connectors/:name/versions': pageOf(contracts.ConnectorEntry),
  'GET /api/connectors/:name/versions/:version/operations': pageOf(contracts.OperationEntry),
  'GET /api/connectors/:name/versions/:version/operations/:operation': contracts.OperationDetails,
  'GET /api/variables': pageOf(contracts.VariableEntry),
  'POST /api/variables': contracts.VariableEntry,
  'PATCH /api/variables/:id': contracts.VariableEntry,
  'GET /api/variables/:id/workflows': contracts.VariableUses,
  'GET /api/workflows': pageOf(contracts.WorkflowEntry),
  'POST /api/workflows': contracts.CreatedWorkflow,
  'POST /api/workflows?dryRun=true': contracts.DryRunResponse,
  'POST /api/workflows/apply': contracts.AppliedWorkflow,
  'POST /api/workflows/apply?dryRun=true': contracts.DryRunResponse,
  'GET /api/workflows/:id': contracts.Workflow,
  'PATCH /api/workflows/:id': contracts.Workflow,
  'GET /api/workflows/:id/activations': contracts.ActivationPage,
  'GET /api/workflows/:id/deliveries': pageOf(contracts.WebhookDelivery),
  'POST /api/workflows/:id/deliveries/:deliveryId/replay': contracts.ExecuteResponse,
  'POST /api/workflows/:id/duplicate': contracts.DuplicatedWorkflow,
  'POST /api/workflows/import/n8n': contracts.ImportedWorkflow,
  'POST /api/workflows/import/n8n?dryRun=true': contracts.ImportPreview,
  'POST /api/workflows/:id/execute': contracts.ExecuteResponse,
  'POST /api/workflows/:id/execute/batch': contracts.ExecuteBatchResponse,
  'GET /api/workflows/:id/draft': contracts.Draft,
  'PUT /api/workflows/:id/draft': contracts.SavedDraft,
  'GET /api/workflows/:id/import-report': contracts.WorkflowImportReport,
  'GET /api/workflows/:id/executions': contracts.ExecutionPage,
  'POST /api/workflows/:id/schedules/:nodeId/pause': contracts.WorkflowSchedule,
  'POST /api/workflows/:id/schedules/:nodeId/resume': contracts.WorkflowSchedule,
  'GET /api/workflows/:id/versions': pageOf(contracts.VersionEntry),
  'POST /api/workflows/:id/versions': contracts.SavedVersion,
  'POST /api/workflows/:id/versions?dryRun=true': contracts.DryRunResponse,
  'GET /api/workflows/:id/versions/:versionId': contracts.Version,
  'POST /api/workflows/:id/webhooks/:nodeId/test': contracts.WebhookTestUrl,
  'POST /api/workflows/:id/webhooks/:nodeId/url': contracts.WebhookUrl,
  'GET /api/workspaces': pageOf(contracts.WorkspaceEntry),
  'POST /api/workspaces': contracts.WorkspaceEntry,
  'GET /api/workspaces/:id': contracts.WorkspaceEntry,
  'PATCH /api/workspaces/:id': contracts.WorkspaceEntry,
  'GET /api/workspaces/:id/invites': pageOf(contracts.InviteEntry),
  'POST /api/workspaces/:id/invites': contracts.CreatedInvite,
  'GET /api/workspaces/:id/members': pageOf(contracts.MemberEntry),
  'POST /api/workspaces/:id/members': contracts.MemberEntry,
  'PATCH /api/workspaces/:id/members/:userId': contracts.MemberEntry,
  'GET /api/workspaces/:id/callback-secrets': contracts.EventSecretList,
  'POST /api/workspaces/:id/callback-secrets/rotate': contracts.EventSecret,
  'GET /api/workspaces/:id/usage': contracts.WorkspaceUsageAndLimits,
  'GET /healthz': contracts.LiveResponse,
  'GET /readyz': contracts.ReadyResponse,
} as const;

type Schemas = typeof RESPONSE_SCHEMAS;

/** Members of an error response. Any response may lack them. `details` are the issues of an invalid request. */
export type ErrorMembers = Partial<
  Omit<contracts.ErrorResponse, 'details'> & { details: readonly contracts.ValidationIssue[] }
>;

/**
 * The body of a response: the members of the operation's successful response, and the optional members of an error. The
 * operation is found by the path of the request, such as `/api/executions/${string}?wait=10`. A path that is kept in a
 * constant needs `as const`: for a plain string, only the members of an error are known.
 */
export type ResponseBody<Method extends string, Path extends string> = [Found<Method, Path>] extends [never]
  ? ErrorMembers
  : Found<Method, Path> & Omit<ErrorMembers, keyof Found<Method, Path>>;

type Found<Method extends string, Path extends string> = string extends Path
  ? never
  : [Matching<`${Method} ${Path}`, OperationWithQuery>] extends [never]
    ? FoundByPath<`${Method} ${WithoutQuery<Path>}`>
    : Matching<`${Method} ${Path}`, OperationWithQuery>;

type OperationWithQuery = Extract<keyof Schemas, `${string}?${string}`>;

type WithoutQuery<Path extends string> = Path extends `${infer Target}?${string}` ? Target : Path;

type FoundByPath<Request extends string> = Request extends keyof Schemas
  ? Static<Schemas[Request]>
  : Matching<Request, keyof Schemas>;

// Conditional types distribute over the union of all operations.
type Matching<Request extends string, Operation extends keyof Schemas> = Operation extends keyof Schemas
  ? Matches<Request, Operation> extends true
    ? Static<Schemas[Operation]>
    : never
  : never;

/** Compares a request with an operation, segment by segment. */
type Matches<Request extends string, Operation extends string> = Operation extends `${infer Expected}/${infer Others}`
  ? Request extends `${infer Given}/${infer Rest}`
    ? MatchesSegment<Given, Expected> extends true
      ? Matches<Rest, Others>
      : false
    : false
  : Request extends `${string}/${string}`
    ? false
    : MatchesSegment<Request, Operation>;

// The last segment may be followed by a query that only a variable has: `executions${string}`.
type MatchesSegment<Given extends string, Expected extends string> = Expected extends `:${string}`
  ? true
  : Given extends `${Expected}${string}`
    ? Expected extends Given
      ? true
      : false
    : false;
