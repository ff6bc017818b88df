import type { MemberEntry, Workflow } from '@deckhand/contracts';
import type { DefinitionDiff } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';

/** Counts the differences as the list of changes shows them. */
export function countChanges({ nodes, edges, settings, notes }: DefinitionDiff): number {
  return nodes.length + edges.length + notes.length + (settings.length > 0 ? 1 : 0);
}

/** Returns the label of the action that makes a version live. @param liveNumber undefined while none is live. */
export function labelPublish(number: number, liveNumber: number | undefined): string {
  if (liveNumber === undefined) return i18n.t('Activate version {number}', { number });
  return number < liveNumber
    ? i18n.t('Roll back to version {number}', { number })
    : i18n.t('Publish version {number}', { number });
}

/**
 * Says which version a run had, and what the canvas shows instead.
 * @param canvas the version that the canvas started from. @param isDirty whether it has unsaved changes.
 */
export function describeRunVersion(ran: number, canvas: number, isDirty: boolean): string {
  if (ran === canvas) {
    return isDirty
      ? i18n.t('Ran version {ran}, without the changes on the canvas.', { ran })
      : i18n.t('Ran version {ran}.', { ran });
  }
  return isDirty
    ? i18n.t('Ran version {ran}. The canvas shows version {canvas} with unsaved changes.', { ran, canvas })
    : i18n.t('Ran version {ran}. The canvas shows version {canvas}.', { ran, canvas });
}

/** Returns the badges of a version: whether execute runs it, and whether webhooks and schedules run it. */
export function marksOf(
  versionId: string,
  { latestVersionId, activeVersionId, status }: Pick<Workflow, 'latestVersionId' | 'activeVersionId' | 'status'>,
): string[] {
  const marks: string[] = [];
  if (versionId === latestVersionId) marks.push(i18n.t('Latest'));
  if (versionId === activeVersionId && status === 'active') marks.push(i18n.t('Live'));
  return marks;
}

/**
 * Names the person who saved a version; a version that an API key saved is its owner's.
 * @param members of the workspace; undefined while unknown: then the result is empty.
 * @param userId of the person who reads it.
 */
export function nameAuthor(
  createdBy: string | null,
  members: readonly Pick<MemberEntry, 'userId' | 'name'>[] | undefined,
  userId: string,
): string {
  if (createdBy === userId) return i18n.t('You');
  if (!members) return '';
  const member = createdBy === null ? undefined : members.find((one) => one.userId === createdBy);
  return member?.name ?? i18n.t('Former member');
}
