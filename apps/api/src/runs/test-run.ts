import {
  DeckhandError,
  type ExecutionMode,
  isStorable,
  type JsonObject,
  MAX_MOCKS_BYTES,
  TEST_MODES,
  validationFailed,
  type ValidationIssue,
} from '@deckhand/contracts';
import {
  type ChosenVersion,
  type Database,
  findEarlierStart,
  readChosenVersion,
  readDefinition,
  readWays,
  requireWorkflow,
} from '@deckhand/db';
import { type CompiledWorkflow, compileInSteps, mayReach, nodesUntil, typesOfNodes } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';
import type { Caller } from '../auth/caller.ts';
import { oneAtATime } from '../definitions.ts';
import type { StartContext } from '../contexts.ts';
import { isTest, type StartedRun, type StartRunRequest } from './run-starter.ts';

/** What makes a run a test of a part of its workflow. */
interface TestParts {
  /** The node after which it ends. */
  readonly untilNodeId?: string | undefined;
  /** Outputs by node id, of nodes that do not run. */
  readonly mocks?: JsonObject | undefined;
}

/** A run of a part of a workflow. */
interface TestedRun extends TestParts {
  readonly workflowId: string;
  readonly version: ChosenVersion;
  /** The node that it starts at; null for the default trigger of the version. */
  readonly startNodeId: string | null;
  /** For a rerun from a node of a whole run. */
  readonly rerun: RerunFromNode | undefined;
}

/** A rerun that starts at a node. */
export interface RerunFromNode {
  readonly rerunOf: string;
  readonly fromNodeId: string;
  readonly triggerNodeId: string;
  /** The version of the original run. */
  readonly sourceVersionId: string;
}

/**
 * Starts a run that may be a test, or a rerun from a node. A repeat of a start that was accepted returns its run,
 * although the chosen version may have changed since: then it may not have the parts of the test any more.
 * @throws DeckhandError as `RunStarter`; VALIDATION_FAILED for `untilNodeId` and `mocks`; NODE_NOT_REACHED.
 */
export async function startTested(
  context: Pick<StartContext, 'db' | 'nodeTypes' | 'runStarter'>,
  caller: Caller,
  request: StartRunRequest,
  { mocks, rerun }: { readonly mocks: JsonObject | undefined; readonly rerun?: RerunFromNode | undefined },
): Promise<StartedRun> {
  const { workflowId, untilNodeId, rerunFromNodeId, triggerNodeId, idempotencyKey: key } = request;
  const startNodeId = rerunFromNodeId ?? triggerNodeId;
  let version: ChosenVersion;
  try {
    version = await checkTest(context, caller, {
      workflowId,
      version: request,
      startNodeId,
      untilNodeId,
      mocks,
      rerun,
    });
  } catch (refusal) {
    const earlier = key && (await findEarlierStart(context.db, caller, workflowId, key));
    if (!earlier) throw refusal;
    return { ...earlier, isRepeated: true };
  }
  return context.runStarter.start({ ...request, ...version });
}

/**
 * Checks that a version has the parts of a test, and returns the version by its id: a later one may not have them. A
 * version that does not exist is left to the start of the run, and so is a run that is not a test.
 * @throws DeckhandError VALIDATION_FAILED for `untilNodeId` and `mocks`.
 */
