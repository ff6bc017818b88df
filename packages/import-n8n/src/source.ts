/**
 * Data that comes from a node. n8n passes lists of items; here the output of a node is any JSON. Where there is always
 * exactly one item, the data is that item.
 */
export interface Source {
  /** An expression that returns the data, without braces. */
  readonly text: string;
  /** One item, or the list of all items. */
  readonly shape: 'one' | 'list';
  /** The node that it comes from, if that is a stub, whose data can only be guessed. */
  readonly guess?: string;
  readonly pairs?: Pairs;
  /** An expression that returns, for each item of a list, the position of the item that it was made of. */
  readonly positions?: string;
  /** An expression that returns the files of the one item, by their names. */
  readonly files?: string;
  /** The stub that these come from. */
  readonly filesOf?: string;
  /** An expression that returns whether the node that it comes from ran, if it need not have run. */
  readonly hasRun?: string;
}

/** The nodes whose items belong to those of a source by their position. */
export interface Pairs {
  readonly nodes: ReadonlySet<string>;
  /** The loop whose index is the position; without it, it is that of the item in the source. */
  readonly loop?: string;
  /** The note of what is taken for granted about a node between them, if something is. */
  readonly assumed?: string;
  /** The list that the items were made of, and the positions in it, if it has others. */
  readonly origin?: { readonly positions: string; readonly pairs: Pairs };
}

/** The data of an input of a Merge that nothing leads to. */
export const NOTHING: Source = { text: '[]', shape: 'list' };

/** Returns the data as a list. */
export function asList({ text, shape }: Source): string {
  return shape === 'list' ? text : `[${text}]`;
}

/** Returns the first item. */
export function firstItem({ text, shape }: Source): string {
  return shape === 'list' ? `${text}[0]` : text;
}

/** Returns an expression for data of nodes that may have been skipped. */
export function optional(data: string): string {
  return data.replaceAll(
    /\$nodes\.(\w+)\.output(?=(\.)?)/g,
    (_all, id: string, dot?: string) => `$nodes.${id}?.output${dot === undefined ? '' : '?'}`,
  );
}

/**
 * Returns an expression for the position of the item of a node that belongs to another item; undefined if it is not
 * known.
 * @param pairs what is known of that other item.
 * @param index the position of that item, as an expression.
 */
export function positionIn(
  pairs: Pairs,
  name: string,
  index: string,
): { readonly text: string; readonly assumed: string | undefined } | undefined {
  const own = pairs.loop === undefined ? index : '$loop.index';
  if (pairs.nodes.has(name)) return { text: own, assumed: pairs.assumed };
  const { origin } = pairs;
  const before = origin && positionIn(origin.pairs, name, `${origin.positions}[${own}]`);
  return before && { text: before.text, assumed: pairs.assumed ?? before.assumed };
}

/** Returns the note of files that come from a stub. */
export function filesOfStub(name: string): string {
  return `"${name}" is a stub: what replaces it returns its files in \`binary\`, such as { data: { base64, contentType, filename } }`;
}
