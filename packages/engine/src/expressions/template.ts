import type { JsonValue } from '@deckhand/contracts';
import { type CompiledPart, compilePart, type ExpressionIssue, isIssue, skipGap } from './compile-source.ts';
import { toText } from './operators.ts';
import type { Site } from './error.ts';
import { writeJson } from './functions/json-functions.ts';
import { toResult, type EvaluateJson, type Run, spendText, withBudget } from './run.ts';
import { type ExpressionReferences, mergeReferences, noReferences } from './scope.ts';
import { isContainer, type Value } from './value.ts';

/** A compiled text with expressions. */
export interface CompiledTemplate {
  /** The text if it contains no expression (escapes resolved), otherwise undefined. */
  readonly constant: string | undefined;
  readonly evaluate: EvaluateJson;
  readonly references: ExpressionReferences;
}

/** A template without budgets and error handling, so that many can share them. */
export interface TemplateProgram {
  readonly constant: string | undefined;
  readonly evaluate: (run: Run) => JsonValue;
  readonly references: ExpressionReferences;
}

/**
 * Compiles a text that may contain `{{ expression }}`. A text that is exactly one expression has the expression's value
 * and type; otherwise values become text: null and undefined are empty, arrays and objects JSON, dates ISO 8601. `\{{`
 * is a literal `{{`. Returns an issue, never throws.
 */
export function compileTemplate(
  text: string,
): { readonly template: CompiledTemplate } | { readonly issue: ExpressionIssue } {
  const site: Site = { subject: 'template', path: [], source: text };
  const program = compileTemplateAt(site);
  if (isIssue(program)) return { issue: program };
  const { constant, references } = program;
  return { template: { constant, references, evaluate: withBudget(site, program.evaluate) } };
}

/** Returns whether a text is exactly one `{{ expression }}`, and so has its value and type instead of being text. */
export function isExpression(text: string): boolean {
  if (!text.startsWith('{{')) return false;
  const parts = parseTemplate(text);
  return !isIssue(parts) && parts.length === 1 && typeof parts[0] !== 'string';
}

/** Compiles the template at `site`, for callers that add budgets and error handling. */
export function compileTemplateAt(site: Site): TemplateProgram | ExpressionIssue {
  const text = site.source;
  if (!text.includes('{{')) return constantProgram(text);
  const parts = parseTemplate(text);
  if (isIssue(parts)) return parts;
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'string') return constantProgram(first);
  const expressions = parts.filter((part) => typeof part !== 'string');
  const references = mergeReferences(expressions.map((part) => part.references));
  const evaluate =
    parts.length === 1 && first !== undefined && typeof first !== 'string' ? valueOf(first) : textOf(parts);
  return {
    constant: undefined,
    references,
    evaluate: (run) => {
      run.site = site;
      return evaluate(run);
    },
  };
}

function constantProgram(constant: string): TemplateProgram {
  return { constant, evaluate: () => constant, references: noReferences };
}

function valueOf(part: CompiledPart): (run: Run) => JsonValue {
  return (run) => toResult(run, part.evaluate(run));
}

function textOf(parts: TemplateParts): (run: Run) => JsonValue {
  return (run) => {
    let characters = 0;
    const texts = parts.map((part) => {
      const text = typeof part === 'string' ? part : displayText(run, part.evaluate(run));
      characters += text.length;
      return text;
    });
    spendText(run, characters);
    return toResult(run, texts.join(''));
  };
}

function displayText(run: Run, value: Value): string {
  if (value === null || value === undefined) return '';
  return isContainer(value) && !(value instanceof Date) ? writeJson(run, value, 0) : toText(run, value);
}

/** The parts of a template: texts and expressions, alternating. */
type TemplateParts = readonly (string | CompiledPart)[];

/** Maximum number of texts and expressions in one template. */
const partsMax = 2_000;

// Backslashes count only right before braces, so that paths such as C:\temp need no escape.
const opening = /(\\*)\{\{/g;

/**
 * Splits a text at its `{{ expression }}`. The end of an expression is found by parsing it, because it may contain
 * braces. Before `{{`, `\` makes the braces text, and `\\` is one backslash.
 */
function parseTemplate(text: string): TemplateParts | ExpressionIssue {
  const parts: (string | CompiledPart)[] = [];
  let literal = '';
  let position = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const backslashes = found[1]?.length ?? 0;
    literal += text.slice(position, found.index) + '\\'.repeat(Math.floor(backslashes / 2));
    position = opening.lastIndex;
    if (backslashes % 2 === 1) {
      literal += '{{';
      continue;
    }
    if (parts.length >= partsMax) return { message: 'the text holds too many expressions', offset: found.index };
    const part = compileBraced(text, position);
    if (isIssue(part)) return part;
    if (literal !== '') parts.push(literal);
    parts.push(part);
    literal = '';
    position = skipGap(text, part.end) + 2;
    opening.lastIndex = position;
  }
  literal += text.slice(position);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return parts;
}

function compileBraced(text: string, start: number): CompiledPart | ExpressionIssue {
  const part = compilePart(text, start);
  if (isIssue(part)) return part;
  const end = skipGap(text, part.end);
  if (text.startsWith('}}', end)) return part;
  return { message: '"}}" is missing after the expression (to write the braces themselves: \\{{)', offset: end };
}

/** Names that the template of a key may use. */
export const KEY_NAMES: readonly string[] = ['$trigger', '$now'];

/**
 * Compiles a text with expressions that are evaluated before there is a run.
 * @param names what they may use.
 */
export function compileTriggerExpression(
  text: string,
  names: readonly string[] = ['$trigger'],
): { readonly template: CompiledTemplate } | { readonly message: string } {
  const compiled = compileTemplate(text);
  if ('issue' in compiled) return { message: `${compiled.issue.message} (at character ${compiled.issue.offset + 1})` };
  const used = compiled.template.references;
  const unknown = used.nodes.length > 0 ? '$nodes' : [...used.names].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return { message: `is evaluated before a run starts: it can use ${names.join(' and ')}, not ${unknown}` };
  }
  return { template: compiled.template };
}
