import type { Workflow } from '@deckhand/contracts';
import { Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { changeWebhookUrl, workflowQuery } from '../../../api/workflows.ts';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { Problem } from '../../../components/problem.tsx';
import { i18n } from '../../../language/i18n.ts';
import type { TestEvent } from './use-test-event.ts';
import { WebhookRequests } from './webhook-requests.tsx';

const MESSAGES: Readonly<Record<TestEvent['state'], string>> = {
  idle: '',
  listening: i18n.t('Listening for two minutes: send a request to this URL.'),
  received: i18n.t('Event received. Its run is on the canvas.'),
  expired: i18n.t('No event was received in time.'),
};

/** The URL of a webhook and its latest requests, and, for those who may use it, its test URL. */
export function WebhookBox({
  workflow,
  nodeId,
  test,
}: {
  workflow: Workflow;
  nodeId: string;
  test: TestEvent | undefined;
}) {
  const queryClient = useQueryClient();
  const webhook = workflow.webhooks.find((one) => one.nodeId === nodeId);
  return (
    <Stack gap="xs">
      {webhook ? (
        <Address method={webhook.method} url={webhook.url} />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('Save to generate the URL.')}
        </Text>
      )}
      {webhook && workflow.status !== 'active' && (
        <Text size="sm" c="dimmed">
          {i18n.t('Responds with 410 until the workflow is active.')}
        </Text>
      )}
      {webhook && (
        <Group gap="xs">
          <WebhookRequests workflowId={workflow.id} nodeId={nodeId} canReplay={test !== undefined} />
          {test && (
            <ConfirmButton
              label={i18n.t('Change URL')}
              of={nodeId}
              question={i18n.t('Change the URL of this webhook?')}
              consequence={i18n.t(
                'Requests to the current URL are refused from then on. Give the new one to all callers.',
              )}
              act={async () => {
                await changeWebhookUrl(workflow.id, nodeId);
                await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
              }}
            />
          )}
        </Group>
      )}
      {test && (
        <>
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            loading={test.isPending}
            onClick={() => test.listen(nodeId)}
          >
            {i18n.t('Listen for test event')}
          </Button>
          <Problem error={test.error} />
          {webhook && test.open?.nodeId === nodeId && <Address method={webhook.method} url={test.open.url} />}
          <Text size="sm" role="status" aria-label={i18n.t('Test event')}>
            {MESSAGES[test.state]}
          </Text>
        </>
      )}
    </Stack>
  );
}

function Address({ method, url }: { method: string; url: string }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {method} {url}
      </Text>
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="compact-xs"
            leftSection={copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
            onClick={copy}
            flex="none"
          >
            {copied ? i18n.t('Copied') : i18n.t('Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
