import {
  compileLenientCheck,
  compileUntrusted,
  ConnectorPack,
  isJsonObject,
  isRoutingHeader,
  type JsonObject,
  type JsonValue,
  SECRET_IN_PATH,
  type ValidationIssue,
} from '@deckhand/contracts';
import { DocumentError, isList, parseDocument } from './document.ts';
import type { Operation } from './operation.ts';
import { allOperations } from './pack-of-document.ts';
import { type Api, readApi } from './read-api.ts';

/** Maximum number of operations of a connector. */
const MAX_OPERATIONS = 1_000;
/** Maximum number of defaults of a pack: a check is compiled for each. */
const MAX_DEFAULTS = 1_000;

type PackOperation = ConnectorPack['operations'][number];
type PackField = NonNullable<PackOperation['fields']>[string];

/** What a connector can do: an operation of its document, as its pack presents it. It is JSON. */
export interface Action extends Omit<PackOperation, 'operation' | 'fields'> {
  /** With the schema of its form: hidden fields are left out, and labels and defaults are those of the pack. */
  readonly operation: Operation;
  /** Values of fields that are sent if the caller gives none. */
  readonly defaults: JsonObject;
  /** Values of hidden fields, which are always sent. */
  readonly fixed: JsonObject;
  /** Where the choices of fields come from, by path. */
  readonly options: Readonly<Record<string, NonNullable<PackField['options']>>>;
}

/** A connector: a pack, and what its document says of its operations. It is JSON, and never changes. */
export interface Connector extends Omit<ConnectorPack, 'operations'> {
  readonly actions: readonly Action[];
}

/** An issue of a pack, and the file that it is in. */
export interface PackIssue extends ValidationIssue {
  readonly file: string;
}

/** The texts of a pack, with the names that issues give them. */
export interface PackFiles {
  readonly pack: { readonly name: string; readonly text: string };
  readonly document: { readonly name: string; readonly text: string };
}

/** A pack of any shape, and the operations that it names, by these names. It is JSON. */
export interface PackSource {
  readonly pack: JsonObject;
  readonly operations: Readonly<Record<string, Operation>>;
}

/**
 * Parses the files of a pack, and reads the operations that it names. `operations: all` is all of its document, whose
 * title is that of a pack without one. The authors of the files choose what this costs, so it can be done in a process
 * of its own.
 * @returns the source of a connector, or the issues of its files.
 */
export function readPack({ pack, document }: PackFiles): { source: PackSource } | { issues: readonly PackIssue[] } {
  const issues: PackIssue[] = [];
  const read = <T>(file: string, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      issues.push({ file, path: '', message: error.message });
      return undefined;
    }
  };
  const given = read(pack.name, () => parseDocument(pack.text));
  const api = read(document.name, () => readApi(parseDocument(document.text)));
  if (!given || !api) return { issues };
  if (given.operations === 'all' && api.operations.length > MAX_OPERATIONS) {
    const count = api.operations.length.toLocaleString('en');
    const message = `must name at most ${MAX_OPERATIONS.toLocaleString('en')} of the ${count} operations of ${document.name}`;
    return { issues: [{ file: pack.name, path: 'operations', message }] };
  }
  const shown = given.operations === 'all' ? allOperations(api) : given.operations;
  const named = (isList(shown) ? shown : []).slice(0, MAX_OPERATIONS).flatMap((each) => {
    const name = isJsonObject(each) ? each.operation : undefined;
    const operation = typeof name === 'string' ? findOperation(api, name) : undefined;
    return typeof name === 'string' && operation ? [[name, operation] as const] : [];
  });
  const titled = given.title === undefined && api.title !== '' ? { ...given, title: api.title } : given;
  return {
    source: {
      pack: { ...titled, ...(shown !== undefined && { operations: shown }) },
      operations: Object.fromEntries(named),
    },
  };
}

function findOperation(api: Api, name: string): Operation | undefined {
  const found = api.read(name);
  if (found) return found;
  const byPath = api.operations.find(({ method, path }) => name === `${method} ${path}`);
  return byPath && api.read(byPath.id);
}

const checkPack = compileLenientCheck(ConnectorPack);

/**
 * Checks a pack, and presents its operations as it says.
 * @param names of the files, for issues.
 * @returns the connector, or the issues of the pack.
 */
