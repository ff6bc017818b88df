import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import {
  compileParameters,
  compileTemplate,
  exampleLink,
  ExpressionError,
  type ExpressionIssue,
  type ExpressionName,
  type ExpressionReferences,
  type ExpressionScope,
} from '@deckhand/engine/expressions';
import type { SampleData, SampleSource } from '../forms/sample-data.ts';
import { i18n } from '../language/i18n.ts';

/** The result of evaluating a text with expressions. */
export type Trial =
  | { readonly kind: 'constant' }
  | { readonly kind: 'value'; readonly value: JsonValue; readonly missing: readonly string[] }
  | { readonly kind: 'issue'; readonly issue: ExpressionIssue }
  | { readonly kind: 'failed'; readonly reason: string; readonly missing: readonly string[] }
  | { readonly kind: 'untried' };

/** The names without a value until there is a run. */
const OF_A_RUN: readonly ExpressionName[] = ['$trigger', '$input', '$loop', '$execution'];

/** The names whose values in a run are not those of later. */
const CHANGING: readonly ExpressionName[] = ['$links', '$now', '$vars'];

/** The item of a loop for previews in its body. */
interface LoopItem {
  readonly item: JsonValue;
  readonly index: number;
}

/** Evaluates a text like the engine, on the data of an earlier run. Never throws. */
export async function tryExpression(text: string, data: SampleData): Promise<Trial> {
  const compiled = compileTemplate(text);
  if ('issue' in compiled) return { kind: 'issue', issue: compiled.issue };
  const { constant, references, evaluate } = compiled.template;
  if (constant !== undefined) return { kind: 'constant' };
  const { nodes, names } = references;
  const needsRun = nodes.length > 0 || OF_A_RUN.some((name) => names.has(name));
  if (needsRun && !data.run) return { kind: 'untried' };
  const { scope, missing } = await readScope(references, data);
  try {
    return { kind: 'value', value: evaluate(scope), missing };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof ExpressionError ? error.reason : i18n.t('it failed'), missing };
  }
}

/** `$input` of the node. */
export async function readInput(data: SampleData): Promise<JsonValue | undefined> {
  const read = async ({ nodeId, gives }: SampleSource): Promise<JsonValue | undefined> => {
    if (gives === 'input') return readInput(data.tryData(nodeId));
    return gives === 'item' ? (await readLoop(data))?.item : data.output(nodeId);
  };
  const [only, ...others] = data.sources;
  if (!only) return null;
  if (others.length === 0) return read(only);
  const outputs = await Promise.all(data.sources.map(async (source) => [source.nodeId, await read(source)] as const));
  return Object.fromEntries(outputs.flatMap(([id, output]) => (output === undefined ? [] : [[id, output]])));
}

/** The first item of the loop around the node: the actual one is unknown afterwards. */
export async function readLoop({ loop }: SampleData): Promise<LoopItem | undefined> {
  if (!loop) return undefined;
  const { items, data } = loop();
  const list = await readItems(items, data);
  return list.length > 0 ? { item: list[0] ?? null, index: 0 } : undefined;
}

/** Evaluates the list of a loop. @returns an empty list if that fails. @param data of the loop */
async function readItems(items: JsonValue, data: SampleData): Promise<readonly JsonValue[]> {
  const compiled = compileParameters({ items });
  if ('issues' in compiled) return [];
  const { references, evaluate } = compiled.parameters;
  try {
    return itemsOf(evaluate((await readScope(references, data)).scope));
  } catch {
    return [];
  }
}

/**
 * Evaluates the list of a loop that has ended once more, on the data of its run.
 * @returns an empty list if that fails, or if the list may have been another one then.
 */
export function readPastItems(items: JsonValue, data: SampleData): Promise<readonly JsonValue[]> {
  const compiled = compileParameters({ items });
  const names = 'issues' in compiled ? undefined : compiled.parameters.references.names;
  return names === undefined || CHANGING.some((name) => names.has(name)) ? Promise.resolve([]) : readItems(items, data);
}

async function readScope(
  { nodes, names }: ExpressionReferences,
  data: SampleData,
): Promise<{ readonly scope: ExpressionScope; readonly missing: readonly string[] }> {
  const [input, loop, vars, outputs] = await Promise.all([
    names.has('$input') ? readInput(data) : undefined,
    names.has('$loop') ? readLoop(data) : undefined,
    names.has('$vars') ? data.vars() : {},
    Promise.all(nodes.map(async (id) => [id, await data.output(id)] as const)),
  ]);
  const byId = new Map(outputs);
  const missing = [
    ...nodes.filter((id) => byId.get(id) === undefined),
    ...(names.has('$input') && input === undefined ? ['$input'] : []),
    ...(names.has('$loop') && loop === undefined ? ['$loop'] : []),
  ];
  const { run } = data;
  const scope: ExpressionScope = {
    trigger: run?.trigger,
    input: input ?? null,
    node: (id) => byId.get(id),
    link: (id) => exampleLink(id, ''),
    loop,
    vars,
    execution: { id: run?.id ?? '', mode: run?.mode ?? '' },
    now: () => new Date().toISOString(),
  };
  return { scope, missing };
}

function itemsOf(parameters: JsonValue): readonly JsonValue[] {
  const items = isJsonObject(parameters) ? parameters.items : undefined;
  const list: readonly JsonValue[] = Array.isArray(items) ? items : [];
  return list;
}
