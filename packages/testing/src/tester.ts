import {
  compileLenientCheck,
  type JsonObject,
  type JsonValue,
  readTime,
  type ValidationIssue,
} from '@deckhand/contracts';
import {
  type BegunWait,
  type CompiledWorkflow,
  compileWorkflow,
  exampleLink,
  findWarnings,
  type Ending,
  type NodeRecord,
  type NodeServices,
  type NodeTypes,
  recordKey,
  type ResultChecker,
  runExecution,
} from '@deckhand/engine';
import {
  createInputChecker,
  createResultChecker,
  createSchemaChecker,
  createFileProcesses,
  createScriptRunner,
  findInputSchemas,
  loadNodeTypes,
  pathWithin,
  type PooledScriptRunner,
  type SchemaChecker,
} from '@deckhand/nodes';
import { differences, show } from './compare.ts';
import { createMemoryFiles } from './memory-files.ts';
import { answerOf, createMocks, type Mocks, mockTypes } from './mocked-types.ts';
import { createVirtualWorld, type VirtualWorld } from './virtual-world.ts';
import { WorkflowTest } from './workflow-test.ts';

/** What came of a test. */
export interface TestResult {
  readonly name: string;
  /** Sentences; none if the test passed. */
  readonly failures: readonly string[];
  /** How long it took, in ms of the real clock. */
  readonly durationMs: number;
}

/** A part of a definition that is valid and may be unintended; docs/warnings.md explains the codes. */
export interface TestedWarning {
  readonly code: string;
  /** The part, such as `nodes[1].parameters.condition`. */
  readonly path: string;
  readonly nodeId?: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly page: string;
}

/** Runs tests of workflows in this process. */
export interface Tester {
  /**
   * Runs the tests of a workflow, one after another.
   * @param definition as the API takes it.
   * @param tests as a file has them; one that is not a test fails.
   */
  test(definition: unknown, tests: readonly unknown[]): Promise<readonly TestResult[]>;
  /** Returns the warnings about a definition, as saving it would; none about one that is not valid. */
  warnings(definition: unknown): readonly TestedWarning[];
  /** Ends the threads of scripts and schemas. */
  close(): Promise<void>;
}

/** When runs start, unless a test says otherwise. Tests that do not care must give the same result every day. */
const START = Date.parse('2026-01-01T00:00:00Z');
/** How often a run may rest: one that never ends must not run forever. */
const MAX_RESTS = 10_000;
/** How many records of nodes a run may have: they are in memory. */
const MAX_RECORDS = 1_000_000;
/** Time limit of a test by the real clock, in ms. */
const MAX_TEST_MS = 60_000;

interface TesterOptions {
  /** Time limit of each test by the real clock, in ms. */
  readonly maxTestMs?: number;
}

const checkTest = compileLenientCheck(WorkflowTest);

/** Creates a tester with the built-in node types. */
export async function createTester({ maxTestMs = MAX_TEST_MS }: TesterOptions = {}): Promise<Tester> {
  const types = await loadNodeTypes();
  const scripts = createScriptRunner();
  const schemas = createSchemaChecker();
  return {
    async test(definition, tests) {
      const results: TestResult[] = [];
      for (const [index, given] of tests.entries()) {
        const begunAt = performance.now();
        const { name, failures } = await runTest({ types, scripts, schemas, maxTestMs }, definition, given, index);
        results.push({ name, failures, durationMs: performance.now() - begunAt });
      }
      return results;
    },
    warnings(definition) {
      const compiled = compileWorkflow(definition, types);
      return 'issues' in compiled ? [] : findWarnings(compiled.workflow);
    },
    async close() {
      await Promise.all([scripts.close(), schemas.close()]);
    },
  };
}

interface Means {
  readonly types: NodeTypes;
  readonly scripts: PooledScriptRunner;
  readonly schemas: SchemaChecker;
  readonly maxTestMs: number;
}

