import type { NodeDefinition } from '@deckhand/contracts';
import { handlesOf, type NodeTypes } from '../graph/handles.ts';
import { i18n } from '../language/i18n.ts';

/** Returns what a node does while it is disabled. */
export function effectOfDisabling(node: NodeDefinition, types: NodeTypes): string {
  const { isTrigger = false, undecidedHandle: handle = null } = types.get(node.type) ?? {};
  if (isTrigger) return i18n.t('Does not fire');
  // Its branch for errors is not a choice.
  if (handlesOf({ ...node, onError: 'stop' }, types).length === 0) return i18n.t('Passes its input through');
  return handle === null
    ? i18n.t('Takes none of its outputs, because each is a choice')
    : i18n.t('Passes its input through, to the output {handle}', { handle });
}
