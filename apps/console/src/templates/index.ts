import type { Definition } from '@deckhand/contracts';
import { i18n } from '../language/i18n.ts';
import { servedText } from '../language/served-text.ts';

/** A workflow to begin with. Its file also has the runs by which it is tested. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** The variables that it reads, and what their values are. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly definition: Definition;
}

/** All templates, by name, which is in the language of the console like their descriptions. */
export const TEMPLATES: readonly Template[] = Object.values(
  import.meta.glob<Template>('./*.json', { eager: true, import: 'default' }),
)
  .map((template) => ({
    ...template,
    name: servedText(template.name),
    description: servedText(template.description),
    variables: Object.fromEntries(
      Object.entries(template.variables ?? {}).map(([name, meaning]) => [name, servedText(meaning)]),
    ),
  }))
  .toSorted((a, b) => a.name.localeCompare(b.name, i18n.locale));
