import {
  fileFieldOf,
  isJsonObject,
  type JsonValue,
  parseJson,
  parseOwnJson,
  type RecordedResponse,
  type StoredFile,
  storedFileOf,
  validationFailed,
  type ValidationIssue,
} from '@deckhand/contracts';
import { type Database, findSameContents } from '@deckhand/db';
import { isDeepStrictEqual } from 'node:util';
import type { AnswerContext } from '../contexts.ts';
import { answer, type Answerer } from './answer.ts';

/** The data that somebody entered into the form of a human task. */
interface CompletedForm {
  readonly executionId: string;
  readonly nodeId: string;
  /** Undefined for the only open wait of the node. */
  readonly iteration: string | undefined;
  readonly data: JsonValue;
}

/**
 * Records the data of a human task, and resumes the run.
 * @throws DeckhandError as `answer`; VALIDATION_FAILED if it does not fit the form.
 */
export async function completeTask(
  context: AnswerContext,
  answerer: Answerer,
  { data, ...place }: CompletedForm,
): Promise<RecordedResponse> {
  // The form that the data was checked against.
  let fitting: string | undefined;
  return answer(context, answerer, {
    ...place,
    kind: 'human',
    action: 'execution.complete',
    toAnswer: (details) => (details === fitting ? data : undefined),
    async check(details, workspaceId) {
      const { issues, isTruncated } = await context.forms.check(workspaceId, { details, data });
      if (issues.length > 0) throw validationFailed(issues.map(inData), isTruncated);
      await requireOwnFiles(context.db, workspaceId, filesOf(details, data));
      fitting = details;
    },
    isSame: (stored) => isSameData(stored, data),
    toRecorded: ({ answer: stored, by, byUser, at }) => ({
      data: stored === null ? null : parseJson(stored),
      by,
      byUser,
      at: at.toISOString(),
    }),
  });
}

/** Returns whether a stored answer is this data. */
export function isSameData(stored: string, data: JsonValue): boolean {
  return isDeepStrictEqual(parseJson(stored), data);
}

/** A file that a field of a form has. */
interface FileOfField {
  readonly path: string;
  readonly file: StoredFile;
}

/** Returns the files of the fields that take files. */
function filesOf(details: string, data: JsonValue): FileOfField[] {
  const { schema } = parseOwnJson<{ schema?: JsonValue }>(details);
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || !isJsonObject(data)) return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (!isJsonObject(field) || !fileFieldOf(field)) return [];
    const value = data[name];
    return [value ?? []].flat().flatMap((one, index) => {
      const file = storedFileOf(one);
      return file ? [{ path: Array.isArray(value) ? `data.${name}[${index}]` : `data.${name}`, file }] : [];
    });
  });
}

/**
 * Checks that files are what they say: the form has compared the size that the caller gave.
 * @throws DeckhandError VALIDATION_FAILED naming the fields of those that the workspace does not have like this.
 */
async function requireOwnFiles(db: Database, workspaceId: string, files: readonly FileOfField[]): Promise<void> {
  if (files.length === 0) return;
  const stored = files.map(({ file }) => file);
  const found = await findSameContents(db, workspaceId, stored);
  const issues = files
    .filter(({ file }) => !found.has(file.id))
    .map(({ path }) => ({ path, message: 'must be the value of a file of the workspace, as its upload returned it' }));
  if (issues.length > 0) throw validationFailed(issues);
}

/** Returns an issue of the data of a form, as one of the request. */
export function inData({ path, message }: ValidationIssue): ValidationIssue {
  if (path === '') return { path: 'data', message };
  return { path: path.startsWith('[') ? `data${path}` : `data.${path}`, message };
}
