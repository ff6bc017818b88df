import { Button, Group, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { firstStepsQuery } from '../../api/first-steps.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { AnchorLink } from '../../components/links.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './checklist.module.css';

/** The first steps in a workspace, until all are done or somebody hides them in this browser. */
export function Checklist() {
  const { workspaceId, can } = useWorkspace();
  const [isHidden, setHidden] = useLocalStorage({
    key: `deckhand.checklist-hidden.${workspaceId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useQuery({ ...firstStepsQuery(workspaceId), enabled: !isHidden && can('workflows.edit') });
  if (isHidden || !data) return null;
  const { workflowId, hasRun, hasActive, hasAlerts } = data;
  if (hasRun && hasActive && hasAlerts) return null;
  const inEditor = (text: string): ReactNode =>
    workflowId === undefined ? (
      text
    ) : (
      <AnchorLink to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId }}>
        {text}
      </AnchorLink>
    );
  return (
    <section aria-labelledby="checklist" className={classes.card}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="checklist">
          {i18n.t('First steps')}
        </Title>
        <Button variant="subtle" size="compact-sm" onClick={() => setHidden(true)}>
          {i18n.t('Hide')}
        </Button>
      </Group>
      <ul className={classes.steps}>
        <Step isDone={workflowId !== undefined}>{i18n.t('Create a workflow, empty or from a template')}</Step>
        <Step isDone={hasRun}>{inEditor(i18n.t('Run it, and see the data of each node below the canvas'))}</Step>
        <Step isDone={hasActive}>{inEditor(i18n.t('Activate it, so that its webhooks and schedules start runs'))}</Step>
        <Step isDone={hasAlerts}>
          <AnchorLink to="/w/$workspaceId/settings" params={{ workspaceId }}>
            {i18n.t('Set up alerts for failed runs')}
          </AnchorLink>
        </Step>
      </ul>
    </section>
  );
}

function Step({ isDone, children }: { isDone: boolean; children: ReactNode }) {
  return (
    <li className={classes.step}>
      {isDone ? (
        <CircleCheck size={18} role="img" aria-label={i18n.t('Done')} className={classes.done} />
      ) : (
        <Circle size={18} role="img" aria-label={i18n.t('To do')} />
      )}
      <Text size="sm" component="span">
        {children}
      </Text>
    </li>
  );
}
