import type { Credential, ExecutionMode, JsonObject, JsonValue } from '@deckhand/contracts';
import type { AgentContext } from './agent.ts';
import type { NodeFiles, NodeServices, TrafficLimits } from './node-services.ts';

/** An edge that was taken into a node: its source, and the data. */
export interface NodeInput {
  readonly nodeId: string;
  readonly output: JsonValue;
}

/** The part of its run that a node sees. */
export interface NodeContext {
  /** The run's trigger data. */
  readonly trigger: JsonValue;
  /** `$input`: the output of the node before; with several, an object by node id. */
  readonly input: JsonValue;
  /** Every edge taken into the node, in the definition's order; with an early join, in that of their arrival. */
  readonly inputs: readonly NodeInput[];
  readonly workspaceId: string;
  readonly executionId: string;
  readonly mode: ExecutionMode;
  readonly nodeId: string;
  /** "" outside loops, "3" inside one, "3.1" inside two. */
  readonly iteration: string;
  /** The id of the node's credential; undefined if the definition names none. */
  readonly credentialId: string | undefined;
  /** The same for every attempt and after a crash: (run, node, iteration). */
  readonly idempotencyKey: string;
  /**
   * Aborts when the run is stopped or taken over, or the node's time is up. In the latter case, its reason is a
   * NodeError NODE_TIMEOUT.
   */
  readonly signal: () => AbortSignal;
  /** The node's own `timeoutSeconds`, in ms, which the engine enforces; undefined if it has none. */
  readonly timeoutMs: number | undefined;
  /** The values of the names that `references` of the node's type found, as in expressions: `$input` ... */
  readonly names: () => JsonObject;
  /**
   * Evaluates the deferred parameter of the node's type, with `$response`; undefined if the definition has none.
   * @throws ExpressionError.
   */
  readonly deferred: ((response: JsonValue) => JsonValue) | undefined;
  /**
   * Does a part of the node's work, such as reading a page, and tries it again as the node's `retry` says, without the
   * parts before it. Delays of more than five minutes are left to another attempt of the whole node.
   * @throws what `work` throws; a failure that is not retryable once all attempts are made.
   */
  readonly retryPart: <T>(work: () => Promise<T>) => Promise<T>;
  readonly services: NodeServices;
  /** The files of the run's workspace. */
  readonly files: NodeFiles;
  /** Now, in ms since the epoch. */
  readonly now: () => number;
  /** For a step of an agent: its tools, and what was said so far. */
  readonly agent: AgentContext | undefined;
  /** Output to return in sandbox mode instead of running, if the definition has one. */
  readonly mock: JsonValue | undefined;
  /**
   * The node's credential, read again for every attempt; undefined if the definition names none. Its secrets are masked
   * in the outcome of the node.
   * @param sentTo the URL that the node sends it to. A credential that is limited to hosts is refused without one,
   * unless it names its server itself.
   * @throws NodeError CREDENTIAL_NOT_FOUND, CREDENTIAL_ENDED, CREDENTIAL_PRIVATE, CREDENTIAL_OTHER_WORKFLOW,
   * CREDENTIAL_HOST, CREDENTIAL_UNREADABLE; and for OAuth 2.0 CREDENTIAL_NOT_CONNECTED, CREDENTIAL_RECONNECT_NEEDED,
   * CREDENTIAL_REFRESH_FAILED.
   */
  readonly credential: (sentTo?: URL) => Promise<OpenedCredential | undefined>;
}

/** A decrypted credential, for a node. One of OAuth 2.0 is its access token, as a bearer credential. */
export type OpenedCredential = Credential & {
  /** For an API key of this instance: the origin of its API, which may be reached although its address is private. */
  readonly ownOrigin?: string;
  /** Limits of its requests; undefined without any. */
  readonly traffic?: TrafficLimits;
  /**
   * Replaces an access token of OAuth 2.0 that a server did not accept (401).
   * @returns undefined if no other token is available.
   * @throws NodeError CREDENTIAL_RECONNECT_NEEDED, CREDENTIAL_REFRESH_FAILED.
   */
  readonly renew?: () => Promise<OpenedCredential | undefined>;
};
