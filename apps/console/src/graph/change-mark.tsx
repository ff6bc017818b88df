import classes from './change-mark.module.css';
import type { Change } from './diff-definitions.js';

/** The marks of changes: a sign and a word, never only a color. */
export const CHANGE_LOOKS: Readonly<Record<Change, { readonly sign: string; readonly word: string }>> = {
  added: { sign: '+', word: 'Added' },
  removed: { sign: '−', word: 'Removed' },
  changed: { sign: '~', word: 'Changed' },
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
