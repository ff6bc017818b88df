import Type, { type Static } from 'typebox';
import { type ValidationIssue, validationFailed } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';

/** Most tags of a run. */
export const MAX_TAGS = 10;
/** Largest metadata of a run: characters of its JSON in UTF-8, in bytes. */
export const MAX_METADATA_BYTES = 16_384;
/** Most members that metadata have. Each is an entry of an index. */
export const MAX_METADATA_KEYS = 50;
/** Longest time limit of a run, in seconds: a year. */
export const MAX_TIMEOUT_SECONDS = 31_536_000;

/** No comma, which separates tags in a query, and no space. */
const Tag = Type.String({ pattern: '^[\\p{L}\\p{N}_.:/@=+-]{1,100}$' });

/** Tags of a run. */
export const Tags = Type.Array(Tag, {
  maxItems: MAX_TAGS,
  uniqueItems: true,
  description: 'Up to 10 texts of letters, digits and `_.:/@=+-`, by which lists filter',
});

/** A name of metadata. It begins with no digit: queries would take it for the index of a list. */
const METADATA_KEY = '^[\\p{L}_][\\p{L}\\p{N}_.:/@-]{0,99}$';

/** Metadata of a run. `checkMetadata` checks their size. */
export const Metadata = Type.Unsafe<JsonObject>({
  type: 'object',
  additionalProperties: true,
  maxProperties: MAX_METADATA_KEYS,
  propertyNames: { pattern: METADATA_KEY },
  description: 'JSON of the caller, up to 16 KiB and 50 members. Lists filter by members that are no object or list',
});

/** Options of a start that every way to start a run has. */
export const StartOptions = Type.Object(
  {
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Metadata),
    timeoutSeconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_TIMEOUT_SECONDS,
        description: 'The time limit of the run, instead of the one of its version. It includes rests',
      }),
    ),
  },
  { additionalProperties: false, description: 'Options of the runs that it starts' },
);
export type StartOptions = Static<typeof StartOptions>;

const FilterTags = Type.Array(Tag, {
  minItems: 1,
  maxItems: MAX_TAGS,
  description: 'Only runs with each of these tags',
});

/** The filter of lists by tags, in a query and in a body. */
export const tagFilter = { tag: Type.Optional(FilterTags) };
export const tagBodyFilter = { tag: Type.Optional(Type.Union([Tag, FilterTags])) };

/** The filter of lists by metadata. */
export const metadataFilter = {
  metadata: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      minProperties: 1,
      maxProperties: 10,
      propertyNames: { pattern: METADATA_KEY },
      additionalProperties: { type: 'string', maxLength: 1_000 },
      description: 'Only runs whose metadata have these members, such as `metadata[customer]=42`',
    }),
  ),
};

/** Body of PATCH /api/executions/{id}. */
export const UpdateExecutionBody = Type.Object(
  {
    tags: Type.Optional(Tags),
    metadata: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        additionalProperties: true,
        maxProperties: 2 * MAX_METADATA_KEYS,
        propertyNames: { pattern: METADATA_KEY },
        description: 'Members to set; null removes one. Others stay as they are',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** Returns the options among the members of an object, as JSON; undefined without any. @throws VALIDATION_FAILED. */
export function serializeOptions({ tags, metadata, timeoutSeconds }: StartOptions): string | undefined {
  const issues = findMetadataIssues(metadata);
  if (issues.length > 0) throw validationFailed(issues);
  const json = JSON.stringify({ tags, metadata, timeoutSeconds });
  return json === '{}' ? undefined : json;
}

/** Returns what the schema of metadata does not check: their size, and texts that PostgreSQL cannot store. */
export function findMetadataIssues(metadata: JsonObject | undefined, path = 'metadata'): ValidationIssue[] {
  if (metadata === undefined) return [];
  if (!isStorable(metadata)) return [{ path, message: 'has a text with a NUL character or half a surrogate pair' }];
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_METADATA_BYTES) {
    return [{ path, message: `must have at most ${MAX_METADATA_BYTES} bytes as JSON, and has ${bytes}` }];
  }
  const keys = Object.keys(metadata).length;
  return keys > MAX_METADATA_KEYS ? [{ path, message: `must have at most ${MAX_METADATA_KEYS} members` }] : [];
}

/** Whether `jsonb` can hold a value. The recursion is as deep as JSON of requests may be. */
function isStorable(value: JsonValue): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
