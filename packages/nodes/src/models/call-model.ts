import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FilePart,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Message,
  NoContentGeneratedError,
  type SharedV4Warning,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { JsonObject } from '@deckhand/contracts';
import { type HttpRequest, type HttpResponse, type ModelTokens, type NodeContext, NodeError } from '@deckhand/engine';
import { types } from 'node:util';
import { retryAfterMs } from '../http/retry-after.ts';
import { sendWithinLimits } from '../http/traffic-limits.ts';
import { excerpt } from '../text/limit.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { languageModel, type ModelSecret } from './language-model.ts';

/** Of a response: a model with the longest output writes less than 2 MB. */
const MAX_RESPONSE_BYTES = 20_971_520;
/** A model sends nothing until its response is complete, which takes long with reasoning. In ms. */
const MAX_SILENCE_MS = 1_800_000;
/** Retryable statuses below 500. */
const RETRYABLE = new Set([408, 409, 425, 429]);

/** Settings of a request; those of the model by default. */
export interface ModelSettings {
  /** What the response has to fit, as JSON. */
  readonly outputSchema: JsonObject | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly reasoning: LanguageModelV4CallOptions['reasoning'];
  readonly stop: readonly string[];
  /** What the model may call, and whether it has to. */
  readonly tools?: readonly LanguageModelV4FunctionTool[];
  readonly mustCall?: boolean;
}

/** The response of a model. */
export interface ModelResponse {
  readonly text: string;
  /** All parts of the response. */
  readonly content: LanguageModelV4GenerateResult['content'];
  readonly finishReason: LanguageModelV4GenerateResult['finishReason']['unified'];
  /** As the provider counted them. */
  readonly tokens: ModelTokens;
  /** In micro-dollars; null if it is unknown. */
  readonly costMicroUsd: number | null;
  /** Which settings were left out, and why. */
  readonly warnings: string[];
}

/** Calls a model. @param turn counts the calls of an attempt. @throws NodeError as `toNodeError` says. */
export type CallModel = (
  prompt: readonly LanguageModelV4Message[],
  settings: ModelSettings,
  turn: number,
) => Promise<ModelResponse>;

/**
 * Returns a function that calls a model for a node. Each call is counted once it may be sent, and its tokens when they
 * are known.
 */
export function modelCaller(
  { secret, traffic, credentialId }: ModelUse,
  modelId: string,
  { services, workspaceId, executionId, nodeId, iteration, idempotencyKey, signal, now }: NodeContext,
): CallModel {
  return async (prompt, settings, turn) => {
    const { provider } = secret;
    const { http, traffic: control } = services;
    const modelCalls = services.modelCalls;
    let call: string | undefined;
    async function send(request: HttpRequest): Promise<HttpResponse> {
      const place = { workspaceId, executionId, nodeId, iteration };
      const reserved = {
        reservedInputTokens: inputNeeded(request, prompt),
        reservedOutputTokens: settings.maxOutputTokens ?? USUAL_OUTPUT,
      };
      call = await modelCalls.begin({ ...place, credentialId, provider, model: modelId, ...reserved });
      try {
        return await http.request(request);
      } catch (error) {
        if (wasNotSent(error)) await modelCalls.withdraw(call);
        throw error;
      }
    }
    const fetch = guardedFetch(
      async (request) => {
        const ticket = turn === 0 ? idempotencyKey : `${idempotencyKey}:turn${turn}`;
        const counted = { http: { request: send }, traffic: control };
        const limits = { services: counted, limits: traffic, ticket, mayRest: turn === 0 };
        return (await sendWithinLimits(request, limits)).answer;
      },
      { maxResponseBytes: MAX_RESPONSE_BYTES, maxSilenceMs: MAX_SILENCE_MS, signal: signal() },
    );
    const model = await languageModel(secret, modelId, fetch);
    try {
      const options = { ...optionsOf(settings), prompt: [...prompt], abortSignal: signal() };
      const result = await model.doGenerate(options);
      const tokens = tokensOf(result);
      // A provider that counts nothing leaves what was reserved: the limit of the workspace holds for it, too.
      const costMicroUsd = call !== undefined && isCounted(result) ? await modelCalls.settle(call, tokens) : null;
      const warnings = result.warnings.map(warningText);
      const { content, finishReason } = result;
      return { text: textOf(result), content, finishReason: finishReason.unified, tokens, costMicroUsd, warnings };
    } catch (error) {
      // Providers charge nothing for a refusal.
      if (call !== undefined && isRefusal(error)) await modelCalls.settle(call, NO_TOKENS);
      throw toNodeError(error, now());
    }
  };
}

