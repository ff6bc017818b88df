import {
  createBuiltInConnectors,
  createConnectors,
  createCredentialOpener,
  createInputChecker,
  createResultChecker,
  createTokenKeeper,
  type TokenKeeper,
} from '@deckhand/nodes';
import { concurrencyOf } from '@deckhand/contracts';
import {
  changeConnection,
  type Claim,
  type ClaimedExecution,
  createConnectorStore,
  PROVIDER_LIMIT_MS,
  readConnection,
  readSealedCredential,
  readVariables,
  releaseExecutions,
  type RunKey,
  startChild,
  touchConnection,
} from '@deckhand/db';
import { createTrafficControl, type RunJob } from '@deckhand/queue';
import { createResultSignatures, type Logger, type MemoryBudget } from '@deckhand/runtime';
import { announceStarts } from '../announce-runs.ts';
import type { CheckpointWriter } from '../checkpoints/checkpoint-writer.ts';
import type { ClaimHealth } from '../consume/worker-health.ts';
import { createClaim } from './claim-runs.ts';
import { toQueued } from '../maintenance/finish-children.ts';
import type { HeldBackRuns } from '../maintenance/held-back-runs.ts';
import type { KeyRelease } from '../maintenance/release-keys.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { createStartLimits } from '../start-limits.ts';
import type { WorkerStores } from '../stores.ts';
import type { WorkerOptions } from '../worker-options.ts';
import type { ActiveRuns } from './active-runs.ts';
import { createAnswerLink } from './answer-link.ts';
import { createCallerResponses } from './caller-responses.ts';
import type { NodeEnvironment } from './drive-run.ts';
import { limitKeyTransactions } from './key-transactions.ts';
import { createRunLoader, type RunLoader } from './run-loader.ts';
import { createRunLocks, type SessionLocks } from './run-locks.ts';
import { createRunNotifier, type RunNotifier, createRunObserver, type RunObserver } from './run-reports.ts';
import { createAgentMemories } from './agent-memories.ts';
import { createModelCalls } from './model-calls.ts';
import { createNodeFiles } from './node-files.ts';
import { createWorkflowStarter } from './start-workflows.ts';
import type { Versions } from './versions.ts';

/** Claims and releases runs. */
export interface RunClaims {
  /** Claims a run, or only reads it if its first checkpoint will claim it; undefined when it cannot be claimed. */
  readonly claim: (job: RunJob) => Promise<ClaimedExecution | undefined>;
  /** Releases a run: it is dispatched to other workers, or rests when it is paused. */
  readonly release: (run: Claim & { readonly executionId: string }) => Promise<void>;
  /** Dispatches the next run that waits for the slot of this one, under a limit of runs at once. */
  readonly slotFreed: (run: { readonly workspaceId: string; readonly workflowId: string }) => Promise<void>;
  /** Dispatches the next run that waits for the key of this one. */
  readonly keyFreed: (key: RunKey) => Promise<void>;
}

/** The services that the sessions of a worker need. */
export interface SessionParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly claims: RunClaims;
  readonly loader: RunLoader;
  readonly environment: NodeEnvironment;
  readonly writer: CheckpointWriter;
  /** The budget for data of runs. */
  readonly memory: MemoryBudget;
  readonly notifier: RunNotifier;
  /** Begins to observe a claimed run. */
  readonly observe: (run: ClaimedExecution) => RunObserver;
  readonly logger: Logger;
}

