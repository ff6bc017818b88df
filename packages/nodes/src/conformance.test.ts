import { describe, expect, it } from '@jest/globals';
import { compileCheck, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import type { AgentTool, NodeContext, NodeExample, NodeServices, NodeType } from '@deckhand/engine';
import { nodeContext } from '../../../tests/harness/node-context.ts';
import { credentialOf, exampleOf, exampleParameters, runExample } from '../../../tests/harness/node-examples.ts';
import { loadNodeTypes } from './load-node-types.ts';

const types = [...(await loadNodeTypes()).values()];
const pure = types.filter(({ hasEffects }) => !hasEffects);
const withEffects = types.filter(({ hasEffects }) => hasEffects);

const titled = (list: readonly NodeType[]) => list.map((type): [string, NodeType] => [type.type, type]);

/** One or more sentences, each with a capital letter and a full stop. */
const SENTENCES = /^[A-Z].*\.$/s;

/** A value that no schema of a type accepts. */
const WRONG: Readonly<Record<string, JsonValue>> = {
  string: 5,
  boolean: 'maybe',
  integer: 'many',
  number: 'many',
  array: 'none',
  object: 'none',
};

async function run(type: NodeType, parameters: JsonValue, context: Partial<NodeContext> = {}) {
  return type.run(parameters, contextOf(type, context));
}

/** Does what a type does outside: an agent does it in its steps. */
async function act(type: NodeType, parameters: JsonValue, context: Partial<NodeContext>) {
  return (type.agent?.ask ?? type.run)(parameters, contextOf(type, context));
}

function contextOf(type: NodeType, context: Partial<NodeContext>): NodeContext {
  const example = exampleOf(type);
  const credential = example.credential ? credentialOf(example) : undefined;
  const agent = type.agent && { place: '', tools: toolsOf(example), turns: [], readsData: true, call: undefined };
  return nodeContext({ ...(credential && { credential }), agent, ...context });
}

function toolsOf({ definition: { edges } }: NodeExample): AgentTool[] {
  const ids = edges.filter(({ sourceHandle }) => sourceHandle === 'body').map(({ target }) => target);
  return ids.map((nodeId) => ({ nodeId, title: nodeId, description: nodeId, isDisabled: false, hasEffects: false }));
}

/** The parameters of the example, with some replaced. */
async function changed(type: NodeType, change: JsonObject): Promise<JsonObject> {
  const [parameters] = await exampleParameters(type);
  return { ...(isJsonObject(parameters) ? parameters : {}), ...change };
}

/** The parameters that a type requires. If there are none, its schema has no list of them. */
function requiredOf({ parameters }: { parameters: { required?: readonly string[] } }): readonly string[] {
  return parameters.required ?? [];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Services that wait until the node is aborted, and count their calls. */
function waitingServices(signal: AbortSignal): { services: NodeServices; asked: () => number } {
  let count = 0;
  const wait = (): Promise<never> => {
    count += 1;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const services: NodeServices = {
    code: { run: wait },
    http: { request: wait },
    mail: { send: wait },
    postgres: { query: wait },
    sftp: { use: wait },
    workflows: { start: wait },
    locks: { acquire: wait, release: wait },
    responses: { send: wait },
    agentMemories: { read: wait, write: wait },
    modelCalls: { begin: wait, settle: wait, withdraw: wait },
    results: { check: wait },
    traffic: { admit: wait },
    fileProcesses: { acquire: wait },
    connectors: { find: wait },
    files: () => ({ open: wait, save: wait }),
  };
  return { services, asked: () => count };
}

describe.each(titled(types))('%s', (name, type) => {
  it('says in full sentences what it does', () => {
    expect(type.title).toMatch(/^[A-Z]/);
    expect(type.description).toMatch(SENTENCES);
    expect(type.isTrigger).toBe(name.startsWith('trigger.'));
  });

  it('says what each parameter means, and takes no other', async () => {
    expect(type.parameters).toMatchObject({ type: 'object', additionalProperties: false });
    for (const [parameter, schema] of Object.entries(type.parameters.properties)) {
      expect([parameter, schema]).toEqual([parameter, expect.objectContaining({ description: expect.any(String) })]);
    }
    await expect(run(type, await changed(type, { sureley: 1 }))).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      isRetryable: false,
      message: expect.stringContaining('parameters.sureley is not a known field'),
    });
  });

  it('finds no issue in the parameters of its example', async () => {
    const parameters = await changed(type, {});
    expect(type.check?.(parameters) ?? []).toEqual([]);
  });

  it('names its outputs by a parameter that is a list, and has a body if it is a container', () => {
    const { handles, handlesBy, container } = type;
    if (handlesBy) expect(type.parameters.properties[handlesBy.parameter]).toHaveProperty('type', 'array');
    expect(handles.includes('body')).toBe(container !== undefined);
  });

  it('names parameters of its own in its form and on its card', () => {
    const { form, summary, outputMembersOf, parameters } = type;
    const ofCard = summary.flatMap(({ text, when = {}, each }) => [
      ...Object.keys(when),
      ...(each === undefined ? [...text.matchAll(/\{(\w+)/g)].map(([, parameter = '']) => parameter) : [each]),
    ]);
    const named = [...Object.keys(form.inputs), ...ofCard, ...(outputMembersOf?.split('.').slice(0, 1) ?? [])];
    expect(Object.keys(parameters.properties)).toEqual(expect.arrayContaining(named));
  });

  it('leaves what it was given as it was, and gives JSON', async () => {
    const input = deepFreeze({ list: [1, { deep: true }], text: 'a' });
    const inputs = deepFreeze([{ nodeId: 'a', output: input }]);
    const mode = type.hasEffects ? 'sandbox' : 'normal';
    for (const parameters of deepFreeze(await exampleParameters(type))) {
      const running = run(type, parameters, { input, inputs, trigger: input, mode });
      // A node may fail, but not because it tried to change its frozen input.
      const outcome: unknown = await running.catch((error: unknown) => error);
      expect(outcome).not.toBeInstanceOf(TypeError);
      if (!(outcome instanceof Error)) expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    }
  });
});

it.each(types.flatMap((type) => (type.outputSchema ? [[type.type, type, type.outputSchema] as const] : [])))(
  '%s has outputs with the members that it names',
  async (name, type, schema) => {
    const example = exampleOf(type);
    const ids = new Set(example.definition.nodes.flatMap((node) => (node.type === name ? [node.id] : [])));
    const { journal } = (await runExample(example)).run;
    const done = journal.filter(({ nodeId, status }) => ids.has(nodeId) && status === 'success');
    expect(done).not.toEqual([]);
    const check = compileCheck(schema);
    for (const { output } of done) expect(check(output)).toEqual({ value: output });
  },
);

const withRequired = types.filter((type) => requiredOf(type).length > 0);

it.each(titled(withRequired))('%s names each parameter that is missing', async (_name, type) => {
  for (const parameter of requiredOf(type)) {
    const { [parameter]: _left, ...others } = await changed(type, {});
    await expect(run(type, others)).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: expect.stringContaining(`parameters.${parameter} is required`),
    });
  }
});

