import Type, { type Static, type TOptional, type TString } from 'typebox';
import { type ValidationIssue, validationFailed } from '../errors.ts';
import { toDate, toExpiry } from '../formats.ts';
import { type JsonObject, type JsonValue, parseOwnJson } from '../json.ts';
import { oneOf, timeOrDate } from './common.ts';

/** Most tags of a run. */
export const MAX_TAGS = 10;
/** Largest metadata of a run: characters of its JSON in UTF-8, in bytes. */
export const MAX_METADATA_BYTES = 16_384;
/** Most members that metadata have. Each is an entry of an index. */
export const MAX_METADATA_KEYS = 50;
/** Longest time limit of a run, in seconds: a year. */
export const MAX_TIMEOUT_SECONDS = 31_536_000;

/** How far ahead a run may start, in seconds: a year. */
export const MAX_DELAY_SECONDS = 31_536_000;

/** Longest key of a limit of concurrent runs, in characters. */
export const MAX_KEY_LENGTH = 200;
/** Longest template of such a key in a trigger, in characters. */
const MAX_KEY_TEMPLATE_LENGTH = 2_000;

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
  description:
    'JSON of the caller, up to 16 KiB and 50 members. Lists filter by members that are neither objects nor lists',
});

/** Returns the schema of a limit of concurrent runs by a key. */
const concurrencyBy = <Key extends TString | TOptional<TString>>(key: Key) =>
  Type.Object(
    {
      key,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000,
          default: 1,
          examples: [3],
          description: 'The run begins while fewer unfinished runs with the key have begun',
        }),
      ),
      onLimit: Type.Optional(
        oneOf(['queue', 'cancelOldest', 'reject'], {
          default: 'queue',
          description:
            'With as many unfinished runs as the limit: wait for one to end, stop the oldest, or start nothing (409 `CONCURRENCY_LIMIT`)',
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'Limits how many runs of the workflow with the same key are in progress at once',
    },
  );

const Concurrency = concurrencyBy(
  Type.String({ minLength: 1, maxLength: MAX_KEY_LENGTH, description: 'Which runs of the workflow share the limit' }),
);
export type Concurrency = Static<typeof Concurrency>;

/** Returns the schema of debouncing by a key. */
const debounceBy = (key: TString) =>
  Type.Object(
    {
      key,
      delay: Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_DELAY_SECONDS,
        description: 'Starts that follow each other within so many seconds are joined',
      }),
      maxDelay: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: MAX_DELAY_SECONDS,
          description: 'How many seconds after the first start further ones are joined at most; by default a year',
        }),
      ),
      mode: Type.Optional(
        oneOf(['trailing', 'leading'], {
          default: 'trailing',
          description:
            '`trailing`: the run begins when `delay` has passed since the last start, with its input and options. `leading`: it begins at once, and further starts do nothing',
        }),
      ),
    },
    { additionalProperties: false, description: 'Joins starts of the workflow with the same key into one run' },
  );

const Debounce = debounceBy(
  Type.String({ minLength: 1, maxLength: MAX_KEY_LENGTH, description: 'Which starts of the workflow are joined' }),
);
export type Debounce = Static<typeof Debounce>;

/** The highest priority of a run; the lowest is its negative. */
const MAX_PRIORITY = 2;

const fixedOptions = {
  priority: Type.Optional(
    Type.Integer({
      minimum: -MAX_PRIORITY,
      maximum: MAX_PRIORITY,
      default: 0,
      description: 'Orders the queued runs of the workspace: the higher the earlier',
    }),
  ),
  tags: Type.Optional(Tags),
  metadata: Type.Optional(Metadata),
  timeoutSeconds: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_TIMEOUT_SECONDS,
      description: 'The time limit of the run, instead of the one of its version. It includes rests',
    }),
  ),
  delay: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_DELAY_SECONDS, description: 'In how many seconds the run starts' }),
  ),
  expiresAfter: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_DELAY_SECONDS,
      description:
        'After how many seconds the run ends as `timeout` unless it has begun. They count from its start time',
    }),
  ),
};
const KeyTemplate = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_TEMPLATE_LENGTH,
  examples: ['{{ $trigger.customer }}'],
  description: 'Which runs it applies to; an expression may read `$trigger`. Without a value, it does not apply',
});

/** The limit of a workflow, for each start that has none of its own. Without a key, all of its runs share it. */
export const WorkflowConcurrency = concurrencyBy(Type.Optional(KeyTemplate));
export type WorkflowConcurrency = Static<typeof WorkflowConcurrency>;

const OPTIONS = { additionalProperties: false, description: 'Options of the runs that it starts' } as const;

/** Options of a trigger, which are the same for each of its runs. */
export const TriggerOptions = Type.Object(
  {
    ...fixedOptions,
    concurrency: Type.Optional(concurrencyBy(KeyTemplate)),
  },
  OPTIONS,
);

/** Options of a webhook. */
export const WebhookOptions = Type.Object(
  { ...TriggerOptions.properties, debounce: Type.Optional(debounceBy(KeyTemplate)) },
  OPTIONS,
);

/** Options of a single start. */
export const StartOptions = Type.Object(
  {
    ...fixedOptions,
    concurrency: Type.Optional(Concurrency),
    startAt: Type.Optional(timeOrDate('When the run starts, at most a year ahead; at once if it passed')),
    expiresAt: Type.Optional(
      timeOrDate('When the run ends as `timeout` unless it has begun; a date alone means the end of that day'),
    ),
  },
  OPTIONS,
);
export type StartOptions = Static<typeof StartOptions>;

