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
}

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
