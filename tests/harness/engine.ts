import type { Credential, Definition, ExecutionMode, JsonObject, JsonValue } from '@deckhand/contracts';
import {
  type CompiledWorkflow,
  compileWorkflow,
  defineNodeType,
  exampleLink,
  type Ending,
  type LoopPosition,
  NodeError,
  type NodeRecord,
  type NodeServices,
  type NodeType,
  type NodeTypes,
  openIterations,
  output,
  recordKey,
  runExecution,
  type RunRequest,
  type WaitAnswer,
} from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { createVirtualWorld, type VirtualWorld } from '@deckhand/testing/virtual-world';
import Type from 'typebox';
import { NO_SERVICES } from './node-context.ts';

/** The result of a run in memory. */
export interface MemoryRun {
  readonly ending: Ending;
  /** Every record in its order. */
  readonly journal: readonly NodeRecord[];
  /** The last record of each node run. */
  readonly last: ReadonlyMap<string, NodeRecord>;
  /** The positions of its loops at the last record. */
  readonly positions: readonly LoopPosition[];
  /** Calls of `probe` nodes, as `node/iteration`, in their order. */
  readonly calls: readonly string[];
}

/** How a run in memory is made. */
export interface MemoryRunOptions {
  readonly trigger?: JsonValue;
  readonly triggerNodeId?: string;
  readonly mode?: ExecutionMode;
  readonly vars?: JsonObject;
  readonly records?: ReadonlyMap<string, NodeRecord>;
  /** The nodes of a run that ends after a node. */
  readonly until?: ReadonlySet<string>;
  /** Outputs by node id, of nodes that do not run. */
  readonly mocks?: ReadonlyMap<string, JsonValue>;
  /** With these, the run gets only the records outside loops and those of iterations in progress. */
  readonly positions?: readonly LoopPosition[];
  /** Answers for `probe` nodes, by `node/iteration`: a value, or an error to throw. */
  readonly answer?: (key: string, call: number) => JsonValue | Error | Promise<JsonValue>;
  /** Answers to waits, by `node/iteration`. */
  readonly waitAnswers?: ReadonlyMap<string, WaitAnswer>;
  /** Services in place of those that fail on every use. */
  readonly services?: Partial<NodeServices>;
  readonly openCredential?: (credentialId: string) => Promise<Credential>;
  /** Makes links; an example of one by default. Undefined where the address of the instance is unknown. */
  readonly answerLink?: RunRequest['answerLink'];
  /** Takes the place of a node type, to watch it. */
  readonly replace?: (type: NodeType) => NodeType;
  /** Called after each record; may abort the run. */
  readonly onRecord?: (record: NodeRecord, abort: () => void) => void;
  /** Called while the run waits for the disk. */
  readonly onFlush?: () => void;
  /** Called while other runs continue. */
  readonly onBreathe?: () => void;
  /** Whether a person has paused the run. */
  readonly isPaused?: () => boolean;
  /** Where time passes and waits end. Without it, every sleep is over at once, and waits end by `waitAnswers` alone. */
  readonly world?: VirtualWorld;
}

/** A short notation for an edge: "a -> b", or "a.handle -> b". */
export function edges(...texts: string[]): Definition['edges'] {
  return texts.map((text) => {
    const [from = '', target = ''] = text.split(' -> ');
    const [source = '', sourceHandle] = from.split('.');
    return sourceHandle === undefined ? { source, target } : { source, sourceHandle, target };
  });
}

/** Read once: thousands of graphs are run with them. */
const builtIn = loadNodeTypes();

const exampleLinkOf: RunRequest['answerLink'] = ({ nodeId, iteration }) => exampleLink(nodeId, iteration);

class CrashedError extends Error {}

