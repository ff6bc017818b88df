import {
  CARD_WIDTH,
  cardHeight,
  type Definition,
  type EdgeDefinition,
  type NodeDefinition,
  type NodeStatus,
  stubReason,
} from '@deckhand/contracts';
import {
  type Edge,
  type EdgeMarker,
  MarkerType,
  type Node,
  type NodeChange,
  type NodeHandle,
  Position as Side,
} from '@xyflow/react';
import { i18n } from '../language/i18n.ts';
import { HANDLE_SIZE, handleTop } from './card-size.ts';
import type { Change } from './diff-definitions.ts';
import { handlesOf, type NodeTypes, outputHandles } from './handles.ts';
import type { Position } from './layout.ts';
import { summarize } from './summarize.ts';

/** The data that a node on the canvas shows. */
export interface CardData extends Record<string, unknown> {
  readonly title: string;
  readonly type: string;
  readonly typeTitle: string;
  readonly category: string;
  /** The name of its icon. */
  readonly icon?: string | undefined;
  /** What it does, by its parameters. */
  readonly summary?: string | undefined;
  readonly isTrigger: boolean;
  readonly isDisabled: boolean;
  /** Its named outputs. */
  readonly handles: readonly string[];
  readonly hasUnnamedHandle: boolean;
  readonly status?: NodeStatus | undefined;
  /** Its issues, as text; why it is a stub of an import. */
  readonly issue?: string | undefined;
  /** What an import asks people to review. */
  readonly review?: string | undefined;
  /** Whether its output is pinned. */
  readonly isPinned?: boolean | undefined;
  /** Its difference to another version. */
  readonly change?: Change | undefined;
}

export type CardNode = Node<CardData, 'card'>;

/** The words for statuses and changes, for screen readers. */
const STATUS_WORDS: Readonly<Record<NodeStatus, string>> = {
  pending: i18n.t('pending'),
  running: i18n.t('running'),
  success: i18n.t('success'),
  failed: i18n.t('failed'),
  skipped: i18n.t('skipped'),
  waiting: i18n.t('waiting'),
  stopped: i18n.t('stopped'),
};
const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  added: i18n.t('added'),
  removed: i18n.t('removed'),
  changed: i18n.t('changed'),
};

/** Returns the data of a card, from the node's definition and type. */
export function toCard(node: NodeDefinition, types: NodeTypes): CardData {
  const type = types.get(node.type);
  const typeTitle = type?.title ?? node.type;
  return {
    title: node.name ?? node.id,
    type: node.type,
    typeTitle,
    category: type?.category ?? 'unknown',
    icon: type?.icon,
    summary: summarize(node, type),
    isTrigger: type?.isTrigger ?? node.type.startsWith('trigger.'),
    isDisabled: node.disabled ?? false,
    handles: handlesOf(node, types),
    hasUnnamedHandle: outputHandles(node, types).includes(undefined),
    issue: stubReason(node),
  };
}

/**
 * Returns a node of the canvas. Its size and its handles are known before it is drawn: a large graph appears at once,
 * and a node that moves is not measured again.
 */
export function toFlowNode(id: string, data: CardData, position: Position): CardNode {
  const size = { width: CARD_WIDTH, height: cardHeight(data.handles.length) };
  return {
    id,
    type: 'card',
    position: { ...position },
    data,
    ...size,
    measured: size,
    handles: toFlowHandles(data),
    ariaLabel: describeCard(data),
  };
}

function toFlowHandles({ isTrigger, handles, hasUnnamedHandle }: CardData): NodeHandle[] {
  const at = (x: number, y: number) => ({
    x: x - HANDLE_SIZE / 2,
    y: y - HANDLE_SIZE / 2,
    width: HANDLE_SIZE,
    height: HANDLE_SIZE,
  });
  const input: NodeHandle = { type: 'target', position: Side.Left, ...at(0, handleTop(0, 0)) };
  const unnamed: NodeHandle = { type: 'source', position: Side.Right, ...at(CARD_WIDTH, handleTop(0, 0)) };
  return [
    ...(isTrigger ? [] : [input]),
    ...(hasUnnamedHandle ? [unnamed] : []),
    ...handles.map((id, index): NodeHandle => ({
      id,
      type: 'source',
      position: Side.Right,
      ...at(CARD_WIDTH, handleTop(index, handles.length)),
    })),
  ];
}

/** Returns the node that a person selected by these changes, by mouse or keyboard. */
export function chosenNode(changes: readonly NodeChange<CardNode>[]): string | undefined {
  return changes.flatMap((change) => (change.type === 'select' && change.selected ? [change.id] : []))[0];
}

/** Returns the edges of the canvas. */
export function toFlowEdges({ edges }: Pick<Definition, 'edges'>): Edge[] {
  return edges.map(toFlowEdge);
}

/** Has the color of its edge. Browsers that cannot do that show the color of most edges. */
const ARROW: EdgeMarker = { type: MarkerType.ArrowClosed, width: 14, height: 14, color: 'context-stroke' };

/** Returns an edge of the canvas. */
export function toFlowEdge({ source, target, sourceHandle, targetHandle }: EdgeDefinition): Edge {
  return {
    id: edgeId(source, sourceHandle, target),
    source,
    target,
    markerEnd: ARROW,
    ...(sourceHandle === undefined ? {} : { sourceHandle }),
    ...(targetHandle === undefined ? {} : { data: { targetHandle } }),
  };
}

/** Returns the id of an edge. */
export function edgeId(source: string, sourceHandle: string | null | undefined, target: string): string {
  return `${source}:${sourceHandle ?? ''}>${target}`;
}

function describeCard({ title, typeTitle, summary, status, change }: CardData): string {
  const words = [title, typeTitle, summary, status && STATUS_WORDS[status], change && CHANGE_WORDS[change]];
  return words.filter(Boolean).join(', ');
}
