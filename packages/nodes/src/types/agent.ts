import { isJsonObject, type JsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
import { type AgentTurn, defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { callsOf, outputOf, readAnswer, tell, usageOf } from '../models/agent-answer.ts';
import { decided, PERMISSIONS, questionOf } from '../models/call-question.ts';
import { withoutDialect } from '../models/structured-output.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';

const MAX_TURNS = 20;

const Tool = Type.Object(
  {
    node: Type.String({ description: 'The id of a node to which the output `body` leads: the name of the tool' }),
    description: Type.Optional(
      Type.String({ maxLength: 4_000, description: 'When to call it, and what it does; that of the node by default' }),
    ),
    inputSchema: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'A JSON Schema of its arguments, an object; any object fits by default',
      }),
    ),
    permission: Type.Optional(
      Type.Enum([...PERMISSIONS], {
        description:
          'Whether the model may call it: `free` at once, `ask` after a person approved the call, `forbidden` never. By default, a person is asked about a tool with effects once the model has read text that the author of the workflow did not write',
      }),
    ),
  },
  { title: 'Tool', additionalProperties: false },
);

export default defineNodeType({
  type: 'agent',
  title: 'Agent',
  description:
    'Lets a language model work on a task with tools: the nodes to which its output `body` leads. The model is asked; the tools that it calls run; it is asked again with what came of them, until it answers without a call. Then the run continues at `done` with `{ text, output, finishReason, turns, usage, warnings }`. In a tool, `$input` and `$loop.item` are the arguments of the call, and what the last node of the tool returns is told to the model. A call that does not fit `inputSchema`, names no tool, or fails is told to it as well, and fails nothing else. Before a tool with effects is called, a person is asked once the model has read text that the author did not write, or as `permission` of the tool says: the question is an approval, `<id>.approval`. Each time that the model is asked, and each call, is a step with a record of its own, in `<id>.steps`: after a crash, no answer that is stored is asked for again, and each call has the same idempotency key ([agents](../agents.md)). `retry` and `timeoutSeconds` are those of each time that the model is asked. With `outputSchema`, the model gives its answer by calling `final_answer`, and `output` is its JSON.',
  keywords: ['ai', 'llm', 'gpt', 'claude', 'tools', 'function calling', 'assistant', 'autonomous', 'react', 'mcp'],
  category: 'action',
  icon: 'bot',
  summary: '{model}',
  hasEffects: true,
  parameters: Type.Object(
    {
      model: Type.String({ minLength: 1, maxLength: 200, description: "The provider's name of the model" }),
      prompt: Type.String({ minLength: 1, description: 'The task' }),
      system: Type.Optional(Type.String({ description: 'Instructions for the whole conversation' })),
      files: Type.Optional(
        Type.Array(Type.Unsafe<JsonValue>({}), {
          maxItems: 50,
          description:
            '[Files](../files.md) sent with `prompt`, such as images and PDFs, at most 20 MiB in total. Which types a model reads is up to its provider',
        }),
      ),
      tools: Type.Optional(
        Type.Array(Tool, {
          maxItems: 100,
          description: 'What the model is told about its tools. One that is not listed takes any arguments',
        }),
      ),
      memory: Type.Optional(
        Type.Object(
          {
            key: Type.String({
              minLength: 1,
              maxLength: 200,
              description:
                'Whose conversation it is, such as the id of a customer or a ticket. Agents of the workspace with the same key share it',
            }),
            maxMessages: Type.Optional(
              Type.Integer({
                minimum: 2,
                maximum: 200,
                default: 20,
                description: 'How many of the last messages the model is told; a prompt and its answer are two',
              }),
            ),
          },
          {
            additionalProperties: false,
            description:
              'Tells the model the last prompts and answers of a conversation, and adds the ones of this agent to it ([memory](../agents.md#memory))',
          },
        ),
      ),
      outputSchema: Type.Optional(
        Type.Unsafe<JsonObject>({
          type: 'object',
          description: 'A JSON Schema of type `object` that the last answer fits, which becomes `output`',
        }),
      ),
      maxTurns: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 200,
          default: MAX_TURNS,
          description: 'How often the model is asked at most; an agent that is not done by then fails',
        }),
      ),
      maxTokens: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description:
            'Ends the work once all answers together used so many tokens of input and output: the model is not asked again, and the node fails. The last answer may exceed it',
        }),
      ),
      questionTimeoutSeconds: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 31_536_000,
          description:
            'How long a question about a call waits; by default until the run times out. Then the call is not made, and the model is told',
        }),
      ),
      concurrency: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 1,
          description: 'Calls at the same time, of those that one answer asks for',
        }),
      ),
      maxOutputTokens: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          description: 'Ends longer answers; the limit of the model by default',
        }),
      ),
      temperature: Type.Optional(
        Type.Number({ minimum: 0, maximum: 2, description: 'How much answers vary; that of the model by default' }),
      ),
      reasoning: Type.Optional(
        Type.Enum(['none', 'minimal', 'low', 'medium', 'high'], {
          description: 'How long the model reasons before it answers, for models that do; that of the model by default',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  credential: { types: ['model'], needed: () => ['model'] },
  outputSchema: Type.Object({
    text: Type.String(),
    output: Type.Unsafe<JsonValue>({}),
    finishReason: Type.String(),
    turns: Type.Integer(),
    usage: Type.Object({
      calls: Type.Integer(),
      inputTokens: Type.Integer(),
      outputTokens: Type.Integer(),
      cachedInputTokens: Type.Integer(),
      costMicroUsd: Type.Union([Type.Integer(), Type.Null()]),
    }),
    warnings: Type.Array(Type.String()),
  }),
  handles: ['body', 'done'],
  undecidedHandle: 'done',
  container: 'agent',
  check,
  sample: () => ({
    text: 'A response',
    output: null,
    finishReason: 'stop',
    turns: 1,
    usage: { calls: 1, inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, costMicroUsd: null },
    warnings: [],
  }),
  errors: [
    'ADDRESS_REFUSED',
    'AGENT_MEMORY_FULL',
    'AGENT_TOKEN_LIMIT',
    'AGENT_TURN_LIMIT',
    'APPROVAL_TIMEOUT',
    'CIRCUIT_OPEN',
    'FILE_NOT_FOUND',
    'HTTP_REQUEST_FAILED',
    'HTTP_RESPONSE_INVALID',
    'MODEL_BUDGET_EXCEEDED',
    'MODEL_FAILED',
    'MODEL_OUTPUT_CUT',
    'MODEL_PRICE_UNKNOWN',
    'MODEL_RESPONSE_INVALID',
    'RATE_LIMITED',
    'RESPONSE_TOO_LARGE',
    'RESULT_TOO_LARGE',
    'TEXT_TOO_LARGE',
  ],
  run: ({ concurrency = 1 }) => ({ kind: 'agent', concurrency }),
  agent: {
    async ask({ maxTurns = MAX_TURNS, maxTokens, questionTimeoutSeconds: _persons, ...task }, context) {
      checkLimits(context.agent?.turns ?? [], maxTurns, maxTokens);
      const found = await context.credential();
      if (found?.type !== 'model') {
        const message = 'the node needs a credential of type model';
        throw new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
      }
      // Loaded on use: most workers call no model.
      const { askAgent } = await import('../models/ask-agent.ts');
      const use = { secret: found.secret, traffic: found.traffic, credentialId: context.credentialId ?? '' };
      const { maxOutputTokens, temperature, reasoning } = task;
      const settings = { maxOutputTokens, temperature, reasoning };
      return output(await askAgent(use, { ...task, settings }, context));
    },
    question({ questionTimeoutSeconds }, { agent, now }) {
      const dueAt = questionTimeoutSeconds === undefined ? null : now() + Math.ceil(questionTimeoutSeconds * 1_000);
      const { nodeId = '', input = null } = agent?.call ?? {};
      return questionOf(nodeId, input, dueAt);
    },
    decided,
    callsOf,
    tell,
    named,
    outputOf,
  },
  example: {
    trigger: { question: 'What does order 17 cost?' },
    credential: { type: 'model', secret: { provider: 'openaiCompatible', baseUrl: 'https://models.example.com/v1' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'clerk',
          type: 'agent',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            model: 'small',
            system: 'Answer questions about orders in one sentence.',
            prompt: '{{ $trigger.question }}',
            tools: [
              {
                node: 'price',
                description: 'Returns the price of an order in euros',
                inputSchema: {
                  type: 'object',
                  properties: { order: { type: 'integer' } },
                  required: ['order'],
                  additionalProperties: false,
                },
              },
            ],
          },
          retry: { maxAttempts: 3 },
        },
        { id: 'price', type: 'set', parameters: { fields: { order: '{{ $input.order }}', euros: 12 } } },
        { id: 'reply', type: 'set', parameters: { fields: { text: '{{ $input.text }}' } } },
      ],
      edges: [
        { source: 'start', target: 'clerk' },
        { source: 'clerk', sourceHandle: 'body', target: 'price' },
        { source: 'clerk', sourceHandle: 'done', target: 'reply' },
      ],
    },
    responses: [
      completion(
        '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"price","arguments":"{\\"order\\":17}"}}]}',
        'tool_calls',
      ),
      completion('{"role":"assistant","content":"Order 17 costs 12 euros."}', 'stop'),
    ],
    outputs: {
      clerk: {
        text: 'Order 17 costs 12 euros.',
        output: null,
        finishReason: 'stop',
        turns: 2,
        usage: { calls: 2, inputTokens: 120, outputTokens: 20, cachedInputTokens: 0, costMicroUsd: null },
        warnings: [],
      },
      reply: { text: 'Order 17 costs 12 euros.' },
    },
  },
});

