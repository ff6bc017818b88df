import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { type ExpressionIssue, isIssue } from './compile-source.ts';
import { renderPath } from './error.ts';
import { type EvaluateJson, type Run, withBudget } from './run.ts';
import { type ExpressionReferences, mergeReferences } from './scope.ts';
import { compileTemplateAt } from './template.ts';

/** An issue in a parameter, with the keys that lead to it. */
export interface ParameterIssue extends ExpressionIssue {
  readonly path: readonly (string | number)[];
}

/** The compiled parameters of a node. They may be evaluated any number of times and concurrently. */
export interface CompiledParameters {
  /** Evaluates all templates under one budget. Parts without templates are the same frozen value each time. */
  readonly evaluate: EvaluateJson;
  readonly references: ExpressionReferences;
  /** True if there is no template in them. */
  readonly isConstant: boolean;
}

/** Options of `compileParameters`. */
export interface ParameterOptions {
  /** Top-level parameters that are not templates, such as a `code` node's `source`. Default: none. */
  readonly verbatim?: readonly string[];
}

/** Maximum nesting of parameters. */
const depthMax = 100;

type Path = readonly (string | number)[];

/** A part of the parameters: a constant value, or one to evaluate. */
type Part = { readonly constant: JsonValue } | { readonly evaluate: (run: Run) => JsonValue };

interface Findings {
  readonly issues: ParameterIssue[];
  readonly references: ExpressionReferences[];
  readonly verbatim: ReadonlySet<string>;
}

/**
 * Compiles every string of `parameters` as a template (keys of objects are none). Returns the compiled parameters, or
 * every issue at once; never throws. `parameters` is copied, and may change afterwards.
 */
export function compileParameters(
  parameters: JsonValue,
  options: ParameterOptions = {},
): { readonly parameters: CompiledParameters } | { readonly issues: readonly ParameterIssue[] } {
  const findings: Findings = { issues: [], references: [], verbatim: new Set(options.verbatim) };
  const part = compileValue(parameters, [], findings);
  if (findings.issues.length > 0) return { issues: findings.issues };
  const references = mergeReferences(findings.references);
  if ('constant' in part) {
    const { constant } = part;
    return { parameters: { evaluate: () => constant, references, isConstant: true } };
  }
  const site = { subject: renderPath([]), path: [], source: '' };
  return { parameters: { evaluate: withBudget(site, part.evaluate), references, isConstant: false } };
}

function compileValue(value: JsonValue, path: Path, findings: Findings): Part {
  if (path.length > depthMax) {
    findings.issues.push({ path, message: 'the parameters nest too deeply', offset: 0 });
    return { constant: null };
  }
  const [name] = path;
  const isVerbatim = typeof name === 'string' && findings.verbatim.has(name);
  if (typeof value === 'string' && !isVerbatim) return compileText(value, path, findings);
  if (value === null || typeof value !== 'object') return { constant: value };
  return isArray(value) ? compileArray(value, path, findings) : compileObject(value, path, findings);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function compileText(source: string, path: Path, findings: Findings): Part {
  const program = compileTemplateAt({ subject: renderPath(path), path, source });
  if (isIssue(program)) {
    findings.issues.push({ path, ...program });
    return { constant: null };
  }
  findings.references.push(program.references);
  return program.constant === undefined ? { evaluate: program.evaluate } : { constant: program.constant };
}

function compileArray(list: readonly JsonValue[], path: Path, findings: Findings): Part {
  const parts = list.map((item, index) => compileValue(item, [...path, index], findings));
  const constants = parts.flatMap((part) => ('constant' in part ? [part.constant] : []));
  if (constants.length === parts.length) return { constant: Object.freeze(constants) };
  const evaluators = parts.map(evaluatorOf);
  return { evaluate: (run) => evaluators.map((evaluate) => evaluate(run)) };
}

function compileObject(object: JsonObject, path: Path, findings: Findings): Part {
  const members = Object.entries(object).map(([key, value]) => {
    const memberPath = [...path, key];
    if (key === '__proto__')
      findings.issues.push({ path: memberPath, message: 'the key "__proto__" cannot be used', offset: 0 });
    return { key, part: compileValue(value, memberPath, findings) };
  });
  const constants = members.flatMap(({ key, part }) => ('constant' in part ? [[key, part.constant] as const] : []));
  if (constants.length === members.length) return { constant: Object.freeze(Object.fromEntries(constants)) };
  const entries = members.map(({ key, part }) => ({ key, evaluate: evaluatorOf(part) }));
  return {
    evaluate: (run) => {
      const made: Record<string, JsonValue> = {};
      for (const { key, evaluate } of entries) made[key] = evaluate(run);
      return made;
    },
  };
}

function evaluatorOf(part: Part): (run: Run) => JsonValue {
  if ('evaluate' in part) return part.evaluate;
  const { constant } = part;
  return () => constant;
}
