import type { Workflow } from '@deckhand/contracts';
import { Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { openWebhookTest } from '../api/workflows.js';
import { Problem } from '../components/problem.js';

/** The URL of a webhook, and its test URL. */
export function WebhookBox({ workflow, nodeId }: { workflow: Workflow; nodeId: string }) {
  const webhook = workflow.webhooks.find((one) => one.nodeId === nodeId);
  const test = useMutation({ mutationFn: () => openWebhookTest(workflow.id, nodeId) });
  if (!webhook) {
    return (
      <Text size="sm" c="dimmed">
        Save to generate the URL.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Address method={webhook.method} url={webhook.url} />
      {workflow.status !== 'active' && (
        <Text size="sm" c="dimmed">
          Responds with 410 until the workflow is active.
        </Text>
      )}
      <Button variant="default" size="xs" w="fit-content" loading={test.isPending} onClick={() => test.mutate()}>
        Listen for test event
      </Button>
      <Problem error={test.error} />
      {test.data && <Address method={webhook.method} url={test.data.url} />}
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
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