/** Options of a start by a request. */
export const RequestOptions = Type.Object({ ...StartOptions.properties, debounce: Type.Optional(Debounce) }, OPTIONS);
export type RequestOptions = Static<typeof RequestOptions>;

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

/** Options of a start, and what only a single start has. */
type SingleStartOptions = RequestOptions & { readonly callbackUrl?: string };

/** Returns the options among the members of an object, as JSON; undefined without any. @throws VALIDATION_FAILED. */
export function serializeOptions(given: SingleStartOptions): string | undefined {
  const { tags, metadata, timeoutSeconds, startAt, delay, expiresAt, expiresAfter, ...others } = given;
  const { concurrency, debounce, callbackUrl, priority } = others;
  const issues = findOptionIssues(given);
  if (issues.length > 0) throw validationFailed(issues);
  const times = {
    ...(startAt === undefined ? {} : { startAt: toDate(startAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: toExpiry(expiresAt) }),
  };
  const last = { concurrency, debounce, callbackUrl, priority };
  const json = JSON.stringify({ tags, metadata, timeoutSeconds, delay, expiresAfter, ...times, ...last });
  return json === '{}' ? undefined : json;
}

/** Returns the priority among serialised options; undefined without any. */
export function priorityOf(options: string | undefined): number | undefined {
  return options?.includes('"priority":') === true ? parseOwnJson<StartOptions>(options).priority : undefined;
}

/** Returns the debouncing among serialised options; undefined without any. */
export function debounceOf(options: string | undefined): Debounce | undefined {
  return options?.includes('"debounce":') === true ? parseOwnJson<RequestOptions>(options).debounce : undefined;
}

/** Returns the limit by a key among serialised options; undefined without any. */
export function concurrencyOf(options: string | undefined): Required<Concurrency> | undefined {
  if (options?.includes('"concurrency":') !== true) return undefined;
  const { concurrency } = parseOwnJson<StartOptions>(options);
  return concurrency && { limit: 1, onLimit: 'queue', ...concurrency };
}

/** Whether a start has a key, of a limit or of debouncing: it is accepted alone, because it may wait for its key. */
export function hasKey(options: string | undefined): boolean {
  return concurrencyOf(options) !== undefined || debounceOf(options) !== undefined;
}

/** Returns what the schema of options does not check. */
export function findOptionIssues(options: RequestOptions): ValidationIssue[] {
  const { startAt, delay, expiresAt, expiresAfter, metadata, concurrency, debounce } = options;
  const issues = [...findMetadataIssues(metadata), ...findDebounceIssues(options)];
  if (debounce !== undefined && !isStorable(debounce.key)) {
    issues.push({ path: 'debounce.key', message: 'has a NUL character or half a surrogate pair' });
  }
  if (concurrency !== undefined && !isStorable(concurrency.key)) {
    issues.push({ path: 'concurrency.key', message: 'has a NUL character or half a surrogate pair' });
  }
  if (startAt !== undefined && delay !== undefined) issues.push({ path: 'delay', message: 'excludes startAt' });
  if (expiresAt !== undefined && expiresAfter !== undefined) {
    issues.push({ path: 'expiresAfter', message: 'excludes expiresAt' });
  }
  if (startAt !== undefined && toDate(startAt).getTime() > Date.now() + MAX_DELAY_SECONDS * 1_000) {
    issues.push({ path: 'startAt', message: 'must be at most a year ahead' });
  }
  if (startAt !== undefined && expiresAt !== undefined && toExpiry(expiresAt) <= toDate(startAt)) {
    issues.push({ path: 'expiresAt', message: 'must be later than startAt' });
  }
  return issues;
}

/** Returns what the schema of debouncing does not check. */
export function findDebounceIssues({
  startAt,
  delay,
  debounce,
}: Pick<RequestOptions, 'startAt' | 'delay' | 'debounce'>): ValidationIssue[] {
  if (debounce === undefined) return [];
  const issues: ValidationIssue[] = [];
  if (startAt !== undefined || delay !== undefined) {
    issues.push({ path: 'debounce', message: `excludes ${startAt === undefined ? 'delay' : 'startAt'}` });
  }
  if (debounce.maxDelay !== undefined && debounce.maxDelay < debounce.delay) {
    issues.push({ path: 'debounce.maxDelay', message: 'must be at least delay' });
  }
  return issues;
}

/** Returns what the schema of metadata does not check: their size, and texts that PostgreSQL cannot store. */
export function findMetadataIssues(metadata: JsonObject | undefined, path = 'metadata'): ValidationIssue[] {
  if (metadata === undefined) return [];
  if (!isStorable(metadata)) return [{ path, message: 'has a text with a NUL character or half a surrogate pair' }];
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  if (bytes > MAX_METADATA_BYTES) {
    return [{ path, message: `must have at most ${MAX_METADATA_BYTES} bytes as JSON, and has ${bytes}` }];
  }
  const keys = Object.keys(metadata).length;
  return keys > MAX_METADATA_KEYS ? [{ path, message: `must have at most ${MAX_METADATA_KEYS} members` }] : [];
}

/** Whether `jsonb` can hold a value. The recursion is as deep as JSON of requests may be. */
export function isStorable(value: JsonValue): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
