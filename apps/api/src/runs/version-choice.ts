import type { AcceptRequest } from '@deckhand/db';

/**
 * What a choice of a version means for the run to be made.
 * @param version `latest`, `active`, `original`, or the id of a version.
 * @param originalId the version that `original` stands for.
 */
export function versionChoice(
  version: string,
  originalId?: string,
): Pick<AcceptRequest, 'versionId' | 'isActiveVersion'> {
  switch (version) {
    case 'latest':
      return {};
    case 'active':
      return { isActiveVersion: true };
    case 'original':
      return { versionId: originalId };
    default:
      return { versionId: version.toLowerCase() };
  }
}