/** Returns the response of a provider in the example. @param message as JSON */
function completion(message: string, reason: string) {
  const choice = `{"index":0,"message":${message},"finish_reason":"${reason}"}`;
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"id":"1","object":"chat.completion","created":1,"model":"small","choices":[${choice}],"usage":{"prompt_tokens":60,"completion_tokens":10,"total_tokens":70}}`,
  };
}

/** @throws NodeError AGENT_TURN_LIMIT, AGENT_TOKEN_LIMIT, before the model is asked again. */
function checkLimits(turns: readonly AgentTurn[], maxTurns: number, maxTokens: number | undefined): void {
  const { inputTokens, outputTokens } = usageOf(turns.map(({ answer }) => readAnswer(answer)));
  const details = { turns: turns.length, inputTokens, outputTokens };
  if (turns.length >= maxTurns) {
    const message = `the model was asked ${turns.length} times (maxTurns), and is not done`;
    throw new NodeError('AGENT_TURN_LIMIT', message, { isRetryable: false, details });
  }
  const used = inputTokens + outputTokens;
  if (maxTokens === undefined || used < maxTokens) return;
  const message = `${used} tokens were used of ${maxTokens} (maxTokens), and the model is not done`;
  throw new NodeError('AGENT_TOKEN_LIMIT', message, { isRetryable: false, details });
}

function named({ tools }: JsonObject): { readonly path: string; readonly nodeId: string }[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: JsonValue, index) =>
    isJsonObject(tool) && typeof tool.node === 'string' && !tool.node.includes('{{')
      ? [{ path: `tools[${index}].node`, nodeId: tool.node }]
      : [],
  );
}

function check({ tools, outputSchema }: JsonObject): ValidationIssue[] {
  const named = new Set<JsonValue>();
  const ofTools = (Array.isArray(tools) ? tools : []).flatMap((tool: JsonValue, index): ValidationIssue[] => {
    if (!isJsonObject(tool)) return [];
    const path = `tools[${index}]`;
    const isTwice = tool.node !== undefined && named.has(tool.node);
    if (tool.node !== undefined) named.add(tool.node);
    return [
      ...(isTwice ? [{ path: `${path}.node`, message: 'is listed already' }] : []),
      ...schemaIssues(`${path}.inputSchema`, tool.inputSchema),
    ];
  });
  return [...ofTools, ...schemaIssues('outputSchema', outputSchema)];
}

/** Returns the issues of a schema of arguments. One with expressions is checked when the node runs. */
function schemaIssues(path: string, schema: JsonValue | undefined): ValidationIssue[] {
  if (schema === undefined || !isJsonObject(schema) || JSON.stringify(schema).includes('{{')) return [];
  if (schema.type !== 'object') return [{ path, message: 'must have the type "object": arguments are objects' }];
  return findSchemaIssues(path, withoutDialect(schema));
}
