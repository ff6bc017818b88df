import type { JsonValue } from '@deckhand/contracts';
import {
  mockOutcome,
  type NodeContext,
  NodeError,
  type NodeServices,
  type NodeType,
  type NodeTypes,
} from '@deckhand/engine';
import type { Mock } from './workflow-test.ts';

/** Mocks of a test, as nodes use them up. */
export interface Mocks {
  /** Returns the mock for the next call of a node. */
  next(nodeId: string): Mock | undefined;
  /** Returns the mock of the call that a node waits in. */
  last(nodeId: string): Mock | undefined;
  /** Notes a node that would have had an effect outside. */
  noteMissing(nodeId: string): void;
  /** Nodes without a mock that would have had an effect outside. */
  readonly missing: ReadonlySet<string>;
}

/** Creates the mocks of one run. */
export function createMocks(given: Readonly<Record<string, Mock | readonly Mock[]>>): Mocks {
  const byNode = new Map(Object.entries(given).map(([id, mocks]) => [id, [mocks].flat()]));
  const calls = new Map<string, number>();
  const missing = new Set<string>();
  const mockOf = (nodeId: string): Mock | undefined => {
    const mocks = byNode.get(nodeId);
    return mocks?.[(calls.get(nodeId) ?? 1) - 1] ?? mocks?.at(-1);
  };
  return {
    next(nodeId) {
      calls.set(nodeId, (calls.get(nodeId) ?? 0) + 1);
      return mockOf(nodeId);
    },
    last: mockOf,
    noteMissing: (nodeId) => void missing.add(nodeId),
    missing,
  };
}

/** Keeps the virtual time from passing while a node works. */
type During = <T>(work: Promise<T>) => Promise<T>;

/** Returns node types whose nodes do what their mocks say. Without a mock, a node without effects outside runs. */
export function mockTypes(types: NodeTypes, mocks: Mocks, during: During): NodeTypes {
  return new Map([...types].map(([name, type]) => [name, mockType(type, mocks, during)]));
}

function mockType(type: NodeType, mocks: Mocks, during: During): NodeType {
  return {
    ...type,
    run(parameters, context) {
      const mock = mocks.next(context.nodeId);
      if (mock?.error) {
        const { code = 'MOCKED', message, retry = true } = mock.error;
        throw new NodeError(code, message, { isRetryable: retry });
      }
      const output = mock && 'output' in mock ? mock.output : undefined;
      if (mock?.answer === undefined && (output !== undefined || mock?.handle !== undefined)) {
        const given = output ?? context.input;
        return mock?.handle === undefined
          ? mockOutcome(type, given)
          : { kind: 'output', output: given, handle: mock.handle };
      }
      const own = context.mock;
      if (type.hasEffects && own !== undefined && mock === undefined) return { kind: 'output', output: own };
      // Its steps would ask a model.
      if (type.agent && mock === undefined) throw missingMock(context.nodeId, mocks);
      const outcome = type.run(parameters, { ...context, services: servicesOf(context, mocks) });
      return outcome instanceof Promise ? during(outcome) : outcome;
    },
  };
}

/** Notes that a node has no mock, and returns the error that it fails with. */
function missingMock(nodeId: string, mocks: Mocks): NodeError {
  mocks.noteMissing(nodeId);
  return new NodeError('NOT_MOCKED', `node ${nodeId} has an effect outside: give it a mock`, { isRetryable: false });
}

/** Services without effects outside; those that need one fail the node, and note it. */
function servicesOf({ nodeId, services }: NodeContext, mocks: Mocks): NodeServices {
  const fail = (): Promise<never> => {
    throw missingMock(nodeId, mocks);
  };
  return {
    ...services,
    http: { request: fail },
    mail: { send: fail },
    connectors: { find: fail },
    postgres: { query: fail },
    sftp: { use: fail },
    workflows: {
      // Its answer is that of the other run.
      start: () => (mocks.last(nodeId)?.answer === undefined ? fail() : Promise.resolve(CHILD)),
    },
    locks: { acquire: () => Promise.resolve({ kind: 'acquired' }), release: () => Promise.resolve() },
    responses: { send: () => Promise.resolve('responded') },
    traffic: { admit: () => Promise.resolve({ waitedMs: 0, report: () => Promise.resolve() }) },
  };
}

const CHILD = '00000000-0000-7000-8000-000000000000';

/** Returns the answer that ends a wait, and after how many ms. The time that a wait takes by itself needs no mock. */
export function answerOf(mock: Mock | undefined): { readonly value: JsonValue; readonly afterMs: number } | undefined {
  return mock?.answer === undefined ? undefined : { value: mock.answer, afterMs: (mock.after ?? 0) * 1_000 };
}
