import { ActionIcon, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Terminal } from 'lucide-react';
import { useState } from 'react';
import { i18n } from '../../language/i18n.ts';
import { UseFromCode } from './use-from-code.tsx';
import classes from './workflow-tabs.module.css';

const TABS = [
  { to: '/w/$workspaceId/workflows/$workflowId', label: i18n.t({ id: 'tool: Editor', message: 'Editor' }) },
  { to: '/w/$workspaceId/workflows/$workflowId/executions', label: i18n.t('Executions') },
] as const;

/** Links between the pages of a workflow, and how code starts it. */
export function WorkflowTabs({ workspaceId, workflowId }: { workspaceId: string; workflowId: string }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Group gap="xs" wrap="nowrap">
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
      <ActionIcon
        variant="default"
        aria-label={i18n.t('Use from code')}
        title={i18n.t('Use from code')}
        onClick={() => setIsShown(true)}
      >
        <Terminal size={14} aria-hidden />
      </ActionIcon>
      {isShown && <UseFromCode workspaceId={workspaceId} workflowId={workflowId} onClose={() => setIsShown(false)} />}
    </Group>
  );
}
