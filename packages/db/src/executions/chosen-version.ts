import { Prisma } from '../client.js';

/** The version of a workflow that a run is to be of: one by its id, or the active one; the latest without. */
export interface ChosenVersion {
  readonly versionId?: string | undefined;
  readonly isActiveVersion?: boolean | undefined;
}

/**
 * What a choice of a version means for the run to be made.
 * @param version `latest`, `active`, `original`, or the id of a version.
 * @param originalId the version that `original` stands for.
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

/** The condition under which the version `v` is the chosen one of the workflow `w`; so is none of another workflow. */
export function isChosenVersion(versionId: Prisma.Sql, isActive: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`v.workflow_id = w.id
    AND v.id = coalesce(${versionId}, CASE WHEN ${isActive} THEN w.active_version_id ELSE w.latest_version_id END)`;
}
