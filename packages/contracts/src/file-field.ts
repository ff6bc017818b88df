import { storedFileOf, type StoredFile } from './file-value.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** Keyword of JSON Schemas of forms and inputs: the value is a file. Other programs ignore it. */
export const FILE_KEYWORD = 'file';

/** What a schema says about a file: the value of its keyword `file`. */
export interface FileRule {
  /** Media types, `image/*`, and ends of names such as `.csv`. Empty for files of any type. */
  readonly accept: readonly string[];
  readonly maxBytes: number;
}

/** A field of a form that takes files. */
export interface FileField extends FileRule {
  /** Whether its value is a list of files. */
  readonly isList: boolean;
  /** Maximum number of files. */
  readonly maxFiles: number;
}

const DEFAULT_MAX_BYTES = 10_485_760;
/** Maximum number of files in a list whose schema has no `maxItems`. */
const DEFAULT_MAX_FILES = 20;

/** Reads the keyword `file` of a schema. @returns undefined without one that has no members but those of a rule. */
export function fileRuleOf(keyword: JsonValue | undefined): FileRule | undefined {
  if (!isJsonObject(keyword)) return undefined;
  const { accept, maxBytes, ...others } = keyword;
  // Such as the schema of a member that its author forgot to put into `properties`: it has never been checked.
  if (Object.keys(others).length > 0) return undefined;
  const types: readonly JsonValue[] = Array.isArray(accept) ? accept : [];
  return {
    accept: types.filter((type) => typeof type === 'string'),
    maxBytes: typeof maxBytes === 'number' && maxBytes > 0 ? maxBytes : DEFAULT_MAX_BYTES,
  };
}

/** Returns the field for a schema of a file, or of a list of files; undefined for any other schema. */
export function fileFieldOf(schema: JsonObject): FileField | undefined {
  const rule = fileRuleOf(schema[FILE_KEYWORD]);
  if (rule) return { ...rule, isList: false, maxFiles: 1 };
  const { type, items, maxItems } = schema;
  const ofItems = type === 'array' && isJsonObject(items) ? fileRuleOf(items[FILE_KEYWORD]) : undefined;
  return ofItems && { ...ofItems, isList: true, maxFiles: typeof maxItems === 'number' ? maxItems : DEFAULT_MAX_FILES };
}

/** Returns why a value is not a file that a rule allows; undefined if it is one. */
export function fileIssue(rule: FileRule, value: unknown): string | undefined {
  const file = storedFileOf(isJsonObject(value) && isJsonObject(value.file) ? value : undefined);
  if (!file) return 'must be a file';
  if (!acceptsFile(rule, file)) return typeIssue(rule);
  return file.bytes > rule.maxBytes ? sizeIssue(rule) : undefined;
}

/** Returns whether a file has one of the types of a rule, by the type and the name that its sender gave it. */
export function acceptsFile(
  { accept }: Pick<FileRule, 'accept'>,
  { name, contentType }: Pick<StoredFile, 'name' | 'contentType'>,
): boolean {
  const [type = ''] = contentType.toLowerCase().split(';');
  const isOf = (wanted: string): boolean =>
    wanted.startsWith('.')
      ? name.toLowerCase().endsWith(wanted)
      : wanted.endsWith('/*')
        ? type.startsWith(wanted.slice(0, -1))
        : type.trim() === wanted;
  return accept.length === 0 || accept.some((wanted) => isOf(wanted.toLowerCase()));
}

/** Returns the issue of a file of another type. */
export function typeIssue({ accept }: Pick<FileRule, 'accept'>): string {
  return `must be a file of the type ${accept.join(', ')}`;
}

/** Returns the issue of a file that is too large. */
export function sizeIssue({ maxBytes }: Pick<FileRule, 'maxBytes'>): string {
  return `must have at most ${maxBytes.toLocaleString('en')} bytes`;
}
