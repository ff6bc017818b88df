import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RunRow } from '../../api/executions.ts';
import { workflowQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { Loading } from '../../components/loading.tsx';
import { i18n } from '../../language/i18n.ts';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { WorkflowTabs } from '../workflows/workflow-tabs.tsx';
import { RUN_COLUMNS, Runs, SELECT_COLUMN } from './run-list.tsx';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId/executions');

const COLUMNS: Columns<RunRow> = [
  ...SELECT_COLUMN,
  {
    id: 'run',
    header: i18n.t({ id: 'noun: Run', message: 'Run' }),
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/runs/$executionId"
        params={{ workspaceId: original.workspaceId, executionId: original.id }}
      >
        {original.id}
      </Link>
    ),
  },
  ...RUN_COLUMNS,
];

/** The runs of a workflow. */
export function WorkflowRuns() {
  const { workspaceId, workflowId } = route.useParams();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const workflow = useQuery(workflowQuery(workflowId));
  if (workflow.isError && !workflow.data) {
    return <Broken error={workflow.error} reset={() => void workflow.refetch()} />;
  }
  if (!workflow.data) return <Loading />;
  return (
    <Runs
      filter={filter}
      workflowId={workflowId}
      page={{
        title: workflow.data.name,
        above: <WorkflowPath workflow={workflow.data} />,
        tabs: <WorkflowTabs workspaceId={workspaceId} workflowId={workflowId} />,
      }}
      columns={COLUMNS}
      onFilter={(change) => void navigate({ search: change, replace: true })}
    />
  );
}
