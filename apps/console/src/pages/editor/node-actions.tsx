import type { Execution, NodeDefinition } from '@deckhand/contracts';
import { Badge, Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical, Pencil, Pin, PinOff, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { outputQuery } from '../../api/executions.ts';
import { notifyProblem } from '../../components/notice-board.ts';
import type { Pins } from '../../editor/use-pins.ts';
import { i18n } from '../../language/i18n.ts';
import { hasOutput } from '../runs/sources.ts';
import { PinDialog } from './pin-dialog.tsx';

/** What can be done with the selected node. */
export interface NodeActionsOf {
  readonly pins: Pins;
  /** Whether the output of the node can be pinned. */
  readonly canPin: boolean;
  /** Runs this node alone; undefined if that cannot be. */
  readonly onTest: (() => void) | undefined;
  /** Reruns the run from this node; undefined if it cannot be. */
  readonly onRerun: (() => void) | undefined;
  readonly isStarting: boolean;
}

/** Buttons that test the selected node, and pin its output. */
export function NodeActions({
  node,
  run,
  actions: { pins, canPin, onTest, onRerun, isStarting },
}: {
  node: NodeDefinition;
  run: Execution | undefined;
  actions: NodeActionsOf;
}) {
  const queryClient = useQueryClient();
  const [isTyping, setTyping] = useState(false);
  const progress = run?.progress[node.id];
  const pinned = pins.outputs[node.id];
  const pinLast = useMutation({
    mutationFn: (executionId: string) =>
      queryClient.query(outputQuery(executionId, node.id, undefined, progress?.finishedAt)),
    onSuccess: ({ output }) => pins.pin(node.id, output),
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
      {onTest && (
        <Button
          {...common}
          leftSection={<FlaskConical size={14} aria-hidden />}
          loading={isStarting}
          title={i18n.t('Run only this node (Ctrl Shift Enter)')}
          onClick={onTest}
        >
          {i18n.t('Test node')}
        </Button>
      )}
      {onRerun && progress && (
        <Button {...common} leftSection={<RotateCw size={14} aria-hidden />} loading={isStarting} onClick={onRerun}>
          {i18n.t('Re-run from here')}
        </Button>
      )}
      {canPin && pinned === undefined && (
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
          <Button {...common} leftSection={<PinOff size={14} aria-hidden />} onClick={() => pins.unpin(node.id)}>
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
            pins.pin(node.id, output);
            setTyping(false);
          }}
        />
      )}
    </Group>
  );
}
