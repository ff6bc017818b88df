import { type ExecutionMode, TEST_MODES, validationFailed } from '@deckhand/contracts';
import { type ChosenVersion, readChosenVersion } from '@deckhand/db';
import { compileInSteps, nodesUntil } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';
import type { Caller } from '../auth/caller.js';
import { oneAtATime } from '../definitions.js';
import type { Services } from '../services.js';

/** The part of a workflow that a run of the version runs. */
export interface RunPart {
  readonly workflowId: string;
  readonly version: ChosenVersion;
  /** The node that it starts at; null for the default trigger of the version. */
  readonly startNodeId: string | null;
  /** The node after which it ends. */
  readonly untilNodeId: string;
}

/**
 * Checks that a version has a part, and returns the version by its id: a later one may not have it. A version that does
 * not exist is left to the start of the run.
 * @throws DeckhandError VALIDATION_FAILED for `untilNodeId`.
 */
export async function checkPart(
  { db, nodeTypes }: Pick<Services, 'db' | 'nodeTypes'>,
  caller: Caller,
  { workflowId, version, startNodeId, untilNodeId }: RunPart,
): Promise<ChosenVersion> {
  const chosen = await readChosenVersion(db, caller, workflowId, version);
  if (!chosen) return version;
  const compiled = await oneAtATime(caller.userId, () => runInTimeSlices(compileInSteps(chosen.definition, nodeTypes)));
  if ('issues' in compiled) throw validationFailed(compiled.issues);
  const { workflow } = compiled;
  if (!workflow.nodes.has(untilNodeId)) throw badUntil(`"${untilNodeId}" is no node of the version`);
  const startId = startNodeId ?? workflow.triggers[0]?.nodeId;
  if (startId !== undefined && workflow.nodes.has(startId) && !nodesUntil(workflow, untilNodeId).has(startId)) {
    throw badUntil(`"${untilNodeId}" does not come after "${startId}"`);
  }
  return { versionId: chosen.id };
}

/**
 * Returns the mode of a run that may be one of a part. @throws DeckhandError VALIDATION_FAILED for a part in the mode
 * normal: it would count as a success of the whole workflow.
 */
export function modeOfPart(asked: ExecutionMode | undefined, usual: ExecutionMode, isPart: boolean): ExecutionMode {
  if (isPart && asked === 'normal') throw badUntil(`is for runs in the modes ${TEST_MODES.join(', ')}`);
  return asked ?? (isPart && usual === 'normal' ? 'test' : usual);
}

function badUntil(message: string): Error {
  return validationFailed([{ path: 'untilNodeId', message }]);
}
