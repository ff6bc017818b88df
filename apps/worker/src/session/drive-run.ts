import type { ClaimedExecution, CredentialUser, FinishedEnding, RestingEnding } from '@deckhand/db';
import {
  begunWait,
  type CompiledWorkflow,
  type Ending,
  idempotencyKeyOf,
  type LoopPosition,
  type NodeRecord,
  type NodeServices,
  nodesUntil,
  runExecution,
  type RecordedError,
  type WaitRequest,
} from '@deckhand/engine';
import type { OpenCredential } from '@deckhand/nodes';
import { type JsonObject, parseJson, type WaitPlace, type FinishedStatus, runError } from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../checkpoints/journal.ts';
import type { ActiveRun } from './active-runs.ts';
import { childIdOf } from './derived-id.ts';
import { mocksOf } from './mocks.ts';
import type { RunObserver } from './run-reports.ts';
import type { WaitTimer } from './wait-timer.ts';

/** What nodes need from the worker. */
export interface NodeEnvironment {
  /** The database's time, in ms since the epoch. */
  readonly now: () => number;
  readonly services: NodeServices;
  /** Opens a credential for a node. @throws NodeError as `NodeContext.credential` does. */
  readonly openCredential: OpenCredential<CredentialUser>;
  /** Returns the address where a wait is answered without a session; undefined if PUBLIC_URL is not set. */
  readonly answerLink: ((place: WaitPlace) => string) | undefined;
  /** Returns whether the worker has so many runs that each must leave its place as soon as it can. */
  readonly isBusy: () => boolean;
  /** Returns the variables of a workspace, by name. */
  readonly loadVariables: (workspaceId: string) => Promise<JsonObject>;
}

/** Nodes in iterations of a run. */
export interface WantedIterations {
  readonly nodeIds: readonly string[];
  readonly iterations: readonly string[];
}

/** A claimed run with everything that running it needs. */
export interface DrivenRun {
  readonly claimed: ClaimedExecution;
  readonly workflow: CompiledWorkflow;
  /** Records of nodes that ran before, by key; finished nodes are not run again. */
  readonly records: ReadonlyMap<string, NodeRecord>;
  /** Positions of loops that earlier workers left in progress, by key. */
  readonly positions: ReadonlyMap<string, LoopPosition>;
  /** Reads records of iterations that earlier workers finished. */
  readonly loadIterations: (wanted: WantedIterations) => Promise<readonly NodeRecord[]>;
  readonly run: ActiveRun;
  readonly journal: Journal;
  readonly observer: RunObserver;
  readonly waitTimer: WaitTimer;
}

/** A run with longer trigger data, in characters, waits for time slices: many such runs must not block the loop. */
const LONG_TRIGGER_DATA_CHARS = 256 * 1024;

/** For how long a run stays before it rests for another run, in ms. Most others end sooner. */
const STAY_MS = 25;

/**
 * Runs the engine until the run ends, rests or halts, and records each step in the journal.
 * @returns how the run ended; it is not written yet.
 */
export async function driveRun(driven: DrivenRun, environment: NodeEnvironment): Promise<Ending> {
  const { claimed, workflow, records, positions, loadIterations, run, journal, observer, waitTimer } = driven;
  const { now, services, openCredential, answerLink, loadVariables } = environment;
  const isLong = claimed.triggerData.length > LONG_TRIGGER_DATA_CHARS;
  if (isLong) await nextSlice();
  return runExecution({
    workspaceId: claimed.workspaceId,
    executionId: claimed.id,
    mode: claimed.executionMode,
    workflow,
    triggerNodeId: claimed.triggerNodeId,
    trigger: parseJson(claimed.triggerData),
    vars: workflow.usesVars ? await loadVariables(claimed.workspaceId) : {},
    records,
    positions,
    until: claimed.untilNodeId === null ? undefined : nodesUntil(workflow, claimed.untilNodeId),
    mocks: claimed.mocks === null ? undefined : mocksOf(claimed),
    control: run,
    services,
    answerLink,
    openCredential: (credentialId, sentTo, signal) => openCredential(claimed, credentialId, { sentTo, signal }),
    ports: {
      now,
      random: Math.random,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      yieldToEventLoop: () => (journal.isBehind() ? journal.flush() : isLong ? nextSlice() : yieldToEventLoop()),
      record: (record) => {
        const type = workflow.nodes.get(record.nodeId)?.type;
        journal.record(record, type?.type === 'workflow' ? startedRunOf(claimed.id, record) : undefined);
        run.trackWait(record);
        const dueAt = begunWait(record)?.wait.dueAt ?? null;
        if (dueAt !== null) waitTimer.expect(dueAt - now());
        observer.recorded(record, type);
      },
      flush: () => journal.flush(),
      positionsFrom: (read) => journal.positionsFrom(read),
      loadIterations: (nodeIds, iterations) => loadIterations({ nodeIds, iterations }),
      beforeRest: (waits) => stayForRuns(waits, driven, environment),
    },
  });
}