/** What the sessions of a worker share with its other parts. */
export interface SharedParts {
  readonly active: ActiveRuns;
  readonly health: ClaimHealth;
  readonly versions: Versions;
  readonly writer: CheckpointWriter;
  readonly metrics: WorkerMetrics;
  readonly heldBack: HeldBackRuns;
  readonly keyRelease: KeyRelease;
  /** Notifies workers and callers of runs that were stopped. */
  readonly onStopped: (executionIds: readonly string[]) => Promise<void>;
  /** Wakes resting runs at a time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** A worker with more runs is busy. */
const MAX_RUNS_AT_REST = 8;

/** Creates what the sessions of a worker need. `keeper`: of the tokens that they use. */
export function createSessionParts(
  options: WorkerOptions,
  stores: WorkerStores,
  shared: SharedParts,
): SessionParts & { readonly keeper: TokenKeeper } {
  const { active, writer, metrics, versions, onStopped, wakeAt } = shared;
  const { logger, memory, outputs } = options;
  const { db, queue, redis, retry } = stores;
  const limited = limitKeyTransactions();
  const locks = createRunLocks({ db, queue, redis, retry, limited });
  const signatures = createResultSignatures(options.secretBox);
  const notifier = createRunNotifier(stores, { locks, signatures, wakeAt, logger });
  const findConnection: FindConnection = (id) =>
    retry('credential', () => shared.health.watchRead(() => readConnection(db, id)));
  const keeper = createTokenKeeper({
    store: {
      read: findConnection,
      // Not watched: it contains a request to a provider, whose silence says nothing about the database.
      change: (id, decide) => retry('credential', () => changeConnection(db, id, decide)),
    },
    box: options.secretBox,
    http: options.services.http,
    providerLimitMs: PROVIDER_LIMIT_MS,
    onError: (err) => logger.warn({ err }, 'failed to refresh tokens before they expire'),
  });
  return {
    workerId: options.id,
    ...{ active, writer, memory, notifier, logger, keeper },
    claims: createRunClaims(options, stores, shared),
    loader: createRunLoader({ stores, outputs, versions, onStopped }),
    environment: createEnvironment(options, stores, { shared, locks, limited, notifier, keeper, findConnection }),
    observe: createRunObserver(metrics, options.tracing),
  };
}

function createRunClaims(
  { id }: WorkerOptions,
  { db, queue, retry }: WorkerStores,
  { health, heldBack, keyRelease }: SharedParts,
): RunClaims {
  return {
    claim: createClaim({
      ...{ id, db, queue, retry },
      // The claim health watches what a claim needs.
      retryRead: (what, act) => retry(what, () => health.watchRead(act)),
      retryWrite: (what, act) => retry(what, () => health.watchWrite(act)),
    }),
    async release(run) {
      const released = await retry('release', () => releaseExecutions(db, id, [run]));
      await queue.add(released.flatMap(toQueued));
    },
    slotFreed: heldBack.slotFreed,
    keyFreed: keyRelease.keyFreed,
  };
}

/** Reads the connection of a credential; undefined if it was deleted. */
type FindConnection = (id: string) => ReturnType<typeof readConnection>;

function createEnvironment(
  options: WorkerOptions,
  { db, queue, redis, retry, clock }: WorkerStores,
  parts: {
    readonly shared: SharedParts;
    readonly locks: SessionLocks;
    readonly limited: ReturnType<typeof limitKeyTransactions>;
    readonly notifier: RunNotifier;
    readonly keeper: TokenKeeper;
    readonly findConnection: FindConnection;
  },
): NodeEnvironment {
  const { schemas, secretBox, publicUrl, logger } = options;
  const { active, health, metrics } = parts.shared;
  const checkInput = createInputChecker(schemas);
  const stored = createConnectorStore(db);
  const limits = createStartLimits({ redis, logger, checkInput });
  return {
    now: clock.now,
    services: {
      ...options.services,
      workflows: createWorkflowStarter({
        startChild: (request) =>
          startChild(db, request, limits, ({ workflowId, options: given }, write) =>
            retry('child', () => (concurrencyOf(given) ? parts.limited(workflowId, write) : write())),
          ),
        announce: (started) => announceStarts({ queue, redis, runs: metrics.runs, logger }, 'workflow', [started]),
      }),
      locks: parts.locks,
      agentMemories: createAgentMemories(db, retry),
      modelCalls: createModelCalls(db, retry, metrics.models),
      results: createResultChecker(schemas),
      connectors: createConnectors({
        builtIn: createBuiltInConnectors(),
        checkInput,
        store: {
          findId: (workspaceId, name) =>
            retry('connector', () => health.watchRead(() => stored.findId(workspaceId, name))),
          read: (id, operation) => retry('connector', () => health.watchRead(() => stored.read(id, operation))),
        },
      }),
      traffic: createTrafficControl({ redis, logger }),
      files: createNodeFiles(options.files, retry),
      responses: createCallerResponses({ db, announce: parts.notifier.announce, retry }),
    },
    openCredential: createCredentialOpener({
      ...{ secretBox, publicUrl },
      read: (run, credentialId) =>
        retry('credential', () => health.watchRead(() => readSealedCredential(db, run, credentialId))),
      readConnection: parts.findConnection,
      keeper: parts.keeper,
      noteUse: (id) => {
        touchConnection(db, id).catch((err: unknown) =>
          logger.warn({ err }, 'failed to record the use of a credential'),
        );
      },
    }),
    answerLink: createAnswerLink(options),
    isBusy: () => active.size > MAX_RUNS_AT_REST || active.size >= options.concurrency,
    loadVariables: (workspaceId) => retry('variables', () => health.watchRead(() => readVariables(db, workspaceId))),
  };
}
