import { isIssue, type CompiledPart, type ExpressionIssue } from './compile-source.ts';
import type { JsonValue } from '@deckhand/contracts';
import { toText } from './convert.ts';
import type { Site } from './error.ts';
import { toResult, withBudget, type EvaluateJson } from './evaluate.ts';
import { writeJson } from './functions/json-functions.ts';
import { mergeReferences, noReferences } from './references.ts';
import { spendText, type Run } from './run.ts';
import type { ExpressionReferences } from './scope.ts';
import { parseTemplate, type TemplateParts } from './template-parts.ts';
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
