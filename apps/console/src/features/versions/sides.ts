import type { VersionEntry } from '@deckhand/contracts';

/** Names the definition on the canvas, saved or not, in place of a version's id. */
export const CANVAS = 'canvas';
/** Names an empty workflow, the state before the first version. */
export const NOTHING = 'nothing';

/**
 * Returns what a side is compared with by default: a version with the one before it, the canvas with the version that
 * its editing started from.
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
