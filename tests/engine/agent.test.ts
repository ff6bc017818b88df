import type { Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import { isJsonObject } from '@deckhand/contracts';
import { nodesUntil } from '@deckhand/engine';
import { createResultChecker, createSchemaChecker } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { compileForTest, type MemoryRunOptions, runInMemory } from '../harness/engine.ts';
import {
  agentDefinition,
  type AskedTurn,
  createScriptedModel,
  SCRIPTED_CREDENTIAL,
  type ScriptedTurn,
} from '../harness/scripted-model.ts';

const schemas = createSchemaChecker();
const results = createResultChecker(schemas);
afterAll(() => schemas.close());

const PROBE = { id: 'probe', type: 'probe' };
const call = (tool: string, given: JsonValue | string = {}) => ({ tool, arguments: given });

/** Runs an agent whose model follows a script. */
async function run(definition: Definition, script: readonly ScriptedTurn[], options: MemoryRunOptions = {}) {
  const model = createScriptedModel(script);
  const memory = await runInMemory(definition, {
    services: { ...model.services, results },
    openCredential: () => Promise.resolve(SCRIPTED_CREDENTIAL),
    ...options,
  });
  return { ...memory, ...model };
}

const outputOf = (last: ReadonlyMap<string, { readonly output: JsonValue | undefined }>, key: string) =>
  last.get(key)?.output;

/** What the model was told of its calls in the last request. */
function toldIn(asked: readonly AskedTurn[]): (JsonValue | undefined)[] {
  return (asked.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('an agent', () => {
  it('asks the model until it answers without a call, and hands on the last answer', async () => {
    const script = [{ calls: [call('probe', { city: 'Rome' })] }, { text: 'It is warm.' }];
    const { ending, last, asked, calls, counted } = await run(agentDefinition({}, [PROBE]), script, {
      answer: () => ({ degrees: 30 }),
    });
    expect(ending.kind).toBe('success');
    expect(calls).toEqual(['probe/1']);
    expect(toldIn(asked)).toEqual(['{"degrees":30}']);
    expect(outputOf(last, 'agent/')).toEqual({
      text: 'It is warm.',
      output: null,
      finishReason: 'stop',
      turns: 2,
      usage: { calls: 2, inputTokens: 20, outputTokens: 10, cachedInputTokens: 0, costMicroUsd: 2_000 },
      warnings: [],
    });
    expect(outputOf(last, 'after/')).toEqual({ said: 'It is warm.' });
    expect(counted).toHaveLength(2);
  });

  it('records each answer and each call as a step of its own', async () => {
    const script = [{ calls: [call('probe'), call('probe')] }, { text: 'done' }];
    const { last } = await run(agentDefinition({}, [PROBE]), script);
    const steps = [...last].filter(([key]) => key.startsWith('agent.steps/'));
    expect(steps.map(([key, { status }]) => [key, status])).toEqual([
      ['agent.steps/0', 'success'],
      ['agent.steps/1', 'success'],
      ['agent.steps/2', 'success'],
      ['agent.steps/3', 'success'],
    ]);
    expect(outputOf(last, 'agent.steps/1')).toEqual({ text: '{"ok":true}', isError: false });
  });

  it('gives the arguments to the tool, and the output of its last node to the model', async () => {
    const echo = {
      id: 'echo',
      type: 'set',
      parameters: { fields: { got: '{{ $input.x }}', too: '{{ $loop.item.x }}' } },
    };
    const more = { id: 'more', type: 'set', parameters: { fields: { twice: '{{ $input.got * 2 }}' } } };
    const definition = agentDefinition({}, [echo, more, PROBE], { inside: ['echo -> more'] });
    const { asked, last, calls } = await run(definition, [{ calls: [call('echo', { x: 4 })] }]);
    expect(toldIn(asked)).toEqual(['{"twice":8}']);
    expect(outputOf(last, 'echo/1')).toEqual({ got: 4, too: 4 });
    expect(calls).toEqual([]);
  });

  it('reads what is around it in its own expressions, not its steps', async () => {
    const definition = agentDefinition({ prompt: '{{ $input.task }} in {{ $trigger.task }}' }, [PROBE]);
    const { asked } = await run(definition, [{ calls: [call('probe')] }], { trigger: { task: 'Sum' } });
    expect(asked.map(({ messages }) => messages[0])).toEqual([
      { role: 'user', content: 'Sum in Sum' },
      { role: 'user', content: 'Sum in Sum' },
    ]);
  });

  it('offers the nodes after its output body, with what is said about them', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
    const tools = [{ node: 'probe', description: 'Looks it up', inputSchema }];
    const off = { id: 'off', type: 'probe', disabled: true };
    const { asked } = await run(
      agentDefinition({ tools }, [PROBE, { id: 'other', type: 'probe', name: 'Ask Ada' }, off]),
      [],
    );
    expect(asked[0]?.json.tools).toMatchObject([
      { function: { name: 'probe', description: 'Looks it up', parameters: inputSchema } },
      { function: { name: 'other', description: 'Ask Ada: Counts its calls.', parameters: { type: 'object' } } },
    ]);
  });

  it.each([
    ['an unknown tool', call('nothing'), 'there is no tool "nothing"'],
    ['arguments that do not fit', call('probe', { q: 1 }), 'the arguments do not fit: '],
    ['arguments that are not JSON', call('probe', '{"q":'), 'the arguments are not JSON: '],
    ['arguments that are a list', call('probe', [1]), 'the arguments must be an object'],
  ])('tells the model about %s, and calls nothing', async (_what, wrong, told) => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
    const definition = agentDefinition({ tools: [{ node: 'probe', inputSchema }] }, [PROBE]);
    const { ending, asked, calls } = await run(definition, [{ calls: [wrong] }]);
    expect(ending.kind).toBe('success');
    expect(toldIn(asked)).toEqual([expect.stringContaining(told)]);
    expect(calls).toEqual([]);
  });

  it('tells the model what failed in a tool, and cancels the rest of that call alone', async () => {
    const tools = [
      PROBE,
      { id: 'bad', type: 'fail', parameters: { message: 'no such order' } },
      { id: 'rest', type: 'probe' },
    ];
    const definition = agentDefinition({ concurrency: 2 }, tools, { inside: ['bad -> rest'] });
    const { ending, asked, last, calls } = await run(definition, [{ calls: [call('bad'), call('probe')] }]);
    expect(ending.kind).toBe('success');
    expect(toldIn(asked)).toEqual(['FAILED_BY_WORKFLOW: no such order', '{"ok":true}']);
    expect(last.get('agent.steps/1')).toMatchObject({ status: 'success', handle: 'error' });
    expect(calls).toEqual(['probe/2']);
  });

  it('cuts long outputs for the model, and keeps them whole in the record of the tool', async () => {
    const { asked, last } = await run(agentDefinition({}, [PROBE]), [{ calls: [call('probe')] }], {
      answer: () => 'x'.repeat(60_000),
    });
    expect(toldIn(asked)).toEqual([`${'x'.repeat(50_000)}… (10000 more characters)`]);
    expect(outputOf(last, 'probe/1')).toHaveLength(60_000);
  });

  it('makes as many calls at the same time as it may, and asks again after all of them', async () => {
    let open = 0;
    let most = 0;
    const script = [{ calls: [call('probe'), call('probe'), call('probe'), call('probe')] }];
    const { asked, calls } = await run(agentDefinition({ concurrency: 2 }, [PROBE]), script, {
      async answer() {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return null;
      },
    });
    expect(most).toBe(2);
    expect(calls).toEqual(['probe/1', 'probe/2', 'probe/3', 'probe/4']);
    expect(toldIn(asked)).toHaveLength(4);
  });

  it('refuses more calls than 32 in one answer', async () => {
    const script = [{ calls: Array.from({ length: 34 }, () => call('probe')) }];
    const { calls, asked } = await run(agentDefinition({}, [PROBE]), script);
    expect(calls).toHaveLength(32);
    expect(toldIn(asked).slice(32)).toEqual(Array(2).fill('more than 32 calls at once: call it again'));
  });

  it.each([
    [{ maxTurns: 3 }, 'AGENT_TURN_LIMIT', 3],
    [{ maxTokens: 25 }, 'AGENT_TOKEN_LIMIT', 2],
  ])('ends at its limit %j, before the model is asked again', async (limit, code, turns) => {
    const script = Array.from({ length: 9 }, () => ({ calls: [call('probe')] }));
    const { ending, asked, last } = await run(agentDefinition(limit, [PROBE]), script);
    expect(ending).toMatchObject({ kind: 'failed', nodeId: 'agent', error: { code } });
    expect(asked).toHaveLength(turns);
    expect(last.get('agent/')).toMatchObject({ status: 'failed', error: { code } });
  });

  it('fails with the model, by its own onError', async () => {
    const failing = { request: () => Promise.reject(new Error('broken')) };
    const definition = agentDefinition({}, [PROBE], { agent: { onError: 'continue' } });
    const { ending, last } = await run(definition, [], {
      services: { ...createScriptedModel([]).services, results, http: failing },
    });
    expect(ending.kind).toBe('success');
    expect(outputOf(last, 'agent/')).toMatchObject({ error: { code: 'NODE_FAILED' } });
    expect(last.get('agent.steps/0')).toMatchObject({ status: 'failed' });
    expect(last.get('after/')).toMatchObject({ status: 'success' });
  });

  it('is caught by a try around it', async () => {
    const inner = agentDefinition({ maxTurns: 1 }, [PROBE]);
    const { ending, last } = await run(
      {
        nodes: [...inner.nodes, { id: 'try', type: 'try' }],
        edges: [
          { source: 'start', target: 'try' },
          { source: 'try', sourceHandle: 'body', target: 'agent' },
          ...inner.edges.filter(({ source }) => source !== 'start'),
        ],
      },
      [{ calls: [call('probe')] }],
    );
    expect(ending.kind).toBe('success');
    expect(outputOf(last, 'try/')).toMatchObject({ error: { nodeId: 'agent', code: 'AGENT_TURN_LIMIT' } });
  });

  it('works in a loop: each iteration has steps of its own', async () => {
    const inner = agentDefinition({ prompt: '{{ $loop.item }}' }, [PROBE]);
    const { asked, calls, last } = await run(
      {
        nodes: [...inner.nodes, { id: 'loop', type: 'loop', parameters: { items: ['a', 'b'] } }],
        edges: [
          { source: 'start', target: 'loop' },
          { source: 'loop', sourceHandle: 'body', target: 'agent' },
          ...inner.edges.filter(({ source }) => source !== 'start'),
        ],
      },
      [{ calls: [call('probe')] }, { text: 'x' }],
    );
    expect(asked.map(({ messages }) => messages[0]?.content)).toEqual(['a', 'a', 'b', 'b']);
    expect(calls).toEqual(['probe/0.1', 'probe/1.1']);
    expect(outputOf(last, 'loop/')).toEqual([{ said: 'x' }, { said: 'x' }]);
  });

  describe('with a schema for its answer', () => {
    const outputSchema = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] };
    const definition = agentDefinition({ outputSchema }, [PROBE]);

    it('gets it by a call, which is refused until it fits', async () => {
      const script = [{ calls: [call('final_answer', { size: 'L' })] }, { calls: [call('final_answer', { size: 4 })] }];
      const { last, asked } = await run(definition, script);
      expect(toldIn(asked)).toEqual([expect.stringContaining('the arguments do not fit')]);
      expect(asked[0]?.json).toMatchObject({ tool_choice: 'required' });
      expect(outputOf(last, 'agent/')).toMatchObject({ output: { size: 4 }, turns: 2 });
    });

    it('takes a text that fits, and says what is wrong with another', async () => {
      const { last, asked } = await run(definition, [{ text: 'Large!' }, { text: '{"size":4}' }]);
      expect(asked.at(-1)?.messages.at(-1)).toEqual({
        role: 'user',
        content: expect.stringContaining('Give your answer by calling final_answer'),
      });
      expect(outputOf(last, 'agent/')).toMatchObject({ output: { size: 4 }, turns: 2 });
    });
  });

  it('is not asked in sandbox mode, and calls nothing', async () => {
    const { ending, last, asked, calls } = await run(agentDefinition({}, [PROBE]), [], { mode: 'sandbox' });
    expect(ending.kind).toBe('success');
    expect([asked, calls]).toEqual([[], []]);
    expect(outputOf(last, 'after/')).toEqual({ said: 'A response' });
    expect(isJsonObject(outputOf(last, 'agent/') ?? null)).toBe(true);
  });

  it('skips its body, but records no steps, where it is skipped itself', async () => {
    const inner = agentDefinition({}, [PROBE]);
    const skipping = { id: 'if', type: 'if', parameters: { condition: false } };
    const { last } = await run(
      {
        nodes: [...inner.nodes, skipping],
        edges: [
          { source: 'start', target: 'if' },
          { source: 'if', sourceHandle: 'true', target: 'agent' },
          ...inner.edges.filter(({ source }) => source !== 'start'),
        ],
      },
      [],
    );
    expect([...last.keys()].filter((key) => key.startsWith('agent'))).toEqual(['agent/']);
    expect(last.get('probe/')).toMatchObject({ status: 'skipped' });
  });

  it('names tools that are none, before it runs', async () => {
    const tools: JsonObject[] = [{ node: 'probe' }, { node: 'after' }, { node: 'prob' }, { node: '{{ $vars.tool }}' }];
    await expect(compileForTest(agentDefinition({ tools }, [PROBE]))).rejects.toThrow(
      JSON.stringify(
        [
          { path: 'nodes[1].parameters.tools[1].node', message: 'the output body does not lead to "after"' },
          {
            path: 'nodes[1].parameters.tools[2].node',
            message: 'the output body does not lead to "prob" (did you mean "probe"?)',
          },
        ],
        undefined,
        2,
      ),
    );
  });

  it('names a tool that is none by an expression when it runs', async () => {
    const tools: JsonObject[] = [{ node: '{{ "after" }}' }];
    const { ending } = await run(agentDefinition({ tools }, [PROBE]), []);
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'PARAMETERS_INVALID' } });
  });

  it('runs without a disabled tool that it describes', async () => {
    const off = { id: 'off', type: 'probe', disabled: true };
    const { ending, asked } = await run(agentDefinition({ tools: [{ node: 'off' }] }, [PROBE, off]), []);
    expect(ending.kind).toBe('success');
    expect(asked[0]?.json.tools).toMatchObject([{ function: { name: 'probe' } }]);
  });

  it('is asked no more in a run that ends inside of it, once the calls of its first answer have ended', async () => {
    const definition = agentDefinition({}, [PROBE, { id: 'other', type: 'probe' }]);
    const until = nodesUntil(await compileForTest(definition), 'probe');
    const script = [{ calls: [call('probe'), call('other'), call('probe')] }, { calls: [call('probe')] }];
    const { ending, calls, asked, last } = await run(definition, script, { until });
    expect(ending.kind).toBe('success');
    expect(calls).toEqual(['probe/1', 'probe/3']);
    expect(asked).toHaveLength(1);
    expect(last.get('agent/')).toMatchObject({ status: 'success' });
    expect(last.get('after/')).toMatchObject({ status: 'skipped' });
  });

  it('asks nobody about a call of a tool that the run leaves out', async () => {
    const tools = [{ node: 'other', permission: 'ask' }];
    const definition = agentDefinition({ tools }, [PROBE, { id: 'other', type: 'probe' }]);
    const until = nodesUntil(await compileForTest(definition), 'probe');
    const { ending, calls } = await run(definition, [{ calls: [call('other'), call('probe')] }], { until });
    expect(ending.kind).toBe('success');
    expect(calls).toEqual(['probe/2']);
  });
});
