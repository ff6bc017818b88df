import type { VersionEntry, Workflow } from '@deckhand/contracts';
import { Button, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { membersQuery } from '../../api/members.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { versionQuery, versionsQuery } from '../../api/workflows.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { hasChanges } from '../editor/model/editor-model.ts';
import { useEditor, useEditorSession } from '../editor/model/editor-session.tsx';
import { CANVAS } from './sides.ts';
import { labelPublish, marksOf, nameAuthor } from './version-facts.ts';
import classes from './versions.module.css';

/**
 * The saved versions and their changes. Any of them can be restored, which is an edit like any other until it is saved.
 */
export function Versions() {
  const { workflow, model, versions: saver } = useEditorSession();
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'versions');
  const isDirty = useEditor(hasChanges);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const onClose = (): void => model.close('versions');
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const versions = useQuery({ ...versionsQuery(workflow.id), enabled: isOpen });
  const take = useMutation({
    mutationFn: (versionId: string) => queryClient.query(versionQuery(workflow.id, versionId)),
    onSuccess({ definition }) {
      model.restore(definition);
      onClose();
    },
  });
  const live =
    workflow.status === 'active'
      ? versions.data?.data.find(({ workflowVersionId }) => workflowVersionId === workflow.activeVersionId)
      : undefined;
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      title={i18n.t('Versions')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <Problem error={versions.error ?? take.error} />
      {versions.isPending && <Loading />}
      <ul className={classes.list} aria-label={i18n.t('Versions')}>
        {isDirty && (
          <li>
            <span className={classes.name}>{i18n.t('Canvas')}</span>
            <Text size="xs" c="dimmed">
              {i18n.t('Draft, not a version yet')}
            </Text>
            <span className={classes.actions}>
              <Compare workflow={workflow} after={CANVAS} label={i18n.t('Compare the canvas')} />
              {workflow.latestVersionId !== null && (
                <Button variant="default" size="xs" onClick={asking.open}>
                  {i18n.t('Discard draft')}
                </Button>
              )}
            </span>
          </li>
        )}
        {versions.data?.data.map((version) => {
          const { workflowVersionId, number } = version;
          return (
            <li key={workflowVersionId}>
              <span className={classes.name}>
                {i18n.t('Version {number}', { number })}
                {marksOf(workflowVersionId, workflow).map((mark) => (
                  <span key={mark} className={classes.mark}>
                    {mark}
                  </span>
                ))}
              </span>
              <VersionLine version={version} />
              <span className={classes.actions}>
                <Compare
                  workflow={workflow}
                  after={workflowVersionId}
                  label={i18n.t('Compare version {number}', { number })}
                />
                {!isReadOnly && live !== undefined && live.workflowVersionId !== workflowVersionId && (
                  <ButtonLink
                    variant="default"
                    size="xs"
                    aria-label={labelPublish(number, live.number)}
                    to="/w/$workspaceId/workflows/$workflowId"
                    params={{ workspaceId: workflow.workspaceId, workflowId: workflow.id }}
                    search={{ before: live.workflowVersionId, after: workflowVersionId }}
                  >
                    {number < live.number ? i18n.t('Roll back') : i18n.t('Publish')}
                  </ButtonLink>
                )}
                {!isReadOnly && (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={i18n.t('Restore version {number}', { number })}
                    loading={take.isPending && take.variables === workflowVersionId}
                    onClick={() => take.mutate(workflowVersionId)}
                  >
                    {i18n.t('Restore')}
                  </Button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {versions.data?.hasMore === true && (
        <Text size="sm" c="dimmed" mt="sm">
          {i18n.t('Earlier versions are not listed.')}
        </Text>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        question={i18n.t('Discard the draft?')}
        consequence={i18n.t('The canvas shows the latest version again. The changes since then cannot be restored.')}
        label={i18n.t('Discard')}
        act={async () => {
          await saver.takeTheirs();
          onClose();
        }}
        onClose={asking.close}
      />
    </Drawer>
  );
}

function Compare({ workflow, after, label }: { workflow: Workflow; after: string; label: string }) {
  return (
    <ButtonLink
      variant="default"
      size="xs"
      aria-label={label}
      to="/w/$workspaceId/workflows/$workflowId"
      params={{ workspaceId: workflow.workspaceId, workflowId: workflow.id }}
      search={{ after }}
    >
      {i18n.t('Compare')}
    </ButtonLink>
  );
}

/** The comment of a version, with its author and time. */
export function VersionLine({ version: { comment, createdBy, createdAt } }: { version: VersionEntry }) {
  const { workspaceId, user } = useWorkspace();
  const { data: members } = useQuery(membersQuery(workspaceId));
  const author = nameAuthor(createdBy, members?.data, user.id);
  return (
    <>
      {comment !== '' && (
        <Text size="sm" className={classes.comment}>
          {comment}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {author}
        {author !== '' && ', '}
        <RelativeTime at={createdAt} />
      </Text>
    </>
  );
}
