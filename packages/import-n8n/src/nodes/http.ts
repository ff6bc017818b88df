import { type JsonObject, type JsonValue, type NodeDefinition, parseJson } from '@deckhand/contracts';
import { braced, convertValue, isExpression, isSingle, literal, toExpression } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { fileOfItem } from '../files.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, outputOf } from './converter.ts';
import { modernize } from './http-before-3.ts';
import { reviewOthers } from './triggers.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Types of credentials that have an equivalent. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  httpBasicAuth: 'basic',
  httpHeaderAuth: 'header',
  httpBearerAuth: 'bearer',
};

/** Requests: one, or one for each item. */
export function httpNode(given: Conversion): Converted {
  const conversion = given.node.version < 3 ? { ...given, parameters: modernize(given.parameters) } : given;
  const { id, input, node, scope } = conversion;
  if (input.shape === 'one') {
    const check = checkNode(conversion, `${id}__item`, `$nodes.${id}.output`);
    return {
      nodes: [requestNode(conversion, id, scope), check],
      edges: [{ source: id, target: check.id }],
      outputs: [{ nodeId: check.id, source: { ...outputOf(check.id, 'one'), ...filesOf(conversion) } }],
    };
  }
  const inLoop: Scope = {
    ...scope,
    item: '$loop.item',
    index: '$loop.index',
    nodeNamed(name) {
      const source = scope.nodeNamed(name);
      return source.text.includes('$loop') ? unsupported('the item of an outer loop, inside an inner one') : source;
    },
  };
  const loop: NodeDefinition = {
    id,
    type: 'loop',
    name: `${node.name}: each`,
    parameters: { items: braced(input.text) },
  };
  const [request, check] = [`${id}__request`, `${id}__item`];
  return {
    nodes: [loop, requestNode(conversion, request, inLoop), checkNode(conversion, check, `$nodes.${request}.output`)],
    edges: [
      { source: id, sourceHandle: 'body', target: request },
      { source: request, target: check },
    ],
    outputs: [{ nodeId: id, handle: 'done', source: outputOf(id, 'list') }],
  };
}

/** Returns the files that the item of a response has. */
function filesOf({ id, input, parameters }: Conversion): { readonly files?: string } {
  const { responseFormat, outputPropertyName = 'data' } = object(object(object(parameters.options).response).response);
  if (responseFormat !== 'file') return {};
  const before = input.files === undefined ? '' : `...${input.files}, `;
  return { files: `({ ${before}${JSON.stringify(show(outputPropertyName))}: $nodes.${id}.output.body })` };
}

function requestNode(conversion: Conversion, id: string, scope: Scope): NodeDefinition {
  const { node, parameters, review } = conversion;
  const { options } = parameters;
  const method = literal(parameters.method ?? 'GET');
  if (typeof method !== 'string' || !METHODS.includes(method)) return unsupported(`the method ${show(method)}`);
  if (parameters.provideSslCertificates === true) return unsupported('a client certificate (provideSslCertificates)');
  const { response, timeout, redirect, batching, pagination, ...others } = object(options);
  reviewOthers(others, review);
  if (text(object(object(pagination).pagination).paginationMode) !== 'off' && pagination !== undefined) {
    review('only the first page is read here: set its pagination');
  }
  if (batching !== undefined) review('requests are sent one after the other, without batches');
  const { neverError, responseFormat } = object(object(response).response);
  noteCredential(node.original, parameters, review);
  const body = bodyOf(conversion, scope);
  const given = pairs(parameters, ['sendHeaders', 'specifyHeaders', 'headerParameters', 'jsonHeaders'], scope);
  const headers = typeof given === 'string' && body.headers ? merged(given, body.headers) : given;
  const all = typeof headers === 'string' ? headers : { ...headers, ...body.headers };
  const query = pairs(parameters, ['sendQuery', 'specifyQuery', 'queryParameters', 'jsonQuery'], scope);
  const { redirect: redirects } = object(redirect);
  // Once the option is added, exports omit the value that it begins with.
  const { followRedirects = redirects === undefined || node.version >= 4, maxRedirects = redirects && 21 } =
    object(redirects);
  if (maxRedirects !== undefined && followRedirects !== false)
    review(`in n8n, it follows at most ${show(maxRedirects)} redirects`);
  return {
    id,
    type: 'http',
    name: node.name,
    parameters: {
      method,
      url: urlOf(parameters.url, scope, review),
      ...(isGiven(query) && { query }),
      ...(isGiven(all) && { headers: all }),
      ...(body.value !== undefined && { body: body.value }),
      ...(followRedirects === false && { followRedirects }),
      ...(neverError === true && { acceptErrorStatus: true }),
      ...(responseFormat === 'file' && { responseType: 'binary' }),
    },
    ...(typeof timeout === 'number' && timeout >= 1 && { timeoutSeconds: timeout / 1_000 }),
  };
}

