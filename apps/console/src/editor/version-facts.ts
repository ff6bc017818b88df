import type { MemberEntry, Workflow } from '@deckhand/contracts';

/** Marks of a version: whether it runs next, and whether webhooks and schedules run it now. */
export function marksOf(
  versionId: string,
  { latestVersionId, activeVersionId, status }: Pick<Workflow, 'latestVersionId' | 'activeVersionId' | 'status'>,
): string[] {
  const marks: string[] = [];
  if (versionId === latestVersionId) marks.push('Latest');
  if (versionId === activeVersionId && status === 'active') marks.push('Live');
  return marks;
}

/**
 * Says who saved a version; what an API key saved is its owner's.
 * @param members of the workspace; undefined while they are not known, and then nothing is said.
 * @param userId of the person who is told.
 */
export function nameAuthor(
  createdBy: string | null,
  members: readonly Pick<MemberEntry, 'userId' | 'name'>[] | undefined,
  userId: string,
): string {
  if (createdBy === userId) return 'You';
  if (!members) return '';
  const member = createdBy === null ? undefined : members.find((one) => one.userId === createdBy);
  return member?.name ?? 'Former member';
}
