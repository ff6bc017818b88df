import {
  compileLenientCheck,
  type CredentialType,
  handlesFor,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NodeDefinition,
  UNKNOWN_FIELD,
  type ValidationIssue,
} from '@deckhand/contracts';
import { compileParameters, type CompiledParameters, type ExpressionReferences } from '../expressions/index.ts';
import { mergeReferences } from '../expressions/scope.ts';
import type { NodeType, NodeTypes } from '../node-type.ts';
import type { SourceReferences } from '../script.ts';
import { didYouMean, type SuggestionBudget } from '../similar-name.ts';

/* Issues of single nodes: their ids, types, credentials and parameters. */

const checkNode = compileLenientCheck(NodeDefinition);

/** A node without issues of its own, with its path and its compiled parts. */
export interface SoundNode {
  readonly node: NodeDefinition;
  readonly path: string;
  readonly type: NodeType;
  /** Its named outputs, in order, without the one for errors; empty if it has a single output. */
  readonly handles: ReadonlySet<string>;
  readonly parameters: CompiledParameters;
  /** The parameter that is evaluated while the node runs; undefined without one. */
  readonly deferred: CompiledParameters | undefined;
  /** The data of the run that its source reads, for a type with a source. */
  readonly source: SourceReferences | undefined;
  /** All data of the run that it reads, by its expressions, without the deferred one, and its source. */
  readonly references: ExpressionReferences;
}

/**
 * Checks nodes, and compiles their parameters. Adds to `issues`, until there are `enough`; other work may run at each
 * `yield`.
 * @returns the nodes without issues of their own.
 */
export function* checkNodes(
  raw: readonly unknown[],
  nodeTypes: NodeTypes,
  issues: ValidationIssue[],
  { enough, budget }: { readonly enough: number; readonly budget: SuggestionBudget },
): Generator<undefined, SoundNode[]> {
  const nodes: SoundNode[] = [];
  const ids = new Map<unknown, number>();
  for (const [index, candidate] of raw.entries()) {
    if (issues.length >= enough) break;
    yield;
    const path = `nodes[${index}]`;
    const id = idOf(candidate);
    const first = ids.get(id);
    if (first !== undefined && typeof id === 'string') {
      issues.push({ path: `${path}.id`, message: `"${id}" is also the id of nodes[${first}]` });
    } else {
      ids.set(id, index);
    }
    const checked = checkNode(candidate);
    if ('issues' in checked || first !== undefined) continue;
    const type = nodeTypes.get(checked.value.type);
    if (!type) {
      const meant = didYouMean(checked.value.type, nodeTypes.keys(), budget);
      issues.push({ path: `${path}.type`, message: `"${checked.value.type}" is not a node type${meant}` });
      continue;
    }
    const node = withoutNulls(checked.value, type);
    issues.push(...checkCredential(node, type, path));
    const compiled = compileNodeParameters(node, type, path, issues);
    const handles = handlesFor(type, node.parameters ?? {});
    if (compiled) nodes.push({ node, path, type, handles: new Set(handles), ...compiled });
  }
  return nodes;
}

/** Returns a node without optional parameters that are null. Those that an expression sets to null stay an error. */
function withoutNulls(node: NodeDefinition, type: NodeType): NodeDefinition {
  if (node.parameters === undefined) return node;
  const parameters = type.withoutNulls(node.parameters);
  return parameters === node.parameters ? node : { ...node, parameters };
}

function compileNodeParameters(
  node: NodeDefinition,
  type: NodeType,
  path: string,
  issues: ValidationIssue[],
): Pick<SoundNode, 'parameters' | 'deferred' | 'source' | 'references'> | undefined {
  const parameters = node.parameters ?? {};
  const own = checkParameters(type, parameters);
  for (const issue of own) {
    issues.push({ path: `${path}.parameters${join(issue.path)}`, message: issue.message });
  }
  const { others, deferred } = type.deferred
    ? separateDeferred(parameters, type.deferred.path)
    : { others: parameters, deferred: undefined };
  const compiled = compileOrReport(others, { type, path, issues });
  const later = deferred && compileOrReport(deferred, { type, path, issues });
  if (!compiled || (deferred && !later)) return undefined;
  const source = own.length === 0 ? type.references?.(parameters) : undefined;
  const references = source ? mergeReferences([compiled.references, source]) : compiled.references;
  return { parameters: compiled, deferred: later, source, references };
}