/** Returns the URL. One that is empty, or not absolute, fails when it is used, as in n8n. */
function urlOf(given: JsonValue = '', scope: Scope, review: (message: string) => void): JsonValue {
  const url = literal(given);
  if (isExpression(url)) {
    const trimmed: `=${string}` = `=${url.slice(1).trim()}`;
    return /^=(?:https?:\/\/|\{\{)/.test(trimmed) ? convertValue(trimmed, scope) : braced(toExpression(trimmed, scope));
  }
  const plain = show(url).trim();
  if (/^https?:\/\//.test(plain) && URL.canParse(plain)) return convertValue(plain, scope);
  const what = plain === '' ? 'is empty' : 'does not begin with http or https';
  review(`its URL ${what}, so that it fails, as in n8n: change it`);
  return braced(JSON.stringify(plain));
}

function noteCredential(original: JsonObject, parameters: JsonObject, review: (message: string) => void): void {
  const { authentication = 'none', genericAuthType, nodeCredentialType } = parameters;
  if (authentication === 'none') return;
  const type = show(genericAuthType ?? nodeCredentialType ?? 'unknown');
  const names = Object.values(object(original.credentials)).map((each) => show(object(each).name));
  const ours = lookup(CREDENTIALS, type);
  const what = ours === undefined ? 'a credential that does the same' : `a credential of the type ${ours}`;
  review(`choose ${what}: in n8n it is "${names.join(', ')}" (${type})`);
}

function isGiven(names: string | JsonObject): boolean {
  return typeof names === 'string' || Object.keys(names).length > 0;
}

/** Returns an expression for names and values of an expression, and others. */
function merged(names: string, others: JsonObject): string {
  return braced(`{ ...${names.slice(2, -2).trim()}, ...${JSON.stringify(others)} }`);
}

/** Names and values, or JSON; one expression where names are expressions. */
function pairs(
  parameters: JsonObject,
  [sends, specifies, named, json]: readonly [string, string, string, string],
  scope: Scope,
): string | JsonObject {
  if (parameters[sends] !== true) return {};
  if (parameters[specifies] !== 'json') {
    const entries = list(object(parameters[named]).parameters).map((each) => {
      const { name = '', value = '' } = object(each);
      return { name: show(name), value };
    });
    if (entries.some(({ name }) => isExpression(name))) return braced(membersOf(entries, scope));
    return Object.fromEntries(entries.map(({ name, value }) => [name, convertValue(value, scope)]));
  }
  const value = parameters[json];
  if (typeof value !== 'string' || isSingle(value)) return unsupported(`${json} that is an expression`);
  if (isExpression(value)) {
    const named = Object.entries(object(literalJson(value.slice(1), json)));
    return Object.fromEntries(
      named.map(([name, each]) => {
        if (name.includes('{{')) return unsupported('names that are expressions');
        return [name, convertValue(typeof each === 'string' ? `=${each}` : each, scope)];
      }),
    );
  }
  return { ...object(convertValue(literalJson(value, json), scope)) };
}

function literalJson(value: string, name: string): JsonValue {
  try {
    return parseJson(value);
  } catch {
    return unsupported(`${name} is not JSON`);
  }
}

/** Returns an object with members whose names and values may be expressions. */
function membersOf(entries: readonly { readonly name: string; readonly value: JsonValue }[], scope: Scope): string {
  const members = entries.map(({ name, value }) => {
    const key = isExpression(name) ? `[${toExpression(name, scope)}]` : JSON.stringify(name);
    return `${key}: ${toExpression(value, scope)}`;
  });
  return `{ ${members.join(', ')} }`;
}

interface Body {
  readonly value?: JsonValue;
  readonly headers?: Record<string, string>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function bodyOf({ parameters, input, review }: Conversion, scope: Scope): Body {
  if (parameters.sendBody !== true) return {};
  const { contentType = 'json', specifyBody = 'keypair', jsonBody = '', body = '', rawContentType } = parameters;
  const { bodyParameters = { parameters: [{}] } } = parameters;
  const entries = list(object(bodyParameters).parameters).map((each) => {
    const { name = '', value = '', parameterType, inputDataFieldName } = object(each);
    return { name: show(name), value, ...(parameterType === 'formBinaryData' && { file: inputDataFieldName ?? '' }) };
  });
  const fields = (): string | JsonObject =>
    entries.some(({ name, file }) => isExpression(name) && file === undefined) &&
    entries.every(({ file }) => file === undefined)
      ? braced(membersOf(entries, scope))
      : Object.fromEntries(
          entries.flatMap(({ name, value, file }): [string, JsonValue][] => {
            if (isExpression(name)) return unsupported('names that are expressions');
            if (file === undefined) return [[name, convertValue(value, scope)]];
            // n8n leaves out a file without a name.
            return text(file) === undefined ? [] : [[name, braced(fileOfItem(input, file, review))]];
          }),
        );
  switch (contentType) {
    case 'json':
      if (specifyBody !== 'json') {
        // An object leaves out the fields whose values are missing.
        const isPlain = entries.every(({ name, value }) => !isExpression(name) && !isExpression(value));
        return { value: isPlain ? fields() : braced(membersOf(entries, scope)) };
      }
      if (typeof jsonBody !== 'string') return unsupported('a body that is not text');
      if (!isExpression(jsonBody)) return { value: convertValue(literalJson(jsonBody, 'the body'), scope) };
      // One expression may return an object or a text of JSON, a text around expressions is JSON.
      if (isSingle(jsonBody)) {
        return { value: braced(toExpression(`=${jsonBody.slice(1).trim()}`, scope)), headers: JSON_TYPE };
      }
      return { value: convertValue(jsonBody, scope), headers: JSON_TYPE };
    case 'form-urlencoded':
      if (specifyBody === 'string') return unsupported('a form that is one text');
      return { value: fields(), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    case 'raw':
      return { value: convertValue(body, scope), headers: { 'content-type': text(rawContentType) ?? 'text/plain' } };
    case 'multipart-form-data':
      return { value: fields(), headers: { 'content-type': 'multipart/form-data' } };
    case 'binaryData':
      if (text(parameters.inputDataFieldName) === undefined) return unsupported('a file as body that is not named');
      return { value: braced(fileOfItem(input, parameters.inputDataFieldName, review)) };
    default:
      return unsupported(`bodies of the type ${show(contentType)}`);
  }
}

/** Makes an item of the response. A list fails: n8n would run the following nodes once for each of its elements. */
function checkNode(
  { node, parameters, input, review, isTool }: Conversion,
  id: string,
  response: string,
): NodeDefinition {
  const { fullResponse, responseFormat, outputPropertyName } = object(
    object(object(parameters.options).response).response,
  );
  if (responseFormat === 'file') {
    if (input.shape === 'list') return unsupported('responses that are files, one for each item');
    if (fullResponse === true) return unsupported('responses that are files, with their headers');
    review('a file of more than 10 MiB fails: set maxResponseBytes');
    const source = `const { error } = ${response};\nreturn error === undefined ? {} : { error };`;
    return { id, type: 'code', name: `${node.name}: item`, parameters: { source } };
  }
  if (responseFormat === 'text') review('in n8n, the response is a text; here JSON is read');
  if (outputPropertyName !== undefined && outputPropertyName !== 'data') {
    return unsupported(`a response in the field ${show(outputPropertyName)}`);
  }
  if (fullResponse === true) {
    const source = [
      `const { body, headers, status, error } = ${response};`,
      'return error === undefined ? { body, headers, statusCode: status } : { error };',
    ].join('\n');
    return { id, type: 'code', name: `${node.name}: item`, parameters: { source } };
  }
  if (isTool) {
    if (parameters.optimizeResponse === true) review('the model is told the response as it is (optimizeResponse)');
    const source = [
      `const { body } = ${response};`,
      "const toItem = (value) => (typeof value === 'object' && value !== null ? value : { data: value });",
      'return Array.isArray(body) ? body.map(toItem) : toItem(body);',
    ].join('\n');
    return { id, type: 'code', name: `${node.name}: item`, parameters: { source } };
  }
  const perItem = input.shape === 'list' ? ', and of each item' : '';
  review(`the run fails if the response${perItem} is a list: n8n would then run the next nodes once for each element`);
  const source = [
    `const { body, error } = ${response};`,
    'if (error !== undefined) return { error };',
    "if (Array.isArray(body)) throw new Error('The response is a list: make a loop of the nodes after this one');",
    "return typeof body === 'object' && body !== null ? body : { data: body };",
  ].join('\n');
  return { id, type: 'code', name: `${node.name}: item`, parameters: { source } };
}
