import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { type EditorState, Facet } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { exampleLink, expressionFunctions } from '@deckhand/engine/expressions';
import type { SampleData } from '../forms/sample-data.ts';
import { i18n } from '../language/i18n.ts';
import { readInput, readLoop } from './try-expression.ts';

/** Names and the fields read from them, up to the cursor: `$nodes.order.output.lines[0].` */
const PATH =
  /(?<![\w$.\])])([$A-Za-z_][\w$]*)((?:\??\.[A-Za-z_$][\w$]*|(?:\?\.)?\[(?:"[^"\]]*"|'[^'\]]*'|\d+)\])*)(\??\.)([\w$]*)$/;
const STEP = /\??\.([A-Za-z_$][\w$]*)|(?:\?\.)?\[(?:"([^"\]]*)"|'([^'\]]*)'|(\d+))\]/g;
const NAME = /(?<![\w$.])[$A-Za-z_]?[\w$]*$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** How many fields of one value are listed. */
const MAX_FIELDS = 500;

const NAMES: readonly (readonly [string, string])[] = [
  ['$trigger', i18n.t('The data that started the run')],
  ['$input', i18n.t('The output of the previous node')],
  ['$nodes', i18n.t('The outputs of earlier nodes, by id')],
  ['$loop', i18n.t('In a loop: the item and its index')],
  ['$links', i18n.t('The links that answer approvals and human tasks, by node id')],
  ['$vars', i18n.t('The variables of the workspace')],
  ['$execution', i18n.t('The run: id and mode')],
  ['$now', i18n.t('The current time, as ISO 8601 text')],
];

/** What differs between expressions and scripts: both have the same names, but only expressions have functions. */
interface Dialect {
  readonly functions: typeof expressionFunctions;
  /** Returns what is shown beside the name of a field. */
  readonly describe: (value: JsonValue) => string;
  /** Whether the list opens by itself for a word that is begun after the text before it. */
  readonly opensAt: (word: string, before: string) => boolean;
}

const EXPRESSION: Dialect = {
  functions: expressionFunctions,
  describe: summarize,
  opensAt: (word, before) => word !== '' || /(^|[\s({[,:?!&|+*/%<>=-])$/.test(before),
};

// All other words of a script are JavaScript, and Enter after one of them begins a line.
const SCRIPT: Dialect = {
  functions: [],
  // Before a run, null stands for a value that is not known.
  describe: (value) => kindOf(value) ?? '',
  opensAt: (word) => word.startsWith('$'),
};

/** Texts in a script that are not code. */
const NO_CODE: ReadonlySet<string> = new Set(['String', 'TemplateString', 'RegExp', 'LineComment', 'BlockComment']);

/** The data for completing expressions. */
export const sampleData = Facet.define<SampleData>();

/** Whether only text in braces is an expression. */
export const needsBraces = Facet.define<boolean, boolean>({ combine: ([first]) => first ?? true });

/** Completes expressions inside `{{ }}`: names, nodes, fields of the last run's data, and the language's functions. */
export async function completeExpression(context: CompletionContext): Promise<CompletionResult | null> {
  const inside = expressionBefore(context.state, context.pos);
  return inside === undefined || isInText(inside) ? null : complete(context, inside, EXPRESSION);
}

/** Completes in a script the names that it can read, and the fields of the last run's data with their types. */
export async function completeScript(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  if (NO_CODE.has(syntaxTree(state).resolveInner(pos, -1).name)) return null;
  const line = state.doc.lineAt(pos);
  return complete(context, state.sliceDoc(line.from, pos), SCRIPT);
}

/** Completes what a text ends with. */
async function complete(
  context: CompletionContext,
  inside: string,
  dialect: Dialect,
): Promise<CompletionResult | null> {
  const [data] = context.state.facet(sampleData);
  if (!data) return null;
  const path = PATH.exec(inside);
  if (path) {
    const [, name = '', steps = '', dot = '', begun = ''] = path;
    const options = await optionsAfter({ name, keys: keysOf(steps), dot }, data, dialect);
    return options.length === 0 ? null : { from: context.pos - begun.length, options, validFor: /^[\w$]*$/ };
  }
  const word = NAME.exec(inside)?.[0];
  if (word === undefined) return null;
  if (!context.explicit && !dialect.opensAt(word, inside)) return null;
  return { from: context.pos - word.length, options: namesToBegin(data, dialect), validFor: /^[\w$]*$/ };
}

/** Returns the part of an expression that is before a position; undefined outside of expressions. */
export function expressionBefore(state: EditorState, position: number): string | undefined {
  const text = state.sliceDoc(0, position);
  const opening = text.lastIndexOf('{{');
  if (opening < 0) return state.facet(needsBraces) ? undefined : text;
  return text.includes('}}', opening) ? undefined : text.slice(opening + 2);
}

/** Returns true inside a string literal, which is not completed. */
function isInText(inside: string): boolean {
  const closed = inside.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '');
  return /["']/.test(closed);
}

function namesToBegin(data: SampleData, dialect: Dialect): Completion[] {
  const names = NAMES.filter(([name]) => isKnownHere(name, data)).map(([label, info]): Completion => ({
    label,
    info,
    type: 'variable',
    boost: 2,
  }));
  const functions = dialect.functions.filter(({ type }) => type === 'global');
  const single = functions.filter(({ name }) => !name.includes('.'));
  const spaces = new Set(
    functions.flatMap(({ name }) => (name.includes('.') ? [name.slice(0, name.indexOf('.'))] : [])),
  );
  return [
    ...names,
    ...single.map((one) => toCall(one.name, one.signature, one.doc)),
    ...[...spaces]
      .filter((space) => !single.some(({ name }) => name === space))
      .map((label): Completion => ({ label, type: 'namespace' })),
  ];
}

function isKnownHere(name: string, { loop, links }: SampleData): boolean {
  if (name === '$links') return links.length > 0;
  return name !== '$loop' || loop !== undefined;
}

/** Returns the completions after a name and some of its fields. */
async function optionsAfter(
  { name, keys, dot }: { name: string; keys: readonly (string | number)[]; dot: string },
  data: SampleData,
  dialect: Dialect,
): Promise<Completion[]> {
  if (name === '$nodes' && keys.length === 0) {
    return data.before.map((id, index) => ({ ...toField(id, dot), detail: i18n.t('node'), boost: -index }));
  }
  if (name === '$links' && keys.length === 0) {
    return data.links.map((id) => ({ ...toField(id, dot), detail: i18n.t('link') }));
  }
  if (!name.startsWith('$')) {
    return dialect.functions
      .filter((one) => one.type === 'global' && one.name.startsWith(`${name}.`) && keys.length === 0)
      .map((one) => toCall(one.name.slice(name.length + 1), one.signature.slice(name.length + 1), one.doc));
  }
  const root = await readRoot(name, keys, data);
  if (!root) return [];
  const value = root.rest.reduce<JsonValue | undefined>(step, root.value);
  return [...fieldsOf(value, dot, dialect), ...methodsOf(value, dialect)];
}

/** Returns the value of a name, and the fields still to read from it. */
async function readRoot(
  name: string,
  keys: readonly (string | number)[],
  data: SampleData,
): Promise<{ readonly value: JsonValue | undefined; readonly rest: readonly (string | number)[] } | undefined> {
  switch (name) {
    case '$trigger':
      return { value: data.run?.trigger ?? data.shapes.trigger, rest: keys };
    case '$input':
      return { value: withKnown(await readInput(data), shapeOfInput(data)), rest: keys };
    case '$vars':
      return { value: await data.vars(), rest: keys };
    case '$execution':
      return { value: { id: data.run?.id ?? '', mode: data.run?.mode ?? '' }, rest: keys };
    case '$links':
      return { value: exampleLink(String(keys[0]), ''), rest: keys.slice(1) };
    case '$now':
      return { value: new Date().toISOString(), rest: keys };
    case '$loop':
      return { value: data.loop && { ...((await readLoop(data)) ?? { item: null, index: 0 }) }, rest: keys };
    case '$nodes': {
      const [id, field, ...rest] = keys;
      const output = withKnown(await data.output(String(id)), data.shapes.output(String(id)));
      if (field === undefined) return { value: { output: output ?? null }, rest: [] };
      return field === 'output' ? { value: output, rest } : undefined;
    }
    default:
      return undefined;
  }
}

/** Adds to the data of a run the members that others may have, such as the error of a node that failed this time. */
function withKnown(value: JsonValue | undefined, known: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) return known;
  return isJsonObject(value) && known !== undefined && isJsonObject(known) ? { ...known, ...value } : value;
}

/** Returns the members of `$input` that are known without a run. */
function shapeOfInput({ sources, shapes, tryData }: SampleData): JsonValue | undefined {
  const [only, ...others] = sources;
  if (others.length > 0) return Object.fromEntries(sources.map(({ nodeId }) => [nodeId, {}]));
  if (only?.gives === 'input') return shapeOfInput(tryData(only.nodeId));
  return only?.gives === 'output' ? shapes.output(only.nodeId) : undefined;
}

function keysOf(steps: string): (string | number)[] {
  return Array.from(steps.matchAll(STEP), ([, name, double, single, index]) =>
    index === undefined ? (name ?? double ?? single ?? '') : Number(index),
  );
}

function step(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (value === undefined || value === null || typeof value !== 'object') return undefined;
  return new Map<string, JsonValue>(Object.entries(value)).get(String(key));
}

function fieldsOf(value: JsonValue | undefined, dot: string, { describe }: Dialect): Completion[] {
  if (value === undefined || !isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_FIELDS)
    .map(([name, member]) => ({ ...toField(name, dot), detail: describe(member), boost: 1 }));
}

function methodsOf(value: JsonValue | undefined, { functions }: Dialect): Completion[] {
  const kind = kindOf(value);
  if (kind === undefined) return [];
  const length: Completion[] =
    kind === 'string' || kind === 'array' ? [{ label: 'length', type: 'property', detail: 'number' }] : [];
  return [
    ...length,
    ...functions.filter(({ type }) => type === kind).map(({ name, signature, doc }) => toCall(name, signature, doc)),
  ];
}

function kindOf(value: JsonValue | undefined): 'string' | 'number' | 'boolean' | 'array' | 'object' | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Returns the notation of a field: in brackets if its name cannot follow a dot. */
function toField(name: string, dot: string): Completion {
  const field: Completion = { label: name, type: 'property' };
  if (IDENTIFIER.test(name)) return field;
  const bracketed = `${dot === '?.' ? '?.' : ''}[${JSON.stringify(name)}]`;
  return {
    ...field,
    apply(view, completion, from, to) {
      insert(view, completion, bracketed, bracketed.length, from - dot.length, to);
    },
  };
}

function toCall(name: string, signature: string, doc: string): Completion {
  const takesNothing = signature.startsWith(`${name}()`);
  return {
    label: name,
    type: 'function',
    detail: signature.slice(name.length),
    info: doc,
    apply(view, completion, from, to) {
      insert(view, completion, `${name}()`, name.length + (takesNothing ? 2 : 1), from, to);
    },
  };
}

function insert(
  view: EditorView,
  completion: Completion,
  text: string,
  cursor: number,
  from: number,
  to: number,
): void {
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + cursor },
    annotations: pickedCompletion.of(completion),
    userEvent: 'input.complete',
  });
}

/** A value in a few characters. */
function summarize(value: JsonValue): string {
  if (Array.isArray(value)) return i18n.t('list of {count}', { count: value.length });
  if (isJsonObject(value)) return i18n.t('object');
  const text = JSON.stringify(value);
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}
