import type { NodeDefinition } from '@deckhand/contracts';
import { Checkbox, Select, Stack } from '@mantine/core';
import { NumberField } from '../../../forms/number-field.tsx';
import { handlesOf, type NodeTypes } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';
import { useEditorSession } from '../model/editor-session.tsx';

const ON_ERROR = [
  { value: 'stop', label: i18n.t('Stop the run') },
  { value: 'continue', label: i18n.t('Continue with error output') },
  { value: 'branch', label: i18n.t('Route to error branch') },
];

const ON_INTERRUPT = [
  { value: 'rerun', label: i18n.t('Run it again') },
  { value: 'fail', label: i18n.t('Fail') },
];

/** The settings that nodes of every type have: errors, attempts, time, and whether it runs at all. */
export function NodeSettings({
  node,
  change,
  edit,
}: {
  node: NodeDefinition;
  /** Sets members of the node. Consecutive changes of the same step are undone together. */
  change: (next: Partial<NodeDefinition>, step: string) => void;
  /** Replaces the node, in a step of its own. */
  edit: (change: (node: NodeDefinition) => NodeDefinition) => void;
}) {
  const { model } = useEditorSession();
  return (
    <details>
      <summary>{i18n.t('Error handling & settings')}</summary>
      <Stack gap="sm" mt="sm">
        <Select
          label={i18n.t('On error')}
          data={ON_ERROR}
          allowDeselect={false}
          value={node.onError ?? 'stop'}
          onChange={(value) => {
            if (value === 'stop' || value === 'continue' || value === 'branch') change({ onError: value }, 'onError');
          }}
        />
        <NumberField
          label={i18n.t('Max attempts')}
          description={i18n.t('Including the first')}
          min={1}
          max={10}
          allowDecimal={false}
          value={node.retry?.maxAttempts ?? 1}
          onChange={(value) => {
            if (value !== null) change({ retry: { ...node.retry, maxAttempts: value } }, 'retry');
          }}
        />
        {(node.retry?.maxAttempts ?? 1) > 1 && (
          <BackOffFields retry={node.retry} onChange={(retry) => change({ retry }, 'retry')} />
        )}
        <NumberField
          label={i18n.t('Timeout (seconds)')}
          min={0.001}
          max={86_400}
          value={node.timeoutSeconds ?? null}
          onChange={(value) =>
            edit(({ timeoutSeconds: _, ...old }) => (value === null ? old : { ...old, timeoutSeconds: value }))
          }
        />
        <Select
          label={i18n.t('If its worker dies')}
          description={i18n.t('While the node runs')}
          data={ON_INTERRUPT}
          allowDeselect={false}
          value={node.onInterrupt ?? 'rerun'}
          onChange={(value) => {
            if (value === 'rerun' || value === 'fail') change({ onInterrupt: value }, 'onInterrupt');
          }}
        />
        <Checkbox
          label={i18n.t('Disabled')}
          description={effectOfDisabling(node, model.types)}
          checked={node.disabled ?? false}
          onChange={(event) => change({ disabled: event.currentTarget.checked }, 'disabled')}
        />
      </Stack>
    </details>
  );
}

type Retry = NonNullable<NodeDefinition['retry']>;

/** Longest delay of a definition: a day, in ms. */
const MAX_MS = 86_400_000;

/** The delays between the attempts of a node, in ms. The placeholders are the defaults. */
function BackOffFields({ retry, onChange }: { retry: Retry | undefined; onChange: (retry: Retry) => void }) {
  const { maxAttempts, ...delays }: Retry = retry ?? { maxAttempts: 1 };
  const set = (name: keyof typeof delays, value: number | null): void => {
    const { [name]: _, ...others } = delays;
    onChange({ maxAttempts, ...others, ...(value !== null && { [name]: value }) });
  };
  return (
    <>
      <NumberField
        label={i18n.t('Retry delay (ms)')}
        description={i18n.t('Before the second attempt')}
        placeholder="1000"
        min={0}
        max={MAX_MS}
        allowDecimal={false}
        value={delays.delayMs ?? null}
        onChange={(value) => set('delayMs', value)}
      />
      <NumberField
        label={i18n.t('Back-off factor')}
        description={i18n.t('Multiplies the delay after each attempt')}
        placeholder="2"
        min={1}
        max={10}
        value={delays.factor ?? null}
        onChange={(value) => set('factor', value)}
      />
      <NumberField
        label={i18n.t('Max delay (ms)')}
        placeholder="60000"
        min={0}
        max={MAX_MS}
        allowDecimal={false}
        value={delays.maxDelayMs ?? null}
        onChange={(value) => set('maxDelayMs', value)}
      />
    </>
  );
}

/** Returns what a node does while it is disabled. */
function effectOfDisabling(node: NodeDefinition, types: NodeTypes): string {
  const { isTrigger = false, undecidedHandle: handle = null } = types.get(node.type) ?? {};
  if (isTrigger) return i18n.t('Does not fire');
  // Its branch for errors is not a choice.
  if (handlesOf({ ...node, onError: 'stop' }, types).length === 0) return i18n.t('Passes its input through');
  return handle === null
    ? i18n.t('Takes none of its outputs, because each is a choice')
    : i18n.t('Passes its input through, to the output {handle}', { handle });
}
