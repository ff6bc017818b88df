import type { Definition } from '@deckhand/contracts';
import { type Edge, useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { i18n } from '../language/i18n.ts';
import { CHANGE_LOOKS } from './change-mark.tsx';
import { containersOf } from './containers.ts';
import { type DefinitionDiff, edgeKey } from './diff-definitions.ts';
import { type CardNode, toCard, toFlowEdge, toFlowNode } from './flow.ts';
import type { NodeTypes } from './handles.ts';
import { StillGraph } from './still-graph.tsx';
import { placeUnited, uniteDefinitions, uniteHandles } from './unite-definitions.ts';

/** Two definitions on one graph, with marks at the added, removed and changed parts. */
export function DiffGraph({
  before,
  after,
  diff,
  types,
  selected,
  onSelect,
}: {
  before: Definition;
  after: Definition;
  diff: DefinitionDiff;
  types: NodeTypes;
  selected: string | undefined;
  onSelect: (nodeId: string | undefined) => void;
}) {
  const cards = useMemo(() => {
    const changes = new Map(diff.nodes.map(({ node, change }) => [node.id, change]));
    const places = placeUnited(before, after, types);
    const handles = uniteHandles(before, after, types);
    return uniteDefinitions(before, after).nodes.map((node) => {
      const card = { ...toCard(node, types), handles: handles.get(node.id) ?? [], change: changes.get(node.id) };
      return toFlowNode(node.id, card, places.get(node.id) ?? { x: 0, y: 0 });
    });
  }, [before, after, diff, types]);
  const nodes = useMemo(
    (): CardNode[] => cards.map((card) => (card.id === selected ? { ...card, selected: true } : card)),
    [cards, selected],
  );
  const edges = useMemo(() => {
    const changes = new Map(diff.edges.map(({ edge, change }) => [edgeKey(edge), change]));
    return uniteDefinitions(before, after).edges.map((edge): Edge => {
      const key = edgeKey(edge);
      const change = changes.get(key);
      if (change === undefined) return { ...toFlowEdge(edge), id: key };
      return { ...toFlowEdge(edge), id: key, className: `is-${change}`, label: CHANGE_LOOKS[change].sign };
    });
  }, [before, after, diff]);
  useReveal(cards, selected);
  const containers = useMemo(() => containersOf(uniteDefinitions(before, after), types), [before, after, types]);
  return (
    <StillGraph
      nodes={nodes}
      edges={edges}
      containers={containers}
      label={i18n.t('Graph of both versions')}
      onSelect={onSelect}
    />
  );
}

/** Scrolls the selected card into view, because it may have been selected in a list. */
function useReveal(cards: readonly CardNode[], selected: string | undefined): void {
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const card = cards.find(({ id }) => id === selected);
    const { width, height, transform } = store.getState();
    if (!card || width === 0) return;
    const [left, top, zoom] = transform;
    const { position, width: cardWidth = 0, height: cardHeight = 0 } = card;
    const [x, y] = [position.x * zoom + left, position.y * zoom + top];
    const isInSight = x >= 0 && y >= 0 && x + cardWidth * zoom <= width && y + cardHeight * zoom <= height;
    if (isInSight) return;
    void flow.setCenter(position.x + cardWidth / 2, position.y + cardHeight / 2, { zoom });
  }, [cards, selected, flow, store]);
}
