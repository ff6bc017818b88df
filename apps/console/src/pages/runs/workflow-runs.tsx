import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RunRow } from '../../api/executions.js';
import { workflowQuery } from '../../api/workflows.js';
import { Broken } from '../../components/broken.js';
import type { Columns } from '../../components/data-table.js';
import { Loading } from '../../components/loading.js';
import { i18n } from '../../language/i18n.js';
import { WorkflowPath } from '../workflows/workflow-path.js';
import { WorkflowTabs } from '../workflows/workflow-tabs.js';
import { RUN_COLUMNS, Runs } from './run-list.js';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId/executions');

const COLUMNS: Columns<RunRow> = [
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
