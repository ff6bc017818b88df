/** Markup: text in it is escaped. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = Markup | string | number | undefined | false | readonly Markup[];

/** Returns markup of a template. Values other than markup are text, in elements and in quoted attributes alike. */
export function markup(source: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return new Markup(source.map((text, index) => text + render(values[index])).join(''));
}

function render(value: Part): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.source;
  if (typeof value === 'object') return value.map(({ source }) => source).join('');
  return escape(String(value));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}