function compileOrReport(
  parameters: JsonObject,
  { type, path, issues }: { readonly type: NodeType; readonly path: string; readonly issues: ValidationIssue[] },
): CompiledParameters | undefined {
  const compiled = compileParameters(parameters, { verbatim: type.verbatim });
  if ('parameters' in compiled) return compiled.parameters;
  for (const issue of compiled.issues) {
    issues.push({
      path: `${path}.parameters${renderPath(issue.path)}`,
      message: `${issue.message} (at character ${issue.offset + 1})`,
    });
  }
  return undefined;
}

function join(path: string): string {
  return path === '' || path.startsWith('[') ? path : `.${path}`;
}

function renderPath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}

/** Returns the id of a part of a definition that may have any shape. */
export function idOf(node: unknown): unknown {
  return isJsonObject(node) ? node.id : undefined;
}

/** Returns the types of credentials that a node may name with these parameters. */
export function credentialTypesOf(node: NodeDefinition, type: NodeType): readonly CredentialType[] {
  const needed = type.credential?.needed?.(node.parameters ?? {}) ?? [];
  return needed.length > 0 ? needed : (type.credential?.types ?? []);
}

/**
 * Returns the issues of a node's credential that are known without reading it. A trigger needs its credential before it
 * is enabled; other nodes fail without theirs, and get a warning.
 */
function checkCredential(node: NodeDefinition, type: NodeType, path: string): ValidationIssue[] {
  const { credentialId } = node;
  if (credentialId !== undefined && !type.credential) {
    return [{ path: `${path}.credentialId`, message: `nodes of type ${node.type} use no credential` }];
  }
  const needed = type.credential?.needed?.(node.parameters ?? {}) ?? [];
  if (credentialId === undefined && needed.length > 0 && type.isTrigger && node.disabled !== true) {
    return [{ path: `${path}.credentialId`, message: `is required: a credential of type ${needed.join(' or ')}` }];
  }
  return [];
}

/**
 * Checks a node's parameters before any expression is evaluated: values with expressions are checked when they run, all
 * others must match the type's schema. Paths are relative to the parameters.
 */
function checkParameters(type: NodeType, parameters: JsonObject): ValidationIssue[] {
  const templates = Object.entries(parameters).flatMap(([name, value]) =>
    type.verbatim.includes(name) ? [] : templatePaths(value, name),
  );
  return [...withoutTemplates(type.validate(parameters), templates), ...(type.check?.(parameters) ?? [])];
}

/** Returns the issues of values that are known before any expression is evaluated. */
export function issuesOfFixed(values: JsonObject, issues: readonly ValidationIssue[]): ValidationIssue[] {
  return withoutTemplates(issues, templatePaths(values, ''));
}

function withoutTemplates(issues: readonly ValidationIssue[], templates: readonly string[]): ValidationIssue[] {
  return issues.filter(({ path, message }) => {
    if (message === UNKNOWN_FIELD) return true;
    return !templates.some(
      (template) =>
        template === path || template.startsWith(path === '' ? '' : `${path}.`) || template.startsWith(`${path}[`),
    );
  });
}

/** Returns the paths of the strings that contain an expression. */
function templatePaths(value: JsonValue, path: string): string[] {
  if (typeof value === 'string') return value.includes('{{') ? [path] : [];
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, member]) =>
      templatePaths(member, path === '' ? key : `${path}.${key}`),
    );
  }
  if (Array.isArray(value)) {
    const elements: readonly JsonValue[] = value;
    return elements.flatMap((element, index) => templatePaths(element, `${path}[${index}]`));
  }
  return [];
}

/**
 * Separates the parameter at a path with dots from the others. Both parts keep their paths, for messages.
 * @returns `deferred`: undefined if the parameter is not there.
 */
function separateDeferred(
  parameters: JsonObject,
  path: string,
): { readonly others: JsonObject; readonly deferred: JsonObject | undefined } {
  const [name = '', ...rest] = path.split('.');
  const value = parameters[name];
  const { [name]: _separated, ...others } = parameters;
  if (value === undefined) return { others: parameters, deferred: undefined };
  if (rest.length === 0) return { others, deferred: { [name]: value } };
  if (!isJsonObject(value)) return { others: parameters, deferred: undefined };
  const inner = separateDeferred(value, rest.join('.'));
  return {
    others: { ...parameters, [name]: inner.others },
    deferred: inner.deferred && { [name]: inner.deferred },
  };
}
