import type {
  LanguageModelV4FilePart,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
import {
  defineNodeType,
  type ModelTokens,
  type NodeContext,
  NodeError,
  type NodeFiles,
  output,
} from '@deckhand/engine';
import Type, { type Static } from 'typebox';
import { fileSource, readBytes } from '../files/file-source.ts';
import { excerpt, modelCaller, tokensOf } from '../models/call-model.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';
import { parseForeignJson } from '../text/limit.ts';

/** Of all files of a request, in bytes: they are sent in base64. */
const MAX_FILE_BYTES = 20_971_520;

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

type Parameters = Static<typeof Parameters>;

/** What the calls of an attempt used. */
const Usage = Type.Object({
  calls: Type.Integer(),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedInputTokens: Type.Integer(),
});

type Usage = Static<typeof Usage>;

export default defineNodeType({
  type: 'model',
  title: 'Language model',
  description:
    'Asks a language model of Anthropic, Google, Mistral, OpenAI, or a server with the API of OpenAI, and returns `{ text, output, finishReason, usage, warnings }`. `finishReason` is `stop`, or says why the response ended early: `length`, `content-filter`, `other`. With `outputSchema`, `output` is the JSON of the response; otherwise it is null. `usage` has the tokens of all calls of this attempt, as the provider counted them. `warnings` names parameters that were left out, because the model does not know them ([models](../models.md)). A request that is answered with 408, 409, 425, 429 or 500 and above, and one without a response, can be retried, with `retry`, and not before the time that a `Retry-After` header names. What came from outside, such as a web page or an email, can contain instructions to the model: do not let its response decide alone about what cannot be undone.',
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
    usage: { calls: 1, inputTokens: 12, outputTokens: 3, cachedInputTokens: 0 },
    warnings: [],
  }),
  errors: [
    'ADDRESS_REFUSED',
    'CIRCUIT_OPEN',
    'FILE_NOT_FOUND',
    'HTTP_REQUEST_FAILED',
    'HTTP_RESPONSE_INVALID',
    'MODEL_FAILED',
    'MODEL_OUTPUT_INVALID',
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
    if (secret.provider === 'openai' && parameters.stop !== undefined && parameters.stop.length > 0)
      throw invalid('stop: the API of openai has no such parameter');
    const call = modelCaller({ secret, traffic, credentialId: context.credentialId ?? '' }, parameters.model, context);
    const { maxRepairs = 1 } = parameters;
    const { workspaceId, services } = context;
    // Before the first request: each is paid.
    const outputSchema = parameters.outputSchema && (await usableSchema(parameters.outputSchema, context));
    const prompt = await promptOf(parameters, context.files);
    let usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    for (let turn = 0; ; turn += 1) {
      const result = await call({ prompt, ...settingsOf({ ...parameters, outputSchema }) }, turn);
      usage = sum(usage, tokensOf(result));
      const text = textOf(result);
      const warnings = result.warnings.map(warningText);
      const response = { text, finishReason: result.finishReason.unified, usage, warnings };
      if (!outputSchema) return output({ ...response, output: null });
      const checked = await checkedOutput(text, (body) =>
        services.results.check({ workspaceId, schema: outputSchema, body }),
      );
      if (checked.problem === undefined) return output({ ...response, output: checked.value });
      if (turn >= maxRepairs) {
        const { unified } = result.finishReason;
        const reason = unified === 'stop' ? '' : ` (it ended early: ${unified})`;
        throw new NodeError(
          'MODEL_OUTPUT_INVALID',
          `the response does not fit outputSchema${reason}: ${checked.problem}`,
          {
            isRetryable: true,
            details: response,
          },
        );
      }
      prompt.push(
        { role: 'assistant', content: [{ type: 'text', text: text === '' ? '(nothing)' : text }] },
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: `This does not fit the JSON Schema: ${checked.problem}. Respond with the corrected JSON alone.`,
            },
          ],
        },
      );
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
        usage: { calls: 1, inputTokens: 61, outputTokens: 12, cachedInputTokens: 0 },
        warnings: [],
      },
    },
  },
});

