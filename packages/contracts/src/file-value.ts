import Type, { type Static } from 'typebox';
import { isUuid, UUID_PATTERN } from './formats.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import { Time } from './schemas/common.ts';

/** The schema of a file value, which names content of the workspace of its run. It reaches nothing in any other one. */
export const FileValue = Type.Object(
  {
    file: Type.Object(
      {
        id: Type.String({ pattern: UUID_PATTERN.source, description: 'The same for equal bytes in a workspace' }),
        name: Type.String({ description: 'A name for people, such as `invoice.pdf`; may be empty' }),
        contentType: Type.String({ description: 'A media type; `application/octet-stream` if it is not known' }),
        bytes: Type.Integer({ minimum: 0, description: 'Its length' }),
        sha256: Type.String({ description: 'The SHA-256 of its bytes, 64 hexadecimal digits' }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'A file in the store of the workspace' },
);

/** A file as a value of a run: `{ "file": { … } }`. */
export type FileValue = Static<typeof FileValue>;

/** The metadata of a file. Its bytes are in the store of its workspace. */
export type StoredFile = FileValue['file'];

const MEMBERS = 5;

/**
 * Returns the file that a value names: `{ file }`, or its metadata alone, as expressions such as `{{ $trigger.file }}`
 * return it. Undefined for anything else, also for an object with further members.
 */
export function storedFileOf(value: JsonValue | undefined): StoredFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const isWrapped = Object.keys(value).length === 1 && isJsonObject(value.file);
  const about = isWrapped ? value.file : value;
  if (!isJsonObject(about) || Object.keys(about).length !== MEMBERS) return undefined;
  const { id, name, contentType, bytes, sha256 } = about;
  if (typeof id !== 'string' || !isUuid(id) || typeof name !== 'string' || typeof contentType !== 'string')
    return undefined;
  if (typeof bytes !== 'number' || typeof sha256 !== 'string') return undefined;
  return { id, name, contentType, bytes, sha256 };
}

const MAX_NAME = 255;

/** Query of requests that send or receive a file. */
export const FileNameQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: MAX_NAME, description: 'The name of the file, such as `invoice.pdf`' })),
});

const DAY_SECONDS = 86_400;

/** Body of a request for a link to a file. */
export const FileLinkBody = Type.Object(
  {
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30 * DAY_SECONDS,
        default: 7 * DAY_SECONDS,
        description: 'For how long the link is valid',
      }),
    ),
    name: Type.Optional(
      Type.String({ maxLength: MAX_NAME, description: 'What a browser saves the file as, such as `invoice.pdf`' }),
    ),
  },
  { additionalProperties: false },
);

/** A link to a file, for people without a key. */
export const FileLinkResponse = Type.Object({
  url: Type.String({ description: 'Whoever has it can download the file' }),
  expiresAt: Time,
});

/**
 * Returns the name of a file from a name of others: what follows the last slash of a path, without characters that
 * control terminals or change the direction of text, and at most 255 characters long.
 */
export function fileName(text: string): string {
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
  return Array.from(visible.slice(0, 2 * MAX_NAME))
    .slice(0, MAX_NAME)
    .join('');
}

/** Is in every serialised file value, and rarely in anything else. */
const MARK = '"sha256"';
const IDS = /"id"\s*:\s*"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"/g;

/**
 * Returns the ids of the files that serialised JSON names. Ids of anything else may be among them, which no look-up of
 * a file finds. Fast for JSON without files.
 */
export function fileIdsIn(json: string): readonly string[] {
  if (!json.includes(MARK)) return [];
  return [...new Set(Array.from(json.matchAll(IDS), ([, id = '']) => id))];
}