const NO_TOKENS: ModelTokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
/** What an answer without a limit may have, in tokens. */
const USUAL_OUTPUT = 4_096;
/** Of text, in tokens of most models. */
const CHARACTERS_PER_TOKEN = 4;

/** Of a file, in tokens: providers count its pages or pixels, and not its bytes. */
const FILE_TOKENS = 2_000;

/** Returns how many tokens a request may have. */
function inputNeeded({ body }: HttpRequest, prompt: readonly LanguageModelV4Message[]): number {
  const files = prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'file' ? [base64Length(part)] : [])) : [],
  );
  const inBody = typeof body === 'string' ? body.length : 0;
  const ofText = Math.max(0, inBody - files.reduce((sum, length) => sum + length, 0));
  return Math.ceil(ofText / CHARACTERS_PER_TOKEN) + files.length * FILE_TOKENS;
}

/** Returns the length of a file in the body of a request, in characters. */
function base64Length({ data }: LanguageModelV4FilePart): number {
  if (data.type !== 'data') return 0;
  return typeof data.data === 'string' ? data.data.length : Math.ceil(data.data.byteLength / 3) * 4;
}

/** Codes of errors before anything of a request was sent, of the system and of undici. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the provider has certainly got nothing of a request. */
function wasNotSent(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  if (error.code === 'ADDRESS_REFUSED' || error.code === 'PARAMETERS_INVALID') return true;
  for (let cause: unknown = error.cause; types.isNativeError(cause); cause = cause.cause)
    if ('code' in cause && NOT_SENT.has(String(cause.code))) return true;
  return false;
}

function isRefusal(error: unknown): boolean {
  return APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400;
}

/** The credential that a node calls a model with. */
export interface ModelUse {
  readonly secret: ModelSecret;
  readonly traffic: Parameters<typeof sendWithinLimits>[1]['limits'];
  readonly credentialId: string;
}

/** Returns the settings of a request, as the clients of providers name them. */
function optionsOf({
  outputSchema,
  maxOutputTokens,
  temperature,
  reasoning,
  stop,
  tools = [],
  mustCall = false,
}: ModelSettings): Omit<LanguageModelV4CallOptions, 'prompt'> {
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(tools.length > 0 && { tools: [...tools], toolChoice: { type: mustCall ? 'required' : 'auto' } }),
    ...(outputSchema && { responseFormat: { type: 'json', schema: outputSchema, name: 'output' } }),
    // With the strict one, OpenAI refuses schemas whose members are optional. Every response is checked here anyway.
    providerOptions: { openai: { strictJsonSchema: false, store: false } },
  };
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

/** Returns the tokens that the provider counted; 0 where it counted none. */
function tokensOf({ usage }: Pick<LanguageModelV4GenerateResult, 'usage'>): ModelTokens {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens: wholeNumber(inputTokens.total),
    outputTokens: wholeNumber(outputTokens.total),
    cachedInputTokens: wholeNumber(inputTokens.cacheRead),
  };
}

function isCounted({ usage }: Pick<LanguageModelV4GenerateResult, 'usage'>): boolean {
  return usage.inputTokens.total !== undefined || usage.outputTokens.total !== undefined;
}

/** Most tokens of a response: no model reads or writes as many. */
const MAX_TOKENS = 100_000_000;

/** A server of anybody's may count anything. */
function wholeNumber(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? Math.min(count, MAX_TOKENS) : 0;
}

/**
 * Returns the failure of a call: MODEL_FAILED with what the provider said, MODEL_RESPONSE_INVALID for a response that
 * is not one of its API, PARAMETERS_INVALID for what it does not support, and those of the HTTP client.
 */
function toNodeError(error: unknown, now: number): unknown {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) if (cause instanceof NodeError) return cause;
  if (UnsupportedFunctionalityError.isInstance(error))
    return new NodeError('PARAMETERS_INVALID', excerpt(error.message), { isRetryable: false, cause: error });
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400) {
    const { statusCode, message, responseBody = '', responseHeaders = {} } = error;
    const said = excerpt(message === '' ? responseBody : message);
    return new NodeError('MODEL_FAILED', `the provider responded with ${statusCode}: ${said}`, {
      isRetryable: statusCode >= 500 || RETRYABLE.has(statusCode),
      minRetryDelayMs: retryAfterMs(responseHeaders, now),
      details: { status: statusCode },
      cause: error,
    });
  }
  if (isInvalidResponse(error))
    return new NodeError('MODEL_RESPONSE_INVALID', excerpt(error.message), { isRetryable: true, cause: error });
  return error;
}

function isInvalidResponse(error: unknown): error is Error {
  return [APICallError, InvalidResponseDataError, JSONParseError, NoContentGeneratedError, TypeValidationError].some(
    (type) => type.isInstance(error),
  );
}
