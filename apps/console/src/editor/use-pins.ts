import {
  type Definition,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_MOCKS_BYTES,
  type NodeDefinition,
  parseJson,
} from '@deckhand/contracts';
import { useSessionStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import { describeBytes } from '../components/durations.ts';
import { notify } from '../components/notice-board.ts';
import { type NodeTypes, outputHandles } from '../graph/handles.ts';
import { i18n } from '../language/i18n.ts';

/** The pinned outputs of a workflow: test runs from the editor use them instead of running their nodes. */
export interface Pins {
  /** By node id, of nodes on the canvas. */
  readonly outputs: JsonObject;
  readonly pin: (nodeId: string, output: JsonValue) => void;
  readonly unpin: (nodeId: string) => void;
}

const NOTHING: JsonObject = {};

/** Keeps the pinned outputs of a workflow, in this tab only: they may be confidential. */
export function usePins(workflowId: string, definition: Definition, types: NodeTypes): Pins {
  const [kept, keep] = useSessionStorage({
    key: `deckhand.pins.${workflowId}`,
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
    deserialize: readPins,
  });
  const outputs = useMemo(() => {
    const ids = new Set(definition.nodes.flatMap((node) => (canPin(node, types) ? [node.id] : [])));
    return Object.fromEntries(Object.entries(kept).filter(([id]) => ids.has(id)));
  }, [kept, definition.nodes, types]);
  return {
    outputs,
    pin(nodeId, output) {
      const next = { ...outputs, [nodeId]: output };
      if (new Blob([JSON.stringify(next)]).size <= MAX_MOCKS_BYTES) keep(next);
      else notify(i18n.t('Pinned outputs can have {size} together', { size: describeBytes(MAX_MOCKS_BYTES) }));
    },
    unpin: (nodeId) => keep(Object.fromEntries(Object.entries(kept).filter(([id]) => id !== nodeId))),
  };
}

/** Whether the output of a node can be pinned: with several outputs, a pin would have to say which one is taken. */
export function canPin(node: NodeDefinition, types: NodeTypes): boolean {
  return types.get(node.type)?.isTrigger === false && outputHandles(node, types).includes(undefined);
}

function readPins(text: string | undefined): JsonObject {
  try {
    const kept = parseJson(text ?? '');
    return isJsonObject(kept) ? kept : NOTHING;
  } catch {
    return NOTHING;
  }
}
