import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { isJsonObject, parseOwnJson } from '@deckhand/contracts';
import { echoOf, type Echo, serve } from './serve.ts';

/** What a model says, in the words of no provider. */
export interface ModelReply {
  readonly text: string;
  /** Calls of tools. The ids are those of the provider, where it gives any. */
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly arguments: JsonObject }[];
  readonly finish?: 'stop' | 'length';
  readonly tokens?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** A failure, in the provider's form. */
  readonly failure?: { readonly status: number; readonly message: string; readonly headers?: Record<string, string> };
}

/** A request that the provider got. */
export interface ModelRequest extends Echo {
  readonly json: JsonObject;
}

/**
 * Serves the APIs of providers: messages of Anthropic, responses and chat completions of OpenAI, chat completions of
 * Mistral, and generateContent of Google. Anthropic's and OpenAI's were held against `@anthropic-ai/sdk` 1.14 and
 * `openai` 7.59.
 * @param replies the replies to requests in their order; the last one to all further requests.
 */
export async function serveModels(...replies: readonly ModelReply[]) {
  const requests: ModelRequest[] = [];
  const { url } = await serve((request, response) => {
    void echoOf(request).then((echo) => {
      const json = parseOwnJson<JsonValue>(echo.body === '' ? '{}' : echo.body);
      requests.push({ ...echo, json: isJsonObject(json) ? json : {} });
      const reply = replies[requests.length - 1] ?? replies.at(-1) ?? { text: '' };
      const { status, body } = responseOf(echo.path, reply, requests.at(-1)?.json ?? {});
      response.writeHead(status, { 'content-type': 'application/json', ...reply.failure?.headers });
      response.end(JSON.stringify(body));
    });
  });
  return { url, requests };
}

function responseOf(path: string, reply: ModelReply, request: JsonObject): { status: number; body: JsonObject } {
  const api = APIS.find(({ pattern }) => pattern.test(path));
  if (!api) return { status: 404, body: { error: { message: `there is no ${path}` } } };
  const { failure } = reply;
  if (failure) return { status: failure.status, body: api.failure(failure.message) };
  return { status: 200, body: api.success(reply, request) };
}

interface Api {
  readonly pattern: RegExp;
  readonly success: (reply: ModelReply, request: JsonObject) => JsonObject;
  readonly failure: (message: string) => JsonObject;
}

const NO_TOKENS: NonNullable<ModelReply['tokens']> = { input: 0, output: 0 };
const openAiFailure = (message: string): JsonObject => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

/** Older models of Anthropic respond with JSON by calling a tool whose input it is. */
function anthropicContent(text: string, { tools }: JsonObject): JsonObject {
  const [tool] = Array.isArray(tools) ? tools : [];
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return isJsonObject(tool) && json !== ''
    ? { type: 'tool_use', id: 'toolu_1', name: tool.name ?? '', input: parseOwnJson<JsonValue>(json) }
    : { type: 'text', text };
}

const APIS: readonly Api[] = [
  {
    pattern: /\/messages$/,
    success: ({ text, calls, finish, tokens: { input, output, cached = 0 } = NO_TOKENS }, request) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: calls
        ? [
            { type: 'thinking', thinking: 'I need a tool.', signature: 'signed' },
            ...calls.map(({ id, tool, arguments: input }) => ({ type: 'tool_use', id, name: tool, input })),
          ]
        : [anthropicContent(text, request)],
      stop_reason: finish === 'length' ? 'max_tokens' : request.tools ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: input - cached,
        output_tokens: output,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: 0,
      },
    }),
    failure: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
  },
  {
    pattern: /\/responses$/,
    success: ({ text, calls, finish, tokens: { input, output, cached = 0 } = NO_TOKENS }) => ({
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: finish === 'length' ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
      model: 'gpt',
      output: calls?.map(({ id, tool, arguments: given }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name: tool,
        arguments: JSON.stringify(given),
        status: 'completed',
      })) ?? [
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    }),
    failure: openAiFailure,
  },
  {
    pattern: /\/chat\/completions$/,
    success: ({ text, calls, finish, tokens: { input, output, cached = 0 } = NO_TOKENS }) => ({
      id: 'chatcmpl_1',
      object: 'chat.completion',
      created: 1,
      model: 'any',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: calls ? null : text,
            refusal: null,
            ...(calls && {
              tool_calls: calls.map(({ id, tool, arguments: given }) => ({
                id,
                type: 'function',
                function: { name: tool, arguments: JSON.stringify(given) },
              })),
            }),
          },
          logprobs: null,
          finish_reason: finish ?? (calls ? 'tool_calls' : 'stop'),
        },
      ],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    }),
    failure: openAiFailure,
  },
  {
    pattern: /:generateContent$/,
    success: ({ text, calls, finish, tokens: { input, output, cached = 0 } = NO_TOKENS }) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: calls?.map(({ tool, arguments: args }) => ({
              functionCall: { name: tool, args },
              thoughtSignature: 'c2lnbmVk',
            })) ?? [{ text }],
          },
          finishReason: finish === 'length' ? 'MAX_TOKENS' : 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        cachedContentTokenCount: cached,
        totalTokenCount: input + output,
      },
      modelVersion: 'gemini',
    }),
    failure: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
];
