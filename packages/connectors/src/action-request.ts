import { isJsonObject, type JsonObject, type JsonValue, type PackPaging } from '@deckhand/contracts';
import { buildRequest, type ConnectorRequest } from './build-request.ts';
import { cut } from './convert-schema.ts';
import { isList } from './document.ts';
import type { Action, Connector } from './load-pack.ts';

/** Maximum length of what an error quotes of a response, in characters. */
const MAX_MESSAGE = 500;

/**
 * Builds the request of an action, with the defaults and the headers of its pack.
 * @param values fit the schema of the action's operation.
 * @throws RequestError for values that would change which server or path is requested.
 */
export function actionRequest(
  { headers = {} }: Pick<Connector, 'headers'>,
  action: Action,
  values: JsonObject,
): ConnectorRequest {
  const request = buildRequest(action.operation, merge(merge(action.defaults, values, 'default'), action.fixed));
  return { ...request, headers: { ...headers, ...request.headers } };
}

/**
 * Returns an object with the members of both; those of the second one replace others that are not objects. Null is an
 * empty field, and replaces no default.
 */
function merge(first: JsonObject, second: JsonObject, kind?: 'default'): JsonObject {
  const merged = Object.entries(second).map(([name, value]): [string, JsonValue] => {
    const before = Object.hasOwn(first, name) ? first[name] : undefined;
    if (isJsonObject(before) && isJsonObject(value)) return [name, merge(before, value, kind)];
    return [name, kind === 'default' && value === null ? (before ?? null) : value];
  });
  return Object.fromEntries([...Object.entries(first), ...merged]);
}

/**
 * Returns where the page after a response is: a URL, or the query parameters to replace; null after the last page. For
 * the modes `cursor` and `url` only: the others need no body.
 */
export function nextPage({ mode, next, parameter = '' }: PackPaging, body: JsonValue): JsonValue {
  const value = next === undefined ? null : valueAt(body, next);
  if (value === null || value === '' || value === false) return null;
  return mode === 'cursor' ? { [parameter]: value } : value;
}

/** Returns what a service says about an error, on one line; undefined if its response has no text there. */
export function errorMessage(
  { errorMessage: path }: Pick<Connector, 'errorMessage'>,
  body: JsonValue,
): string | undefined {
  const value = path === undefined ? null : valueAt(body, path);
  return typeof value === 'string' && value !== '' ? cut(value, MAX_MESSAGE) : undefined;
}

/** Whether a response with a status of success says that the service did not do what was asked. */
export function isFailure({ failedWhen }: Pick<Connector, 'failedWhen'>, body: JsonValue): boolean {
  if (!failedWhen) return false;
  const value = valueAt(body, failedWhen.path);
  if (failedWhen.equals !== undefined) return value === failedWhen.equals;
  return value !== null && value !== false && value !== '' && !(isList(value) && value.length === 0);
}

/**
 * Returns the value at names with dots between them; null if there is none. The last item of a list is -1. Names may
 * have dots, such as `@odata.nextLink`: the longest one counts.
 */
function valueAt(body: JsonValue, path: string): JsonValue {
  let [at, names]: [JsonValue, readonly string[]] = [body, path.split('.')];
  while (names.length > 0) {
    const from = at;
    const last = names.findLastIndex((_, index) => memberOf(from, names.slice(0, index + 1).join('.')) !== undefined);
    if (last === -1) return null;
    at = memberOf(from, names.slice(0, last + 1).join('.')) ?? null;
    names = names.slice(last + 1);
  }
  return at;
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  if (isList(value)) return /^(-1|\d+)$/.test(name) ? value.at(Number(name)) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