export function composeConnector(
  { pack, operations }: PackSource,
  names: { readonly pack: string; readonly document: string },
): { connector: Connector } | { issues: readonly PackIssue[] } {
  const checked = checkPack(pack);
  if ('issues' in checked) return { issues: checked.issues.map((issue) => ({ file: names.pack, ...issue })) };
  const { operations: presented, ...rest } = withPathSecret(checked.value);
  const fields = presented.flatMap((each) => Object.values(each.fields ?? {}));
  if (fields.filter((field) => field.default !== undefined).length > MAX_DEFAULTS) {
    const message = `have more than ${MAX_DEFAULTS.toLocaleString('en')} defaults`;
    return { issues: [{ file: names.pack, path: 'operations', message }] };
  }
  const issues: PackIssue[] = [];
  const report: Report = (path, message) => {
    issues.push({ file: names.pack, path, message });
  };
  const actions = presented.flatMap((each, index): Action[] => {
    const at = `operations[${index}]`;
    const operation = Object.hasOwn(operations, each.operation) ? operations[each.operation] : undefined;
    if (operation) {
      reportPathSecret(checked.value, operation, (message) => report(`${at}.operation`, message));
      return [toAction(operation, each, (path, message) => report(`${at}${path}`, message))];
    }
    report(`${at}.operation`, `"${each.operation}" is not an operation of ${names.document}`);
    return [];
  });
  findWrongNames(checked.value, report);
  findRoutingHeaders(checked.value, report);
  findPathSecrets(checked.value, report);
  return issues.length > 0 ? { issues } : { connector: { ...rest, actions } };
}

/** Reports actions that are there twice, and names of actions that do not exist. */
function findWrongNames({ operations, test }: ConnectorPack, report: Report): void {
  const ids = new Set(operations.map(({ id }) => id));
  for (const [index, { id, fields = {} }] of operations.entries()) {
    const first = operations.findIndex((other) => other.id === id);
    if (first < index) report(`operations[${index}].id`, `"${id}" is also the id of operations[${first}]`);
    for (const [name, { options }] of Object.entries(fields)) {
      if (options && !ids.has(options.action))
        report(
          `operations[${index}].fields.${name}.options.action`,
          `"${options.action}" is not an operation of the pack`,
        );
    }
  }
  if (test !== undefined && !ids.has(test)) report('test', `"${test}" is not an operation of the pack`);
}

/** Reports headers that would change where a request goes, or where its body ends. */
function findRoutingHeaders({ headers = {}, credentials = [], operations }: ConnectorPack, report: Report): void {
  const named: (readonly [path: string, name: string | undefined])[] = [
    ...Object.keys(headers).map((name) => [`headers.${name}`, name] as const),
    ...credentials.map(({ header }, index) => [`credentials[${index}].header`, header] as const),
    ...operations.map((each, index) => [`operations[${index}].idempotencyHeader`, each.idempotencyHeader] as const),
  ];
  for (const [path, name] of named) {
    if (name !== undefined && isRoutingHeader(name)) report(path, `"${name}" belongs to the connection`);
  }
}

/** Returns the name in the path that the secret of a pack takes the place of; undefined without one. */
function pathSecretOf({ credentials = [] }: ConnectorPack): string | undefined {
  return credentials.find(({ path }) => path !== undefined)?.path;
}

/** Returns a pack whose operations have the placeholder of the secret in their path, as a hidden field. */
function withPathSecret(pack: ConnectorPack): ConnectorPack {
  const name = pathSecretOf(pack);
  if (name === undefined) return pack;
  const field = { [`path.${name}`]: { hidden: true, default: SECRET_IN_PATH } };
  return { ...pack, operations: pack.operations.map((each) => ({ ...each, fields: { ...each.fields, ...field } })) };
}

/** Reports presets of secrets in paths that are not the only way to the service. */
function findPathSecrets({ credentials = [] }: ConnectorPack, report: Report): void {
  for (const [index, { type, path, header }] of credentials.entries()) {
    if (path === undefined) continue;
    const at = `credentials[${index}].path`;
    if (type !== 'apiKey') report(at, 'is for credentials of the type apiKey');
    if (header !== undefined) report(at, 'must not be beside a header');
    if (credentials.length > 1) report(at, 'must be that of the only credential: addresses without it are others');
  }
}

