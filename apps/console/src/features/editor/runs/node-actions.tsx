import {
  type Execution,
  type JsonValue,
  MAX_MOCKS_BYTES,
  type NodeDefinition,
  parseExactJson,
} from '@deckhand/contracts';
import { Badge, Button, Group, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical, Pencil, Pin, PinOff, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { outputQuery } from '../../../api/executions.ts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { describeBytes } from '../../../components/durations.ts';
import { FormDialog, submitBy } from '../../../components/form-dialog.tsx';
import { notify, notifyProblem } from '../../../components/notice-board.ts';
import { i18n } from '../../../language/i18n.ts';
import { hasOutput } from '../../runs/sources.ts';
import { canPin } from '../model/editor-model.ts';
import { useEditorSession, usePinnedOutputs } from '../model/editor-session.tsx';
import { useCanvasRuns } from './canvas-runs.tsx';

/** Buttons that test the selected node, and pin its output. */
export function NodeActions({ node, run }: { node: NodeDefinition; run: Execution | undefined }) {
  const { model } = useEditorSession();
  const { can } = useWorkspace();
  const { test, rerun, isStarting } = useCanvasRuns();
  const queryClient = useQueryClient();
  const [isTyping, setTyping] = useState(false);
  const progress = run?.progress[node.id];
  const pinned = usePinnedOutputs()[node.id];
  const pin = (output: JsonValue): void => {
    if (!model.pin(node.id, output)) {
      notify(i18n.t('Pinned outputs can have {size} together', { size: describeBytes(MAX_MOCKS_BYTES) }));
    }
  };
  const pinLast = useMutation({
    mutationFn: (executionId: string) =>
      queryClient.query(outputQuery(executionId, node.id, undefined, progress?.finishedAt)),
    onSuccess: ({ output }) => pin(output),
    onError: notifyProblem,
  });
  const common = { variant: 'default', size: 'xs' } as const;
  return (
    <Group gap="xs">
      {pinned !== undefined && (
        <Badge variant="default" leftSection={<Pin size={11} aria-hidden />}>
          {i18n.t('Pinned')}
        </Badge>
      )}
      {test && (
        <Button
          {...common}
          leftSection={<FlaskConical size={14} aria-hidden />}
          loading={isStarting}
          title={i18n.t('Run only this node (Ctrl Shift Enter)')}
          onClick={test}
        >
          {i18n.t('Test node')}
        </Button>
      )}
      {rerun && progress && (
        <Button {...common} leftSection={<RotateCw size={14} aria-hidden />} loading={isStarting} onClick={rerun}>
          {i18n.t('Re-run from here')}
        </Button>
      )}
      {can('runs.test') && canPin(node, model.types) && pinned === undefined && (
        <Button
          {...common}
          leftSection={<Pin size={14} aria-hidden />}
          loading={pinLast.isPending}
          title={i18n.t('Test runs use the pinned output instead of running the node')}
          onClick={() => (run && progress && hasOutput(progress) ? pinLast.mutate(run.id) : setTyping(true))}
        >
          {i18n.t('Pin output')}
        </Button>
      )}
      {pinned !== undefined && (
        <>
          <Button {...common} leftSection={<Pencil size={14} aria-hidden />} onClick={() => setTyping(true)}>
            {i18n.t('Edit pinned output')}
          </Button>
          <Button {...common} leftSection={<PinOff size={14} aria-hidden />} onClick={() => model.unpin(node.id)}>
            {i18n.t('Unpin')}
          </Button>
        </>
      )}
      {isTyping && (
        <PinDialog
          title={node.name ?? node.id}
          initial={pinned ?? {}}
          onClose={() => setTyping(false)}
          onPin={(output) => {
            pin(output);
            setTyping(false);
          }}
        />
      )}
    </Group>
  );
}

/** Asks for the output that is pinned to a node, as JSON. */
function PinDialog({
  title,
  initial,
  onClose,
  onPin,
}: {
  /** That of the node. */
  title: string;
  initial: JsonValue;
  onClose: () => void;
  onPin: (output: JsonValue) => void;
}) {
  return (
    <FormDialog
      title={i18n.t('Pinned output of {node}', { node: title })}
      initial={{ json: JSON.stringify(initial, undefined, 2) }}
      submit={i18n.t('Pin output')}
      canSubmit={({ json }) => readOutput(json) !== undefined}
      act={({ json }) => {
        const output = readOutput(json);
        if (output !== undefined) onPin(output);
      }}
      onClose={onClose}
    >
      {({ values: { json }, text }) => (
        <Textarea
          label={i18n.t('Output')}
          description={i18n.t('JSON that test runs use instead of running the node')}
          autosize
          minRows={6}
          maxRows={20}
          spellCheck={false}
          data-autofocus
          {...text('json')}
          error={readOutput(json) === undefined ? i18n.t('Not JSON') : undefined}
          onKeyDown={submitBy('mod+Enter')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
      )}
    </FormDialog>
  );
}

function readOutput(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
