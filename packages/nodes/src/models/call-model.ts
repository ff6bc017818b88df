import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  NoContentGeneratedError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { type HttpRequest, type HttpResponse, type ModelTokens, type NodeContext, NodeError } from '@deckhand/engine';
import { types } from 'node:util';
import { retryAfterMs } from '../http/retry-after.ts';
import { sendWithinLimits } from '../http/traffic-limits.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { languageModel, type ModelSecret } from './language-model.ts';

/** Of a response: a model with the longest output writes less than 2 MB. */
const MAX_RESPONSE_BYTES = 20_971_520;
/** A model sends nothing until its response is complete, which takes long with reasoning. In ms. */
const MAX_SILENCE_MS = 1_800_000;
/** Retryable statuses below 500. */
const RETRYABLE = new Set([408, 409, 425, 429]);
const MAX_MESSAGE = 1_000;

/** Calls a model. @param turn counts the calls of an attempt. @throws NodeError as `toNodeError` says. */
export type CallModel = (options: LanguageModelV4CallOptions, turn: number) => Promise<LanguageModelV4GenerateResult>;

/**
 * Returns a function that calls a model for a node. Each call is counted once it may be sent, and its tokens when they
 * are known.
 */
export function modelCaller(
  { secret, traffic, credentialId }: ModelUse,
  modelId: string,
  { services, workspaceId, executionId, nodeId, iteration, idempotencyKey, signal, now }: NodeContext,
): CallModel {
  return async (options, turn) => {
    const { provider } = secret;
    const { http, modelCalls, traffic: control } = services;
    let call: string | undefined;
    async function send(request: HttpRequest): Promise<HttpResponse> {
      const place = { workspaceId, executionId, nodeId, iteration };
      call = await modelCalls.begin({ ...place, credentialId, provider, model: modelId });
      try {
        return await http.request(request);
      } catch (error) {
        if (error instanceof NodeError && error.code === 'ADDRESS_REFUSED') await modelCalls.withdraw(call);
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
    const model: LanguageModelV4 = await languageModel(secret, modelId, fetch);
    try {
      const result = await model.doGenerate({ ...options, abortSignal: signal() });
      if (call !== undefined) await modelCalls.settle(call, tokensOf(result));
      return result;
    } catch (error) {
      throw toNodeError(error, now());
    }
  };
}

/** The credential that a node calls a model with. */
export interface ModelUse {
  readonly secret: ModelSecret;
  readonly traffic: Parameters<typeof sendWithinLimits>[1]['limits'];
  readonly credentialId: string;
}

/** Returns the tokens that the provider counted; 0 where it counted none. */
export function tokensOf({ usage }: Pick<LanguageModelV4GenerateResult, 'usage'>): ModelTokens {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens: wholeNumber(inputTokens.total),
    outputTokens: wholeNumber(outputTokens.total),
    cachedInputTokens: wholeNumber(inputTokens.cacheRead),
  };
}

/** A server of anybody's may count anything. */
function wholeNumber(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
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

/** Cuts a text of a provider or a model to 1,000 characters, for messages. */
export function excerpt(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
