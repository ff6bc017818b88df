import type { Definition, NodeDefinition } from '@deckhand/contracts';

/** How an alert is sent. */
export type AlertChannel =
  | {
      readonly kind: 'email';
      /** That of the SMTP server. */
      readonly credentialId: string;
      readonly from: string;
      readonly to: readonly string[];
    }
  | { readonly kind: 'request'; readonly url: string };

/** How long failures of a workflow are not reported again, in seconds. */
const SILENCE_SECONDS = 600;

const SUBJECT = "{{ $trigger.workflowName }} {{ $trigger.status == 'timeout' ? 'timed out' : 'failed' }}";

/**
 * Returns an error workflow that tells people about failed runs: once in ten minutes for each workflow, however many
 * of its runs fail.
 * @param runsUrl the address of the pages of runs, to which it links.
 */
export function alertWorkflow(channel: AlertChannel, runsUrl: string): Definition {
  const run = `${runsUrl}/{{ $trigger.executionId }}`;
  return {
    nodes: [
      { id: 'failed', type: 'trigger.manual', name: 'A run failed', position: { x: 0, y: 0 } },
      {
        id: 'once',
        type: 'lock',
        name: 'Once in ten minutes',
        // The run holds it until it ends; those that come meanwhile end without a message.
        parameters: { key: 'failure alert {{ $trigger.workflowId }}', timeoutSeconds: 1 },
        onError: 'branch',
        position: { x: 280, y: 0 },
      },
      { ...sending(channel, run), retry: { maxAttempts: 5, delayMs: 10_000 }, position: { x: 560, y: 0 } },
      {
        id: 'silence',
        type: 'wait',
        name: 'Ten minutes',
        parameters: { seconds: SILENCE_SECONDS },
        position: { x: 840, y: 0 },
      },
    ],
    edges: [
      { source: 'failed', target: 'once' },
      { source: 'once', target: 'send' },
      { source: 'send', target: 'silence' },
    ],
  };
}

function sending(channel: AlertChannel, run: string): NodeDefinition {
  if (channel.kind === 'request') {
    const body = {
      text: `${SUBJECT}: {{ $trigger.error?.message ?? '' }} ${run}`,
      executionId: '{{ $trigger.executionId }}',
      workflowId: '{{ $trigger.workflowId }}',
      status: '{{ $trigger.status }}',
      error: '{{ $trigger.error }}',
    };
    return { id: 'send', type: 'http', name: 'Send', parameters: { method: 'POST', url: channel.url, body } };
  }
  const text = [
    "{{ $trigger.error?.message ?? '' }}",
    '',
    "Node: {{ $trigger.failedNodeId ?? 'none' }}",
    `Run: ${run}`,
    '',
    'Further failures of this workflow are not reported for ten minutes.',
  ];
  return {
    id: 'send',
    type: 'email',
    name: 'Send',
    credentialId: channel.credentialId,
    parameters: { from: channel.from, to: [...channel.to], subject: SUBJECT, text: text.join('\n') },
  };
}
