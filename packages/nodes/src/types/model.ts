import { isJsonObject, type JsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, type ModelTokens, NodeError, output } from '@deckhand/engine';
import Type, { type Static } from 'typebox';
import { promptOf, repairOf } from '../models/prompt.ts';
import { checkedOutput, usableSchema, withoutDialect } from '../models/structured-output.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';

const Message = Type.Object(
  {
    role: Type.Enum(['user', 'assistant'], { description: 'Who wrote it' }),
    text: Type.String({ description: 'The message' }),
  },
  { title: 'Message', additionalProperties: false },
);

const Parameters = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, description: "The provider's name of the model" }),
    prompt: Type.Optional(Type.String({ description: 'What the model is asked, after `messages`' })),
    system: Type.Optional(Type.String({ description: 'Instructions for the whole conversation' })),
    messages: Type.Optional(Type.Array(Message, { maxItems: 1_000, description: 'The conversation before `prompt`' })),
    files: Type.Optional(
      Type.Array(Type.Unsafe<JsonValue>({}), {
        maxItems: 50,
        description:
          '[Files](../files.md) sent with `prompt`, such as images and PDFs, at most 20 MiB in total. Which types a model reads is up to its provider',
      }),
    ),
    outputSchema: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'A JSON Schema: the model responds with JSON that fits it, which becomes `output`',
      }),
    ),
    maxRepairs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        default: 1,
        description:
          'How often a response that does not fit `outputSchema` is returned to the model with what is wrong, before the node fails',
      }),
    ),
    maxOutputTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        description:
          'Ends longer responses; the limit of the model by default, and 4,096 for a model of Anthropic that Deckhand does not know',
      }),
    ),
    temperature: Type.Optional(
      Type.Number({ minimum: 0, maximum: 2, description: 'How much responses vary; that of the model by default' }),
    ),
    reasoning: Type.Optional(
      Type.Enum(['none', 'minimal', 'low', 'medium', 'high'], {
        description: 'How long the model reasons before it responds, for models that do; that of the model by default',
      }),
    ),
    stop: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: 16,
        description: 'Texts at which the response ends. The provider `openai` has none',
      }),
    ),
  },
  { additionalProperties: false },
);

/** What the calls of an attempt used. */
const Usage = Type.Object({
  calls: Type.Integer(),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedInputTokens: Type.Integer(),
  costMicroUsd: Type.Union([Type.Integer(), Type.Null()]),
});

type Usage = Static<typeof Usage>;

