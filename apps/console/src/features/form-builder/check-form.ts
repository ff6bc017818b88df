import {
  fileIssue,
  fileRuleOf,
  isDate,
  isEmail,
  isTime,
  isUri,
  type JsonObject,
  type JsonValue,
} from '@deckhand/contracts';
import { choicesOf, type FieldType, type FormRow, keywordsOf, limitsOf, withNames } from './form-rows.ts';

/**
 * Checks data against the form of some rows, with the messages of the API. The API compiles the schema to code, which
 * the console's policy for scripts forbids.
 * @returns a message per field with an issue, by its name: the last of the API's.
 */
export function checkForm(rows: readonly FormRow[], data: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    withNames(rows).flatMap((row): [string, string][] => {
      const { name, isRequired } = row;
      const value = Object.hasOwn(data, name) ? data[name] : undefined;
      if (value === undefined) return isRequired ? [[name, 'is required']] : [];
      const issue = issuesOf(row, value).at(-1);
      return issue === undefined ? [] : [[name, issue]];
    }),
  );
}

function issuesOf(row: FormRow, value: JsonValue): string[] {
  const { type, format } = keywordsOf(row.type);
  const hasType = type === 'array' ? Array.isArray(value) : isOfType(value, type);
  return [
    ...(hasType ? [] : [`must be ${type}`]),
    ...limitIssues(row, value),
    ...(typeof value === 'string' && !isOfFormat(value, row.type) ? [`must match format "${format}"`] : []),
    ...(row.type === 'choice' ? choiceIssues(row, value) : []),
    ...(row.type === 'file' ? fileIssues(value) : []),
    ...(Array.isArray(value) ? itemIssues(row, value) : []),
  ];
}

function fileIssues(value: JsonValue): string[] {
  const rule = fileRuleOf({});
  return [rule && fileIssue(rule, value)].filter((issue) => issue !== undefined);
}

function isOfType(value: JsonValue, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function limitIssues({ type, min = -Infinity, max = Infinity }: FormRow, value: JsonValue): string[] {
  const [least] = limitsOf(type) ?? [];
  const size = least && sizeOf(least, value);
  if (size === undefined) return [];
  const unit = least === 'minLength' ? 'characters' : 'items';
  return [
    ...(size > max ? [least === 'minimum' ? `must be <= ${max}` : `must NOT have more than ${max} ${unit}`] : []),
    ...(size < min ? [least === 'minimum' ? `must be >= ${min}` : `must NOT have fewer than ${min} ${unit}`] : []),
  ];
}

/** Returns what the limits of a type apply to; undefined if the value is of another type. */
function sizeOf(least: 'minimum' | 'minLength' | 'minItems', value: JsonValue): number | undefined {
  switch (least) {
    case 'minimum':
      return typeof value === 'number' ? value : undefined;
    case 'minLength':
      // Characters, not units of UTF-16.
      return typeof value === 'string' ? Array.from(value).length : undefined;
    case 'minItems':
      return Array.isArray(value) ? value.length : undefined;
  }
}

function isOfFormat(text: string, type: FieldType): boolean {
  switch (type) {
    case 'date':
      return isDate(text);
    case 'email':
      return isEmail(text);
    case 'url':
      return isUri(text);
    case 'time':
      return isTime(text);
    default:
      return true;
  }
}

function choiceIssues(row: FormRow, value: JsonValue): string[] {
  const choices = choicesOf(row);
  return choices.some((choice) => choice === value) ? [] : [`must be one of ${choices.join(', ')}`];
}

function itemIssues(row: FormRow, items: readonly JsonValue[]): string[] {
  if (row.type === 'files') return items.flatMap(fileIssues);
  if (row.type !== 'texts' && row.type !== 'choices') return [];
  return items.flatMap((item) => [
    ...(typeof item === 'string' ? [] : ['must be string']),
    ...(row.type === 'choices' ? choiceIssues(row, item) : []),
  ]);
}
