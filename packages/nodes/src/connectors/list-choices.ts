import {
  type FieldOptions,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ValidationIssue,
} from '@deckhand/contracts';
import { type ConnectorOperation, NodeError, type OperationName } from '@deckhand/engine';
import { firstPage, type PagePosition, readPage } from '../http/pagination.ts';
import { fieldReader } from '../items/items.ts';
import {
  bodyOf,
  type CallContext,
  findOperation,
  prepareCall,
  type PreparedCall,
  toPagination,
} from './call-operation.ts';

/** Maximum number of pages that are read at once, and of choices after which no further one is. */
const MAX_PAGES = 5;
const ENOUGH_CHOICES = 50;
/** Maximum number of choices of a page, of the length of their labels, and of a response in bytes. */
const MAX_CHOICES = 1_000;
const MAX_LABEL = 200;
const MAX_RESPONSE_BYTES = 4_194_304;

/** A choice of a field. */
export interface Choice {
  readonly value: string | number | boolean;
  readonly label: string;
}

/** The field whose choices are listed. */
export interface ChoiceRequest {
  readonly operation: OperationName;
  /** Its path, such as `body.channel`. */
  readonly field: string;
  /** Those of the other fields, of which the list may need some. */
  readonly values: JsonObject;
  /** What labels or values have to contain, in any case; empty for all. */
  readonly search: string;
  /** Where to go on; undefined for the beginning. */
  readonly from: PagePosition | undefined;
}

/** Some choices of a field, and where there are more; undefined at the end. */
export interface Choices {
  readonly choices: readonly Choice[];
  readonly next: PagePosition | undefined;
}

/**
 * Lists choices of a field of an operation: the items of another operation of its connector. Reads up to five pages for
 * fifty choices, and fewer if a further one fails.
 * @returns the choices, or the issues of the request.
 * @throws NodeError as `prepareCall` and `readPage` do.
 */
export async function listChoices(
  { operation: name, field, values, search, from }: ChoiceRequest,
  context: CallContext,
): Promise<Choices | { readonly issues: readonly ValidationIssue[] }> {
  const operation = await findOperation(name, context);
  const options = Object.hasOwn(operation.options, field) ? operation.options[field] : undefined;
  if (!options) return { issues: [{ path: 'field', message: 'is not a field with choices' }] };
  const listName = { ...name, operation: options.action };
  const list = await findOperation(listName, context);
  const needed = neededValues(list.schema, values);
  if ('issues' in needed) return needed;
  const call = await prepareCall({ ...listName, ...needed, maxResponseBytes: MAX_RESPONSE_BYTES }, context);
  // Hosts of the credential were checked for the first page.
  if (from && from.url.origin !== call.url.origin)
    return { issues: [{ path: 'cursor', message: 'is that of another server: begin again' }] };
  const found = new Map<Choice['value'], Choice>();
  let next = from;
  try {
    for (let number = 0; number < MAX_PAGES; number += 1) {
      const page = await readChoices(call, options, next, number);
      for (const choice of page.choices) if (matches(choice, search)) found.set(choice.value, choice);
      ({ next } = page);
      if (!next || found.size >= ENOUGH_CHOICES) break;
    }
  } catch (error) {
    // People can choose of what was found until the time was up; to go on shows the error again.
    if (found.size === 0 || !(error instanceof NodeError)) throw error;
  }
  return { choices: [...found.values()], next };
}

async function readChoices(
  { operation, url, send }: PreparedCall,
  options: FieldOptions,
  from: PagePosition | undefined,
  number: number,
): Promise<Choices> {
  if (!operation.paging) {
    const items = fieldReader(itemsOf(options)).read(bodyOf(await send(url, number)));
    return { choices: toChoices(items, options), next: undefined };
  }
  const pagination = { ...toPagination(operation.paging, undefined), ...pagesOf(options, operation) };
  const reader = { first: url, read: send, next: (page: JsonValue) => operation.nextPage(bodyOf(page)) };
  const { items, next } = await readPage(pagination, reader, from ?? firstPage(pagination, url), number);
  return { choices: toChoices(items, options), next };
}

function pagesOf(options: FieldOptions, { paging }: Pick<ConnectorOperation, 'paging'>): { readonly items?: string } {
  const items = itemsOf(options) ?? paging?.items;
  return items === undefined ? {} : { items };
}

function itemsOf({ items }: FieldOptions): string | undefined {
  return items === '' ? undefined : items;
}

function toChoices(items: JsonValue | undefined, { value: valuePath, label: labelPath }: FieldOptions): Choice[] {
  if (!isList(items)) return [];
  const [value, label] = [fieldReader(valuePath), fieldReader(labelPath ?? valuePath)];
  return items.slice(0, MAX_CHOICES).flatMap((item) => {
    const [found, shown] = [value.read(item), label.read(item)];
    if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean') return [];
    const text = typeof shown === 'string' || typeof shown === 'number' ? String(shown).trim() : '';
    return [{ value: found, label: (text === '' ? String(found) : text).slice(0, MAX_LABEL) }];
  });
}

function matches({ value, label }: Choice, search: string): boolean {
  const text = search.trim().toLowerCase();
  return label.toLowerCase().includes(text) || String(value).toLowerCase().includes(text);
}

/**
 * Returns the values that a list needs, from fields of the same names: those that it requires, and those of the server.
 */
function neededValues(
  { properties = {} }: JsonObject,
  given: JsonObject,
): { readonly values: JsonObject } | { readonly issues: readonly ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const places = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([place, schema]): [string, JsonObject] => {
      const { required, properties: members } = isJsonObject(schema) ? schema : {};
      const needed = isList(required) ? required.filter((name) => typeof name === 'string') : [];
      const names = place === 'server' && isJsonObject(members) ? Object.keys(members) : needed;
      const found = names.flatMap((name): [string, JsonValue][] => {
        const value = valueOf(given, place, name);
        const isExpression = typeof value === 'string' && value.includes('{{');
        if (value !== undefined && value !== null && !isExpression) return [[name, value]];
        const message = isExpression
          ? 'is an expression, and the choices need its value'
          : 'is needed for the choices: fill it in first';
        if (needed.includes(name)) issues.push({ path: `values.${place}.${name}`, message });
        return [];
      });
      return [place, Object.fromEntries(found)];
    },
  );
  if (issues.length > 0) return { issues };
  return { values: Object.fromEntries(places.filter(([, values]) => Object.keys(values).length > 0)) };
}

/** Returns the value of a field in a place, or in any other. */
function valueOf(values: JsonObject, place: string, name: string): JsonValue | undefined {
  const places = [values[place], ...Object.values(values)];
  const found = places.find(
    (members) => members !== undefined && isJsonObject(members) && Object.hasOwn(members, name),
  );
  return found !== undefined && isJsonObject(found) ? found[name] : undefined;
}

/** `Array.isArray` alone loses the type of the elements. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
