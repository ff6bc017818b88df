import type { Database, SessionLimits } from '@deckhand/db';
import type { Connectors, NodeTypes } from '@deckhand/engine';
import type { InputChecker, SchemaChecker } from '@deckhand/nodes';
import type { FileStore, OutputStore } from '@deckhand/outputs';
import type { FleetView, QueueShards, Redis, WindowRate } from '@deckhand/queue';
import type { AnswerTokens, FileTokens, Logger, SecretBox, Tracing } from '@deckhand/runtime';
import type { Authenticate } from './auth/authenticate.ts';
import type { DeviceAuthorizations } from './auth/device-authorizations.ts';
import type { LoginThrottle } from './auth/login-throttle.ts';
import type { RequestLimit } from './auth/request-limit.ts';
import type { Passkeys } from './auth/passkeys.ts';
import type { PassingStates } from './auth/passing-states.ts';
import type { PendingSignIns } from './auth/pending-sign-ins.ts';
import type { SecondFactorLimit } from './auth/second-factor-limit.ts';
import type { SecondFactors } from './auth/second-factors.ts';
import type { PasswordResets } from './auth/password-resets.ts';
import type { PasswordRules } from './auth/sign-on-settings.ts';
import type { SingleSignOn } from './auth/single-sign-on.ts';
import type { Passwords } from './auth/passwords.ts';
import type { Connections } from './credentials/connections.ts';
import type { TryCredential } from './credentials/try-credential.ts';
import type { TestOperationFinder } from './connectors/test-operation.ts';
import type { UploadReader } from './connectors/read-upload.ts';
import type { AnswerOnce } from './http/answer-once.ts';
import type { LinkLimit } from './links/link-limit.ts';
import type { McpSettings } from './mcp/settings.ts';
import type { MetricsAccess } from './metrics/access.ts';
import type { ApiMetrics } from './metrics/metrics.ts';
import type { EventSender } from './runs/event-sender.ts';
import type { ExecutionReader } from './runs/execution-reader.ts';
import type { RunFollower } from './runs/follow-runs.ts';
import type { NoteStart, RunStarter } from './runs/run-starter.ts';
import type { NotifyWorkers } from './runs/notify-workers.ts';
import type { PrepareCallbacks } from './runs/prepare-callbacks.ts';
import type { RunReads } from './runs/run-reads.ts';
import type { WorkspaceShares } from './runs/workspace-shares.ts';
import type { WriteBreaker } from './runs/write-breaker.ts';
import type { AwaitRun } from './webhooks/await-run.ts';
import type { DeliveryLog } from './webhooks/delivery-log.ts';
import type { DelayFailure } from './webhooks/failure-delay.ts';
import type { WebhookFinder } from './webhooks/find-target.ts';
import type { CredentialReader } from './webhooks/read-credential.ts';

/** What the middleware of every request needs. */
export interface RequestContext {
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly authenticate: Authenticate;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Host name reserved for webhooks. Undefined if they share that of the console. */
  readonly webhookHost: string | undefined;
}

/** What operations on people, their sessions and their keys need. */
export interface PeopleContext {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly authenticate: Authenticate;
  readonly loginThrottle: LoginThrottle;
  readonly passwords: Passwords;
  readonly devices: DeviceAuthorizations;
  /** Token needed to create the first owner. */
  readonly setupToken: string;
  /** Undefined if it is off. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly passwordRules: PasswordRules;
  readonly sessionLimits: SessionLimits;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly secondFactorLimit: SecondFactorLimit;
  readonly pendingSignIns: PendingSignIns;
  /** Challenges of passkeys between two requests of a session. */
  readonly confirmations: PassingStates<{ readonly challenge: string }>;
  /** Whether a single sign-on asks for a second factor, too. */
  readonly asksAfterSignOn: boolean;
  /** Undefined if the service sends no messages. */
  readonly passwordResets: PasswordResets | undefined;
  /** Limits requests for, and by, links to a new password. */
  readonly resetLimit: RequestLimit;
  /** Limits requests that start or finish a single sign-on. */
  readonly signOnLimit: RequestLimit;
  /** Address of the service for people, without a slash at the end. */
  readonly publicUrl: string;
}

/** The connectors of workspaces, and what reads new ones. */
export interface ConnectorLibrary extends Connectors, UploadReader {}

