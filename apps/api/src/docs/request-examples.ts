import { isJsonObject } from '@deckhand/contracts';
import { inspect } from 'node:util';
import { bodyOf, commandOf, quote, type WrittenRequest } from './command-examples.ts';
import type { ApiOperation } from './operations.ts';

/** The same example in another language. */
interface Example {
  readonly label: string;
  /** As a fence of Markdown names it. */
  readonly language: string;
  readonly text: string;
}

/**
 * Returns a request, written as an HTTP message, and how programs send it: with curl, and with the SDK and the command
 * line where these have it. @returns an empty list for a response.
 */
export function examplesOf(message: string, operations: readonly ApiOperation[]): Example[] {
  const request = parse(message);
  if (!request) return [];
  const texts: [string, string, string | undefined][] = [
    ['HTTP', 'http', message.trimEnd()],
    ['curl', 'sh', toCurl(request)],
    ['SDK', 'js', toClientCall(request) ?? toSdk(request, operations)],
    ['CLI', 'sh', commandOf(request)],
  ];
  return texts.flatMap(([label, language, text]) => (text === undefined ? [] : [{ label, language, text }]));
}

function parse(message: string): WrittenRequest | undefined {
  const [head = '', ...rest] = message.trimEnd().split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const [, method, target] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*|<\w+>)$/.exec(first) ?? [];
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
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(target.startsWith('/') ? `<url>${target}` : target)}`,
    ...sent.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** Returns the call of the client for what programs do most: they start runs and follow them. */
function toClientCall(request: WrittenRequest): string | undefined {
  const { method, target, headers } = request;
  if (!headers.has('x-api-key')) return undefined;
  const [, followed] = /^\/api\/executions\/([^/?]+)\/events$/.exec(target) ?? [];
  if (method === 'GET' && followed !== undefined)
    return `for await (const { status } of deckhand.runs.of(${literal(followed)}).events()) console.log(status);`;
  const [, workflow, batch] = /^\/api\/workflows\/([^/?]+)\/execute(\/batch)?$/.exec(target) ?? [];
  const body = bodyOf(request);
  if (method !== 'POST' || workflow === undefined) return undefined;
  if (batch !== undefined && Array.isArray(body))
    return `const results = await deckhand.workflows.executeBatch(${literal(workflow)}, ${literal(body)});`;
  if (!isJsonObject(body)) return undefined;
  const { input, ...others } = body;
  const key = headers.get('idempotency-key');
  const options = { ...others, ...(key !== undefined && { idempotencyKey: key }) };
  const hasOptions = Object.keys(options).length > 0;
  const given = [workflow, ...(hasOptions ? [input ?? {}, options] : input === undefined ? [] : [input])];
  return `const run = await deckhand.workflows.execute(${given.map(literal).join(', ')});\nconsole.log(await run.result());`;
}

/** Returns a value as JavaScript. */
function literal(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: 100 });
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
