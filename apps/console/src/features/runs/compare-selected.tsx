import { ArrowLeftRight } from 'lucide-react';
import type { RunRow } from '../../api/executions.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { i18n } from '../../language/i18n.ts';

/** Leads to the comparison of two selected runs of a workflow, the earlier one first; nothing for other selections. */
export function CompareSelected({ runs }: { runs: readonly RunRow[] }) {
  const [left, right, third] = [...runs].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (!left || !right || third || left.workflowId !== right.workflowId) return null;
  return (
    <ButtonLink
      variant="default"
      leftSection={<ArrowLeftRight size={16} aria-hidden />}
      to="/w/$workspaceId/runs/compare"
      params={{ workspaceId: left.workspaceId }}
      search={{ left: left.id, right: right.id }}
    >
      {i18n.t('Compare')}
    </ButtonLink>
  );
}
