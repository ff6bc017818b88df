import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import {
  type HttpRequest,
  type ModelCall,
  type ModelTokens,
  type NodeContext,
  NodeError,
  type OpenedCredential,
} from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { serveModels } from '../../../../tests/harness/model-provider.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from '../http/client.ts';
import { createResultChecker } from '../schemas/result-checker.ts';
import { createSchemaChecker } from '../schemas/schema-checker.ts';
import type { ModelSecret } from '../models/language-model.ts';
import node from './model.ts';

const http = createHttpClient({ allowPrivate: true });
const schemas = createSchemaChecker();

afterAll(async () => {
  await Promise.all([http.close(), schemas.close()]);
  await stopAll();
});

/** Runs the node, and returns its outcome and the calls that were counted. */
async function run(
  secret: ModelSecret,
  parameters: JsonObject,
  { services: replaced, ...more }: Partial<NodeContext> = {},
) {
  const begun: ModelCall[] = [];
  const settled: ModelTokens[] = [];
  const modelCalls = {
    begin: (call: ModelCall) => Promise.resolve(String(begun.push(call))),
    settle: (_id: string, tokens: ModelTokens) => Promise.resolve(settled.push(tokens) * 1_000),
    withdraw: (id: string) => Promise.resolve(void begun.splice(Number(id) - 1, 1)),
  };
  const credential = (): Promise<OpenedCredential> => Promise.resolve({ type: 'model', secret });
  const services = { ...NO_SERVICES, http, results: createResultChecker(schemas), ...replaced, modelCalls };
  const running = node.run(
    { model: 'm', ...parameters },
    nodeContext({ services, credential, credentialId: 'c', ...more }),
  );
  const outcome = await Promise.resolve(running).catch((error: unknown) => ({ error }));
  return { outcome, begun, settled };
}

const PROVIDERS = ['anthropic', 'google', 'mistral', 'openai', 'openaiCompatible'] as const;
const secretOf = (provider: ModelSecret['provider'], baseUrl: string): ModelSecret => ({
  provider,
  baseUrl,
  apiKey: 'key-of-mine',
});
const SCHEMA = {
  type: 'object',
  properties: { size: { type: 'integer' } },
  required: ['size'],
  additionalProperties: false,
};

