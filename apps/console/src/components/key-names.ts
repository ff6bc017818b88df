import { i18n } from '../language/i18n.ts';

/** The names of keys on a keyboard of the language; letters have theirs. */
const NAMES: Readonly<Record<string, string>> = {
  Ctrl: i18n.t({ id: 'key: Ctrl', message: 'Ctrl' }),
  Shift: i18n.t({ id: 'key: Shift', message: 'Shift' }),
  Enter: i18n.t({ id: 'key: Enter', message: 'Enter' }),
  Delete: i18n.t({ id: 'key: Delete', message: 'Delete' }),
};

/** Names keys as they are on the keyboard, such as `Ctrl Enter`. */
export function nameKeys(keys: string): string {
  return keys.replaceAll(/[A-Z][a-z]+/g, (key) => NAMES[key] ?? key);
}
