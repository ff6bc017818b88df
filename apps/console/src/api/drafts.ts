import { type Definition, type Draft, parseOwnJson, type SaveDraftBody, type SavedDraft } from '@deckhand/contracts';
import { ApiError } from './api-error.ts';
import { call, send } from './call.ts';

/** The draft of a workflow, and its tag. The canvas shows definitions that are invalid, too. */
export interface ReadDraft {
  readonly definition: Definition;
  readonly baseVersionId: string | null;
  readonly warnings: Draft['warnings'];
  readonly tag: string;
}

/** Reads the draft of a workflow; null without one. */
export async function readDraft(workflowId: string, signal?: AbortSignal): Promise<ReadDraft | null> {
  try {
    const answer = await send('GET', `/api/workflows/${workflowId}/draft`, { signal });
    const draft = parseOwnJson<Draft & Pick<ReadDraft, 'definition'>>(await answer.text());
    const { definition, baseVersionId, warnings } = draft;
    return { definition, baseVersionId, warnings, tag: tagOf(answer) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Saves the draft of a workflow.
 * @param tag of the draft to replace; null if there must be none.
 * @returns the new tag, and the warnings about the definition.
 * @throws ApiError PRECONDITION_FAILED when somebody else saved a draft.
 */
export async function saveDraft(
  workflowId: string,
  body: SaveDraftBody,
  { tag, signal }: { tag: string | null; signal: AbortSignal },
): Promise<Pick<ReadDraft, 'tag' | 'warnings'>> {
  const headers: Record<string, string> = tag === null ? { 'if-none-match': '*' } : { 'if-match': tag };
  const answer = await send('PUT', `/api/workflows/${workflowId}/draft`, { body, headers, signal });
  const { warnings } = parseOwnJson<SavedDraft>(await answer.text());
  return { tag: tagOf(answer), warnings };
}

/** Deletes the draft of a workflow, unless it is another one by now. */
export async function deleteDraft(workflowId: string, tag: string, signal: AbortSignal): Promise<void> {
  try {
    await call<null>('DELETE', `/api/workflows/${workflowId}/draft`, { headers: { 'if-match': tag }, signal });
  } catch (error) {
    // Somebody else saved another draft, or deleted this one.
    if (!(error instanceof ApiError) || (error.status !== 412 && error.status !== 404)) throw error;
  }
}

function tagOf({ headers }: Response): string {
  return headers.get('etag') ?? '';
}
