import {
  type JsonValue,
  parseJson,
  type RecordedResponse,
  validationFailed,
  type ValidationIssue,
} from '@deckhand/contracts';
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

function inData({ path, message }: ValidationIssue): ValidationIssue {
  if (path === '') return { path: 'data', message };
  return { path: path.startsWith('[') ? `data${path}` : `data.${path}`, message };
}
