import {
  type ValidationIssue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  UNKNOWN_FIELD,
} from '@deckhand/contracts';
import type { NodeType } from '../node-type.ts';

/**
 * Checks a node's parameters before any expression is evaluated: values with expressions are checked when they run, all
 * others must match the type's schema. Paths are relative to the parameters.
 */
export function checkParameters(type: NodeType, parameters: JsonObject): ValidationIssue[] {
  const templates = Object.entries(parameters).flatMap(([name, value]) =>
    type.verbatim.includes(name) ? [] : templatePaths(value, name),
  );
  const ofSchema = type.validate(parameters).filter(({ path, message }) => {
    if (message === UNKNOWN_FIELD) return true;
    return !templates.some(
      (template) =>
        template === path || template.startsWith(path === '' ? '' : `${path}.`) || template.startsWith(`${path}[`),
    );
  });
  return [...ofSchema, ...(type.check?.(parameters) ?? [])];
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