async function runTest(
  { types, scripts, schemas, maxTestMs }: Means,
  definition: unknown,
  given: unknown,
  index: number,
): Promise<{ readonly name: string; readonly failures: readonly string[] }> {
  const checked = checkTest(given);
  if ('issues' in checked) return { name: `test ${index + 1}`, failures: describe(checked.issues) };
  const test = checked.value;
  const { name } = test;
  const startAt = test.now === undefined ? START : readTime(test.now)?.getTime();
  if (startAt === undefined) return { name, failures: ['now is not a time (ISO 8601)'] };
  const mocks = createMocks(test.mocks ?? {});
  // Of waits until a time, the time itself decides.
  const answerFor = ({ nodeId, wait }: BegunWait) => (wait.kind === 'time' ? undefined : answerOf(mocks.last(nodeId)));
  const world = createVirtualWorld(startAt, answerFor);
  const compiled = compileWorkflow(
    definition,
    mockTypes(types, mocks, (work) => world.during(work)),
  );
  if ('issues' in compiled) return { name, failures: describe(compiled.issues) };
  const { workflow } = compiled;
  const stray = Object.keys(test.mocks ?? {}).find((id) => !workflow.nodes.has(id));
  if (stray !== undefined) return { name, failures: [`there is no node ${stray} to mock`] };
  const { trigger } = test;
  if (trigger !== undefined && !workflow.triggers.some(({ nodeId }) => nodeId === trigger)) {
    return { name, failures: [`there is no trigger ${trigger} to start from`] };
  }
  const unfit = await findInputIssues(workflow, test, schemas);
  if (unfit.length > 0) return { name, failures: describe(unfit) };
  const journal: NodeRecord[] = [];
  const ending = await runToEnd({ workflow, test, world, journal, scripts, schemas, maxTestMs });
  return { name, failures: [...missing(mocks), ...check(test, ending, journal, (world.now() - startAt) / 1_000)] };
}

/** Returns why a start with the input of a test would be refused. */
async function findInputIssues(
  { definition, triggers }: CompiledWorkflow,
  { trigger: triggerNodeId = triggers[0]?.nodeId ?? '', input = {} }: WorkflowTest,
  schemas: SchemaChecker,
): Promise<readonly ValidationIssue[]> {
  const schema = findInputSchemas(definition)[triggerNodeId];
  if (!schema) return [];
  const inputSchema = JSON.stringify(schema);
  const ids = { workspaceId: 'test', workflowVersionId: 'test', triggerNodeId };
  const { issues } = await createInputChecker(schemas)(JSON.stringify(input), { ...ids, inputSchema });
  return issues.map((issue) => ({ ...issue, path: pathWithin('input', issue.path) }));
}

function describe(issues: readonly ValidationIssue[]): readonly string[] {
  return issues.slice(0, 20).map(({ path, message }) => `${path === '' ? '' : `${path} `}${message}`);
}

function missing(mocks: Mocks): readonly string[] {
  return [...mocks.missing].map((id) => `node ${id} has an effect outside, and no mock`);
}

interface TestRun {
  readonly workflow: CompiledWorkflow;
  readonly test: WorkflowTest;
  readonly world: VirtualWorld;
  /** Gets every record. */
  readonly journal: NodeRecord[];
  readonly scripts: PooledScriptRunner;
  readonly schemas: SchemaChecker;
  readonly maxTestMs: number;
}

/** `stuck`: the run did not end within a bound. */
type TestEnding = Ending | { readonly kind: 'stuck'; readonly after: string };

/** Runs through every rest. A run that waits for what never comes ends as waiting. */
async function runToEnd(run: TestRun): Promise<TestEnding> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), run.maxTestMs);
  const endsAt = performance.now() + run.maxTestMs;
  // No timer fires while nodes follow each other without a pause.
  const exceeded = (): string | undefined => {
    if (abort.signal.aborted || performance.now() >= endsAt) return `${run.maxTestMs / 1_000} s`;
    return run.journal.length >= MAX_RECORDS ? `${MAX_RECORDS} records of nodes` : undefined;
  };
  try {
    for (let rests = 0; rests < MAX_RESTS; rests += 1) {
      const ending = await runOnce(run, abort.signal, () => exceeded() !== undefined);
      const after = exceeded();
      if (after !== undefined) return { kind: 'stuck', after };
      if (ending.kind !== 'waiting' || !run.world.hasOpenWait()) return ending;
      run.world.passToNextWait();
    }
    return { kind: 'stuck', after: `${MAX_RESTS} rests` };
  } finally {
    clearTimeout(timer);
  }
}

