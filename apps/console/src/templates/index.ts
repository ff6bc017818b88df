import type { Definition } from '@deckhand/contracts';

/** A workflow to begin with. Its file also has the runs by which it is tested. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** The variables that it reads, and what their values are. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly definition: Definition;
}

/** All templates, by name. */
export const TEMPLATES: readonly Template[] = Object.values(
  import.meta.glob<Template>('./*.json', { eager: true, import: 'default' }),
).toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
