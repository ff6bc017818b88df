import type { Claim, ClaimedExecution, FinishedEnding, RestingEnding } from '@deckhand/db';
import {
  type CompiledWorkflow,
  type Ending,
  type NodeRecord,
  type NodeServices,
  type RecordedError,
  runExecution,
  type WaitRequest,
} from '@deckhand/engine';
import { type Credential, ERRORS, type FinishedStatus, type JsonObject, parseJson } from '@deckhand/contracts';
import type { RunChange, RunJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActiveRun, type ActiveRuns, createActiveRun } from './active-runs.js';
import type { CheckpointWriter } from '../checkpoints/checkpoint-writer.js';
import { createJournal, FencedError, type Journal } from '../checkpoints/journal.js';
import type { EarlierRecords } from './records.js';
import { OriginGoneError } from './take-over-origin.js';
import type { RunWatch } from './watch-run.js';

/** Records that may wait for the disk before the run does, so that a long loop does not fill the memory. */
const BACKLOG_MAX = 2_000;

/** What running a job stands on. */
export interface RunJobParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly writer: CheckpointWriter;
  readonly services: NodeServices;
  /** Opens a credential of a workspace. @throws NodeError CREDENTIAL_NOT_FOUND, CREDENTIAL_UNREADABLE. */
  readonly openCredential: (workspaceId: string, credentialId: string) => Promise<Credential>;
  readonly logger: Logger;
  /** Notes what becomes of a claimed run. */
  readonly watch: (run: ClaimedExecution) => RunWatch;
  /** Claims a run, or reads one that its first checkpoint claims; undefined when it is not to be had. */
  readonly claim: (job: RunJob) => Promise<ClaimedExecution | undefined>;
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  /** The run's own records, and for one that repeats another from a node, what it takes over of it. */
  readonly withOrigin: (
    claimed: ClaimedExecution,
    own: ReadonlyMap<string, NodeRecord>,
  ) => Promise<ReadonlyMap<string, NodeRecord>>;
  readonly loadRecords: (executionId: string) => Promise<EarlierRecords>;
  readonly loadVars: (workspaceId: string) => Promise<JsonObject>;
  /** Gives a run back: it is dispatched to others, or rests when it is paused. */
  readonly release: (run: Claim & { executionId: string }) => Promise<void>;
  /** Lets the next run go on that waited for this one, under a limit of runs at once. */
  readonly slotLeft: (run: { workspaceId: string; workflowId: string }) => Promise<void>;
  /** Ends the waits of a run whose time is up, and hands all that ended to the run. */
  readonly loadAnswers: (run: ActiveRun) => Promise<void>;
  /** Lets parents go on whose children are finished: of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Lets a resting run go on at its time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
  /** Tells whoever waits that the run finished, and how, or rests. */
  readonly announce: (change: RunChange) => void;
}

const TIME_IS_UP = { message: 'the run took longer than its time limit', code: 'EXECUTION_TIMEOUT' };
const INTERNAL_FAILURE = { message: 'the service could not go on with this run', code: 'INTERNAL' };

const ORIGIN_GONE = { message: ERRORS.TRIGGER_DATA_GONE.message, code: 'TRIGGER_DATA_GONE' };

const NO_RECORDS: EarlierRecords = { records: new Map(), tallies: new Map() };

/**
 * Takes one run of a job: claims it, runs it until it ends or halts, and writes how it ended. Resolves when the worker does not
 * hold the run any more; failures of the run are part of it.
 * @param onDecided told once the run is claimed or is not to be had: from then on it needs no job. May be told again.
 */
export async function runJob(job: RunJob, parts: RunJobParts, onDecided: () => void = () => undefined): Promise<void> {
  try {
    const claimed = await claimRun(job, parts);
    if (!claimed || (await runClaimed(claimed, parts, onDecided)) || !job.carried) return;
    // Not to be had as it was carried: it may be under a limit of runs at once by now.
    await runJob({ ...job, carried: undefined }, parts, onDecided);
  } finally {
    onDecided();
  }
}

