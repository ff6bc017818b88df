import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { AgentTurn, OpenedCredential } from '@deckhand/engine';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { type ModelReply, serveModels } from '../../../../tests/harness/model-provider.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { createHttpClient } from '../http/client.ts';
import type { ModelSecret } from '../models/language-model.ts';
import { createResultChecker } from '../schemas/result-checker.ts';
import { createSchemaChecker } from '../schemas/schema-checker.ts';
import node from './agent.ts';

const http = createHttpClient({ allowPrivate: true });
const schemas = createSchemaChecker();

afterAll(async () => {
  await Promise.all([http.close(), schemas.close()]);
  await stopAll();
});

const TOOLS = [{ nodeId: 'find', title: 'Find', description: 'Finds.', isDisabled: false, hasEffects: true }];

/** Asks the model once, after these turns, and returns its answer as it is stored. */
async function ask(
  provider: ModelSecret['provider'],
  baseUrl: string,
  turns: readonly AgentTurn[],
  parameters: JsonObject = {},
): Promise<JsonValue> {
  const modelCalls = {
    begin: () => Promise.resolve('call'),
    settle: () => Promise.resolve(null),
    withdraw: () => Promise.resolve(),
  };
  const secret = { provider, baseUrl, apiKey: 'key-of-mine' };
  const credential = (): Promise<OpenedCredential> => Promise.resolve({ type: 'model', secret });
  const services = { ...NO_SERVICES, http, results: createResultChecker(schemas), modelCalls };
  const context = nodeContext({
    services,
    credential,
    credentialId: 'c',
    agent: { place: 'agent/', tools: TOOLS, turns, readsData: false, call: undefined },
  });
  const outcome = await node.agent?.ask({ model: 'm', prompt: 'Work.', ...parameters }, context);
  return outcome?.kind === 'output' ? outcome.output : null;
}

const CALLING: ModelReply = {
  text: '',
  calls: [
    { id: 'call_1', tool: 'find', arguments: { q: 'a' } },
    { id: 'call_2', tool: 'find', arguments: { q: 'b' } },
  ],
  tokens: { input: 20, output: 3 },
};

describe.each(['anthropic', 'google', 'mistral', 'openai', 'openaiCompatible'] as const)(
  'an agent with a model of %s',
  (provider) => {
    it('reads its calls, and returns them with what came of them', async () => {
      const { url, requests } = await serveModels(CALLING, { text: 'Found both.', tokens: { input: 40, output: 5 } });
      const answer = await ask(provider, url, []);
      expect(node.agent?.callsOf(answer)).toEqual([
        { nodeId: 'find', input: { q: 'a' }, asks: false },
        { nodeId: 'find', input: { q: 'b' }, asks: false },
      ]);
      expect(JSON.stringify(requests[0]?.json)).toContain('Find: Finds.');

      const results = [{ kind: 'output' as const, output: { hits: 17 } }, failure('NOT_THERE')];
      const told = results.map((end) => node.agent?.tell(end) ?? null);
      const turns = [{ answer, results: told }];
      const last = await ask(provider, url, turns);
      expect(node.agent?.callsOf(last)).toBeUndefined();
      const sent = JSON.stringify(requests[1]?.json);
      expect(sent).toContain(String.raw`{\"hits\":17}`);
      expect(sent).toContain('NOT_THERE: no');
      expect(node.agent?.outputOf([...turns, { answer: last, results: [] }])).toMatchObject({
        text: 'Found both.',
        turns: 2,
        usage: { calls: 2, inputTokens: 60, outputTokens: 8 },
      });
    });
  },
);

const failure = (code: string) => ({ kind: 'failure' as const, failure: { code, message: 'no' } });

it.each([
  ['anthropic', 'signed'],
  ['google', 'c2lnbmVk'],
] as const)('returns to %s what it signed', async (provider, signature) => {
  const { url, requests } = await serveModels(CALLING, { text: 'Done.' });
  const answer = await ask(provider, url, []);
  await ask(provider, url, [{ answer, results: [{ text: 'x' }, { text: 'y' }] }]);
  expect(JSON.stringify(requests[1]?.json)).toContain(signature);
});

