import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isJsonObject, type JsonValue } from '@deckhand/contracts';

/** Values by name. A guide writes `<name>` where one of them belongs. */
export type Variables = Map<string, string>;

/** A response in a guide that differs from the service's response. */
class GuideError extends Error {
  override readonly name = 'GuideError';
}

const BLOCK = /^```(http|js)\n([\s\S]*?)\n```$/gm;
const RESPONSE_LINE = /^HTTP\/1\.1 (\d{3})/;
const VARIABLE = /<([a-z][A-Za-z]*)>/g;
/** Placeholder for any value in a response. */
const ANYTHING = '…';

/**
 * Runs the code blocks of a guide in their order. An `http` block is a request, or the response expected to the one
 * before. A `js` block is a module; its exported texts become variables. Members that an expected response leaves out
 * are not compared, and `"<name>"` in it sets a variable that has no value yet.
 * @param baseUrl where paths of requests lead, and URLs of any origin, too.
 * @returns the number of responses compared.
 * @throws GuideError for a response that differs, and for a block that is neither request nor response.
 */
export async function runGuide(text: string, baseUrl: string, variables: Variables): Promise<number> {
  let response: Response | undefined;
  let compared = 0;
  for (const [, language, block = ''] of text.matchAll(BLOCK)) {
    if (language === 'js') {
      await runScript(block, variables);
    } else if (!RESPONSE_LINE.test(block)) {
      if (response) throw new GuideError(`the guide shows no response to the request before:\n${block}`);
      response = await send(block, baseUrl, variables);
    } else {
      if (!response) throw new GuideError(`the guide shows no request before:\n${block}`);
      await compare(block, response, variables);
      response = undefined;
      compared += 1;
    }
  }
  if (response) throw new GuideError('the guide shows no response to its last request');
  return compared;
}

async function send(block: string, baseUrl: string, variables: Variables): Promise<Response> {
  const { firstLine, headers, body: text } = parseMessage(fill(block, variables));
  const isMultipart = headers.some(([, value]) => value.startsWith('multipart/'));
  // Lines of its parts end like those of HTTP (RFC 2046, 4.1.1).
  const body = isMultipart ? text.replaceAll('\n', '\r\n') : text;
  const [method = '', target = ''] = firstLine.split(' ');
  const { pathname, search } = new URL(target, baseUrl);
  return fetch(`${baseUrl}${pathname}${search}`, { method, headers, ...(body === '' ? {} : { body }) });
}

async function compare(block: string, response: Response, variables: Variables): Promise<void> {
  const { firstLine, headers, body } = parseMessage(block);
  const text = await response.text();
  const got = `${response.status} ${text}`;
  if (RESPONSE_LINE.exec(firstLine)?.[1] !== String(response.status)) {
    throw new GuideError(`instead of ${firstLine} the service answered ${got}`);
  }
  for (const [name, value] of headers) {
    if (!matches(value, response.headers.get(name), variables)) {
      throw new GuideError(`the header ${name} is ${response.headers.get(name) ?? 'missing'} instead of ${value}`);
    }
  }
  if (body !== '' && !matches(JSON.parse(body), JSON.parse(text), variables)) {
    throw new GuideError(`instead of\n${fill(body, variables)}\nthe service answered ${got}`);
  }
}

/** Returns whether a value matches the one in a guide. */
function matches(shown: JsonValue, value: JsonValue | undefined, variables: Variables): boolean {
  if (shown === ANYTHING) return value !== undefined;
  if (typeof shown === 'string') {
    const [, name] = /^<([a-z][A-Za-z]*)>$/.exec(shown) ?? [];
    if (name !== undefined && !variables.has(name) && typeof value === 'string') variables.set(name, value);
    return value === fill(shown, variables);
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(value) || value.length !== shown.length) return false;
    return shown.every((item, index) => matches(item, value[index], variables));
  }
  if (!isJsonObject(shown)) return shown === value;
  return (
    isJsonObject(value) && Object.entries(shown).every(([name, member]) => matches(member, value[name], variables))
  );
}

/** Sets a variable for each text that the module exports. */
async function runScript(source: string, variables: Variables): Promise<void> {
  const module = `data:text/javascript,${encodeURIComponent(fill(source, variables))}`;
  const print = `import(${JSON.stringify(module)}).then((exported) => console.log(JSON.stringify(exported)))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', print]);
  const exported: Record<string, string> = JSON.parse(stdout);
  for (const [name, value] of Object.entries(exported)) variables.set(name, value);
}

/** Replaces the names of variables in a text with their values. Other names stay. */
function fill(text: string, variables: Variables): string {
  return text.replaceAll(VARIABLE, (placeholder, name: string) => variables.get(name) ?? placeholder);
}

interface Message {
  readonly firstLine: string;
  readonly headers: [name: string, value: string][];
  readonly body: string;
}

function parseMessage(text: string): Message {
  const [head = '', ...rest] = text.split('\n\n');
  const [firstLine = '', ...lines] = head.split('\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { firstLine, headers, body: rest.join('\n\n') };
}