export default defineNodeType({
  type: 'model',
  title: 'Language model',
  description:
    'Asks a language model of Anthropic, Google, Mistral, OpenAI, or a server with the API of OpenAI, and returns `{ text, output, finishReason, usage, warnings }`. `finishReason` is `stop`, or says why the response ended early: `length`, `content-filter`, `other`. With `outputSchema`, `output` is the JSON of the response; otherwise it is null. `usage` has the tokens of all calls of this attempt, as the provider counted them, and what they cost in micro-dollars (`costMicroUsd`), or null if a price is unknown. `warnings` names parameters that were left out, because the model does not know them ([models](../models.md)). A request that is answered with 408, 409, 425, 429 or 500 and above, and one without a response, can be retried, with `retry`, and not before the time that a `Retry-After` header names. What came from outside, such as a web page or an email, can contain instructions to the model: do not let its response decide alone about what cannot be undone.',
  keywords: ['ai', 'llm', 'gpt', 'claude', 'gemini', 'chat', 'openai', 'anthropic', 'mistral', 'ollama', 'generate'],
  category: 'action',
  icon: 'bot',
  summary: '{model}',
  hasEffects: true,
  parameters: Parameters,
  credential: { types: ['model'], needed: () => ['model'] },
  outputSchema: Type.Object({
    text: Type.String(),
    output: Type.Unsafe<JsonValue>({}),
    finishReason: Type.String(),
    usage: Usage,
    warnings: Type.Array(Type.String()),
  }),
  check({ prompt, messages, outputSchema }): ValidationIssue[] {
    return [
      ...(prompt === undefined && messages === undefined
        ? [{ path: 'prompt', message: 'is required unless there are messages' }]
        : []),
      // A schema with expressions is checked when the node runs.
      ...(isJsonObject(outputSchema) && !JSON.stringify(outputSchema).includes('{{')
        ? findSchemaIssues('outputSchema', withoutDialect(outputSchema))
        : []),
    ];
  },
  sample: () => ({
    text: 'A response',
    output: null,
    finishReason: 'stop',
    usage: { calls: 1, inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, costMicroUsd: null },
    warnings: [],
  }),
  errors: [
    'ADDRESS_REFUSED',
    'CIRCUIT_OPEN',
    'FILE_NOT_FOUND',
    'HTTP_REQUEST_FAILED',
    'HTTP_RESPONSE_INVALID',
    'MODEL_BUDGET_EXCEEDED',
    'MODEL_FAILED',
    'MODEL_OUTPUT_INVALID',
    'MODEL_PRICE_UNKNOWN',
    'MODEL_RESPONSE_INVALID',
    'RATE_LIMITED',
    'RESPONSE_TOO_LARGE',
    'RESULT_TOO_LARGE',
    'TEXT_TOO_LARGE',
  ],
  async run(parameters, context) {
    const found = await context.credential();
    if (found?.type !== 'model') {
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type model', { isRetryable: false });
    }
    const { secret, traffic } = found;
    const { model, stop = [], maxOutputTokens, temperature, reasoning, maxRepairs = 1 } = parameters;
    if (secret.provider === 'openai' && stop.length > 0) {
      const message = 'parameters.stop: the API of openai has no such parameter';
      throw new NodeError('PARAMETERS_INVALID', message, { isRetryable: false });
    }
    // Loaded on use: most workers call no model.
    const { modelCaller } = await import('../models/call-model.ts');
    const call = modelCaller({ secret, traffic, credentialId: context.credentialId ?? '' }, model, context);
    // Before the first request: each is paid.
    const outputSchema = parameters.outputSchema && (await usableSchema(parameters.outputSchema, context));
    const settings = { outputSchema, maxOutputTokens, temperature, reasoning, stop };
    const prompt = await promptOf(parameters, context.files);
    let usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costMicroUsd: 0 };
    for (let turn = 0; ; turn += 1) {
      const { text, finishReason, tokens, costMicroUsd, warnings } = await call(prompt, settings, turn);
      usage = sum(usage, tokens, costMicroUsd);
      const response = { text, finishReason, usage, warnings };
      if (!outputSchema) return output({ ...response, output: null });
      const { value, problem } = await checkedOutput(text, outputSchema, context);
      if (problem === undefined) return output({ ...response, output: value });
      if (turn >= maxRepairs) {
        const reason = finishReason === 'stop' ? '' : ` (it ended early: ${finishReason})`;
        const message = `the response does not fit outputSchema${reason}: ${problem}`;
        throw new NodeError('MODEL_OUTPUT_INVALID', message, { isRetryable: true, details: response });
      }
      prompt.push(...repairOf(text, problem));
    }
  },
  example: {
    trigger: { mail: 'Where is order 17? I have been waiting for two weeks.' },
    credential: { type: 'model', secret: { provider: 'openaiCompatible', baseUrl: 'https://models.example.com/v1' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'sort',
          type: 'model',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            model: 'small',
            system: 'Sort mails of customers.',
            prompt: '{{ $trigger.mail }}',
            outputSchema: {
              type: 'object',
              properties: { topic: { enum: ['order', 'invoice', 'other'] }, isUrgent: { type: 'boolean' } },
              required: ['topic', 'isUrgent'],
              additionalProperties: false,
            },
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'sort' }],
    },
    request: { method: 'POST', url: 'https://models.example.com/v1/chat/completions' },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"1","object":"chat.completion","created":1,"model":"small","choices":[{"index":0,"message":{"role":"assistant","content":"{\\"topic\\":\\"order\\",\\"isUrgent\\":true}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":61,"completion_tokens":12,"total_tokens":73}}',
    },
    outputs: {
      sort: {
        text: '{"topic":"order","isUrgent":true}',
        output: { topic: 'order', isUrgent: true },
        finishReason: 'stop',
        usage: { calls: 1, inputTokens: 61, outputTokens: 12, cachedInputTokens: 0, costMicroUsd: null },
        warnings: [],
      },
    },
  },
});

function sum(usage: Usage, tokens: ModelTokens, costMicroUsd: number | null): Usage {
  return {
    calls: usage.calls + 1,
    inputTokens: usage.inputTokens + tokens.inputTokens,
    outputTokens: usage.outputTokens + tokens.outputTokens,
    cachedInputTokens: usage.cachedInputTokens + tokens.cachedInputTokens,
    costMicroUsd: usage.costMicroUsd === null || costMicroUsd === null ? null : usage.costMicroUsd + costMicroUsd,
  };
}
