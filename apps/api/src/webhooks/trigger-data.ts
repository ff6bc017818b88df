import type { Request } from 'express';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { headerText } from '@deckhand/runtime';
import { checkData } from '../http/json-body.ts';
import { parseForm } from './form.ts';

/** The parts of a request that become trigger data. */
export interface ReceivedPayload {
  readonly body: JsonValue;
  /** The body as it was sent. Undefined if the trigger does not keep it. */
  readonly rawBody: JsonValue | undefined;
  /** Names of the headers that the trigger checked, in lower case. Runs do not keep them. */
  readonly secretHeaders: readonly string[];
}

/** `$trigger` of a run, also as JSON text, and the part of it that identifies repeated requests. */
export interface TriggerData {
  readonly trigger: JsonObject;
  readonly json: string;
  readonly asked: JsonObject;
}

/**
 * Builds `$trigger` from a request.
 * @throws DeckhandError VALIDATION_FAILED for text that PostgreSQL cannot store.
 */
export function triggerData(request: Request, { body, rawBody, secretHeaders }: ReceivedPayload): TriggerData {
  const query = parseForm(queryOf(request.url));
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    secretHeaders.includes(name) || value === undefined
      ? []
      : [[name, headerText(Array.isArray(value) ? value.join(', ') : value)] as const],
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
  if (json.includes('\\u0000')) checkData(trigger, json);
  return { trigger, json, asked: { method: request.method, query, body } };
}

/** Returns the query of a URL: all that follows the first "?". Further ones are part of it (RFC 3986, 3.4). */
function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
