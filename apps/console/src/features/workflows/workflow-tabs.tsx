import { Link } from '@tanstack/react-router';
import { i18n } from '../../language/i18n.ts';
import classes from './workflow-tabs.module.css';

const TABS = [
  { to: '/w/$workspaceId/workflows/$workflowId', label: i18n.t({ id: 'tool: Editor', message: 'Editor' }) },
  { to: '/w/$workspaceId/workflows/$workflowId/executions', label: i18n.t('Executions') },
] as const;

/** Links between the pages of a workflow. */
export function WorkflowTabs({ workspaceId, workflowId }: { workspaceId: string; workflowId: string }) {
  return (
    <nav className={classes.tabs} aria-label={i18n.t('Workflow')}>
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ workspaceId, workflowId }}
          className={classes.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