/** @returns false for a provisional run that its first checkpoint did not claim. */
async function runClaimed(claimed: ClaimedExecution, parts: RunJobParts, onDecided: () => void): Promise<boolean> {
  let isClaimed = !claimed.isProvisional;
  if (isClaimed) onDecided();
  const run = createActiveRun({
    executionId: claimed.id,
    epoch: claimed.epoch,
    token: claimed.token ?? randomUUID(),
    deadlineAt: claimed.deadlineAt.getTime(),
  });
  parts.active.add(run);
  const logger = parts.logger.child({ executionId: claimed.id });
  const watch = parts.watch(claimed);
  try {
    const onClaimed = (): void => {
      isClaimed = true;
      onDecided();
    };
    await hold({ claimed, run, watch, logger, onClaimed }, parts);
    return isClaimed;
  } catch (error) {
    // Whatever it was, the run must not stay with a worker that has given up on it.
    logger.error({ err: error }, 'a run was given back after an unexpected error');
    await parts.release(run);
    return true;
  } finally {
    watch.left();
    parts.active.remove(claimed.id);
    if (claimed.holdsSlot) {
      // The reconciler does what fails here.
      await parts.slotLeft(claimed).catch((err: unknown) => {
        logger.warn({ err }, 'held back runs could not be let go yet');
      });
    }
  }
}

/** Sets a place aside and claims the run. */
async function claimRun(job: RunJob, { active, claim }: RunJobParts): Promise<ClaimedExecution | undefined> {
  // A job that is delivered twice to one worker is nothing new: a second claim would fence the first.
  if (!active.reserve(job.executionId)) return undefined;
  let claimed: ClaimedExecution | undefined;
  try {
    claimed = await claim(job);
    return claimed;
  } finally {
    if (!claimed) active.remove(job.executionId);
  }
}

/** A run that this worker holds. */
interface Held {
  readonly claimed: ClaimedExecution;
  readonly run: ActiveRun;
  readonly watch: RunWatch;
  readonly logger: Logger;
  readonly onClaimed: () => void;
}

async function hold(held: Held, parts: RunJobParts): Promise<void> {
  const { claimed, run, watch, logger, onClaimed } = held;
  // A first claim has epoch 1: nobody can have left records, or answers to waits.
  const isNew = claimed.epoch === 1;
  const [{ records: own, tallies }] = isNew
    ? [NO_RECORDS]
    : await Promise.all([parts.loadRecords(claimed.id), parts.loadAnswers(run)]);
  const journal = createJournal({
    executionId: claimed.id,
    epoch: claimed.epoch,
    token: run.token,
    claim: claimed.isProvisional
      ? { workerId: parts.workerId, digest: claimed.digest, begunAt: performance.now() }
      : null,
    writer: parts.writer,
    records: own,
    tallies: new Map(tallies),
    onClaimed,
    onVerdict: (verdict) => {
      if (verdict === 'fenced') run.halt('fenced');
      if (verdict === 'paused') run.pause();
    },
  });
  try {
    const records = await parts.withOrigin(claimed, own);
    await keepTakenOver(records, own, journal);
    const ending = await execute(held, parts, journal, records);
    const isLeft = await leave(ending, run, journal, parts);
    if (isLeft) {
      const status = finishedStatus(ending);
      if (status) watch.finished(status);
      await tell(claimed, ending, parts, logger);
    } else if (run.haltReason() !== 'fenced') {
      // What finished last must be on disk first, or whoever takes the run over would do it again.
      await journal.flush();
      await parts.release(run);
    }
  } catch (error) {
    if (error instanceof FencedError) return;
    const isOriginGone = error instanceof OriginGoneError;
    if (!isOriginGone) logger.error({ err: error }, 'the run failed for a reason of the service, not of its own');
    await journal.finish(failure('failed', isOriginGone ? ORIGIN_GONE : INTERNAL_FAILURE, null)).then(
      () => {
        watch.finished('failed');
        parts.announce({ executionId: claimed.id, ended: 'failed' });
      },
      (again: unknown) => {
        if (!(again instanceof FencedError)) throw again;
      },
    );
  }
}

