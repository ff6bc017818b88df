import { isJsonObject, type JsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import Type, { type Static } from 'typebox';
import { fieldReader } from '../items/items.ts';
import { nextLink } from './next-link.ts';
import { requestUrl } from './request-parts.ts';

const MAX_PAGES = 100;

/** How an http node finds the next page, and when it has read the last one. */
export const Pagination = Type.Object(
  {
    mode: Type.Enum(['link', 'next', 'page', 'offset'], {
      description:
        'Where the next page is: at the `Link` header with the relation next, as `next` says, or at the next number of a page or offset, up to a page without items',
    }),
    next: Type.Optional(
      Type.Unsafe<JsonValue>({
        description:
          'For the mode `next`: an expression on the `$response` of the page before, such as {{ $response.body.nextUrl }}. A text is the next URL, an object the query parameters to replace, such as a cursor; null, false and an empty text mean that there is no further page',
      }),
    ),
    parameter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The query parameter with the number; by default `page` or `offset`',
      }),
    ),
    start: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The first number; by default 1 for pages, 0 for offsets' }),
    ),
    items: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The list in the body of a page: names with dots between them; the body itself without it',
      }),
    ),
    output: Type.Optional(
      Type.Enum(['pages', 'items'], {
        default: 'pages',
        description: 'The list of responses, or one list of the items of all pages',
      }),
    ),
    maxPages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, default: MAX_PAGES, description: 'A further page fails the node' }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Reads further pages, one after the other; all of them or none. With `retry`, a further page that fails is tried again, `maxAttempts` times in all, and not those before it; if its server asks for more than five minutes, all pages are read again',
  },
);
export type Pagination = Static<typeof Pagination>;

/** Returns the issues of a `pagination` parameter that its schema cannot express. */
export function paginationIssues(pagination: JsonValue | undefined): ValidationIssue[] {
  if (pagination === undefined || !isJsonObject(pagination)) return [];
  const { mode, next } = pagination;
  if (mode === 'next' && next === undefined)
    return [{ path: 'pagination.next', message: 'is required in the mode next' }];
  if (mode !== 'next' && next !== undefined) return [{ path: 'pagination.next', message: 'needs the mode next' }];
  return [];
}

/** A page: the response as the node returns it. */
type Page = JsonObject & { readonly headers: JsonObject };

/** How pages are read. */
export interface PageReader {
  readonly first: URL;
  /** Reads a page. @param number from 0. */
  readonly read: (url: URL, number: number) => Promise<Page>;
  /** Evaluates `next` for a page. */
  readonly next: ((page: JsonValue) => JsonValue) | undefined;
}

/** Where a page is, and its number as the mode counts it. */
export interface PagePosition {
  readonly url: URL;
  readonly count: number;
}

/** A page, its items if they matter, and where the next one is; undefined after the last. */
interface ReadPage {
  readonly page: Page;
  readonly items: readonly JsonValue[];
  readonly next: PagePosition | undefined;
}

/**
 * Reads all pages. Every page has the origin of the first, because it gets the same credential and headers.
 * @throws NodeError HTTP_TOO_MANY_PAGES, HTTP_NEXT_PAGE_INVALID, HTTP_RESPONSE_INVALID, and what `read` throws.
 */
export async function readPages(pagination: Pagination, reader: PageReader): Promise<JsonValue[]> {
  const { output = 'pages', maxPages = MAX_PAGES } = pagination;
  const result: JsonValue[] = [];
  let position: PagePosition | undefined = firstPage(pagination, reader.first);
  for (let number = 0; position; number += 1) {
    if (number === maxPages) {
      const message = `there are more pages than maxPages (${maxPages})`;
      throw new NodeError('HTTP_TOO_MANY_PAGES', message, { isRetryable: false });
    }
    const { page, items, next }: ReadPage = await readPage(pagination, reader, position, number);
    if (output === 'pages') result.push(page);
    else for (const item of items) result.push(item);
    position = next;
  }
  return result;
}

/** Returns where the first page is. */
export function firstPage({ mode, parameter, start }: Pagination, first: URL): PagePosition {
  const count = start ?? (mode === 'page' ? 1 : 0);
  return isCounted(mode) ? { url: withQuery(first, { [parameter ?? mode]: count }), count } : { url: first, count };
}

/** Reads a page. @param number of the request, from 0. @throws as `readPages` does. */
export async function readPage(
  { mode, output = 'pages', parameter = mode, items: field }: Pagination,
  { first, read, next }: PageReader,
  { url, count }: PagePosition,
  number: number,
): Promise<ReadPage> {
  const page = await read(url, number);
  const items = isCounted(mode) || output === 'items' ? listIn(page, field) : [];
  if (isCounted(mode)) {
    const after = count + (mode === 'page' ? 1 : items.length);
    const following = items.length === 0 ? undefined : withQuery(first, { [parameter]: after });
    return { page, items, next: following && { url: following, count: after } };
  }
  const following = nextUrl(url, mode === 'link' ? nextLink(textOf(page.headers.link)) : next?.(page));
  if (following && following.origin !== first.origin) throw invalidNext('has another origin than the first one');
  return { page, items, next: following && { url: following, count } };
}

/** Whether pages are requested by their number, or by that of their first item. */
function isCounted(mode: Pagination['mode']): mode is 'page' | 'offset' {
  return mode === 'page' || mode === 'offset';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function nextUrl(at: URL, next: JsonValue | undefined): URL | undefined {
  if (next === undefined || next === null || next === false || next === '') return undefined;
  if (typeof next === 'string') {
    if (!URL.canParse(next, at.href)) throw invalidNext('is not a URL');
    // Credentials in a link are not ours.
    return requestUrl(new URL(next, at.href).href).url;
  }
  if (!isJsonObject(next)) throw invalidNext('is neither a text nor an object');
  return withQuery(at, next);
}

/** Replaces query parameters; null removes one. The others stay as they were written: some servers compare them so. */
function withQuery(url: URL, query: JsonObject): URL {
  const left = new Map(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const replaced = new Set<string>();
  const written = url.search
    .slice(1)
    .split('&')
    .flatMap((part) => {
      const [name = ''] = new URLSearchParams(part).keys();
      const value = left.get(name);
      if (value === undefined) return [part];
      if (query[name] === null || replaced.has(name)) return [];
      replaced.add(name);
      return [new URLSearchParams({ [name]: value }).toString()];
    });
  const added = [...left].flatMap(([name, value]) =>
    query[name] === null || replaced.has(name) ? [] : [new URLSearchParams({ [name]: value }).toString()],
  );
  const changed = new URL(url);
  changed.search = [...written, ...added].filter((part, index) => part !== '' || index > 0).join('&');
  return changed;
}

function listIn({ body = null }: Page, field: string | undefined): readonly JsonValue[] {
  const list: JsonValue | undefined = fieldReader(field).read(body);
  if (isList(list)) return list;
  const message = `pagination.items: ${field ?? 'the body'} of a page is not a list`;
  throw new NodeError('HTTP_RESPONSE_INVALID', message, { isRetryable: false });
}

/** `Array.isArray` alone loses the type of the elements. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Without the URL, which may contain a secret. */
function invalidNext(reason: string): NodeError {
  return new NodeError('HTTP_NEXT_PAGE_INVALID', `the next page ${reason}`, { isRetryable: false });
}
