import type { ExecutionMode, ExecutionSource, ValidationIssues } from '@deckhand/contracts';
import type { Actor } from '../../access.ts';
import type { KeyedStart } from '../../concurrency/keys.ts';

/** The choice of the version that a run uses: a version by its id, or the active one; otherwise the latest. */
export interface ChosenVersion {
  readonly versionId?: string | undefined;
  readonly isActiveVersion?: boolean | undefined;
  /** Whether `versionId` was found for a request that asks for the latest or the active version. */
  readonly wasCurrentVersion?: boolean | undefined;
}

/** Identifies a request to start a run, so that a repeated one starts no second run. */
export interface IdempotencyKey {
  /** The caller's Idempotency-Key. */
  readonly key: string;
  /**
   * SHA-256 of the request's body, hex: the same key with another body is an error. One of `SENDER_KEYS` for the id of
   * a webhook's sender, which identifies a request whatever its body is.
   */
  readonly bodyHash: string;
}

/**
 * Hashes of the ids of webhooks' senders. With `freed`, the id is free again once its run has failed or timed out
 * without a response; with `kept`, it stands for its first run, however that ends.
 */
export const SENDER_KEYS = { freed: '', kept: 'kept' } as const;

/** A request to start a run. Every source of runs builds one, except for a node that starts a child. */
export interface StartRequest extends ChosenVersion {
  /** Chosen by the caller, so that starting the run again after an ambiguous error is harmless. */
  readonly executionId: string;
  readonly workflowId: string;
  /** The person or key that starts it; null for a trigger of an active workflow. */
  readonly actor: Actor | null;
  /** The workspace that the workflow must belong to; undefined for any that the actor may use. */
  readonly workspaceId?: string;
  /** Null takes the version's default trigger. */
  readonly triggerNodeId: string | null;
  /**
   * The last part of the URL by which a webhook's trigger was found a while ago. The start is refused (`webhookMoved`)
   * unless it still leads to that trigger of the active version.
   */
  readonly webhookSuffix?: string | undefined;
  readonly mode: ExecutionMode;
  readonly source: ExecutionSource;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** The run that this one reruns. */
  readonly rerunOf?: string;
  /** The node that the rerun starts from; without one, its trigger. */
  readonly rerunFromNodeId?: string | undefined;
  /** `failed` if of loops around that node only the iterations in which it failed run again. */
  readonly rerunIterations?: 'failed' | undefined;
  /** The node after which the run ends; without one, it is a whole run. */
  readonly untilNodeId?: string | undefined;
  /** Serialised outputs by node id that a test run uses instead of running these nodes. */
  readonly mocks?: string | undefined;
  /** The failed run that this one is started for. */
  readonly errorOf?: string;
  /** The incoming event that starts it. Its row names the debounced starts that are committed. */
  readonly ofEvent?: string;
  /** W3C traceparent of the request; undefined without tracing. */
  readonly traceParent?: string | undefined;
  /** Serialised `StartOptions`; undefined without any. */
  readonly options?: string | undefined;
  /** Undefined for a request that starts a run however often it is made. */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** The state of a workspace's limit of runs per minute after a run was counted. */
export interface RunCount {
  /** Whether the run exceeds the limit. */
  readonly isBeyond: boolean;
  readonly max: number;
  readonly windowSeconds: number;
  /** Number of further runs that the window allows. */
  readonly remaining: number;
  /** Whole seconds until the next window, at least 1. */
  readonly resetSeconds: number;
}

/** The run was created. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly workspaceId: string;
  /** The columns that were written; null if an earlier attempt may have written them, with another deadline. */
  readonly run: AcceptedRun | null;
  /** What a limit by a key did; undefined for a run without one. */
  readonly underKey?: KeyedStart;
  /** The earlier run that the start was joined with: it wrote none of its own. */
  readonly joined?: JoinedRun;
  /** Undefined for a run that counts towards no limit of runs per minute. */
  readonly counted?: RunCount;
}

/** A run that a debounced start was joined with. */
export interface JoinedRun {
  readonly executionId: string;
  /** Whether it has not begun. */
  readonly isDelayed: boolean;
}

/** The columns that the database adds to an accepted request. */
export interface AcceptedRun {
  readonly workflowVersionId: string;
  readonly triggerNodeId: string;
  readonly deadlineAt: Date;
  /** Whether its workspace or workflow has a limit of concurrent runs. */
  readonly isLimited: boolean;
  /** Whether it starts later, or once it has a slot of its key: it needs no job until then. */
  readonly isDelayed: boolean;
}

/** An earlier request with the same idempotency key and body started the run. */
export interface Repeated {
  readonly kind: 'repeated';
  readonly executionId: string;
  /** Whether it still waits for its start time. */
  readonly isDelayed: boolean;
}

/** The workspace has started as many runs as it may per minute: the next one may start in `count.resetSeconds`. */
export interface RateLimited {
  readonly kind: 'rateLimited';
  readonly count: RunCount;
}

/** The input does not fit the schema that the trigger enforces. */
export interface InvalidInput extends ValidationIssues {
  readonly kind: 'invalidInput';
}

/** The idempotency key was used with another body. */
export interface OtherBody {
  readonly kind: 'otherBody';
}

/**
 * Why a request started no run, and wrote nothing. `limitReached`: the concurrency limit of its key is reached.
 * `webhookMoved`: the URL leads to another trigger or version by now, or to none. `oldVersion`: the person may start
 * the latest and the active version only.
 */
export interface StartRefusal {
  readonly kind:
    | 'limitReached'
    | 'notFound'
    | 'forbidden'
    | 'inactive'
    | 'noVersion'
    | 'oldVersion'
    | 'noTrigger'
    | 'unknownTrigger'
    | 'overQuota'
    | 'webhookMoved';
}

/** What became of a request to start a run. */
export type StartOutcome = Accepted | Repeated | OtherBody | RateLimited | InvalidInput | StartRefusal;
