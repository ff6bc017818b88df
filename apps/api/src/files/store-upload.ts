import type { FileValue } from '@deckhand/contracts';
import { type Actor, requireWorkflow } from '@deckhand/db';
import type { RunContext } from '../contexts.ts';

/** How long an uploaded file is kept until a run names it, in minutes. */
const KEPT_MINUTES = 24 * 60;

/** A file for the input of a run. */
export interface Upload {
  readonly workflowId: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly name: string;
  readonly contentType: string;
}

/**
 * Stores a file for the input of a run.
 * @throws DeckhandError NOT_FOUND for an unknown workflow, FORBIDDEN, RATE_LIMITED; FileError.
 */
export async function storeUpload(
  { db, files, shares }: Pick<RunContext, 'db' | 'files' | 'shares'>,
  actor: Actor,
  { workflowId, content, ...about }: Upload,
): Promise<FileValue> {
  const { workspaceId } = await requireWorkflow(db, actor, workflowId, 'files.upload');
  return shares.within(workspaceId, 'uploads', () =>
    files.save(content, { ...about, workspaceId, keptMinutes: KEPT_MINUTES }),
  );
}