function runOnce(
  { workflow, test, world, journal, scripts, schemas }: TestRun,
  signal: AbortSignal,
  isHalted: () => boolean,
): Promise<Ending> {
  const records = new Map(journal.map((record) => [recordKey(record.nodeId, record.iteration), record]));
  const vars: JsonObject = test.variables ?? {};
  const running = runExecution({
    workspaceId: 'test',
    executionId: '00000000-0000-7000-8000-000000000000',
    mode: 'normal',
    workflow,
    triggerNodeId: test.trigger ?? workflow.triggers[0]?.nodeId ?? '',
    trigger: test.input ?? {},
    vars,
    records,
    // With all records, loops need no positions.
    positions: new Map(),
    control: {
      isHalted,
      signal: () => signal,
      isPaused: () => false,
      answer: (key) => world.answer(key),
      answersSeen: () => 0,
      onChange(listener) {
        world.onWaitEnded(listener);
        signal.addEventListener('abort', listener);
      },
    },
    services: servicesWith(
      scripts,
      createResultChecker(schemas, () => true),
    ),
    answerLink: ({ nodeId, iteration }) => exampleLink(nodeId, iteration),
    openCredential: () => Promise.reject(new Error('tests have no credentials: mock the node')),
    ports: {
      now: () => world.now(),
      random: () => 0,
      sleep: (ms, aborted) => world.sleep(ms, aborted),
      yieldToEventLoop: () => Promise.resolve(),
      record(record) {
        journal.push(record);
        world.keepWait(record);
      },
      flush: () => Promise.resolve(),
      positionsFrom: () => undefined,
      loadIterations: () => Promise.resolve([]),
    },
  });
  return world.settle(running);
}

/** Those of nodes are replaced when they run. */
function servicesWith(code: PooledScriptRunner, results: ResultChecker): NodeServices {
  const files = createMemoryFiles();
  const none = (): Promise<never> => Promise.reject(new Error('tests have no such service'));
  return {
    code,
    http: { request: none },
    mail: { send: none },
    postgres: { query: none },
    sftp: { use: none },
    workflows: { start: none },
    locks: { acquire: none, release: none },
    responses: { send: none },
    agentMemories: { read: none, write: none },
    modelCalls: { begin: none, settle: none, withdraw: none },
    results,
    connectors: { find: none },
    traffic: { admit: none },
    fileProcesses: createFileProcesses(2),
    files: () => files,
  };
}

function check(
  { expect = {} }: WorkflowTest,
  ending: TestEnding,
  journal: readonly NodeRecord[],
  seconds: number,
): readonly string[] {
  const failures: string[] = [];
  const { status = 'success', path, outputs = {}, error } = expect;
  if (ending.kind !== status) failures.push(`the run ended as ${described(ending)}, and not as ${status}`);
  const taken = journal.filter((record) => record.status === 'success' || record.status === 'failed');
  if (path) {
    const actual = taken.map(({ nodeId }) => nodeId);
    if (actual.join() !== path.join()) failures.push(`its path is ${actual.join(', ')}, and not ${path.join(', ')}`);
  }
  const last = new Map(taken.map((record) => [record.nodeId, record]));
  for (const [nodeId, wanted] of Object.entries(outputs)) {
    failures.push(...differences(last.get(nodeId)?.output, wanted, `the output of ${nodeId}`));
  }
  if (expect.result !== undefined) {
    const result: JsonValue | undefined = ending.kind === 'success' ? ending.result?.body : undefined;
    failures.push(...differences(result, expect.result, 'the result'));
  }
  if (error) {
    if (ending.kind !== 'failed') failures.push('the run has no error');
    else {
      const actual: JsonObject = { node: ending.nodeId, code: ending.error.code, message: ending.error.message };
      for (const [name, wanted] of Object.entries(error)) {
        failures.push(...differences(actual[name], wanted, `the ${name} of the error`));
      }
    }
  }
  if (expect.seconds !== undefined && Math.abs(seconds - expect.seconds) >= 0.001) {
    failures.push(`the run took ${seconds} s by its own clock, and not ${expect.seconds} s`);
  }
  return failures;
}

function described(ending: TestEnding): string {
  switch (ending.kind) {
    case 'failed':
      return `failed, at node ${ending.nodeId} with ${ending.error.code}: ${show(ending.error.message)}`;
    case 'stuck':
      return `unfinished after ${ending.after}`;
    case 'waiting':
    case 'success':
    case 'halted':
      return ending.kind;
  }
}
