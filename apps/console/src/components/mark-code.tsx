import type { ReactNode } from 'react';
import classes from './mark-code.module.css';

/** Renders a text with its parts in backticks as code. */
export function markCode(text: string): ReactNode {
  if (!text.includes('`')) return text;
  // Every second part was between backticks.
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className={classes.code}>
        {part}
      </code>
    ),
  );
}
