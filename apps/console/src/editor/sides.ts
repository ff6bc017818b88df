import type { VersionEntry } from '@deckhand/contracts';

/** Stands for what is on the canvas, saved or not, where a version is named by its id. */
export const CANVAS = 'canvas';
/** Stands for a workflow without any node: what was before the first version. */
export const NOTHING = 'nothing';

/**
 * What something is compared with unless somebody says otherwise: a version with the one before it, the canvas with the
 * version that its editing began with.
 * @param versions the newest first.
 */
export function predecessorOf(
  side: string,
  versions: readonly Pick<VersionEntry, 'workflowVersionId'>[],
  baseVersionId: string | null,
): string {
  if (side === CANVAS) return baseVersionId ?? NOTHING;
  const index = versions.findIndex(({ workflowVersionId }) => workflowVersionId === side);
  return (index === -1 ? undefined : versions[index + 1]?.workflowVersionId) ?? NOTHING;
}
