import { createHash } from 'node:crypto';
import {
  findDebounceIssues,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_KEY_LENGTH,
  parseOwnJson,
  type ValidationIssue,
  type WorkflowConcurrency,
} from '@deckhand/contracts';
import { type CompiledTemplate, compileTriggerExpression, KEY_NAMES } from '@deckhand/engine';
import { evaluateOnTrigger } from './trigger-expression.ts';

/** The options of a trigger whose `key` is a template. */
const KEYED_OPTIONS = ['concurrency', 'debounce'] as const;

/** Returns the parameters of a trigger without the keys that may be expressions. */
export function withoutKeys(parameters: JsonObject): JsonObject {
  const { options } = parameters;
  if (options === undefined || !isJsonObject(options)) return parameters;
  const rest = KEYED_OPTIONS.flatMap((name) => {
    const option = options[name];
    if (option === undefined || !isJsonObject(option)) return [];
    const { key: _key, ...others } = option;
    return [[name, others] as const];
  });
  return { ...parameters, options: { ...options, ...Object.fromEntries(rest) } };
}

/** Returns the issues of options with a key in a trigger. */
export function findKeyIssues(options: JsonObject): ValidationIssue[] {
  const ofKeys = KEYED_OPTIONS.flatMap((name) => {
    const source = keyOf(options, name);
    if (source === undefined) return [];
    const path = `options.${name}.key`;
    const compiled = compileTriggerExpression(source, KEY_NAMES);
    return 'message' in compiled ? [{ path, message: compiled.message }] : [];
  });
  return [...ofKeys, ...findDebounce(options)];
}

/**
 * Compiles the serialised options of a trigger.
 * @returns a function that returns the options of a run with the given trigger data. An option whose key has no value
 * for it, or cannot be evaluated, is left out.
 */
export function compileTriggerOptions(
  serialized: string | undefined,
): (readTrigger: () => JsonValue) => string | undefined {
  const options = serialized === undefined ? {} : parseOwnJson<JsonObject>(serialized);
  const templates = KEYED_OPTIONS.flatMap((name) => {
    const source = keyOf(options, name);
    const compiled = source === undefined ? undefined : compileTriggerExpression(source, KEY_NAMES);
    return compiled && 'template' in compiled ? [{ name, template: compiled.template }] : [];
  });
  if (templates.length === 0) return () => serialized;
  return (readTrigger) => {
    const trigger = readTrigger();
    const evaluated = templates.map(({ name, template }) => {
      const key = evaluateKey(template, trigger);
      const option = options[name];
      return [name, key !== undefined && option !== undefined && isJsonObject(option) ? { ...option, key } : undefined];
    });
    return JSON.stringify({ ...options, ...Object.fromEntries(evaluated) });
  };
}

/**
 * Returns the serialised options of a run with the limit that its workflow has. If the key has no value for its trigger
 * data, or cannot be evaluated, they say that the run has none.
 */
export function withWorkflowKey(
  { options, triggerData }: { readonly options?: string | undefined; readonly triggerData: string },
  { key: source = '', limit = 1, onLimit = 'queue' }: WorkflowConcurrency,
): string {
  const given = options === undefined ? {} : parseOwnJson<JsonObject>(options);
  const key = source === '' ? '' : evaluateSource(source, triggerData);
  return JSON.stringify(
    key === undefined ? { ...given, withoutKey: true } : { ...given, concurrency: { key, limit, onLimit } },
  );
}

function evaluateSource(source: string, triggerData: string): string | undefined {
  const compiled = compileTriggerExpression(source, KEY_NAMES);
  return 'message' in compiled ? undefined : evaluateKey(compiled.template, parseOwnJson<JsonValue>(triggerData));
}

function findDebounce({ delay, debounce }: JsonObject): ValidationIssue[] {
  if (debounce === undefined || !isJsonObject(debounce)) return [];
  const { delay: ofKey, maxDelay } = debounce;
  const isNumber = (value: JsonValue | undefined): value is number => typeof value === 'number';
  const given = { key: '', delay: isNumber(ofKey) ? ofKey : 0, ...(isNumber(maxDelay) ? { maxDelay } : {}) };
  return findDebounceIssues({ debounce: given, ...(isNumber(delay) ? { delay } : {}) }).map((issue) => ({
    ...issue,
    path: `options.${issue.path}`,
  }));
}

function keyOf(options: JsonObject, name: (typeof KEYED_OPTIONS)[number]): string | undefined {
  const option = options[name];
  const key = option !== undefined && isJsonObject(option) ? option.key : undefined;
  return typeof key === 'string' ? key : undefined;
}

function evaluateKey(template: CompiledTemplate, trigger: JsonValue): string | undefined {
  const evaluated = evaluateOnTrigger(template, trigger);
  if ('failure' in evaluated) return undefined;
  const { value } = evaluated;
  if (value === null || value === '') return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A key that a column or index cannot hold still names its runs.
  const isStorable = text.length <= MAX_KEY_LENGTH && text.isWellFormed() && !text.includes('\0');
  return isStorable ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
