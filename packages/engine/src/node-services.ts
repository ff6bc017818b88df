import type {
  Credential,
  CredentialCircuit,
  CredentialRateLimit,
  ExecutionMode,
  FieldOptions,
  FileValue,
  JsonObject,
  JsonValue,
  PackCredential,
  PackPaging,
  StartOptions,
  StoredFile,
  ValidationIssue,
} from '@deckhand/contracts';
import type { ScriptRunner } from './script.ts';

/** A body that is read while it is sent. */
export interface StreamedBody {
  /** Its exact length. */
  readonly bytes: number;
  /** Returns its bytes from the beginning: it may be sent again, such as to the target of a redirect. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The response whose body is stored as a file. */
export interface ResponseHead {
  /** The URL that responded, after redirects. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that a node sends. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, http or https, without credentials. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Takes the place of the first `SECRET_IN_PATH` in the path of the URL when the request is sent. Errors have the URL
   * without it.
   */
  readonly pathSecret?: string | undefined;
  /** Names of further headers that must not follow a redirect to another origin. */
  readonly secretHeaders?: readonly string[];
  /** An origin that may be reached although its address is private. */
  readonly exemptOrigin?: string | undefined;
  readonly body: string | Uint8Array | StreamedBody | undefined;
  readonly followRedirects: boolean;
  /** A longer body, also after decompression, fails the request. */
  readonly maxResponseBytes: number;
  /** Whether only status and headers matter: the body of the response is not kept, and a longer one is cut off. */
  readonly ignoresBody?: boolean;
  /**
   * Stores the body of a response with a status below 300, decompressed, while it comes. `maxResponseBytes` does not
   * limit it.
   */
  readonly saveBody?: ((head: ResponseHead, content: AsyncIterable<Uint8Array>) => Promise<FileValue>) | undefined;
  /**
   * Whether the server may get it twice although its method is not idempotent: it is sent again at once, on a new
   * connection, if the server closes a connection that was kept open before it responds.
   */
  readonly isRepeatable?: boolean;
  /** How long the server may send nothing, in ms; by default five minutes. */
  readonly maxSilenceMs?: number;
  readonly signal: AbortSignal;
}

/** The response, decompressed. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name, without set-cookie; several headers with the same name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Each set-cookie header: they are the only ones that may not be joined (RFC 9110, 5.3). */
  readonly setCookies: readonly string[];
  /** Empty if the body was stored. */
  readonly body: Uint8Array;
  /** What `saveBody` has stored; undefined if it was not called. */
  readonly file?: FileValue | undefined;
}

/**
 * Sends requests for nodes. @throws NodeError HTTP_REQUEST_FAILED, ADDRESS_REFUSED, RESPONSE_TOO_LARGE, or
 * PARAMETERS_INVALID for a request that cannot be sent.
 */
export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>;
}

/** One statement for a PostgreSQL database. */
export interface PostgresQuery {
  /** The workspace and the credential of the query: queries of different owners never share a connection. */
  readonly owner: string;
  readonly connectionString: string;
  readonly text: string;
  /** Values for `$1`, `$2`, ... */
  readonly values: readonly JsonValue[];
  readonly isReadOnly: boolean;
  /** More rows fail the query, and roll it back. */
  readonly maxRows: number;
  readonly signal: AbortSignal;
  /** Reads a stored file that is the value of a `bytea` parameter. @throws NodeError FILE_LIMIT above `maxBytes`. */
  readonly readFile: (file: StoredFile, maxBytes: number) => Promise<Uint8Array>;
  /** Stores the bytes of a column, and returns what the row has instead. Undefined for base64. */
  readonly saveBytes?: ((bytes: Uint8Array, column: string) => Promise<JsonValue>) | undefined;
}

/** The result of a statement. */
export interface PostgresResult {
  readonly rows: readonly JsonObject[];
  /** Rows that were read or changed. */
  readonly rowCount: number;
}

/**
 * Queries databases for nodes, each statement in a transaction of its own.
 * @throws NodeError POSTGRES_FAILED, POSTGRES_UNREACHABLE, ADDRESS_REFUSED, RESULT_TOO_LARGE, CREDENTIAL_UNSUITABLE.
 */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
}

/** A file attached to a message. */
export interface MailAttachment {
  readonly filename: string;
  readonly content: Uint8Array;
  readonly contentType: string | undefined;
}

