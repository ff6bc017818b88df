import {
  type EdgeDefinition,
  isJsonObject,
  isNodeId,
  type JsonValue,
  MAX_NODES,
  MAX_NOTE_TEXT,
  type NodeDefinition,
  NOTE_COLORS,
  type NoteDefinition,
  parseExactJson,
} from '@deckhand/contracts';
import type { Clip } from './edits.ts';

/** Longest text that is read as a part of a workflow, in characters. */
const MAX_TEXT = 2 * 1024 * 1024;

/** Writes a part of a workflow as JSON, in the form of a definition. */
export function toText({ nodes, edges, notes }: Clip): string {
  return JSON.stringify({ nodes, edges, ...(notes.length === 0 ? {} : { notes }) }, undefined, 2);
}

/**
 * Reads a part of a workflow, or a whole definition, from any text. Members of nodes that are not as in a definition
 * are left out, and so are edges that lead elsewhere; values of parameters are checked when the workflow is saved.
 * @returns undefined if the text is something else.
 */
export function fromText(text: string): Clip | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const value = parse(text);
  if (!isJsonObject(value) || !Array.isArray(value.nodes) || value.nodes.length > MAX_NODES) return undefined;
  const nodes = value.nodes.map(toNode);
  if (!nodes.every((node) => node !== undefined)) return undefined;
  const ids = new Set(nodes.map(({ id }) => id));
  const notes = listOf(value.notes, toNote);
  if (ids.size !== nodes.length || ids.size + notes.length === 0) return undefined;
  const edges = listOf(value.edges, toEdge).filter(({ source, target }) => ids.has(source) && ids.has(target));
  return { nodes, edges, notes };
}

function parse(text: string): JsonValue {
  try {
    return parseExactJson(text);
  } catch {
    return null;
  }
}

function toNode(value: JsonValue): NodeDefinition | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, type, name, parameters, position, disabled, retry, timeoutSeconds } = value;
  const { onInterrupt, onError, mock, credentialId } = value;
  if (typeof id !== 'string' || !isNodeId(id) || typeof type !== 'string') return undefined;
  return {
    id,
    type,
    ...(typeof name === 'string' && { name }),
    ...(isJsonObject(parameters) && { parameters }),
    ...placeOf(position),
    ...(typeof disabled === 'boolean' && { disabled }),
    ...toRetry(retry),
    ...(typeof timeoutSeconds === 'number' && { timeoutSeconds }),
    ...((onInterrupt === 'rerun' || onInterrupt === 'fail') && { onInterrupt }),
    ...((onError === 'stop' || onError === 'continue' || onError === 'branch') && { onError }),
    ...(mock !== undefined && { mock }),
    ...(typeof credentialId === 'string' && { credentialId }),
  };
}

function toRetry(value: JsonValue | undefined): Pick<NodeDefinition, 'retry'> {
  if (!isJsonObject(value)) return {};
  const { maxAttempts, delayMs, factor, maxDelayMs } = value;
  if (typeof maxAttempts !== 'number') return {};
  return {
    retry: {
      maxAttempts,
      ...(typeof delayMs === 'number' && { delayMs }),
      ...(typeof factor === 'number' && { factor }),
      ...(typeof maxDelayMs === 'number' && { maxDelayMs }),
    },
  };
}

function toEdge(value: JsonValue): EdgeDefinition | undefined {
  if (!isJsonObject(value)) return undefined;
  const { source, target, sourceHandle, targetHandle } = value;
  if (typeof source !== 'string' || typeof target !== 'string') return undefined;
  return {
    source,
    target,
    ...(typeof sourceHandle === 'string' && { sourceHandle }),
    ...(typeof targetHandle === 'string' && { targetHandle }),
  };
}

function toNote(value: JsonValue): NoteDefinition | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, text, width, height, color } = value;
  if (typeof id !== 'string' || typeof text !== 'string' || text.length > MAX_NOTE_TEXT) return undefined;
  const known = NOTE_COLORS.find((each) => each === color);
  return {
    id,
    text,
    position: { x: 0, y: 0 },
    ...placeOf(value.position),
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
    ...(known !== undefined && { color: known }),
  };
}

function placeOf(value: JsonValue | undefined): Pick<NodeDefinition, 'position'> {
  if (!isJsonObject(value)) return {};
  const { x, y } = value;
  return typeof x === 'number' && typeof y === 'number' && Number.isFinite(x + y) ? { position: { x, y } } : {};
}

/** The entries of a list that can be read. */
function listOf<T>(list: JsonValue | undefined, read: (value: JsonValue) => T | undefined): T[] {
  return Array.isArray(list) ? list.map(read).filter((entry) => entry !== undefined) : [];
}
