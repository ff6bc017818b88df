/** How well a node was converted: as it was, with differences to review, or not at all. */
export type ImportLevel = 'converted' | 'review' | 'manual';

/** What became of a node of n8n. */
export interface ImportNote {
  readonly node: string;
  readonly type: string;
  readonly level: ImportLevel;
  /** The nodes of the definition that it became. */
  readonly nodeIds: readonly string[];
  readonly messages: readonly string[];
}

/** What people have to do with imported nodes, for one cause. */
export interface ImportTask {
  readonly level: Exclude<ImportLevel, 'converted'>;
  /** The message of their notes; quoted names that differ are "…". */
  readonly message: string;
  readonly nodes: readonly string[];
}

/** Returns the note of a node that another one has, such as the model of an agent. */
export function partOf(owner: string): string {
  return `is part of "${owner}", whose stub has it`;
}

/** Returns the note of a node after a stub. */
export function afterStub(stub: string): string {
  return `the data of "${stub}", which is a stub, is taken for one item`;
}

/** Notes that need nothing of their own: they follow from a stub. */
const CONSEQUENCES = new Set([partOf, afterStub].map((message) => causeOf(message(''))));

/** Groups the notes of nodes, a cause once: stubs first, then what differs, and at last what follows from stubs. */
export function toTasks(notes: readonly ImportNote[]): ImportTask[] {
  const entries = notes.flatMap(({ node, level, messages }) =>
    level === 'converted' ? [] : messages.map((message) => ({ node, level, message, cause: causeOf(message) })),
  );
  const groups = [...Map.groupBy(entries, ({ level, cause }) => `${level}: ${cause}`).values()];
  const rank = ([first]: (typeof groups)[number]): number =>
    first && CONSEQUENCES.has(first.cause) ? 2 : first?.level === 'manual' ? 0 : 1;
  return groups
    .toSorted((one, other) => rank(one) - rank(other) || other.length - one.length)
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const isSame = group.every(({ message }) => message === first.message);
      const nodes = [...new Set(group.map(({ node }) => node))];
      return [{ level: first.level, message: isSame ? first.message : first.cause, nodes }];
    });
}

/** Returns a message without the names that it quotes. */
function causeOf(message: string): string {
  return message.replaceAll(/"[^"]*"/g, '"…"');
}