/**
 * Stays with a run that would rest for a run that it has started: to let it rest, and to claim and load it again, takes
 * longer than many runs do. A busy worker gives its place to others at once.
 */
async function stayForRuns(
  waits: readonly WaitRequest[],
  { run, journal }: DrivenRun,
  { isBusy }: NodeEnvironment,
): Promise<void> {
  if (isBusy() || !waits.some(({ kind }) => kind === 'workflow')) return;
  const changed = run.nextChange(STAY_MS);
  // The end of the other run is reported only to a wait that is on disk.
  await journal.flush();
  await changed;
}

/** Returns the run that a cancelled node has started, or may be about to start; undefined for other records. */
function startedRunOf(executionId: string, { nodeId, iteration, status }: NodeRecord): string | undefined {
  return status === 'stopped' ? childIdOf(executionId, idempotencyKeyOf(executionId, nodeId, iteration)) : undefined;
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const TIME_LIMIT_PASSED = runError('EXECUTION_TIMEOUT');
const UNCAUGHT_ERROR = runError('UNCAUGHT_ERROR');
const MEMORY_EXCEEDED = runError('MEMORY_EXCEEDED');

/** The outcome of a run's last checkpoint on this worker. */
export type FinalCheckpoint =
  /** The run has ended, and its end is on disk. `result`: serialised; null without one. */
  | { readonly kind: 'finished'; readonly status: FinishedStatus; readonly result: string | null }
  /**
   * The run rests until a wait ends. `wakeAt`: when its next wait is due, in ms since the epoch. `waitsForChild`: one
   * of its waits ends when a child run finishes.
   */
  | { readonly kind: 'resting'; readonly wakeAt: number | null; readonly waitsForChild: boolean }
  /** The run was halted, paused or answered meanwhile: the caller releases it. */
  | { readonly kind: 'unfinished' };

/**
 * Writes how the run ends or rests.
 * @throws FencedError, CheckpointRefusedError or RetriesEndedError when nothing was written.
 */
export async function writeFinalCheckpoint(ending: Ending, run: ActiveRun, journal: Journal): Promise<FinalCheckpoint> {
  switch (ending.kind) {
    case 'success': {
      const result = ending.result && JSON.stringify(ending.result);
      return finish(journal, { kind: 'finished', status: 'success', error: null, result });
    }
    case 'failed':
      return finish(journal, failure('failed', ending.error, ending.nodeId));
    case 'halted':
      switch (run.haltReason()) {
        case 'timeout':
          return finish(journal, failure('timeout', TIME_LIMIT_PASSED, journal.currentNodeId()));
        case 'uncaughtError':
          return finish(journal, failure('failed', UNCAUGHT_ERROR, null));
        case 'memoryExceeded':
          return finish(journal, failure('failed', MEMORY_EXCEEDED, null));
        default:
          return { kind: 'unfinished' };
      }
    case 'waiting': {
      const resting = restingEnding(ending.waits, ending.answerCount);
      if ((await journal.rest(resting)) !== 'written') return { kind: 'unfinished' };
      const waitsForChild = ending.waits.some(({ kind }) => kind === 'workflow');
      return { kind: 'resting', wakeAt: resting.wakeAt, waitsForChild };
    }
  }
}

/** Returns the ending of a run that fails or times out. `nodeId`: the node that failed it, or at which it timed out. */
export function failure(status: 'failed' | 'timeout', error: RecordedError, nodeId: string | null): FinishedEnding {
  const { message, code } = error;
  return { kind: 'finished', status, error: JSON.stringify({ message, nodeId, code }), result: null };
}

async function finish(journal: Journal, ending: FinishedEnding): Promise<FinalCheckpoint> {
  const verdict = await journal.finish(ending);
  if (verdict !== 'written') return { kind: 'unfinished' };
  return { kind: 'finished', status: ending.status, result: ending.result };
}

function restingEnding(waits: readonly WaitRequest[], answerCount: number): RestingEnding {
  const kinds = new Set(waits.map(({ kind }) => kind));
  const due = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
  return {
    kind: 'resting',
    status: kinds.has('approval') ? 'waiting_for_input' : kinds.has('human') ? 'waiting_for_human' : 'running',
    wakeAt: due.length > 0 ? Math.min(...due) : null,
    answerCount,
  };
}
