import { isJsonObject } from '@deckhand/contracts';
import type { ApiOperation } from './operations.ts';

/** The same example in another language. */
interface Example {
  readonly label: string;
  readonly text: string;
}

/** A request as guides write it. */
interface WrittenRequest {
  readonly method: string;
  readonly target: string;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Returns a request, written as an HTTP message, and how programs send it: with curl, and with the SDK and the command
 * line where these have it. @returns an empty list for a response.
 */
export function examplesOf(message: string, operations: readonly ApiOperation[]): Example[] {
  const request = parse(message);
  if (!request) return [];
  const texts: [string, string | undefined][] = [
    ['HTTP', message.trimEnd()],
    ['curl', toCurl(request)],
    ['SDK', toSdk(request, operations)],
    ['CLI', toCommand(request)],
  ];
  return texts.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]));
}

function parse(message: string): WrittenRequest | undefined {
  const [head = '', ...rest] = message.trimEnd().split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const [, method, target] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { method, target, headers: new Map(headers), body: rest.join('\n\n').trim() };
}

function toCurl({ method, target, headers, body }: WrittenRequest): string {
  const isTyped = body === '' || headers.has('content-type');
  const sent = [...headers, ...(isTyped ? [] : [['content-type', 'application/json'] as const])];
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(`<url>${target}`)}`,
    ...sent.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** The SDK sends an API key; other ways to sign in are not its own. */
function toSdk(
  { method, target, headers, body }: WrittenRequest,
  operations: readonly ApiOperation[],
): string | undefined {
  const [path = '', query = ''] = target.split('?');
  const operation = operations.find((one) => one.method === method && matches(one.path, path));
  if (!operation || !headers.has('x-api-key')) return undefined;
  const words = path.split('/');
  const parameters = operation.path
    .split('/')
    .flatMap((word, at) => (isParameter(word) ? [[word.slice(1, -1), decodeURIComponent(words[at] ?? '')]] : []));
  const others = [...headers].filter(([name]) => name !== 'x-api-key' && name !== 'content-type');
  const members = [
    ['client', 'deckhand.client'],
    ...memberOf('path', parameters),
    ...memberOf('query', [...new URLSearchParams(query)]),
    ...memberOf('headers', others),
    ...(body === '' ? [] : [['body', body.replaceAll('\n', '\n  ')]]),
    ['throwOnError', 'true'],
  ];
  return [
    `import { ${operation.id} } from '@deckhand/sdk/operations';\n`,
    `const { data } = await ${operation.id}({`,
    ...members.map(([name, value]) => `  ${name}: ${value},`),
    '});',
  ].join('\n');
}

function memberOf(name: string, entries: readonly (readonly string[])[]): string[][] {
  return entries.length === 0 ? [] : [[name, JSON.stringify(Object.fromEntries(entries))]];
}

/** Whether a path is one of an operation. Placeholders in angle brackets stand for words. */
function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((word, at) => isParameter(word) || word === given[at]);
}

function isParameter(word: string): boolean {
  return word.startsWith('{');
}

/** The command line starts and reads runs; it takes its key from its profile. */
function toCommand({ method, target, headers, body }: WrittenRequest): string | undefined {
  const [, started] = /^\/api\/workflows\/([^/?]+)\/execute$/.exec(target) ?? [];
  const [, read] = /^\/api\/executions\/([^/?]+)$/.exec(target) ?? [];
  if (method === 'GET' && read !== undefined) return `deckhand runs get ${quote(read)}`;
  if (method !== 'POST' || started === undefined) return undefined;
  const { input, ...others } = objectIn(body);
  if (Object.keys(others).length > 0) return undefined;
  const key = headers.get('idempotency-key');
  return [
    `deckhand run ${quote(started)}`,
    ...(input === undefined ? [] : [`--input ${quote(JSON.stringify(input))}`]),
    ...(key === undefined ? [] : [`--idempotency-key ${quote(key)}`]),
  ].join(' ');
}

/** Returns the members of a body. One with an ellipsis has a member that the command line does not have, too. */
function objectIn(body: string): Readonly<Record<string, unknown>> {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : { body };
  } catch {
    return { body };
  }
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