/** Reports an operation whose path has something else in place of the secret. */
function reportPathSecret(pack: ConnectorPack, { server, path }: Operation, report: (message: string) => void): void {
  const name = pathSecretOf(pack);
  if (name === undefined) return;
  const [, first] = /\{([^{}]+)\}/.exec(`${server}${path}`) ?? [];
  if (first !== name) report(`has no {${name}} for the credential as the first name in braces of its address`);
}

type Report = (path: string, message: string) => void;

function toAction(
  operation: Operation,
  { operation: name, fields = {}, ...rest }: PackOperation,
  report: Report,
): Action {
  reportPaging(rest.paging, report);
  let { schema } = operation;
  let [defaults, fixed]: [JsonObject, JsonObject] = [{}, {}];
  for (const [path, field] of Object.entries(fields)) {
    const found = findMember(operation.schema, path.split('.'));
    if (!found) {
      report(`.fields.${path}`, `is not a field of "${name}"`);
      continue;
    }
    const issue = defaultIssue(found.member, field);
    if (issue !== undefined) report(`.fields.${path}.default`, issue);
    schema = withField(schema, found.names, field);
    if (field.default === undefined) continue;
    if (field.hidden === true) fixed = withValue(fixed, found.names, field.default);
    else defaults = withValue(defaults, found.names, field.default);
  }
  const options = Object.entries(fields).flatMap(([path, field]) =>
    field.options ? [[path, field.options] as const] : [],
  );
  return { ...rest, operation: { ...operation, schema }, defaults, fixed, options: Object.fromEntries(options) };
}

function reportPaging(paging: PackOperation['paging'], report: Report): void {
  if (!paging) return;
  const { mode, next, parameter } = paging;
  const needsNext = mode === 'cursor' || mode === 'url';
  if (needsNext !== (next !== undefined))
    report('.paging.next', needsNext ? `is required in the mode ${mode}` : 'needs the mode cursor or url');
  if (mode === 'cursor' && parameter === undefined) report('.paging.parameter', 'is required in the mode cursor');
}

function defaultIssue(member: JsonObject, { default: value, hidden }: PackField): string | undefined {
  if (value === undefined) return hidden === true ? 'is required for a hidden field' : undefined;
  const compiled = compileUntrusted(member);
  const result = 'issues' in compiled ? compiled : compiled.check(value);
  const [issue] = 'issues' in result ? result.issues : [];
  return issue && `${issue.path} ${issue.message}`.trim();
}

/** Finds the field at a path. Names of fields may have dots: the longest one counts. */
function findMember(
  schema: JsonObject,
  path: readonly string[],
): { readonly names: readonly string[]; readonly member: JsonObject } | undefined {
  if (path.length === 0) return { names: [], member: schema };
  for (let count = path.length; count > 0; count -= 1) {
    const name = path.slice(0, count).join('.');
    const member = propertyOf(schema, name);
    const found = member && findMember(member, path.slice(count));
    if (found) return { names: [name, ...found.names], member: found.member };
  }
  return undefined;
}

function propertyOf({ properties }: JsonObject, name: string): JsonObject | undefined {
  const member = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(member) ? member : undefined;
}

/**
 * Returns a schema in which a field is as the pack wants it: labelled, with a default, or left out. An object whose
 * last required field has a default is not required either.
 */
function withField(schema: JsonObject, [name = '', ...rest]: readonly string[], field: PackField): JsonObject {
  const member = propertyOf(schema, name) ?? {};
  const inner = rest.length > 0 ? withField(member, rest, field) : presented(member, field);
  const isHidden = rest.length === 0 && field.hidden === true;
  const isOptional =
    rest.length === 0 ? field.default !== undefined : member.required !== undefined && inner.required === undefined;
  const { required: given, properties, ...others } = schema;
  const required = (isList(given) ? given : []).filter((each) => each !== name || !isOptional);
  return {
    ...others,
    properties: Object.fromEntries(
      Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([other, value]): [string, JsonValue][] => {
        if (other !== name) return [[other, value]];
        return isHidden ? [] : [[name, inner]];
      }),
    ),
    ...(required.length > 0 && { required }),
  };
}

function presented(member: JsonObject, { title, description, default: value }: PackField): JsonObject {
  return {
    ...member,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  };
}

/** Returns an object with a value at a path. */
function withValue(object: JsonObject, [name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const member = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValue(isJsonObject(member) ? member : {}, rest, value) };
}
