import type { Workflow } from '@deckhand/contracts';
import { Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateWorkflow, workflowQuery } from '../api/workflows.js';
import { ButtonLink } from '../components/button-link.js';
import { notify, notifyProblem } from '../components/notice-board.js';
import type { Editor } from './use-editor.js';
import { usePublication, usePublish } from './use-publication.js';

/**
 * Turns the workflow on and off, and shows which version is live. Turning it on makes the canvas live, which is saved
 * before; changes of an active workflow are published after a look at the differences.
 * @param onSave saves the canvas. @returns the version to make live. @throws if it cannot be saved.
 */
export function Activation({
  workflow,
  editor,
  onSave,
}: {
  workflow: Workflow;
  editor: Editor;
  onSave: () => Promise<string | null>;
}) {
  const queryClient = useQueryClient();
  const publication = usePublication(workflow, editor);
  const publish = usePublish(workflow.id);
  const activation = useMutation({
    async mutationFn() {
      const versionId = await onSave();
      await publish.mutateAsync({ versionId, seen: workflow }).catch(notifyProblem);
    },
  });
  const deactivation = useMutation({
    mutationFn: () => updateWorkflow(workflow.id, { status: 'inactive' }),
    onError: notifyProblem,
    async onSuccess() {
      notify('The workflow is inactive.');
      await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
    },
  });
  const isActive = workflow.status === 'active';
  const candidate = publication?.candidate;
  return (
    <>
      <Switch
        label="Active"
        checked={isActive}
        disabled={activation.isPending || deactivation.isPending}
        onChange={() => (isActive ? deactivation.mutate() : activation.mutate())}
      />
      {publication && (
        <Text size="sm" c="dimmed" role="status" aria-label="Published version">
          v{publication.liveNumber} live{candidate && `, v${candidate.number} unpublished`}
        </Text>
      )}
      {publication && candidate && (
        <ButtonLink
          variant="light"
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId: workflow.workspaceId, workflowId: workflow.id }}
          search={{ before: publication.liveId, after: candidate.side }}
        >
          Publish version {candidate.number}
          {candidate.changes > 0 && ` (${candidate.changes} ${candidate.changes === 1 ? 'change' : 'changes'})`}
        </ButtonLink>
      )}
    </>
  );
}