/** Compiles and runs a definition with the built-in node types and `probe`, an effect that is counted. */
export async function runInMemory(definition: unknown, options: MemoryRunOptions = {}): Promise<MemoryRun> {
  const calls: string[] = [];
  const { replace = (type: NodeType) => type, world } = options;
  const types = new Map(
    [...(await builtIn)].map(([name, type]) => [name, replace(world ? inRealTime(type, world) : type)]),
  );
  types.set('probe', probe(calls, options.answer ?? (() => ({ ok: true }))));
  const workflow = compileOrThrow(definition, types);
  const [firstTrigger] = workflow.triggers;
  const journal: NodeRecord[] = [];
  const stored = options.records ?? new Map<string, NodeRecord>();
  let positions: readonly LoopPosition[] = [];
  let readPositions = (): readonly LoopPosition[] => [];
  const abort = new AbortController();
  let clock = 1_000;
  let changed = (): void => undefined;
  let isDying = false;
  const die = (): void => {
    abort.abort();
    changed();
  };
  const running = runExecution({
    workspaceId: 'workspace',
    executionId: 'run',
    mode: options.mode ?? 'normal',
    workflow,
    triggerNodeId: options.triggerNodeId ?? firstTrigger?.nodeId ?? '',
    trigger: options.trigger ?? {},
    vars: options.vars ?? {},
    records: options.positions ? withoutFinishedIterations(stored, options.positions) : stored,
    positions: new Map(
      options.positions?.map((position) => [recordKey(position.nodeId, position.iteration), position]),
    ),
    until: options.until,
    mocks: options.mocks,
    control: {
      isHalted: () => abort.signal.aborted,
      signal: () => abort.signal,
      isPaused: options.isPaused ?? (() => false),
      answer: (key) => world?.answer(key) ?? options.waitAnswers?.get(key),
      answersSeen: () => options.waitAnswers?.size ?? 0,
      onChange(listener) {
        changed = listener;
        world?.onWaitEnded(listener);
      },
    },
    services: { ...NO_SERVICES, ...options.services },
    answerLink: 'answerLink' in options ? options.answerLink : exampleLinkOf,
    openCredential: options.openCredential ?? (() => Promise.reject(new Error('there are no credentials'))),
    ports: {
      now: () => world?.now() ?? (clock += 1),
      random: () => 0,
      sleep: (ms, signal) =>
        world?.sleep(ms, signal) ?? (signal.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve()),
      yieldToEventLoop() {
        options.onBreathe?.();
        // A run that does nothing for a whole tick of the event loop counts as waiting.
        return world ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve));
      },
      record(record) {
        if (isDying && !isOfCancellation(record)) die();
        if (abort.signal.aborted) return;
        journal.push(record);
        positions = readPositions();
        world?.keepWait(record);
        options.onRecord?.(record, () => {
          if (isOfCancellation(record)) isDying = true;
          else die();
        });
      },
      flush() {
        options.onFlush?.();
        if (isDying) die();
        return abort.signal.aborted ? Promise.reject(new CrashedError()) : Promise.resolve();
      },
      positionsFrom: (read) => void (readPositions = read),
      loadIterations: (nodeIds, iterations) =>
        Promise.resolve(
          iterations
            .flatMap((iteration) => nodeIds.map((nodeId) => stored.get(recordKey(nodeId, iteration))))
            .filter((record) => record !== undefined),
        ),
    },
  }).catch((error: unknown): Ending => {
    // A dead worker writes nothing, and reports nothing.
    if (error instanceof CrashedError) return { kind: 'halted' };
    throw error;
  });
  const ending = await (world ? world.settle(running) : running);
  return { ending, journal, last: lastRecords(journal), positions, calls };
}

/** Runs a definition to its end, through every rest on the way. */
export async function runToEnd(
  definition: unknown,
  options: Omit<MemoryRunOptions, 'world'> = {},
  world = createVirtualWorld(),
): Promise<MemoryRun> {
  const journal: NodeRecord[] = [];
  const calls: string[] = [];
  for (;;) {
    const records = new Map([...(options.records ?? []), ...lastRecords(journal)]);
    const run = await runInMemory(definition, { ...options, records, world });
    journal.push(...run.journal);
    calls.push(...run.calls);
    if (run.ending.kind !== 'waiting') return { ...run, journal, last: lastRecords(journal), calls };
    world.passToNextWait();
  }
}

/** The time of the world stands while a node works: one with much input works in slices. */
function inRealTime(type: NodeType, world: VirtualWorld): NodeType {
  return {
    ...type,
    run(parameters, context) {
      const outcome = type.run(parameters, context);
      return outcome instanceof Promise ? world.during(outcome) : outcome;
    },
  };
}

/** Compiles a definition with the same node types. */
export async function compileForTest(definition: unknown): Promise<CompiledWorkflow> {
  const types = new Map(await builtIn);
  types.set(
    'probe',
    probe([], () => null),
  );
  return compileOrThrow(definition, types);
}

function compileOrThrow(definition: unknown, types: NodeTypes): CompiledWorkflow {
  const compiled = compileWorkflow(definition, types);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues, undefined, 2));
  return compiled.workflow;
}

/**
 * Whether a record belongs to what an early join decides, or a try that catches a failure. All of that is in one
 * checkpoint, because it is recorded in one step: no worker dies in between.
 */
function isOfCancellation({ status, state, handle }: NodeRecord): boolean {
  const isCaught = status === 'success' && handle === 'error';
  return status === 'stopped' || status === 'skipped' || (status === 'pending' && state !== undefined) || isCaught;
}

function withoutFinishedIterations(
  records: ReadonlyMap<string, NodeRecord>,
  positions: readonly LoopPosition[],
): ReadonlyMap<string, NodeRecord> {
  const kept = new Set(['', ...openIterations(positions)]);
  return new Map([...records].filter(([, { iteration }]) => kept.has(iteration)));
}

/** The records that a worker would find on disk. */
export function lastRecords(journal: readonly NodeRecord[]): Map<string, NodeRecord> {
  return new Map(journal.map((record) => [recordKey(record.nodeId, record.iteration), record]));
}

/** One object for all runs: its check is compiled once. */
const PROBE_PARAMETERS = Type.Object(
  { value: Type.Optional(Type.Unsafe<JsonValue>({})) },
  { additionalProperties: false },
);

function probe(calls: string[], answer: NonNullable<MemoryRunOptions['answer']>): NodeType {
  const counts = new Map<string, number>();
  return defineNodeType({
    type: 'probe',
    title: 'Probe',
    description: 'Counts its calls.',
    category: 'action',
    hasEffects: true,
    parameters: PROBE_PARAMETERS,
    sample: () => ({ sample: true }),
    async run(_parameters, { nodeId, iteration }) {
      const key = recordKey(nodeId, iteration);
      calls.push(key);
      const call = (counts.get(key) ?? 0) + 1;
      counts.set(key, call);
      const answered = answer(key, call);
      await Promise.resolve();
      const value = await answered;
      if (value instanceof Error) throw value instanceof NodeError ? value : new NodeError('PROBE', value.message);
      return output(value);
    },
  });
}
