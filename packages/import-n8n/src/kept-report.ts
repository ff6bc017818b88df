import type { KeptImportReport } from '@deckhand/contracts';
import type { ImportedWorkflow } from './import-n8n.ts';
import type { ImportLevel } from './tasks.ts';

/** Maximum size of what is kept, as JSON, in characters. */
const MAX_KEPT = 200_000;
/** Maximum size of the nodes of a task, as JSON, in characters. */
const MAX_NODES = 50_000;
/** Maximum length of a message or remark, and of a name, in characters. */
const MAX_MESSAGE = 1_000;
const MAX_NAME = 200;

/** What may be a token or a password in a message that quotes a value: long, with letters and digits. */
const LONG_WORD = /[\w+/=.~-]{20,}/g;
const AUTHORIZATION = /\b(Bearer|Basic)\s+\S+/gi;

/**
 * Returns what is kept of an import with its workflow: what people have to do, without what may be a secret, and no
 * more than there is room for. Undefined if there is nothing to do.
 */
export function toKeptReport({ notes, tasks, remarks }: ImportedWorkflow): KeptImportReport | undefined {
  if (tasks.length === 0 && remarks.length === 0) return undefined;
  const idsOf = new Map(notes.map(({ node, nodeIds }) => [node, nodeIds]));
  const count = (level: ImportLevel): number => notes.filter((note) => note.level === level).length;
  const all = tasks.flatMap(({ level, message, nodes }) => {
    // Parts of other nodes, such as the model of an agent, are done with their stub.
    const own = level === 'manual' ? nodes.filter((name) => (idsOf.get(name) ?? []).length > 0) : nodes;
    if (own.length === 0) return [];
    const named = own.map((name) => ({ name: name.slice(0, MAX_NAME), nodeIds: [...(idsOf.get(name) ?? [])] }));
    const kept = named.filter(roomFor(MAX_NODES));
    const others = named.length - kept.length;
    const text = others === 0 ? toKeptText(message) : `${toKeptText(message)} (and ${others} more nodes)`;
    return [{ level, message: text, nodes: kept }];
  });
  const isRoom = roomFor(MAX_KEPT);
  const keptRemarks = remarks.map(toKeptText).filter(isRoom);
  const kept = all.filter(isRoom);
  return {
    counts: { converted: count('converted'), review: count('review'), manual: count('manual') },
    tasks: kept,
    omittedTasks: all.length - kept.length,
    remarks: keptRemarks,
  };
}

/** Returns a function that returns true for each part that still fits into a size. */
function roomFor(size: number): (part: object | string) => boolean {
  let room = size;
  return (part) => {
    const needed = JSON.stringify(part).length;
    if (needed > room) return false;
    room -= needed;
    return true;
  };
}

/** Masks before it cuts: the beginning of a token may be too short to look like one. */
function toKeptText(message: string): string {
  const masked = message
    .replaceAll(AUTHORIZATION, '$1 …')
    .replaceAll(LONG_WORD, (word) => (/\d/.test(word) && /[a-z]/i.test(word) ? '…' : word));
  return masked.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, '');
}
