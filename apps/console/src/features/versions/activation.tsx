import { Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateWorkflow, workflowQuery } from '../../api/workflows.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { notify, notifyProblem } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { useEditorSession } from '../editor/model/editor-session.tsx';
import { usePublication, usePublish } from './use-publication.ts';

/**
 * Turns the workflow on, and off after a question, and shows which version is live. Turning it on makes the canvas
 * live, which is saved before; changes of an active workflow are published after a look at the differences.
 */
export function Activation() {
  const { workflow, versions } = useEditorSession();
  const queryClient = useQueryClient();
  const publication = usePublication();
  const publish = usePublish(workflow.id);
  const activation = useMutation({
    async mutationFn() {
      const versionId = await versions.save();
      await publish.mutateAsync({ versionId, seen: workflow }).catch(notifyProblem);
    },
  });
  const [isAsking, asking] = useDisclosure(false);
  const isActive = workflow.status === 'active';
  const candidate = publication?.candidate;
  return (
    <>
      <Switch
        label={i18n.t('Active')}
        checked={isActive}
        disabled={activation.isPending}
        onChange={() => (isActive ? asking.open() : activation.mutate())}
      />
      {isAsking && (
        <ConfirmDialog
          question={i18n.t('Turn off {name}?', { name: workflow.name })}
          consequence={i18n.t('Its webhooks, schedules and events start no more runs. Runs in progress go on.')}
          label={i18n.t('Turn off')}
          act={async () => {
            await updateWorkflow(workflow.id, { status: 'inactive' });
            notify(i18n.t('The workflow is inactive.'));
            await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
          }}
          onClose={asking.close}
        />
      )}
      {publication && (
        <Text size="sm" c="dimmed" role="status" aria-label={i18n.t('Published version')}>
          {candidate
            ? i18n.t('v{live} live, v{next} unpublished', { live: publication.liveNumber, next: candidate.number })
            : i18n.t('v{live} live', { live: publication.liveNumber })}
        </Text>
      )}
      {publication && candidate && (
        <ButtonLink
          variant="light"
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId: workflow.workspaceId, workflowId: workflow.id }}
          search={{ before: publication.liveId, after: candidate.side }}
        >
          {candidate.changes > 0
            ? i18n.t('Publish version {number} ({changes, plural, one {# change} other {# changes}})', {
                number: candidate.number,
                changes: candidate.changes,
              })
            : i18n.t('Publish version {number}', { number: candidate.number })}
        </ButtonLink>
      )}
    </>
  );
}