/** Returns the settings of a request, as the clients of providers name them. */
function settingsOf({
  outputSchema,
  maxOutputTokens,
  temperature,
  reasoning,
  stop,
}: Omit<Parameters, 'outputSchema'> & { readonly outputSchema: JsonObject | undefined }) {
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(outputSchema && { responseFormat: { type: 'json' as const, schema: outputSchema, name: 'output' } }),
    // With the strict one, OpenAI refuses schemas whose members are optional. Every response is checked here anyway.
    providerOptions: { openai: { strictJsonSchema: false, store: false } },
  };
}

/** @throws NodeError PARAMETERS_INVALID for what cannot be used as a JSON Schema. */
async function usableSchema(
  schema: JsonObject,
  { workspaceId, services }: Pick<NodeContext, 'workspaceId' | 'services'>,
): Promise<JsonObject> {
  const usable = withoutDialect(schema);
  const problem = await services.results.check({ workspaceId, schema: usable });
  if (problem !== undefined) throw invalid(`outputSchema: ${excerpt(problem)}`);
  return usable;
}

function invalid(problem: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${problem}`, { isRetryable: false });
}

/** Returns a schema without the name of its version: checkers refuse those that they do not know, such as draft 7. */
function withoutDialect(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}

async function promptOf(
  { system, messages = [], prompt, files = [] }: Parameters,
  store: NodeFiles,
): Promise<LanguageModelV4Message[]> {
  const attached = await readFiles(files, store);
  return [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ...(prompt === undefined && attached.length === 0
      ? []
      : [
          {
            role: 'user' as const,
            content: [...attached, ...(prompt === undefined ? [] : [{ type: 'text' as const, text: prompt }])],
          },
        ]),
  ];
}

async function readFiles(values: readonly JsonValue[], store: NodeFiles): Promise<LanguageModelV4FilePart[]> {
  const parts: LanguageModelV4FilePart[] = [];
  let left = MAX_FILE_BYTES;
  for (const [index, value] of values.entries()) {
    const source = fileSource(value, store, `files.${index}`);
    const data = await readBytes(source, left);
    left -= data.byteLength;
    const filename = source.name === '' ? {} : { filename: source.name };
    parts.push({ type: 'file', mediaType: source.contentType, data: { type: 'data', data }, ...filename });
  }
  return parts;
}

function textOf({ content, structuredOutputText }: LanguageModelV4GenerateResult): string {
  return structuredOutputText ?? content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function warningText(warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
    case 'compatibility':
      return excerpt(`${warning.feature}: ${warning.details ?? 'not supported'}`);
    case 'deprecated':
      return excerpt(`${warning.setting}: ${warning.message}`);
    case 'other':
      return excerpt(warning.message);
  }
}

function sum(usage: Usage, tokens: ModelTokens): Usage {
  return {
    calls: usage.calls + 1,
    inputTokens: usage.inputTokens + tokens.inputTokens,
    outputTokens: usage.outputTokens + tokens.outputTokens,
    cachedInputTokens: usage.cachedInputTokens + tokens.cachedInputTokens,
  };
}

/** @returns the JSON of a response, or what is wrong with it. */
async function checkedOutput(
  text: string,
  check: (body: JsonValue) => Promise<string | undefined>,
): Promise<{ readonly value: JsonValue; readonly problem?: string | undefined }> {
  let value: JsonValue;
  try {
    value = parseForeignJson(withoutFence(text), 'the response');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { value: null, problem: excerpt(`it is not JSON: ${error.message}`) };
  }
  const misfit = await check(value);
  return { value, problem: misfit && excerpt(misfit) };
}

/** Returns what a model wrote between the lines of a Markdown fence, as many do around JSON. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const begin = trimmed.indexOf('\n');
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && begin >= 0;
  return isFenced ? trimmed.slice(begin, -3) : trimmed;
}