async function checkTest(
  { db, nodeTypes }: Pick<StartContext, 'db' | 'nodeTypes'>,
  caller: Caller,
  { workflowId, version, startNodeId, rerun, ...parts }: TestedRun,
): Promise<ChosenVersion> {
  if (!isTest(parts) && !rerun) return version;
  // Mocks stand for what nodes did, such as approvals: operators start whole runs.
  if (isTest(parts)) await requireWorkflow(db, caller, workflowId, 'runs.test');
  // Also of a version that does not exist now, but may when the run starts.
  requireStorable(parts.mocks);
  const chosen = await readChosenVersion(db, caller, workflowId, version);
  if (!chosen) return version;
  const found = { versionId: chosen.id, wasCurrentVersion: version.versionId === undefined };
  if (!isTest(parts) && chosen.id === rerun?.sourceVersionId) return found;
  const compiled = await oneAtATime(caller.userId, () => runInTimeSlices(compileInSteps(chosen.definition, nodeTypes)));
  if ('issues' in compiled) throw validationFailed(compiled.issues);
  const { workflow } = compiled;
  const startId = startNodeId ?? workflow.triggers[0]?.nodeId;
  const issues = [...findUntilIssues(workflow, parts.untilNodeId, startId), ...findMockIssues(workflow, parts.mocks)];
  if (issues.length > 0) throw validationFailed(issues);
  if (rerun && chosen.id !== rerun.sourceVersionId) await checkReached(db, workflow, rerun);
  return found;
}

/** @throws DeckhandError NODE_NOT_REACHED if the rerun would not come to the node that it starts from. */
async function checkReached(
  db: Database,
  workflow: CompiledWorkflow,
  { rerunOf, fromNodeId, triggerNodeId, sourceVersionId }: RerunFromNode,
): Promise<void> {
  if (!workflow.nodes.has(fromNodeId)) return;
  const [ways, source] = await Promise.all([readWays(db, rerunOf), readDefinition(db, sourceVersionId)]);
  if (mayReach({ workflow, triggerNodeId, ways, types: typesOfNodes(source) }, fromNodeId)) return;
  throw new DeckhandError('NODE_NOT_REACHED');
}

/**
 * Returns the mode of a run that may be a test. @throws DeckhandError VALIDATION_FAILED for a test in the mode normal:
 * it would count as a success of the whole workflow.
 */
export function modeOfTest(asked: ExecutionMode | undefined, usual: ExecutionMode, parts: TestParts): ExecutionMode {
  if (!isTest(parts)) return asked ?? usual;
  if (asked === 'normal') {
    const path = parts.untilNodeId === undefined ? 'mocks' : 'untilNodeId';
    throw validationFailed([{ path, message: `is for runs in the modes ${TEST_MODES.join(', ')}` }]);
  }
  return asked ?? (usual === 'normal' ? 'test' : usual);
}

function findUntilIssues(
  workflow: CompiledWorkflow,
  untilNodeId: string | undefined,
  startId: string | undefined,
): ValidationIssue[] {
  if (untilNodeId === undefined) return [];
  if (!workflow.nodes.has(untilNodeId)) return [badUntil(`"${untilNodeId}" is not a node of the version`)];
  const isReached =
    startId === undefined || !workflow.nodes.has(startId) || nodesUntil(workflow, untilNodeId).has(startId);
  return isReached ? [] : [badUntil(`"${untilNodeId}" does not come after "${startId}"`)];
}

function badUntil(message: string): ValidationIssue {
  return { path: 'untilNodeId', message };
}

function requireStorable(mocks: JsonObject = {}): void {
  if (!isStorable(mocks)) throw badMocks('has a text with a NUL character or half a surrogate pair');
  const bytes = Buffer.byteLength(JSON.stringify(mocks));
  if (bytes > MAX_MOCKS_BYTES) throw badMocks(`must have at most ${MAX_MOCKS_BYTES} bytes as JSON, and has ${bytes}`);
}

function badMocks(message: string): Error {
  return validationFailed([{ path: 'mocks', message }]);
}

function findMockIssues(workflow: CompiledWorkflow, mocks: JsonObject = {}): ValidationIssue[] {
  return Object.keys(mocks).flatMap((id) => {
    const message = whyNotMocked(workflow, id);
    return message === undefined ? [] : [{ path: `mocks.${id}`, message }];
  });
}

function whyNotMocked(workflow: CompiledWorkflow, id: string): string | undefined {
  const node = workflow.nodes.get(id);
  if (!node) return 'is not a node of the version';
  if (node.type.isTrigger) return 'is a trigger: give the input instead';
  // A mock would have to say which of them the run takes.
  return node.handles.size === 0 ? undefined : 'is a node with several outputs';
}
