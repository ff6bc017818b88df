import type { JsonObject } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { execute } from '../../api/workflows.ts';
import { notify, notifyProblem } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';

/** Starts the error workflow of the workspace as if a run had failed, and opens its run. */
export function TestAlert({ errorWorkflowId }: { errorWorkflowId: string }) {
  const { workspaceId } = useWorkspace();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () =>
      // A test that fails starts no error workflow in turn.
      execute(errorWorkflowId, { version: 'active', executionMode: 'test', input: failedRun(workspaceId) }),
    onError: notifyProblem,
    onSuccess: async ({ executionId, warning }) => {
      notify(warning ?? i18n.t('This run sends the test alert.'));
      await navigate({ to: '/w/$workspaceId/runs/$executionId', params: { workspaceId, executionId } });
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<Send size={16} aria-hidden />}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      {i18n.t('Send a test alert')}
    </Button>
  );
}

/** Returns what an error workflow gets, as docs/error-workflows.md describes it. */
function failedRun(workspaceId: string): JsonObject {
  const now = new Date().toISOString();
  return {
    executionId: 'test-alert',
    workspaceId,
    // Alerts report a workflow once in ten minutes: each test is about another one.
    workflowId: `test-alert-${now}`,
    workflowName: i18n.t('Test alert'),
    workflowVersionId: 'test-alert',
    status: 'failed',
    error: { message: i18n.t('No run has failed: this is a test.'), nodeId: null, code: 'TEST' },
    failedNodeId: null,
    createdAt: now,
    startedAt: now,
    finishedAt: now,
    tags: [],
    metadata: {},
  };
}