it('does not tell a model that reasons to call a tool', async () => {
  const outputSchema = { type: 'object', properties: {} };
  const { url, requests } = await serveModels({ text: '{}' });
  await ask('openaiCompatible', url, [], { outputSchema });
  await ask('openaiCompatible', url, [], { outputSchema, reasoning: 'low' });
  expect(requests.map(({ json }) => json.tool_choice)).toEqual(['required', 'auto']);
});

it('refuses an answer that is too long to be sent again with each request', async () => {
  const { url } = await serveModels({ text: 'x'.repeat(2_100_000) });
  await expect(ask('openaiCompatible', url, [])).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

it('refuses an answer with more calls than it can read, whatever they are', async () => {
  const calls = Array.from({ length: 50_000 }, (_, index) => ({ id: String(index), tool: 'find', arguments: {} }));
  const { url } = await serveModels({ text: '', calls });
  await expect(ask('openaiCompatible', url, [])).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
    message: 'the answer has more than 1000 parts',
  });
});

it('does not ask again once all answers and results together are too long', async () => {
  const { url, requests } = await serveModels({ text: 'Done.' });
  const turn = { answer: { content: [{ type: 'text', text: 'x'.repeat(1_200_000) }], isLast: false }, results: [] };
  await ask('openaiCompatible', url, Array(4).fill(turn));
  await expect(ask('openaiCompatible', url, Array(5).fill(turn))).rejects.toMatchObject({ code: 'TEXT_TOO_LARGE' });
  expect(requests).toHaveLength(1);
});

it('makes the calls beside a final answer, and tells the model to give that answer after their results', async () => {
  const outputSchema = { type: 'object', properties: {} };
  const calls = [
    { id: 'call_1', tool: 'final_answer', arguments: { size: 1 } },
    { id: 'call_2', tool: 'find', arguments: { size: 2 } },
  ];
  const { url, requests } = await serveModels({ text: '', calls }, { text: '{}' });
  const answer = await ask('openaiCompatible', url, [], { outputSchema });
  expect(node.agent?.callsOf(answer)).toEqual([{ nodeId: 'find', input: { size: 2 }, asks: false }]);
  await ask('openaiCompatible', url, [{ answer, results: [{ text: 'x', isError: false }] }], { outputSchema });
  expect(JSON.stringify(requests[1]?.json)).toContain('call it alone, after the results of the others');
});

describe('with a schema, an answer that the provider cut', () => {
  const outputSchema = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] };

  it.each([
    ['as a text', { text: '{"size":' }],
    ['in the call with the answer', { text: '', calls: [{ id: 'c', tool: 'final_answer', arguments: {} }] }],
  ])('fails %s, because another one would be cut, too', async (_what, reply) => {
    const { url } = await serveModels({ ...reply, finish: 'length' });
    await expect(ask('openaiCompatible', url, [], { outputSchema })).rejects.toMatchObject({
      code: 'MODEL_OUTPUT_CUT',
      isRetryable: false,
    });
  });

  it('is taken if it fits', async () => {
    const { url } = await serveModels({ text: '{"size":4}', finish: 'length' });
    expect(await ask('openaiCompatible', url, [], { outputSchema })).toMatchObject({ isLast: true });
  });
});

it('cuts no character of a long result in two', () => {
  const told = node.agent?.tell({ kind: 'output', output: `${'x'.repeat(49_999)}🙂 and more` });
  expect(told).toEqual({ text: `${'x'.repeat(49_999)}… (11 more characters)`, isError: false });
});

it.each([
  [{ outputSchema: { type: 'array' } }, 'outputSchema'],
  [{ tools: [{ node: 'a', inputSchema: { type: 'object', properties: 5 } }] }, 'tools[0].inputSchema'],
  [{ tools: [{ node: 'a' }, { node: 'a' }] }, 'tools[1].node'],
])('finds what is wrong with %j before it runs', (parameters, path) => {
  expect(node.check?.({ model: 'm', prompt: 'p', ...parameters })).toEqual([expect.objectContaining({ path })]);
});
