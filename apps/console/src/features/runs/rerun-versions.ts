import type { BULK_RERUN_VERSIONS, Execution, Permission, Workflow } from '@deckhand/contracts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.ts';
import { versionQuery, workflowQuery } from '../../api/workflows.ts';
import { i18n } from '../../language/i18n.ts';

/** Which version a rerun uses. */
export type RerunVersion = (typeof BULK_RERUN_VERSIONS)[number];

/** A version that a rerun can use. */
export interface RerunChoice {
  readonly version: RerunVersion;
  /** What it is, and its number: "version 2 (live, latest)". */
  readonly title: string;
}

type Versions = Pick<Workflow, 'activeVersionId' | 'latestVersionId' | 'status'>;

/**
 * Lists the versions that a rerun of a run can use, each once, the default first: the live one, or the original of a
 * workflow without a live one. An old version needs a permission of its own. Is empty until the workflow is loaded.
 */
export function useRerunChoices({
  workflowId,
  workflowVersionId,
}: Pick<Execution, 'workflowId' | 'workflowVersionId'>): RerunChoice[] {
  const { can } = useWorkspace();
  const workflow = useQuery(workflowQuery(workflowId)).data;
  const { activeVersionId = null, latestVersionId = null } = workflow ?? {};
  const numbers = useVersionNumbers(workflowId, [workflowVersionId, activeVersionId, latestVersionId]);
  if (!workflow) return [];
  const idOf = { active: activeVersionId, original: workflowVersionId, latest: latestVersionId };
  const versions: RerunVersion[] = activeVersionId === null ? ['original', 'latest'] : ['active', 'original', 'latest'];
  // A version that is several of them is offered as the first one.
  const firsts = versions.filter(
    (version, index) => versions.findIndex((one) => idOf[one] === idOf[version]) === index,
  );
  const isCurrent = (version: RerunVersion): boolean =>
    idOf[version] === activeVersionId || idOf[version] === latestVersionId;
  const allowed = can('runs.test') ? firsts : firsts.filter(isCurrent);
  return allowed.map((version) => {
    const marks = versions.filter((one) => idOf[one] === idOf[version]).map((one) => markOf(one, workflow));
    const number = numbers.get(idOf[version] ?? '') ?? '…';
    return { version, title: i18n.t('version {number} ({marks})', { number, marks: marks.join(', ') }) };
  });
}

/** Returns whether a person may rerun a run from its nodes: outputs that mocks gave need a permission of their own. */
export function mayRerunFromNodes({ data }: Execution, can: (permission: Permission) => boolean): boolean {
  return can('runs.test') || data.mockedNodeIds === undefined;
}

function markOf(version: RerunVersion, { status }: Versions): string {
  switch (version) {
    case 'active':
      return status === 'active' ? i18n.t('live') : i18n.t('last live');
    case 'original':
      return i18n.t('original');
    case 'latest':
      return i18n.t('latest');
  }
}

/** Reads the numbers of versions of a workflow. @returns by their ids, those that are known by now. */
export function useVersionNumbers(
  workflowId: string,
  versionIds: readonly (string | null)[],
): ReadonlyMap<string, number> {
  const ids = [...new Set(versionIds)].filter((id) => id !== null);
  const versions = useQueries({ queries: ids.map((id) => versionQuery(workflowId, id)) });
  return new Map(versions.flatMap(({ data }) => (data ? [[data.workflowVersionId, data.number] as const] : [])));
}
