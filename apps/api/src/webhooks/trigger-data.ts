import type { Request } from 'express';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { checkJson } from '../http/check-json.js';
import { parseForm } from './form.js';

/** What a request brought, once it was read. */
export interface ReceivedPayload {
  readonly body: JsonValue;
  /** As it was sent; undefined where the trigger does not keep it. */
  readonly rawBody: JsonValue | undefined;
  /** Names of the headers that the trigger checked, in lower case: no run keeps them. */
  readonly secretHeaders: readonly string[];
}

/** A run's `$trigger`, as JSON text, and what of it makes two requests the same one. */
export interface TriggerData {
  readonly json: string;
  readonly asked: JsonObject;
}

/**
 * Builds `$trigger` from a request.
 * @throws DeckhandError VALIDATION_FAILED for what PostgreSQL has no text for.
 */
export function triggerData(request: Request, { body, rawBody, secretHeaders }: ReceivedPayload): TriggerData {
  const query = parseForm(request.url.split('?')[1] ?? '');
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    secretHeaders.includes(name) || value === undefined
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  const trigger = {
    body,
    headers: Object.fromEntries(headers),
    query,
    method: request.method,
    path: request.path,
    timestamp: new Date().toISOString(),
    ...(rawBody === undefined ? {} : { rawBody }),
  };
  const json = JSON.stringify(trigger);
  if (json.includes('\\u0000')) checkJson(trigger, json);
  return { json, asked: { method: request.method, query, body } };
}