/** Makes what a rerun takes over its own: on disk before the run goes on. */
async function keepTakenOver(
  records: ReadonlyMap<string, NodeRecord>,
  own: ReadonlyMap<string, NodeRecord>,
  journal: Journal,
): Promise<void> {
  for (const [key, record] of records) {
    if (own.has(key)) continue;
    journal.record(record);
    if (journal.backlog() >= BACKLOG_MAX) await journal.flush();
  }
}

/** Tells those who wait for the run. What gets lost here the reconciler finds. */
async function tell(claimed: ClaimedExecution, ending: Ending, parts: RunJobParts, logger: Logger): Promise<void> {
  parts.announce({ executionId: claimed.id, ended: finishedStatus(ending) });
  try {
    if (ending.kind !== 'waiting') {
      if (claimed.hasParent) await parts.finishChildren({ childIds: [claimed.id] });
    } else if (ending.waits.some(({ kind }) => kind === 'workflow')) {
      // A child may have been quicker than this run came to rest.
      await parts.finishChildren({ parentIds: [claimed.id] });
    }
  } catch (err) {
    logger.warn({ err }, 'a parent could not be told yet');
  }
}

async function execute(
  { claimed, run, watch }: Held,
  parts: RunJobParts,
  journal: Journal,
  records: ReadonlyMap<string, NodeRecord>,
): Promise<Ending> {
  const workflow = await parts.loadVersion(claimed.workflowVersionId);
  const trigger = parseJson(claimed.triggerData);
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
    openCredential: (credentialId) => parts.openCredential(claimed.workspaceId, credentialId),
    ports: {
      now: Date.now,
      random: Math.random,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      breathe: () => (journal.backlog() > BACKLOG_MAX ? journal.flush() : nextTurn()),
      record: (record) => {
        journal.record(record);
        watch.recorded(record, workflow.nodes.get(record.nodeId)?.type);
      },
      flush: () => journal.flush(),
    },
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Writes how the run ends or rests. @returns false when it does neither: it was halted, paused or answered meanwhile. */
async function leave(ending: Ending, run: ActiveRun, journal: Journal, parts: RunJobParts): Promise<boolean> {
  switch (ending.kind) {
    case 'success': {
      const result = ending.result && JSON.stringify(ending.result);
      return (await journal.finish({ kind: 'finished', status: 'success', error: null, result })) === 'written';
    }
    case 'failed':
      return (await journal.finish(failure('failed', ending.error, ending.nodeId))) === 'written';
    case 'waiting': {
      const resting = restingEnding(ending.waits, run.answersSeen());
      if ((await journal.rest(resting)) !== 'written') return false;
      if (resting.wakeAt !== null) parts.wakeAt(resting.wakeAt);
      return true;
    }
    case 'halted':
      if (run.haltReason() !== 'timeout') return false;
      return (await journal.finish(failure('timeout', TIME_IS_UP, null))) === 'written';
  }
}

/** The status of a run that was left with this ending; undefined when it rests. */
function finishedStatus({ kind }: Ending): FinishedStatus | undefined {
  if (kind === 'waiting') return undefined;
  return kind === 'halted' ? 'timeout' : kind;
}

function restingEnding(waits: readonly WaitRequest[], answers: number): RestingEnding {
  const kinds = new Set(waits.map(({ kind }) => kind));
  const due = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
  return {
    kind: 'resting',
    status: kinds.has('approval') ? 'waiting_for_input' : kinds.has('human') ? 'waiting_for_human' : 'running',
    wakeAt: due.length > 0 ? Math.min(...due) : null,
    answers,
  };
}

function failure(status: 'failed' | 'timeout', error: RecordedError, nodeId: string | null): FinishedEnding {
  const { message, code } = error;
  return { kind: 'finished', status, error: JSON.stringify({ message, nodeId, code }), result: null };
}