/** What operations on workflows, credentials and other things that people manage need. */
export interface ResourceContext {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly nodeTypes: NodeTypes;
  readonly answerOnce: AnswerOnce;
  readonly notifyWorkers: NotifyWorkers;
  readonly connections: Connections;
  readonly connectors: ConnectorLibrary;
  readonly tryCredential: TryCredential;
  readonly authenticate: Authenticate;
  readonly findTestOperation: TestOperationFinder;
  /** Start of the URLs of webhooks. */
  readonly webhookBaseUrl: string;
}

/** What operations that start runs, or store events that do, need. */
export interface StartContext {
  readonly db: Database;
  readonly logger: Logger;
  readonly nodeTypes: NodeTypes;
  readonly fleet: FleetView;
  readonly breaker: WriteBreaker;
  readonly runStarter: RunStarter;
  readonly checkInput: InputChecker;
  readonly prepareCallbacks: PrepareCallbacks;
  readonly noteStart: NoteStart;
  readonly events: EventSender;
}

/** What recording an answer to a waiting run needs. */
export interface AnswerContext {
  readonly db: Database;
  readonly logger: Logger;
  readonly queue: QueueShards;
  readonly forms: SchemaChecker;
  readonly notifyWorkers: NotifyWorkers;
}

/** What operations on runs that have started need. */
export interface RunContext extends AnswerContext {
  readonly authenticate: Authenticate;
  readonly answerOnce: AnswerOnce;
  /** Reads of runs that decide nothing, from a replica if there is one. */
  readonly runReads: RunReads;
  readonly executions: ExecutionReader;
  /** Store of large outputs. */
  readonly outputs: OutputStore;
  readonly files: FileStore;
  /** Signs links to files. */
  readonly fileTokens: FileTokens;
  /** Start of the URLs of the console, and of links. */
  readonly publicUrl: string;
  readonly follower: RunFollower;
  /** Limits of what one workspace may have in progress in this process. */
  readonly shares: WorkspaceShares;
}

/** What links for people without an account need. */
export interface LinkContext extends AnswerContext {
  /** Verifies the tokens of the links. */
  readonly answerTokens: AnswerTokens;
  readonly fileTokens: FileTokens;
  readonly linkLimit: LinkLimit;
  /** Store of the files that a form takes, or a link leads to. */
  readonly files: FileStore;
  readonly shares: WorkspaceShares;
  /** Maximum size of a form with files, in bytes. */
  readonly maxFileBytes: number;
}

/** What the pages of forms that start runs need. */
export interface FormContext {
  readonly db: Database;
  readonly logger: Logger;
  readonly breaker: WriteBreaker;
  readonly runStarter: RunStarter;
  readonly forms: SchemaChecker;
  readonly deliveries: DeliveryLog;
  readonly linkLimit: LinkLimit;
  /** Counts the requests to the triggers of workflows with a rate limit. */
  readonly workflowRate: WindowRate;
  readonly files: FileStore;
  readonly shares: WorkspaceShares;
  /** Maximum size of a form with files, in bytes. */
  readonly maxFileBytes: number;
}

/** What receiving webhooks needs. */
export interface WebhookContext {
  readonly db: Database;
  /** Store of the files that requests and responses have. */
  readonly files: FileStore;
  readonly shares: WorkspaceShares;
  readonly logger: Logger;
  readonly breaker: WriteBreaker;
  readonly runStarter: RunStarter;
  readonly events: EventSender;
  readonly webhooks: WebhookFinder;
  readonly deliveries: DeliveryLog;
  readonly awaitRun: AwaitRun;
  readonly readCredential: CredentialReader;
  /** Start of the URLs of webhooks. */
  readonly webhookBaseUrl: string;
  /** Delays the response to callers with a wrong secret or signature. */
  readonly delayFailure: DelayFailure;
  /** Counts the requests to the webhooks of workflows with a rate limit. */
  readonly workflowRate: WindowRate;
  /** Maximum size of a body, in bytes. */
  readonly maxBytes: number;
  /** The same for a body whose files are stored. */
  readonly maxFileBytes: number;
}

/** What the endpoint of the Model Context Protocol needs: its tools do what operations of three areas do. */
export interface McpContext {
  readonly settings: McpSettings;
  readonly resources: ResourceContext;
  readonly starts: StartContext;
  readonly runs: RunContext;
}

/** What operations that observe the service need. */
export interface MonitoringContext {
  readonly db: Database;
  readonly runReads: RunReads;
  readonly redis: Redis;
  readonly queue: QueueShards;
  readonly fleet: FleetView;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  readonly metricsAccess: MetricsAccess;
  /** Used by /readyz to check for pending migrations. */
  readonly databaseUrl: string;
  /** False once the process is about to stop, so that load balancers send no more requests. */
  readonly isReady: () => boolean;
}
