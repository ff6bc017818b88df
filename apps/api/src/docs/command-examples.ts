import { isJsonObject, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';

/** A request as guides write it. */
export interface WrittenRequest {
  readonly method: string;
  /** A path, or the placeholder of a whole address. */
  readonly target: string;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Returns the words of an option for its value; undefined if the command cannot send this value. */
type Option = (value: JsonValue) => readonly string[] | undefined;

/** A command that sends requests of one operation. */
interface Command {
  readonly method: string;
  readonly path: string;
  readonly words: string;
  /** The member of the body that is its argument, for a path without a parameter. */
  readonly argument?: string;
  /** Members that a request must have for this command. */
  readonly needs?: readonly string[];
  /** By members of the query and the body. A request with any other member has no command. */
  readonly options: Readonly<Record<string, Option>>;
}

/** An option with a value, once for each element of a list. */
const named =
  (name: string): Option =>
  (value) =>
    [value].flat().flatMap((one) => [name, quote(textOf(one))]);
/** A list in a query has commas. */
const listed =
  (name: string): Option =>
  (value) =>
    named(name)(textOf(value).split(','));
/** An option without a value, for one value; nothing for another one. */
const flag =
  (set: JsonValue, name: string, unset?: JsonValue): Option =>
  (value) => {
    if (value === set) return name === '' ? [] : [name];
    return value === unset ? [] : undefined;
  };
/** The profile of the command says which workspace it is. */
const ofProfile: Option = () => [];

/** The member of a credential that is secret is asked for, and others are options. */
const SECRET_MEMBERS = ['token', 'value', 'password', 'connectionString'];
const secretFields: Option = (secret) =>
  isJsonObject(secret)
    ? Object.entries(secret).flatMap(([name, value]) =>
        SECRET_MEMBERS.includes(name) ? [] : ['--field', quote(`${name}=${textOf(value)}`)],
      )
    : undefined;

const COMMANDS: readonly Command[] = [
  {
    ...{ method: 'POST', path: '/api/workflows/{}/execute', words: 'run' },
    options: {
      input: named('--input'),
      executionMode: named('--mode'),
      triggerNodeId: named('--trigger'),
      version: named('--workflow-version'),
      tags: named('--tag'),
      'idempotency-key': named('--idempotency-key'),
    },
  },
  { method: 'GET', path: '/api/executions/{}', words: 'runs get', options: {} },
  { method: 'GET', path: '/api/executions/{}', words: 'runs follow', options: { wait: named('--timeout') } },
  { method: 'POST', path: '/api/executions/{}/stop', words: 'runs stop', options: {} },
  {
    ...{ method: 'POST', path: '/api/executions/{}/rerun', words: 'runs rerun' },
    options: {
      fromNodeId: named('--from-node'),
      untilNodeId: named('--until-node'),
      iterations: flag('failed', '--failed-iterations'),
      version: named('--workflow-version'),
    },
  },
  {
    ...{ method: 'GET', path: '/api/executions', words: 'runs list' },
    options: {
      workspaceId: ofProfile,
      workflowId: named('--workflow'),
      status: listed('--status'),
      tag: listed('--tag'),
      limit: named('--limit'),
    },
  },
  { method: 'GET', path: '/api/approvals', words: 'approve', options: { workspaceId: ofProfile } },
  {
    ...{ method: 'POST', path: '/api/approvals/submit', words: 'approve', argument: 'executionId' },
    options: {
      approved: flag(false, '--reject', true),
      decision: named('--decision'),
      nodeId: named('--node'),
      waitId: named('--wait'),
      comment: named('--comment'),
    },
  },
  {
    ...{ method: 'GET', path: '/api/workflows', words: 'workflows list' },
    options: {
      workspaceId: ofProfile,
      status: named('--status'),
      search: named('--search'),
      limit: named('--limit'),
    },
  },
  { method: 'GET', path: '/api/workflows/{}', words: 'workflows get', options: {} },
  {
    ...{ method: 'PATCH', path: '/api/workflows/{}', words: 'workflows activate', needs: ['status'] },
    options: { status: flag('active', ''), activeVersionId: named('--workflow-version') },
  },
  {
    ...{ method: 'POST', path: '/api/credentials', words: 'secrets set', argument: 'name' },
    options: { workspaceId: ofProfile, type: named('--type'), secret: secretFields },
  },
];

/** Returns how the command line sends a request; undefined if it does not send the same. */
export function commandOf(request: WrittenRequest): string | undefined {
  const members = membersOf(request);
  if (!members) return undefined;
  const [path = ''] = request.target.split('?');
  for (const command of COMMANDS) {
    const found = pathArguments(command.path, path);
    if (command.method !== request.method || !found) continue;
    const words = optionsOf(command, members);
    if (words) return ['deckhand', command.words, ...found.map(quote), ...words].join(' ');
  }
  return undefined;
}

/** Returns the parameters of a path; undefined if it is another one. */
function pathArguments(template: string, path: string): readonly string[] | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  if (wanted.some((word, at) => word !== '{}' && word !== given[at])) return undefined;
  return given.filter((_, at) => wanted[at] === '{}');
}

function optionsOf({ argument, needs = [], options }: Command, members: JsonObject): readonly string[] | undefined {
  if (needs.some((name) => !(name in members))) return undefined;
  const words: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    const added = name === argument ? [quote(textOf(value))] : options[name]?.(value);
    if (!added) return undefined;
    if (name === argument) words.unshift(...added);
    else words.push(...added);
  }
  return words;
}

/** Returns the members of the query and the body; undefined for a body that is not a JSON object. */
function membersOf(request: WrittenRequest): JsonObject | undefined {
  const query = Object.fromEntries(new URLSearchParams(request.target.split('?')[1] ?? ''));
  const key = request.headers.get('idempotency-key');
  const body = bodyOf(request);
  if (!isJsonObject(body)) return undefined;
  return { ...query, ...body, ...(key !== undefined && { 'idempotency-key': key }) };
}

/** Returns the body of a request, `{}` without one; undefined if it is not JSON, such as one with an ellipsis. */
export function bodyOf({ body }: WrittenRequest): JsonValue | undefined {
  if (body === '') return {};
  try {
    return parseOwnJson<JsonValue>(body);
  } catch {
    return undefined;
  }
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
