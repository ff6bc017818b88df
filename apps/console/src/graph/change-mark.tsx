import { i18n } from '../language/i18n.ts';
import classes from './change-mark.module.css';
import type { Change } from './diff-definitions.ts';

/** The marks of changes: a sign and a word, never only a color. */
export const CHANGE_LOOKS: Readonly<Record<Change, { readonly sign: string; readonly word: string }>> = {
  added: { sign: '+', word: i18n.t('Added') },
  removed: { sign: '−', word: i18n.t('Removed') },
  changed: { sign: '~', word: i18n.t('Changed') },
};

/** Shows that something was added, removed or changed. */
export function ChangeMark({ change }: { change: Change }) {
  const { sign, word } = CHANGE_LOOKS[change];
  return (
    <span className={classes.mark} data-change={change}>
      <span className={classes.sign} aria-hidden>
        {sign}
      </span>
      {word}
    </span>
  );
}