/** The parameters of a type that have values of one kind, each with a value of another. */
const wrongOf = ({ parameters }: NodeType): (readonly [string, JsonValue])[] =>
  Object.entries(parameters.properties).flatMap(([parameter, schema]) => {
    const kind = 'enum' in schema ? 'string' : 'type' in schema && typeof schema.type === 'string' ? schema.type : '';
    const wrong = WRONG[kind];
    return wrong === undefined ? [] : [[parameter, wrong] as const];
  });

it.each(titled(types.filter((type) => wrongOf(type).length > 0)))(
  '%s names each parameter that is wrong',
  async (_name, type) => {
    for (const [parameter, wrong] of wrongOf(type)) {
      await expect(run(type, await changed(type, { [parameter]: wrong }))).rejects.toMatchObject({
        code: 'PARAMETERS_INVALID',
        isRetryable: false,
        message: expect.stringContaining(`parameters.${parameter} must`),
      });
    }
  },
);

describe.each(titled(pure))('%s, which acts on nothing outside,', (name, type) => {
  it('handles an input of 5 MB without copying it', async () => {
    const input = { items: Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'x'.repeat(80) })) };
    const context = { input, inputs: [{ nodeId: 'a', output: input }], trigger: input };
    for (const parameters of await exampleParameters(type)) {
      const before = process.memoryUsage().heapUsed;
      await run(type, parameters, context).catch((error: unknown) => error);
      // A copy has 50,000 objects and more than 4 MB of texts; garbage of processing each item does not count.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
    }
  });
});

describe.each(titled(withEffects))('%s, which acts outside,', (name, type) => {
  it('does nothing in sandbox mode, and answers its mock or a sample', async () => {
    const [parameters] = await exampleParameters(type);
    const abort = new AbortController();
    const { services, asked } = waitingServices(abort.signal);
    const sample = await run(type, parameters, { mode: 'sandbox', services });
    expect(sample).toMatchObject({ kind: 'output', output: expect.anything() });
    const mock = { made: 'up' };
    const way = type.agent ? { handle: type.undecidedHandle } : {};
    expect(await run(type, parameters, { mode: 'sandbox', services, mock })).toEqual({
      kind: 'output',
      output: mock,
      ...way,
    });
    expect(asked()).toBe(0);
  });

  it('checks its parameters in sandbox mode too', async () => {
    const parameters = await changed(type, { sureley: 1 });
    await expect(run(type, parameters, { mode: 'sandbox' })).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
  });

  it('gives up when it is aborted, though nothing answers', async () => {
    const abort = new AbortController();
    const { services, asked } = waitingServices(abort.signal);
    const [parameters] = await exampleParameters(type);
    const running = act(type, parameters, { signal: () => abort.signal, services });
    setTimeout(() => abort.abort(), 10);
    await expect(running).rejects.toThrow();
    expect(abort.signal.aborted).toBe(true);
    expect(asked()).toBe(1);
  });
});
