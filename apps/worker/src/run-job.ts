import type { CheckpointEnding, ClaimedExecution } from '@deckhand/db';
import { type CompiledWorkflow, type Ending, type NodeRecord, runExecution } from '@deckhand/engine';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { Logger } from '@deckhand/runtime';
import type { NodeServices } from '@deckhand/engine';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActiveRun, type ActiveRuns, createActiveRun } from './active-runs.js';
import type { CheckpointWriter } from './checkpoint-writer.js';
import { createJournal, FencedError, type Journal } from './journal.js';
import type { EarlierRecords } from './records.js';

/** Records that may wait for the disk before the run does, so that a long loop does not fill the memory. */
const BACKLOG_MAX = 2_000;

/** What running a job stands on. */
export interface RunJobParts {
  readonly active: ActiveRuns;
  readonly writer: CheckpointWriter;
  readonly services: NodeServices;
  readonly logger: Logger;
  /** Claims a run; undefined when it is not to be had. */
  readonly claim: (job: { executionId: string; dispatch: number }) => Promise<ClaimedExecution | undefined>;
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadRecords: (executionId: string) => Promise<EarlierRecords>;
  readonly loadVars: (workspaceId: string) => Promise<JsonObject>;
  /** Gives a run back: it is dispatched to others, or rests when it is paused. */
  readonly release: (run: { executionId: string; epoch: number }) => Promise<void>;
  /** Tells whoever waits that the run finished. */
  readonly announce: (executionId: string) => void;
}

const NO_RECORDS: EarlierRecords = { records: new Map(), tallies: new Map() };

/**
 * Takes one job: claims its run, runs it until it ends or halts, and writes how it ended. Resolves when the worker does not
 * hold the run any more; failures of the run are part of it.
 */
export async function runJob(job: { executionId: string; dispatch: number }, parts: RunJobParts): Promise<void> {
  // A job delivered twice to the worker that holds its run already is nothing new.
  if (parts.active.has(job.executionId)) return;
  const claimed = await parts.claim(job);
  if (!claimed) return;
  const run = createActiveRun({
    executionId: claimed.id,
    epoch: claimed.epoch,
    deadlineAt: claimed.deadlineAt.getTime(),
  });
  parts.active.add(run);
  const logger = parts.logger.child({ executionId: claimed.id });
  try {
    await hold(claimed, run, parts, logger);
  } catch (error) {
    // Whatever it was, the run must not stay with a worker that has given up on it.
    logger.error({ err: error }, 'a run was given back after an unexpected error');
    await parts.release(run);
  } finally {
    parts.active.remove(claimed.id);
  }
}

async function hold(claimed: ClaimedExecution, run: ActiveRun, parts: RunJobParts, logger: Logger): Promise<void> {
  // A first claim has epoch 1: nobody can have left records.
  const { records, tallies } = claimed.epoch === 1 ? NO_RECORDS : await parts.loadRecords(claimed.id);
  const journal = createJournal({
    executionId: claimed.id,
    epoch: claimed.epoch,
    writer: parts.writer,
    records,
    tallies: new Map(tallies),
    onVerdict: (verdict) => {
      if (verdict === 'fenced') run.halt('fenced');
      else run.pause();
    },
  });
  try {
    const ending = toCheckpoint(await execute(claimed, run, parts, journal, records), run);
    if (ending && (await journal.finish(ending)) === 'written') {
      parts.announce(claimed.id);
      return;
    }
    if (run.haltReason() !== 'fenced') await parts.release(run);
  } catch (error) {
    if (error instanceof FencedError) return;
    logger.error({ err: error }, 'the run failed for a reason of the service, not of its own');
    await journal.finish(internalFailure()).then(
      () => parts.announce(claimed.id),
      (again: unknown) => {
        if (!(again instanceof FencedError)) throw again;
      },
    );
  }
}

async function execute(
  claimed: ClaimedExecution,
  run: ActiveRun,
  parts: RunJobParts,
  journal: Journal,
  records: ReadonlyMap<string, NodeRecord>,
): Promise<Ending> {
  const workflow = await parts.loadVersion(claimed.workflowVersionId);
  const trigger: JsonValue = JSON.parse(claimed.triggerData);
  return runExecution({
    executionId: claimed.id,
    mode: claimed.executionMode,
    workflow,
    triggerNodeId: claimed.triggerNodeId,
    trigger,
    vars: workflow.usesVars ? await parts.loadVars(claimed.workspaceId) : {},
    records,
    control: run.control,
    services: parts.services,
    ports: {
      now: Date.now,
      random: Math.random,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      breathe: () => (journal.backlog() > BACKLOG_MAX ? journal.flush() : nextTurn()),
      record: (record) => {
        journal.record(record);
      },
      flush: () => journal.flush(),
    },
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How the run's row ends; undefined for a run that only halts. */
function toCheckpoint(ending: Ending, run: ActiveRun): CheckpointEnding | undefined {
  switch (ending.kind) {
    case 'success':
      return { status: 'success', error: null, result: ending.result && JSON.stringify(ending.result) };
    case 'failed': {
      const { message, code } = ending.error;
      return { status: 'failed', error: JSON.stringify({ message, nodeId: ending.nodeId, code }), result: null };
    }
    case 'halted': {
      if (run.haltReason() !== 'timeout') return undefined;
      const error = { message: 'the run took longer than its time limit', nodeId: null, code: 'EXECUTION_TIMEOUT' };
      return { status: 'timeout', error: JSON.stringify(error), result: null };
    }
  }
}

function internalFailure(): CheckpointEnding {
  const error = { message: 'the service could not go on with this run', nodeId: null, code: 'INTERNAL' };
  return { status: 'failed', error: JSON.stringify(error), result: null };
}
