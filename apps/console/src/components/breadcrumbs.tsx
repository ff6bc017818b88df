import { Children, type ReactNode } from 'react';
import { i18n } from '../language/i18n.ts';
import classes from './breadcrumbs.module.css';

/** The path to a page: a link to each page above it. */
export function Breadcrumbs({ children }: { children: ReactNode }) {
  return (
    <nav aria-label={i18n.t('Breadcrumb')}>
      <ol className={classes.path}>
        {/* Without those that are left out. */}
        {Children.toArray(children).map((crumb, index) => (
          <li key={index}>{crumb}</li>
        ))}
      </ol>
    </nav>
  );
}