describe.each(PROVIDERS)('a model of %s', (provider) => {
  it('gets the conversation and the settings, and returns text and tokens', async () => {
    const { url, requests } = await serveModels({ text: 'Ada', tokens: { input: 20, output: 3, cached: 5 } });
    const { outcome, begun, settled } = await run(secretOf(provider, url), {
      system: 'Be short.',
      messages: [
        { role: 'user', text: 'Hello' },
        { role: 'assistant', text: 'Hi' },
      ],
      prompt: 'Who was first?',
      maxOutputTokens: 50,
    });
    expect(outcome).toEqual({
      kind: 'output',
      output: {
        text: 'Ada',
        output: null,
        finishReason: 'stop',
        usage: { calls: 1, inputTokens: 20, outputTokens: 3, cachedInputTokens: 5, costMicroUsd: 1_000 },
        warnings: [],
      },
    });
    expect(begun).toEqual([
      {
        ...{ workspaceId: 'workspace', executionId: 'run', nodeId: 'node', iteration: '' },
        ...{ credentialId: 'c', provider, model: 'm' },
        reservedInputTokens: Math.ceil((requests[0]?.body.length ?? 0) / 4),
        reservedOutputTokens: 50,
      },
    ]);
    expect(settled).toEqual([{ inputTokens: 20, outputTokens: 3, cachedInputTokens: 5 }]);
    const [request] = requests;
    const sent = JSON.stringify(request?.json);
    for (const text of ['Be short.', 'Hello', 'Hi', 'Who was first?', '50']) expect(sent).toContain(text);
    expect(JSON.stringify(request?.headers)).toContain('key-of-mine');
    expect(sent).not.toContain('key-of-mine');
  });

  it('responds with JSON that fits the schema, and gets back what does not', async () => {
    const { url, requests } = await serveModels(
      { text: '{"size": "large"}', tokens: { input: 10, output: 1 } },
      { text: '```json\n{ "size": 3 }\n```', tokens: { input: 15, output: 2 } },
    );
    const { outcome, settled } = await run(secretOf(provider, url), { prompt: 'How large?', outputSchema: SCHEMA });
    expect(outcome).toMatchObject({
      output: { output: { size: 3 }, usage: { calls: 2, inputTokens: 25, outputTokens: 3 } },
    });
    expect(settled).toHaveLength(2);
    expect(JSON.stringify(requests[1]?.json)).toContain('body.size');
  });

  it('fails the node with what the provider says, and when it may be tried again', async () => {
    const failure = { status: 429, message: 'Slow down', headers: { 'retry-after': '7' } };
    const { url } = await serveModels({ text: '', failure });
    const { outcome, begun, settled } = await run(secretOf(provider, url), { prompt: 'Hello' });
    expect(outcome).toMatchObject({
      error: { code: 'MODEL_FAILED', isRetryable: true, minRetryDelayMs: 7_000, details: { status: 429 } },
    });
    expect(String((outcome as { error: unknown }).error)).toContain('Slow down');
    expect(begun).toHaveLength(1);
    expect(settled).toEqual([{ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }]);
  });

  it('gets images', async () => {
    const { url, requests } = await serveModels({ text: 'A cat' });
    const files = createMemoryFiles();
    const image = await files.save([Buffer.from('pixels')], { name: 'cat.png', contentType: 'image/png' });
    await run(secretOf(provider, url), { prompt: 'What is it?', files: [image] }, { files });
    expect(JSON.stringify(requests[0]?.json)).toContain(Buffer.from('pixels').toString('base64'));
  });

  it('has the tokens of files reserved by their number, whatever their length', async () => {
    const { url } = await serveModels({ text: 'A cat' });
    const files = createMemoryFiles();
    const image = await files.save([Buffer.alloc(300_000, 'x')], { name: 'cat.png', contentType: 'image/png' });
    const asked = { prompt: 'What is it?', files: [image, image], maxOutputTokens: 50 };
    const { begun } = await run(secretOf(provider, url), asked, { files });
    const reserved = begun.map(
      ({ reservedInputTokens, reservedOutputTokens }) => reservedInputTokens + reservedOutputTokens,
    );
    expect(reserved).toEqual([expect.any(Number)]);
    expect(Math.min(...reserved)).toBeGreaterThan(4_050);
    expect(Math.max(...reserved)).toBeLessThan(5_000);
  });

  it('counts nothing while nothing answers at its address', async () => {
    const { outcome, begun, settled } = await run(secretOf(provider, 'http://127.0.0.1:1'), { prompt: 'Hello' });
    expect(outcome).toMatchObject({ error: { code: 'HTTP_REQUEST_FAILED' } });
    expect([begun, settled]).toEqual([[], []]);
  });

  it('whose response is not one of its API, fails the node and may be tried again', async () => {
    const { url } = await serve((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"choices": [');
    });
    const { outcome } = await run(secretOf(provider, url), { prompt: 'Hello' });
    expect(outcome).toMatchObject({ error: { code: 'MODEL_RESPONSE_INVALID', isRetryable: true } });
  });
});

describe('a model', () => {
  it('whose response never fits fails the node with the text, after as many repairs as allowed', async () => {
    const { url, requests } = await serveModels({ text: 'no', finish: 'length' });
    const secret = secretOf('openaiCompatible', url);
    const { outcome } = await run(secret, { prompt: 'How large?', outputSchema: SCHEMA, maxRepairs: 2 });
    expect(outcome).toMatchObject({
      error: { code: 'MODEL_OUTPUT_INVALID', details: { text: 'no', finishReason: 'length', usage: { calls: 3 } } },
    });
    expect(requests).toHaveLength(3);
  });

  it('gets an excerpt of what is wrong, however long the names are that it makes up', async () => {
    const { url, requests } = await serveModels({ text: JSON.stringify({ ['n'.repeat(50_000)]: 'text' }) });
    const outputSchema = { additionalProperties: { type: 'number' } };
    const { outcome } = await run(secretOf('openai', url), { prompt: 'How large?', outputSchema });
    expect(outcome).toMatchObject({ error: { message: expect.stringMatching(/^.{1000,1100}$/) } });
    const sent = requests.map(({ json }) => JSON.stringify(json).length);
    expect((sent[1] ?? 0) - (sent[0] ?? 0) - 50_000).toBeLessThan(2_000);
  });

  it('at a private address is refused, as with http, and counts as no call', async () => {
    const guarded = createHttpClient({ allowPrivate: false });
    const { url, requests } = await serveModels({ text: 'secret' });
    const services = { ...NO_SERVICES, http: guarded };
    const { outcome, begun } = await run(secretOf('openai', url), { prompt: 'Hello' }, { services });
    expect(outcome).toMatchObject({ error: { code: 'ADDRESS_REFUSED' } });
    expect([begun, requests]).toEqual([[], []]);
    await guarded.close();
  });

  it.each(['RATE_LIMITED', 'CIRCUIT_OPEN'] as const)(
    'that the limits hold back with %s counts as no call',
    async (code) => {
      const { url, requests } = await serveModels({ text: 'x' });
      const secret = secretOf('openai', url);
      const traffic = { credentialId: 'limited', rateLimit: null, circuit: { openSeconds: 5 } };
      const { outcome, begun } = await run(
        secret,
        { prompt: 'Hello' },
        {
          services: { ...NO_SERVICES, http, traffic: { admit: () => Promise.reject(new NodeError(code, 'not now')) } },
          credential: () => Promise.resolve({ type: 'model', secret, traffic }),
        },
      );
      expect(outcome).toMatchObject({ error: { code } });
      expect([begun, requests]).toEqual([[], []]);
    },
  );

  it('that redirects gets nothing, and the target no key', async () => {
    const { url: other, requests } = await serveModels({ text: 'stolen' });
    const { url } = await serve((_request, response) =>
      response.writeHead(307, { location: `${other}/v1/messages` }).end(),
    );
    const { outcome } = await run(secretOf('anthropic', url), { prompt: 'Hello' });
    expect(outcome).toHaveProperty('error');
    expect(requests).toEqual([]);
  });

  it('that counts nonsense counts as nothing', async () => {
    const { url } = await serveModels({ text: 'x', tokens: { input: -5, output: 1e300 } });
    const { settled } = await run(secretOf('openaiCompatible', url), { prompt: 'Hello' });
    expect(settled).toEqual([{ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }]);
  });

  it('may take half an hour for its response', async () => {
    const { url } = await serveModels({ text: 'x' });
    const sent: HttpRequest[] = [];
    const recording = { request: (request: HttpRequest) => http.request(sent[sent.push(request) - 1] ?? request) };
    await run(secretOf('openai', url), { prompt: 'Hello' }, { services: { ...NO_SERVICES, http: recording } });
    expect(sent).toMatchObject([{ maxSilenceMs: 1_800_000 }]);
  });

  it('that does not know a parameter responds with a warning', async () => {
    const { url } = await serveModels({ text: 'x' });
    const { outcome } = await run(secretOf('openai', url), { model: 'o3', prompt: 'Hello', temperature: 1 });
    expect(outcome).toMatchObject({ output: { text: 'x', warnings: [expect.stringMatching(/^temperature: /)] } });
  });

  it('of openai is not asked with texts to stop at, which its API has not', async () => {
    const { url, requests } = await serveModels({ text: 'x' });
    const { outcome } = await run(secretOf('openai', url), { prompt: 'Hello', stop: ['end'] });
    expect(outcome).toMatchObject({ error: { code: 'PARAMETERS_INVALID', isRetryable: false } });
    expect(requests).toEqual([]);
  });

  it('is asked something', () => {
    expect(node.check?.({ model: 'm' })).toMatchObject([{ path: 'prompt' }]);
  });

  it.each([
    [{ type: 'objct' }],
    [{ $ref: '#/$defs/missing' }],
    [{ pattern: '(?=a)b' }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] }],
  ])('is never asked with the schema %j, which is none', async (outputSchema) => {
    const { url, requests } = await serveModels({ text: '{}' });
    const parameters = { prompt: 'How large?', outputSchema };
    expect(node.check?.({ model: 'm', ...parameters })).toMatchObject([{ path: 'outputSchema' }]);
    const { outcome, begun } = await run(secretOf('openai', url), parameters);
    expect(outcome).toMatchObject({ error: { code: 'PARAMETERS_INVALID', isRetryable: false } });
    expect([begun, requests]).toEqual([[], []]);
  });

  it('takes schemas that name an earlier version of JSON Schema, and those with expressions', async () => {
    const outputSchema = { $schema: 'http://json-schema.org/draft-07/schema#', ...SCHEMA };
    const { url } = await serveModels({ text: '{"size": 3}' });
    expect(node.check?.({ model: 'm', prompt: 'p', outputSchema })).toEqual([]);
    expect(node.check?.({ model: 'm', prompt: 'p', outputSchema: { type: '{{ $vars.type }}' } })).toEqual([]);
    const { outcome } = await run(secretOf('openai', url), { prompt: 'How large?', outputSchema });
    expect(outcome).toMatchObject({ output: { output: { size: 3 } } });
  });
});
