import { Prisma } from '../../client.ts';

/** The choice of the version that a run uses: a version by its id, or the active one; otherwise the latest. */
export interface ChosenVersion {
  readonly versionId?: string | undefined;
  readonly isActiveVersion?: boolean | undefined;
}

/**
 * Converts a choice of a version to the columns of a request. @param version `latest`, `active`, `original`, or the id
 * of a version. @param originalId the version that `original` stands for.
 */
export function chooseVersion(version: string, originalId?: string): ChosenVersion {
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

/**
 * Returns the condition that the version `v` is the chosen one of the workflow `w`. Versions of other workflows never
 * match.
 */
export function isChosenVersion(versionId: Prisma.Sql, isActive: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`v.workflow_id = w.id
    AND v.id = coalesce(${versionId}, CASE WHEN ${isActive} THEN w.active_version_id ELSE w.latest_version_id END)`;
}