/** A message and the server that accepts it. */
export interface MailMessage {
  readonly server: Extract<Credential, { type: 'smtp' }>['secret'];
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly MailAttachment[];
  /** Becomes the Message-ID, so that a message that is sent again can be recognised. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** The response of a server to a message: the addresses that it accepted, and those that it refused. */
export interface MailReceipt {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
}

/**
 * Sends messages for nodes.
 * @throws NodeError EMAIL_FAILED, EMAIL_UNREACHABLE, EMAIL_ADDRESS_UNSUPPORTED, ADDRESS_REFUSED.
 */
export interface MailSender {
  send(message: MailMessage): Promise<MailReceipt>;
}

/** A server, and the account that logs in. */
export interface SftpTarget {
  readonly server: Extract<Credential, { type: 'sftp' }>['secret'];
  /** Each workspace, and each of its credentials, may have a few connections at the same time. */
  readonly workspaceId: string;
  readonly credentialId: string;
  readonly signal: AbortSignal;
}

/** An entry of a folder. */
export interface SftpEntry {
  /** As the server sent it: without a slash, but with any other character. */
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  /** In ISO 8601; null if the server does not say. */
  readonly modifiedAt: string | null;
}

/** How an entry is replaced. */
export interface Replacing {
  /**
   * Where servers without `posix-rename` keep what is replaced meanwhile: beside it, the same for every attempt. It
   * shows a later attempt how far an earlier one came.
   */
  readonly aside: string;
}

/**
 * A session with a server. @throws NodeError SFTP_NOT_FOUND, SFTP_EXISTS, SFTP_FAILED, each method.
 */
export interface SftpSession {
  /** Lists a folder by name. More than `limit` entries are not read. */
  list(path: string, limit: number): Promise<{ readonly entries: readonly SftpEntry[]; readonly isComplete: boolean }>;
  /** Reads a file at the speed of the consumer. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** Writes a file from its beginning. @returns its length in bytes. */
  write(path: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Returns the length of a file in bytes. */
  sizeOf(path: string): Promise<number>;
  /**
   * Gives an entry another path. @param replacing how an entry there is replaced; undefined if it must not be.
   * @throws NodeError SFTP_FAILED with `details.aside` if an entry was set aside and could not be put back.
   */
  rename(from: string, to: string, replacing: Replacing | undefined): Promise<void>;
  /** Deletes a file or an empty folder. @returns whether it existed. */
  remove(path: string): Promise<boolean>;
  /** Makes a folder, and those that it is in. One that exists is left as it is. */
  makeFolder(path: string): Promise<void>;
}

/**
 * Connects to SFTP servers for nodes.
 * @throws NodeError SFTP_UNREACHABLE, SFTP_HOST_KEY, SFTP_LOGIN_FAILED, ADDRESS_REFUSED, CREDENTIAL_UNSUITABLE.
 */
export interface SftpClient {
  /** Works in a session, which ends with the work. */
  use<T>(target: SftpTarget, work: (session: SftpSession) => Promise<T>): Promise<T>;
}

/** A run that a node wants to start. */
export interface ChildRun {
  readonly workflowId: string;
  /** `latest`, `active`, or the id of a version. */
  readonly version: string;
  readonly input: JsonValue;
  readonly options: StartOptions;
  readonly parentExecutionId: string;
  readonly parentNodeId: string;
  /** The same whenever the node runs again, so that the child is the same too. */
  readonly idempotencyKey: string;
}

/** Starts runs for nodes. @throws NodeError WORKFLOW_NOT_STARTED, NO_ACTIVE_VERSION. */
export interface WorkflowStarter {
  /** @returns the id of the child's run. */
  start(child: ChildRun): Promise<string>;
}

/** A node of a run that requests a lock of its workspace. */
export interface LockAcquisition {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly key: string;
  /** How many may hold it at the same time. */
  readonly maxHolders: number;
  /** How long the request lasts, in ms; null for as long as the run. */
  readonly timeoutMs: number | null;
}

/** The state of a request for a lock. `dueInMs`: when it ends by itself; null if never. */
export type LockState =
  | { readonly kind: 'acquired' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'waiting'; readonly dueInMs: number | null };

/** Locks of a workspace by key, which a run holds until it releases them or ends. */
export interface RunLocks {
  /** Requests a lock, or asks what became of an earlier request of the same node. A waiting node is woken. */
  acquire(request: LockAcquisition): Promise<LockState>;
  /** Releases a lock; without one, it does nothing. */
  release(lock: Pick<LockAcquisition, 'workspaceId' | 'executionId' | 'key'>): Promise<void>;
}

/** A request to a language model, as it is counted. */
export interface ModelCall {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly credentialId: string;
  readonly provider: string;
  readonly model: string;
  /** How many tokens it may use, as far as that can be said before. */
  readonly reservedInputTokens: number;
  readonly reservedOutputTokens: number;
}

/** Tokens that a language model counted. */
export interface ModelTokens {
  /** All tokens of the request, those from the provider's cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The tokens of the request that the provider read from its cache. */
  readonly cachedInputTokens: number;
}

/**
 * Counts requests to language models. A request is counted before it is sent, so that one whose response is lost is
 * counted, too.
 */
export interface ModelCalls {
  /**
   * Counts a call that the limits of its credential let pass. @returns its id.
   * @throws NodeError MODEL_BUDGET_EXCEEDED, MODEL_PRICE_UNKNOWN: it must not be sent.
   */
  begin(call: ModelCall): Promise<string>;
  /**
   * Adds the tokens of a response, in place of those that were reserved.
   * @returns what they cost, in micro-dollars; null if the price of the model is unknown.
   */
  settle(callId: string, tokens: ModelTokens): Promise<number | null>;
  /** Forgets a request that was refused before it was sent. */
  withdraw(callId: string): Promise<void>;
}

/** The memory of an agent, and the agent. */
export interface AgentMemoryPlace {
  readonly workspaceId: string;
  readonly key: string;
  readonly executionId: string;
  /** The agent in its run: it writes one exchange, however often. */
  readonly place: string;
}

/** A prompt, and what an agent answered. */
export interface MemoryExchange {
  readonly prompt: string;
  readonly answer: string;
}

/** What agents remember of conversations, by key, in the workspace of a run. */
export interface AgentMemories {
  /**
   * Returns the last exchanges, oldest first, without that of the agent itself.
   * @throws NodeError AGENT_MEMORY_FULL for a new key of a workspace that has as many as it may.
   */
  read(memory: AgentMemoryPlace, maxExchanges: number): Promise<readonly MemoryExchange[]>;
  /** Adds an exchange, in place of an earlier one of the same agent. */
  write(memory: AgentMemoryPlace, exchange: MemoryExchange): Promise<void>;
}

/** A value that a node makes, and the schema that its author gave for it. */
export interface CheckedResult {
  readonly workspaceId: string;
  /** Only the results of runs in which people try a workflow are checked. Without a mode, the value always is. */
  readonly mode?: ExecutionMode;
  readonly schema: JsonObject;
  /** Without it, the schema alone is checked. */
  readonly body?: JsonValue;
}

/** Checks results against schemas of untrusted authors. */
export interface ResultChecker {
  /** @returns what does not fit, for people; undefined if all does, or if results of this mode are not checked. */
  check(result: CheckedResult): Promise<string | undefined>;
}

/** A response of a node to the caller of its run. */
export interface CallerResponse {
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly body: JsonValue;
  readonly statusCode: number;
  readonly headers: JsonObject;
}

/** Responds to the callers of runs, which are webhooks that respond on completion. */
export interface CallerResponses {
  /**
   * Responds, unless another node of the run has. Repeating it for the same node changes nothing.
   * @returns `noCaller` for a run for which nobody waits.
   */
  send(response: CallerResponse): Promise<'responded' | 'alreadyResponded' | 'noCaller'>;
}

/** Limits of the requests with a credential to one host. */
export interface TrafficLimits {
  readonly credentialId: string;
  readonly rateLimit: CredentialRateLimit | null;
  readonly circuit: CredentialCircuit | null;
}

/** A request that wants to be sent. */
export interface TrafficRequest {
  readonly limits: TrafficLimits;
  /** With its port, unless that is the default one. */
  readonly host: string;
  /** The same when the request is made again after a rest: it keeps its place. */
  readonly ticket: string;
  /** Whether its node can rest meanwhile. Otherwise, it waits in the worker for up to a minute. */
  readonly mayRest: boolean;
  readonly signal: AbortSignal;
}

/** A permit to send a request. */
export interface TrafficPermit {
  /** How long the request waited for it, rests included, in ms. */
  readonly waitedMs: number;
  /** Reports what became of the request: `unknown` if it says nothing about the host. Never rejects. */
  report(outcome: 'success' | 'failure' | 'unknown'): Promise<void>;
}

/** Limits requests by credential and host, over all workers. */
export interface TrafficControl {
  /**
   * Waits until a request may be sent. While Redis is unavailable, all may.
   * @throws NodeError CIRCUIT_OPEN, or RATE_LIMITED: with `retryAfterMs` for a request that has a place, and whose node
   * rests until then. The signal's reason once it aborts.
   */
  admit(request: TrafficRequest): Promise<TrafficPermit>;
}

/** The bytes of a file from `from`, without `until`; all of them without a range. */
export interface ByteRange {
  readonly from: number;
  readonly until?: number | undefined;
}

/** A file whose bytes can be read. */
export interface OpenedFile {
  /** The number of bytes that `content` has: those of the range. */
  readonly bytes: number;
  /**
   * Its bytes in pieces of at most 1 MiB, read as they are consumed. To be read once; ending early releases everything.
   * @throws NodeError FILE_NOT_FOUND if the file was deleted meanwhile.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The name and media type of a new file. */
export interface FileAbout {
  readonly name: string;
  /** `application/octet-stream` by default. */
  readonly contentType?: string | undefined;
}

/** Files of the workspace of a run. Bytes are streamed: neither direction holds more than a few MiB in memory. */
export interface NodeFiles {
  /**
   * Opens a file, which is looked up in the workspace by its id alone.
   * @throws NodeError FILE_NOT_FOUND.
   */
  open(file: FileValue, range?: ByteRange): Promise<OpenedFile>;
  /**
   * Stores a file. The node must return the value in its output within an hour, or the file is deleted again.
   * @param content is consumed at the speed of the store. If it throws, nothing is stored, and the error is thrown.
   * @throws NodeError FILE_TOO_LARGE, STORAGE_FULL, MEMORY_EXCEEDED.
   */
  save(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, about: FileAbout): Promise<FileValue>;
}

/** The processes that read files of others, of which a worker has few. */
export interface FileProcesses {
  /**
   * Waits until a process may be started. Workspaces, and the runs of each, are served in turn.
   * @returns a function to call when the process has ended.
   * @throws the signal's reason if it aborts first.
   */
  acquire(workspaceId: string, signal: AbortSignal, executionId: string): Promise<() => void>;
}

/** The node whose files are opened and stored. */
export interface FileOwner {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly signal: () => AbortSignal;
}

/** An operation of a connector, as definitions name it. */
export interface OperationName {
  readonly connector: string;
  readonly version: string;
  readonly operation: string;
}

/** The request of an operation. */
export interface OperationRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue | undefined;
}

/** An operation of a connector, which a node calls. */
export interface ConnectorOperation {
  /** Whether the service comes with its connector; otherwise, members of the workspace chose its servers. */
  readonly isBuiltIn: boolean;
  /** The schema of its values, by place: `path`, `query`, `header`, `cookie`, `server`, and `body`. */
  readonly schema: JsonObject;
  /** How further pages are read; undefined if it has no pages. */
  readonly paging: PackPaging | undefined;
  /** Where the choices of fields come from, by path. */
  readonly options: Readonly<Record<string, FieldOptions>>;
  /** The header with the idempotency key; undefined for the usual one. */
  readonly idempotencyHeader: string | undefined;
  /** The credentials that its connector takes; empty if it takes any that an http node does. */
  readonly credentials: readonly PackCredential[];
  /** The limit of credentials that have none of their own. */
  readonly rateLimit: CredentialRateLimit | undefined;
  /** Returns the issues of values. Optional members that are null leave a field empty. */
  check(values: JsonObject): Promise<readonly ValidationIssue[]>;
  /**
   * Builds its request from values without issues.
   * @throws NodeError PARAMETERS_INVALID for values that would change which server or path is requested.
   */
  request(values: JsonObject): OperationRequest;
  /** Returns where the page after a response is, for paging by a cursor or a URL; null after the last one. */
  nextPage(body: JsonValue): JsonValue;
  /** Whether a response with a status of success says that the service did not do what was asked. */
  isFailure(body: JsonValue): boolean;
  /** Returns what the service says about an error; undefined if its response does not say it. */
  errorMessage(body: JsonValue): string | undefined;
}

/** The connectors of workspaces, and those that are built in. */
export interface Connectors {
  /** Finds an operation; undefined if the workspace has none of this name. */
  find(workspaceId: string, name: OperationName): Promise<ConnectorOperation | undefined>;
}

/** Services of the worker for nodes with effects outside. */
export interface NodeServices {
  readonly code: ScriptRunner;
  readonly http: HttpClient;
  readonly mail: MailSender;
  readonly postgres: PostgresClient;
  readonly sftp: SftpClient;
  readonly workflows: WorkflowStarter;
  readonly locks: RunLocks;
  readonly responses: CallerResponses;
  readonly modelCalls: ModelCalls;
  readonly agentMemories: AgentMemories;
  readonly results: ResultChecker;
  readonly traffic: TrafficControl;
  readonly fileProcesses: FileProcesses;
  readonly connectors: Connectors;
  /** Returns the files of a node; nodes have them as `context.files`. */
  readonly files: (owner: FileOwner) => NodeFiles;
}
